//! What a finding can be put at: lines of the diff, a file of it, or the pull request as a whole. Platforms take a comment on
//! lines that stand in a hunk, and on several where they stand in one.

use serde::{Deserialize, Serialize};

use super::path::PathText;
use super::words::AnchorKind;
use crate::diff::{DiffFile, DiffView, Hunk, Row, text_of};
use crate::reply::Side;

/// What is looked for in a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sought<'a> {
    /// The file.
    pub file: Option<&'a str>,
    /// The line, or the first of several.
    pub line: Option<u32>,
    /// The last of several.
    pub end_line: Option<u32>,
    /// The side; after the change where it isn't said, and before it where only that has what is quoted.
    pub side: Option<Side>,
    /// The lines themselves.
    pub snippet: Option<&'a str>,
}

/// What a finding is put at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Anchor {
    /// Lines, a file, or all of it.
    pub kind: AnchorKind,
    /// The file; absent for all of it.
    pub file: Option<String>,
    /// The line, or the first of several; absent for a file.
    pub line: Option<u32>,
    /// The last of the lines; the same for one.
    pub end_line: Option<u32>,
    /// The side that they are of.
    pub side: Option<Side>,
    /// Where the line that was asked for stands in no hunk, the nearest that does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub nearest: Option<u32>,
}

/// An anchor with what the diff says there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The anchor.
    pub anchor: Anchor,
    /// The file's path before the change, where it is another one.
    pub old_file: Option<String>,
    /// The first line by its numbers on both sides, for lines.
    pub from: Option<Point>,
    /// The last line.
    pub to: Option<Point>,
    /// The text of the lines.
    pub text: Option<String>,
}

/// A line of a diff by its numbers. A line that is on both sides has both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Point {
    /// Before the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub old: Option<u32>,
    /// After it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub new: Option<u32>,
}

impl Anchor {
    /// At the pull request as a whole.
    #[must_use]
    pub fn report() -> Self {
        Self { kind: AnchorKind::Report, file: None, line: None, end_line: None, side: None, nearest: None }
    }
}

/// What something can be put at in a diff: where its snippet stands, of several places the one nearest to its line; else at
/// its line; else at its file; else at all of it.
#[must_use]
pub fn place(sought: &Sought<'_>, diff: &DiffView) -> Placed {
    let file = sought.file.and_then(|path| find(diff, PathText(path).plain()));
    let Some(file) = file else {
        return Placed { anchor: Anchor::report(), old_file: None, from: None, to: None, text: None };
    };
    let quoted = sought.snippet.and_then(|snippet| quoted(file, sought.side, snippet, sought.line));
    let side = sought.side.unwrap_or(Side::New);
    let found = quoted.or_else(|| {
        let first = sought.line?;
        numbered(file, side, first, sought.end_line.unwrap_or(first)).map(|rows| (side, rows))
    });
    let old_file = Some(file.old_path.clone()).filter(|old| !old.is_empty() && *old != file.new_path);
    match found.and_then(|(side, rows)| at_lines(file, side, &rows)) {
        Some(placed) => Placed { old_file, ..placed },
        None => {
            let nearest = sought.line.and_then(|line| nearest(file, side, line));
            let kind = AnchorKind::File;
            let anchor = Anchor { kind, file: Some(name(file).to_owned()), nearest, ..Anchor::report() };
            Placed { anchor, old_file, from: None, to: None, text: None }
        }
    }
}

/// The lines of a file that comments can stand at, as first and last ones: after the change, or before it where nothing of
/// the file is left.
#[must_use]
pub fn commentable(file: &DiffFile) -> Vec<(u32, u32)> {
    let of = |side| {
        let hunks = hunks(file).map(|hunk| hunk.rows.iter().filter_map(|row| number(row, side)).collect::<Vec<_>>());
        hunks.filter_map(|lines| Some((*lines.first()?, *lines.last()?))).collect::<Vec<_>>()
    };
    let new = of(Side::New);
    if new.is_empty() { of(Side::Old) } else { new }
}

/// A file's hunks as a reviewer reads them: each line with its numbers on both sides, its mark and its text.
#[must_use]
pub fn with_numbers(file: &DiffFile) -> String {
    let shown = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    let mut text = String::new();
    for hunk in hunks(file) {
        text.push_str(&hunk.header);
        text.push('\n');
        for row in &hunk.rows {
            let mark = match (row.old, row.new) {
                (Some(_), Some(_)) => ' ',
                (Some(_), None) => '-',
                (None, Some(_)) => '+',
                (None, None) => '\\',
            };
            text.push_str(&format!("{:>6} {:>6} {mark}{}\n", shown(row.old), shown(row.new), text_of(row)));
        }
    }
    text
}

/// The path that people know a file by.
#[must_use]
pub fn name(file: &DiffFile) -> &str {
    if file.new_path.is_empty() { &file.old_path } else { &file.new_path }
}

