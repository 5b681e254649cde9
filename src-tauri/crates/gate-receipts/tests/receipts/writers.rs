//! One writer at a time, and readers beside it.

use std::sync::atomic::{AtomicBool, Ordering};

use gate_receipts::{Chain, ReceiptsError};

use crate::child::{self, Other};
use crate::world::{HOME, World, request};

fn is_busy<T: std::fmt::Debug>(opened: Result<T, ReceiptsError>) -> bool {
    matches!(opened, Err(ReceiptsError::Busy(_)))
}

#[test]
fn a_second_writer_is_refused_until_the_first_is_gone() {
    if let Some(folder) = child::folder() {
        let log = child::open(&folder).expect("nobody else has it");
        child::say("open");
        // Until it is killed.
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).expect("the test's input");
        drop(log);
        return;
    }
    let mut world = World::new();
    let log = world.quietly();
    assert!(is_busy(world.try_open()), "in the same process");
    drop(log);
    let (ours, theirs) = std::io::pipe().expect("a pipe can be made");
    let mut other = Other::reading(ours, "writers::a_second_writer_is_refused_until_the_first_is_gone", world.folder());
    assert_eq!(other.word().as_deref(), Some("open"));
    assert!(is_busy(world.try_open()), "in another one");
    other.kill();
    drop(theirs);
    world.quietly();
}

#[test]
fn writers_that_take_turns_make_one_chain() {
    const EACH: u128 = 10;
    if let Some(folder) = child::folder() {
        for number in 1..=EACH {
            let mut log = loop {
                match child::open(&folder) {
                    Ok(log) => break log,
                    Err(error) => assert!(is_busy::<()>(Err(error)), "busy, and nothing else"),
                }
            };
            child::approve(&mut log, number).expect("it can be written");
        }
        return;
    }
    let mut world = World::new();
    let test = "writers::writers_that_take_turns_make_one_chain";
    let mut others: Vec<_> = (0..3).map(|_| Other::new(test, world.folder())).collect();
    let mut heads = Vec::new();
    for other in &mut others {
        heads.extend(std::iter::from_fn(|| other.word()).map(|word| child::head(&word)));
    }
    assert!(others.into_iter().all(Other::ends_well));
    heads.sort_by_key(|head| std::cmp::Reverse(head.seq));
    let numbers: Vec<u64> = heads.iter().map(|head| head.seq).collect();
    assert_eq!(numbers, (1..=30).rev().collect::<Vec<_>>(), "no number comes twice");
    world.anchor.set(&heads[..3]);
    let mut log = world.quietly();
    let chain = log.chain().expect("it can be read");
    assert!(chain.report().is_whole() && chain.report().lines == 30);
    assert_eq!(chain.of_request(request(EACH)).expect("it can be read").len(), 3);
}

#[test]
fn whoever_reads_beside_a_writer_finds_whole_lines() {
    let mut world = World::new();
    let mut log = world.quietly();
    let folder = world.folder().to_owned();
    let done = AtomicBool::new(false);
    let lines = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut lines = Vec::new();
            while !done.load(Ordering::Acquire) {
                let chain = Chain::read(&folder, Some(HOME), &[]).expect("it can be read");
                assert!(chain.report().is_whole(), "{:?}", chain.report());
                lines.push(chain.report().lines);
            }
            lines
        });
        (1..=60).for_each(|number| drop(world.approve(&mut log, number)));
        done.store(true, Ordering::Release);
        reader.join().expect("the reader ends well")
    });
    assert!(lines.is_sorted() && lines.iter().all(|lines| *lines <= 60), "it only grows: {lines:?}");
}
