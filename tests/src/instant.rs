//! Random instants, for tests that break something in the midst of whatever happens to go on, and those at which a hand
//! does what it had begun before.
//!
//! The only place of the tests that lets time pass for its own sake. What a test waits for is a condition
//! (`wait.rs`).

use std::time::Duration;

use tokio::time::{Instant, interval_at};

use crate::seed::Seed;

/// Goes on at a random instant, at most `limit` from now. It waits for nothing: a test whose outcome
/// depends on the length is wrong.
pub async fn at_a_random_instant(seed: &mut Seed, limit: Duration) {
    let micros = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX).max(1);
    let length = Duration::from_micros(seed.below(micros));
    interval_at(Instant::now() + length, Duration::from_secs(1)).tick().await;
}

/// Goes on so long after something has happened, for tests whose subject is what a person's hand does at that moment.
pub async fn at_the_instant(happened: Instant, later: Duration) {
    interval_at(happened + later, Duration::from_secs(1)).tick().await;
}
