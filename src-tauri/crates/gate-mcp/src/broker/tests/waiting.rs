//! Calls that wait in the place of polling.

use gate_core::proposal::{Act, Need, ReviewId};
use serde_json::json;

use super::{DIFF, House, begin, call, ended, propose};

#[tokio::test]
async fn a_waiting_claim_is_given_the_review_and_a_waiting_proposal_its_verdict() {
    let house = House::new();
    let (mut proposer, mut reviewer) = (house.agent(10).await, house.agent(20).await);
    let claiming = begin(&mut reviewer, "claim_review", json!({"wait": true})).await;
    house.broker.waits(1).await;
    let submit = json!({"intent": "Change x", "diff": DIFF, "wait": true});
    let submitting = begin(&mut proposer, "submit_proposal", submit).await;
    let claim = ended(&mut reviewer, "claim_review", claiming).await;
    assert_eq!((&claim["claimed"], &claim["changed"], &claim["diff"]), (&json!(true), &json!(true), &json!(DIFF)));
    house.broker.waits(1).await;
    let verdict = json!({"review_id": claim["review_id"], "decision": "approved", "reason": "Good."});
    call(&mut reviewer, "submit_verdict", verdict).await;
    let submitted = ended(&mut proposer, "submit_proposal", submitting).await;
    assert_eq!((&submitted["status"], &submitted["changed"]), (&json!("approved"), &json!(true)));
    assert_eq!(submitted["verdict"]["reason"], "Good.", "with what the reviewer said");
    assert_eq!(submitted["reviewers"]["waiting"], 1, "somebody waited for it");
}

#[tokio::test]
async fn where_nobody_would_review_it_the_result_says_so_at_once() {
    let house = House::new();
    let mut proposer = house.agent(10).await;
    let submit = json!({"intent": "Change x", "diff": DIFF, "wait": true});
    let submitted = call(&mut proposer, "submit_proposal", submit).await;
    assert_eq!((&submitted["status"], submitted.get("changed")), (&json!("created"), None));
    assert!(submitted["next"].as_str().unwrap().contains("No reviewer waits"), "{submitted}");
}

#[tokio::test]
async fn own_acts_wake_nobody_and_others_do() {
    let house = House::new();
    let (mut proposer, mut reviewer) = (house.agent(10).await, house.agent(20).await);
    let id = propose(&mut proposer, DIFF).await;
    let claim = call(&mut reviewer, "claim_review", json!({ "review_id": id })).await;
    let messages = json!({"review_id": id, "since": claim["event"], "wait": true});
    let listening = begin(&mut reviewer, "get_messages", messages).await;
    house.broker.waits(1).await;
    call(&mut reviewer, "post_message", json!({"review_id": id, "body": "mine"})).await;
    assert_eq!(house.broker.waiting(), 1, "it waits on");
    call(&mut proposer, "post_message", json!({"review_id": id, "body": "theirs"})).await;
    let heard = ended(&mut reviewer, "get_messages", listening).await;
    let bodies: Vec<_> = heard["messages"].as_array().unwrap().iter().map(|message| &message["body"]).collect();
    assert_eq!((bodies, &heard["changed"]), (vec![&json!("mine"), &json!("theirs")], &json!(true)));
    let late = json!({"review_id": id, "since": claim["event"], "wait": true});
    let status = call(&mut proposer, "get_review_status", late).await;
    assert_eq!(status["changed"], true, "what happened before the call isn't missed");
}

