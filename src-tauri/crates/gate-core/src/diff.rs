//! Unified diffs, as rows that a window can show: line numbers of both sides and the words that
//! changed within a line. Reads what `diff -u` and `git diff` write (GNU diffutils manual,
//! "Unified Format"; git's `diff-generate-patch`). Texts and paths are those of the diff to the character; lines that
//! are no part of a change are rows of their own, so that nothing that was sent is left out.

use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};

use crate::fault::Fault;

pub(crate) mod align;
mod ends;
mod extent;
mod git;
mod paths;
mod reader;
mod since;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;

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
    /// What it was, as git writes modes: `100644`, `100755` for a program, `120000` for a symbolic link, `160000` for a
    /// submodule. Absent where the diff doesn't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub old_mode: Option<String>,
    /// What it is after the change, in the same words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub new_mode: Option<String>,
    /// How alike both sides of a rename or a copy are, in percent, as git counted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub similarity: Option<u8>,
    /// Whether git calls it binary; it has no changed lines then.
    pub binary: bool,
    /// Bytes of a binary file before the change, where the diff says how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub old_bytes: Option<u32>,
    /// Bytes of a binary file after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub new_bytes: Option<u32>,
    /// How its lines end, where that changes or differs from line to line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub line_ends: Option<LineEnds>,
    /// Number of added lines.
    pub added: u32,
    /// Number of removed lines.
    pub removed: u32,
    /// How it compares with the diff that the person answered before; absent where there is none.
    pub since: Option<Since>,
    /// The changed places, and what stands between them.
    pub hunks: Vec<Hunk>,
}

/// How the lines of a file end, on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LineEnds {
    /// Before the change.
    pub old: LineEnd,
    /// After it.
    pub new: LineEnd,
}

/// How lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LineEnd {
    /// With a line feed.
    Lf,
    /// With a carriage return and a line feed.
    Crlf,
    /// Some so, some otherwise.
    Mixed,
}

/// A changed place with the lines around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Hunk {
    /// The header as it stands in the diff, e.g. `@@ -41,6 +41,10 @@ fn deliver(`; empty for lines outside of changes.
    pub header: String,
    /// Whether these are lines of the diff that belong to no change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub outside: bool,
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
    /// On neither side: a line of the diff's text that is no part of a change.
    Outside,
}

/// How the line of a row ends where that is worth a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RowEnd {
    /// With a carriage return before the line feed, in a file where not all lines do.
    Crlf,
    /// Not at all: the file ends here, without a line break.
    Nothing,
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
    /// How it ends; absent for a line feed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub end: Option<RowEnd>,
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
        ends::tell(file);
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
    reader::read(text).map(|files| DiffView { files })
}

/// The same, with what is said of how lines end.
pub(crate) fn parse_with_ends(text: &str) -> Result<DiffView, Fault> {
    let mut parsed = parse(text)?;
    parsed.files.iter_mut().for_each(ends::tell);
    Ok(parsed)
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

/// A row's text, whole.
pub(crate) fn text_of(row: &Row) -> String {
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
