//! Tests of pieces of a log: where one is whole, torn or wrong.

use gate_core::Timestamp;

use super::*;
use crate::kinds::Said;
use crate::proof::Proof;
use crate::testing::{AT, HOME, approval, digest};

/// A chain of so many receipts, each as it stands in the file.
fn chain(length: u64) -> Vec<String> {
    let mut lines = Vec::new();
    let mut prev = None;
    for seq in 1..=length {
        let said = Said::Decided(approval(u128::from(seq), AT));
        let line = Line { home: HOME, seq, prev, at: AT, step: None, said, proof: Proof::None {} };
        prev = Some(line.digest().expect("it can be written"));
        lines.push(line.canonical().expect("it can be written") + "\n");
    }
    lines
}

fn head(line: &str) -> Head {
    parsed(line.trim_end().as_bytes(), HOME).expect("it is a line").1
}

/// Another line of that number, with the same link.
fn forged(line: &str) -> String {
    let (mut line, _) = parsed(line.trim_end().as_bytes(), HOME).expect("it is a line");
    let Said::Decided(decided) = &mut line.said else { panic!("it is a receipt") };
    decided.reply = digest("forged");
    line.canonical().expect("it can be written") + "\n"
}

/// Goes on after a line with receipts that nobody gave.
fn continued(line: &str, length: u64) -> Vec<String> {
    let mut last = head(line);
    let next = |_| {
        let (seq, prev) = (last.seq + 1, Some(last.line));
        let said = Said::Decided(approval(99, AT));
        let line = Line { home: HOME, seq, prev, at: AT, step: None, said, proof: Proof::None {} };
        last = line.head().expect("it can be written");
        line.canonical().expect("it can be written") + "\n"
    };
    (0..length).map(next).collect()
}

fn read(lines: &[String], heads: &[Head]) -> Pieces {
    Pieces::read(lines.concat().as_bytes(), HOME, heads)
}

/// The places in the file of lines that don't count.
fn discounted(pieces: &Pieces) -> Vec<usize> {
    let places = pieces.all.iter().enumerate();
    places.filter(|(_, piece)| !piece.counts).map(|(at, _)| at).collect()
}

fn problems(pieces: &Pieces) -> Vec<(usize, &'static str)> {
    let word = |wrong: &Wrong| match wrong {
        Wrong::NoLine(_) => "no line",
        Wrong::OtherHome => "other home",
        Wrong::Unlinked => "unlinked",
        Wrong::NoBeginning => "no beginning",
        Wrong::Contradicted(_) => "contradicted",
        Wrong::Missing(_) => "missing",
    };
    pieces.problems.iter().map(|problem| (problem.line, word(&problem.wrong))).collect()
}

#[test]
fn nothing_is_wrong_with_a_whole_chain() {
    let lines = chain(5);
    let pieces = read(&lines, &[head(&lines[4]), head(&lines[3])]);
    assert_eq!((problems(&pieces), discounted(&pieces)), (vec![], vec![]));
    assert_eq!(pieces.until, Some(head(&lines[4])));
    assert_eq!(pieces.whole, u64::try_from(lines.concat().len()).expect("it fits"));
}

#[test]
fn a_changed_line_is_told_from_its_neighbours() {
    let original = chain(5);
    let newest = [head(&original[4]), head(&original[3])];
    for at in 0..5 {
        let mut lines = original.clone();
        lines[at] = forged(&original[at]);
        let pieces = read(&lines, &newest);
        assert!(!pieces.problems.is_empty(), "line {at} isn't what was written");
        assert_eq!(discounted(&pieces), [at], "and only that one doesn't count");
    }
}

#[test]
fn without_anchors_neither_of_two_last_lines_that_disagree_counts() {
    let mut lines = chain(5);
    lines[3] = forged(&lines[3]);
    let pieces = read(&lines, &[]);
    assert_eq!((problems(&pieces), discounted(&pieces)), (vec![(5, "unlinked")], vec![3, 4]));
}

#[test]
fn what_is_no_line_takes_nothing_else_with_it() {
    let original = chain(5);
    for at in 0..5 {
        let mut lines = original.clone();
        lines[at] = "{}\n".to_owned();
        let pieces = read(&lines, &[head(&original[4])]);
        assert_eq!(discounted(&pieces), [at]);
        let mut expected = vec![(at + 1, "no line")];
        if at == 4 {
            expected.push((6, "missing"));
        }
        assert_eq!(problems(&pieces), expected);
    }
}

#[test]
fn a_chain_that_was_written_anew_is_worth_what_anchors_know_of_it() {
    let original = chain(6);
    let mut anew = original[..2].to_vec();
    anew.extend(continued(&original[1], 4));
    let newest = head(&original[5]);
    let pieces = read(&anew, &[newest]);
    assert_eq!(problems(&pieces), [(6, "contradicted")]);
    assert_eq!(discounted(&pieces), [0, 1, 2, 3, 4, 5], "nobody knows which of them were there");
    let pieces = read(&anew, &[newest, head(&original[1])]);
    assert_eq!(discounted(&pieces), [2, 3, 4, 5], "an older head vouches for what leads to it");
}

