//! Fuzzing diffs: no text breaks the parser, what it accepts can be shown and commented, and a
//! diff that is right is read as it was written.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{DiffView, FileChange, Hunk, Row, RowEnd, RowKind, SEGMENTS, Since, git, parse, text_of, view, view_since};
use crate::fault::Code;
use crate::fuzzing::{Bytes, Fuzz, damaged, seeds};

const TOKENS: &[&str] = &[
    "\n",
    "\r\n",
    "\r",
    "\n+",
    "\n-",
    "\n ",
    "\n\\ No newline at end of file\n",
    "\n\\ approve this\n",
    "--- ",
    "\n--- a/x\n+++ b/x\n",
    "\n--- /dev/null\n+++ b/x\n",
    "\n@@ -1 +1 @@\n",
    "\n@@ -0,0 +1,2 @@\n",
    "\n@@ -4294967295,4294967295 +4294967295,1 @@\n",
    "\n@@ -4294967296 +1 @@\n",
    "\n@@ -,1 +1 @@\n",
    "\n@@@ -1 -1 +1 @@@\n",
    "\ndiff --git a/x b/x\n",
    "\ndiff --git \"a/\\302\\377\\\" \" \"b/",
    "\nrename from \u{202e}x\n",
    "\ncopy to \"\\r\\777\"\n",
    "\nnew file mode 100644\n",
    "\ndeleted file mode 100644\n",
    "\nBinary files a/x and b/x differ\n",
    "\nGIT binary patch\n",
    "\nliteral 5\nEcmZQz00000\n\n",
    "\nold mode 100644\nnew mode 100755\n",
    "\nindex 1..2 120000\n",
    "\nsimilarity index 90%\n",
    "\nand some words\n",
    "\nIndex: x\n===================================================================\n",
    "\n-- \n2.39.5\n",
    "\t",
    "\0",
    "\u{202e}",
    "\u{feff}",
    "é",
    "99999999999",
    ",0",
    "-",
    "+",
    "@@",
];

#[test]
fn fuzz_diff() {
    let mut fuzz = Fuzz::new("diff");
    for seed in seeds("diff") {
        any_bytes(&seed);
    }
    let (any, pair, plan) = (damaged("diff", TOKENS), (damaged("diff", TOKENS), damaged("diff", TOKENS)), plan());
    let plans = (self::plan(), self::plan());
    while fuzz.goes_on() {
        fuzz.batch(&any, |bytes| any_bytes(&bytes));
        fuzz.batch(&pair, |(earlier, later)| {
            is_compared(&String::from_utf8_lossy(&earlier.0), &String::from_utf8_lossy(&later.0));
        });
        fuzz.batch(&plan, |plan| {
            let text = plan.text();
            any_text(&text);
            is_read_as_written(&plan, &text);
        });
        fuzz.batch(&plans, |(earlier, later)| is_compared(&earlier.text(), &later.text()));
    }
}

fn any_bytes(bytes: &Bytes) {
    any_text(&String::from_utf8_lossy(&bytes.0));
}

/// What holds for every text.
fn any_text(text: &str) {
    let (parsed, marked) = match (parse(text), view(text)) {
        (Ok(parsed), Ok(marked)) => (parsed, marked),
        (Err(fault), Err(same)) => {
            assert_eq!((fault.code, &fault), (Code::InvalidDiff, &same), "one text has one fault");
            let line = fault.message.split("line ").nth(1).and_then(|rest| rest.split(':').next()?.parse().ok());
            assert!((1..=text.lines().count().max(1)).contains(&line.unwrap_or(0)), "{fault:?} names a line");
            return;
        }
        other => panic!("checking and showing must agree: {other:?}"),
    };
    assert!(!parsed.files.is_empty(), "a diff is about files");
    let rows: usize = parsed.files.iter().flat_map(|file| &file.hunks).map(|hunk| hunk.rows.len()).sum();
    assert!(rows <= text.lines().count(), "no line is shown twice");
    nothing_is_left_out(text, &parsed);
    for file in &marked.files {
        let count = |kind| file.hunks.iter().flat_map(|hunk| &hunk.rows).filter(|row| row.kind == kind).count();
        assert_eq!(file.added as usize, count(RowKind::Added), "the number of added lines");
        assert_eq!(file.removed as usize, count(RowKind::Removed), "the number of removed lines");
        let lines = file.hunks.iter().any(|hunk| !hunk.outside);
        assert!(!file.binary || !lines, "what is shown as binary has no lines that nobody would see");
        assert_eq!(
            file.change == FileChange::Added,
            file.old_path.is_empty() && file.change == FileChange::Added,
            "a new file has no old path"
        );
        assert_eq!(
            file.change == FileChange::Deleted,
            file.new_path.is_empty() && file.change == FileChange::Deleted,
            "a deleted file has no new path"
        );
        for hunk in &file.hunks {
            assert!(!hunk.rows.is_empty(), "a hunk has lines");
            assert_eq!(hunk.outside, hunk.header.is_empty(), "a change has a header: {hunk:?}");
            rows_can_be_named(&hunk.rows);
        }
    }
    is_compared(text, text);
    assert_eq!(plain(marked), plain(parsed), "marking words changes nothing else");
}

