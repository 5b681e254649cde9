//! Writing lines: what they follow, what they refer to, and what is noticed on the way.

use gate_core::{AnsweredFrom, Timestamp};
use gate_receipts::{
    Does, Log, Noticed, Proof, Reading, Reason, ReceiptsError, Released, Said, Sent, SignIn, Step, Withdrawn,
};

use crate::world::{World, approval, digest, starts};

fn code<T: std::fmt::Debug>(outcome: Result<T, ReceiptsError>) -> &'static str {
    outcome.expect_err("it is refused").code()
}

fn put(world: &mut World, log: &mut Log, said: Said) -> Result<(), ReceiptsError> {
    let now = world.now();
    log.append(said, now).map(|_| ())
}

#[test]
fn every_line_follows_the_one_before_and_is_known_to_the_anchor() {
    let (world, heads) = World::with(4);
    let text = String::from_utf8(world.bytes()).expect("it is text");
    for (line, head) in text.lines().zip(&heads) {
        let digest = gate_core::Digest::of_bytes(line.as_bytes());
        assert_eq!(digest, head.line, "a line's digest is of its bytes");
        if let Some(next) = text.lines().nth(usize::try_from(head.seq).expect("it fits")) {
            assert!(next.contains(&format!("\"prev\":\"{digest}\"")), "{next}");
        }
    }
    let known = gate_receipts::Anchor::heads(&world.anchor).expect("it answers");
    assert_eq!(known, [heads[3], heads[2], heads[1]]);
}

#[test]
fn what_is_no_line_is_not_written() {
    let (mut world, heads) = World::with(1);
    let mut log = world.quietly();
    let before = world.bytes();
    let mut early = approval(2, world.now().at);
    early.from = Timestamp(0);
    assert_eq!(code(put(&mut world, &mut log, Said::Decided(early))), "receipts_line");
    let mut far = world.now();
    far.at = Timestamp(i64::MAX);
    let said = Said::Decided(approval(2, Timestamp(i64::MAX - 60_000)));
    assert_eq!(code(log.append(said, far)), "receipts_line", "a time that can't be read back");
    assert_eq!((world.bytes(), log.head()), (before, heads.last().copied()));
}

#[test]
fn a_receipt_is_released_withdrawn_and_sent_once() {
    let (mut world, heads) = World::with(2);
    let mut log = world.quietly();
    let (receipt, given) = (heads[0].line, AnsweredFrom::Desktop);
    let released = Said::Released(Released { receipt });
    let withdrawn = Said::Withdrawn(Withdrawn { receipt, given });
    let sent = |row| Said::Sent(Sent { receipt, row, bytes: digest("bytes") });
    let mut put = |said: &Said| put(&mut world, &mut log, said.clone());
    put(&released).expect("it was held");
    assert_eq!(code(put(&released)), "receipts_before");
    put(&sent(0)).expect("it wasn't sent");
    put(&sent(1)).expect("nor was that");
    assert_eq!(code(put(&sent(0))), "receipts_before", "a receipt sends once");
    put(&withdrawn).expect("it was good");
    for said in [&withdrawn, &released] {
        assert_eq!(code(put(said)), "receipts_before", "{}", said.kind());
    }
    put(&sent(2)).expect("what has left is said all the same");
    for said in [
        Said::Released(Released { receipt: digest("none") }),
        Said::Withdrawn(Withdrawn { receipt: digest("none"), given }),
        Said::Sent(Sent { receipt: digest("none"), row: 0, bytes: digest("bytes") }),
    ] {
        assert_eq!(code(put(&said)), "unknown_receipt", "{}", said.kind());
    }
}

#[test]
fn a_clock_that_is_set_is_told_in_the_chain() {
    let mut world = World::new();
    let mut log = world.quietly();
    let mut steps = Vec::new();
    for set in [0, 3_600_000, 3_600_000, -60_000] {
        world.set = set;
        let number = 1;
        steps.push(world.approve(&mut log, number).line.step);
    }
    assert_eq!(steps, [None, Some(3_600_000), None, Some(-3_660_000)]);
    drop(log);
    world.set = -120_000;
    let mut log = world.quietly();
    let step = world.approve(&mut log, 1).line.step;
    assert_eq!(step, Some(-58_000), "after a restart only one that was set back is noticed, by what it went back");
    let told = log.chain().expect("it can be read").report().steps.clone();
    let step = |seq, millis| Step { seq, millis };
    assert_eq!(told, [step(2, 3_600_000), step(4, -3_660_000), step(5, -58_000)]);
}

#[test]
fn a_touch_that_takes_a_minute_is_no_clock_that_was_set() {
    let mut world = World::new();
    let mut log = world.quietly();
    world.approve(&mut log, 1);
    let now = world.now();
    let line = log.draft(Said::Decided(approval(2, now.at)), now).expect("it can be drafted");
    let later = (0..60).map(|_| world.now()).last().expect("a minute later");
    log.append_signed(line, later).expect("it follows");
    assert_eq!(world.approve(&mut log, 3).line.step, None);
    assert_eq!(log.chain().expect("it can be read").report().steps, []);
}

