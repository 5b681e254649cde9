//! The answer of commands that have nothing to tell.

use serde::{Deserialize, Serialize};

/// It is done, and committed where it changed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "Record<string, never>"))]
pub struct Done {}
