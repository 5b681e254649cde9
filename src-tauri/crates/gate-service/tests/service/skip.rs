//! Leaving a test out, visibly: the same as the end-to-end tests do.

use std::fs::File;
use std::io::Write as _;

/// Says that a test is left out, also to `cargo xtask test`. Where `required` may not be left out, that is a failure: `1`
/// is what takes a program that can be installed, `all` what takes more than that.
pub(crate) fn leave_out(reason: &str, required: &[&str]) {
    let wanted = std::env::var("REVIEW_GATE_REQUIRE_E2E").unwrap_or_default();
    assert!(!required.contains(&wanted.as_str()), "this test can't run: {reason}");
    let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}");
    let Some(file) = std::env::var_os("REVIEW_GATE_TEST_LEFT_OUT").filter(|file| !file.is_empty()) else { return };
    let line = format!("{}: {reason}\n", std::env::var("NEXTEST_TEST_NAME").unwrap_or_default());
    // In one piece: others write to it, too.
    let told = File::options().append(true).create(true).open(file);
    told.and_then(|mut file| file.write_all(line.as_bytes())).expect("it can be told");
}
