//! Creating reviews and their next rounds.

use gate_core::proposal::Need;
use gate_core::{Note, NoteId, Timestamp};
use serde_json::{Value, json};

use super::{DIFF, NOBODY, OTHER, call, claim, create, error, flat, judge, status, two};

#[tokio::test]
async fn a_review_is_created_pending_with_an_identifier_of_its_own() {
    let (_house, mut proposer, _reviewer) = two().await;
    let arguments = json!({
        "intent": "Change x", "agent_type": "gsd-executor", "agent_role": "proposer", "phase": "1", "project": "alpha",
        "diff": DIFF,
    });
    let created = call(&mut proposer, "create_review", arguments).await;
    assert_eq!((&created["status"], &created["project"]), (&json!("pending"), &json!("alpha")));
    assert_eq!(created.as_object().map(serde_json::Map::len), Some(3), "that and its identifier: {created}");
    let other = create(&mut proposer, json!({"diff": OTHER})).await;
    assert_ne!(created["review_id"], other);
    let plan = create(&mut proposer, json!({"description": "First this, then that."})).await;
    let read = call(&mut proposer, "get_proposal", json!({"review_id": plan})).await;
    assert_eq!((&read["diff"], &read["affected_files"]), (&Value::Null, &Value::Null), "a plan has no diff");
    assert_eq!(read["description"], "First this, then that.");
}

#[tokio::test]
async fn what_its_agent_says_of_itself_is_read_again_and_is_null_where_it_says_nothing() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let whole = json!({
        "intent": "Build it", "agent_role": "proposer", "phase": "3.2", "plan": "01-01", "task": "2", "project": "alpha",
        "category": "code_change",
    });
    let id = create(&mut proposer, whole).await;
    let found = status(&mut reviewer, &id).await;
    let expected = [
        ("id", id.clone()),
        ("status", json!("pending")),
        ("intent", json!("Build it")),
        ("agent_type", json!("gsd-executor")),
        ("agent_role", json!("proposer")),
        ("phase", json!("3.2")),
        ("plan", json!("01-01")),
        ("task", json!("2")),
        ("project", json!("alpha")),
        ("claimed_by", Value::Null),
        ("verdict_reason", Value::Null),
        ("priority", json!("normal")),
        ("current_round", json!(1)),
        ("category", json!("code_change")),
        ("turn", json!("reviewer")),
        ("approved_by", Value::Null),
    ];
    for (field, value) in &expected {
        assert_eq!(found[field], *value, "{field}: {found}");
    }
    assert!(found["updated_at"].is_string(), "{found}");
    assert_eq!(found.as_object().map(serde_json::Map::len), Some(expected.len() + 1), "and nothing else: {found}");
    let bare = create(&mut proposer, json!({})).await;
    let found = status(&mut reviewer, &bare).await;
    for field in ["plan", "task", "project", "category"] {
        assert_eq!(found[field], Value::Null, "{field}: {found}");
    }
}

#[tokio::test]
async fn a_priority_follows_from_the_agent_and_its_phase() {
    let (_house, mut proposer, _reviewer) = two().await;
    for (agent, phase, expected) in
        [("gsd-planner", "1", "critical"), ("gsd-executor", "1", "normal"), ("gsd-executor", "05-verify", "low")]
    {
        let id = create(&mut proposer, json!({"agent_type": agent, "phase": phase})).await;
        assert_eq!(status(&mut proposer, &id).await["priority"], expected, "{agent} in {phase}");
    }
}

