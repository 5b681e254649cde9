//! The person away, their notes to agents, and replies that they take back, through the real programs.
//! A browser that is signed in stands for the window: both hold a reply back.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, Home, Http, LIMIT, SCRIPTS_ANSWER, SignedPage, eventually};
use serde_json::{Value, json};

/// A client called `slow` is answered `pending` after the shortest time that settings allow.
const SLOW: &str = "network:\n  port: 0\nwaiting:\n  clients:\n    slow: 5\n";

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

/// A home whose windows may take replies back for so many seconds.
fn home_with_undo(seconds: u32) -> Result<Home> {
    Home::with_config(&format!("network:\n  port: 0\nwindow:\n  undo_seconds: {seconds}\n"))
}

async fn call(agent: &Agent, tool: &str, arguments: Value) -> Result<Value> {
    let id = agent.request("tools/call", json!({"name": tool, "arguments": arguments})).await?;
    agent.result(id).await
}

#[tokio::test]
async fn while_the_person_is_away_agents_are_told_so_at_once_and_the_reply_waits_for_them() -> Result<()> {
    let home = Home::new()?;
    let mut gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let away = |away: bool| json!({"command": "set_away", "away": away});
    let agent = Agent::start(&home, "claude-code").await?;
    let waits = agent.call(json!({"message": "m", "title": "asked before"})).await?;
    let before = home.waiting("asked before").await?;
    person.does(away(true)).await?;
    let told = agent.result(waits).await?;
    let outcome = &told["structuredContent"];
    assert_eq!((&outcome["status"], &outcome["request_id"]), (&json!("pending"), &json!(before)), "who waits is told");

    let told = agent.call(json!({"message": "m", "title": "asked meanwhile", "approval": true})).await?;
    let told = agent.result(told).await?;
    let outcome = &told["structuredContent"];
    assert_eq!((&outcome["status"], &outcome["decision"]), (&json!("pending"), &Value::Null), "nothing is approved");
    let text = text_of(&told);
    let id = outcome["request_id"].as_str().context("it has an id")?;
    assert!(text.contains("away") && text.contains("end your turn") && text.contains(id), "what to do: {text}");
    assert!(!text.contains("review-gate answer") && !text.contains("review-gate away"), "never who could: {text}");
    assert_eq!(home.pending().await?.len(), 2, "the person finds both");
    let status = home.run(["status", "--json"]).await?.json()?;
    assert_eq!((&status["away"], &status["pending"]), (&json!(true), &json!(2)));

    gate.kill().await?;
    let again = agent.chat(json!({"message": "m", "request_id": id})).await?;
    assert_eq!(again["status"], "pending", "away is away, also after a restart");
    let person = SignedPage::sign_in(&home).await?;
    person.approves(id, "go on").await?;
    let later = agent.chat(json!({"message": "m", "request_id": id})).await?;
    assert_eq!((&later["decision"], &later["text"]), (&json!("approved"), &json!("go on")), "the reply was kept");

    person.does(away(false)).await?;
    let waits = agent.call(json!({"message": "m", "title": "asked after"})).await?;
    person.writes(&home.waiting("asked after").await?, "back").await?;
    assert_eq!(agent.outcome(waits).await?["text"], "back", "agents wait again");
    Ok(())
}

#[tokio::test]
async fn whoever_lets_agents_wait_in_vain_counts_as_away_until_they_do_something() -> Result<()> {
    let home = Home::with_config(&format!("{SLOW}  away_after_pending: 1\n"))?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "slow").await?;
    let first = agent.chat(json!({"message": "m", "title": "nobody"})).await?;
    assert_eq!(first["status"], "pending", "nobody answers");
    let away = |wanted: bool| {
        let home = home.clone();
        move || {
            let home = home.clone();
            async move { Ok((home.run(["status", "--json"]).await?.json()?["away"] == wanted).then_some(())) }
        }
    };
    eventually("the gate's finding that the person is away", LIMIT, away(true)).await?;
    let again = agent.call(json!({"message": "m", "request_id": first["request_id"]})).await?;
    let again = agent.result(again).await?;
    assert!(text_of(&again).contains("away"), "the next round says so at once");
    let asides = again["structuredContent"]["asides"].to_string();
    assert!(asides.contains("end your turn"), "and to those who read the structure: {asides}");

    let page = SignedPage::sign_in(&home).await?;
    let draft = json!({"text": "I am h", "selected": [], "comments": [], "attachments": []});
    let typed = json!({"command": "save_draft", "request_id": first["request_id"], "draft": draft});
    assert!(page.command(typed).await?.is_ok());
    eventually("the end of that", LIMIT, away(false)).await?;
    Ok(())
}

