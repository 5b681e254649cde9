//! Unified diffs, as rows that a window can show: line numbers of both sides and the words that
//! changed within a line. Reads what `diff -u` and `git diff` write (GNU diffutils manual,
//! "Unified Format"; git's `diff-generate-patch`).

use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};

use crate::fault::{Code, Fault};
use crate::markdown::visible;
use extent::Ranges;

mod extent;
mod paths;
mod since;

#[cfg(test)]
mod fuzz;

/// Longest line, in bytes, in which changed words are looked for.
const WORD_LEVEL_BYTES: usize = 1000;
/// Text of a whole diff, in bytes, in which changed words are looked for; what follows has none.
const WORD_LEVEL_TOTAL_BYTES: usize = 256 * 1024;
/// Most pieces of a line; one that changed all over is not marked.
const SEGMENTS: usize = 64;
/// Share of a line pair that must be equal before its changed words are marked.
const SIMILAR_ENOUGH: f32 = 0.4;

/// A diff as the window shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DiffView {
    /// The files, in the order of the diff.
    pub files: Vec<DiffFile>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// Its content changed.
    Modified,
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// It has another path, perhaps with changes.
    Renamed,
}

/// How a file of a diff compares with an earlier diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Since {
    /// The earlier diff didn't have it.
    New,
    /// Its changes are others than in the earlier diff.
    Changed,
    /// Its changes are those of the earlier diff.
    Same,
}

/// One file of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DiffFile {
    /// The path before the change; empty for a new file.
    pub old_path: String,
    /// The path after the change; empty for a deleted file.
    pub new_path: String,
    /// What happened to it.
    pub change: FileChange,
    /// Whether git calls it binary; it has no hunks then.
    pub binary: bool,
    /// Number of added lines.
    pub added: u32,
    /// Number of removed lines.
    pub removed: u32,
    /// How it compares with the diff that the person answered before; absent where there is none.
    pub since: Option<Since>,
    /// The changed places.
    pub hunks: Vec<Hunk>,
}

/// A changed place with the lines around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Hunk {
    /// The header as it stands in the diff, e.g. `@@ -41,6 +41,10 @@ fn deliver(`.
    pub header: String,
    /// The lines.
    pub rows: Vec<Row>,
}

/// Which kind of line a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// On both sides.
    Context,
    /// Only before the change.
    Removed,
    /// Only after the change.
    Added,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Row {
    /// Its kind.
    pub kind: RowKind,
    /// Its number before the change, from 1.
    pub old: Option<u32>,
    /// Its number after the change, from 1.
    pub new: Option<u32>,
    /// Whether it changes something that the diff answered before didn't change in the same way.
    pub fresh: bool,
    /// Its text, in pieces.
    pub segments: Vec<Segment>,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Segment {
    /// The text.
    pub text: String,
    /// Whether it differs from the paired line of the other side.
    pub changed: bool,
}

/// Parses a unified diff and marks the changed words.
///
/// Counts in hunk headers may be wrong, since models miscount; line numbers follow the start
/// that the header names.
///
/// # Errors
/// `invalid_diff` with the number of the offending line.
pub fn view(text: &str) -> Result<DiffView, Fault> {
    view_since(text, None)
}

/// The same, compared with an earlier diff: what of it is new since then. An earlier diff that can't
/// be parsed is none.
///
/// # Errors
/// `invalid_diff` with the number of the offending line of `text`.
pub fn view_since(text: &str, earlier: Option<&str>) -> Result<DiffView, Fault> {
    let mut parsed = parse(text)?;
    if let Some(earlier) = earlier.and_then(|earlier| parse(earlier).ok()) {
        since::mark(&mut parsed, &earlier);
    }
    let mut budget = WORD_LEVEL_TOTAL_BYTES;
    for file in &mut parsed.files {
        for hunk in &mut file.hunks {
            mark_words(&mut hunk.rows, &mut budget);
        }
    }
    Ok(parsed)
}

/// Parses a unified diff without looking for changed words: enough to know that it is one.
///
/// # Errors
/// `invalid_diff` with the number of the offending line.
pub fn parse(text: &str) -> Result<DiffView, Fault> {
    let lines: Vec<&str> = text.lines().collect();
    let mut reader = Reader { lines: &lines, at: 0, files: Vec::new() };
    reader.read()?;
    if reader.files.is_empty() {
        return Err(invalid(1, "no file header (`--- a/…` and `+++ b/…`) was found"));
    }
    Ok(DiffView { files: reader.files })
}

struct Reader<'a> {
    lines: &'a [&'a str],
    at: usize,
    files: Vec<DiffFile>,
}

