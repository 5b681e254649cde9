//! The only place that reads the system's clock.

use std::time::{SystemTime, UNIX_EPOCH};

use gate_core::Timestamp;

/// Now, in milliseconds since the Unix epoch.
pub(crate) fn now() -> Timestamp {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
}
