//! Leaving a test out, visibly.

use std::fs::File;
use std::io::Write as _;

use anyhow::{Result, bail};

use crate::this_test::this_test;

/// What may not be left out. `1`, as `cargo xtask test` sets it: what takes a program that can be installed. `all`, as
/// `.ci/run` sets it: nor what takes more than that, such as root.
const REQUIRE: &str = "REVIEW_GATE_REQUIRE_E2E";
/// Names the file whose lines `cargo xtask test` prints at its end, one for each test that was left out.
const LEFT_OUT: &str = "REVIEW_GATE_TEST_LEFT_OUT";

/// Says why a test, or a part of one, can't run before something is installed.
///
/// # Errors
/// Where `REVIEW_GATE_REQUIRE_E2E` is `1` or `all`.
pub fn skip(reason: &str) -> Result<()> {
    unless_required(reason, &["1", "all"])
}

/// Says why a test, or a part of one, can't run here, where installing something doesn't help.
///
/// # Errors
/// Where `REVIEW_GATE_REQUIRE_E2E` is `all`.
pub fn out_of_reach(reason: &str) -> Result<()> {
    unless_required(reason, &["all"])
}

fn unless_required(reason: &str, required: &[&str]) -> Result<()> {
    let wanted = std::env::var(REQUIRE).unwrap_or_default();
    if required.contains(&wanted.as_str()) {
        bail!("{REQUIRE}={wanted}, but this test can't run: {reason}");
    }
    left_out(reason);
    Ok(())
}

/// Says why a test, or a part of one, is left out, whatever is required.
pub fn left_out(reason: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}");
    let Some(file) = std::env::var_os(LEFT_OUT).filter(|file| !file.is_empty()) else { return };
    let line = format!("{}: {reason}\n", this_test().unwrap_or_default());
    // In one piece: others write to it, too.
    let told = File::options().append(true).create(true).open(file);
    let _ = told.and_then(|mut file| file.write_all(line.as_bytes()));
}
