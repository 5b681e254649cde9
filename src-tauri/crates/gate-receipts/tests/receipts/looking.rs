//! Looking receipts up, and how they stand.

use gate_core::{AnsweredFrom, Decision, Timestamp};
use gate_receipts::{After, Bytes, Does, Key, PublicKey, Released, Said, Standing, Verifier, Withdrawn, verify_chain};

use crate::world::{HOLD, HOME, World, approval, oid, request};

#[test]
fn a_receipt_is_found_by_its_name_its_request_and_its_tree() {
    let (mut world, heads) = World::with(3);
    let mut log = world.quietly();
    let again = world.approve(&mut log, 2).head;
    let chain = log.chain().expect("it can be read");
    let by_name = chain.receipt(heads[0].line).expect("it can be read").expect("it is there");
    assert_eq!((by_name.id, by_name.line.seq, by_name.mark), (heads[0].line, 1, None));
    assert_eq!(by_name.decided.request, request(1));
    let names = |found: Vec<gate_receipts::Found>| found.into_iter().map(|found| found.id).collect::<Vec<_>>();
    let latest_first = [again.line, heads[1].line];
    assert_eq!(names(chain.of_request(request(2)).expect("it can be read")), latest_first);
    assert_eq!(names(chain.of_tree(&oid("tree 2")).expect("it can be read")), latest_first);
    assert_eq!(names(chain.of_tree(&oid("tree 9")).expect("it can be read")), []);
    assert_eq!(names(chain.of_request(request(9)).expect("it can be read")), []);
}

#[test]
fn all_receipts_are_named_the_latest_first() {
    let (mut world, heads) = World::with(3);
    let mut log = world.quietly();
    let names: Vec<_> = heads.iter().rev().map(|head| head.line).collect();
    assert_eq!(log.chain().expect("it can be read").newest(), names);
}

#[test]
fn later_lines_say_how_a_receipt_stands() {
    let (mut world, heads) = World::with(3);
    let mut log = world.quietly();
    let (released, withdrawn) = (heads[1].line, heads[2].line);
    let now = world.now();
    log.append(Said::Released(Released { receipt: released }), now).expect("it can be written");
    let then = world.now();
    let said = Said::Withdrawn(Withdrawn { receipt: withdrawn, given: AnsweredFrom::Browser });
    log.append(said, then).expect("it can be written");
    let standing = |log: &mut gate_receipts::Log, receipt, now: Timestamp| {
        let chain = log.chain().expect("it can be read");
        let found = chain.receipt(receipt).expect("it can be read").expect("it is there");
        (found.after, found.decided.standing(&found.after, now, false))
    };
    let first = log.chain().expect("it can be read").receipt(heads[0].line).expect("it can be read");
    let until = first.expect("it is there").line.at.plus_millis(HOLD);
    let held = standing(&mut log, heads[0].line, Timestamp(until.0 - 1));
    assert_eq!(held, (After::default(), Standing::Held { until }));
    assert_eq!(standing(&mut log, heads[0].line, until), (After::default(), Standing::Good));
    let after = After { released: Some(now.at), withdrawn: None };
    assert_eq!(standing(&mut log, released, crate::world::AT), (after, Standing::Good));
    let after = After { released: None, withdrawn: Some(then.at) };
    assert_eq!(standing(&mut log, withdrawn, until), (after, Standing::TakenBack { at: then.at }));
    drop(log);
    let mut log = world.quietly();
    assert_eq!(standing(&mut log, withdrawn, until).0, after, "the file says the same");
}

#[test]
fn what_was_just_written_is_found_without_reading_it_all_again() {
    let (mut world, _) = World::with(2);
    let mut log = world.quietly();
    assert_eq!(log.chain().expect("it can be read").report().lines, 2);
    let head = world.approve(&mut log, 3).head;
    let chain = log.chain().expect("it can be read");
    assert_eq!((chain.report().lines, chain.report().head), (3, Some(head)));
    let found = chain.receipt(head.line).expect("it can be read").expect("it is there");
    assert_eq!(found.decided.decision, Some(Decision::Approved));
}

#[test]
fn a_line_that_changed_under_a_reader_is_none() {
    let (world, heads) = World::with(2);
    let chain = gate_receipts::Chain::read(world.folder(), Some(HOME), &[]).expect("it can be read");
    let mut bytes = world.bytes();
    bytes[40] ^= 1;
    world.put(&bytes);
    let code = chain.receipt(heads[0].line).map_err(|error| error.code());
    assert_eq!(code, Err("receipts_changed"));
    assert!(chain.receipt(heads[1].line).expect("it can be read").is_some());
}

#[test]
fn keys_are_those_that_the_chain_enrolled() {
    let mut world = World::new();
    let mut log = world.quietly();
    let public = PublicKey::Ed25519([9; 32]);
    let said = |does, public: Option<&PublicKey>| {
        Said::Key(Key {
            key: PublicKey::Ed25519([9; 32]).fingerprint(),
            does,
            public: public.map(|public| Bytes(public.to_wire())),
            origin: None,
            given: AnsweredFrom::Desktop,
        })
    };
    let now = world.now();
    log.append(said(Does::Begins, Some(&public)), now).expect("it can be written");
    world.approve(&mut log, 1);
    let now = world.now();
    log.append(said(Does::Ends, None), now).expect("it can be written");
    let chain = log.chain().expect("it can be read");
    let [key] = &chain.keys().0[..] else { panic!("one key was enrolled") };
    assert_eq!((&key.public, key.after, key.until), (&public, 1, Some(3)));
    let unsigned = chain.of_request(request(1)).expect("it can be read").remove(0);
    assert_eq!(chain.keys().prove(&unsigned.line), Ok(None), "a line without a signature has none");
}

#[test]
fn the_whole_check_needs_no_writer() {
    let (world, heads) = World::with(4);
    let report = verify_chain(world.folder(), None, &heads).expect("it can be read");
    assert_eq!((report.is_whole(), report.lines, report.counting, report.head), (true, 4, 4, heads.last().copied()));
    let mut bytes = world.bytes();
    bytes.truncate(bytes.len() - 3);
    world.put(&bytes);
    let report = verify_chain(world.folder(), None, &[]).expect("it can be read");
    assert!(report.is_whole() && report.torn > 0 && report.lines == 3, "a writer may be at it: {report:?}");
    let report = verify_chain(world.folder(), None, &heads).expect("it can be read");
    assert_eq!(report.problems.len(), 1, "unless an anchor knows more");
}

#[test]
fn a_plain_reply_has_a_receipt_too() {
    let mut world = World::new();
    let mut log = world.quietly();
    let now = world.now();
    let mut said = approval(1, now.at);
    said.decision = None;
    said.expires = None;
    log.append(Said::Decided(said), now).expect("it can be written");
    let found = log.chain().expect("it can be read").of_request(request(1)).expect("it can be read").remove(0);
    let late = Timestamp(now.at.0 + 400 * 24 * 3_600_000);
    assert_eq!(found.decided.standing(&found.after, late, false), Standing::Good);
    assert!(!found.decided.approves(&found.after, late, false));
}
