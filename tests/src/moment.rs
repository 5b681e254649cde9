//! Random moments, for tests that break something in the middle of whatever happens to go on.

use std::time::Duration;

use tokio::time::{Instant, interval_at};

use crate::seed::Seed;

/// Lets a random time of at most `limit` pass. It waits for nothing: a test whose outcome depends
/// on the length is wrong.
pub async fn moment(seed: &mut Seed, limit: Duration) {
    let micros = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX).max(1);
    let length = Duration::from_micros(seed.below(micros));
    interval_at(Instant::now() + length, Duration::from_secs(1)).tick().await;
}
