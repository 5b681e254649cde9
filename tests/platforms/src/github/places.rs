//! Which places a review may have: `rest/pulls/create-review`, `comments`; "Comments on the diff" beside it. A line has to be in
//! a hunk, on its side; several have to be in one hunk, the first before the last.

use serde_json::Value;

use super::state::Pull;
use crate::diff::{Diff, File};

/// Where something is to be.
pub(super) struct Wanted<'a> {
    pub(super) path: &'a str,
    pub(super) line: Option<u64>,
    pub(super) side: &'a str,
    pub(super) start: Option<u64>,
    pub(super) start_side: &'a str,
}

impl<'a> Wanted<'a> {
    /// As REST (`start_line`) or GraphQL (`startLine`) says it. The side is the right one where none is said.
    pub(super) fn of(said: &'a Value, start: &str, start_side: &str) -> Self {
        let side = |name: &str| said[name].as_str();
        Self {
            path: said["path"].as_str().unwrap_or_default(),
            line: said["line"].as_u64(),
            side: side("side").unwrap_or("RIGHT"),
            start: said[start].as_u64(),
            start_side: side(start_side).or(side("side")).unwrap_or("RIGHT"),
        }
    }

    /// Whether the diff has it.
    pub(super) fn is_in(&self, diff: &Diff) -> bool {
        let Some((file, line)) = diff.file(self.path).zip(self.line) else { return false };
        let Some(end) = at(file, line, self.side) else { return false };
        match self.start {
            None => true,
            Some(start) => at(file, start, self.start_side).is_some_and(|start| start.0 == end.0 && start.1 < end.1),
        }
    }
}

/// The hunk and the row of a line on a side: both sides have those that are the same.
fn at(file: &File, line: u64, side: &str) -> Option<(usize, usize)> {
    match side {
        "LEFT" => file.find(|row| row.sign != b'+' && row.old == line),
        "RIGHT" => file.find(|row| row.sign != b'-' && row.new == line),
        _ => None,
    }
}

/// Whether the pull request changes a file.
pub(super) fn has_file(pull: &Pull, path: &str) -> bool {
    pull.diff(None).is_some_and(|diff| diff.file(path).is_some())
}
