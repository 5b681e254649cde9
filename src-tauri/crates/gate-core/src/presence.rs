//! Whether the person is there, and whether windows may disturb them.
//!
//! Pure: every rule gets the present moment, and how far local time is from UTC, passed in.

use serde::{Deserialize, Serialize};

use crate::bounds;
use crate::fault::{Code, Fault};
use crate::timestamp::Timestamp;

/// Milliseconds of a minute and of a day.
const MINUTE_MILLIS: i64 = 60 * 1000;
const DAY_MILLIS: i64 = 24 * 60 * MINUTE_MILLIS;
/// Minutes of a day.
const DAY_MINUTES: u16 = 24 * 60;

/// How the person is there, as front ends show it and follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Presence {
    /// Whether the person is away: agents are told to end their turn and come back later.
    pub away: bool,
    /// Since when; absent while they are there.
    pub away_since: Option<Timestamp>,
    /// Whether nothing may be raised or sound now, but for urgent requests: do-not-disturb or the
    /// quiet hours hold.
    pub quiet: bool,
    /// Until when, as far as that is known; absent while it isn't quiet, and for do-not-disturb
    /// without an end.
    pub quiet_until: Option<Timestamp>,
    /// Whether do-not-disturb is on, whatever the hour.
    pub do_not_disturb: bool,
}

/// A request that is put off: it stands behind all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Snooze {
    /// Until when; absent for until it is taken up.
    pub until: Option<Timestamp>,
}

/// What is kept of a person's being away and of do-not-disturb, also over a restart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Absence {
    /// Since when the person is away; absent while they are there.
    pub away_since: Option<Timestamp>,
    /// Whether the gate has found that out by itself: then any act of the person's ends it.
    pub by_itself: bool,
    /// Whether do-not-disturb is on.
    pub do_not_disturb: bool,
    /// Until when that is; absent for without an end.
    pub until: Option<Timestamp>,
}

impl Absence {
    /// The person says that they are away, or there. Being away keeps its beginning.
    #[must_use]
    pub fn set_away(self, away: bool, now: Timestamp) -> Self {
        let away_since = away.then_some(self.away_since.unwrap_or(now));
        Self { away_since, by_itself: false, ..self }
    }

    /// Nobody has reacted to a number of pending rounds: the person is away.
    #[must_use]
    pub fn found_away(self, now: Timestamp) -> Self {
        match self.away_since {
            Some(_) => self,
            None => Self { away_since: Some(now), by_itself: true, ..self },
        }
    }

    /// The person has done something: they are there, unless they have said that they aren't.
    #[must_use]
    pub fn acted(self) -> Self {
        if self.by_itself { Self { away_since: None, by_itself: false, ..self } } else { self }
    }

    /// Do-not-disturb goes on or off.
    #[must_use]
    pub fn set_do_not_disturb(self, on: bool, until: Option<Timestamp>) -> Self {
        Self { do_not_disturb: on, until: until.filter(|_| on), ..self }
    }

    /// Time passes: do-not-disturb ends at its end.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Self {
        match self.until {
            Some(until) if until <= now => self.set_do_not_disturb(false, None),
            _ => self,
        }
    }

    /// How the person is there now. `offset_seconds` is what local time is ahead of UTC by.
    #[must_use]
    pub fn presence(self, hours: Option<QuietHours>, now: Timestamp, offset_seconds: i32) -> Presence {
        let kept = self.at(now);
        let hours_end = |moment| hours.and_then(|hours| hours.end(moment, offset_seconds));
        let (quiet, quiet_until) = match (kept.do_not_disturb, kept.until) {
            (true, None) => (true, None),
            // Where do-not-disturb ends within quiet hours, it stays quiet to their end.
            (true, Some(until)) => (true, Some(hours_end(until).unwrap_or(until))),
            (false, _) => (hours_end(now).is_some(), hours_end(now)),
        };
        Presence {
            away: kept.away_since.is_some(),
            away_since: kept.away_since,
            quiet,
            quiet_until,
            do_not_disturb: kept.do_not_disturb,
        }
    }
}

