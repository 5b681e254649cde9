//! A review request as it is kept: the question, who asks, and what became of it.

use serde::{Deserialize, Serialize};

use crate::ask::Ask;
use crate::clients::Transport;
use crate::ids::{RequestId, SessionUuid};
use crate::timestamp::Timestamp;

/// What became of a review request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RequestStatus {
    /// A person can answer it.
    Pending,
    /// A reply is stored.
    Answered,
    /// The agent withdrew it, or the person dismissed it; nothing was answered.
    Cancelled,
    /// It was closed by the retention rules; nothing was answered.
    Expired,
}

impl RequestStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Answered, Self::Cancelled, Self::Expired];

    /// The status as it stands on the wire and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Answered => "answered",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
        }
    }

    /// Reads what [`Self::as_str`] wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// Who asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The client's own name, e.g. `claude-code`; empty when it gave none.
    pub client: String,
    /// The client's own version; empty when it gave none.
    pub client_version: String,
    /// The folder that the agent works in; empty when unknown.
    pub workspace: String,
}

/// Which program asks, as the system says: an agent's process, where it can be seen behind its relay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asker {
    /// The file of its program; of a script, with what runs it.
    pub program: String,
    /// The folder that it works in; empty when unknown.
    pub folder: String,
}

/// How a client reached the gate and what it said of itself; kept with the conversation that its
/// call begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// How it came; absent for `review-gate ask`.
    pub transport: Option<Transport>,
    /// The protocol revision that it speaks, e.g. `2026-07-28`.
    pub protocol_version: Option<String>,
    /// Its capabilities, as JSON.
    pub capabilities: Option<String>,
    /// The name of its own token, where it came with one.
    pub token_name: Option<String>,
    /// The HTTP session that it came in, where it has one.
    pub session: Option<String>,
    /// Which program it is, where the system says it; kept with each of its requests.
    pub asker: Option<Asker>,
}

/// A stored review request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewRequest {
    /// Its identifier.
    pub request_id: RequestId,
    /// The conversation that it belongs to.
    pub session_uuid: SessionUuid,
    /// The question.
    pub ask: Ask,
    /// Who asked.
    pub caller: Caller,
    /// What became of it.
    pub status: RequestStatus,
    /// When it was asked.
    pub created_at: Timestamp,
}
