//! JSON-RPC messages that the relay itself says to the agent's client.

use super::envelope::Malformed;
use gate_core::Fault;
use serde::Serialize;
use serde_json::value::RawValue;

/// The code of an error whose cause lies between the relay and the gate.
const SERVER_ERROR: i32 = -32000;

#[derive(Serialize)]
struct Failure<'a> {
    jsonrpc: &'static str,
    id: Option<&'a RawValue>,
    error: Error<'a>,
}

#[derive(Serialize)]
struct Error<'a> {
    code: i32,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Data<'a>>,
}

#[derive(Serialize)]
struct Data<'a> {
    code: &'a str,
    mend: &'a str,
}

/// The answer to a request that the gate can't be asked.
pub(crate) fn fault(id: &str, fault: &Fault) -> Vec<u8> {
    let data = Data { code: fault.code.as_str(), mend: &fault.mend };
    failure(Some(id), SERVER_ERROR, &format!("{} {}", fault.message, fault.mend), Some(data))
}

/// The answer to a line that is no message.
pub(crate) fn malformed(found: &Malformed) -> Vec<u8> {
    failure(found.id.as_deref(), found.code, &found.message, None)
}

/// The answer to a line that is too long.
pub(crate) fn too_long(id: Option<&str>, fault: &Fault) -> Vec<u8> {
    let data = Data { code: fault.code.as_str(), mend: &fault.mend };
    failure(id, super::envelope::INVALID_REQUEST, &format!("{} {}", fault.message, fault.mend), Some(data))
}

/// Tells the client that nobody waits for its answer any more.
pub(crate) fn cancelled(id: &str, reason: &str) -> Vec<u8> {
    let reason = serde_json::to_string(reason).unwrap_or_default();
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id},\"reason\":{reason}}}}}\n"
    )
    .into_bytes()
}

fn failure(id: Option<&str>, code: i32, message: &str, data: Option<Data<'_>>) -> Vec<u8> {
    let id = id.and_then(|id| serde_json::from_str::<&RawValue>(id).ok());
    let failure = Failure { jsonrpc: "2.0", id, error: Error { code, message, data } };
    // Strings and numbers: there is nothing in it that could fail to serialise.
    let mut line = serde_json::to_vec(&failure).unwrap_or_default();
    line.push(b'\n');
    line
}
