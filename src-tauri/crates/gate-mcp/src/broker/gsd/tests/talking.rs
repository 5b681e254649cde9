//! Messages, what happened, and the tools of the pool.

use serde_json::{Value, json};

use super::{DIFF, OTHER, call, claim, close, create, error, judge, status, two};
use crate::connection::relayed::Relay;

async fn say(relay: &mut Relay, id: &Value, role: &str, body: &str) -> Value {
    call(relay, "add_message", json!({"review_id": id, "sender_role": role, "body": body})).await
}

async fn bodies(relay: &mut Relay, arguments: Value) -> Vec<String> {
    let heard = call(relay, "get_discussion", arguments).await;
    let messages = heard["messages"].as_array().expect("a list");
    assert_eq!(heard["count"], messages.len(), "{heard}");
    messages.iter().map(|message| message["body"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn either_side_begins_and_both_are_heard_in_their_order() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    assert_eq!(bodies(&mut reviewer, json!({ "review_id": id })).await, Vec::<String>::new());
    claim(&mut reviewer, &id).await;
    let first = say(&mut proposer, &id, "proposer", "Look at line 1.").await;
    assert_eq!((&first["review_id"], &first["round"]), (&id, &json!(1)));
    say(&mut reviewer, &id, "reviewer", "I do.").await;
    say(&mut reviewer, &id, "reviewer", "And line 2?").await;
    let all = ["Look at line 1.", "I do.", "And line 2?"];
    assert_eq!(bodies(&mut proposer, json!({ "review_id": id })).await, all, "also twice in a row: turns aren't kept");
    let heard = call(&mut proposer, "get_discussion", json!({ "review_id": id })).await;
    let message = &heard["messages"][0];
    assert_eq!((&message["id"], &message["sender_role"]), (&first["message_id"], &json!("proposer")));
    assert_eq!((&message["round"], &message["metadata"]), (&json!(1), &Value::Null));
    assert!(message["created_at"].as_str().unwrap().ends_with('Z'), "{message}");
}

#[tokio::test]
async fn a_role_is_what_somebody_is_whatever_they_call_themselves() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    claim(&mut reviewer, &id).await;
    say(&mut reviewer, &id, "proposer", "I am you.").await;
    let heard = call(&mut proposer, "get_discussion", json!({ "review_id": id })).await;
    assert_eq!(heard["messages"][0]["sender_role"], "reviewer", "{heard}");
    let neither = json!({"review_id": id, "sender_role": "admin", "body": "x"});
    let why = error(&mut proposer, "add_message", neither).await;
    assert!(why.contains("sender_role") && why.contains("proposer, reviewer"), "{why}");
}

#[tokio::test]
async fn something_is_said_until_the_review_is_over() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    say(&mut proposer, &id, "proposer", "while it is pending").await;
    claim(&mut reviewer, &id).await;
    say(&mut reviewer, &id, "reviewer", "while it is claimed").await;
    assert_eq!(status(&mut proposer, &id).await["status"], "in_review", "that begins the discussion");
    judge(&mut reviewer, &id, "changes_requested").await;
    say(&mut proposer, &id, "proposer", "after it was rejected").await;
    let found = status(&mut proposer, &id).await;
    assert_eq!(found["status"], "changes_requested", "a word changes no verdict: the next round does");
    create(&mut proposer, json!({"diff": OTHER, "review_id": id})).await;
    claim(&mut reviewer, &id).await;
    judge(&mut reviewer, &id, "approved").await;
    say(&mut reviewer, &id, "reviewer", "after it was approved").await;
    assert_eq!(status(&mut proposer, &id).await["status"], "approved");
    close(&mut proposer, &id).await;
    let late = json!({"review_id": id, "sender_role": "proposer", "body": "too late"});
    let why = error(&mut proposer, "add_message", late).await;
    assert!(why.contains("closed"), "{why}");
}

#[tokio::test]
async fn messages_are_of_the_round_in_which_they_were_said() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    claim(&mut reviewer, &id).await;
    say(&mut reviewer, &id, "reviewer", "of the first").await;
    judge(&mut reviewer, &id, "changes_requested").await;
    create(&mut proposer, json!({"diff": OTHER, "review_id": id})).await;
    let second = say(&mut proposer, &id, "proposer", "of the second").await;
    assert_eq!(second["round"], 2);
    assert_eq!(bodies(&mut reviewer, json!({"review_id": id, "round": 1})).await, ["of the first"]);
    assert_eq!(bodies(&mut reviewer, json!({"review_id": id, "round": 2})).await, ["of the second"]);
    assert_eq!(bodies(&mut reviewer, json!({ "review_id": id })).await, ["of the first", "of the second"]);
}

