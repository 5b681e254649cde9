//! Lines: what a page opens before it asks for anything, so that all it signs is good once. Each is a name that the gate
//! makes up, and on it each number is good once. They are in memory: what was signed before a restart is worth nothing
//! after it, whatever the clocks say. Knows neither keys nor HTTP.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gate_core::{Digest, Fault, bounds};

use crate::secrets::random;

/// Random bytes of a line's name: 128 bits.
const NAME_BYTES: usize = 16;
/// How far numbers may be behind the highest one: what a page sends at once may come in any order.
const BEHIND: u64 = 128;
/// Most lines altogether.
const LINES: usize = bounds::BROWSERS * bounds::BROWSER_LINES;

/// The lines of all browsers, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Lines(Mutex<VecDeque<Line>>);

#[derive(Debug)]
struct Line {
    browser: Digest,
    name: String,
    numbers: Numbers,
}

impl Lines {
    /// A new line of this browser; where it has many, its oldest is no more.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub(crate) fn open(&self, browser: Digest) -> Result<String, Fault> {
        let name = random::<NAME_BYTES>()?;
        let mut all = self.lock();
        if all.iter().filter(|line| line.browser == browser).count() >= bounds::BROWSER_LINES
            && let Some(at) = all.iter().position(|line| line.browser == browser)
        {
            all.remove(at);
        }
        if all.len() >= LINES {
            all.pop_front();
        }
        all.push_back(Line { browser, name: name.clone(), numbers: Numbers::default() });
        Ok(name)
    }

    /// Uses a number of this browser's line up. False where there is no such line, or it was used before.
    pub(crate) fn take(&self, browser: &Digest, name: &str, number: u64) -> bool {
        let mut all = self.lock();
        let line = all.iter_mut().find(|line| line.name == name && line.browser == *browser);
        line.is_some_and(|line| line.numbers.take(number))
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Line>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which numbers were used: the highest, and which of those just below it.
#[derive(Debug, Default)]
struct Numbers {
    highest: u64,
    /// The lowest bit is the highest number's.
    used: u128,
}

impl Numbers {
    fn take(&mut self, number: u64) -> bool {
        if number > self.highest {
            let step = u32::try_from(number - self.highest).unwrap_or(u32::MAX);
            self.used = self.used.checked_shl(step).unwrap_or(0) | 1;
            self.highest = number;
            return true;
        }
        let behind = self.highest - number;
        let bit = if behind < BEHIND { 1_u128 << behind } else { 0 };
        let is_new = number > 0 && bit != 0 && self.used & bit == 0;
        self.used |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn a_number_is_good_once_in_whatever_order_it_comes() -> Outcome {
        let (lines, browser) = (Lines::default(), Digest::of_bytes(b"one"));
        let name = lines.open(browser)?;
        let take = |number| lines.take(&browser, &name, number);
        assert!(take(1) && take(3) && take(2), "what is sent at once comes in any order");
        assert!(!take(1) && !take(2) && !take(3), "each once");
        assert!(take(100) && take(99) && take(4), "what was left out can still come");
        assert!(!take(4) && !take(0), "once, and there is no number 0");
        assert!(take(1_000) && !take(1_000 - BEHIND), "not from long ago");
        assert!(take(1_001 - BEHIND) && !take(1_001 - BEHIND), "the last that may be late");
        assert!(take(u64::MAX) && !take(u64::MAX) && !take(1_000), "none above, none again");
        Ok(())
    }

    #[test]
    fn a_line_is_its_browsers_and_the_oldest_makes_room() -> Outcome {
        let lines = Lines::default();
        let (one, other) = (Digest::of_bytes(b"one"), Digest::of_bytes(b"other"));
        let (first, of_other) = (lines.open(one)?, lines.open(other)?);
        assert!(!lines.take(&other, &first, 1) && !lines.take(&one, "", 1), "of another, of nobody");
        assert!(lines.take(&one, &first, 1) && lines.take(&other, &of_other, 1), "each its own");
        for _ in 0..bounds::BROWSER_LINES {
            lines.open(one)?;
        }
        assert!(!lines.take(&one, &first, 2), "the oldest made room");
        assert!(lines.take(&other, &of_other, 2), "nobody else's did");
        for number in 0..LINES {
            lines.open(Digest::of_bytes(&number.to_be_bytes()))?;
        }
        assert!(!lines.take(&other, &of_other, 3), "all together are bounded, too");
        Ok(())
    }
}