impl<'a> Reader<'a> {
    fn line(&self, offset: usize) -> Option<&'a str> {
        self.lines.get(self.at + offset).copied()
    }

    fn read(&mut self) -> Result<(), Fault> {
        while let Some(line) = self.line(0) {
            if let Some(rest) = line.strip_prefix("diff --git ") {
                self.git_header(rest);
            } else if self.at_file_header() {
                self.file_header();
            } else if line.starts_with("@@ ") || line.starts_with("@@@") {
                self.hunk()?;
            } else if self.files.last().is_some_and(|file| !file.hunks.is_empty())
                && line.starts_with(['+', '-'])
                && !extent::at_signature(self.lines, self.at)
            {
                return Err(invalid(self.at + 1, "a changed line stands outside of any hunk"));
            } else {
                self.at += 1;
            }
        }
        Ok(())
    }

    fn at_file_header(&self) -> bool {
        extent::at_file_header(self.lines, self.at)
    }

    /// `diff --git a/x b/y` with the extended header lines that follow it.
    fn git_header(&mut self, paths: &str) {
        let (old, new, prefixes) = paths::of_git_line(paths);
        let mut file = DiffFile {
            old_path: old,
            new_path: new,
            change: FileChange::Modified,
            binary: false,
            added: 0,
            removed: 0,
            since: None,
            hunks: Vec::new(),
        };
        self.at += 1;
        while let Some(line) = self.line(0) {
            if line.starts_with("diff --git ") || line.starts_with("@@ ") || self.at_file_header() {
                break;
            }
            if line.starts_with("new file mode") {
                file.change = FileChange::Added;
            } else if line.starts_with("deleted file mode") {
                file.change = FileChange::Deleted;
            } else if let Some(path) = line.strip_prefix("rename from ") {
                file.change = FileChange::Renamed;
                file.old_path = paths::of_rename(path);
            } else if let Some(path) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
                file.new_path = paths::of_rename(path);
            } else if let Some(path) = line.strip_prefix("copy from ") {
                file.old_path = paths::of_rename(path);
            } else if line.starts_with("Binary files ") || line == "GIT binary patch" {
                file.binary = true;
            }
            self.at += 1;
        }
        if self.at_file_header() {
            // These say where each path ends.
            (file.old_path, file.new_path) = self.header_paths(prefixes);
            if file.change == FileChange::Modified {
                file.change = change_of(&file.old_path, &file.new_path, FileChange::Modified);
            }
            self.at += 2;
        }
        if file.change == FileChange::Added {
            file.old_path.clear();
        }
        if file.change == FileChange::Deleted {
            file.new_path.clear();
        }
        self.files.push(file);
    }

    fn header_paths(&self, prefixes: (&str, &str)) -> (String, String) {
        paths::of_header(self.line(0).unwrap_or_default(), self.line(1).unwrap_or_default(), prefixes)
    }

    fn file_header(&mut self) {
        let (old, new) = self.header_paths(("a/", "b/"));
        let other = if old == new { FileChange::Modified } else { FileChange::Renamed };
        let change = change_of(&old, &new, other);
        self.files.push(DiffFile {
            old_path: old,
            new_path: new,
            change,
            binary: false,
            added: 0,
            removed: 0,
            since: None,
            hunks: Vec::new(),
        });
        self.at += 2;
    }

    fn hunk(&mut self) -> Result<(), Fault> {
        let number = self.at + 1;
        let header = self.line(0).unwrap_or_default();
        let Some(ranges) = Ranges::of(header) else {
            return Err(invalid(number, "the hunk header isn't `@@ -LINE,COUNT +LINE,COUNT @@`"));
        };
        if self.files.is_empty() {
            return Err(invalid(number, "a hunk stands before any file header (`--- a/…` and `+++ b/…`)"));
        }
        let end = ranges.counted_end(self.lines, self.at);
        let (mut old, mut new) = ranges.starts();
        self.at += 1;
        let mut rows = Vec::new();
        let (mut added, mut removed) = (0, 0);
        while let Some(line) = self.line(0) {
            if end.map_or_else(|| extent::ends_any_hunk(self.lines, self.at), |end| self.at >= end) {
                break;
            }
            let (kind, content) = match line.as_bytes().first() {
                None => (RowKind::Context, ""),
                Some(b' ' | b'\t') => (RowKind::Context, line.strip_prefix(' ').unwrap_or(line)),
                Some(b'+') => (RowKind::Added, &line[1..]),
                Some(b'-') => (RowKind::Removed, &line[1..]),
                Some(b'\\') => {
                    self.at += 1;
                    continue;
                }
                Some(_) if extent::trailer(line) => break,
                Some(_) => {
                    return Err(invalid(self.at + 1, "a line of a hunk must start with a space, `+`, `-` or `\\`"));
                }
            };
            let row = Row {
                kind,
                old: (kind != RowKind::Added).then_some(old),
                new: (kind != RowKind::Removed).then_some(new),
                fresh: false,
                segments: vec![Segment { text: visible(content), changed: false }],
            };
            match kind {
                RowKind::Context => {
                    old = old.saturating_add(1);
                    new = new.saturating_add(1);
                }
                RowKind::Removed => {
                    old = old.saturating_add(1);
                    removed += 1;
                }
                RowKind::Added => {
                    new = new.saturating_add(1);
                    added += 1;
                }
            }
            rows.push(row);
            self.at += 1;
        }
        while end.is_none()
            && rows
                .last()
                .is_some_and(|row| row.kind == RowKind::Context && row.segments.iter().all(|s| s.text.is_empty()))
            && self.lines.get(self.at.saturating_sub(1)).is_some_and(|line| line.is_empty())
        {
            rows.pop();
            if rows.last().is_none_or(|row| row.segments.iter().any(|s| !s.text.is_empty())) {
                break;
            }
        }
        if rows.is_empty() {
            return Err(invalid(number, "the hunk has no lines"));
        }
        if let Some(file) = self.files.last_mut() {
            file.added += added;
            file.removed += removed;
            // A window shows no lines of a binary file, and these would be hidden.
            file.binary = false;
            file.hunks.push(Hunk { header: visible(header), rows });
        }
        Ok(())
    }
}

