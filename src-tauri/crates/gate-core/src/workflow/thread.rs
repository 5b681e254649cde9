//! The threads of a pull request, as the platform has them.

use serde::{Deserialize, Serialize};

use super::words::ThreadStatus;
use crate::bounded::excerpt;
use crate::fault::{Code, Fault};
use crate::timestamp::Timestamp;

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    /// Its identifier, in the platform's form.
    pub id: String,
    /// The file that it is about.
    pub file: Option<String>,
    /// The line; absent where the diff has it no more.
    pub line: Option<u32>,
    /// Whether it is settled.
    pub status: ThreadStatus,
    /// What it begins with.
    pub body: String,
    /// All that was said in it, the oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub comments: Option<Vec<ThreadComment>>,
}

/// Something that was said in a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ThreadComment {
    /// Who said it; absent where the platform doesn't tell.
    pub author: Option<String>,
    /// What.
    pub body: String,
    /// When.
    pub created_at: Timestamp,
}

/// The thread of this identifier.
///
/// # Errors
/// `unknown_thread`.
pub fn find<'a>(threads: &'a [Thread], id: &str) -> Result<&'a Thread, Fault> {
    threads.iter().find(|thread| thread.id == id).ok_or_else(|| {
        Fault::new(
            Code::UnknownThread,
            format!("The pull request has no thread {:?}.", excerpt(id, 100)),
            "Pass a `threadId` as get_threads gives it; with `refresh` it asks the platform again.",
        )
    })
}
