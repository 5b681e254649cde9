//! Whether a test runs in a campaign (`cargo xtask campaign`), and what it has its table say. Compiled into the tests of
//! each crate that has such a test.

use std::fmt::Display;
use std::fs::File;
use std::io::Write as _;

/// `1` in a campaign.
const CAMPAIGN: &str = "REVIEW_GATE_CAMPAIGN";
/// Names the file whose lines are a test and what it does.
const TOLD: &str = "REVIEW_GATE_CAMPAIGN_TOLD";

/// Whether this is one.
pub(crate) fn is_on() -> bool {
    std::env::var(CAMPAIGN).is_ok_and(|value| value == "1")
}

/// Has the campaign's table say what the test that runs does, e.g. `500 kills`. Without a campaign nobody reads it.
pub(crate) fn tells(what: impl Display) {
    let Some(file) = std::env::var_os(TOLD).filter(|file| !file.is_empty()) else { return };
    let test = std::env::var("NEXTEST_TEST_NAME").unwrap_or_default();
    // In one piece: others write to it, too. A table without a line is no reason for a test to fail.
    let told = File::options().append(true).create(true).open(file);
    let _ = told.and_then(|mut file| file.write_all(format!("{test}\t{what}\n").as_bytes()));
}