/// What happened to a file, if a path that is missing tells it.
fn change_of(old: &str, new: &str, other: FileChange) -> FileChange {
    match (old.is_empty(), new.is_empty()) {
        (true, _) => FileChange::Added,
        (_, true) => FileChange::Deleted,
        _ => other,
    }
}

fn invalid(line: usize, what: &str) -> Fault {
    Fault::new(
        Code::InvalidDiff,
        format!("`diff` can't be parsed: line {line}: {what}."),
        "Pass the output of `git diff` or `diff -u` unchanged, or put the change into `message`.",
    )
}

/// Pairs each run of removed lines with the added lines after it and marks what differs.
fn mark_words(rows: &mut [Row], budget: &mut usize) {
    let mut at = 0;
    while at < rows.len() {
        let removed = run(rows, at, RowKind::Removed);
        let added = run(rows, at + removed, RowKind::Added);
        if removed == 0 {
            at += added.max(1);
            continue;
        }
        for pair in 0..removed.min(added) {
            let (before, after) = (at + pair, at + removed + pair);
            let (old, new) = (text_of(&rows[before]), text_of(&rows[after]));
            let Some(left) = budget.checked_sub(old.len() + new.len()) else { return };
            *budget = left;
            if let Some((old, new)) = words(&old, &new) {
                rows[before].segments = old;
                rows[after].segments = new;
            }
        }
        at += removed + added;
    }
}