#[test]
fn a_line_is_signed_as_it_is_drafted_or_drafted_again() {
    let mut world = World::new();
    let mut log = world.quietly();
    let draft = |world: &mut World, log: &mut Log| {
        let now = world.now();
        (log.draft(Said::Decided(approval(1, now.at)), now).expect("it can be drafted"), now)
    };
    let (line, now) = draft(&mut world, &mut log);
    let signed = line.signed().expect("it can be written");
    assert!(!signed.contains("proof") && world.bytes().is_empty(), "nothing is written yet");
    world.approve(&mut log, 2);
    assert_eq!(code(log.append_signed(line, now)), "receipts_moved");
    let (line, now) = draft(&mut world, &mut log);
    let appended = log.append_signed(line.clone(), now).expect("it follows");
    assert_eq!((appended.line.clone(), appended.head.seq), (line, 2));
    let (mut line, now) = draft(&mut world, &mut log);
    line.proof = Proof::None {};
    line.home = gate_receipts::HomeId(uuid::Uuid::from_u128(3));
    assert_eq!(code(log.append_signed(line, now)), "receipts_moved", "another home's is none of this chain");
}

/// What is done to the file, by what, and why the chain is broken then.
type Tampering = (&'static str, fn(&World), Option<Reason>);

#[test]
fn whoever_touches_the_file_meanwhile_is_noticed_before_the_next_line() {
    let tampering: [Tampering; 6] = [
        ("removed", |world| std::fs::remove_file(world.path()).expect("it is there"), Some(Reason::Gone)),
        ("cut", |world| world.put(&world.bytes()[..starts(&world.bytes())[1]]), Some(Reason::Shorter)),
        ("emptied", |world| world.put(b""), Some(Reason::Shorter)),
        (
            "changed in its middle",
            |world| {
                let mut bytes = world.bytes();
                bytes[30] ^= 1;
                world.put(&bytes);
            },
            Some(Reason::Damaged),
        ),
        ("lengthened by half a line", |world| world.put(&[&world.bytes()[..], b"{\"about\""].concat()), None),
        ("written as it was", |world| world.put(&world.bytes()), None),
    ];
    for (what, tamper, reason) in tampering {
        let mut world = World::new();
        let mut log = world.quietly();
        let heads = [1, 2, 3].map(|number| world.approve(&mut log, number).head);
        tamper(&world);
        let appended = world.approve(&mut log, 4);
        let noticed = appended.noticed;
        assert_eq!(noticed.broken.as_ref().map(|broken| broken.said.reason), reason, "{what}");
        let seq = if reason.is_some() { 5 } else { 4 };
        assert_eq!(appended.head.seq, seq, "{what}: nothing stops, and no number comes twice");
        assert_eq!(noticed.cut > 0, what.contains("half"), "{what}");
        let chain = log.chain().expect("it can be read");
        assert!(chain.report().is_whole(), "{what}: {:?}", chain.report());
        let lost = heads.iter().filter(|head| chain.after(head.line).is_none()).count();
        let expected = [("removed", 3), ("cut", 2), ("emptied", 3), ("changed in its middle", 1)];
        assert_eq!(lost, expected.iter().find(|(name, _)| *name == what).map_or(0, |(_, lost)| *lost), "{what}");
        drop(log);
        world.quietly();
    }
}

#[test]
fn a_line_that_somebody_else_wrote_is_told() {
    let mut world = World::new();
    let mut log = world.quietly();
    world.approve(&mut log, 1);
    let now = world.now();
    let strange = log.draft(Said::Decided(approval(66, now.at)), now).expect("it can be drafted");
    let text = strange.canonical().expect("it can be written") + "\n";
    world.put(&[&world.bytes()[..], text.as_bytes()].concat());
    let appended = world.approve(&mut log, 2);
    let unknown: Vec<_> = appended.noticed.unknown.iter().map(|noted| noted.said.clone()).collect();
    assert_eq!((unknown, appended.head.seq), (vec![strange.said], 3));
}

#[test]
fn what_was_noticed_before_an_error_is_not_lost() {
    let mut world = World::new();
    let mut log = world.quietly();
    world.approve(&mut log, 1);
    let now = world.now();
    let line = log.draft(Said::Decided(approval(2, now.at)), now).expect("it can be drafted");
    std::fs::remove_file(world.path()).expect("it is there");
    assert_eq!(code(log.append_signed(line, now)), "receipts_moved");
    assert_eq!(log.noticed().broken.map(|broken| broken.said.reason), Some(Reason::Gone));
    assert_eq!(log.noticed(), Noticed::default(), "it is told once");
}

#[test]
fn a_chain_without_a_steady_clock_goes_on() {
    let mut world = World::new();
    let mut log = world.quietly();
    for seconds in [0, 5, 1] {
        let at = Timestamp(crate::world::AT.0 + seconds * 1_000);
        let said = Said::SignIn(SignIn { browser: digest("b"), does: Does::Begins, given: AnsweredFrom::Terminal });
        log.append(said, Reading { at, steady: None }).expect("it can be written");
    }
    let told = log.chain().expect("it can be read").report().steps.clone();
    assert_eq!(told, [Step { seq: 3, millis: -4_000 }]);
}
