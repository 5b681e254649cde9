//! Whether a receipt is good at a moment.
//!
//! Knows no file and no clock: a receipt, what came after it, and the moment are given.

use gate_core::{Decision, Timestamp};

use crate::kinds::Decided;

/// What later lines say of a receipt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct After {
    /// Its hold was ended.
    pub released: Option<Timestamp>,
    /// It was taken back or revoked.
    pub withdrawn: Option<Timestamp>,
}

/// Where a receipt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Not good yet: it may still be taken back.
    Held {
        /// When the hold ends, if nothing ends it before.
        until: Timestamp,
    },
    /// Good.
    Good,
    /// It never was good: it was taken back while it was held.
    TakenBack {
        /// When.
        at: Timestamp,
    },
    /// It was good, and isn't any more.
    Revoked {
        /// When.
        at: Timestamp,
    },
    /// Its time is over.
    Expired {
        /// Since when.
        since: Timestamp,
    },
}

impl Decided {
    /// Where it stands at the moment `now`. `landed` says that the protected branch has what it is about: then it
    /// doesn't expire.
    #[must_use]
    pub fn standing(&self, after: &After, now: Timestamp, landed: bool) -> Standing {
        if let Some(at) = after.withdrawn {
            let held = after.released.is_none() && at < self.from;
            return if held { Standing::TakenBack { at } } else { Standing::Revoked { at } };
        }
        if after.released.is_none() && now < self.from {
            return Standing::Held { until: self.from };
        }
        match self.expires {
            Some(since) if since <= now && !landed => Standing::Expired { since },
            _ => Standing::Good,
        }
    }

    /// Whether it lets something happen at the moment `now`: an approval that is good.
    #[must_use]
    pub fn approves(&self, after: &After, now: Timestamp, landed: bool) -> bool {
        self.decision == Some(Decision::Approved) && self.standing(after, now, landed) == Standing::Good
    }

    /// How many milliseconds of its hold are left for a gate that starts at the moment `now`: never more than it was
    /// held for in the first place, wherever the clock was set. `at` is its line's time.
    ///
    /// Where the clock was set back, whoever waited for that long writes `released`.
    #[must_use]
    pub fn hold_left(&self, at: Timestamp, now: Timestamp) -> u64 {
        let whole = self.from.0.saturating_sub(at.0).max(0);
        let left = self.from.0.saturating_sub(now.0).clamp(0, whole);
        u64::try_from(left).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use gate_core::{AnsweredFrom, Digest, RequestId};
    use uuid::Uuid;

    use super::*;
    use crate::kinds::{Content, Level};

    /// Given at 1,000, held until 6,000, good until 100,000.
    fn receipt() -> Decided {
        let digest = Digest::of_bytes(b"");
        Decided {
            from: Timestamp(6_000),
            expires: Some(Timestamp(100_000)),
            request: RequestId(Uuid::from_u128(1)),
            decision: Some(Decision::Approved),
            reply: digest,
            about: digest,
            level: Level::L1,
            given: AnsweredFrom::Desktop,
            content: Content { ask: Some(digest), ..Content::default() },
        }
    }

    fn after(released: Option<i64>, withdrawn: Option<i64>) -> After {
        After { released: released.map(Timestamp), withdrawn: withdrawn.map(Timestamp) }
    }

    #[test]
    fn a_receipt_is_good_from_the_end_of_its_hold_to_its_own_end() {
        let at = |now| receipt().standing(&After::default(), Timestamp(now), false);
        let held = Standing::Held { until: Timestamp(6_000) };
        assert_eq!((at(1_000), at(5_999)), (held, held));
        assert_eq!(at(-5), held, "nor on a clock that was set back");
        assert_eq!((at(6_000), at(99_999)), (Standing::Good, Standing::Good));
        assert_eq!(at(100_000), Standing::Expired { since: Timestamp(100_000) });
        assert_eq!(receipt().standing(&After::default(), Timestamp(100_000), true), Standing::Good, "it has landed");
    }

    #[test]
    fn released_ends_the_hold_whatever_the_clock_says() {
        for now in [0, 1_000, 2_000] {
            assert_eq!(receipt().standing(&after(Some(2_000), None), Timestamp(now), false), Standing::Good);
        }
    }

    #[test]
    fn withdrawn_is_the_last_word() {
        let at = |released, withdrawn| receipt().standing(&after(released, withdrawn), Timestamp(50_000), true);
        assert_eq!(at(None, Some(3_000)), Standing::TakenBack { at: Timestamp(3_000) }, "within the hold");
        assert_eq!(at(None, Some(7_000)), Standing::Revoked { at: Timestamp(7_000) }, "after it");
        assert_eq!(at(Some(2_000), Some(3_000)), Standing::Revoked { at: Timestamp(3_000) }, "after it was ended");
    }

    #[test]
    fn only_an_approval_that_is_good_approves() {
        let now = Timestamp(50_000);
        assert!(receipt().approves(&After::default(), now, false));
        for decision in [None, Some(Decision::ChangesRequested)] {
            assert!(!Decided { decision, ..receipt() }.approves(&After::default(), now, false), "{decision:?}");
        }
        assert!(!receipt().approves(&after(None, Some(3_000)), now, false));
        assert!(!receipt().approves(&After::default(), Timestamp(5_999), false));
    }

    #[test]
    fn no_clock_lengthens_a_hold() {
        let left = |now| receipt().hold_left(Timestamp(1_000), Timestamp(now));
        assert_eq!((left(1_000), left(4_000), left(6_000), left(9_000)), (5_000, 2_000, 0, 0));
        assert_eq!(left(-1_000_000), 5_000, "the clock was set back: at most the whole hold again");
    }
}
