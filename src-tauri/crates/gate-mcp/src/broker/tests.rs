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
use crate::answer::testing;
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

/// What a call gave.
fn given(tool: &str, result: &Value) -> Value {
    let name = if tool == "list_pending" { "list_reviews" } else { tool };
    testing::given(&BROKER.listed(), name, result)
}

/// Calls a tool.
async fn call(relay: &mut Relay, tool: &str, arguments: Value) -> Value {
    given(tool, &relay.call(tool, arguments).await)
}

/// The code of the refusal of a call, and its message.
async fn refused(relay: &mut Relay, tool: &str, arguments: Value) -> (String, String) {
    let (code, message, _) = testing::refused(relay, tool, arguments).await;
    (code, message)
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