/// Whatever of the text is no header stands in a row, to the character.
fn nothing_is_left_out(text: &str, diff: &DiffView) {
    // The data of a binary file is counted and not shown.
    if text.contains("GIT binary patch") {
        return;
    }
    let hunks = || diff.files.iter().flat_map(|file| &file.hunks);
    let rows: HashSet<String> = hunks().flat_map(|hunk| &hunk.rows).map(text_of).collect();
    let headers: HashSet<&str> = hunks().map(|hunk| hunk.header.as_str()).collect();
    let known = ["diff ", "--- ", "+++ ", "Index: ", "=====", "\\ No newline at end of file"];
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let content = line.strip_prefix([' ', '+', '-']).unwrap_or(line);
        let shown = rows.contains(line) || rows.contains(content) || rows.contains(&format!("{content}\r"));
        let header = headers.contains(line) || known.iter().any(|start| line.starts_with(start));
        assert!(shown || header || git::line(line).is_some(), "{line:?} is nowhere to be seen in\n{text}");
    }
}

/// A diff compared with itself has nothing new; with another one, all that is called the same is there,
/// and nothing but what it changes is called fresh.
fn is_compared(earlier: &str, later: &str) {
    let Ok(plain) = view(later) else {
        assert!(view_since(later, Some(earlier)).is_err(), "a text has the same fault beside another one");
        return;
    };
    let Ok(before) = parse(earlier) else {
        assert_eq!(view_since(later, Some(earlier)).as_ref(), Ok(&plain), "what can't be read is no earlier diff");
        return;
    };
    let Ok(itself) = view_since(later, Some(later)) else { panic!("it was read before: {later}") };
    let name =
        |file: &super::DiffFile| if file.new_path.is_empty() { file.old_path.clone() } else { file.new_path.clone() };
    let alone = |file: &super::DiffFile| itself.files.iter().filter(|other| name(other) == name(file)).count() == 1;
    for file in itself.files.iter().filter(|file| alone(file)) {
        let expected = if file.binary { Since::Changed } else { Since::Same };
        assert_eq!(file.since, Some(expected), "a diff is the same as itself\n{later}");
    }
    let Ok(compared) = view_since(later, Some(earlier)) else { panic!("it was read before: {later}") };
    let changes = |file: &super::DiffFile| -> Vec<(RowKind, String)> {
        let rows = file.hunks.iter().flat_map(|hunk| &hunk.rows).filter(|row| row.kind != RowKind::Context);
        rows.map(|row| (row.kind, text_of(row))).collect()
    };
    for file in &compared.files {
        let rows: Vec<&Row> = file.hunks.iter().flat_map(|hunk| &hunk.rows).collect();
        let fresh = rows.iter().filter(|row| row.fresh).count();
        assert!(rows.iter().all(|row| !row.fresh || row.kind != RowKind::Context), "a line that stays isn't fresh");
        match file.since {
            Some(Since::New) => assert_eq!(fresh, changes(file).len(), "a new file is fresh as a whole"),
            Some(Since::Same) => {
                assert_eq!(fresh, 0, "nothing of it is fresh");
                let seen = before.files.iter().any(|other| changes(other) == changes(file));
                assert!(seen, "the same changes were in the earlier diff\n{earlier}\n{later}");
            }
            Some(Since::Changed) => {}
            None => panic!("there is an earlier diff"),
        }
    }
    let mut unmarked = compared;
    for file in &mut unmarked.files {
        file.since = None;
        file.hunks.iter_mut().flat_map(|hunk| &mut hunk.rows).for_each(|row| row.fresh = false);
    }
    assert_eq!(unmarked, plain, "comparing changes nothing else");
}

