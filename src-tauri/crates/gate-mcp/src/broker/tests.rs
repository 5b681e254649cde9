//! The broker's tools over a relay's connection and over HTTP, with reviews in memory that go by gate-core's table.

mod flows;
mod listing;
mod reading;
mod results;
mod tasks;
mod waiting;

use std::sync::Arc;

use serde_json::{Value, json};

use super::port::BrokerPort;
use crate::connection::relayed::Relay;
use crate::fake_gate::FakeGate;
use crate::fake_gate::broker::FakeBroker;
use crate::toolset::{Served, ToolsetOf};
use crate::toolsets::BROKER;

pub(super) const DIFF: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
pub(super) const OTHER: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+c\n";

/// A gate with a broker.
pub(super) struct House {
    pub(super) gate: Arc<FakeGate>,
    pub(super) broker: Arc<FakeBroker>,
    pub(super) served: Arc<Served>,
}

impl House {
    fn new() -> Self {
        Self::serving(&BROKER)
    }

    /// One whose agents have this toolset of the broker's.
    pub(super) fn serving(toolset: &ToolsetOf<dyn BrokerPort>) -> Self {
        let gate = Arc::new(FakeGate::default());
        let broker = FakeBroker::new(&gate);
        let served = broker.served(toolset);
        Self { gate, broker, served }
    }

    /// An agent that the kernel names.
    pub(super) async fn agent(&self, pid: u32) -> Relay {
        let relay = Relay::of_client(&self.gate, Arc::clone(&self.served), &format!("relay {pid}"), pid);
        relay.initialize().await
    }
}

/// What a call gave: its first content is its structure, which is as its schema says.
fn given(tool: &str, result: &Value) -> Value {
    assert_ne!(result["isError"], true, "{tool}: {result}");
    let structured = result["structuredContent"].clone();
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let read: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{tool}: {error}: {text}"));
    assert_eq!(read, structured, "the first content is all that some clients read");
    let name = if tool == "list_pending" { "list_reviews" } else { tool };
    let listed = BROKER.listed().into_iter().find(|listed| listed.name == name).expect("the tool is listed");
    let schema = Value::Object(listed.output_schema.expect("it has a schema").as_ref().clone());
    // A task's result is that of whichever call began it.
    let told = |field: &str| ["events", "changed"].contains(&field);
    for field in structured.as_object().expect("it is an object").keys().filter(|field| !told(field)) {
        assert!(schema["properties"].get(field).is_some(), "{tool}: the schema doesn't know {field}");
    }
    for field in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        assert!(structured.get(field).is_some(), "{tool}: {field} is missing: {structured}");
    }
    structured
}

/// Calls a tool.
async fn call(relay: &mut Relay, tool: &str, arguments: Value) -> Value {
    given(tool, &relay.call(tool, arguments).await)
}

/// The code of the refusal of a call, and its message.
async fn refused(relay: &mut Relay, tool: &str, arguments: Value) -> (String, String) {
    let result = relay.call(tool, arguments.clone()).await;
    assert_eq!(result["isError"], true, "{tool} {arguments} is refused: {result}");
    let fault = &result["_meta"]["review-gate/fault"];
    (fault["code"].as_str().unwrap_or_default().to_owned(), fault["message"].as_str().unwrap_or_default().to_owned())
}

/// Begins a call that waits; gives the id of its request.
async fn begin(relay: &mut Relay, tool: &str, arguments: Value) -> i64 {
    relay.send("tools/call", json!({ "name": tool, "arguments": arguments })).await
}

/// What such a call gave.
async fn ended(relay: &mut Relay, tool: &str, id: i64) -> Value {
    given(tool, &relay.answer(id).await["result"])
}

/// Proposes something; gives the review's identifier.
async fn propose(relay: &mut Relay, diff: &str) -> Value {
    call(relay, "submit_proposal", json!({"intent": "Change x", "diff": diff})).await["review_id"].clone()
}
