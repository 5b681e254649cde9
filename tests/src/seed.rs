//! Random numbers that can be had again: the seed goes into the failure's message.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// Sets the seed, to repeat a run that failed.
const SEED: &str = "REVIEW_GATE_TEST_SEED";

/// A generator of random numbers (SplitMix64, <https://prng.di.unimi.it/splitmix64.c>). Displays
/// as how to begin it again.
#[derive(Debug, Clone)]
pub struct Seed {
    begin: u64,
    state: u64,
}

impl Seed {
    /// A new one, or the one that `REVIEW_GATE_TEST_SEED` names.
    #[must_use]
    pub fn new() -> Self {
        let named = std::env::var(SEED).ok().and_then(|text| text.parse().ok());
        let clock = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        Self::from(named.unwrap_or_else(|| u64::try_from(clock()).unwrap_or_default()))
    }

    /// Another one that depends on this one, for a task of its own.
    pub fn fork(&mut self) -> Self {
        let state = self.next();
        Self { begin: self.begin, state }
    }

    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// An index of a slice of this length, which is at least 1.
    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(u64::try_from(length).unwrap_or(u64::MAX))).unwrap_or_default()
    }

    /// Brings the entries into a random order.
    pub fn shuffle<T>(&mut self, entries: &mut [T]) {
        for last in (1..entries.len()).rev() {
            entries.swap(last, self.index(last + 1));
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Default for Seed {
    fn default() -> Self {
        Self::new()
    }
}

impl From<u64> for Seed {
    fn from(begin: u64) -> Self {
        Self { begin, state: begin }
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SEED}={}", self.begin)
    }
}
