//! What several tests of this crate need: the models, and recorded speech.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The speech model of the tests.
pub(crate) const SPEECH: &str = "ggml-tiny.en-q8_0.bin";
/// The model that tells speech from silence.
pub(crate) const VAD: &str = "ggml-silero-v6.2.0.bin";
/// The folder of the workspace.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

/// The folder of the models: what `REVIEW_GATE_TEST_MODELS` names, and without it, where `cargo xtask test` looks.
/// Without models a test says that it was left out. Where `REVIEW_GATE_REQUIRE_E2E` is set it fails instead; but where
/// it is `1` and the variable names nothing, they couldn't be had.
pub(crate) fn models() -> Option<PathBuf> {
    let named = std::env::var_os("REVIEW_GATE_TEST_MODELS").map(PathBuf::from);
    let out_of_reach = named.as_ref().is_some_and(|folder| folder.as_os_str().is_empty());
    let usual = ["../shared/models", "target/test-tools/models"].map(|folder| Path::new(ROOT).join(folder));
    let folders = named.map_or(usual.to_vec(), |folder| vec![folder]);
    let is_whole = |folder: &PathBuf| [SPEECH, VAD].iter().all(|name| folder.join(name).is_file());
    if let Some(folder) = folders.into_iter().find(is_whole) {
        return Some(folder);
    }
    let required = std::env::var("REVIEW_GATE_REQUIRE_E2E").unwrap_or_default();
    let may_be_left_out = required.is_empty() || (out_of_reach && required == "1");
    assert!(may_be_left_out, "no {SPEECH} with {VAD}; name their folder in REVIEW_GATE_TEST_MODELS");
    left_out("there are no speech models, and none could be downloaded");
    None
}

/// Eleven seconds of a president, recorded.
pub(crate) fn recorded() -> PathBuf {
    Path::new(ROOT).join("tests/sound/jfk.wav")
}

/// Says why a test can't run here, also to `cargo xtask test`.
pub(crate) fn left_out(reason: &str) {
    eprintln!("skipped: {reason}");
    let Some(file) = std::env::var_os("REVIEW_GATE_TEST_LEFT_OUT") else { return };
    let line = format!("{}: {reason}\n", std::env::var("NEXTEST_TEST_NAME").unwrap_or_default());
    // In one piece: others write to it, too.
    let told = File::options().append(true).create(true).open(file);
    told.and_then(|mut file| file.write_all(line.as_bytes())).expect("it can be told");
}

/// The same noise every time: `at` is any number.
pub(crate) fn noise(at: u64) -> f32 {
    let mut mixed = at.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.0
}
