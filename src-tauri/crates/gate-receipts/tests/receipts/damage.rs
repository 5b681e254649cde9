//! Whatever is done to a log's bytes: it is found, and nothing else is lost.

use gate_core::AnsweredFrom;
use gate_receipts::{Head, Noticed, Reason, Released, Said, Withdrawn};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};

use crate::campaign;
use crate::world::{World, starts};

/// What a writer does.
#[derive(Debug, Clone)]
enum Act {
    Approve,
    Withdraw(Index),
    Release(Index),
    Reopen,
}

/// What is done to the bytes then.
#[derive(Debug, Clone)]
enum Damage {
    Cut(Index),
    Flip(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        6 => Just(Act::Approve),
        1 => any::<Index>().prop_map(Act::Withdraw),
        1 => any::<Index>().prop_map(Act::Release),
        1 => Just(Act::Reopen),
    ];
    vec(act, 1..12)
}

fn damages() -> impl Strategy<Value = Damage> {
    let place = any::<Index>;
    prop_oneof![
        2 => place().prop_map(Damage::Cut),
        4 => (place(), 0..8_u8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        1 => (place(), vec(any::<u8>(), 1..40)).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        1 => (place(), 1..2_000_usize).prop_map(|(at, length)| Damage::Remove(at, length)),
    ]
}

fn runner() -> TestRunner {
    let cases = if campaign::is_on() { 20_000 } else { 120 };
    campaign::tells(format!("{cases} damaged logs"));
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}

/// A log that came of these acts: the receipts' heads, and all heads.
fn written(acts: &[Act]) -> (World, Vec<Head>, Vec<Head>) {
    let mut world = World::new();
    let mut log = world.quietly();
    let first = world.approve(&mut log, 1).head;
    let (mut receipts, mut all) = (vec![first], vec![first]);
    for act in acts {
        let said = match act {
            Act::Approve => {
                let head = world.approve(&mut log, all.len() as u128 + 1).head;
                receipts.push(head);
                all.push(head);
                continue;
            }
            Act::Reopen => {
                drop(log);
                log = world.quietly();
                continue;
            }
            Act::Withdraw(at) => {
                Said::Withdrawn(Withdrawn { receipt: at.get(&receipts).line, given: AnsweredFrom::Desktop })
            }
            Act::Release(at) => Said::Released(Released { receipt: at.get(&receipts).line }),
        };
        // What was said before isn't said again.
        let now = world.now();
        all.extend(log.append(said, now).ok().map(|appended| appended.head));
    }
    (world, receipts, all)
}

/// The bytes after the damage, and from which to which they were touched.
fn damaged(bytes: &[u8], damage: &Damage) -> (Vec<u8>, std::ops::Range<usize>) {
    let mut after = bytes.to_vec();
    let touched = match damage {
        Damage::Cut(at) => {
            let at = at.index(bytes.len());
            after.truncate(at);
            at..bytes.len()
        }
        Damage::Flip(at, bit) => {
            let at = at.index(bytes.len());
            after[at] ^= 1 << bit;
            at..at + 1
        }
        Damage::Insert(at, more) => {
            let at = at.index(bytes.len());
            after.splice(at..at, more.iter().copied());
            at..at + 1
        }
        Damage::Remove(at, length) => {
            let at = at.index(bytes.len());
            let end = bytes.len().min(at + length);
            after.drain(at..end);
            at..end
        }
    };
    (after, touched)
}

#[test]
fn damage_is_found_and_takes_nothing_else_along() {
    let check = |(acts, damage): (Vec<Act>, Damage)| {
        let (mut world, receipts, all) = written(&acts);
        let bytes = world.bytes();
        let (after, touched) = damaged(&bytes, &damage);
        world.put(&after);
        let (mut log, opened) = world.open();
        let (report, checked) = log.check(world.now()).expect("it can be checked");
        let broken = opened.broken.or(checked.broken);
        // What stands behind the last line as if it were torn is only cut.
        let found = broken.is_some() || opened.cut > 0;
        prop_assert_eq!(found, after != bytes, "found, and only if there was something");
        prop_assert!(report.is_whole(), "the new chain is whole");
        let places = starts(&bytes);
        // A line is touched with its own line feed, and with the one before it.
        let untouched = |head: &Head| {
            let at = usize::try_from(head.seq).expect("it fits") - 1;
            places[at + 1] <= touched.start || places[at] > touched.end
        };
        let chain = log.chain().expect("it can be read");
        for head in receipts.iter().filter(|head| untouched(head)) {
            prop_assert!(chain.after(head.line).is_some(), "line {} is lost", head.seq);
        }
        let next = world.approve(&mut log, 999).head;
        prop_assert!(all.iter().all(|head| head.seq < next.seq), "no number comes twice");
        drop(log);
        let (_, again) = world.open();
        prop_assert_eq!(again, Noticed::default(), "once mended, it stays mended");
        Ok(())
    };
    if let Err(error) = runner().run(&(acts(), damages()), check) {
        panic!("{error}");
    }
}

#[test]
fn a_line_that_nobody_was_told_of_is_cut_wherever_it_is_torn() {
    let check = |(acts, at): (Vec<Act>, Index)| {
        let (mut world, receipts, all) = written(&acts);
        let bytes = world.bytes();
        let last = starts(&bytes)[all.len() - 1];
        let known: Vec<Head> = all.iter().rev().skip(1).take(3).copied().collect();
        world.anchor.set(&known);
        let torn = at.index(bytes.len() - last);
        world.put(&bytes[..last + torn]);
        let (mut log, noticed) = world.open();
        let cut = u64::try_from(torn).expect("it fits");
        prop_assert_eq!(noticed, Noticed { cut, ..Noticed::default() });
        prop_assert_eq!(world.bytes(), &bytes[..last], "up to the last whole line");
        prop_assert_eq!(log.head(), known.first().copied());
        let chain = log.chain().expect("it can be read");
        for head in receipts.iter().filter(|head| head.seq < all.len() as u64) {
            prop_assert!(chain.after(head.line).is_some(), "line {} is lost", head.seq);
        }
        Ok(())
    };
    if let Err(error) = runner().run(&(acts(), any::<Index>()), check) {
        panic!("{error}");
    }
}

#[test]
fn a_cut_says_what_is_missing() {
    for kept in 0..4 {
        let (mut world, heads) = World::with(4);
        let bytes = world.bytes();
        world.put(&bytes[..starts(&bytes)[kept]]);
        let (_, broken) = world.broken();
        let until = kept.checked_sub(1).map(|at| heads[at]);
        let aside = broken.said.aside.expect("it names the file");
        assert_eq!((broken.said.reason, aside.until, broken.said.anchors[0].seq), (Reason::Shorter, until, 4));
    }
}