/// Hours of every day in which nothing may be raised or sound, in local time; over midnight where
/// they end before they begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct QuietHours {
    /// The first minute of the day that is quiet.
    from: u16,
    /// The first one that isn't any more.
    to: u16,
}

impl TryFrom<String> for QuietHours {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("{text:?} is no two times of a day as in 22:00-07:00"))
    }
}

impl QuietHours {
    /// Reads `HH:MM-HH:MM`, e.g. `22:00-07:00`. Absent for any other text, and for hours that end as
    /// they begin.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.trim().split_once('-')?;
        let hours = Self { from: minute_of_day(from.trim())?, to: minute_of_day(to.trim())? };
        (hours.from != hours.to).then_some(hours)
    }

    /// When the quiet hours end that hold at this moment; absent where none do.
    #[must_use]
    pub fn end(self, moment: Timestamp, offset_seconds: i32) -> Option<Timestamp> {
        let local = moment.0.saturating_add(i64::from(offset_seconds) * 1000);
        let into_day = local.rem_euclid(DAY_MILLIS);
        let (from, to) = (i64::from(self.from) * MINUTE_MILLIS, i64::from(self.to) * MINUTE_MILLIS);
        let left = match (from < to, into_day) {
            (true, at) if (from..to).contains(&at) => to - at,
            (false, at) if at >= from => DAY_MILLIS - at + to,
            (false, at) if at < to => to - at,
            _ => return None,
        };
        Some(Timestamp(moment.0.saturating_add(left)))
    }
}

/// `HH:MM` as a minute of the day; 24:00 is none.
fn minute_of_day(text: &str) -> Option<u16> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |text: &str| (text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok());
    let (hours, minutes): (u16, u16) = (number(hours)??, number(minutes)??);
    (minutes < 60).then_some(hours * 60 + minutes).filter(|minute| *minute < DAY_MINUTES)
}

