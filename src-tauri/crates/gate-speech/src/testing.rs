//! What several tests of this crate need: the models, and recorded speech.

use std::path::{Path, PathBuf};

/// The speech model of the tests.
pub(crate) const SPEECH: &str = "ggml-tiny.en-q8_0.bin";
/// The model that tells speech from silence.
pub(crate) const VAD: &str = "ggml-silero-v6.2.0.bin";

/// The folder of the models. Without it a test says that it was skipped, or fails where
/// `REVIEW_GATE_REQUIRE_E2E` is set.
pub(crate) fn models() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/models");
    let folder = std::env::var_os("REVIEW_GATE_TEST_MODELS").map_or(beside, PathBuf::from);
    if [SPEECH, VAD].iter().all(|name| folder.join(name).is_file()) {
        return Some(folder);
    }
    assert!(
        std::env::var_os("REVIEW_GATE_REQUIRE_E2E").is_none(),
        "no {SPEECH} and {VAD} in {}; set REVIEW_GATE_TEST_MODELS",
        folder.display()
    );
    eprintln!("skipped: no speech models in {}", folder.display());
    None
}

/// Eleven seconds of a president, recorded; the folder `audio` beside the models.
pub(crate) fn recorded() -> Option<PathBuf> {
    let file = models()?.parent()?.join("audio/jfk.wav");
    if file.is_file() {
        return Some(file);
    }
    assert!(std::env::var_os("REVIEW_GATE_REQUIRE_E2E").is_none(), "no {}", file.display());
    eprintln!("skipped: no {}", file.display());
    None
}

/// The same noise every time: `at` is any number.
pub(crate) fn noise(at: u64) -> f32 {
    let mut mixed = at.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.0
}
