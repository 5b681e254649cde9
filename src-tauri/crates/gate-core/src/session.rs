//! A session: one agent's conversation with the gate, and when it counts as alive.
//!
//! Pure: every rule gets the present moment passed in.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

/// Where a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// Its agent works, or may come back at any moment.
    Active,
    /// The agent said that its work is done, its question was one of the command line's and is over, or the person closed it.
    Completed,
    /// Nothing was heard of it for a while, and nothing kept it open.
    Timeout,
    /// Its connection's heartbeat stopped.
    Stale,
}

impl SessionStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Active, Self::Completed, Self::Timeout, Self::Stale];

    /// The status as it stands on the wire and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Completed => "completed",
            Self::Timeout => "timeout",
            Self::Stale => "stale",
        }
    }

    /// Reads what [`Self::as_str`] wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// After how many milliseconds a session's status changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionTimes {
    /// Without activity, until it is `timeout`.
    pub timeout_millis: i64,
    /// Without a heartbeat of its connection, until it is `stale`.
    pub stale_millis: i64,
    /// After it ended, until only the record knows of it.
    pub forget_millis: i64,
}

impl Default for SessionTimes {
    fn default() -> Self {
        Self { timeout_millis: 5 * 60 * 1000, stale_millis: 30 * 1000, forget_millis: 60 * 60 * 1000 }
    }
}

/// What is known of a session's life. A pending request and a relay whose heart beats keep it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    status: SessionStatus,
    /// When its agent last spoke, or was answered.
    spoke_at: Timestamp,
    /// When its relay was last heard; absent for sessions without a relay.
    beat_at: Option<Timestamp>,
    /// When it was no longer active.
    ended_at: Option<Timestamp>,
}

impl Life {
    /// A session that speaks for the first time, or the first time since a restart of the gate.
    #[must_use]
    pub fn new(now: Timestamp, has_relay: bool) -> Self {
        Self { status: SessionStatus::Active, spoke_at: now, beat_at: has_relay.then_some(now), ended_at: None }
    }

    /// Where it stands.
    #[must_use]
    pub fn status(&self) -> SessionStatus {
        self.status
    }

    /// When its agent last spoke, or was answered.
    #[must_use]
    pub fn spoke_at(&self) -> Timestamp {
        self.spoke_at
    }

    /// Its agent spoke: whatever it was before, it is active now.
    pub fn speak(&mut self, now: Timestamp, has_relay: bool) {
        *self = Self::new(now.max(self.spoke_at), has_relay);
    }

    /// Something happened to it that was not the agent's doing: it was answered.
    pub fn touch(&mut self, now: Timestamp) {
        self.spoke_at = self.spoke_at.max(now);
    }

    /// Its relay lives. A session that was given up for lost (a machine that slept) is active again;
    /// one that was completed stays so.
    pub fn beat(&mut self, now: Timestamp) {
        self.beat_at = Some(now);
        if self.status == SessionStatus::Stale {
            (self.status, self.ended_at) = (SessionStatus::Active, None);
        }
    }

    /// The agent or the person says that its work is done.
    pub fn complete(&mut self, now: Timestamp) {
        (self.status, self.ended_at) = (SessionStatus::Completed, Some(now));
    }

    /// What time alone has made of it; `pending` says whether a person still has to answer it.
    /// Returns whether its status changed.
    pub fn pass(&mut self, now: Timestamp, pending: bool, times: &SessionTimes) -> bool {
        if self.status != SessionStatus::Active {
            return false;
        }
        let status = match self.beat_at {
            Some(beat) if now.0 - beat.0 > times.stale_millis => SessionStatus::Stale,
            None if !pending && now.0 - self.spoke_at.0 > times.timeout_millis => SessionStatus::Timeout,
            _ => return false,
        };
        (self.status, self.ended_at) = (status, Some(now));
        true
    }