#[tokio::test]
async fn no_agent_with_a_shell_says_for_the_person_that_they_are_away() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let begun = call(&agent, "review_gate_update_progress", json!({"progress_percent": 1})).await?;
    let session = begun["structuredContent"]["session_uuid"].as_str().context("a session")?.to_owned();
    for arguments in [vec!["away"], vec!["away", "off"], vec!["note", &session, "approved"]] {
        let refused = home.run(arguments.clone()).await?;
        assert_eq!(refused.code, Some(4), "{arguments:?}: {refused:?}");
        assert!(refused.stderr.contains("[scripted_answers_off]"), "{arguments:?}: {refused:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_note_comes_with_the_next_result_of_any_tool_once() -> Result<()> {
    let home = Home::with_config(&format!("{SLOW}{SCRIPTS_ANSWER}"))?;
    let mut gate = home.serve().await?;
    let agent = Agent::start(&home, "slow").await?;
    let begun = call(&agent, "review_gate_update_progress", json!({"progress_percent": 10})).await?;
    let session = begun["structuredContent"]["session_uuid"].as_str().context("a session")?.to_owned();
    home.run(["note", &session, "Use the staging database."]).await?.succeeded()?;
    // A note outlives the gate that took it.
    gate.kill().await?;

    let told = call(&agent, "review_gate_list_checkpoints", json!({"session_uuid": session})).await?;
    assert_eq!(told["structuredContent"]["notes"][0]["text"], "Use the staging database.", "{told}");
    let text = text_of(&told);
    assert!(
        text.starts_with("A note given by a script") && text.ends_with("Use the staging database."),
        "in front: {text}"
    );
    let delivered =
        || async { Ok(home.rows("SELECT 1 FROM notes WHERE delivered_at IS NULL").await?.is_empty().then_some(())) };
    eventually("the note is known to be delivered", LIMIT, delivered).await?;
    let next = call(&agent, "review_gate_get_context", json!({"session_uuid": session})).await?;
    assert_eq!(next["structuredContent"].get("notes"), None, "it comes once");
    let said = &next["structuredContent"]["messages"][0];
    assert_eq!((&said["role"], &said["note"]), (&json!("person"), &json!(true)), "it is part of the record: {said}");
    assert_eq!((&said["text"], said.get("request_id")), (&json!("Use the staging database."), None), "{said}");

    let waits = agent.call(json!({"message": "m", "title": "waits", "session_uuid": session})).await?;
    let id = home.waiting("waits").await?;
    home.run(["note", &session, "I am thinking."]).await?.succeeded()?;
    let pending = agent.outcome(waits).await?;
    assert_eq!(
        (&pending["status"], &pending["notes"][0]["text"]),
        (&json!("pending"), &json!("I am thinking.")),
        "with a pending result too"
    );
    let waits = agent.call(json!({"message": "m", "request_id": id})).await?;
    home.run(["note", &session, "Here it comes."]).await?.succeeded()?;
    home.answer(&id, ["--approve", "--text", "yes"]).await?;
    let answered = agent.result(waits).await?;
    let outcome = &answered["structuredContent"];
    assert_eq!((&outcome["text"], &outcome["decision"]), (&json!("yes"), &json!("approved")));
    assert_eq!(outcome["notes"].as_array().map(Vec::len), Some(1), "and with a reply: {outcome}");
    assert!(answered["content"][1]["text"].as_str().is_some_and(|text| text.starts_with("APPROVED")), "{answered}");
    Ok(())
}

#[tokio::test]
async fn a_note_reaches_agents_over_http_once() -> Result<()> {
    let home = Home::with_config(&format!("{SLOW}{SCRIPTS_ANSWER}"))?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let mut http = Http::of(&home)?;
    http.initialize("slow").await?;
    let progress = || json!({"name": "review_gate_update_progress", "arguments": {"progress_percent": 1}});
    let begun = http.post("tools/call", progress(), &[]).await?.outcome()?;
    let session = &begun["session_uuid"];
    let send = async |text: &str| {
        let sent = page.command(json!({"command": "send_note", "session_uuid": session, "text": text})).await?;
        assert!(sent.is_ok(), "{sent:?}");
        anyhow::Ok(())
    };
    send("one").await?;
    let told = http.post("tools/call", progress(), &[]).await?.outcome()?;
    assert_eq!(told["notes"][0]["text"], "one", "{told}");
    let delivered =
        || async { Ok(home.rows("SELECT 1 FROM notes WHERE delivered_at IS NULL").await?.is_empty().then_some(())) };
    eventually("the note is known to be delivered", LIMIT, delivered).await?;

    send("two").await?;
    let question = || json!({"message": "m", "title": "http", "session_uuid": session});
    let pending = http.chat(question()).await?.outcome()?;
    assert_eq!((&pending["status"], &pending["notes"][0]["text"]), (&json!("pending"), &json!("two")), "{pending}");
    eventually("so is the second", LIMIT, delivered).await?;
    home.answer(pending["request_id"].as_str().context("an id")?, ["--text", "late"]).await?;
    let late = http.chat(question()).await?.outcome()?;
    assert_eq!((&late["text"], late.get("notes")), (&json!("late"), None), "a pending result is no reply: {late}");
    Ok(())
}

#[tokio::test]
async fn what_is_taken_back_reaches_no_agent() -> Result<()> {
    let home = home_with_undo(30)?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let waits = agent.call(json!({"message": "Deploy?", "title": "undo", "approval": true})).await?;
    let id = home.waiting("undo").await?;
    page.reply(&id, "yes, d").await?;
    assert_eq!(home.pending().await?.len(), 0, "for the person it is answered");
    let context = call(&agent, "review_gate_get_context", json!({})).await?;
    let said = context["structuredContent"]["messages"].as_array().context("messages")?;
    assert_eq!((said.len(), &said[0]["status"]), (1, &json!("pending")), "no other tool tells it either: {context}");

    let back = page.command(json!({"command": "undo_reply", "request_id": id})).await?;
    let back = back.map_err(|code| anyhow::anyhow!("it could not be taken back: {code}"))?;
    let request = &back["request"];
    assert_eq!((&request["status"], &request["draft"]["text"]), (&json!("pending"), &json!("yes, d")), "{request}");
    assert_eq!(agent.take(waits), None, "the agent goes on waiting");
    page.reply(&id, "no, wait").await?;
    let now = json!({"command": "send_now", "request_id": id});
    assert!(page.command(now.clone()).await?.is_ok());
    assert_eq!(agent.outcome(waits).await?["text"], "no, wait", "and hears what was sent in the end");
    assert_eq!(page.command(now).await?, Err("too_late".to_owned()));
    let undo = json!({"command": "undo_reply", "request_id": id});
    assert_eq!(page.command(undo).await?, Err("too_late".to_owned()), "that is over");
    let rows = home.rows("SELECT count(*) AS n FROM messages").await?;
    assert_eq!(rows, [json!({"n": 2})], "one question, one reply");
    Ok(())
}

#[tokio::test]
async fn a_reply_that_is_held_back_reaches_the_agent_by_itself() -> Result<()> {
    let home = home_with_undo(1)?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let waits = agent.call(json!({"message": "m", "title": "held"})).await?;
    page.reply(&home.waiting("held").await?, "yes").await?;
    let outcome = agent.outcome(waits).await?;
    assert_eq!((&outcome["text"], &outcome["answered_from"]), (&json!("yes"), &json!("browser")));
    Ok(())
}

#[tokio::test]
async fn a_kill_while_a_reply_is_held_back_delivers_it_and_one_after_undo_does_not() -> Result<()> {
    let home = home_with_undo(30)?;
    let mut gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let [sent, back] = ["sent", "taken back"];
    let mut calls = Vec::new();
    for title in [sent, back] {
        calls.push(agent.call(json!({"message": title, "title": title})).await?);
        page.reply(&home.waiting(title).await?, title).await?;
    }
    let id = home.rows("SELECT request_id FROM review_requests WHERE title = 'taken back'").await?;
    let undo = json!({"command": "undo_reply", "request_id": id[0]["request_id"]});
    assert!(page.command(undo).await?.is_ok());
    gate.kill().await?;

    assert_eq!(agent.outcome(calls[0]).await?["text"], sent, "what wasn't taken back counts as sent");
    let id = home.waiting(back).await?;
    assert_eq!(agent.take(calls[1]), None, "what was is still a question");
    let page = SignedPage::sign_in(&home).await?;
    let opened = page.does(json!({"command": "open_request", "request_id": id})).await?;
    assert_eq!(opened["request"]["draft"]["text"], back, "with what the person had written");
    page.writes(&id, "instead").await?;
    assert_eq!(agent.outcome(calls[1]).await?["text"], "instead");
    Ok(())
}

#[tokio::test]
async fn what_is_put_off_is_put_off_for_the_person_only() -> Result<()> {
    let home = Home::with_scripts()?;
    let mut gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let waits = agent.call(json!({"message": "m", "title": "later"})).await?;
    let id = home.waiting("later").await?;
    agent.call(json!({"message": "m", "title": "next"})).await?;
    home.waiting("next").await?;
    let snooze = json!({"command": "snooze", "request_id": id, "until": null});
    assert!(Control::open(&home).await?.command(snooze).await?.is_ok());
    gate.kill().await?;
    assert_eq!(home.waiting("later").await?, id, "the next gate has it");
    let snapshot = Control::open(&home).await?.command(json!({"command": "snapshot"})).await?;
    let snapshot = snapshot.map_err(|fault| anyhow::anyhow!("{fault}"))?;
    let order: Vec<_> = [0, 1].map(|at| &snapshot["requests"][at]["title"]).to_vec();
    assert_eq!(order, ["next", "later"], "it stands behind the others, also after a restart");
    assert_eq!(snapshot["requests"][1]["snoozed"], json!({"until": null}));
    assert_eq!(home.run(["status", "--json"]).await?.json()?["pending"], 2, "it is pending all the same");
    assert_eq!(agent.take(waits), None, "the agent notices nothing");
    home.answer(&id, ["--text", "now"]).await?;
    assert_eq!(agent.outcome(waits).await?["text"], "now", "and gets its reply");
    Ok(())
}
