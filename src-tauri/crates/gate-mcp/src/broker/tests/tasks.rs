//! Tasks in the place of results that a client would wait for.

use gate_core::{Note, NoteId, Timestamp};
use serde_json::{Value, json};

use super::{DIFF, House, call, given, propose};
use crate::connection::relayed::{Relay, stateless};

/// A call of a client that declares tasks, without `initialize`.
async fn ask(relay: &mut Relay, method: &str, mut params: Value) -> Value {
    let mut meta = stateless();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    params["_meta"] = meta;
    relay.ask(method, params).await
}

#[tokio::test]
async fn a_proposal_is_a_task_until_it_is_its_proposers_turn() {
    let house = House::new();
    let mut proposer = Relay::of_client(&house.gate, house.served.clone(), "relay 10", 10);
    let (mut reviewer, mut other) = (house.agent(20).await, house.agent(30).await);
    let waiting = super::begin(&mut other, "claim_review", json!({"categories": ["other"], "wait": true})).await;
    house.broker.waits(1).await;
    let arguments = json!({"intent": "Change x", "diff": DIFF, "wait": true});
    let begun = ask(&mut proposer, "tools/call", json!({"name": "submit_proposal", "arguments": arguments})).await;
    let (id, status) = (begun["result"]["taskId"].clone(), &begun["result"]["status"]);
    assert_eq!(status, "working", "{begun}");
    let listed = call(&mut reviewer, "list_reviews", json!({})).await;
    assert_eq!(listed["reviews"][0]["review_id"], id, "a task's id is its review's");
    let looks = json!({"name": "get_review_status", "arguments": {"review_id": id, "wait": true}});
    assert_eq!(ask(&mut proposer, "tools/call", looks).await["result"]["taskId"], id, "looking is the same task");
    for method in ["tasks/get", "tasks/update", "tasks/cancel", "tasks/get"] {
        let mut params = json!({ "taskId": id });
        if method == "tasks/update" {
            params["inputResponses"] = json!({});
        }
        let answer = ask(&mut proposer, method, params).await;
        assert!(answer["result"].is_object(), "{method}: {answer}");
        let ends = method == "tasks/get" && answer["result"]["status"] != "working";
        assert!(!ends, "it ends by nothing but its review: {answer}");
    }
    call(&mut reviewer, "claim_review", json!({ "review_id": id })).await;
    let verdict = json!({"review_id": id, "decision": "rejected", "reason": "No."});
    call(&mut reviewer, "submit_verdict", verdict).await;
    let session = call(&mut house.agent(10).await, "post_message", json!({"review_id": id, "body": "Thanks."})).await;
    let session = session["session_uuid"].as_str().unwrap().parse().unwrap();
    let (text, note_id) = ("Not today.".to_owned(), NoteId(uuid::Uuid::nil()));
    house.gate.send_note(session, Note { note_id, text, created_at: Timestamp(0), given: None });
    assert!(ask(&mut proposer, "tasks/cancel", json!({ "taskId": id })).await["result"].is_object());
    let ended = ask(&mut proposer, "tasks/get", json!({ "taskId": id })).await;
    let notes = &ended["result"]["result"]["structuredContent"]["notes"];
    assert_eq!(notes[0]["text"], "Not today.", "notes come with the result, and with nothing before it: {ended}");
    assert_eq!(ended["result"]["status"], "completed", "{ended}");
    let result = &ended["result"]["result"];
    assert_eq!(given("submit_proposal", result)["verdict"]["reason"], "No.", "as its call would have given it");
    let none = ask(&mut proposer, "tasks/get", json!({"taskId": uuid::Uuid::nil()})).await;
    assert!(none["error"].is_object(), "there is no other: {none}");
    let done = json!({"name": "get_review_status", "arguments": {"review_id": id, "since": 1, "wait": true}});
    let done = ask(&mut proposer, "tools/call", done).await;
    given("get_review_status", &done["result"]);
    reviewer.close().await;
    proposer.close().await;
    other.close().await;
    assert_eq!(house.broker.waiting(), 0, "the other one's call {waiting} ended with its connection");
}

#[tokio::test]
async fn whoever_takes_no_task_waits_and_nobody_waits_for_what_is_there() {
    let house = House::new();
    let mut proposer = house.agent(10).await;
    let id = propose(&mut proposer, DIFF).await;
    let looks = json!({"review_id": id, "wait": true, "wait_seconds": 0});
    let status = call(&mut proposer, "get_review_status", looks).await;
    assert_eq!(status["changed"], false, "a result, as ever");
}
