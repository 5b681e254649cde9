//! A relay's connection from its first line to its last, with a gate that has no person.

use gate_core::{AnsweredFrom, Note, NoteId, SessionUuid, Timestamp};
use serde_json::{Value, json};

use super::relayed::{Relay, nobody_listens, stateless};
use super::*;
use crate::fake_gate::FakeGate;
use crate::port::Change;

#[tokio::test]
async fn a_note_comes_before_the_next_result_of_any_tool_and_its_delivery_is_noted() {
    let gate = Arc::new(FakeGate::default());
    let mut relay = Relay::initialized(&gate).await;
    let first = relay.call("review_gate_update_progress", json!({"progress_percent": 1})).await;
    let session = first["structuredContent"]["session_uuid"].as_str().unwrap().parse().unwrap();
    assert_eq!(first["structuredContent"].get("notes"), None, "nobody has sent any");
    let text = "Use the staging database.".to_owned();
    let given = Some(AnsweredFrom::Desktop.into());
    gate.send_note(session, Note { note_id: NoteId(uuid::Uuid::nil()), text, created_at: Timestamp(0), given });
    let second = relay.call("review_gate_list_checkpoints", json!({})).await;
    let notes = json!([{
        "text": "Use the staging database.", "created_at": "1970-01-01T00:00:00Z",
        "answered_from": "desktop", "assurance": "L1",
    }]);
    assert_eq!(second["structuredContent"]["notes"], notes, "with where it was given");
    let (note, result) = (&second["content"][0]["text"], &second["content"][1]["text"]);
    assert!(note.as_str().unwrap().ends_with("Use the staging database."), "in front: {second}");
    assert!(result.as_str().unwrap().starts_with("No checkpoints yet."), "then what was asked for: {second}");
    let id = relay.next - 1;
    relay.say(&json!({"jsonrpc": "2.0", "method": "notifications/review_gate/delivered", "params": {"id": id}})).await;
    relay.ask("ping", json!({})).await;
    assert_eq!(gate.delivered(), [format!("relay:{id}")], "the gate hears that the agent has it");
    let third = relay.call("review_gate_get_context", json!({})).await;
    assert_eq!(third["structuredContent"].get("notes"), None, "it comes once");
    relay.close().await;
}

#[tokio::test]
async fn the_tools_of_the_record_give_what_their_schemas_say() {
    let gate = Arc::new(FakeGate::default());
    let mut relay = Relay::initialized(&gate).await;
    let update = json!({"progress_percent": 40, "steps": [{"name": "read", "state": "in_progress"}], "eta": 1});
    let result = relay.call("review_gate_update_progress", update).await;
    let outcome = &result["structuredContent"];
    assert_eq!(outcome["progress"]["progress_percent"], 40, "{result}");
    assert_eq!(outcome["progress"]["steps"][0]["state"], "in_progress");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("An aside.") && text.contains("eta"), "asides and unknown fields are told: {text}");
    let session = outcome["session_uuid"].clone();

    let made = relay.call("review_gate_set_checkpoint", json!({"name": "start"})).await;
    assert_eq!(made["structuredContent"]["session_uuid"], session, "the same agent, the same session");
    let listed = relay.call("review_gate_list_checkpoints", json!({})).await;
    assert_eq!(listed["structuredContent"]["checkpoints"][0], made["structuredContent"]["checkpoint"]);
    let then = json!({"progress_percent": 40, "status_message": null, "step_name": null});
    assert_eq!(listed["structuredContent"]["checkpoints"][0]["progress"], then, "without its steps");
    let restored = relay.call("review_gate_restore_checkpoint", json!({"checkpoint_id": "start"})).await;
    assert_eq!(restored["structuredContent"]["superseded"], 2, "{restored}");
    let refused = relay.call("review_gate_restore_checkpoint", json!({"undo": true})).await;
    assert_eq!(refused["_meta"]["review-gate/fault"]["code"], "unknown_restore", "a fault is a tool error: {refused}");

    let newest = relay.call("review_gate_get_context", json!({})).await;
    let cursor = newest["structuredContent"]["next_cursor"].clone();
    assert_eq!(newest["structuredContent"]["messages"][0]["text"], "message 2", "{newest}");
    let older = relay.call("review_gate_get_context", json!({"cursor": cursor})).await;
    assert_eq!(older["structuredContent"]["messages"][0]["text"], "message 1");
    let foreign = SessionUuid(uuid::Uuid::from_u128(77)).to_string();
    for arguments in [json!({"cursor": "forged"}), json!({"cursor": cursor, "session_uuid": foreign})] {
        let refused = relay.call("review_gate_get_context", arguments.clone()).await;
        assert_eq!(refused["_meta"]["review-gate/fault"]["code"], "invalid_cursor", "{arguments}: {refused}");
    }

    let last = relay.next - 1;
    for id in [last, 99] {
        let note = json!({"jsonrpc": "2.0", "method": "notifications/review_gate/delivered", "params": {"id": id}});
        relay.say(&note).await;
    }
    relay.ask("ping", json!({})).await;
    assert_eq!(gate.delivered(), ["relay:99"], "what waits for nobody costs the record nothing");
    relay.say(&json!({"jsonrpc": "2.0", "method": "notifications/review_gate/heartbeat"})).await;
    relay.ask("ping", json!({})).await;
    assert_eq!(gate.beats(), ["relay"], "the relay's heart is heard");
    relay.close().await;
}