/// Checks a moment until which something is put off.
///
/// # Errors
/// `invalid_input` for one that has passed, `too_large` for one later than [`bounds::PUT_OFF_DAYS`]
/// days from now.
pub fn checked_until(until: Option<Timestamp>, now: Timestamp) -> Result<(), Fault> {
    let Some(until) = until else { return Ok(()) };
    if until <= now {
        return Err(Fault::new(
            Code::InvalidInput,
            format!("`until` is {until}, which has passed."),
            "Choose a moment to come, or none.",
        ));
    }
    if until.0.saturating_sub(now.0) > bounds::PUT_OFF_DAYS * DAY_MILLIS {
        return Err(Fault::new(
            Code::TooLarge,
            format!("`until` is {until}; at most {} days from now are allowed.", bounds::PUT_OFF_DAYS),
            "Choose an earlier moment, or none.",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21, midnight in UTC.
    const MIDNIGHT: i64 = 1_795_219_200_000;
    const HOUR: i32 = 60 * 60;

    fn at(hours: i64, minutes: i64) -> Timestamp {
        Timestamp(MIDNIGHT + (hours * 60 + minutes) * MINUTE_MILLIS)
    }

    fn hours(text: &str) -> Option<QuietHours> {
        QuietHours::parse(text)
    }

    #[test]
    fn quiet_hours_are_two_times_of_a_day() {
        for text in ["", "22:00", "22:00-22:00", "24:00-07:00", "22:60-07:00", "9:00-17:00", "22:00-+7:00", "a-b"] {
            assert_eq!(hours(text), None, "{text:?} is none");
        }
        assert_eq!(hours(" 09:30 - 17:05 "), Some(QuietHours { from: 570, to: 1025 }));
    }

    #[test]
    fn quiet_hours_hold_from_their_first_minute_to_before_their_last_also_over_midnight() {
        let night = hours("22:00-07:00").map(|night| move |at| night.end(at, 0));
        let day = hours("09:00-17:00").map(|day| move |at| day.end(at, 0));
        let (Some(night), Some(day)) = (night, day) else { unreachable!("both are read") };
        for (moment, end) in [
            (at(21, 59), None),
            (at(22, 0), Some(at(31, 0))),
            (at(23, 59), Some(at(31, 0))),
            (at(0, 0), Some(at(7, 0))),
            (at(6, 59), Some(at(7, 0))),
            (at(7, 0), None),
        ] {
            assert_eq!(night(moment), end, "over midnight, at {moment}");
        }
        for (moment, end) in [(at(8, 59), None), (at(9, 0), Some(at(17, 0))), (at(17, 0), None)] {
            assert_eq!(day(moment), end, "within a day, at {moment}");
        }
    }

    #[test]
    fn quiet_hours_are_the_persons_own_not_those_of_greenwich() {
        let night = hours("22:00-07:00");
        let end = |moment, offset| night.and_then(|night| night.end(moment, offset));
        assert_eq!(end(at(14, 30), 8 * HOUR), Some(at(23, 0)), "half past ten in the evening in Shanghai");
        assert_eq!(end(at(2, 30), -5 * HOUR), None, "half past nine in the evening in New York");
        assert_eq!(end(at(3, 0), -5 * HOUR), Some(at(12, 0)), "ten in the evening there");
    }

    #[test]
    fn do_not_disturb_ends_at_its_end_unless_quiet_hours_hold_then() {
        let night = hours("22:00-07:00");
        let until = |moment| Absence::default().set_do_not_disturb(true, Some(moment));
        let presence = until(at(21, 0)).presence(night, at(20, 0), 0);
        assert_eq!((presence.quiet, presence.quiet_until), (true, Some(at(21, 0))));
        let presence = until(at(21, 0)).presence(night, at(21, 0), 0);
        assert_eq!((presence.quiet, presence.do_not_disturb), (false, false), "at its end it is over");
        let presence = until(at(23, 0)).presence(night, at(20, 0), 0);
        assert_eq!(presence.quiet_until, Some(at(31, 0)), "it goes over into the quiet hours");
        let presence = Absence::default().set_do_not_disturb(true, None).presence(night, at(23, 0), 0);
        assert_eq!((presence.quiet, presence.quiet_until), (true, None), "without an end it has none");
        let presence = Absence::default().presence(night, at(23, 0), 0);
        assert_eq!((presence.quiet, presence.quiet_until, presence.do_not_disturb), (true, Some(at(31, 0)), false));
    }

    #[test]
    fn what_the_gate_found_out_ends_with_any_act_and_what_the_person_said_does_not() {
        let found = Absence::default().found_away(at(9, 0));
        assert_eq!((found.away_since, found.acted().away_since), (Some(at(9, 0)), None));
        let said = Absence::default().set_away(true, at(9, 0));
        assert_eq!(said.acted(), said, "only the person's own word ends it");
        assert_eq!(said.found_away(at(10, 0)), said, "and it keeps its beginning");
        assert_eq!(said.set_away(true, at(10, 0)), said);
        let confirmed = found.set_away(true, at(10, 0));
        assert_eq!(
            (confirmed.by_itself, confirmed.away_since),
            (false, Some(at(9, 0))),
            "a word makes it the person's"
        );
        assert_eq!(said.set_away(false, at(11, 0)), Absence::default());
    }

    #[test]
    fn a_moment_to_put_off_to_lies_ahead_within_its_bound() {
        let now = at(9, 0);
        let last = Timestamp(now.0 + bounds::PUT_OFF_DAYS * DAY_MILLIS);
        let code = |until| checked_until(Some(until), now).err().map(|fault| fault.code);
        assert_eq!(checked_until(None, now), Ok(()));
        assert_eq!((code(now), code(Timestamp(now.0 + 1))), (Some(Code::InvalidInput), None));
        assert_eq!((code(last), code(Timestamp(last.0 + 1))), (None, Some(Code::TooLarge)));
    }
}