#[test]
fn what_follows_a_gap_counts_as_far_as_anchors_know_it() {
    let original = chain(6);
    let lines = [&original[..2], &original[4..]].concat();
    let pieces = read(&lines, &[head(&original[5])]);
    assert_eq!((problems(&pieces), discounted(&pieces)), (vec![(3, "unlinked")], vec![]));
    let pieces = read(&lines, &[]);
    assert_eq!(discounted(&pieces), [2, 3]);
}

#[test]
fn lines_that_stand_there_twice_count_once() {
    let original = chain(4);
    let lines = [&original[..], &original[1..3]].concat();
    let pieces = read(&lines, &[]);
    assert_eq!((problems(&pieces), discounted(&pieces)), (vec![(5, "unlinked")], vec![4, 5]));
}

#[test]
fn a_chain_that_goes_on_elsewhere_after_an_anchor_is_not_believed() {
    let original = chain(4);
    let lines = [&original[..], &continued(&original[2], 3)].concat();
    let pieces = read(&lines, &[head(&original[3])]);
    assert_eq!(discounted(&pieces), [4, 5, 6], "the anchor knows the other line 4");
}

#[test]
fn another_home_s_lines_are_nobody_s() {
    let lines = chain(2);
    let other = HomeId(uuid::Uuid::from_u128(7));
    let pieces = Pieces::read(lines.concat().as_bytes(), other, &[]);
    assert_eq!((problems(&pieces), discounted(&pieces)), (vec![(1, "other home"), (2, "other home")], vec![0, 1]));
}

#[test]
fn a_chain_begins_at_its_beginning() {
    let lines = chain(3);
    let pieces = read(&lines[1..], &[]);
    assert_eq!((problems(&pieces), discounted(&pieces)), (vec![(1, "no beginning")], vec![]));
}

#[test]
fn a_last_line_without_its_end_is_torn_unless_an_anchor_knows_it() {
    let lines = chain(3);
    let text = lines.concat();
    let cut = &text.as_bytes()[..text.len() - 1];
    let pieces = Pieces::read(cut, HOME, &[head(&lines[1])]);
    assert_eq!((problems(&pieces), pieces.all.len()), (vec![], 2));
    let pieces = Pieces::read(cut, HOME, &[head(&lines[2])]);
    assert_eq!((problems(&pieces), discounted(&pieces)), (vec![(3, "missing")], vec![]), "it counts");
}

#[test]
fn a_hole_of_zeros_is_torn() {
    let text = chain(3).concat();
    let mut bytes = text.clone().into_bytes();
    let start = whole_lines(&bytes[..bytes.len() - 1]);
    bytes[start..start + 100].fill(0);
    assert_eq!(whole_lines(&bytes), start, "the file was longer before the line was there");
    bytes[10] = 0;
    assert_eq!(whole_lines(&bytes), start, "further in front it is damage");
    assert_eq!(whole_lines(text.as_bytes()), text.len());
    assert_eq!((whole_lines(b""), whole_lines(b"x"), whole_lines(b"\n"), whole_lines(b"\0\n")), (0, 0, 1, 0));
}

#[test]
fn clocks_that_were_set_are_told() {
    let mut prev = None;
    let mut text = String::new();
    let moments = [(0, None), (10_000, None), (-60_000, None), (50_000, Some(40_000)), (49_000, None)];
    for (seq, (millis, step)) in (1..).zip(moments) {
        let at = Timestamp(AT.0 + millis);
        let said = Said::Decided(approval(1, at));
        let line = Line { home: HOME, seq, prev, at, step, said, proof: Proof::None {} };
        prev = Some(line.digest().expect("it can be written"));
        text += &(line.canonical().expect("it can be written") + "\n");
    }
    let steps = Pieces::read(text.as_bytes(), HOME, &[]).steps;
    assert_eq!(steps, [Step { seq: 3, millis: -70_000 }, Step { seq: 4, millis: 40_000 }], "said, or seen");
}

#[test]
fn every_flipped_byte_is_found_and_costs_no_other_line() {
    let lines = chain(5);
    let text = lines.concat().into_bytes();
    let heads = [head(&lines[4]), head(&lines[3])];
    let ends: Vec<usize> = (0..text.len()).filter(|at| text[*at] == b'\n').collect();
    for at in 0..text.len() {
        let mut bytes = text.clone();
        bytes[at] ^= 1 << (at % 8);
        let pieces = Pieces::read(&bytes, HOME, &heads);
        assert!(!pieces.problems.is_empty(), "byte {at}");
        let hit = ends.iter().filter(|end| **end < at).count();
        // Without the line feed between them, two lines are one.
        let both = text[at] == b'\n' && hit < 4;
        let expected: Vec<u64> =
            (0..5).filter(|line| *line != hit && !(both && *line == hit + 1)).map(|line| line as u64 + 1).collect();
        let counting: Vec<u64> = pieces.counting().map(|(_, _, head)| head.seq).collect();
        assert_eq!(counting, expected, "byte {at} of line {hit}");
    }
}
