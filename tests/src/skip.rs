//! Leaving a test out, visibly.

use std::io::Write as _;

use anyhow::{Result, bail};

/// `1`: nothing may be left out. Set by `cargo xtask test`.
const REQUIRE: &str = "REVIEW_GATE_REQUIRE_E2E";

/// Says why a test, or a part of one, can't run on this machine.
///
/// # Errors
/// Where `REVIEW_GATE_REQUIRE_E2E=1` forbids leaving anything out.
pub fn skip(reason: &str) -> Result<()> {
    if std::env::var(REQUIRE).is_ok_and(|value| value == "1") {
        bail!("{REQUIRE}=1, but this test can't run: {reason}");
    }
    let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}");
    Ok(())
}
