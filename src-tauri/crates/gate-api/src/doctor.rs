//! What `review-gate doctor` and its page find.

use serde::{Deserialize, Serialize};

use crate::phrase::Phrase;

/// Everything that was looked at, what is wrong first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DoctorReport {
    /// What was found. Names nobody: the home folder is `~`, and no secret stands in it.
    pub findings: Vec<Finding>,
    /// How long that took, in milliseconds.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub took_ms: u64,
}

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Finding {
    /// The check's stable name, e.g. `socket` or `client.cursor`. A check may find several things.
    pub check: String,
    /// The check's title.
    pub title: Phrase,
    /// How bad it is.
    pub level: Level,
    /// What was found, in one or two sentences.
    pub cause: Phrase,
    /// What to do about it; absent where nothing is to be done.
    pub mend: Option<Phrase>,
    /// The one command that does it; absent where no command can.
    pub command: Option<String>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// It doesn't work.
    Fault,
    /// It works less well than it could, or will soon not work.
    Warning,
    /// Good to know.
    Note,
    /// All is well.
    Good,
    /// It was not looked at.
    Skipped,
}
