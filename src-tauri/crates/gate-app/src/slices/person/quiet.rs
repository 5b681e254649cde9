//! For how long do-not-disturb is switched on without choosing a moment.

use gate_core::Timestamp;

const HOUR_MILLIS: i64 = 60 * 60 * 1000;
const DAY_MILLIS: i64 = 24 * HOUR_MILLIS;
/// When a morning is, in local hours of the day; the windows' `MORNING` in `ui/src/state/snooze.ts`.
const MORNING: i64 = 8;

/// For how long nobody is to be disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuietFor {
    /// For an hour from now.
    Hour,
    /// Until the next morning.
    Morning,
    /// Until it is switched off.
    Open,
    /// Not at all: it is switched off.
    Off,
}

impl QuietFor {
    /// Until when that is, said at this moment by somebody whose local time is so many seconds ahead of UTC.
    pub(crate) fn until(self, now: Timestamp, offset_seconds: i32) -> Option<Timestamp> {
        match self {
            Self::Hour => Some(Timestamp(now.0.saturating_add(HOUR_MILLIS))),
            Self::Morning => {
                let local = now.0.saturating_add(i64::from(offset_seconds) * 1000);
                let left = (MORNING * HOUR_MILLIS - local.rem_euclid(DAY_MILLIS)).rem_euclid(DAY_MILLIS);
                Some(Timestamp(now.0.saturating_add(if left == 0 { DAY_MILLIS } else { left })))
            }
            Self::Open | Self::Off => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21, midnight in UTC.
    const MIDNIGHT: i64 = 1_795_219_200_000;

    fn at(hours: i64) -> Timestamp {
        Timestamp(MIDNIGHT + hours * HOUR_MILLIS)
    }

    #[test]
    fn a_morning_is_the_next_one_where_the_person_is() {
        let morning = |now, offset_hours| QuietFor::Morning.until(now, offset_hours * 3600);
        assert_eq!(morning(at(20), 0), Some(at(32)));
        assert_eq!(morning(at(2), 0), Some(at(8)), "in the night it is today's");
        assert_eq!(morning(at(8), 0), Some(at(32)), "at eight it is tomorrow's");
        assert_eq!(morning(at(20), 8), Some(at(24)), "in Shanghai it is four there");
        assert_eq!(morning(at(2), -5), Some(at(13)), "in New York it is nine in the evening");
    }

    #[test]
    fn an_hour_ends_and_the_others_have_no_end() {
        assert_eq!(QuietFor::Hour.until(at(3), 0), Some(at(4)));
        assert_eq!((QuietFor::Open.until(at(3), 0), QuietFor::Off.until(at(3), 0)), (None, None));
    }
}
