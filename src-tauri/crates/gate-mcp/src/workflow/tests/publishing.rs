//! What is put before the person, and what a reviewer hears of it.

use gate_core::Decision;
use gate_core::workflow::{JobId, PublicationState};
use serde_json::{Value, json};

use super::{AGENTS, House, audit, begun, call, code, find, given, phase};
use crate::connection::relayed::Relay;

/// Begins a publication, and waits for the person.
async fn publishing(house: &House, relay: &mut Relay, job: JobId) -> i64 {
    let arguments = json!({"jobId": job, "summary": "Fine.", "score": 7.5, "verdict": "needs_fixes"});
    let id = relay.send("tools/call", json!({"name": "publish", "arguments": arguments})).await;
    house.workflow.waits(1).await;
    id
}

async fn ended(relay: &mut Relay, id: i64) -> Value {
    given("publish", &relay.answer(id).await["result"])
}

#[tokio::test]
async fn a_review_is_published_once_the_person_has_approved_it() {
    let (house, mut agent, job) = begun().await;
    let found = find(&mut agent, job).await["findings"][0].clone();
    for name in AGENTS {
        audit(&mut agent, job, name, "success").await;
    }
    phase(&mut agent, job, "synthesizing").await;
    phase(&mut agent, job, "publishing").await;
    let waiting = publishing(&house, &mut agent, job).await;
    house.workflow.decides(job, Decision::Approved, "Thanks.");
    house.workflow.waits(1).await;
    house.workflow.stands(job, PublicationState::Posted);
    let published = ended(&mut agent, waiting).await;
    assert_eq!((&published["status"], &published["decision"]), (&json!("answered"), &json!("approved")));
    assert_eq!((&published["success"], &published["text"]), (&json!(true), &json!("Thanks.")));
    let publication = &published["publication"];
    assert_eq!((&publication["state"], &publication["revision"]), (&json!("posted"), &json!(1)));
    assert_eq!(publication["digest"].as_str().map(str::len), Some(64), "{publication}");
    let kinds: Vec<_> = publication["items"].as_array().unwrap().iter().map(|item| &item["kind"]).collect();
    assert_eq!(kinds, [&json!("finding"), &json!("report")], "the report is last");
    let item = &publication["items"][0];
    assert_eq!((&item["id"], &item["state"]), (&found["findingId"], &json!("posted")), "an item is its finding");
    assert!(item["url"].as_str().unwrap().starts_with("https://"), "{item}");
    phase(&mut agent, job, "completed").await;
    assert_eq!(house.workflow.publications().len(), 1, "nothing was left");
}

#[tokio::test]
async fn changes_that_the_person_asks_for_are_the_next_revision() {
    let (house, mut agent, job) = begun().await;
    find(&mut agent, job).await;
    let waiting = publishing(&house, &mut agent, job).await;
    house.workflow.decides(job, Decision::ChangesRequested, "Say more.");
    let returned = ended(&mut agent, waiting).await;
    assert_eq!((&returned["decision"], &returned["text"]), (&json!("changes_requested"), &json!("Say more.")));
    assert_eq!(returned["publication"]["state"], "returned");
    let next = call(&mut agent, "get_workflow", json!({ "jobId": job })).await["next"].clone();
    assert!(next.as_str().unwrap().contains("asked for changes"), "{next}");
    let waiting = publishing(&house, &mut agent, job).await;
    let request = house.workflow.publications().last().unwrap().0;
    house.workflow.set_away(true);
    let asked = ended(&mut agent, waiting).await;
    assert_eq!((&asked["status"], &asked["request_id"]), (&json!("pending"), &json!(request)));
    assert_eq!((&asked["publication"]["revision"], &asked["publication"]["state"]), (&json!(2), &json!("open")));
    assert_eq!(asked["publication"]["id"], returned["publication"]["id"], "the same publication");
    assert!(asked["next"].as_str().unwrap().contains("away"), "{asked}");
}

#[tokio::test]
async fn what_became_of_it_is_told_again_and_again() {
    let (house, mut agent, job) = begun().await;
    find(&mut agent, job).await;
    house.workflow.set_away(true);
    let asked = call(&mut agent, "publish", json!({"jobId": job, "summary": "Fine."})).await;
    let again = json!({"request_id": asked["request_id"]});
    assert_eq!(call(&mut agent, "publish", again.clone()).await["publication"], asked["publication"]);
    house.workflow.decides(job, Decision::Approved, "");
    house.workflow.stands(job, PublicationState::Approved);
    let early = json!({"jobId": job, "summary": "Otherwise."});
    assert_eq!(code(&mut agent, "publish", early).await, "person_deciding", "they may take it back");
    house.workflow.stands(job, PublicationState::Held);
    let held = call(&mut agent, "publish", again.clone()).await;
    assert_eq!(held["publication"]["state"], "held");
    assert!(held["next"].as_str().unwrap().contains("head_moved"), "with the cause: {held}");
    let mut runner = house.runner(10, job).await;
    assert_eq!(call(&mut runner, "publish", again.clone()).await["publication"], held["publication"]);
    let other = call(&mut agent, "create_job", json!({"url": super::URL, "force": true})).await;
    let mut runner = house.runner(10, other["jobId"].as_str().unwrap().parse().unwrap()).await;
    assert_eq!(code(&mut runner, "publish", again).await, "wrong_job");
}

#[tokio::test]
async fn a_call_that_is_taken_back_withdraws_nothing() {
    let (house, mut agent, job) = begun().await;
    let waiting = publishing(&house, &mut agent, job).await;
    let cancelled = json!({"requestId": waiting, "reason": "enough"});
    agent.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})).await;
    agent.ask("ping", json!({})).await;
    house.workflow.waits(0).await;
    assert_eq!(house.workflow.publications()[0].1, PublicationState::Open, "it stays with the person");
}
