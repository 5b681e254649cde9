//! The kinds of requests.

use serde::{Deserialize, Serialize};

/// What kind of question a request is: who asks it, and what its answer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// An agent asks by `review_gate_chat`, and is given the reply.
    Chat,
    /// An agent asks to be allowed something.
    Permission,
    /// The gate asks for a decision on a round of a review. No call waits for it.
    Round,
}
