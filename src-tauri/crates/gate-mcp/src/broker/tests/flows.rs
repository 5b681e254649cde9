//! The two flows of the broker that agents know, call by call as they are written there, and what follows a rejection.

use serde_json::json;

use super::{DIFF, House, OTHER, call, propose, refused};

#[tokio::test]
async fn a_proposal_is_listed_claimed_approved_and_closed() {
    let house = House::new();
    let (mut proposer, mut reviewer) = (house.agent(10).await, house.agent(20).await);
    let arguments = json!({
        "intent": "Change x", "diff": DIFF, "agent_type": "gsd-executor", "phase": "3.2", "plan": "p", "task": "4",
    });
    let submitted = call(&mut proposer, "submit_proposal", arguments).await;
    assert_eq!(submitted["status"], "created", "{submitted}");
    let id = submitted["review_id"].clone();
    let polled = call(&mut proposer, "get_review_status", json!({ "review_id": id })).await;
    assert_eq!(polled["status"], "created", "polling sees where it stands");

    let pending = call(&mut reviewer, "list_pending", json!({})).await;
    let first = &pending["reviews"][0];
    assert_eq!((&first["review_id"], &first["intent"]), (&id, &json!("Change x")), "what a reviewer picks from");
    let claimed = call(&mut reviewer, "claim_review", json!({"review_id": id, "reviewer_id": "codex-1"})).await;
    assert_eq!(claimed["status"], "claimed");
    assert_eq!((&claimed["diff"], &claimed["claim_token"]), (&json!(DIFF), &json!(1)), "it has what is reviewed");
    let verdict = json!({"review_id": id, "decision": "approved"});
    let judged = call(&mut reviewer, "submit_verdict", verdict).await;
    assert_eq!(judged["status"], "approved");
    assert_eq!(judged["approvals"], json!({"have": 1, "need": 1, "person": false}));

    let polled = call(&mut proposer, "get_review_status", json!({ "review_id": id })).await;
    assert_eq!((&polled["status"], &polled["approved_by"]), (&json!("approved"), &json!("agent")));
    assert_eq!(polled["verdict"]["decision"], "approved", "with what the reviewer said");
    let next = polled["next"].as_str().unwrap();
    assert!(next.contains("not the person"), "an agent's approval is never the person's: {next}");
    let closed = call(&mut proposer, "close_review", json!({"review_id": id, "closer_role": "proposer"})).await;
    assert_eq!((&closed["status"], &closed["outcome"]), (&json!("closed"), &json!("applied")));
    let none = call(&mut reviewer, "list_pending", json!({})).await;
    assert_eq!(none["reviews"], json!([]), "nothing waits any more");
}

#[tokio::test]
async fn a_discussion_with_a_patch_ends_with_an_approval() {
    let house = House::new();
    let (mut proposer, mut reviewer) = (house.agent(10).await, house.agent(20).await);
    let id = propose(&mut proposer, DIFF).await;
    call(&mut reviewer, "claim_review", json!({ "review_id": id })).await;
    let message = json!({"review_id": id, "body": "change X in file Y", "role": "reviewer"});
    let said = call(&mut reviewer, "post_message", message).await;
    assert_eq!((&said["status"], &said["turn"]), (&json!("in_discussion"), &json!("proposer")));

    let heard = call(&mut proposer, "get_messages", json!({ "review_id": id })).await;
    let message = &heard["messages"][0];
    assert_eq!((&message["role"], &message["body"]), (&json!("reviewer"), &json!("change X in file Y")));
    let message = json!({"review_id": id, "body": "counter-proposal: ...", "role": "reviewer"});
    let said = call(&mut proposer, "post_message", message).await;
    assert_eq!((&said["status"], &said["turn"]), (&json!("in_discussion"), &json!("reviewer")));
    let heard = call(&mut reviewer, "get_messages", json!({"review_id": id, "since": heard["event"]})).await;
    assert_eq!(heard["messages"][0]["role"], "proposer", "a role is what somebody is, whatever they call themselves");

    let patch = json!({"review_id": id, "patch_diff": OTHER, "role": "reviewer"});
    let offered = call(&mut reviewer, "submit_patch", patch).await;
    assert_eq!(offered["status"], "in_discussion");
    let patches = call(&mut proposer, "get_patch", json!({ "review_id": id })).await;
    let found: Vec<_> = patches["patches"].as_array().unwrap().iter().map(|one| &one["patch_diff"]).collect();
    assert_eq!(found, [DIFF, OTHER], "the round and the patch, in the order that they came");
    assert_eq!(patches["patches"][1]["patch_id"], offered["patch_id"]);
    let alone = json!({"review_id": id, "patch_id": offered["patch_id"]});
    let alone = call(&mut proposer, "get_patch", alone).await["patches"].take();
    assert_eq!((alone.as_array().map(Vec::len), &alone[0]["patch_diff"]), (Some(1), &json!(OTHER)));
    let message = json!({"review_id": id, "body": "accepted reviewer patch", "role": "proposer"});
    call(&mut proposer, "post_message", message).await;
    call(&mut reviewer, "submit_verdict", json!({"review_id": id, "decision": "approved"})).await;
    let closed = call(&mut proposer, "close_review", json!({"review_id": id, "commit": "HEAD"})).await;
    assert_eq!((&closed["status"], &closed["applied"]["found"]), (&json!("closed"), &json!("exact")));
}

