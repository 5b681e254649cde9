//! Where in a round something is said.

use serde::{Deserialize, Serialize};

use crate::reply::Side;

/// A place of a round that a thread is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Anchor {
    /// The file.
    pub file: String,
    /// The last line, from 1; absent for the file as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub line: Option<u32>,
    /// The first line where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub start_line: Option<u32>,
    /// Before the change or after it.
    pub side: Side,
}
