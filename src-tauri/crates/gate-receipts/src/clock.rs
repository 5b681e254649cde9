//! Two clocks, and when the one was set.
//!
//! Knows no system: whoever calls reads the clocks.

use std::time::Duration;

use gate_core::Timestamp;

/// By how many milliseconds the clocks may go apart between two lines without one having been set: a clock that is
/// brought right slowly does so by less.
pub const SLACK_MILLIS: i64 = 2000;

/// What the clocks say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// The time of day, which may be set.
    pub at: Timestamp,
    /// A clock that nobody can set and that goes on while the machine sleeps, since whenever; absent where there is none.
    pub steady: Option<Duration>,
}

impl Reading {
    /// By how many milliseconds the time of day was set since `before`, forward where it is positive.
    ///
    /// Without a steady clock on both sides only one that was set back is noticed.
    #[must_use]
    pub fn step_since(self, before: Self) -> Option<i64> {
        let passed = self.at.0.saturating_sub(before.at.0);
        let steady = self.steady.zip(before.steady).and_then(|(now, then)| now.checked_sub(then));
        let step = match steady {
            Some(steady) => passed.saturating_sub(i64::try_from(steady.as_millis()).unwrap_or(i64::MAX)),
            None => passed.min(0),
        };
        (step.saturating_abs() > SLACK_MILLIS).then_some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(at: i64, steady: Option<u64>) -> Reading {
        Reading { at: Timestamp(at), steady: steady.map(Duration::from_millis) }
    }

    #[test]
    fn a_clock_that_was_set_is_told_from_one_that_went_on() {
        let cases = [
            ((10_000, Some(0)), (70_000, Some(60_000)), None, "a minute later"),
            ((10_000, Some(0)), (71_900, Some(60_000)), None, "brought right slowly"),
            ((10_000, Some(0)), (3_670_000, Some(60_000)), Some(3_600_000), "an hour forward"),
            ((3_670_000, Some(0)), (70_000, Some(0)), Some(-3_600_000), "an hour back"),
            ((10_000, None), (3_670_000, None), None, "forward, or an hour later: nobody knows"),
            ((3_670_000, None), (70_000, Some(5)), Some(-3_600_000), "back, after a restart"),
            ((10_000, None), (9_000, None), None, "back by less than the slack"),
            ((10_000, Some(50)), (20_000, Some(0)), None, "another steady clock says nothing"),
        ];
        for ((at, steady), (then, steady_then), step, why) in cases {
            assert_eq!(reading(then, steady_then).step_since(reading(at, steady)), step, "{why}");
        }
    }
}
