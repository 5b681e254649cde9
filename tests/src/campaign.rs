//! How often a test repeats what it does at random: enough to see most faults in a usual run, and far
//! more in a campaign (`cargo xtask campaign`).

use std::fmt::Display;

use crate::shared_campaign;

/// The number for this run: `full` in a campaign, `short` in any other.
#[must_use]
pub fn campaign<T>(full: T, short: T) -> T {
    if shared_campaign::is_on() { full } else { short }
}

/// Has the campaign's table say what the test that runs does, e.g. `500 kills`.
pub fn campaign_tells(what: impl Display) {
    shared_campaign::tells(what);
}
