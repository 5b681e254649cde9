//! Counter-patches.

use serde_json::{Value, json};

use super::{DIFF, OTHER, begin, call, claim, create, ended, error, status, two};
use crate::connection::relayed::Relay;

const THIRD: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+d\n";

/// Claims a review and gives this verdict with a counter-patch.
async fn offers(reviewer: &mut Relay, id: &Value, verdict: &str, patch: &str) -> Value {
    let claimed = claim(reviewer, id).await;
    let arguments = json!({
        "review_id": id, "verdict": verdict, "reason": "Rather so.", "counter_patch": patch,
        "claim_generation": claimed["claim_generation"],
    });
    call(reviewer, "submit_verdict", arguments).await
}

async fn read(relay: &mut Relay, id: &Value) -> Value {
    call(relay, "get_proposal", json!({ "review_id": id })).await
}

#[tokio::test]
async fn a_verdict_may_bring_a_patch_in_the_place_of_what_it_is_on() {
    let (_house, mut proposer, mut reviewer) = two().await;
    for (verdict, stands) in [("changes_requested", "changes_requested"), ("comment", "in_review")] {
        let id = create(&mut proposer, json!({"diff": DIFF, "phase": verdict})).await;
        let judged = offers(&mut reviewer, &id, verdict, OTHER).await;
        assert_eq!((&judged["status"], &judged["has_counter_patch"]), (&json!(stands), &json!(true)));
        assert_eq!(judged["verdict_reason"], "Rather so.");
        let read = read(&mut proposer, &id).await;
        assert_eq!((&read["diff"], &read["counter_patch"]), (&json!(DIFF), &json!(OTHER)), "beside what was proposed");
        assert_eq!(read["counter_patch_status"], "pending");
        assert!(read["counter_patch_affected_files"].is_array(), "{read}");
    }
}

#[tokio::test]
async fn an_approval_brings_none_and_a_verdict_without_one_says_nothing_of_it() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    claim(&mut reviewer, &id).await;
    let both = json!({"review_id": id, "verdict": "approved", "counter_patch": OTHER});
    let why = error(&mut reviewer, "submit_verdict", both).await;
    assert!(why.contains("changes_requested or comment"), "{why}");
    let rejected = super::judge(&mut reviewer, &id, "changes_requested").await;
    assert_eq!(rejected.get("has_counter_patch"), None, "{rejected}");
    let read = read(&mut proposer, &id).await;
    assert_eq!((&read["counter_patch"], &read["counter_patch_status"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn a_patch_that_is_accepted_is_the_next_round() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    offers(&mut reviewer, &id, "changes_requested", OTHER).await;
    let theirs = error(&mut reviewer, "accept_counter_patch", json!({ "review_id": id })).await;
    assert!(theirs.starts_with("Only its proposer"), "{theirs}");
    let accepted = call(&mut proposer, "accept_counter_patch", json!({ "review_id": id })).await;
    assert_eq!((&accepted["review_id"], &accepted["counter_patch_status"]), (&id, &json!("accepted")));
    assert!(accepted["message"].as_str().unwrap().contains("round 2"), "{accepted}");
    let found = status(&mut proposer, &id).await;
    assert_eq!((&found["status"], &found["current_round"]), (&json!("pending"), &json!(2)), "to be reviewed as it is");
    let shown = read(&mut proposer, &id).await;
    assert_eq!((&shown["diff"], &shown["counter_patch"]), (&json!(OTHER), &Value::Null), "it is the proposal now");
    assert_eq!(shown["counter_patch_status"], "accepted");
    create(&mut proposer, json!({"diff": THIRD, "review_id": id})).await;
    assert_eq!(read(&mut proposer, &id).await["counter_patch_status"], Value::Null, "and forgotten with a newer round");
}

#[tokio::test]
async fn a_patch_that_is_turned_down_leaves_the_proposal_as_it_was() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    offers(&mut reviewer, &id, "comment", OTHER).await;
    let rejected = call(&mut proposer, "reject_counter_patch", json!({ "review_id": id })).await;
    assert_eq!(rejected, json!({"review_id": id, "counter_patch_status": "rejected"}));
    let shown = read(&mut proposer, &id).await;
    assert_eq!((&shown["diff"], &shown["counter_patch"]), (&json!(DIFF), &Value::Null));
    assert_eq!(shown["counter_patch_status"], "rejected");
    for tool in ["accept_counter_patch", "reject_counter_patch"] {
        let why = error(&mut proposer, tool, json!({ "review_id": id })).await;
        assert!(why.contains("No pending counter-patch"), "{tool}: {why}");
    }
}

#[tokio::test]
async fn there_is_one_place_for_them_and_the_newest_has_it() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    offers(&mut reviewer, &id, "comment", OTHER).await;
    offers(&mut reviewer, &id, "comment", THIRD).await;
    assert_eq!(read(&mut proposer, &id).await["counter_patch"], THIRD);
    call(&mut proposer, "accept_counter_patch", json!({ "review_id": id })).await;
    assert_eq!(read(&mut proposer, &id).await["diff"], THIRD, "what was shown is what is accepted");
}

#[tokio::test]
async fn a_next_round_clears_what_was_offered_for_the_one_before() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    offers(&mut reviewer, &id, "changes_requested", OTHER).await;
    create(&mut proposer, json!({"diff": THIRD, "review_id": id})).await;
    let shown = read(&mut proposer, &id).await;
    assert_eq!((&shown["counter_patch"], &shown["counter_patch_status"]), (&Value::Null, &Value::Null));
    let why = error(&mut proposer, "accept_counter_patch", json!({ "review_id": id })).await;
    assert!(why.contains("No pending counter-patch"), "{why}");
}

#[tokio::test]
async fn whoever_waits_hears_what_became_of_it() {
    let (house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    offers(&mut reviewer, &id, "changes_requested", OTHER).await;
    let waiting = begin(&house, &mut reviewer, "get_review_status", json!({"review_id": id, "wait": true})).await;
    call(&mut proposer, "accept_counter_patch", json!({ "review_id": id })).await;
    assert_eq!(ended(&mut reviewer, waiting).await["current_round"], 2);
}
