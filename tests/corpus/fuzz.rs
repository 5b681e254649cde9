//! What the fuzz tests share: the time they may take, the seeds in the folders beside this file,
//! and a strategy that damages those. Compiled into the tests of each crate that has a parser; it
//! knows of none of them.

#[path = "campaign.rs"]
mod campaign;

use std::fmt;
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestError, TestRunner};

/// How long a target runs, in seconds, where `REVIEW_GATE_FUZZ_SECONDS` doesn't say.
const SECONDS: u64 = 1;
/// The same in a campaign.
const CAMPAIGN_SECONDS: u64 = 600;
/// Inputs between two looks at the clock.
const BATCH: u32 = 32;
/// No input may keep a parser for longer, on a busy machine and without optimisation.
const HANG: Duration = Duration::from_secs(30);

/// Bytes that are shown as text when a test fails, ready for a seed file.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// One target, from its start to its deadline.
pub(crate) struct Fuzz {
    target: &'static str,
    until: Instant,
    cases: u64,
}

impl Fuzz {
    pub(crate) fn new(target: &'static str) -> Self {
        let usual = if campaign::is_on() { CAMPAIGN_SECONDS } else { SECONDS };
        let seconds = std::env::var("REVIEW_GATE_FUZZ_SECONDS").ok();
        let seconds = seconds.map_or(usual, |text| text.parse().expect("REVIEW_GATE_FUZZ_SECONDS is in seconds"));
        Self { target, until: Instant::now() + Duration::from_secs(seconds), cases: 0 }
    }

    /// Whether there is time for another round of batches.
    pub(crate) fn goes_on(&self) -> bool {
        let goes_on = Instant::now() < self.until;
        if !goes_on {
            println!("{}: {} cases", self.target, self.cases);
            campaign::tells(format!("{} inputs", self.cases));
        }
        goes_on
    }

    /// Gives `check` a few inputs. One that panics is made small, then shown.
    pub(crate) fn batch<S: Strategy>(&mut self, strategy: &S, check: impl Fn(S::Value)) {
        let config = Config {
            cases: BATCH,
            failure_persistence: None,
            max_shrink_iters: 20_000,
            max_shrink_time: 60_000,
            ..Config::default()
        };
        let tested = TestRunner::new(config).run(strategy, |input| {
            let start = Instant::now();
            check(input);
            prop_assert!(start.elapsed() < HANG, "it took {:?}", start.elapsed());
            Ok(())
        });
        match tested {
            Ok(()) => self.cases += u64::from(BATCH),
            Err(TestError::Fail(why, input)) => {
                panic!(
                    "{} broke after {} cases: {why}\nthe input, for tests/corpus: {input:?}",
                    self.target, self.cases
                )
            }
            Err(TestError::Abort(why)) => panic!("{} made too few inputs: {why}", self.target),
        }
    }
}

/// The seeds in `tests/corpus/<folder>`.
pub(crate) fn seeds(folder: &str) -> Vec<Bytes> {
    let path = format!("{}/../../../tests/corpus/{folder}", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(&path).expect("the corpus has a folder for each target");
    let mut paths: Vec<_> = files.map(|file| file.expect("the folder can be read").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{path} holds no seeds");
    paths.iter().map(|path| Bytes(std::fs::read(path).expect("a seed can be read"))).collect()
}

/// What may happen to a seed.
#[derive(Debug, Clone)]
enum Damage {
    Set(Index, u8),
    Flip(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    /// A part stands there several times.
    Repeat(Index, usize, usize),
    /// The end is missing.
    Cut(Index),
    /// The end is another seed's.
    Graft(Index, Index),
}

/// Seeds of `folder` with up to 12 damages. `tokens` are what the format gives a meaning.
pub(crate) fn damaged(folder: &str, tokens: &'static [&'static str]) -> impl Strategy<Value = Bytes> + use<> {
    let place = any::<Index>;
    let token = select(tokens).prop_map(|token| token.as_bytes().to_vec());
    let damage = prop_oneof![
        2 => (place(), any::<u8>()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        2 => (place(), 0_u8..8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        6 => (place(), token).prop_map(|(at, token)| Damage::Insert(at, token)),
        2 => (place(), vec(any::<u8>(), 1..6)).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        3 => (place(), 1_usize..40).prop_map(|(at, length)| Damage::Remove(at, length)),
        2 => (place(), 1_usize..60, 1_usize..4).prop_map(|(at, length, times)| Damage::Repeat(at, length, times)),
        1 => (place(), 1_usize..8, 1_usize..600).prop_map(|(at, length, times)| Damage::Repeat(at, length, times)),
        1 => place().prop_map(Damage::Cut),
        1 => (place(), place()).prop_map(|(at, from)| Damage::Graft(at, from)),
    ];
    let seeds = seeds(folder);
    (select(seeds.clone()), select(seeds), vec(damage, 0..12)).prop_map(|(seed, other, damages)| {
        let mut bytes = seed.0;
        for damage in damages {
            apply(&mut bytes, &other.0, damage);
        }
        Bytes(bytes)
    })
}

fn apply(bytes: &mut Vec<u8>, other: &[u8], damage: Damage) {
    let places = bytes.len() + 1;
    match damage {
        Damage::Set(at, byte) => bytes.iter_mut().skip(at.index(places)).take(1).for_each(|old| *old = byte),
        Damage::Flip(at, bit) => bytes.iter_mut().skip(at.index(places)).take(1).for_each(|old| *old ^= 1 << bit),
        Damage::Insert(at, new) => {
            let at = at.index(places);
            bytes.splice(at..at, new);
        }
        Damage::Remove(at, length) => {
            let at = at.index(places);
            bytes.drain(at..bytes.len().min(at + length));
        }
        Damage::Repeat(at, length, times) => {
            let at = at.index(places);
            let part = bytes[at..bytes.len().min(at + length)].repeat(times);
            bytes.splice(at..at, part);
        }
        Damage::Cut(at) => bytes.truncate(at.index(places)),
        Damage::Graft(at, from) => {
            bytes.truncate(at.index(places));
            bytes.extend_from_slice(&other[from.index(other.len() + 1)..]);
        }
    }
}
