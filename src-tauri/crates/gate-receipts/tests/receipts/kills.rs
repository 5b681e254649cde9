//! Processes that are killed while they write. In a campaign there are many more of them.

use gate_core::Digest;
use gate_receipts::{Head, Mark, Reason};

use crate::campaign;
use crate::child::{self, Other};
use crate::world::{World, request};

/// Random numbers that are the same every time (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// Works for a while that differs every time: the other process goes on meanwhile.
    fn work(&mut self, most: u64) {
        let block = [0; 4096];
        (0..self.below(most)).for_each(|_| assert_ne!(Digest::of_bytes(&block), Digest::of_bytes(b"")));
    }
}

/// How often somebody is killed: enough to see most faults, and far more in a campaign.
fn rounds(full: u64, short: u64) -> u64 {
    let rounds = if campaign::is_on() { full } else { short };
    campaign::tells(format!("{rounds} kills"));
    rounds
}

#[test]
fn no_line_that_was_told_is_lost() {
    if let Some(folder) = child::folder() {
        let mut log = child::open(&folder).expect("nobody else has it");
        let from = log.head().map_or(0, |head| head.seq);
        // More than it comes to before it is killed.
        for number in from + 1..from + 100_000 {
            child::approve(&mut log, u128::from(number)).expect("it can be written");
        }
        return;
    }
    let mut numbers = Numbers(0x5EED);
    let mut world = World::new();
    let mut told: Vec<Head> = Vec::new();
    for round in 0..rounds(1_000, 40) {
        let mut other = Other::new("kills::no_line_that_was_told_is_lost", world.folder());
        let heard: Vec<_> = (0..numbers.below(12)).map_while(|_| other.word()).collect();
        numbers.work(200);
        let heads = heard.into_iter().chain(other.kill()).map(|word| child::head(&word));
        told.extend(heads);
        let newest: Vec<Head> = told.iter().rev().take(3).copied().collect();
        world.anchor.set(&newest);
        let (mut log, noticed) = world.open();
        assert_eq!(noticed.broken, None, "round {round}: a kill breaks no chain");
        assert!(noticed.unknown.len() <= 1, "round {round}: at most one line wasn't told yet: {noticed:?}");
        told.extend(noticed.unknown.iter().map(|noted| noted.head));
        let chain = log.chain().expect("it can be read");
        assert!(chain.report().is_whole(), "round {round}: {:?}", chain.report());
        let numbers: Vec<u64> = told.iter().map(|head| head.seq).collect();
        let all: Vec<u64> = (1..=told.len() as u64).collect();
        assert_eq!(numbers, all, "round {round}: every line that was told has its number");
        for head in &told {
            assert!(chain.after(head.line).is_some(), "round {round}: line {} is lost", head.seq);
        }
    }
    assert!(told.len() > 20, "the processes did write: {}", told.len());
}

#[test]
fn a_log_is_set_aside_whole_or_not_at_all() {
    if let Some(folder) = child::folder() {
        let mut log = child::open(&folder).expect("nobody else has it");
        child::approve(&mut log, 7).expect("it can be written");
        return;
    }
    let mut numbers = Numbers(0xA51DE);
    for round in 0..rounds(500, 25) {
        let (mut world, heads) = World::with(3);
        let mut bytes = world.bytes();
        // In the second of three lines: without an anchor the whole log is read, and this is found.
        let place = bytes.len() / 2;
        bytes[place] ^= 2;
        world.put(&bytes);
        let other = Other::new("kills::a_log_is_set_aside_whole_or_not_at_all", world.folder());
        numbers.work(700);
        other.kill();
        world.anchor.set(&[]);
        let (mut log, noticed) = world.open();
        let broken = noticed.broken.expect("it was broken before the kill, or is now");
        let aside = broken.said.aside.expect("it names what was set aside");
        assert_eq!((broken.said.reason, aside.good, aside.bad), (Reason::Damaged, 2, 1), "round {round}");
        let kept = std::fs::read(world.folder().join(&aside.name)).expect("it is there");
        assert_eq!(kept, bytes, "round {round}: not a byte of it is lost");
        assert_eq!(world.set_aside(), [aside.name], "round {round}: and nothing else is left");
        let chain = log.chain().expect("it can be read");
        for head in [heads[0], heads[2]] {
            let found = chain.receipt(head.line).expect("it can be read").expect("it counts");
            assert_eq!(found.mark, Some(Mark::BeforeBreak), "round {round}");
        }
        let written = chain.of_request(request(7)).expect("it can be read").len();
        assert!(written <= 1, "round {round}: what was written is there once");
    }
}