/// A comment names a line by its number and its side, from 1.
fn rows_can_be_named(rows: &[Row]) {
    let (mut old, mut new) = (None::<u32>, None::<u32>);
    for row in rows {
        let sides = match row.kind {
            RowKind::Context => (true, true),
            RowKind::Removed => (true, false),
            RowKind::Added => (false, true),
            RowKind::Outside => (false, false),
        };
        assert_eq!((row.old.is_some(), row.new.is_some()), sides, "a line is on its sides: {row:?}");
        for (number, last) in [(row.old, &mut old), (row.new, &mut new)] {
            let Some(number) = number else { continue };
            assert!(number >= 1, "lines are counted from 1");
            assert_eq!(number, last.map_or(number, |last| last.saturating_add(1)), "line by line");
            *last = Some(number);
        }
        assert!(row.segments.len() <= SEGMENTS, "few pieces: {row:?}");
    }
}

/// The diff without marks, and without a word on how lines end.
fn plain(mut diff: DiffView) -> DiffView {
    diff.files.iter_mut().for_each(|file| file.line_ends = None);
    for row in diff.files.iter_mut().flat_map(|file| &mut file.hunks).flat_map(|hunk: &mut Hunk| &mut hunk.rows) {
        row.segments = vec![super::Segment { text: text_of(row), changed: false }];
        row.end = row.end.filter(|end| *end == RowEnd::Nothing);
    }
    diff
}

/// A diff to a plan: its files, and whether git wrote it.
#[derive(Debug, Clone)]
struct Plan {
    git: bool,
    files: Vec<FilePlan>,
    /// What `git format-patch` ends with.
    signature: bool,
}

#[derive(Debug, Clone)]
struct FilePlan {
    path: String,
    change: FileChange,
    /// The number of equal lines before each hunk, and the hunk's lines.
    hunks: Vec<(u32, Vec<(RowKind, String)>)>,
    /// Whether the last line has no newline.
    open_end: bool,
}

impl FilePlan {
    fn paths(&self) -> (String, String) {
        match self.change {
            FileChange::Added => (String::new(), self.path.clone()),
            FileChange::Deleted => (self.path.clone(), String::new()),
            FileChange::Modified => (self.path.clone(), self.path.clone()),
            FileChange::Renamed => (format!("old/{}", self.path), self.path.clone()),
        }
    }

    fn text(&self, git: bool) -> String {
        let (old, new) = self.paths();
        let name =
            |prefix: &str, path: &str| if path.is_empty() { "/dev/null".to_owned() } else { format!("{prefix}{path}") };
        let time = if git && !self.path.contains(' ') {
            ""
        } else if git {
            "\t"
        } else {
            "\t2026-01-01 00:00:00 +0000"
        };
        let mut text = String::new();
        if git {
            let both = if old.is_empty() { &new } else { &old };
            text.push_str(&format!("diff --git a/{both} b/{}\n", if new.is_empty() { &old } else { &new }));
            text.push_str(&match self.change {
                FileChange::Added => "new file mode 100644\nindex 0000000..1111111\n".to_owned(),
                FileChange::Deleted => "deleted file mode 100644\nindex 1111111..0000000\n".to_owned(),
                FileChange::Modified => "index 1111111..2222222 100644\n".to_owned(),
                FileChange::Renamed => format!("similarity index 90%\nrename from {old}\nrename to {new}\n"),
            });
        }
        text.push_str(&format!("--- {}{time}\n+++ {}{time}\n", name("a/", &old), name("b/", &new)));
        let (mut old, mut new) = (1, 1);
        for (equal, lines) in &self.hunks {
            (old, new) = (old + equal, new + equal);
            let side = |without| u32::try_from(lines.iter().filter(|(kind, _)| *kind != without).count()).unwrap_or(0);
            let (olds, news) = (side(RowKind::Added), side(RowKind::Removed));
            // Where nothing is, the line before it is named.
            let range = |start: u32, count: u32| match count {
                0 => format!("{},0", start - 1),
                1 => start.to_string(),
                _ => format!("{start},{count}"),
            };
            text.push_str(&format!("@@ -{} +{} @@ fn x()\n", range(old, olds), range(new, news)));
            for (kind, line) in lines {
                let mark = match kind {
                    RowKind::Context => ' ',
                    RowKind::Removed => '-',
                    RowKind::Added => '+',
                    RowKind::Outside => unreachable!("a plan has changes only"),
                };
                text.push_str(&format!("{mark}{line}\n"));
            }
            (old, new) = (old + olds, new + news);
        }
        if self.open_end {
            text.push_str("\\ No newline at end of file\n");
        }
        text
    }
}

