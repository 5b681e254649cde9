//! Places of made-up diffs: what the client says of them is taken by both platforms, whose readers know nothing of it; what isn't
//! in the diff is refused.

use gate_forge::{At, DiffRefs, Done, Line, LineKind, Place, PullId, Remark, Write};
use gate_platforms::{FakeGitHub, FakeGitLab, Proposed};

use crate::scene::{TOKEN, client, done, people, proposed};

/// Diffs that are made.
const DIFFS: u64 = 40;

/// A sequence that looks random, the same from the same seed (Knuth's constants for 64 bits).
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// A diff of one file with some hunks, and the lines of each.
fn made(dice: &mut Dice) -> (String, Vec<Vec<Line>>) {
    let path = ["src/a.rs", "b c/d.txt", "x.md"][usize::try_from(dice.below(3)).unwrap_or(0)];
    let mut text = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n");
    let (mut old, mut new) = (1, 1);
    let mut hunks = Vec::new();
    for _ in 0..=dice.below(3) {
        let skipped = 5 + dice.below(20);
        (old, new) = (old + skipped, new + skipped);
        let (from_old, from_new) = (old, new);
        let (mut rows, mut body) = (Vec::new(), String::new());
        for _ in 0..2 + dice.below(8) {
            let kind =
                [LineKind::Context, LineKind::Added, LineKind::Removed][usize::try_from(dice.below(3)).unwrap_or(0)];
            rows.push(Line { kind, old, new });
            // Contents that look like a diff's own lines.
            let words = ["x", "-- a/y", "++ b/y", "@@ -1 +1 @@", "diff --git a/z b/z", ""]
                [usize::try_from(dice.below(6)).unwrap_or(0)];
            let (sign, on_old, on_new) = match kind {
                LineKind::Context => (' ', 1, 1),
                LineKind::Added => ('+', 0, 1),
                LineKind::Removed => ('-', 1, 0),
            };
            body.push_str(&format!("{sign}{words}\n"));
            (old, new) = (old + on_old, new + on_new);
        }
        text.push_str(&format!("@@ -{from_old},{} +{from_new},{} @@\n{body}", old - from_old, new - from_new));
        hunks.push(rows);
    }
    (format!("{text}diff --git a/last b/last\n--- a/last\n+++ b/last\n@@ -1 +1 @@\n-a\n+b\n"), hunks)
}

fn path_of(diff: &str) -> String {
    let line = diff.lines().find_map(|line| line.strip_prefix("+++ b/"));
    line.expect("it has a name").to_owned()
}

#[test]
fn every_line_of_a_hunk_is_a_place_on_both_platforms_and_no_other_is() {
    let (hub, lab) = (FakeGitHub::start(&people()).expect("a port"), FakeGitLab::start(&people()).expect("a port"));
    let (on_hub, on_lab) = (
        client(gate_forge::Platform::GitHub, &hub.url(), TOKEN),
        client(gate_forge::Platform::GitLab, &lab.url(), TOKEN),
    );
    let of = proposed();
    let refs = DiffRefs { base: of.merge_base.clone(), start: of.base.clone(), head: of.head.clone() };
    for seed in 1..=DIFFS {
        let dice = &mut Dice(seed);
        let (diff, hunks) = made(dice);
        let path = path_of(&diff);
        let pull = PullId { project: of.project.clone(), number: seed };
        let opened = Proposed { number: seed, diff, ..of.clone() };
        hub.propose(&opened);
        lab.propose(&opened);
        let place = |start, end| Place { path: path.clone(), old_path: None, at: At::Lines { start, end } };
        let remark = |place| Remark { place, body: "Here.".to_owned() };
        let mut remarks = Vec::new();
        for rows in &hunks {
            remarks.extend(rows.iter().map(|row| remark(place(None, *row))));
            for _ in 0..3 {
                let end = usize::try_from(dice.below(rows.len() as u64)).unwrap_or(0);
                let start = usize::try_from(dice.below(end as u64 + 1)).unwrap_or(0);
                if start < end {
                    remarks.push(remark(place(Some(rows[start]), rows[end])));
                }
            }
        }
        for remark in &remarks {
            let write = Write::Place { pull: pull.clone(), review: None, refs: refs.clone(), remark: remark.clone() };
            assert!(matches!(done(&*on_lab, &write), Ok(Done::Thread { stands: true, .. })), "seed {seed}: {remark:?}");
        }
        let last = hunks.last().and_then(|rows| rows.last()).expect("a line");
        let beyond = Line { kind: LineKind::Context, old: last.old + 9, new: last.new + 9 };
        let mut with_a_bad_one = remarks.clone();
        with_a_bad_one.push(remark(place(None, beyond)));
        let begin = |remarks: &[Remark]| {
            let (pull, head, remarks) = (pull.clone(), of.head.clone(), remarks.to_vec());
            done(&*on_hub, &Write::Begin { pull, head, body: "Report.".to_owned(), remarks })
        };
        assert!(begin(&with_a_bad_one).is_err(), "seed {seed}: {beyond:?} is in no hunk");
        if let [first, .., last] = hunks.as_slice() {
            let across = place(Some(first[0]), last[last.len() - 1]);
            assert!(begin(&[remark(across)]).is_err(), "seed {seed}: a range of two hunks");
        }
        assert!(begin(&remarks).is_ok(), "seed {seed}: {remarks:?}");
        let bad = Write::Place { pull, review: None, refs: refs.clone(), remark: remark(place(None, beyond)) };
        assert!(done(&*on_lab, &bad).is_err(), "seed {seed}");
    }
}
