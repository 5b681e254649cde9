//! What a relay said on stdout, sorted as it comes. Every line has to be JSON-RPC.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

/// Everything said so far.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Requests that were sent and have no response yet.
    pub(super) asked: HashSet<i64>,
    /// Responses nobody has taken yet.
    responses: HashMap<i64, Value>,
    answered: HashSet<i64>,
    /// Notifications and requests of the server, in order.
    pub(super) others: Vec<Value>,
    /// Responses without an id: to lines that were no message.
    pub(super) unaddressed: Vec<Value>,
    /// Lines that must not have been said.
    pub(super) wrong: Vec<String>,
    /// stdout is closed.
    pub(super) over: bool,
}

impl Heard {
    /// Sorts one line of stdout.
    pub(super) fn line(&mut self, bytes: &[u8]) {
        let line = String::from_utf8_lossy(bytes);
        let message: Value = match serde_json::from_slice(bytes) {
            Ok(message) => message,
            Err(error) => return self.wrong.push(format!("no JSON ({error}): {line}")),
        };
        if message["jsonrpc"] != "2.0" {
            return self.wrong.push(format!("no JSON-RPC: {line}"));
        }
        let has = |field: &str| message.get(field).is_some();
        if has("method") {
            return self.others.push(message);
        }
        if has("result") == has("error") {
            return self.wrong.push(format!("neither request nor response: {line}"));
        }
        match message["id"].as_i64() {
            Some(id) if self.asked.remove(&id) => {
                self.answered.insert(id);
                self.responses.insert(id, message);
            }
            Some(id) if self.answered.contains(&id) => self.wrong.push(format!("a second response to {id}: {line}")),
            None if message["id"].is_null() && has("error") => self.unaddressed.push(message),
            _ => self.wrong.push(format!("a response to what was never asked: {line}")),
        }
    }

    /// The response, the first time it is asked for.
    pub(super) fn take(&mut self, id: i64) -> Option<Value> {
        self.responses.remove(&id)
    }
}
