//! Why a run wasn't started.

use std::io;
use std::path::Path;

use gate_core::Fault;
use serde::{Deserialize, Serialize};

/// Why something wasn't started, and what to do about it: a sentence each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The cause.
    pub message: String,
    /// What to do about it.
    pub mend: String,
}

impl Refusal {
    pub(crate) fn new(message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { message: message.into(), mend: mend.into() }
    }

    /// That the system doesn't let us do something with a file or a folder.
    pub(crate) fn of_file(doing: &str, path: &Path, error: &io::Error) -> Self {
        let mend = "Look whether the folder is yours, and whether its disk is full.";
        Self::new(format!("Can't {doing} {}: {error}.", path.display()), mend)
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::new(fault.message, fault.mend)
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.message, self.mend)
    }
}

impl std::error::Error for Refusal {}
