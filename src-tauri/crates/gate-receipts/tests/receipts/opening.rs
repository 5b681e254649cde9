//! What a log is taken for when it is opened.

use std::os::unix::fs::PermissionsExt as _;

use gate_receipts::{
    Aside, Break, Chain, Head, Known, Mark, NAME, Noted, Noticed, Reason, ReceiptsError, Silent, Undelivered,
};
use uuid::Uuid;

use crate::world::{HOME, World, digest, request, starts};

#[test]
fn a_log_goes_on_where_it_was_left() {
    let (mut world, heads) = World::with(3);
    let mut log = world.quietly();
    assert_eq!(log.head(), heads.last().copied());
    let appended = world.approve(&mut log, 4);
    assert_eq!((appended.head.seq, appended.line.prev), (4, Some(heads[2].line)));
    assert!(log.chain().expect("it can be read").report().is_whole());
}

#[test]
fn its_files_are_the_owner_s_alone() {
    let (world, _) = World::with(1);
    for name in [NAME, "receipts.lock"] {
        let mode = std::fs::metadata(world.folder().join(name)).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_torn_last_line_is_cut() {
    let (mut world, heads) = World::with(3);
    let whole = world.bytes();
    let torn = &whole[..starts(&whole)[1] - 1];
    for part in [1, 10, torn.len()] {
        world.put(&[&whole[..], &torn[..part]].concat());
        let (log, noticed) = world.open();
        let cut = u64::try_from(part).expect("it fits");
        assert_eq!(noticed, Noticed { cut, ..Noticed::default() }, "it is said how much");
        assert_eq!((log.head(), world.bytes()), (heads.last().copied(), whole.clone()));
    }
}

#[test]
fn a_last_line_with_a_hole_is_cut() {
    let (mut world, heads) = World::with(3);
    let whole = world.bytes();
    let start = starts(&whole)[2];
    world.anchor.set(&heads[..2]);
    let mut hole = whole.clone();
    hole[start..start + 50].fill(0);
    world.put(&hole);
    let (log, noticed) = world.open();
    let cut = u64::try_from(whole.len() - start).expect("it fits");
    assert_eq!((noticed, log.head()), (Noticed { cut, ..Noticed::default() }, Some(heads[1])));
}

#[test]
fn a_log_that_is_gone_is_missed() {
    let (mut world, heads) = World::with(3);
    world.anchor.wait_for(&[request(3)]);
    std::fs::remove_file(world.path()).expect("it is there");
    let (mut log, broken) = world.broken();
    let anchors = heads.iter().rev().map(|head| Known { by: "memory".to_owned(), seq: head.seq, line: head.line });
    let said = Break { reason: Reason::Gone, aside: None, anchors: anchors.collect(), undelivered: 1 };
    assert_eq!((&broken.said, broken.head.seq), (&said, 4), "numbers go on");
    assert_eq!(broken.undelivered, [Undelivered { request: request(3), receipt: None }]);
    assert_eq!(log.chain().expect("it can be read").report().breaks, [said]);
    drop(log);
    world.quietly();
}

#[test]
fn a_log_that_is_shorter_than_its_anchor_is_set_aside() {
    let (mut world, heads) = World::with(3);
    let whole = world.bytes();
    let cut = whole[..starts(&whole)[2]].to_vec();
    world.put(&cut);
    world.anchor.wait_for(&[request(2), request(3)]);
    let (mut log, broken) = world.broken();
    let names = world.set_aside();
    let [name] = &names[..] else { panic!("one file is set aside: {names:?}") };
    assert!(name.starts_with("receipts.20261121T0349") && name.ends_with("Z.log"), "{name}");
    let aside =
        Aside { name: name.clone(), digest: gate_core::Digest::of_bytes(&cut), good: 2, bad: 0, until: Some(heads[1]) };
    assert_eq!((broken.said.reason, broken.said.aside, broken.head.seq), (Reason::Shorter, Some(aside), 4));
    let of = |number, receipt| Undelivered { request: request(number), receipt };
    assert_eq!(broken.undelivered, [of(2, Some(heads[1].line)), of(3, None)], "the last one's receipt is lost");
    let found = log.chain().expect("it can be read").receipt(heads[0].line).expect("it can be read");
    assert_eq!(found.expect("it counts").mark, Some(Mark::BeforeBreak), "old receipts count, marked");
    let appended = world.approve(&mut log, 9);
    assert_eq!((appended.head.seq, appended.line.prev), (5, Some(broken.head.line)));
    drop(log);
    world.quietly();
}

#[test]
fn a_log_whose_end_is_changed_is_set_aside() {
    let (mut world, heads) = World::with(3);
    let mut bytes = world.bytes();
    let place = starts(&bytes)[2] + 20;
    bytes[place] ^= 1;
    world.put(&bytes);
    let (mut log, broken) = world.broken();
    let aside = broken.said.aside.expect("it names the file");
    assert_eq!((broken.said.reason, aside.good, aside.bad, aside.until), (Reason::Damaged, 2, 1, Some(heads[1])));
    let chain = log.chain().expect("it can be read");
    let found = heads.iter().map(|head| chain.receipt(head.line).expect("it can be read").is_some());
    assert_eq!(found.collect::<Vec<_>>(), [true, true, false]);
}

#[test]
fn damage_in_the_middle_is_found_by_the_whole_check_and_the_rest_counts() {
    let (mut world, heads) = World::with(5);
    let mut bytes = world.bytes();
    let place = starts(&bytes)[1] + 20;
    bytes[place] ^= 1;
    world.put(&bytes);
    let mut log = world.quietly();
    let chain = log.chain().expect("it can be read");
    assert_eq!(chain.report().problems.len(), 1);
    let found = chain.receipt(heads[0].line).expect("it can be read").expect("it counts");
    assert_eq!(found.mark, Some(Mark::Damaged), "whoever looks something up hears of it");
    let (report, noticed) = log.check(world.now()).expect("it can be checked");
    let broken = noticed.broken.expect("the chain is broken");
    assert_eq!((broken.said.reason, broken.head.seq, report.is_whole()), (Reason::Damaged, 6, true));
    let chain = log.chain().expect("it can be read");
    let found = heads.iter().map(|head| chain.receipt(head.line).expect("it can be read").map(|found| found.mark));
    let old = Some(Some(Mark::BeforeBreak));
    assert_eq!(found.collect::<Vec<_>>(), [old, None, old, old, old]);
}

#[test]
fn a_log_of_another_home_is_set_aside() {
    let (mut world, heads) = World::with(2);
    let text = String::from_utf8(world.bytes()).expect("it is text");
    let other = Uuid::from_u128(5).to_string();
    world.put(text.replace(&HOME.to_string(), &other).as_bytes());
    let (_, broken) = world.broken();
    assert_eq!((broken.said.reason, broken.said.aside.expect("it is named").good), (Reason::Damaged, 0));
    assert_eq!(broken.head.seq, heads[1].seq + 1);
}

#[test]
fn an_older_copy_of_the_log_that_went_on_is_noticed() {
    let (mut world, heads) = World::with(4);
    let whole = world.bytes();
    world.put(&whole[..starts(&whole)[2]]);
    let known = heads.iter().rev().copied().collect::<Vec<_>>();
    world.anchor.set(&[]);
    let (mut log, _) = world.open();
    for number in 10..14 {
        world.approve(&mut log, number);
    }
    drop(log);
    world.anchor.set(&known);
    let (mut log, broken) = world.broken();
    assert_eq!(broken.said.reason, Reason::Damaged, "line 4 isn't the one that the anchor knows");
    let chain = log.chain().expect("it can be read");
    let counts = |number| chain.of_request(request(number)).expect("it can be read").len();
    assert_eq!([1, 2, 3, 10, 11, 12, 13].map(counts), [1, 1, 0, 0, 0, 0, 0], "as far as an anchor vouches for them");
}

#[test]
fn an_upgrade_begins_with_a_break_and_only_once() {
    let mut world = World::new();
    world.upgrade = true;
    world.anchor.wait_for(&[request(1)]);
    let (mut log, broken) = world.broken();
    let said = Break { reason: Reason::Upgrade, aside: None, anchors: Vec::new(), undelivered: 1 };
    assert_eq!((broken.said, broken.head.seq), (said, 1));
    assert_eq!(broken.undelivered, [Undelivered { request: request(1), receipt: None }]);
    world.approve(&mut log, 1);
    drop(log);
    let log = world.quietly();
    drop(log);
    std::fs::remove_file(world.path()).expect("it is there");
    let (_, broken) = world.broken();
    assert_eq!(broken.said.reason, Reason::Gone, "what is made to look like an upgrade is none");
}

#[test]
fn a_newer_log_is_left_alone() {
    let (mut world, heads) = World::with(2);
    let newer = "{\"seq\":3,\"v\":2}";
    let bytes = [&world.bytes()[..], newer.as_bytes(), b"\n"].concat();
    world.put(&bytes);
    world.anchor.set(&[Head { seq: 3, line: digest(newer) }, heads[1]]);
    match world.try_open() {
        Err(ReceiptsError::Newer { version, .. }) => assert_eq!(version, 2),
        other => panic!("{other:?}"),
    }
    assert_eq!((world.bytes(), world.set_aside()), (bytes, Vec::<String>::new()));
    world.anchor.set(&[heads[1], heads[0]]);
    let (_, broken) = world.broken();
    assert_eq!(broken.said.reason, Reason::Damaged, "what no anchor knows may be a flipped bit, which stops nothing");
}

#[test]
fn what_is_no_file_is_set_aside() {
    let (mut world, _) = World::with(2);
    std::fs::remove_file(world.path()).expect("it is there");
    std::fs::create_dir(world.path()).expect("a folder can be made");
    let (_, broken) = world.broken();
    assert_eq!(broken.said.reason, Reason::Damaged);
    assert_eq!(world.set_aside().len(), 1, "the folder is kept");
}

#[test]
fn lines_that_no_anchor_knows_are_told() {
    let (mut world, heads) = World::with(3);
    world.anchor.set(&heads[..1]);
    let (log, noticed) = world.open();
    let said = noticed.unknown.iter().map(|Noted { head, .. }| *head);
    assert_eq!(said.collect::<Vec<_>>(), heads[1..], "their replies may not be in the record");
    assert_eq!(log.head(), Some(heads[2]), "they stay");
    drop(log);
    let (_, noticed) = world.open();
    assert_eq!(noticed.unknown.len(), 2, "until an anchor knows them");
}

#[test]
fn an_anchor_that_is_away_is_told_and_stops_nothing() {
    let (mut world, heads) = World::with(2);
    world.anchor.fail(true);
    let (mut log, noticed) = world.open();
    let away = Silent { by: "memory", why: "it is away".to_owned() };
    let away = vec![away];
    assert_eq!(noticed.silent, away);
    let appended = world.approve(&mut log, 3);
    assert_eq!((appended.head.seq, appended.untold), (heads[1].seq + 1, away));
}

#[test]
fn a_kill_between_setting_aside_and_going_on_loses_nothing() {
    let (mut world, heads) = World::with(3);
    let whole = world.bytes();
    world.put(&whole[..starts(&whole)[2]]);
    let (log, broken) = world.broken();
    drop(log);
    let names = world.set_aside();
    let (log, next, aside) = (world.path(), world.folder().join("receipts.log.new"), world.folder().join(&names[0]));
    let before: [Head; 3] = [heads[2], heads[1], heads[0]];

    // Both names were to be changed: the old log has its new one, the new log still the old one.
    std::fs::rename(&log, &next).expect("it can be moved");
    world.anchor.set(&before);
    let (_, again) = world.broken();
    assert_eq!((again.head, again.said), (broken.head, broken.said.clone()), "it goes on");
    assert_eq!(world.set_aside(), names);

    // Neither was changed.
    std::fs::rename(&log, &next).expect("it can be moved");
    std::fs::rename(&aside, &log).expect("it can be moved");
    world.anchor.set(&before);
    let (_, again) = world.broken();
    assert_eq!(again.said.aside.map(|aside| aside.good), Some(2), "it begins once more");
    assert_eq!(world.set_aside().len(), 1);
}

#[test]
fn a_break_that_no_anchor_heard_of_is_told_again() {
    let (mut world, heads) = World::with(2);
    std::fs::remove_file(world.path()).expect("it is there");
    let (log, broken) = world.broken();
    drop(log);
    world.anchor.set(&[heads[1], heads[0]]);
    let (_, again) = world.broken();
    assert_eq!(again.head, broken.head, "a kill may have come before anybody heard of it");
    world.quietly();
}

#[test]
fn a_log_that_was_set_aside_and_changed_since_counts_no_more() {
    let (mut world, heads) = World::with(3);
    let whole = world.bytes();
    world.put(&whole[..starts(&whole)[2]]);
    drop(world.broken());
    let name = world.set_aside().remove(0);
    let path = world.folder().join(&name);
    let mut bytes = std::fs::read(&path).expect("it is there");
    bytes[30] ^= 1;
    std::fs::write(&path, bytes).expect("it can be written");
    let mut log = world.quietly();
    let chain = log.chain().expect("it can be read");
    assert_eq!(chain.report().lost, [name]);
    assert_eq!(chain.receipt(heads[0].line).expect("it can be read"), None);
}

#[test]
fn a_chain_of_breaks_is_read_back_to_its_beginning() {
    let (mut world, heads) = World::with(2);
    let mut last = heads[1];
    for number in 10..13 {
        let bytes = world.bytes();
        world.put(&bytes[..bytes.len() - 1]);
        let (mut log, broken) = world.broken();
        assert_eq!((broken.said.reason, broken.head.seq), (Reason::Shorter, last.seq + 1));
        assert_eq!(broken.said.aside.map(|aside| aside.bad), Some(0), "it lacked a line feed");
        last = world.approve(&mut log, number).head;
    }
    let chain = Chain::read(world.folder(), None, &[]).expect("it can be read");
    assert_eq!(chain.report().breaks.len(), 3);
    for number in [1, 2, 10, 11, 12] {
        let found = chain.of_request(request(number)).expect("it can be read");
        let mark = (number < 12).then_some(Mark::BeforeBreak);
        assert_eq!(found.iter().map(|found| found.mark).collect::<Vec<_>>(), [mark], "{number}");
    }
    assert_eq!(chain.receipt(digest("another")).expect("it can be read"), None);
}

#[test]
fn an_empty_folder_has_an_empty_chain() {
    let world = World::new();
    let chain = Chain::read(world.folder(), None, &[]).expect("nothing is no error");
    assert_eq!((chain.report().lines, chain.report().head), (0, None));
    assert!(world.set_aside().is_empty() && !world.path().exists(), "looking makes nothing");
}