#[tokio::test]
async fn resources_are_listed_and_read_page_by_page() {
    let gate = Arc::new(FakeGate::default());
    let sessions: Vec<_> = (0..120).map(|_| gate.begin()).collect();
    let mut relay = Relay::initialized(&gate).await;
    let (mut cursor, mut uris, mut pages) = (Value::Null, Vec::new(), 0);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        let page = relay.ask("resources/list", params).await["result"].take();
        let resources = page["resources"].as_array().unwrap();
        uris.extend(resources.iter().map(|resource| resource["uri"].as_str().unwrap().to_owned()));
        pages += 1;
        if pages == 1 {
            let annotations = &resources[1]["annotations"];
            assert_eq!(annotations["audience"], json!(["user", "assistant"]), "{annotations}");
            assert_eq!(annotations["priority"], 0.8);
            assert_eq!(annotations["lastModified"], "1970-01-01T00:00:00.119Z");
        }
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let newest_first = sessions.iter().rev().map(|session| format!("file://review-gate/conversations/{session}"));
    let lists = ["conversations", "conversations/active", "config", "templates"];
    let lists =
        lists.map(|name| format!("file://review-gate/{name}")).into_iter().chain(["skill://index.json".to_owned()]);
    assert_eq!(uris, lists.chain(newest_first).collect::<Vec<_>>(), "each once, in order");
    assert_eq!(pages, 3);

    let first = relay.read("file://review-gate/conversations?status=active").await;
    assert_eq!(first["conversations"].as_array().map(Vec::len), Some(50));
    let second = relay.read(first["next"].as_str().unwrap()).await;
    assert_eq!(second["conversations"][0]["session_uuid"], json!(sessions[69]), "the next page goes on");
    let foreign = format!("file://review-gate/conversations?q=x&cursor={}", first["next_cursor"].as_str().unwrap());
    let one = format!("file://review-gate/conversations/{}", sessions[3]);
    for (uri, code) in [
        (foreign.as_str(), -32602),
        (&format!("{one}?cursor=forged"), -32602),
        (&format!("{one}?page=2"), -32602),
        ("file://review-gate/conversations?status=open", -32602),
        ("file://review-gate/conversations/00000000-0000-0000-0000-00000000ffff", -32002),
        ("file://review-gate/nonsense", -32002),
    ] {
        let refused = relay.ask("resources/read", json!({ "uri": uri })).await;
        assert_eq!(refused["error"]["code"], code, "{uri}: {refused}");
    }
    let newest = relay.read(&one).await;
    assert_eq!((&newest["messages"][0]["text"], &newest["title"]), (&json!("message 2"), &json!("Conversation 3")));
    let older = relay.read(newest["next"].as_str().unwrap()).await;
    assert_eq!((&older["messages"][0]["text"], &older["next"]), (&json!("message 1"), &Value::Null));
    let session = relay.read(&format!("file://review-gate/sessions/{}", sessions[3])).await;
    assert_eq!((&session["transport"], &session["status"]), (&json!("stdio"), &json!("active")));

    let argument = json!({"name": "uuid", "value": "00000000-0000-0000-0000-0000000000"});
    let reference = json!({"type": "ref/resource", "uri": "file://review-gate/sessions/{uuid}"});
    let completed = relay.ask("completion/complete", json!({"ref": reference, "argument": argument})).await;
    let completion = &completed["result"]["completion"];
    assert_eq!(completion["values"].as_array().map(Vec::len), Some(100), "{completed}");
    assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(120), &json!(true)));
    relay.close().await;
}

