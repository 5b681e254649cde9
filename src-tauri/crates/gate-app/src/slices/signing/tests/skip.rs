//! Leaving a test out, visibly: the same as the end-to-end tests do.

use std::fs::File;
use std::io::Write as _;

/// Says that a test is left out for want of this program, also to `cargo xtask test`.
///
/// # Panics
/// Where nothing may be left out.
pub(super) fn left_out(program: &str) {
    let required = std::env::var("REVIEW_GATE_REQUIRE_E2E").unwrap_or_default();
    assert!(required.is_empty(), "this test needs {program}");
    let reason = format!("there is no {program}");
    let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}");
    let Some(file) = std::env::var_os("REVIEW_GATE_TEST_LEFT_OUT").filter(|file| !file.is_empty()) else { return };
    let line = format!("{}: {reason}\n", std::env::var("NEXTEST_TEST_NAME").unwrap_or_default());
    // In one piece: others write to it, too.
    let told = File::options().append(true).create(true).open(file);
    told.and_then(|mut file| file.write_all(line.as_bytes())).expect("it can be told");
}
