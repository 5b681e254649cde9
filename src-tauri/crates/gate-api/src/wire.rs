//! The control connection: one JSON object a line on the local socket, for the terminal commands.

use gate_core::Fault;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
        serde_json::to_string(&Self::of(id, command))
    }

    /// A command as it is given with this number.
    pub fn of<C: TypedCommand>(id: u64, command: &C) -> impl Serialize {
        Written { id, command: C::DECLARATION.name, input: command }
    }

    /// What came of the command `C` that was given with this number, if `line` tells; a line with the number 0 is about
    /// a command that couldn't be read, and so about any.
    ///
    /// # Errors
    /// When the line is no reply, or the answer another command's.
    pub fn answer<C: TypedCommand>(
        id: u64,
        line: &[u8],
    ) -> Result<Option<Result<C::Answer, Fault>>, serde_json::Error> {
        let reply: ControlReply<Value> = serde_json::from_slice(line)?;
        match reply.result {
            _ if reply.id != id && reply.id != 0 => Ok(None),
            ControlResult::Fault(fault) => Ok(Some(Err(fault))),
            ControlResult::Ok(answer) => serde_json::from_value(answer).map(|answer| Some(Ok(answer))),
        }
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
