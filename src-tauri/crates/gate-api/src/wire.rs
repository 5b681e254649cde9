//! The control connection: one JSON object a line on the local socket, for the terminal commands.

use gate_core::Fault;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::command::Command;

/// A command with the number that its answer will carry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlRequest {
    /// Chosen by the caller.
    pub id: u64,
    /// The command.
    #[serde(flatten)]
    pub command: Command,
}

/// The answer to a [`ControlRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlReply {
    /// The request's number.
    pub id: u64,
    /// What came of it.
    #[serde(flatten)]
    pub result: ControlResult,
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlResult {
    /// It was carried out; the answer as [`crate::Answer`] serialises it.
    Ok(Value),
    /// It was not.
    Fault(Fault),
}
