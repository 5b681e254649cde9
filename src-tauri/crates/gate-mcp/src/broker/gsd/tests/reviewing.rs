//! Claims, verdicts and the end of reviews.

use serde_json::{Value, json};

use super::{DIFF, NOBODY, call, claim, close, create, error, judge, status, two};

#[tokio::test]
async fn a_claim_says_what_is_reviewed_and_numbers_itself() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let more = json!({"diff": DIFF, "description": "At length.", "project": "alpha", "category": "code_change"});
    let id = create(&mut proposer, more).await;
    let claimed = claim(&mut reviewer, &id).await;
    for (field, value) in [
        ("review_id", id.clone()),
        ("status", json!("claimed")),
        ("claim_generation", json!(1)),
        ("intent", json!("Change x")),
        ("description", json!("At length.")),
        ("project", json!("alpha")),
        ("category", json!("code_change")),
        ("has_diff", json!(true)),
    ] {
        assert_eq!(claimed[field], value, "{field}: {claimed}");
    }
    assert!(claimed["affected_files"].is_array() && claimed.get("diff").is_none(), "get_proposal has it: {claimed}");
    let found = status(&mut proposer, &id).await;
    assert_eq!((&found["status"], &found["claimed_by"]), (&json!("claimed"), &claimed["claimed_by"]));
    assert_ne!(found["claimed_by"], "reviewer-1", "who it is follows from its connection, and no argument says it");
    let plan = create(&mut proposer, json!({})).await;
    let claimed = claim(&mut reviewer, &plan).await;
    assert_eq!((claimed.get("has_diff"), claimed.get("description")), (None, None), "{claimed}");
    assert_eq!((&claimed["project"], &claimed["category"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn one_reviewer_gets_it_and_nobody_their_own() {
    let (house, mut proposer, mut reviewer) = two().await;
    let mut other = house.agent(30).await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    let own = error(&mut proposer, "claim_review", json!({"review_id": id, "reviewer_id": "somebody-else"})).await;
    assert!(own.contains("own proposal"), "{own}");
    claim(&mut reviewer, &id).await;
    let late = error(&mut other, "claim_review", json!({"review_id": id, "reviewer_id": "reviewer-1"})).await;
    assert!(late.starts_with("Already claimed"), "by another party, whatever it calls itself: {late}");
    let again = claim(&mut reviewer, &id).await;
    assert_eq!(again["claim_generation"], 1, "whoever has it has it");
    let none = error(&mut other, "claim_review", json!({"review_id": NOBODY, "reviewer_id": "r"})).await;
    assert!(none.contains("not found"), "{none}");
    judge(&mut reviewer, &id, "approved").await;
    let decided = error(&mut other, "claim_review", json!({"review_id": id, "reviewer_id": "r"})).await;
    assert!(decided.contains("Invalid transition") && decided.contains("approved"), "{decided}");
}

#[tokio::test]
async fn a_verdict_decides_and_says_why() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    claim(&mut reviewer, &id).await;
    let arguments = json!({"review_id": id, "verdict": "approved", "reason": "LGTM", "reviewer_id": "reviewer-1"});
    let approved = call(&mut reviewer, "submit_verdict", arguments).await;
    assert_eq!(approved, json!({"review_id": id, "status": "approved", "verdict_reason": "LGTM"}));
    let found = status(&mut proposer, &id).await;
    assert_eq!((&found["status"], &found["verdict_reason"]), (&json!("approved"), &json!("LGTM")));
    assert_eq!(found["approved_by"], "agent", "and never the person's");
    let id = create(&mut proposer, json!({"diff": DIFF, "phase": "2"})).await;
    claim(&mut reviewer, &id).await;
    let rejected = judge(&mut reviewer, &id, "changes_requested").await;
    assert_eq!((&rejected["status"], &rejected["verdict_reason"]), (&json!("changes_requested"), &json!("Because.")));
}

#[tokio::test]
async fn a_comment_opens_the_discussion_and_decides_nothing() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    let claimed = claim(&mut reviewer, &id).await;
    let comment = json!({
        "review_id": id, "verdict": "comment", "reason": "A class, perhaps.", "claim_generation": claimed["claim_generation"],
    });
    let said = call(&mut reviewer, "submit_verdict", comment).await;
    let expected =
        json!({"review_id": id, "status": "in_review", "verdict": "comment", "verdict_reason": "A class, perhaps."});
    assert_eq!(said, expected);
    let found = status(&mut proposer, &id).await;
    assert_eq!((&found["status"], &found["verdict_reason"]), (&json!("in_review"), &json!("A class, perhaps.")));
    assert_eq!(found["claimed_by"], claimed["claimed_by"], "it is claimed as before");
    assert_eq!(judge(&mut reviewer, &id, "approved").await["status"], "approved", "and decided from there");
    let late = json!({"review_id": id, "verdict": "comment", "reason": "Oh."});
    let why = error(&mut reviewer, "submit_verdict", late).await;
    assert!(why.contains("Invalid transition") && why.contains("approved"), "{why}");
}

#[tokio::test]
async fn all_but_an_approval_need_a_reason() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    claim(&mut reviewer, &id).await;
    for verdict in ["comment", "changes_requested"] {
        for reason in [Value::Null, json!(""), json!("   \n\t ")] {
            let arguments = json!({"review_id": id, "verdict": verdict, "reason": reason});
            let why = error(&mut reviewer, "submit_verdict", arguments).await;
            assert!(why.contains("reason") && why.contains(verdict), "{verdict} {reason}: {why}");
        }
    }
    let unknown = json!({"review_id": id, "verdict": "maybe", "reason": "x"});
    let why = error(&mut reviewer, "submit_verdict", unknown).await;
    assert!(why.contains("maybe") && why.contains("approved, changes_requested, comment"), "{why}");
    assert_eq!(status(&mut proposer, &id).await["status"], "claimed", "nothing was decided");
    let approved = call(&mut reviewer, "submit_verdict", json!({"review_id": id, "verdict": "approved"})).await;
    assert_eq!((&approved["status"], &approved["verdict_reason"]), (&json!("approved"), &Value::Null));
}

