//! What comes with every result, who may call at all, and the resources.

use std::sync::Arc;

use gate_core::{AnsweredFrom, Note, NoteId, Timestamp};
use http::Method;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use super::{DIFF, House, OTHER, call, given, propose, refused};
use crate::broker::answer::FIRST;
use crate::connection::relayed::{Relay, nobody_listens, stateless};
use crate::http::web::{Web, message};

#[tokio::test]
async fn a_result_begins_with_the_review_in_a_few_words_and_brings_notes_after_it() {
    let house = House::new();
    let mut proposer = house.agent(10).await;
    let submitted = call(&mut proposer, "submit_proposal", json!({"intent": "A plan", "eta": 3})).await;
    let session = submitted["session_uuid"].as_str().expect("it is the caller's").parse().unwrap();
    assert!(submitted["asides"][0].as_str().unwrap().contains("eta"), "what isn't known is named: {submitted}");
    let text = "Not today.".to_owned();
    let given_from = Some(AnsweredFrom::Desktop.into());
    let note = Note { note_id: NoteId(uuid::Uuid::nil()), text, created_at: Timestamp(0), given: given_from };
    house.gate.send_note(session, note);
    let looks = json!({"review_id": submitted["review_id"]});
    let result = proposer.call("get_review_status", looks).await;
    let status = given("get_review_status", &result);
    assert_eq!(status["notes"][0]["text"], "Not today.", "as the structure says");
    let texts: Vec<_> = result["content"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    assert!(texts[1].ends_with("Not today."), "after it: {texts:?}");
    assert_eq!(texts.last(), Some(&status["next"].as_str().unwrap()), "and then what to do next");
    let mut at = 0;
    for field in FIRST {
        let found = texts[0].find(&format!("{field:?}:")).unwrap_or_else(|| panic!("{field} is missing"));
        assert!(found >= at, "the review comes first, in one order: {field} in {}", texts[0]);
        at = found;
    }
}

#[tokio::test]
async fn what_an_agent_has_done_is_told_once_it_has_the_result() {
    let house = House::new();
    let (mut proposer, mut reviewer) = (house.agent(10).await, house.agent(20).await);
    propose(&mut proposer, DIFF).await;
    for (tool, counts) in [("list_reviews", false), ("claim_review", true)] {
        call(&mut reviewer, tool, json!({})).await;
        let id = reviewer.next - 1;
        let note = json!({"jsonrpc": "2.0", "method": "notifications/review_gate/delivered", "params": {"id": id}});
        reviewer.say(&note).await;
        reviewer.ask("ping", json!({})).await;
        let told = house.gate.delivered().contains(&format!("relay 20:{id}"));
        assert_eq!(told, counts, "{tool}: a claim holds once its result has arrived; what only reads costs nothing");
    }
}

#[tokio::test]
async fn whom_nobody_can_tell_from_others_may_read_and_comment_alone() {
    let house = House::new();
    let mut proposer = house.agent(10).await;
    let id = propose(&mut proposer, DIFF).await;
    let mut unseen = Relay::serving(&house.gate, Arc::clone(&house.served)).initialize().await;
    let (code, why) = refused(&mut unseen, "claim_review", json!({ "review_id": id })).await;
    assert_eq!(code, "role_forbidden", "the system says nothing of who started it: {why}");
    call(&mut unseen, "post_message", json!({"review_id": id, "body": "hm"})).await;

    let calls = [
        ("submit_proposal", json!({"intent": "x"}), true),
        ("claim_review", json!({}), true),
        ("release_review", json!({ "review_id": id }), true),
        ("submit_verdict", json!({"review_id": id, "decision": "approved"}), true),
        ("submit_patch", json!({"review_id": id, "diff": OTHER}), true),
        ("accept_counter_patch", json!({ "review_id": id }), true),
        ("reject_counter_patch", json!({ "review_id": id }), true),
        ("close_review", json!({ "review_id": id }), true),
        ("get_proposal", json!({ "review_id": id }), false),
        ("list_reviews", json!({}), false),
        ("get_review_status", json!({ "review_id": id }), false),
        ("get_messages", json!({ "review_id": id }), false),
        ("get_patch", json!({ "review_id": id }), false),
        ("post_message", json!({"review_id": id, "body": "hm"}), false),
    ];
    let shared = Web::serving(Arc::clone(&house.gate), Arc::clone(&house.served), None);
    for (tool, arguments, decides) in calls {
        let result = over_http(&shared, tool, arguments).await;
        let code = &result["_meta"]["review-gate/fault"]["code"];
        assert_eq!(code == "shared_identity", decides, "{tool} with the token that clients share: {result}");
        assert_eq!(result["isError"] == true, decides, "{tool}: {result}");
    }
}

async fn over_http(web: &Web, tool: &str, arguments: Value) -> Value {
    let head = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", tool)];
    let params = json!({"name": tool, "arguments": arguments, "_meta": stateless()});
    let answer = web.send(Method::POST, &head, message(1, "tools/call", params)).await;
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8_lossy(&body).into_owned();
    let json =
        text.lines().find_map(|line| line.strip_prefix("data:").or(Some(line)).filter(|line| line.contains('{')));
    let mut answer: Value = serde_json::from_str(json.unwrap_or_default()).unwrap_or_else(|_| panic!("{tool}: {text}"));
    answer["result"].take()
}

#[tokio::test]
async fn over_http_a_token_is_a_party_and_the_same_call_is_known_again() {
    let house = House::new();
    let web = |token| Web::serving(Arc::clone(&house.gate), Arc::clone(&house.served), Some(token));
    let (claude, codex) = (web("claude"), web("codex"));
    let submit = json!({"intent": "Change x", "diff": DIFF});
    let submitted = given("submit_proposal", &over_http(&claude, "submit_proposal", submit.clone()).await);
    over_http(&claude, "submit_proposal", submit).await;
    let digests = house.broker.digests();
    assert!(digests[0].is_some() && digests[0] == digests[1], "the same words, the same digest: {digests:?}");
    let id = submitted["review_id"].clone();
    let own = over_http(&claude, "claim_review", json!({ "review_id": id })).await;
    assert_eq!(own["_meta"]["review-gate/fault"]["code"], "own_proposal", "{own}");
    let claim = given("claim_review", &over_http(&codex, "claim_review", json!({ "review_id": id })).await);
    assert_eq!(claim["claim_token"], 1, "{claim}");
    let mut relay = house.agent(10).await;
    propose(&mut relay, DIFF).await;
    assert_eq!(house.broker.digests().last(), Some(&None), "a relay's calls have names of their own");
}

#[tokio::test]
async fn reviews_are_resources_that_are_listed_read_completed_and_heard_of() {
    let house = House::new();
    let (mut proposer, mut reviewer) = (house.agent(10).await, house.agent(20).await);
    let arguments = json!({"intent": "Change x", "diff": DIFF, "category": "code", "phase": "3.2"});
    let id = call(&mut proposer, "submit_proposal", arguments).await["review_id"].as_str().unwrap().to_owned();
    let base = "file://review-gate/reviews";
    let one = format!("{base}/{id}");
    let listed = reviewer.ask("resources/list", json!({})).await["result"]["resources"].take();
    assert_eq!(listed[0]["uri"], base, "{listed}");
    let templates = reviewer.ask("resources/templates/list", json!({})).await["result"]["resourceTemplates"].take();
    assert_eq!(
        templates
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["uriTemplate"].as_str().unwrap().starts_with(base))
            .count(),
        4
    );

    let all = reviewer.read(&format!("{base}?status=created&category=code")).await;
    assert_eq!((&all["reviews"][0]["review_id"], &all["next_cursor"]), (&json!(id), &Value::Null));
    assert_eq!(reviewer.read(&format!("{base}?category=docs")).await["reviews"], json!([]));
    let review = reviewer.read(&one).await;
    assert_eq!((&review["intent"], &review["labels"]), (&json!("Change x"), &json!({"phase": "3.2"})));
    assert_eq!(reviewer.read(&format!("{one}/rounds/1")).await["diff"], DIFF);
    assert_eq!(reviewer.read(&format!("{one}/events")).await["events"][0]["kind"], "submitted");
    for gone in [format!("{one}/rounds/2"), format!("{base}/{}", uuid::Uuid::nil()), format!("{one}/rounds/01")] {
        let refused = reviewer.ask("resources/read", json!({ "uri": gone })).await;
        assert_eq!(refused["error"]["code"], -32002, "{gone}: {refused}");
    }
    let completed = json!({
        "ref": {"type": "ref/resource", "uri": "file://review-gate/reviews/{id}"},
        "argument": {"name": "id", "value": &id[..8]},
    });
    let completed = reviewer.ask("completion/complete", completed).await;
    assert_eq!(completed["result"]["completion"]["values"], json!([id]), "{completed}");

    let watched = [base.to_owned(), one.clone(), format!("{one}/rounds/1"), format!("{one}/events")];
    for uri in &watched {
        assert!(reviewer.ask("resources/subscribe", json!({ "uri": uri })).await["result"].is_object(), "{uri}");
    }
    call(&mut proposer, "post_message", json!({"review_id": id, "body": "hm"})).await;
    let mut heard = Vec::new();
    for _ in &watched {
        let told = reviewer.told("notifications/resources/updated").await;
        heard.push(told["params"]["uri"].as_str().unwrap().to_owned());
    }
    heard.sort();
    assert_eq!(
        heard,
        watched.iter().cloned().collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    );
    let listen = json!({"notifications": {"resourceSubscriptions": [one]}, "_meta": stateless()});
    let mut modern = Relay::of_client(&house.gate, Arc::clone(&house.served), "relay 30", 30);
    modern.send("subscriptions/listen", listen).await;
    modern.told("notifications/subscriptions/acknowledged").await;
    call(&mut proposer, "post_message", json!({"review_id": id, "body": "hm"})).await;
    assert_eq!(modern.told("notifications/resources/updated").await["params"]["uri"], one, "in both eras");
    for relay in [proposer, reviewer, modern] {
        relay.close().await;
    }
    nobody_listens(&house.gate).await;
}
