//! Leaving a test out, visibly: the same as the end-to-end tests do.

use std::fs::File;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Whether this program can be run. Where it can't, it is said that the test is left out, also to `cargo xtask test`;
/// where nothing may be left out, that is a failure.
pub(crate) fn has(program: &str, argument: &str) -> bool {
    let mut command = Command::new(program);
    let runs = command.arg(argument).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !runs {
        let required = std::env::var("REVIEW_GATE_REQUIRE_E2E").unwrap_or_default();
        assert!(required.is_empty(), "this test needs {program}");
        left_out(&format!("there is no {program}"));
    }
    runs
}

fn left_out(reason: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}");
    let Some(file) = std::env::var_os("REVIEW_GATE_TEST_LEFT_OUT").filter(|file| !file.is_empty()) else { return };
    let line = format!("{}: {reason}\n", std::env::var("NEXTEST_TEST_NAME").unwrap_or_default());
    // In one piece: others write to it, too.
    let told = File::options().append(true).create(true).open(file);
    told.and_then(|mut file| file.write_all(line.as_bytes())).expect("it can be told");
}
