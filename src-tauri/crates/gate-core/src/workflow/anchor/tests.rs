//! Where in a diff things are put: by number, by what is quoted, and for random diffs in one hunk.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::diff::{RowKind, parse};

const DIFF: &str = "\
diff --git a/src/a.rs b/src/a.rs
--- a/src/a.rs
+++ b/src/a.rs
@@ -10,4 +10,5 @@ fn a() {
 fn a() {
-    one();
+    two();
+    three();
     done();
 }
@@ -50,3 +51,3 @@
     done();
-    old();
+    new();
 }
diff --git a/src/old.rs b/src/new.rs
similarity index 90%
rename from src/old.rs
rename to src/new.rs
--- a/src/old.rs
+++ b/src/new.rs
@@ -1,2 +1,2 @@
-a
+b
 c
diff --git a/gone.rs b/gone.rs
deleted file mode 100644
--- a/gone.rs
+++ /dev/null
@@ -1,2 +0,0 @@
-x
-y
";

fn sought(file: &str) -> Sought<'_> {
    Sought { file: Some(file), ..Sought::default() }
}

/// Where it is put: the kind, the lines, the side, what is nearest.
type Put = (AnchorKind, Option<(u32, u32)>, Option<Side>, Option<u32>);

fn placed(sought: &Sought<'_>) -> Put {
    let anchor = place(sought, &parse(DIFF).expect("it is a diff")).anchor;
    (anchor.kind, anchor.line.zip(anchor.end_line), anchor.side, anchor.nearest)
}

#[test]
fn a_line_of_a_hunk_is_taken_and_another_one_goes_to_its_file_with_the_nearest() {
    let at = |line, end_line, side| placed(&Sought { line: Some(line), end_line, side, ..sought("src/a.rs") });
    let line = |lines, side| (AnchorKind::Line, Some(lines), Some(side), None);
    assert_eq!(at(11, None, None), line((11, 11), Side::New), "after the change where no side is said");
    assert_eq!(at(11, None, Some(Side::Old)), line((11, 11), Side::Old));
    assert_eq!(at(10, Some(13), None), line((10, 13), Side::New), "several in one hunk");
    assert_eq!(at(12, Some(52), None), line((12, 14), Side::New), "as far as the hunk goes");
    assert_eq!(at(30, None, None), (AnchorKind::File, None, None, Some(14)), "between the hunks");
    assert_eq!(at(40, Some(60), None), (AnchorKind::File, None, None, Some(51)), "it begins in none");
    assert_eq!(at(13, None, Some(Side::Old)), line((13, 13), Side::Old), "the last of its side");
    assert_eq!(at(14, None, Some(Side::Old)), (AnchorKind::File, None, None, Some(13)));
}

#[test]
fn what_is_quoted_wins_over_the_number() {
    let at = |snippet, line, side| placed(&Sought { snippet: Some(snippet), line, side, ..sought("src/a.rs") });
    let line = |lines, side| (AnchorKind::Line, Some(lines), Some(side), None);
    assert_eq!(at("    two();\n    three();", Some(51), None), line((11, 12), Side::New));
    assert_eq!(at("    done();", None, None), line((13, 13), Side::New), "the first of several");
    assert_eq!(at("    done();", Some(49), None), line((51, 51), Side::New), "the nearest of several");
    assert_eq!(at("\n two();\r\n", None, None), line((11, 11), Side::New), "blanks don't count");
    assert_eq!(at("three", None, None), line((12, 12), Side::New), "a word of a line");
    assert_eq!(at("hree", Some(13), None), line((13, 13), Side::New), "and no part of one");
    assert_eq!(at("one();", None, None), line((11, 11), Side::Old), "what is gone is found before the change");
    assert_eq!(at("one();", Some(12), Some(Side::New)), line((12, 12), Side::New), "else the number counts");
    assert_eq!(at("nowhere", None, None), (AnchorKind::File, None, None, None));
    assert_eq!(at("nowhere", Some(45), None), (AnchorKind::File, None, None, Some(51)));
    assert_eq!(at(" \n ", Some(12), None), line((12, 12), Side::New), "nothing is quoted");
}

