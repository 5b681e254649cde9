//! Lists of reviews, what is going on, and what is counted.

use serde_json::{Value, json};

use super::{DIFF, begin, call, claim, close, create, ended, error, flat, ids, judge, two};
use crate::connection::relayed::Relay;

/// Three reviews: one pending, one claimed, one closed.
async fn three(proposer: &mut Relay, reviewer: &mut Relay) -> [Value; 3] {
    let closed = create(proposer, json!({"intent": "First", "category": "code_change", "project": "alpha"})).await;
    claim(reviewer, &closed).await;
    judge(reviewer, &closed, "approved").await;
    close(proposer, &closed).await;
    let claimed = create(proposer, json!({"intent": "Second", "category": "plan_review", "project": "beta"})).await;
    claim(reviewer, &claimed).await;
    let pending = create(proposer, json!({"intent": "Third", "category": "code_change", "project": "beta"})).await;
    [closed, claimed, pending]
}

#[tokio::test]
async fn a_list_is_empty_or_holds_what_each_filter_leaves() {
    let (_house, mut proposer, mut reviewer) = two().await;
    for tool in ["list_reviews", "get_activity_feed"] {
        assert_eq!(ids(&mut reviewer, tool, json!({})).await, Vec::<Value>::new(), "{tool}");
    }
    let [closed, claimed, pending] = three(&mut proposer, &mut reviewer).await;
    let all = [closed.clone(), claimed.clone(), pending.clone()];
    for (filter, expected) in [
        (json!({}), &all[..]),
        (json!({"status": "pending"}), &all[2..]),
        (json!({"status": "claimed"}), &all[1..2]),
        (json!({"status": "closed"}), &all[..1]),
        (json!({"status": "in_review"}), &[][..]),
        (json!({"category": "plan_review"}), &all[1..2]),
        (json!({"category": "code_change", "status": "pending"}), &all[2..]),
        (json!({"project": "alpha"}), &all[..1]),
        (json!({"project": "beta", "status": "claimed"}), &all[1..2]),
        (json!({"project": "gamma"}), &[][..]),
    ] {
        assert_eq!(ids(&mut reviewer, "list_reviews", filter.clone()).await, expected, "{filter}");
        let newest_first: Vec<_> = expected.iter().rev().cloned().collect();
        assert_eq!(ids(&mut reviewer, "get_activity_feed", filter.clone()).await, newest_first, "{filter}");
    }
    let several = json!({"projects": ["beta", "gamma"]});
    assert_eq!(ids(&mut reviewer, "list_reviews", several).await, all[1..], "of several projects");
}

#[tokio::test]
async fn what_a_list_cant_be_asked_for_is_said() {
    let (_house, mut proposer, _reviewer) = two().await;
    for (arguments, says) in [
        (json!({"project": "alpha", "projects": ["beta"]}), "either 'project' or 'projects'"),
        (json!({"projects": []}), "at least one"),
        (json!({"wait": true}), "status='pending'"),
        (json!({"wait": true, "status": "claimed"}), "status='pending'"),
        (json!({"wait": true, "status": "approved"}), "status='pending'"),
        (json!({"status": "created"}), "pending, claimed, in_review"),
    ] {
        let why = error(&mut proposer, "list_reviews", arguments.clone()).await;
        assert!(why.contains(says), "{arguments}: {why}");
    }
}

#[tokio::test]
async fn what_is_urgent_comes_first_and_what_is_older_among_that() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let low = create(&mut proposer, json!({"phase": "05-verify"})).await;
    let old = create(&mut proposer, json!({})).await;
    let new = create(&mut proposer, json!({})).await;
    let plan = create(&mut proposer, json!({"agent_type": "gsd-planner"})).await;
    let listed = call(&mut reviewer, "list_reviews", json!({"status": "pending"})).await;
    let found: Vec<_> =
        listed["reviews"].as_array().unwrap().iter().map(|one| (&one["id"], &one["priority"])).collect();
    let expected =
        [(&plan, &json!("critical")), (&old, &json!("normal")), (&new, &json!("normal")), (&low, &json!("low"))];
    assert_eq!(found, expected);
}

#[tokio::test]
async fn an_entry_says_what_that_broker_says_of_it() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let more = json!({"diff": DIFF, "plan": "01-01", "task": "2", "project": "alpha", "category": "code_change"});
    let id = create(&mut proposer, more).await;
    let listed = call(&mut reviewer, "list_reviews", json!({})).await["reviews"][0].take();
    let common = [
        ("id", id.clone()),
        ("status", json!("pending")),
        ("intent", json!("Change x")),
        ("agent_type", json!("gsd-executor")),
        ("phase", json!("1")),
        ("priority", json!("normal")),
        ("project", json!("alpha")),
        ("category", json!("code_change")),
    ];
    for (field, value) in &common {
        assert_eq!(listed[field], *value, "{field}: {listed}");
    }
    assert!(listed["created_at"].as_str().unwrap().ends_with('Z'), "a moment as ISO 8601 has it: {listed}");
    assert_eq!(listed.as_object().map(serde_json::Map::len), Some(common.len() + 1), "{listed}");

    claim(&mut reviewer, &id).await;
    let long = "é".repeat(200);
    for (relay, role, body) in [(&mut reviewer, "reviewer", "Why?"), (&mut proposer, "proposer", long.as_str())] {
        call(relay, "add_message", json!({"review_id": id, "sender_role": role, "body": body})).await;
    }
    judge(&mut reviewer, &id, "changes_requested").await;
    let feed = call(&mut proposer, "get_activity_feed", json!({})).await;
    assert_eq!(feed["count"], 1);
    let entry = &feed["reviews"][0];
    for (field, value) in [
        ("status", json!("changes_requested")),
        ("plan", json!("01-01")),
        ("task", json!("2")),
        ("claimed_by", Value::Null),
        ("verdict_reason", json!("Because.")),
        ("message_count", json!(2)),
        ("last_message_preview", json!("é".repeat(120))),
    ] {
        assert_eq!(entry[field], value, "{field}: {entry}");
    }
    for moment in ["created_at", "updated_at", "last_message_at"] {
        assert!(entry[moment].as_str().unwrap().ends_with('Z'), "{moment}: {entry}");
    }
    let quiet = create(&mut proposer, json!({})).await;
    let feed = call(&mut proposer, "get_activity_feed", json!({})).await;
    assert_eq!(feed["reviews"][0]["id"], quiet, "the latest changed first");
    assert_eq!(
        (&feed["reviews"][0]["message_count"], &feed["reviews"][0]["last_message_at"]),
        (&json!(0), &Value::Null)
    );
}

