//! The speech models that tests and benchmarks hear with: those that are here, or else downloaded by the program that
//! was built, which knows where they are published, how large they are and what their hashes are.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::process::run;
use crate::setup;
use crate::workspace::Workspace;

/// Names the folder of the speech models; to the tests nothing, where there are none.
pub(crate) const NAMED: &str = "REVIEW_GATE_TEST_MODELS";
/// What tests hear with: small, English.
const FOR_TESTS: &str = "tiny.en-q8_0";
/// What is measured: what a newcomer gets.
pub(crate) const FOR_BENCH: &str = "base-q8_0";
/// What tells speech from silence.
const DETECTOR: &str = "silero-v6.2.0";

/// The folder with `model` and the detector: where [`NAMED`] says, beside the clone in `shared/models`, or below
/// `target`, where `review-gate` of the folder `programs` downloads them.
pub(crate) fn folder(workspace: &Workspace, programs: &Path, model: &str) -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(NAMED).filter(|folder| !folder.is_empty()).map(PathBuf::from) {
        if has(&named, model) {
            return Ok(named);
        }
        bail!("{NAMED} names {}, which lacks {} or {}", named.display(), file(model), file(DETECTOR));
    }
    let ours = workspace.test_tools().join("models");
    let beside = workspace.root.parent().map(|folder| folder.join("shared/models"));
    if let Some(found) = beside.into_iter().chain([ours.clone()]).find(|folder| has(folder, model)) {
        return Ok(found);
    }
    // It has its models in the folder `models` of its home.
    let mut download = Command::new(programs.join("review-gate").with_extension(std::env::consts::EXE_EXTENSION));
    download.args(["voice", "download", model]).env("REVIEW_GATE_HOME", workspace.test_tools());
    run(&mut download, &format!("without a network, name a folder that has {} in {NAMED}", file(model)))?;
    Ok(ours)
}

/// The same for the tests, or none where they can't be had. Where everything is required, that is an error.
pub(crate) fn for_tests_if_any(workspace: &Workspace) -> Result<Option<PathBuf>> {
    let found = folder(workspace, &workspace.target.join("debug"), FOR_TESTS);
    setup::if_any(found, setup::everything_is_required(), "the tests that hear speech")
}

fn has(folder: &Path, model: &str) -> bool {
    [model, DETECTOR].iter().all(|name| folder.join(file(name)).is_file())
}

fn file(model: &str) -> String {
    format!("ggml-{model}.bin")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_of_no_use_without_the_detector() {
        let folder = std::env::temp_dir().join(format!("xtask-models-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the test");
        let put = |name: &str| std::fs::write(folder.join(name), "").expect("a file");
        put("ggml-tiny.en-q8_0.bin");
        assert!(!has(&folder, FOR_TESTS), "nothing tells speech from silence");
        put("ggml-silero-v6.2.0.bin");
        assert!(has(&folder, FOR_TESTS), "the tests have what they hear with");
        assert!(!has(&folder, FOR_BENCH), "another model is missing as before");
        std::fs::remove_dir_all(&folder).expect("the test's folder goes");
    }
}
