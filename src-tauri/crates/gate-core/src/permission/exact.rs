//! Whether the diff of an edit is shown as it was written: a window has rows, and where all lines of a file end alike, nothing about
//! how. Of a file that is new, or has no line that ends, that leaves open what was asked for.

use super::EditUnknown;
use super::hunks::{self, Hunk};
use crate::diff::{self, DiffFile, Row, RowEnd, RowKind};

/// Looks at what windows show of a diff, which is that of these files' one after the other.
///
/// # Errors
/// What it doesn't say.
pub(super) fn says_each_byte(diff: &str, files: &[String]) -> Result<(), EditUnknown> {
    let shown = diff::parse_with_ends(diff).map_err(|_| EditUnknown::Form)?;
    let files: Vec<_> = files.iter().filter(|diff| !diff.is_empty()).collect();
    if shown.files.len() != files.len() {
        return Err(EditUnknown::Form);
    }
    shown.files.iter().zip(files).try_for_each(|(shown, diff)| says_all_of(shown, diff))
}

fn says_all_of(shown: &DiffFile, diff: &str) -> Result<(), EditUnknown> {
    // An empty file has no hunk.
    let hunks = hunks::read(diff).unwrap_or_default();
    let written: Vec<_> = hunks.into_iter().flat_map(|Hunk { rows, .. }| rows).collect();
    let rows: Vec<_> = shown.hunks.iter().flat_map(|hunk| &hunk.rows).collect();
    let is_old_with_returns = written.iter().any(|(mark, line)| *mark != '+' && line.ends_with("\r\n"));
    let unsaid = if shown.line_ends.is_none() && is_old_with_returns { "\r\n" } else { "\n" };
    if rows.len() != written.len() {
        return Err(EditUnknown::Form);
    }
    for (row, (mark, line)) in rows.into_iter().zip(written) {
        let end = match row.end {
            Some(RowEnd::Crlf) => "\r\n",
            Some(RowEnd::Nothing) => "",
            None => unsaid,
        };
        let text = line.strip_suffix(end).ok_or(EditUnknown::LineEnds)?;
        if !is_shown(row, mark, text) {
            return Err(if text.ends_with('\r') { EditUnknown::LineEnds } else { EditUnknown::Form });
        }
    }
    Ok(())
}

fn is_shown(row: &Row, mark: char, text: &str) -> bool {
    let marked = match row.kind {
        RowKind::Context => ' ',
        RowKind::Removed => '-',
        RowKind::Added => '+',
        RowKind::Outside => return false,
    };
    let mut rest = text;
    let is_there = row.segments.iter().all(|piece| match rest.strip_prefix(piece.text.as_str()) {
        Some(left) => {
            rest = left;
            true
        }
        None => false,
    });
    marked == mark && is_there && rest.is_empty()
}
