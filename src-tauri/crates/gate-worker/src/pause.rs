//! When a program that fails again and again is left alone for a while. Pure: the time is passed in.

use std::collections::VecDeque;

use gate_core::Timestamp;

/// How many failures bring a pause.
const FAILURES: usize = 3;
/// Within which time, and for how long, in milliseconds.
const WINDOW_MS: i64 = 10 * 60 * 1000;
const PAUSE_MS: i64 = 10 * 60 * 1000;

/// The failures of one program: three within ten minutes pause it for ten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pause {
    failures: VecDeque<Timestamp>,
    until: Option<Timestamp>,
}

impl Pause {
    /// A run of it failed now.
    pub fn failed(&mut self, now: Timestamp) {
        // Those that lie ahead are of a clock that was set back.
        self.failures.retain(|then| (0..WINDOW_MS).contains(&now.0.saturating_sub(then.0)));
        self.failures.push_back(now);
        if self.failures.len() >= FAILURES {
            self.failures.clear();
            self.until = Some(Timestamp(now.0.saturating_add(PAUSE_MS)));
        }
    }

    /// Until when it is left alone; absent where it may be started.
    #[must_use]
    pub fn until(&self, now: Timestamp) -> Option<Timestamp> {
        // A pause that is longer than any is of a clock that was set back.
        self.until.filter(|until| (1..=PAUSE_MS).contains(&until.0.saturating_sub(now.0)))
    }

    /// The person says that it is to be tried again.
    pub fn end(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minute(minutes: i64) -> Timestamp {
        Timestamp(1_795_000_000_000 + minutes * 60_000)
    }

    #[test]
    fn three_failures_in_ten_minutes_pause_for_ten() {
        let mut pause = Pause::default();
        pause.failed(minute(0));
        pause.failed(minute(9));
        assert_eq!(pause.until(minute(9)), None, "two are no reason");
        pause.failed(minute(11));
        assert_eq!(pause.until(minute(11)), None, "the first was more than ten minutes ago");
        pause.failed(minute(12));
        assert_eq!(pause.until(minute(12)), Some(minute(22)));
        assert_eq!(pause.until(minute(21)), Some(minute(22)));
        assert_eq!(pause.until(minute(22)), None, "it is tried again");
        pause.failed(minute(23));
        assert_eq!(pause.until(minute(23)), None, "those before the pause count no more");
    }

    #[test]
    fn a_clock_that_is_set_back_pauses_nothing_for_good() {
        let mut pause = Pause::default();
        [100, 101, 102].into_iter().for_each(|at| pause.failed(minute(at)));
        assert_eq!(pause.until(minute(0)), None, "else it would stand for hours");
        pause.failed(minute(0));
        assert_eq!(pause.failures.len(), 1, "what lies ahead isn't of the last ten minutes");
    }
}
