//! The only place that reads the system's clock.

use std::time::{SystemTime, UNIX_EPOCH};

use gate_core::Timestamp;

/// Now, in milliseconds since the Unix epoch.
pub(crate) fn now() -> Timestamp {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
}

/// How many seconds local time is ahead of UTC at a moment; 0 for a moment that no calendar has.
pub(crate) fn local_offset(at: Timestamp) -> i32 {
    chrono::DateTime::from_timestamp_millis(at.0)
        .map_or(0, |moment| moment.with_timezone(&chrono::Local).offset().local_minus_utc())
}
