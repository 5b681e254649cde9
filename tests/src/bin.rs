//! Where the built programs are. Builds nothing.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Names the folder of the built programs; set by `cargo xtask test`.
const FOLDER: &str = "REVIEW_GATE_TEST_BIN";

/// The program called `name`: in the folder that `REVIEW_GATE_TEST_BIN` names, else in the target
/// folder that this test was built into.
///
/// # Errors
/// When it isn't there.
pub fn bin(name: &str) -> Result<PathBuf> {
    let folder = match std::env::var_os(FOLDER).filter(|value| !value.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => beside_this_test()?,
    };
    let program = folder.join(name);
    if !program.is_file() {
        bail!("{} isn't there: run `cargo build` first, or set {FOLDER} to the programs' folder", program.display());
    }
    Ok(program)
}

/// `target/debug` of `target/debug/deps/test-0123`.
fn beside_this_test() -> Result<PathBuf> {
    let test = std::env::current_exe().context("this test's own file can't be found")?;
    let folder = test.parent().and_then(Path::parent).context("this test isn't in a target folder")?;
    Ok(folder.to_owned())
}
