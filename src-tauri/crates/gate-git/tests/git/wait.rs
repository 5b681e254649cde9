//! Time that passes in these tests: looking at intervals where nothing says when, and a writer that isn't always at it.

use std::time::Duration;

/// Looks until the condition gives something. The test's own cap ends it where it never does.
pub(crate) async fn until<T>(mut condition: impl FnMut() -> Option<T>) -> T {
    loop {
        if let Some(found) = condition() {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The time in which a writer leaves its files alone, long enough for a look at both.
pub(crate) fn between_writes() {
    std::thread::park_timeout(Duration::from_millis(150));
}
