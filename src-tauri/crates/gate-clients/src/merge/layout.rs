//! Lines, indentation and edits of a text, whatever its format.

use std::ops::Range;

/// A piece of the text and what takes its place.
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) with: String,
}

impl Edit {
    pub(super) fn insert(at: usize, with: impl Into<String>) -> Self {
        Self { range: at..at, with: with.into() }
    }

    pub(super) fn cut(range: Range<usize>) -> Self {
        Self { range, with: String::new() }
    }
}

/// The text with edits made, which must not overlap.
pub(super) fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut done = String::with_capacity(text.len() + 256);
    let mut from = 0;
    for edit in edits {
        done.push_str(text.get(from..edit.range.start).unwrap_or_default());
        done.push_str(&edit.with);
        from = edit.range.end;
    }
    done.push_str(text.get(from..).unwrap_or_default());
    done
}

/// How the text's lines end.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Where the line begins that `at` is in.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the next line begins; the end of the text on the last.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// The blanks that the line of `at` begins with.
pub(super) fn indent(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Line and column of a place, both from 1; columns in characters.
pub(super) fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    (line, before[line_start(before, before.len())..].chars().count() + 1)
}

/// Whether nothing but blanks and line ends is in the text.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| matches!(c, ' ' | '\t' | '\r' | '\n'))
}