#[tokio::test]
async fn what_was_rejected_comes_again_as_its_next_round() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let first = json!({"diff": DIFF, "description": "One.", "project": "alpha"});
    let id = create(&mut proposer, first).await;
    claim(&mut reviewer, &id).await;
    judge(&mut reviewer, &id, "changes_requested").await;
    let round = json!({
        "intent": "Change x otherwise", "agent_type": "gsd-executor", "agent_role": "proposer", "phase": "1",
        "diff": OTHER, "description": "Two.", "review_id": id, "project": "beta",
    });
    let revised = call(&mut proposer, "create_review", round).await;
    let expected = json!({"review_id": id, "status": "pending", "revised": true, "project": "alpha"});
    assert_eq!(revised, expected, "a round is of its review's project");
    let found = status(&mut proposer, &id).await;
    assert_eq!((&found["current_round"], &found["verdict_reason"]), (&json!(2), &Value::Null), "nobody has judged it");
    assert_eq!(
        (&found["claimed_by"], &found["intent"]),
        (&Value::Null, &json!("Change x")),
        "the intent is its review's"
    );
    let read = call(&mut reviewer, "get_proposal", json!({"review_id": id})).await;
    assert_eq!((&read["diff"], &read["description"]), (&json!(OTHER), &json!("Two.")), "what is reviewed now");
}

#[tokio::test]
async fn a_next_round_is_possible_until_the_review_is_over() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    let round = |diff: &str| {
        json!({
            "intent": "x", "agent_type": "a", "agent_role": "proposer", "phase": "1", "review_id": id, "diff": diff,
        })
    };
    let same = call(&mut proposer, "create_review", round(DIFF)).await;
    assert_eq!(
        (&same["revised"], &same["status"]),
        (&json!(false), &json!("pending")),
        "the same bytes are no new round"
    );
    let pending = call(&mut proposer, "create_review", round(OTHER)).await;
    assert_eq!(pending["revised"], true, "while nobody has it, too");
    claim(&mut reviewer, &id).await;
    let claimed = call(&mut proposer, "create_review", round(DIFF)).await;
    assert_eq!(claimed["status"], "claimed", "its reviewer goes on with the new one");
    super::close(&mut proposer, &id).await;
    let why = error(&mut proposer, "create_review", round(OTHER)).await;
    assert!(why.contains("Invalid transition") && why.contains("closed"), "{why}");
}

#[tokio::test]
async fn a_next_round_of_nothing_or_of_anothers_is_refused() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    let round = |id: &Value| json!({"intent": "x", "agent_type": "a", "agent_role": "proposer", "phase": "1", "review_id": id, "diff": OTHER});
    let why = error(&mut proposer, "create_review", round(&json!(NOBODY))).await;
    assert!(why.contains("not found") && why.contains(NOBODY), "{why}");
    let why = error(&mut reviewer, "create_review", round(&id)).await;
    assert!(why.starts_with("Only its proposer"), "whatever role it says it has: {why}");
}

#[tokio::test]
async fn what_needs_the_person_is_in_review_and_says_whose_turn_it_is() {
    let (house, mut proposer, _reviewer) = two().await;
    house.broker.set_need(Need { agents: 0, person: true });
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    let review = id.as_str().unwrap().parse().unwrap();
    house.broker.person(review, &gate_core::proposal::Act::Take);
    let found = status(&mut proposer, &id).await;
    assert_eq!((&found["status"], &found["turn"]), (&json!("in_review"), &json!("person")), "{found}");
    assert_eq!(found["approved_by"], Value::Null, "nobody else approves it");
}

#[tokio::test]
async fn the_persons_notes_come_with_a_result_and_what_isnt_known_is_named() {
    let (house, mut proposer, _reviewer) = two().await;
    let result = proposer.call("create_review", json!({"intent": "A plan", "eta": 3})).await;
    let created = flat("create_review", &result);
    assert!(created["asides"][0].as_str().unwrap().contains("eta"), "{created}");
    let session = house.broker.sessions()[0];
    let (text, note_id) = ("Not today.".to_owned(), NoteId(uuid::Uuid::nil()));
    house.gate.send_note(session, Note { note_id, text, created_at: Timestamp(0), given: None });
    let found = status(&mut proposer, &created["review_id"]).await;
    assert_eq!(found["notes"][0]["text"], "Not today.", "the person is heard through this door, too: {found}");
}