#[tokio::test]
async fn a_list_that_waits_returns_with_the_first_one_that_it_is_asked_for() {
    let (house, mut proposer, mut reviewer) = two().await;
    let waits = json!({"status": "pending", "projects": ["alpha"], "wait": true});
    let waiting = begin(&house, &mut reviewer, "list_reviews", waits.clone()).await;
    create(&mut proposer, json!({"project": "beta"})).await;
    house.broker.waits(1).await;
    let id = create(&mut proposer, json!({"project": "alpha"})).await;
    let listed = ended(&mut reviewer, waiting).await;
    assert_eq!(listed["reviews"].as_array().map(Vec::len), Some(1), "another project's wakes nobody: {listed}");
    assert_eq!(listed["reviews"][0]["id"], id);
    assert_eq!(ids(&mut reviewer, "list_reviews", waits).await, [id], "and at once where there is one");
}

#[tokio::test]
async fn a_next_round_ends_the_wait_for_one_as_a_new_review_does() {
    let (house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF})).await;
    claim(&mut reviewer, &id).await;
    judge(&mut reviewer, &id, "changes_requested").await;
    let waiting = begin(&house, &mut reviewer, "list_reviews", json!({"status": "pending", "wait": true})).await;
    create(&mut proposer, json!({"diff": super::OTHER, "review_id": id})).await;
    assert_eq!(ended(&mut reviewer, waiting).await["reviews"][0]["id"], id);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_waited_for_longer_than_that_broker_waits() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let id = create(&mut proposer, json!({"diff": DIFF, "project": "alpha"})).await;
    let listing = json!({"status": "pending", "project": "beta", "wait": true});
    for (tool, arguments) in [("list_reviews", listing), ("get_review_status", json!({"review_id": id, "wait": true}))]
    {
        let began = tokio::time::Instant::now();
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "p"}});
        let given = flat(tool, &reviewer.ask("tools/call", params).await["result"]);
        let waited = began.elapsed().as_secs();
        assert!((10..=25).contains(&waited), "{tool} waited for {waited} s");
        match tool {
            "list_reviews" => assert_eq!(given, json!({"reviews": []})),
            _ => assert_eq!(given["status"], "pending", "as it is: {given}"),
        }
    }
}

#[tokio::test]
async fn reviews_are_counted_and_what_isnt_known_is_null() {
    let (_house, mut proposer, mut reviewer) = two().await;
    let empty = call(&mut proposer, "get_review_stats", json!({})).await;
    assert_eq!((&empty["total_reviews"], &empty["by_category"]), (&json!(0), &json!({})));
    three(&mut proposer, &mut reviewer).await;
    create(&mut proposer, json!({})).await;
    let counted = call(&mut proposer, "get_review_stats", json!({})).await;
    assert_eq!(counted["total_reviews"], 4);
    let by_status =
        json!({"pending": 2, "claimed": 1, "in_review": 0, "approved": 0, "changes_requested": 0, "closed": 1});
    assert_eq!(counted["by_status"], by_status);
    assert_eq!(counted["by_category"], json!({"code_change": 2, "plan_review": 1, "uncategorized": 1}));
    for unknown in ["approval_rate_pct", "avg_time_to_verdict_seconds", "avg_review_duration_seconds"] {
        assert_eq!(counted[unknown], Value::Null, "{unknown}: {counted}");
    }
    let times = json!({"pending": null, "claimed": null, "approved": null, "changes_requested": null});
    assert_eq!(counted["avg_time_in_state_seconds"], times);
    let said = counted["counted"].as_str().unwrap();
    assert!(said.contains("500") && said.contains("get_review_timeline"), "what was counted is said: {said}");
    let of_beta = call(&mut proposer, "get_review_stats", json!({"project": "beta"})).await;
    assert_eq!((&of_beta["total_reviews"], &of_beta["by_status"]["claimed"]), (&json!(2), &json!(1)));
}

#[tokio::test]
async fn a_list_ends_with_the_500_that_changed_last() {
    let (_house, mut proposer, _reviewer) = two().await;
    let first = create(&mut proposer, json!({})).await;
    for _ in 0..500 {
        create(&mut proposer, json!({})).await;
    }
    for tool in ["list_reviews", "get_activity_feed"] {
        let listed = ids(&mut proposer, tool, json!({})).await;
        assert_eq!((listed.len(), listed.contains(&first)), (500, false), "{tool}");
    }
}