fn find<'a>(diff: &'a DiffView, path: &str) -> Option<&'a DiffFile> {
    let by_name = diff.files.iter().find(|file| name(file) == path);
    by_name.or_else(|| diff.files.iter().find(|file| file.old_path == path))
}

fn hunks(file: &DiffFile) -> impl Iterator<Item = &Hunk> {
    file.hunks.iter().filter(|hunk| !hunk.outside)
}

fn number(row: &Row, side: Side) -> Option<u32> {
    match side {
        Side::Old => row.old,
        Side::New => row.new,
    }
}

/// The rows of a side of a hunk.
fn on_side(hunk: &Hunk, side: Side) -> Vec<&Row> {
    hunk.rows.iter().filter(|row| number(row, side).is_some()).collect()
}

fn at_lines(file: &DiffFile, side: Side, rows: &[&Row]) -> Option<Placed> {
    let (first, last) = (*rows.first()?, *rows.last()?);
    let point = |row: &Row| Some(Point { old: row.old, new: row.new });
    let anchor = Anchor {
        kind: AnchorKind::Line,
        file: Some(name(file).to_owned()),
        line: number(first, side),
        end_line: number(last, side),
        side: Some(side),
        nearest: None,
    };
    let text = rows.iter().map(|row| text_of(row)).collect::<Vec<_>>().join("\n");
    Some(Placed { anchor, old_file: None, from: point(first), to: point(last), text: Some(text) })
}

/// The rows of these lines, as far as they stand in the hunk that has the first one.
fn numbered(file: &DiffFile, side: Side, first: u32, last: u32) -> Option<Vec<&Row>> {
    let is_one = |row: &&Row| number(row, side).is_some_and(|line| (first..=last.max(first)).contains(&line));
    let has_first = |hunk: &&Hunk| hunk.rows.iter().any(|row| number(row, side) == Some(first));
    let hunk = hunks(file).find(has_first)?;
    Some(on_side(hunk, side).into_iter().filter(is_one).collect())
}

fn nearest(file: &DiffFile, side: Side, line: u32) -> Option<u32> {
    let lines = hunks(file).flat_map(|hunk| &hunk.rows).filter_map(|row| number(row, side));
    lines.min_by_key(|near| (near.abs_diff(line), *near))
}

/// How well lines say what is quoted, best first: to the blanks, but for blanks at their ends, as words of one line.
const LIKENESSES: [fn(&str, &str) -> bool; 3] = [
    |line, quoted| line.trim_end() == quoted.trim_end(),
    |line, quoted| line.trim() == quoted.trim(),
    |line, quoted| has_words(line, quoted.trim()),
];

/// Whether a line has these words, and not as parts of others.
fn has_words(line: &str, words: &str) -> bool {
    let in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(words).any(|(at, _)| {
        let (before, after) = (line[..at].chars().next_back(), line[at + words.len()..].chars().next());
        let begins_whole = !(in_word(before) && in_word(words.chars().next()));
        begins_whole && !(in_word(after) && in_word(words.chars().next_back()))
    })
}

/// The rows that say what is quoted, and their side: the best of them, and of those the nearest to the line.
fn quoted<'a>(
    file: &'a DiffFile,
    side: Option<Side>,
    snippet: &str,
    line: Option<u32>,
) -> Option<(Side, Vec<&'a Row>)> {
    let quoted: Vec<&str> = snippet.lines().collect();
    let said = |line: &&str| !line.trim().is_empty();
    let (from, to) = (quoted.iter().position(said)?, quoted.iter().rposition(said)?);
    let quoted = &quoted[from..=to];
    let sides = side.map_or(vec![Side::New, Side::Old], |side| vec![side]);
    let ways = LIKENESSES.iter().take(if quoted.len() == 1 { 3 } else { 2 });
    let mut ways = ways.flat_map(|is_like| sides.iter().map(move |side| (is_like, *side)));
    ways.find_map(|(is_like, side)| said_at(file, side, quoted, line, *is_like).map(|rows| (side, rows)))
}

/// The rows of a side that say so, the nearest to the line.
fn said_at<'a>(
    file: &'a DiffFile,
    side: Side,
    quoted: &[&str],
    line: Option<u32>,
    is_like: fn(&str, &str) -> bool,
) -> Option<Vec<&'a Row>> {
    let places = hunks(file).flat_map(|hunk| {
        let rows = on_side(hunk, side);
        let texts: Vec<String> = rows.iter().map(|row| text_of(row)).collect();
        let fits =
            |at: &usize| texts[*at..*at + quoted.len()].iter().zip(quoted).all(|(text, said)| is_like(text, said));
        let ends = (rows.len() + 1).saturating_sub(quoted.len());
        (0..ends).filter(fits).map(|at| rows[at..at + quoted.len()].to_vec()).collect::<Vec<_>>()
    });
    places.min_by_key(|rows| {
        let first = rows.first().and_then(|row| number(row, side)).unwrap_or_default();
        (line.map_or(0, |line| first.abs_diff(line)), first)
    })
}

#[cfg(test)]
mod tests;
