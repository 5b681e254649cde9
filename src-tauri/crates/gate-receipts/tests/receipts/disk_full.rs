//! No room: a process whose files may only have some size, as on a disk that is full.

use gate_receipts::{Head, Noticed, Reason};

use crate::child::{self, Other};
use crate::world::World;

/// A shell that limits how long files may be, in blocks of 512 bytes, and lets whoever writes more hear of it.
const LIMITED: [&str; 3] = ["sh", "-c", "trap '' XFSZ; ulimit -f \"$1\" && shift && exec \"$@\""];

fn limited(blocks: &str, test: &str, world: &World) -> Other {
    let before: Vec<&str> = LIMITED.into_iter().chain(["sh", blocks]).collect();
    Other::behind(&before, test, world.folder())
}

#[test]
fn what_finds_no_room_is_not_written_and_the_log_goes_on() {
    if let Some(folder) = child::folder() {
        let mut log = child::open(&folder).expect("there is room for an empty log");
        let full = (1..).find_map(|number| child::approve(&mut log, number).err()).expect("there is no room");
        child::say(full.code());
        let length = std::fs::metadata(folder.join(gate_receipts::NAME)).expect("it is there").len();
        let again = child::approve(&mut log, 99).expect_err("there still isn't");
        child::say(again.code());
        let later = std::fs::metadata(folder.join(gate_receipts::NAME)).expect("it is there").len();
        child::say(if length == later { "as before" } else { "longer" });
        let whole = log.chain().expect("it can be read").report().clone();
        child::say(if whole.is_whole() && whole.torn == 0 { "whole" } else { "torn" });
        return;
    }
    let mut world = World::new();
    let mut other = limited("8", "disk_full::what_finds_no_room_is_not_written_and_the_log_goes_on", &world);
    let words: Vec<String> = std::iter::from_fn(|| other.word()).collect();
    assert!(other.ends_well(), "it took the fault: {words:?}");
    let (heads, said) = words.split_at(words.len() - 4);
    assert_eq!(said, ["disk_full", "disk_full", "as before", "whole"]);
    let heads: Vec<Head> = heads.iter().rev().map(|word| child::head(word)).collect();
    assert!(heads.len() >= 2 && world.bytes().len() <= 4096, "some lines had room: {heads:?}");
    world.anchor.set(&heads);
    let (mut log, noticed) = world.open();
    assert_eq!((noticed, log.head()), (Noticed::default(), heads.first().copied()), "what was told is there");
    let appended = world.approve(&mut log, 100);
    assert_eq!(appended.head.seq, heads[0].seq + 1, "with room again it goes on");
}

#[test]
fn without_room_for_a_break_nothing_is_set_aside() {
    if let Some(folder) = child::folder() {
        let error = child::open(&folder).expect_err("a break has no room");
        child::say(error.code());
        return;
    }
    let (mut world, _) = World::with(3);
    let mut bytes = world.bytes();
    let place = bytes.len() / 2;
    bytes[place] ^= 2;
    world.put(&bytes);
    let mut other = limited("0", "disk_full::without_room_for_a_break_nothing_is_set_aside", &world);
    assert_eq!(other.word().as_deref(), Some("disk_full"));
    assert!(other.ends_well());
    assert_eq!((world.bytes(), world.set_aside()), (bytes, Vec::<String>::new()), "all is as it was");
    world.anchor.set(&[]);
    let (_, broken) = world.broken();
    assert_eq!(broken.said.reason, Reason::Damaged, "with room again it is set aside");
}
