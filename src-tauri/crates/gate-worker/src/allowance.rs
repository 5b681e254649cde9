//! How many runs there may be at once and a day, and what they may cost. Pure counters: the day is passed in, as a number
//! that is another one each day, and whoever stores them does so elsewhere.

use crate::reading::Money;

/// The most that can be allowed at once.
const AT_ONCE: u32 = 10;

/// What is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Runs at once, from 1 to 10; what lies outside counts as the nearest of these.
    pub at_once: u32,
    /// Runs a day.
    pub a_day: u32,
    /// What they may cost a day, where programs tell; without a bound where it is absent.
    pub money_a_day: Option<Money>,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { at_once: 2, a_day: 100, money_a_day: None }
    }
}

/// Why there may be no further run now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// As many as may be run at once.
    AtOnce,
    /// As many as may be on one day were started.
    Today,
    /// The day's money is spent.
    Money,
}

/// What was used of an allowance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Those that run.
    pub now: u32,
    /// The day that the next two are of.
    pub day: i64,
    /// Runs that were started on it.
    pub runs: u32,
    /// What those of them that told have cost.
    pub money: Money,
}

impl Used {
    /// Counts a run that starts, where there may be one.
    ///
    /// # Errors
    /// [`Full`]; nothing is counted then.
    pub fn start(&mut self, day: i64, allowed: &Allowance) -> Result<(), Full> {
        if let Some(full) = self.full(day, allowed) {
            return Err(full);
        }
        if self.day != day {
            *self = Self { now: self.now, day, ..Self::default() };
        }
        self.now += 1;
        self.runs += 1;
        Ok(())
    }

    /// Why there may be no further run now; absent where there may.
    #[must_use]
    pub fn full(&self, day: i64, allowed: &Allowance) -> Option<Full> {
        if self.now >= allowed.at_once.clamp(1, AT_ONCE) {
            return Some(Full::AtOnce);
        }
        let (runs, money) = if self.day == day { (self.runs, self.money) } else { (0, Money::default()) };
        if runs >= allowed.a_day {
            return Some(Full::Today);
        }
        allowed.money_a_day.is_some_and(|most| money >= most).then_some(Full::Money)
    }

    /// Counts the end of one that was started on this day, with what it cost. What began the day before is that day's: it
    /// takes nothing of the one that it ends on.
    pub fn end(&mut self, day: i64, cost: Option<Money>) {
        self.now = self.now.saturating_sub(1);
        if self.day == day {
            self.money = self.money.plus(cost.unwrap_or_default());
        }
    }

    /// One that was counted as started on this day wasn't after all.
    pub fn withdraw(&mut self, day: i64) {
        self.now = self.now.saturating_sub(1);
        if self.day == day {
            self.runs = self.runs.saturating_sub(1);
        }
    }

    /// What is left of the day's money; absent where it has no bound.
    #[must_use]
    pub fn left(&self, day: i64, allowed: &Allowance) -> Option<Money> {
        let spent = if self.day == day { self.money } else { Money::default() };
        allowed.money_a_day.map(|money| money.minus(spent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_at_once_and_a_day() {
        let allowed = Allowance { at_once: 2, a_day: 3, money_a_day: None };
        let mut used = Used::default();
        assert_eq!((used.start(7, &allowed), used.start(7, &allowed)), (Ok(()), Ok(())));
        assert_eq!(used.start(7, &allowed), Err(Full::AtOnce));
        used.end(7, None);
        assert_eq!(used.start(7, &allowed), Ok(()), "one has ended");
        used.end(7, None);
        assert_eq!(used.start(7, &allowed), Err(Full::Today));
        assert_eq!(used.start(8, &allowed), Ok(()), "the next day is another one");
        assert_eq!((used.now, used.runs), (2, 1), "what was started the day before still runs");
        let none = Allowance { at_once: 0, ..allowed };
        assert_eq!(Used::default().start(8, &none), Ok(()), "fewer than one at once would be none at all");
    }

    #[test]
    fn what_ends_after_midnight_takes_nothing_of_the_new_day_and_gives_nothing_back() {
        let allowed = Allowance { at_once: 5, a_day: 2, money_a_day: None };
        let mut used = Used::default();
        assert_eq!((used.start(7, &allowed), used.start(7, &allowed)), (Ok(()), Ok(())));
        assert_eq!((used.start(8, &allowed), used.start(8, &allowed)), (Ok(()), Ok(())), "the next day is another one");
        used.end(7, Some(Money::of_dollars(1.0)));
        assert_eq!(used.start(8, &allowed), Err(Full::Today), "the new day's two were started, whatever ends on it");
        used.withdraw(7);
        assert_eq!(used.start(8, &allowed), Err(Full::Today), "nor does it get one back of the day before");
        assert_eq!((used.now, used.money), (2, Money::default()), "two run, which have cost nothing yet");
    }

    #[test]
    fn what_was_not_started_after_all_is_not_counted() {
        let allowed = Allowance { at_once: 1, a_day: 1, money_a_day: None };
        let mut used = Used::default();
        for _ in 0..3 {
            assert_eq!(used.start(7, &allowed), Ok(()));
            used.withdraw(7);
        }
        assert_eq!((used.start(7, &allowed), used.full(7, &allowed)), (Ok(()), Some(Full::AtOnce)));
        used.end(7, None);
        assert_eq!(used.start(7, &allowed), Err(Full::Today));
    }

    #[test]
    fn money_that_is_told_ends_the_day() {
        let allowed = Allowance { money_a_day: Some(Money::of_dollars(1.0)), ..Allowance::default() };
        let mut used = Used::default();
        assert_eq!(used.start(7, &allowed), Ok(()));
        used.end(7, Some(Money::of_dollars(0.75)));
        assert_eq!(used.left(7, &allowed), Some(Money::of_dollars(0.25)));
        assert_eq!(used.start(7, &allowed), Ok(()), "a quarter is left");
        used.end(7, Some(Money::of_dollars(0.5)));
        assert_eq!(used.start(7, &allowed), Err(Full::Money));
        assert_eq!(used.left(7, &allowed), Some(Money::default()), "never less than nothing");
        assert_eq!((used.left(8, &allowed), used.start(8, &allowed)), (Some(Money::of_dollars(1.0)), Ok(())));
    }
}
