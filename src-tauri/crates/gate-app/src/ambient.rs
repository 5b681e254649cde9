//! What the gate takes from the machine it runs on without asking for it: time, the local hour, new identifiers.
//! The only place that reads the system's clock; everything else is passed it, or asks the [`Bus`](crate::bus::Bus).

use std::fmt::Debug;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::TimeZone as _;
use gate_core::Timestamp;
use uuid::Uuid;

/// Where time and identifiers come from.
pub(crate) trait Ambient: Debug + Send + Sync {
    /// Now, in milliseconds since the Unix epoch.
    fn now(&self) -> Timestamp;

    /// What a clock says that nobody can set and that goes on while the machine sleeps, since whenever; absent where
    /// there is none.
    fn steady(&self) -> Option<Duration> {
        steady()
    }

    /// How many seconds local time is ahead of UTC at a moment.
    fn local_offset(&self, at: Timestamp) -> i32;

    /// An identifier that nobody else has; those that come later sort behind it.
    fn new_id(&self) -> Uuid;
}

/// The system's own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct System;

impl Ambient for System {
    fn now(&self) -> Timestamp {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
    }

    fn local_offset(&self, at: Timestamp) -> i32 {
        local_offset(at)
    }

    fn new_id(&self) -> Uuid {
        Uuid::now_v7()
    }
}

#[cfg(target_os = "linux")]
fn steady() -> Option<Duration> {
    let passed = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Some(Duration::new(u64::try_from(passed.tv_sec).ok()?, u32::try_from(passed.tv_nsec).ok()?))
}

#[cfg(not(target_os = "linux"))]
fn steady() -> Option<Duration> {
    None
}

/// How many seconds the local time of this process is ahead of UTC at a moment; 0 for one that no calendar has, and where
/// the system tells no time zone.
#[must_use]
pub fn local_offset(at: Timestamp) -> i32 {
    let Some(moment) = chrono::DateTime::from_timestamp_millis(at.0) else { return 0 };
    // Without a time zone, as Windows may be, the look from a moment to the clock panics, and the other way is refused. So it
    // is in the hour that spring leaves out, too, but not three hours later.
    let is_told = |hours| {
        let shown = moment.naive_utc().checked_add_signed(chrono::TimeDelta::hours(hours));
        shown.is_some_and(|shown| chrono::Local.offset_from_local_datetime(&shown).earliest().is_some())
    };
    if !is_told(0) && !is_told(3) {
        return 0;
    }
    moment.with_timezone(&chrono::Local).offset().local_minus_utc()
}