#[tokio::test]
async fn what_isnt_kept_of_a_message_is_said() {
    let (_house, mut proposer, _reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    let with_more = json!({
        "review_id": id, "sender_role": "proposer", "body": "x", "metadata": "{\"line\": 3}",
    });
    let said = call(&mut proposer, "add_message", with_more).await;
    assert!(said["asides"][0].as_str().unwrap().contains("metadata"), "{said}");
    let heard = call(&mut proposer, "get_discussion", json!({ "review_id": id })).await;
    assert_eq!(heard["messages"][0]["metadata"], Value::Null);
}

#[tokio::test]
async fn more_messages_than_one_result_has_are_the_newest() {
    let (_house, mut proposer, _reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    for number in 0..510 {
        say(&mut proposer, &id, "proposer", &number.to_string()).await;
    }
    let heard = bodies(&mut proposer, json!({ "review_id": id })).await;
    assert_eq!(heard, (10..510).map(|number| number.to_string()).collect::<Vec<_>>());
}

#[tokio::test]
async fn what_happened_is_told_in_its_order_with_what_it_led_to() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF, "project": "alpha", "category": "code_change"})).await;
    claim(&mut reviewer, &id).await;
    say(&mut reviewer, &id, "reviewer", "Fine.").await;
    judge(&mut reviewer, &id, "approved").await;
    close(&mut proposer, &id).await;
    let log = call(&mut reviewer, "get_audit_log", json!({ "review_id": id })).await;
    assert_eq!((&log["review_id"], &log["count"]), (&id, &json!(5)));
    let expected = [
        (1, "review_created", "proposer", Value::Null, "pending"),
        (2, "review_claimed", "reviewer", json!("pending"), "claimed"),
        (3, "message_sent", "reviewer", json!("claimed"), "in_review"),
        (4, "verdict_submitted", "reviewer", json!("in_review"), "approved"),
        (5, "review_closed", "proposer", json!("approved"), "closed"),
    ];
    let timeline = call(&mut reviewer, "get_review_timeline", json!({ "review_id": id })).await;
    for (index, (n, event, actor, old, new)) in expected.iter().enumerate() {
        let told = &log["events"][index];
        assert_eq!((&told["id"], &told["event_type"], &told["actor"]), (&json!(n), &json!(event), &json!(actor)));
        assert_eq!((&told["old_status"], &told["new_status"], &told["review_id"]), (old, &json!(new), &id));
        assert!(told["created_at"].as_str().unwrap().ends_with('Z') && told["metadata"].is_object(), "{told}");
        let same = &timeline["events"][index];
        assert_eq!((&same["event_type"], &same["actor"]), (&json!(event), &json!(actor)));
        assert_eq!((&same["timestamp"], &same["new_status"]), (&told["created_at"], &json!(new)));
        assert_eq!(same.get("old_status").is_some(), !old.is_null(), "what there isn't is left out: {same}");
    }
    for (field, value) in [
        ("review_id", id.clone()),
        ("intent", json!("Change x")),
        ("current_status", json!("closed")),
        ("project", json!("alpha")),
        ("category", json!("code_change")),
        ("event_count", json!(5)),
    ] {
        assert_eq!(timeline[field], value, "{field}: {timeline}");
    }
    let why = error(&mut reviewer, "get_audit_log", json!({})).await;
    assert!(why.contains("review_id"), "each review has its own log: {why}");
}

#[tokio::test]
async fn of_many_events_the_newest_are_told() {
    let (_house, mut proposer, _reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    for number in 0..505 {
        say(&mut proposer, &id, "proposer", &number.to_string()).await;
    }
    let log = call(&mut proposer, "get_audit_log", json!({ "review_id": id })).await;
    let events = log["events"].as_array().unwrap();
    assert_eq!((events.len(), &events[0]["id"], &events[499]["id"]), (500, &json!(7), &json!(506)));
}

#[tokio::test]
async fn the_pool_is_the_persons_and_its_tools_say_so() {
    let (_house, mut proposer, _reviewer) = two().await;
    for (tool, arguments) in [
        ("spawn_reviewer", json!({"project": "alpha"})),
        ("kill_reviewer", json!({"reviewer_id": "codex-r1"})),
        ("list_reviewers", json!({})),
    ] {
        let why = error(&mut proposer, tool, arguments).await;
        assert!(why.contains("isn't configured by agents") && why.contains("security.pool"), "{tool}: {why}");
    }
}