#[tokio::test]
async fn only_who_holds_the_claim_decides() {
    let (house, mut proposer, mut reviewer) = two().await;
    let mut other = house.agent(30).await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    let verdict = json!({"review_id": id, "verdict": "approved", "reviewer_id": "reviewer-1", "claim_generation": 1});
    let early = error(&mut reviewer, "submit_verdict", verdict.clone()).await;
    assert!(early.contains("Invalid transition") && early.contains("pending"), "{early}");
    claim(&mut reviewer, &id).await;
    let stranger = error(&mut other, "submit_verdict", verdict.clone()).await;
    assert!(stranger.starts_with("Unauthorized"), "a name and a number alone are no claim: {stranger}");
    let own = error(&mut proposer, "submit_verdict", verdict.clone()).await;
    assert!(own.contains("own proposal"), "{own}");
    let none = error(&mut reviewer, "submit_verdict", json!({"review_id": NOBODY, "verdict": "approved"})).await;
    assert!(none.contains("not found"), "{none}");
    let given = call(&mut reviewer, "submit_verdict", json!({"review_id": id, "verdict": "approved"})).await;
    assert_eq!(given["status"], "approved", "whose claim it is is known without the number and the name");
}

#[tokio::test]
async fn a_claim_that_was_lost_decides_nothing() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    claim(&mut reviewer, &id).await;
    judge(&mut reviewer, &id, "changes_requested").await;
    create(&mut proposer, json!({"diff": super::OTHER, "review_id": id})).await;
    let again = claim(&mut reviewer, &id).await;
    assert_eq!(again["claim_generation"], 2, "each claim has the next number");
    for verdict in ["approved", "comment"] {
        let stale = json!({"review_id": id, "verdict": verdict, "reason": "x", "claim_generation": 1});
        let why = error(&mut reviewer, "submit_verdict", stale).await;
        assert!(why.starts_with("Stale claim"), "{verdict}: {why}");
    }
    let given = json!({"review_id": id, "verdict": "approved", "claim_generation": 2});
    assert_eq!(call(&mut reviewer, "submit_verdict", given).await["status"], "approved");
}

#[tokio::test]
async fn its_proposer_closes_what_is_approved() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    claim(&mut reviewer, &id).await;
    judge(&mut reviewer, &id, "approved").await;
    let role = error(&mut reviewer, "close_review", json!({"review_id": id, "closer_role": "reviewer"})).await;
    assert!(role.contains("closer_role") && role.contains("proposer"), "{role}");
    let claims = error(&mut reviewer, "close_review", json!({"review_id": id, "closer_role": "proposer"})).await;
    assert!(claims.starts_with("Only its proposer"), "saying so makes nobody the proposer: {claims}");
    let closed = close(&mut proposer, &id).await;
    let expected = json!({"review_id": id, "status": "closed", "closed_by": "proposer", "outcome": "applied"});
    assert_eq!(closed, expected);
    assert_eq!(status(&mut reviewer, &id).await["status"], "closed");
    let none = error(&mut proposer, "close_review", json!({"review_id": NOBODY, "closer_role": "proposer"})).await;
    assert!(none.contains("not found"), "{none}");
}

#[tokio::test]
async fn what_isnt_approved_is_closed_as_what_it_is() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let pending = create(&mut proposer, json!({"diff": DIFF})).await;
    assert_eq!(close(&mut proposer, &pending).await["outcome"], "withdrawn");
    let rejected = create(&mut proposer, json!({"diff": DIFF, "phase": "2"})).await;
    claim(&mut reviewer, &rejected).await;
    judge(&mut reviewer, &rejected, "changes_requested").await;
    assert_eq!(close(&mut proposer, &rejected).await["outcome"], "abandoned", "never as applied");
}
