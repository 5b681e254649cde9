//! Waiting for what no message announces.

use std::time::Duration;

use anyhow::{Result, bail};

/// How long anything may take before a test gives up. Generous: eight tests may share two slow processors, and waiting
/// for longer makes nothing hold that didn't.
pub const LIMIT: Duration = Duration::from_secs(150);

const FIRST_LOOK: Duration = Duration::from_millis(5);
const LAST_LOOK: Duration = Duration::from_millis(100);

/// Asks `look` again and again, with growing pauses, until it gives something.
///
/// # Errors
/// When it hasn't within `limit`; `what` says what was waited for.
pub async fn eventually<T, F, L>(what: &str, limit: Duration, mut look: L) -> Result<T>
where
    F: Future<Output = Result<Option<T>>>,
    L: FnMut() -> F,
{
    let begin = tokio::time::Instant::now();
    let mut pause = FIRST_LOOK;
    loop {
        if let Some(found) = look().await? {
            return Ok(found);
        }
        if begin.elapsed() >= limit {
            bail!("waited {limit:?} in vain: {what}");
        }
        // Nothing says when: the only place of the tests that looks at intervals.
        tokio::time::interval_at(tokio::time::Instant::now() + pause, LAST_LOOK).tick().await;
        pause = (pause * 2).min(LAST_LOOK);
    }
}
