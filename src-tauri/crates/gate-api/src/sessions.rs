//! A session as windows and the tray show it.

use gate_core::{Note, Progress, SessionStatus, SessionUuid, Timestamp};
use serde::{Deserialize, Serialize};

/// A session as the sessions page and the tray show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SessionSummary {
    /// Its identifier.
    pub session_uuid: SessionUuid,
    /// The headline of its first question; empty while it has asked nothing.
    pub title: String,
    /// The agent's name as a person reads it, e.g. `Claude Code`; empty where it says none.
    pub client: String,
    /// The folder that the agent works in; empty when unknown.
    pub workspace: String,
    /// The last part of that folder.
    pub workspace_name: String,
    /// Where it stands.
    pub status: SessionStatus,
    /// Whether its agent is gone, as far as can be told; its requests stay.
    pub gone: bool,
    /// How far its work is.
    pub progress: Option<Progress>,
    /// How many of its requests wait for the person.
    pub pending: u32,
    /// When it began.
    pub created_at: Timestamp,
    /// When its agent last spoke, or was answered.
    pub spoke_at: Timestamp,
    /// What the person has sent its agent that it hasn't been given yet, the oldest first.
    pub notes: Vec<Note>,
}
