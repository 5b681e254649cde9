//! Where a review stands, and what it proposes.

use serde_json::{Value, json};

use super::{DIFF, NOBODY, begin, call, claim, close, create, ended, error, judge, status, two};

#[tokio::test]
async fn where_it_stands_follows_what_is_done() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    let mut seen = vec![status(&mut proposer, &id).await["status"].clone()];
    claim(&mut reviewer, &id).await;
    seen.push(status(&mut proposer, &id).await["status"].clone());
    judge(&mut reviewer, &id, "approved").await;
    seen.push(status(&mut proposer, &id).await["status"].clone());
    close(&mut proposer, &id).await;
    seen.push(status(&mut proposer, &id).await["status"].clone());
    assert_eq!(seen, ["pending", "claimed", "approved", "closed"]);
}

#[tokio::test]
async fn what_no_review_is_called_is_found_by_no_tool() {
    let (_house, mut proposer, _reviewer) = two().await;
    for unknown in [NOBODY, "0190a6e4-7a10-7000-8000-000000000001"] {
        for tool in ["get_review_status", "get_proposal", "get_discussion", "get_audit_log", "get_review_timeline"] {
            let why = error(&mut proposer, tool, json!({ "review_id": unknown })).await;
            assert!(why.contains("not found") && why.contains(unknown), "{tool}: {why}");
        }
        for tool in ["accept_counter_patch", "reject_counter_patch"] {
            let why = error(&mut proposer, tool, json!({ "review_id": unknown })).await;
            assert!(why.contains("not found"), "{tool}: {why}");
        }
    }
    let result = proposer.call("get_proposal", json!({ "review_id": NOBODY })).await;
    assert_eq!(result["_meta"]["review-gate/fault"]["code"], "unknown_review", "programs have a code: {result}");
}

#[tokio::test]
async fn who_waits_hears_of_a_claim_a_verdict_and_the_end() {
    let (house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    let waits = json!({"review_id": id, "wait": true});
    let waiting = begin(&house, &mut proposer, "get_review_status", waits.clone()).await;
    claim(&mut reviewer, &id).await;
    assert_eq!(ended(&mut proposer, waiting).await["status"], "claimed");
    house.broker.waits_no_longer().await;
    let waiting = begin(&house, &mut proposer, "get_review_status", waits.clone()).await;
    call(&mut reviewer, "add_message", json!({"review_id": id, "sender_role": "reviewer", "body": "Hm."})).await;
    assert_eq!(ended(&mut proposer, waiting).await["status"], "in_review", "a message counts");
    house.broker.waits_no_longer().await;
    let waiting = begin(&house, &mut proposer, "get_review_status", waits.clone()).await;
    judge(&mut reviewer, &id, "approved").await;
    assert_eq!(ended(&mut proposer, waiting).await["status"], "approved");
    house.broker.waits_no_longer().await;
    let own = call(&mut proposer, "get_review_status", waits.clone()).await;
    assert_eq!(own["status"], "approved", "what its proposer does next is waited for by others alone");
    let waiting = begin(&house, &mut reviewer, "get_review_status", waits.clone()).await;
    close(&mut proposer, &id).await;
    assert_eq!(ended(&mut reviewer, waiting).await["status"], "closed");
    let over = call(&mut reviewer, "get_review_status", waits).await;
    assert_eq!(over["status"], "closed", "nothing happens in it any more, so nobody waits");
}

#[tokio::test]
async fn ones_own_acts_end_no_wait() {
    let (house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    let waiting = begin(&house, &mut proposer, "get_review_status", json!({"review_id": id, "wait": true})).await;
    call(&mut proposer, "add_message", json!({"review_id": id, "sender_role": "proposer", "body": "Well?"})).await;
    assert_eq!(house.broker.waiting(), 1, "it waits on");
    claim(&mut reviewer, &id).await;
    assert_eq!(ended(&mut proposer, waiting).await["status"], "claimed");
}

#[tokio::test]
async fn a_proposal_is_read_whole() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let long: String = (0..20_000).map(|line| format!("+line {line}\n")).collect();
    let diff = format!("--- /dev/null\n+++ b/x\n@@ -0,0 +1,20000 @@\n{long}");
    let more = json!({"diff": diff, "description": "At length.", "project": "alpha", "category": "code_change"});
    let id = create(&mut proposer, more).await;
    let read = call(&mut reviewer, "get_proposal", json!({ "review_id": id, "caller_id": "reviewer-1" })).await;
    assert_eq!(read["diff"], json!(diff), "in one go, byte for byte: there it has no pages");
    for (field, value) in [
        ("id", id.clone()),
        ("status", json!("pending")),
        ("intent", json!("Change x")),
        ("description", json!("At length.")),
        ("project", json!("alpha")),
        ("category", json!("code_change")),
        ("counter_patch", Value::Null),
        ("counter_patch_affected_files", Value::Null),
        ("counter_patch_status", Value::Null),
    ] {
        assert_eq!(read[field], value, "{field}");
    }
    assert!(read["affected_files"].is_array(), "{}", read["affected_files"]);
}