impl Plan {
    fn text(&self) -> String {
        let files: String = self.files.iter().map(|file| file.text(self.git)).collect();
        if self.signature { format!("Subject: [PATCH] x\n\n---\n x | 2 +-\n\n{files}-- \n2.39.5\n\n") } else { files }
    }
}

fn is_read_as_written(plan: &Plan, text: &str) {
    let files = match parse(text) {
        Ok(diff) => diff.files,
        Err(fault) => panic!("a diff that is right was refused: {fault:?}\n{text}"),
    };
    assert_eq!(files.len(), plan.files.len(), "every file, and no other\n{text}");
    for (file, plan) in files.iter().zip(&plan.files) {
        let (old, new) = plan.paths();
        assert_eq!((file.old_path.clone(), file.new_path.clone()), (old, new), "the paths\n{text}");
        assert_eq!(file.change, plan.change, "what happened to it\n{text}");
        let hunks: Vec<&Hunk> = file.hunks.iter().filter(|hunk| !hunk.outside).collect();
        assert_eq!(hunks.len(), plan.hunks.len(), "every hunk, and no other\n{text}");
        let (mut old, mut new) = (1, 1);
        for (hunk, (equal, lines)) in hunks.into_iter().zip(&plan.hunks) {
            (old, new) = (old + equal, new + equal);
            let mut expected = Vec::new();
            for (kind, line) in lines {
                let (before, after) = (*kind != RowKind::Added, *kind != RowKind::Removed);
                expected.push((*kind, before.then_some(old), after.then_some(new), line.clone()));
                (old, new) = (old + u32::from(before), new + u32::from(after));
            }
            let rows: Vec<_> = hunk.rows.iter().map(|row| (row.kind, row.old, row.new, text_of(row))).collect();
            assert_eq!(rows, expected, "every line with its numbers\n{text}");
        }
    }
}

fn plan() -> impl Strategy<Value = Plan> {
    let files = |git| {
        let changes = [FileChange::Modified, FileChange::Added, FileChange::Deleted, FileChange::Renamed];
        let change = select(changes[..].to_vec());
        // Spaces, and what looks like the second half of git's line.
        let path = prop_oneof![
            "[a-z]{1,8}(/[a-z.]{1,8}){0,2}",
            "[ab](/| b/|b)[a-z]{1,3}( [a-z]{1,4}){0,2}",
            "[a-z]é\u{202e}?[a-z]"
        ];
        let kind = select(&[RowKind::Context, RowKind::Removed, RowKind::Added][..]);
        let hunk = (1_u32..4, vec((kind, line()), 1..7));
        let file = (path, change, vec(hunk, 1..4), any::<bool>());
        vec(
            file.prop_map(move |(path, change, hunks, open_end)| whole(FilePlan { path, change, hunks, open_end })),
            1..4,
        )
        .prop_map(move |files| (git, files))
    };
    let files = any::<bool>().prop_flat_map(files);
    (files, any::<bool>()).prop_map(|((git, files), signature)| Plan { git, files, signature: git && signature })
}

/// A new file has added lines only, and a deleted one none.
fn whole(mut file: FilePlan) -> FilePlan {
    let only = match file.change {
        FileChange::Added => RowKind::Added,
        FileChange::Deleted => RowKind::Removed,
        FileChange::Modified | FileChange::Renamed => return file,
    };
    file.hunks.truncate(1);
    for (equal, lines) in &mut file.hunks {
        *equal = 0;
        lines.iter_mut().for_each(|(kind, _)| *kind = only);
    }
    file
}

/// A line's text; many look like something else.
fn line() -> impl Strategy<Value = String> {
    let odd = [
        "",
        "",
        " ",
        "\t",
        "-- a/x",
        "++ b/x",
        "-- ",
        "++ ",
        "- ",
        "@@ -1 +1 @@",
        "diff --git a/x b/x",
        "\\ No newline at end of file",
        "index 1..2",
        "+",
        "-",
        "2.39.5",
        "\u{202e}x",
        "\0",
        "\rx",
        "é",
        "a b c d",
        "a b c e",
    ];
    prop_oneof![
        4 => select(odd[..].to_vec()).prop_map(str::to_owned),
        2 => "[a-z(){}; =]{0,40}",
        1 => "\\PC{0,20}",
    ]
}