    /// Whether its agent is gone, as far as can be told: it isn't active, or it has no relay and was silent for as long
    /// as nothing but a question would keep it open.
    #[must_use]
    pub fn is_gone(&self, now: Timestamp, times: &SessionTimes) -> bool {
        let silent = self.beat_at.is_none() && now.0 - self.spoke_at.0 > times.timeout_millis;
        silent || self.status != SessionStatus::Active
    }

    /// Whether it ended so long ago that nothing of it need be kept in memory.
    #[must_use]
    pub fn is_over(&self, now: Timestamp, times: &SessionTimes) -> bool {
        self.ended_at.is_some_and(|ended| now.0 - ended.0 > times.forget_millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: SessionTimes =
        SessionTimes { timeout_millis: 300_000, stale_millis: 30_000, forget_millis: 3_600_000 };

    fn at(seconds: i64) -> Timestamp {
        Timestamp(seconds * 1000)
    }

    #[test]
    fn the_contracts_times_are_the_defaults() {
        assert_eq!(SessionTimes::default(), TIMES);
    }

    #[test]
    fn a_session_without_a_relay_times_out_five_minutes_after_it_last_spoke() {
        let mut life = Life::new(at(0), false);
        assert!(!life.pass(at(300), false, &TIMES), "five minutes are still allowed");
        life.speak(at(300), false);
        assert!(!life.pass(at(600), false, &TIMES), "speaking begins the five minutes anew");
        assert!(life.pass(at(601), false, &TIMES), "then it is over");
        assert_eq!(life.status(), SessionStatus::Timeout);
        assert!(!life.pass(at(700), false, &TIMES), "and that is told once");
        life.speak(at(800), false);
        assert_eq!(life.status(), SessionStatus::Active, "a session that speaks again is active again");
    }

    #[test]
    fn a_pending_request_keeps_a_session_open_and_its_answer_begins_the_time_anew() {
        let mut life = Life::new(at(0), false);
        assert!(!life.is_gone(at(300), &TIMES), "its agent may come back");
        assert!(life.is_gone(at(301), &TIMES), "that doesn't say that its agent is still there");
        assert!(!life.pass(at(100_000), true, &TIMES), "a person may take a day to answer");
        life.touch(at(100_000));
        assert!(!life.pass(at(100_300), false, &TIMES), "the agent may take five minutes to fetch the reply");
        assert!(life.pass(at(100_301), false, &TIMES));
    }

    #[test]
    fn a_relay_keeps_a_session_open_until_its_heart_stops_for_half_a_minute() {
        let mut life = Life::new(at(0), true);
        for beat in 1..1000 {
            life.beat(at(beat * 10));
            assert!(!life.pass(at(beat * 10 + 9), false, &TIMES), "a beating heart is activity");
        }
        assert!(!life.is_gone(at(9990 + 9), &TIMES), "and its agent is there, however long it says nothing");
        assert!(!life.pass(at(9990 + 30), true, &TIMES), "three beats may be missed");
        assert!(life.pass(at(9990 + 31), true, &TIMES), "a pending request doesn't bring its agent back");
        assert_eq!(life.status(), SessionStatus::Stale);
        assert!(life.is_gone(at(9990 + 31), &TIMES));
        life.beat(at(10_100));
        assert_eq!(life.status(), SessionStatus::Active, "the machine had only slept");
        assert!(!life.is_gone(at(10_100), &TIMES));
    }

    #[test]
    fn a_completed_session_stays_so_until_it_speaks() {
        let mut life = Life::new(at(0), true);
        life.complete(at(5));
        life.beat(at(10));
        assert!(!life.pass(at(1000), false, &TIMES));
        assert_eq!(life.status(), SessionStatus::Completed, "a heartbeat is no word");
        assert!(!life.is_over(at(3605), &TIMES), "an hour later it is still shown");
        assert!(life.is_over(at(3606), &TIMES), "then only the record knows of it");
        life.speak(at(4000), true);
        assert_eq!(life.status(), SessionStatus::Active);
        assert!(!life.is_over(at(9999), &TIMES), "what is active is never forgotten");
    }
}
