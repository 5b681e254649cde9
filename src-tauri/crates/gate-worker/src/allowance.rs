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
        self.turn(day);
        if self.now >= allowed.at_once.clamp(1, AT_ONCE) {
            return Err(Full::AtOnce);
        }
        if self.runs >= allowed.a_day {
            return Err(Full::Today);
        }
        if allowed.money_a_day.is_some_and(|money| self.money >= money) {
            return Err(Full::Money);
        }
        self.now += 1;
        self.runs += 1;
        Ok(())
    }

    /// Counts the end of one that was started, with what it cost.
    pub fn end(&mut self, day: i64, cost: Option<Money>) {
        self.turn(day);
        self.now = self.now.saturating_sub(1);
        self.money = self.money.plus(cost.unwrap_or_default());
    }

    /// What is left of the day's money; absent where it has no bound.
    #[must_use]
    pub fn left(&self, day: i64, allowed: &Allowance) -> Option<Money> {
        let spent = if self.day == day { self.money } else { Money::default() };
        allowed.money_a_day.map(|money| money.minus(spent))
    }

    fn turn(&mut self, day: i64) {
        if self.day != day {
            *self = Self { now: self.now, day, ..Self::default() };
        }
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
