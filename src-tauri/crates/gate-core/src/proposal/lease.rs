//! For how long a claim holds without an act of its holder.

use crate::timestamp::Timestamp;

/// For how many milliseconds a claim holds from its holder's last act on.
pub const LEASE_MILLIS: u64 = 20 * 60 * 1000;
/// For how many it holds at most where the holder is seen to live: a relay that beats, a call that waits, a run.
pub const ALIVE_MILLIS: u64 = 60 * 60 * 1000;
/// For how many the holder's connection may be gone.
pub const GONE_MILLIS: u64 = 60 * 1000;
/// What is left at least of a claim when the gate starts, or the machine comes back.
pub const LEFT_MILLIS: u64 = 2 * 60 * 1000;
/// For how many milliseconds a rejected round's successor is kept for whoever rejected it.
pub const RESERVED_MILLIS: u64 = 10 * 60 * 1000;
/// After how many milliseconds that nobody claims a round the person is asked.
pub const UNREVIEWED_MILLIS: u64 = 10 * 60 * 1000;
/// After how many quiet milliseconds a review is over.
pub const QUIET_MILLIS: u64 = 30 * 24 * 60 * 60 * 1000;

/// Until when a claim holds whose holder did something last at `acted_at`.
#[must_use]
pub fn until(acted_at: Timestamp, is_alive: bool) -> Timestamp {
    acted_at.plus_millis(if is_alive { ALIVE_MILLIS } else { LEASE_MILLIS })
}

/// The holder's last act, moved by the time in which the gate or the machine was off; at least [`LEFT_MILLIS`] are left.
#[must_use]
pub fn moved(acted_at: Timestamp, off_millis: u64, now: Timestamp) -> Timestamp {
    let least = Timestamp(now.plus_millis(LEFT_MILLIS).0.saturating_sub(i64::try_from(LEASE_MILLIS).unwrap_or(0)));
    acted_at.plus_millis(off_millis).max(least).min(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_the_machine_was_off_does_not_count_and_two_minutes_are_left() {
        let minute = 60 * 1000;
        let at = |minutes: i64| Timestamp(minutes * minute);
        assert_eq!(moved(at(0), 600 * 60 * 1000, at(605)), at(600), "five minutes were used of twenty");
        assert_eq!(until(moved(at(0), 0, at(30)), false), at(32), "what was over has two minutes left");
        assert_eq!(moved(at(5), 60 * 60 * 1000, at(10)), at(10), "no act lies in the future");
    }
}
