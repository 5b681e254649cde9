//! How often a test repeats what it does at random: enough to see most faults in a usual run, and far
//! more in a campaign (`cargo xtask campaign`).

/// `1`: a campaign. `tests/corpus/fuzz.rs` and gate-store's tests read it, too.
const CAMPAIGN: &str = "REVIEW_GATE_CAMPAIGN";

/// The number for this run: `full` in a campaign, `short` in any other.
#[must_use]
pub fn campaign<T>(full: T, short: T) -> T {
    if std::env::var(CAMPAIGN).is_ok_and(|value| value == "1") { full } else { short }
}
