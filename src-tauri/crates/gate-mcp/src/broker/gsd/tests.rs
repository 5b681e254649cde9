//! The tools as agents call them that were set up for the other broker, with reviews in memory that go by gate-core's table.
//! `docs/gsd.md` says of each of that broker's behaviours which of these shows it here.

mod creating;
mod listing;
mod lists;
mod looking;
mod patching;
mod reviewing;
mod talking;

use serde_json::{Value, json};

use crate::broker::tests::{DIFF, House, OTHER};
use crate::connection::relayed::Relay;
use crate::toolsets::GSD;

/// What no review is called.
const NOBODY: &str = "nonexistent-id";

/// A proposer and a reviewer.
async fn two() -> (House, Relay, Relay) {
    let house = House::serving(&GSD);
    let (proposer, reviewer) = (house.agent(10).await, house.agent(20).await);
    (house, proposer, reviewer)
}

/// What a call gave: a flat object that is its first content as well, never an error of the protocol's.
fn flat(tool: &str, result: &Value) -> Value {
    assert_ne!(result["isError"], true, "{tool}: {result}");
    let structured = result["structuredContent"].clone();
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let read: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{tool}: {error}: {text}"));
    assert_eq!(read, structured, "{tool} says the same to those that read the text alone");
    structured
}

async fn call(relay: &mut Relay, tool: &str, arguments: Value) -> Value {
    let given = flat(tool, &relay.call(tool, arguments).await);
    assert_eq!(given.get("error"), None, "{tool}: {given}");
    assert_eq!(given.get("session_uuid"), None, "clients of that broker know no sessions: {given}");
    given
}

/// Why a call was refused.
async fn error(relay: &mut Relay, tool: &str, arguments: Value) -> String {
    let given = flat(tool, &relay.call(tool, arguments.clone()).await);
    let why = given["error"].as_str().unwrap_or_else(|| panic!("{tool} {arguments} is refused: {given}"));
    for name in ["submit_proposal", "post_message", "submit_patch", "release_review", "get_messages", "claim_token"] {
        assert!(!why.contains(name), "it names the tools that its reader has: {why}");
    }
    why.to_owned()
}

/// Creates a review, with what is said of it besides; gives its identifier.
async fn create(relay: &mut Relay, more: Value) -> Value {
    let mut arguments = json!({
        "intent": "Change x", "agent_type": "gsd-executor", "agent_role": "proposer", "phase": "1",
    });
    let more = more.as_object().cloned().unwrap_or_default();
    arguments.as_object_mut().expect("an object").extend(more);
    call(relay, "create_review", arguments).await["review_id"].clone()
}

async fn claim(relay: &mut Relay, id: &Value) -> Value {
    call(relay, "claim_review", json!({"review_id": id, "reviewer_id": "reviewer-1"})).await
}

async fn judge(relay: &mut Relay, id: &Value, verdict: &str) -> Value {
    call(relay, "submit_verdict", json!({"review_id": id, "verdict": verdict, "reason": "Because."})).await
}

async fn close(relay: &mut Relay, id: &Value) -> Value {
    call(relay, "close_review", json!({"review_id": id, "closer_role": "proposer"})).await
}

async fn status(relay: &mut Relay, id: &Value) -> Value {
    call(relay, "get_review_status", json!({ "review_id": id })).await
}

/// The reviews of a list, by their identifiers.
async fn ids(relay: &mut Relay, tool: &str, arguments: Value) -> Vec<Value> {
    let listed = call(relay, tool, arguments).await;
    listed["reviews"].as_array().expect("a list").iter().map(|review| review["id"].clone()).collect()
}

/// Begins a call that waits.
async fn begin(house: &House, relay: &mut Relay, tool: &str, arguments: Value) -> i64 {
    let id = relay.send("tools/call", json!({ "name": tool, "arguments": arguments })).await;
    house.broker.waits(1).await;
    id
}

/// What such a call gave.
async fn ended(relay: &mut Relay, id: i64) -> Value {
    flat("a call that waited", &relay.answer(id).await["result"])
}