#[tokio::test]
async fn many_checkpoints_are_read_page_by_page_without_their_steps() {
    let gate = Arc::new(FakeGate::default());
    let mut relay = Relay::initialized(&gate).await;
    let steps: Vec<_> = (0..200).map(|number| format!("{number:0>200}")).collect();
    let reported = relay.call("review_gate_update_progress", json!({"progress_percent": 5, "steps": steps})).await;
    let session = reported["structuredContent"]["session_uuid"].as_str().unwrap().to_owned();
    for number in 0..120 {
        relay.call("review_gate_create_checkpoint", json!({"name": format!("c{number}")})).await;
    }
    let names = |value: &Value| -> Vec<String> {
        let all = value["checkpoints"].as_array().unwrap().iter();
        all.map(|checkpoint| checkpoint["name"].as_str().unwrap().to_owned()).collect()
    };
    let named = |from: usize, to: usize| (from..to).map(|number| format!("c{number}")).collect::<Vec<_>>();

    let context = relay.call("review_gate_get_context", json!({})).await;
    assert_eq!(names(&context["structuredContent"]), named(100, 120), "the newest ones, in order");
    assert_eq!(context["structuredContent"]["checkpoint_count"], 120);
    let text = context["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("20 of 120 checkpoints") && text.contains("review_gate_list_checkpoints"), "{text}");
    assert!(context.to_string().len() < 200_000, "its own steps, but none of the checkpoints'");

    let uri = format!("file://review-gate/checkpoints/{session}");
    let (mut cursor, mut next) = (Value::Null, uri.clone());
    for (from, to) in [(70, 120), (20, 70), (0, 20)] {
        let listed = relay.call("review_gate_list_checkpoints", json!({ "cursor": cursor })).await;
        let page = &listed["structuredContent"];
        assert_eq!((names(page), &page["checkpoint_count"]), (named(from, to), &json!(120)));
        let text = listed["content"][0]["text"].as_str().unwrap();
        assert_eq!(text.contains("There are older ones"), from > 0, "{text}");
        assert!(listed.to_string().len() < 50_000, "no steps: {}", listed.to_string().len());
        cursor = page["next_cursor"].clone();
        let read = relay.read(&next).await;
        assert_eq!((names(&read), &read["checkpoint_count"]), (named(from, to), &json!(120)));
        assert_eq!(read["next"].is_string(), from > 0, "{read}");
        next = read["next"].as_str().unwrap_or_default().to_owned();
    }
    assert_eq!(cursor, Value::Null, "there is no more");

    let listed = relay.call("review_gate_list_checkpoints", json!({})).await;
    let cursor = listed["structuredContent"]["next_cursor"].as_str().unwrap().to_owned();
    let other = gate.begin();
    for arguments in [json!({"cursor": "forged"}), json!({"cursor": cursor, "session_uuid": other})] {
        let refused = relay.call("review_gate_list_checkpoints", arguments.clone()).await;
        assert_eq!(refused["_meta"]["review-gate/fault"]["code"], "invalid_cursor", "{arguments}: {refused}");
    }
    for uri in [format!("{uri}?cursor=forged"), format!("file://review-gate/checkpoints/{other}?cursor={cursor}")] {
        let refused = relay.ask("resources/read", json!({ "uri": uri })).await;
        assert_eq!(refused["error"]["data"]["code"], "invalid_cursor", "{uri}: {refused}");
    }
    relay.close().await;
}

#[tokio::test]
async fn a_list_of_one_page_takes_no_cursor() {
    let gate = Arc::new(FakeGate::default());
    let mut relay = Relay::initialized(&gate).await;
    for method in ["tools/list", "resources/templates/list"] {
        assert!(relay.ask(method, json!({"cursor": ""})).await["result"].is_object(), "{method}");
        let refused = relay.ask(method, json!({"cursor": "forged"})).await;
        assert_eq!(refused["error"]["code"], -32602, "{method}: {refused}");
        assert_eq!(refused["error"]["data"]["code"], "invalid_cursor", "{method}");
    }
    relay.close().await;
}

#[tokio::test]
async fn an_initialized_client_is_told_in_its_own_words() {
    let gate = Arc::new(FakeGate::default());
    // The tenth has a letter in its identifier.
    let session = (0..10).map(|_| gate.begin()).collect::<Vec<_>>()[9];
    let mut relay = Relay::initialized(&gate).await;
    let upper = session.to_string().to_uppercase();
    assert_ne!(upper, session.to_string());
    let mut uris = vec![
        format!("file://review-gate/conversations/{upper}"),
        format!("file://review-gate/conversations/{session}"),
        "file://review-gate/conversations?q=x&status=active".to_owned(),
    ];
    for uri in &uris {
        assert!(relay.ask("resources/subscribe", json!({ "uri": uri })).await["result"].is_object(), "{uri}");
    }
    for (uri, code) in [
        ("file://review-gate/conversations?bogus=1", -32602),
        ("file://review-gate/conversations?status=open", -32602),
        (&format!("file://review-gate/sessions/{session}?q=x"), -32602),
        (&format!("file://review-gate/sessions/{}", session.0.simple()), -32002),
        (&format!("file://review-gate/sessions/{}", session.0.braced()), -32002),
        (&format!("file://review-gate/sessions/{}", session.0.urn()), -32002),
    ] {
        let refused = relay.ask("resources/subscribe", json!({ "uri": uri })).await;
        assert_eq!(refused["error"]["code"], code, "{uri}: {refused}");
    }
    let report = json!({"session_uuid": session, "progress_percent": 1});
    relay.call("review_gate_update_progress", report.clone()).await;
    let mut told = Vec::new();
    for _ in 0..uris.len() {
        let note = relay.told("notifications/resources/updated").await;
        told.push(note["params"]["uri"].as_str().unwrap().to_owned());
    }
    uris.sort();
    told.sort();
    assert_eq!(told, uris, "each as the client wrote it");

    for uri in &uris[1..] {
        assert!(relay.ask("resources/unsubscribe", json!({ "uri": uri })).await["result"].is_object(), "{uri}");
    }
    relay.call("review_gate_update_progress", report).await;
    assert_eq!(relay.told("notifications/resources/updated").await["params"]["uri"], uris[0].as_str());
    gate.begin();
    relay.told("notifications/resources/list_changed").await;
    let updates: Vec<_> = relay.heard.iter().filter(|note| note["params"]["uri"] != uris[0].as_str()).collect();
    assert_eq!(updates, Vec::<&Value>::new(), "nothing that it has left");
    relay.close().await;
}

#[tokio::test]
async fn an_initialized_client_hears_of_what_it_subscribed_to_and_of_the_list() {
    let gate = Arc::new(FakeGate::default());
    let session = gate.begin();
    let mut relay = Relay::initialized(&gate).await;
    let uri = format!("file://review-gate/checkpoints/{session}");
    assert!(relay.ask("resources/subscribe", json!({ "uri": uri })).await["result"].is_object());
    for unknown in ["file://review-gate/sessions/00000000-0000-0000-0000-00000000ffff", "file:///etc/passwd"] {
        let refused = relay.ask("resources/subscribe", json!({ "uri": unknown })).await;
        assert_eq!(refused["error"]["code"], -32002, "{refused}");
    }
    relay.call("review_gate_create_checkpoint", json!({"name": "a", "session_uuid": session})).await;
    let told = relay.told("notifications/resources/updated").await;
    assert_eq!(told["params"]["uri"], uri);
    relay.call("review_gate_update_progress", json!({"progress_percent": 1})).await;
    relay.told("notifications/resources/list_changed").await;
    assert!(relay.ask("resources/unsubscribe", json!({ "uri": uri })).await["result"].is_object());
    relay.call("review_gate_create_checkpoint", json!({"name": "b", "session_uuid": session})).await;
    gate.begin();
    relay.told("notifications/resources/list_changed").await;
    assert_eq!(relay.heard, Vec::<Value>::new(), "nothing that it didn't subscribe to");
    assert_eq!(gate.listeners(), 1, "one task forwards");
    relay.close().await;
    nobody_listens(&gate).await;
}

#[tokio::test]
async fn a_client_hears_nothing_of_a_session_that_it_may_not_see() {
    let gate = Arc::new(FakeGate::default());
    let (hidden, own) = (gate.begin(), gate.begin());
    gate.hide(hidden);
    let mut relay = Relay::initialized(&gate).await;
    let uri = |session: SessionUuid| format!("file://review-gate/conversations/{session}");
    for session in [hidden, own] {
        relay.ask("resources/subscribe", json!({ "uri": uri(session) })).await;
    }
    for change in [Change::Began(hidden), Change::Conversation(hidden), Change::Conversation(own)] {
        gate.tell(change);
    }
    assert_eq!(relay.told("notifications/resources/updated").await["params"]["uri"], uri(own));
    gate.tell(Change::Prompts);
    relay.told("notifications/prompts/list_changed").await;
    let heard: Vec<_> = relay.heard.iter().map(|message| &message["method"]).collect();
    assert_eq!(heard, ["notifications/resources/list_changed"], "of the prompts alone: not even that it is there");
    relay.close().await;
}

#[tokio::test]
async fn a_client_without_initialize_listens() {
    let gate = Arc::new(FakeGate::default());
    let mut relay = Relay::connect(&gate);
    let uri = "file://review-gate/conversations?status=active";
    let filter = json!({"resourceSubscriptions": [uri, "file:///etc/passwd"], "resourcesListChanged": true});
    let listens = relay.send("subscriptions/listen", json!({"notifications": filter, "_meta": stateless()})).await;
    let acknowledged = relay.told("notifications/subscriptions/acknowledged").await;
    assert_eq!(acknowledged["params"]["notifications"]["resourceSubscriptions"], json!([uri]), "{acknowledged}");
    gate.begin();
    let told = relay.told("notifications/resources/updated").await;
    assert_eq!(told["params"]["uri"], uri, "as the client wrote it");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], json!(listens), "{told}");
    relay.told("notifications/resources/list_changed").await;
    let many: Vec<_> = (0..=1000).map(|n| format!("file://review-gate/conversations?cursor={n}")).collect();
    let params = json!({"notifications": {"resourceSubscriptions": many}, "_meta": stateless()});
    let refused = relay.ask("subscriptions/listen", params).await;
    assert_eq!(refused["error"]["data"]["code"], "too_many", "{refused}");
    relay.close().await;
    nobody_listens(&gate).await;
}