#[tokio::test]
async fn nothing_new_says_whether_to_call_again() {
    let house = House::new();
    let (mut proposer, mut reviewer) = (house.agent(10).await, house.agent(20).await);
    let none = call(&mut reviewer, "claim_review", json!({"wait": true, "wait_seconds": 0})).await;
    assert_eq!((&none["claimed"], &none["changed"]), (&json!(false), &json!(false)));
    let none = call(&mut reviewer, "list_reviews", json!({"wait": true, "wait_seconds": 0})).await;
    assert_eq!((&none["reviews"], &none["changed"]), (&json!([]), &json!(false)));
    let id = propose(&mut proposer, DIFF).await;
    let wait = json!({"review_id": id, "wait": true, "wait_seconds": 0});
    let status = call(&mut proposer, "get_review_status", wait).await;
    assert_eq!((&status["changed"], &status["events"]), (&json!(false), &json!([])));
    let next = status["next"].as_str().unwrap();
    assert!(next.contains("Call again with since 1"), "how it goes on without missing anything: {next}");
    let waiting = begin(&mut reviewer, "list_reviews", json!({"category": "docs", "wait": true})).await;
    house.broker.waits(1).await;
    call(&mut proposer, "submit_proposal", json!({"intent": "Say more", "category": "docs"})).await;
    let listed = ended(&mut reviewer, "list_reviews", waiting).await;
    assert_eq!((&listed["reviews"][0]["intent"], &listed["changed"]), (&json!("Say more"), &json!(true)));
}

#[tokio::test]
async fn nobody_waits_for_a_person_who_is_away() {
    let house = House::new();
    house.broker.set_need(Need { agents: 0, person: true });
    let (mut proposer, mut other) = (house.agent(10).await, house.agent(20).await);
    let id = propose(&mut proposer, DIFF).await;
    let review: ReviewId = id.as_str().unwrap().parse().unwrap();
    house.broker.person(review, &Act::Take);
    let waiting = begin(&mut proposer, "get_review_status", json!({"review_id": id, "wait": true})).await;
    house.broker.waits(1).await;
    house.broker.set_away(true);
    let status = ended(&mut proposer, "get_review_status", waiting).await;
    assert_eq!((&status["turn"], &status["changed"]), (&json!("person"), &json!(false)));
    assert!(status["next"].as_str().unwrap().contains("end your turn"), "{status}");
    for tool in ["get_review_status", "get_messages"] {
        let status = call(&mut other, tool, json!({"review_id": id, "wait": true})).await;
        assert_eq!(status["changed"], false, "{tool} returns at once");
    }
    let news = json!({"review_id": id, "since": 1, "wait": true});
    let status = call(&mut proposer, "get_review_status", news).await;
    assert_eq!(status["changed"], true, "what has happened is told all the same");
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_as_long_as_its_client_does_and_says_meanwhile_that_it_lives() {
    let house = House::new();
    let mut reviewer = house.agent(20).await;
    let began = tokio::time::Instant::now();
    let params = json!({"name": "claim_review", "arguments": {"wait": true}, "_meta": {"progressToken": "p"}});
    let answer = reviewer.ask("tools/call", params).await;
    assert_eq!(answer["result"]["structuredContent"]["changed"], false, "{answer}");
    let (waited, beats) = (began.elapsed().as_secs(), reviewer.heard.len() as u64);
    assert!(waited >= 10, "as long as a client of that name waits, which is {waited} s");
    assert_eq!(beats, waited / 15 + u64::from(waited % 15 > 0), "a word every 15 seconds, from the first one on");
    assert!(reviewer.heard.iter().all(|told| told["method"] == "notifications/progress"), "{:?}", reviewer.heard);
}

#[tokio::test]
async fn a_call_that_is_taken_back_waits_no_longer_and_ends_nothing() {
    let house = House::new();
    let (mut proposer, mut reviewer) = (house.agent(10).await, house.agent(20).await);
    let claiming = begin(&mut reviewer, "claim_review", json!({"wait": true})).await;
    house.broker.waits(1).await;
    let cancelled = json!({"requestId": claiming, "reason": "enough"});
    reviewer.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})).await;
    reviewer.ask("ping", json!({})).await;
    house.broker.waits_no_longer().await;
    let id = propose(&mut proposer, DIFF).await;
    let status = call(&mut proposer, "get_review_status", json!({ "review_id": id })).await;
    assert_eq!(status["status"], "created", "nobody was given it");
}
