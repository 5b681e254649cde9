//! The control connection: one JSON object a line on the local socket, for the terminal commands.

use gate_core::Fault;
use serde::{Deserialize, Serialize};

use crate::declare::TypedCommand;
use crate::subjects::Command;

/// A command with the number that its answer will carry, as the gate reads it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ControlRequest {
    /// Chosen by the caller.
    pub id: u64,
    /// The command.
    #[serde(flatten)]
    pub command: Command,
}

/// A [`ControlRequest`] as a front end writes it.
#[derive(Serialize)]
struct Written<'a, C> {
    id: u64,
    command: &'static str,
    #[serde(flatten)]
    input: &'a C,
}

impl ControlRequest {
    /// The line that gives a command, without its end.
    ///
    /// # Errors
    /// When it can't be written as JSON.
    pub fn line<C: TypedCommand>(id: u64, command: &C) -> Result<String, serde_json::Error> {
        serde_json::to_string(&Written { id, command: C::DECLARATION.name, input: command })
    }
}

/// The answer to a [`ControlRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlReply<A> {
    /// The request's number.
    pub id: u64,
    /// What came of it.
    #[serde(flatten)]
    pub result: ControlResult<A>,
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlResult<A> {
    /// It was carried out; its answer.
    Ok(A),
    /// It was not.
    Fault(Fault),
}

impl<A> From<Result<A, Fault>> for ControlResult<A> {
    fn from(result: Result<A, Fault>) -> Self {
        match result {
            Ok(answer) => Self::Ok(answer),
            Err(fault) => Self::Fault(fault),
        }
    }
}