fn run(rows: &[Row], from: usize, kind: RowKind) -> usize {
    rows.iter().skip(from).take_while(|row| row.kind == kind).count()
}

fn text_of(row: &Row) -> String {
    row.segments.iter().map(|segment| segment.text.as_str()).collect()
}

fn words(old: &str, new: &str) -> Option<(Vec<Segment>, Vec<Segment>)> {
    if old.len() > WORD_LEVEL_BYTES || new.len() > WORD_LEVEL_BYTES {
        return None;
    }
    let diff = TextDiff::from_unicode_words(old, new);
    if diff.ratio() < SIMILAR_ENOUGH {
        return None;
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        let text = change.value();
        match change.tag() {
            ChangeTag::Equal => {
                push(&mut before, text, false);
                push(&mut after, text, false);
            }
            ChangeTag::Delete => push(&mut before, text, true),
            ChangeTag::Insert => push(&mut after, text, true),
        }
    }
    (before.len() <= SEGMENTS && after.len() <= SEGMENTS).then_some((before, after))
}

fn push(segments: &mut Vec<Segment>, text: &str, changed: bool) {
    match segments.last_mut() {
        Some(last) if last.changed == changed => last.text.push_str(text),
        _ => segments.push(Segment { text: text.to_owned(), changed }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str =
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@ fn main\n one\n-let x = 1;\n+let y = 1;\n three\n";

    #[test]
    fn rows_carry_the_numbers_of_both_sides() {
        let diff = view(SMALL).unwrap_or_default();
        let rows = &diff.files[0].hunks[0].rows;
        let numbers: Vec<_> = rows.iter().map(|row| (row.old, row.new)).collect();
        assert_eq!(numbers, vec![(Some(1), Some(1)), (Some(2), None), (None, Some(2)), (Some(3), Some(3))]);
        assert_eq!((diff.files[0].added, diff.files[0].removed), (1, 1));
    }

    #[test]
    fn changed_words_are_marked_in_a_pair_of_similar_lines() {
        let diff = view(SMALL).unwrap_or_default();
        let marked: Vec<_> =
            diff.files[0].hunks[0].rows[2].segments.iter().filter(|s| s.changed).map(|s| s.text.as_str()).collect();
        assert_eq!(marked, vec!["y"], "only the name changed");
    }

    #[test]
    fn a_long_diff_is_shown_whole_but_marked_only_up_to_a_bound() {
        let pair = "-let a = 1; // a line of some length, so that the bound is reached\n+let b = 1; // a line of some length, so that the bound is reached\n @\n";
        let count = 10_000;
        let diff = view(&format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n{}", pair.repeat(count))).unwrap_or_default();
        let rows = &diff.files[0].hunks[0].rows;
        assert_eq!(rows.len(), 3 * count, "no line is left out");
        let marked = rows.iter().filter(|row| row.segments.iter().any(|segment| segment.changed));
        let bytes: usize = marked.map(|row| text_of(row).len()).sum();
        assert!(bytes > 0 && bytes <= WORD_LEVEL_TOTAL_BYTES, "words are marked in the first {bytes} bytes only");
        let scattered = |c: char| (0..200).map(|n| format!("w{n} {c} ")).collect::<String>();
        assert_eq!(words(&scattered('a'), &scattered('b')), None, "a line that changed all over has no marks");
    }

    #[test]
    fn git_headers_are_read() {
        let text = "diff --git a/old name.txt b/new name.txt\nsimilarity index 90%\nrename from old name.txt\nrename to new name.txt\nindex 1..2 100644\n--- a/old name.txt\n+++ b/new name.txt\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/pic.png b/pic.png\nnew file mode 100644\nindex 000..111\nBinary files /dev/null and b/pic.png differ\ndiff --git \"a/\\303\\251.txt\" \"b/\\303\\251.txt\"\ndeleted file mode 100644\n--- \"a/\\303\\251.txt\"\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n";
        let files = parse(text).unwrap_or_default().files;
        assert_eq!(files.len(), 3);
        assert_eq!(
            (files[0].change, files[0].old_path.as_str(), files[0].new_path.as_str()),
            (FileChange::Renamed, "old name.txt", "new name.txt")
        );
        assert_eq!((files[1].change, files[1].binary), (FileChange::Added, true));
        assert_eq!(
            (files[2].change, files[2].old_path.as_str(), files[2].new_path.as_str()),
            (FileChange::Deleted, "é.txt", "")
        );
    }

    #[test]
    fn removed_lines_that_look_like_headers_stay_lines() {
        let text = "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,1 @@\n--- drop the table\n select 1;\n";
        let files = parse(text).unwrap_or_default().files;
        assert_eq!(files.len(), 1, "an SQL comment that was removed is no file header");
        assert_eq!(files[0].removed, 1);
    }

    #[test]
    fn a_count_that_is_right_says_where_a_hunk_ends() {
        let text = "--- a/q.hs\n+++ b/q.hs\n@@ -1,2 +1,2 @@\n x\n--- gone\n+++ y\n@@ -9 +9 @@\n-a\n+b\n--- a/r\n+++ b/r\n@@ -1 +1 @@\n--- z\n+++ z\n";
        let files = parse(text).unwrap_or_default().files;
        let rows: Vec<usize> = files.iter().flat_map(|file| &file.hunks).map(|hunk| hunk.rows.len()).collect();
        assert_eq!((files.len(), rows), (2, vec![3, 2, 2]), "lines that look like a file's header are lines");
        let miscounted = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(parse(miscounted).unwrap_or_default().files.len(), 2, "a count too high swallows no file");
    }

    #[test]
    fn a_mailed_patch_may_end_with_its_signature() {
        let mail =
            |counts: &str| format!("---\n x | 2 +-\n\n--- a/x\n+++ b/x\n@@ {counts} @@\n-a\n+b\n-- \n2.39.5\n\n");
        for counts in ["-1 +1", "-1,4 +1,3"] {
            let files = parse(&mail(counts)).unwrap_or_default().files;
            assert_eq!(
                files.first().map(|file| (file.added, file.removed)),
                Some((1, 1)),
                "it is no line, with {counts}"
            );
        }
    }

    #[test]
    fn nothing_that_would_be_changed_is_hidden_or_without_a_number() {
        let text = "diff --git a/x b/x\nBinary files a/x and b/x differ\n@@ -0,0 +0,0 @@\n a\n-b\n+c\n";
        let file = parse(text).unwrap_or_default().files.remove(0);
        assert!(!file.binary, "a window shows no lines of a binary file");
        let numbers: Vec<_> = file.hunks[0].rows.iter().map(|row| (row.old, row.new)).collect();
        assert_eq!(numbers, [(Some(1), Some(1)), (Some(2), None), (None, Some(2))], "lines are counted from 1");
    }

    #[test]
    fn what_is_no_diff_is_named_with_its_line() {
        for (text, line) in [
            ("just words", "line 1"),
            ("@@ -1 +1 @@\n-a\n+b\n", "line 1"),
            ("--- a/x\n+++ b/x\n@@ nonsense @@\n", "line 3"),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n", "line 3"),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n?b\n", "line 5"),
        ] {
            let fault = parse(text).err();
            assert!(
                fault.as_ref().is_some_and(|f| f.code == Code::InvalidDiff && f.message.contains(line)),
                "{text:?} gave {fault:?}"
            );
        }
    }
}
