//! Places in a diff, as both platforms can be told them. Which places there are is the caller's to know: it has the diff.

use serde::{Deserialize, Serialize};

/// What a line of a diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    /// Only the new file has it.
    Added,
    /// Only the old file has it.
    Removed,
    /// Both have it.
    Context,
}

/// A line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Line {
    /// What it is.
    pub kind: LineKind,
    /// Its number in the old file, from 1; of an added line what the hunk has counted to: the number of the next old line, and
    /// 0 in a file that is new.
    pub old: u64,
    /// Its number in the new file, from 1; of a removed line what the hunk has counted to, likewise.
    pub new: u64,
}

/// Where in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum At {
    /// At the file as a whole.
    File,
    /// At a line, or at several up to it in one hunk.
    Lines {
        /// The first of several; absent for one.
        start: Option<Line>,
        /// The last.
        end: Line,
    },
}

/// A place in the diff of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The file's path in the new tree; of a removed file its path in the old one.
    pub path: String,
    /// Its path in the old tree where that is another.
    pub old_path: Option<String>,
    /// Where in it.
    pub at: At,
}

impl Line {
    /// Its number on the side where it is shown: the old one for a removed line.
    #[must_use]
    pub fn number(self) -> u64 {
        if self.kind == LineKind::Removed { self.old } else { self.new }
    }
}

impl Place {
    /// The line that a platform says back of a thread that stands there; absent for a file.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        match self.at {
            At::File => None,
            At::Lines { end, .. } => Some(end.number()),
        }
    }
}