#[test]
fn files_are_found_by_both_paths_and_others_go_to_the_report() {
    let diff = parse(DIFF).expect("it is a diff");
    let moved = place(&Sought { line: Some(2), ..sought("./src/old.rs") }, &diff);
    let file = (moved.anchor.file.as_deref(), moved.old_file.as_deref());
    assert_eq!(file, (Some("src/new.rs"), Some("src/old.rs")), "GitLab wants both");
    assert_eq!((moved.from, moved.text.as_deref()), (Some(Point { old: Some(2), new: Some(2) }), Some("c")));
    let added = place(&Sought { line: Some(1), ..sought("src/new.rs") }, &diff);
    assert_eq!(added.to, Some(Point { old: None, new: Some(1) }), "an added line has one number");
    assert_eq!(placed(&Sought { line: Some(2), side: Some(Side::Old), ..sought("gone.rs") }).1, Some((2, 2)));
    for file in [Some("src/b.rs"), Some("a.rs"), None] {
        assert_eq!(placed(&Sought { file, line: Some(1), ..Sought::default() }).0, AnchorKind::Report, "{file:?}");
    }
    assert_eq!(placed(&sought("src/a.rs")), (AnchorKind::File, None, None, None), "no line was asked for");
}

#[test]
fn lines_that_comments_can_stand_at_and_the_numbers_beside_them() {
    let diff = parse(DIFF).expect("it is a diff");
    let ranges: Vec<_> = diff.files.iter().map(commentable).collect();
    assert_eq!(ranges, [vec![(10, 14), (51, 53)], vec![(1, 2)], vec![(1, 2)]]);
    let text = with_numbers(&diff.files[1]);
    assert_eq!(text, "@@ -1,2 +1,2 @@\n     1        -a\n            1 +b\n     2      2  c\n");
}

#[test]
fn an_anchor_is_written_with_all_of_its_fields() {
    let json = serde_json::to_string(&Anchor::report()).expect("it can be written");
    assert_eq!(json, r#"{"kind":"report","file":null,"line":null,"endLine":null,"side":null}"#);
}

/// A diff of one file: hunks of marks, each hunk so many lines behind the one before.
fn diff_of(hunks: &[(u32, Vec<char>)]) -> String {
    let mut text = "--- a/f\n+++ b/f\n".to_owned();
    let (mut old, mut new) = (1, 1);
    for (gap, marks) in hunks {
        let count = |mark| u32::try_from(marks.iter().filter(|own| **own != mark).count()).expect("few lines");
        (old, new) = (old + gap, new + gap);
        let (olds, news) = (count('+'), count('-'));
        text.push_str(&format!("@@ -{old},{olds} +{new},{news} @@\n"));
        for (at, mark) in marks.iter().enumerate() {
            text.push_str(&format!("{mark}line {}\n", at % 3));
        }
        (old, new) = (old + olds, new + news);
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lines_of_an_anchor_stand_in_one_hunk_of_their_side(
        hunks in vec((1_u32..5, vec(prop_oneof![Just(' '), Just('+'), Just('-')], 1..7)), 1..4),
        line in proptest::option::of(1_u32..40),
        length in 0_u32..6,
        side in proptest::option::of(prop_oneof![Just(Side::Old), Just(Side::New)]),
        snippet in proptest::option::of(0_usize..4),
    ) {
        let Ok(diff) = parse(&diff_of(&hunks)) else { return Ok(()) };
        let snippet = snippet.map(|at| format!("line {at}"));
        let sought = Sought { line, end_line: line.map(|line| line + length), side, snippet: snippet.as_deref(), ..sought("f") };
        let placed = place(&sought, &diff);
        let anchor = &placed.anchor;
        let rows = |side| move |hunk: &Hunk| {
            let is_there = |row: &&Row| match side {
                Side::Old => row.kind != RowKind::Added,
                Side::New => row.kind != RowKind::Removed,
            };
            hunk.rows.iter().filter(is_there).filter_map(|row| number(row, side)).collect::<Vec<_>>()
        };
        match (anchor.line, anchor.end_line, anchor.side) {
            (Some(first), Some(last), Some(side)) => {
                let lines: Vec<_> = diff.files[0].hunks.iter().map(rows(side)).collect();
                let is_in_one = lines.iter().any(|lines| (first..=last).all(|line| lines.contains(&line)));
                prop_assert!(first <= last && is_in_one, "{anchor:?} of {lines:?}");
                let numbers = (placed.from.and_then(|at| if side == Side::New { at.new } else { at.old }), placed.text.is_some());
                prop_assert_eq!(numbers, (Some(first), true));
            }
            (None, None, None) => prop_assert_eq!(anchor.kind, AnchorKind::File),
            _ => prop_assert!(false, "lines have a side: {anchor:?}"),
        }
        if let Some(near) = anchor.nearest {
            let side = side.unwrap_or(Side::New);
            let again = place(&Sought { line: Some(near), side: Some(side), snippet: None, end_line: None, ..sought }, &diff);
            prop_assert_eq!(again.anchor.line, Some(near), "what is named as nearest is taken");
        }
    }
}