#[tokio::test]
async fn what_was_rejected_comes_again_as_a_next_round() {
    let house = House::new();
    let (mut proposer, mut reviewer) = (house.agent(10).await, house.agent(20).await);
    let id = propose(&mut proposer, DIFF).await;
    let claim = call(&mut reviewer, "claim_review", json!({})).await;
    assert_eq!(claim["review_id"], id, "without an id, the next one");
    let comment = json!({"file": "x", "line": 1, "side": "new", "body": "No **b**."});
    let verdict = json!({
        "review_id": id, "decision": "changes_requested", "reason": "b is wrong", "comments": [comment],
        "claim_token": claim["claim_token"], "round": 1,
    });
    call(&mut reviewer, "submit_verdict", verdict).await;
    let status = call(&mut proposer, "get_review_status", json!({"review_id": id, "since": 1})).await;
    assert_eq!((&status["status"], &status["verdict"]["reason"]), (&json!("rejected"), &json!("b is wrong")));
    let kinds: Vec<_> = status["events"].as_array().unwrap().iter().map(|event| &event["kind"]).collect();
    assert_eq!(kinds, ["claimed", "verdict"], "what happened since");
    let open = call(&mut proposer, "get_messages", json!({"review_id": id, "unresolved": true})).await;
    let thread = &open["threads"][0];
    assert_eq!(
        (&thread["file"], &thread["line"], &open["messages"][0]["body"]),
        (&json!("x"), &json!(1), &json!("No **b**."))
    );
    let settle = json!({"review_id": id, "body": "", "thread_id": thread["thread_id"], "resolve": true});
    call(&mut proposer, "post_message", settle).await;
    let open = call(&mut proposer, "get_messages", json!({"review_id": id, "unresolved": true})).await;
    assert_eq!(open["messages"], json!([]), "it is settled");

    let round = json!({"intent": "Change x", "diff": DIFF, "review_id": id, "round": 1});
    let same = call(&mut proposer, "submit_proposal", round).await;
    assert_eq!((&same["unchanged"], &same["round"]), (&json!(true), &json!(1)), "the same bytes are no next round");
    let round = json!({"intent": "Change x", "diff": OTHER, "review_id": id, "round": 1});
    let next = call(&mut proposer, "submit_proposal", round.clone()).await;
    assert_eq!((&next["round"], &next["status"]), (&json!(2), &json!("created")));
    let fresh = call(&mut reviewer, "get_proposal", json!({"review_id": id, "since_round": 1})).await;
    assert_eq!((&fresh["shown_round"], &fresh["diff"]), (&json!(2), &json!(OTHER)), "what is new in it");
    let first = call(&mut reviewer, "get_proposal", json!({"review_id": id, "round": 1})).await;
    assert_eq!((&first["diff"], &first["verdicts"][0]["reason"]), (&json!(DIFF), &json!("b is wrong")));

    let claim = call(&mut reviewer, "claim_review", json!({ "review_id": id })).await;
    assert_eq!((&claim["round"], &claim["claim_token"]), (&json!(2), &json!(2)));
    let late = json!({"review_id": id, "decision": "approved", "claim_token": 1});
    assert_eq!(refused(&mut reviewer, "submit_verdict", late).await.0, "claim_lost", "the old fence opens nothing");
    let patch = json!({"review_id": id, "diff": DIFF, "approves": true});
    call(&mut reviewer, "submit_patch", patch).await;
    let third = call(&mut proposer, "accept_counter_patch", json!({ "review_id": id })).await;
    assert_eq!((&third["round"], &third["status"]), (&json!(3), &json!("approved")), "accepting it was its approval");
    let own = json!({"review_id": id, "decision": "approved"});
    assert_eq!(refused(&mut proposer, "submit_verdict", own).await.0, "wrong_state");
}

#[tokio::test]
async fn nobody_reviews_their_own_and_a_claim_may_be_given_back() {
    let house = House::new();
    let (mut proposer, mut reviewer) = (house.agent(10).await, house.agent(20).await);
    let id = propose(&mut proposer, DIFF).await;
    let own = refused(&mut proposer, "claim_review", json!({ "review_id": id })).await;
    assert_eq!(own.0, "own_proposal");
    let none = call(&mut proposer, "claim_review", json!({})).await;
    assert_eq!((&none["claimed"], none.get("review_id")), (&json!(false), None), "nor is it given its own");
    call(&mut reviewer, "claim_review", json!({ "review_id": id })).await;
    let mut third = house.agent(30).await;
    assert_eq!(refused(&mut third, "claim_review", json!({ "review_id": id })).await.0, "already_claimed");
    assert_eq!(refused(&mut third, "release_review", json!({ "review_id": id })).await.0, "not_holder");
    let back = call(&mut reviewer, "release_review", json!({"review_id": id, "reason": "no time"})).await;
    assert_eq!(back["status"], "created");
    assert_eq!(call(&mut third, "claim_review", json!({})).await["review_id"], id, "the next one takes it");
    call(&mut third, "submit_patch", json!({"review_id": id, "diff": OTHER})).await;
    assert_eq!(refused(&mut third, "reject_counter_patch", json!({ "review_id": id })).await.0, "not_proposer");
    let rejected = json!({"review_id": id, "reason": "no"});
    assert_eq!(call(&mut proposer, "reject_counter_patch", rejected).await["round"], 1, "it stays as it is");
    assert_eq!(refused(&mut reviewer, "close_review", json!({ "review_id": id })).await.0, "not_proposer");
    let closed = call(&mut proposer, "close_review", json!({"review_id": id, "outcome": "abandoned"})).await;
    assert_eq!(closed["outcome"], "withdrawn", "it was never decided");
}
