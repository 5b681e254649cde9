//! `review_gate_chat` without an answer yet: patience, coming back, late replies, cancellation,
//! progress (contract, section 4), through the real relay and a gate without windows.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, Home, LIMIT, SCRIPTS_ANSWER, SignedPage, eventually};
use serde_json::{Value, json};

/// A client called `slow` is answered `pending` after the shortest time that settings allow.
const SLOW: &str = "waiting:\n  clients:\n    slow: 5\n";

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

/// The result of reporting progress.
async fn report(agent: &Agent, arguments: Value) -> Result<Value> {
    let params = json!({"name": "review_gate_update_progress", "arguments": arguments});
    agent.result(agent.request("tools/call", params).await?).await
}

#[tokio::test]
async fn a_call_is_pending_before_its_client_gives_up_and_the_request_stays_open() -> Result<()> {
    let home = Home::with_config(&format!("{SLOW}{SCRIPTS_ANSWER}"))?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "slow").await?;
    let begin = Instant::now();
    let call = agent.call(json!({"message": "Still there?", "title": "patience", "approval": true})).await?;
    let id = home.waiting("patience").await?;
    let result = agent.result(call).await?;
    let waited = begin.elapsed();
    assert!(waited >= Duration::from_millis(4900), "not before the client's time has come: {waited:?}");
    assert!(waited < Duration::from_secs(15), "and not long after it, or the client has given up: {waited:?}");

    let mut outcome = result["structuredContent"].clone();
    let session = outcome["session_uuid"].take();
    let asides = outcome.as_object_mut().and_then(|outcome| outcome.remove("asides")).context("what it means")?;
    assert!(asides[0].as_str().is_some_and(|text| text.contains("don't ask the question anew")), "{asides}");
    assert_eq!(
        outcome,
        json!({
            "status": "pending", "session_uuid": null, "request_id": id, "decision": null, "text": "", "selected": [],
            "comments": [], "attachments": [], "answered_at": null, "answered_from": null,
        }),
        "nothing is answered, and nothing is approved"
    );
    let text = text_of(&result);
    assert!(text.contains(&format!("request_id {id}")), "the agent is told how to come back: {text}");
    assert!(text.contains("review-gate requests"), "without a window the person needs the command: {text}");
    assert_eq!(home.pending().await?.len(), 1, "the person can still answer");

    let again = agent.call(json!({"message": "Still there?", "request_id": id})).await?;
    home.answer(&id, ["--approve", "--text", "now"]).await?;
    let outcome = agent.outcome(again).await?;
    assert_eq!(
        (&outcome["request_id"], &outcome["session_uuid"], &outcome["decision"], &outcome["text"]),
        (&json!(id), &session, &json!("approved"), &json!("now")),
        "coming back with the id brings the same request's reply"
    );
    let rows = home.rows("SELECT count(*) AS requests FROM review_requests").await?;
    assert_eq!(rows, [json!({"requests": 1})], "coming back asks nothing anew");
    Ok(())
}

#[tokio::test]
async fn a_late_reply_stands_beside_the_next_result_and_is_fetched_by_its_id() -> Result<()> {
    let home = Home::with_config(SLOW)?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "slow").await?;
    let first = agent.chat(json!({"message": "Delete it?", "title": "late", "approval": true})).await?;
    assert_eq!(first["status"], "pending", "nobody answered in time");
    let session = &first["session_uuid"];
    let id = first["request_id"].as_str().context("a request has an id")?;
    person.approves(id, "sorry, was at lunch").await?;

    let call = agent.call(json!({"message": "And this?", "title": "next", "session_uuid": session})).await?;
    person.writes(&home.waiting("next").await?, "to the second").await?;
    let result = agent.result(call).await?;
    let mut outcome = result["structuredContent"].clone();
    assert_eq!(
        (&outcome["text"], &outcome["decision"]),
        (&json!("to the second"), &Value::Null),
        "another question has its own answer"
    );
    let answered_at = outcome["earlier"][0]["answered_at"].take();
    assert!(answered_at.is_string(), "when the earlier one was answered: {result}");
    let pointer = json!([{"request_id": id, "title": "late", "answered_at": null}]);
    assert_eq!(outcome["earlier"], pointer, "and beside it stands that the earlier one was answered: {result}");
    let all = result.to_string();
    assert!(!all.contains("at lunch") && !all.contains("APPROVED"), "nothing of what was answered: {all}");
    let texts = result["content"].as_array().context("content")?;
    let told = texts.iter().filter_map(|block| block["text"].as_str()).any(|text| text.contains(id));
    assert!(told, "a client that drops the structure tells its model, too: {result}");

    let other = report(&agent, json!({"session_uuid": session, "progress_percent": 10})).await?;
    assert_eq!(other["structuredContent"]["earlier"][0]["request_id"], id, "and so does any other tool: {other}");

    let call = agent.call(json!({"message": "Delete it?", "request_id": id})).await?;
    let fetched = agent.result(call).await?["structuredContent"].take();
    assert_eq!(
        (&fetched["text"], &fetched["decision"], fetched.get("earlier")),
        (&json!("sorry, was at lunch"), &json!("approved"), None),
        "by its id it is fetched whole"
    );
    let after = report(&agent, json!({"session_uuid": session, "progress_percent": 20})).await?;
    assert_eq!(after["structuredContent"].get("earlier"), None, "and then it waits no longer: {after}");
    Ok(())
}

#[tokio::test]
async fn a_question_after_a_report_belongs_to_the_same_session() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let reported = report(&agent, json!({"progress_percent": 10, "status_message": "reading"})).await?;
    let session = &reported["structuredContent"]["session_uuid"];
    let call = agent.call(json!({"message": "m", "title": "begin"})).await?;
    home.answer(&home.waiting("begin").await?, ["--text", "begun"]).await?;
    assert_eq!(agent.outcome(call).await?["session_uuid"], *session, "one agent, one line of work");
    let call = agent.call(json!({"message": "m", "title": "another chat"})).await?;
    home.answer(&home.waiting("another chat").await?, ["--text", "begun"]).await?;
    assert_ne!(
        agent.outcome(call).await?["session_uuid"],
        *session,
        "a second question without a session is another's"
    );
    Ok(())
}

#[tokio::test]
async fn parallel_calls_of_one_session_dont_take_each_others_replies() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "m", "title": "begin"})).await?;
    home.answer(&home.waiting("begin").await?, ["--text", "begun"]).await?;
    let session = agent.outcome(call).await?["session_uuid"].take();
    for round in 0..10 {
        let [left, right] = [format!("left {round}"), format!("right {round}")];
        let one = agent.call(json!({"message": "m", "title": left, "session_uuid": session})).await?;
        let id = home.waiting(&left).await?;
        // The reply and the session's next call come at the same moment.
        let replied = home.answer(&id, ["--text", &left]);
        let called = agent.call(json!({"message": "m", "title": right, "session_uuid": session}));
        let (replied, other) = tokio::join!(replied, called);
        replied?;
        assert_eq!(agent.outcome(one).await?["text"], left, "the reply goes to the call that waited for it");
        home.answer(&home.waiting(&right).await?, ["--text", &right]).await?;
        assert_eq!(agent.outcome(other?).await?["text"], right, "and not to the one that came meanwhile");
    }
    Ok(())
}

#[tokio::test]
async fn a_cancelled_call_withdraws_its_request_and_keeps_the_draft() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "m", "title": "never mind"})).await?;
    let id = home.waiting("never mind").await?;
    let draft = json!({"text": "half a sent", "selected": [], "comments": [], "attachments": []});
    let mut control = Control::open(&home).await?;
    let saved = control.command(json!({"command": "save_draft", "request_id": id, "draft": draft})).await?;
    assert!(saved.is_ok(), "a draft is saved as it is typed: {saved:?}");

    agent.cancel(call).await?;
    let look = || async { Ok(home.pending().await?.is_empty().then_some(())) };
    eventually("the cancelled request's withdrawal", LIMIT, look).await?;
    let late = home.run(["answer", &id, "--approve"]).await?;
    assert_eq!(late.code, Some(4), "what was withdrawn can't be approved any more: {late:?}");
    assert!(late.stderr.contains("[not_pending]"), "the fault has its code: {late:?}");
    let opened = control.command(json!({"command": "open_request", "request_id": id})).await?;
    let opened = opened.map_err(|fault| anyhow::anyhow!("the withdrawn request can't be opened: {fault}"))?;
    assert_eq!(opened["request"]["status"], "cancelled", "the person sees that it was withdrawn");
    assert_eq!(opened["request"]["draft"]["text"], "half a sent", "and keeps what they wrote");

    let ping = agent.request("ping", json!({})).await?;
    agent.result(ping).await?;
    assert_eq!(agent.take(call), None, "MCP: a cancelled request gets no response");
    Ok(())
}

#[tokio::test]
async fn a_request_that_the_person_closes_is_cancelled_for_the_agent() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "Deploy?", "title": "closed", "approval": true})).await?;
    let id = home.waiting("closed").await?;
    let closed = Control::open(&home).await?.command(json!({"command": "dismiss", "request_id": id})).await?;
    assert!(closed.is_ok(), "a person may decline to answer: {closed:?}");
    let result = agent.result(call).await?;
    let outcome = &result["structuredContent"];
    assert_eq!(
        (&outcome["status"], &outcome["decision"]),
        (&json!("cancelled"), &Value::Null),
        "that approves nothing"
    );
    assert!(text_of(&result).contains("Nothing is approved"), "and reads so: {result}");
    Ok(())
}

#[tokio::test]
async fn progress_goes_to_those_who_asked_for_it() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let silent = agent.call(json!({"message": "m", "title": "silent"})).await?;
    let talking = agent.call_with(json!({"message": "m", "title": "talking"}), json!({"progressToken": "t-1"})).await?;
    let id = home.waiting("talking").await?;
    let mut note = agent.notification("notifications/progress").await?;
    let message = note["params"]["message"].take();
    assert_eq!(
        note["params"],
        json!({"progressToken": "t-1", "progress": 0.0, "message": null}),
        "the first word comes at once, under the client's own token"
    );
    let message = message.as_str().unwrap_or_default();
    assert!(message.contains(&id), "the agent can tell its person which request it is: {message}");
    assert!(message.contains("review-gate requests"), "and how to see it where no window can be shown: {message}");
    assert!(!message.contains("answer"), "a way to answer is never given to an agent: {message}");

    let second = agent.notification("notifications/progress").await?;
    assert_eq!(second["params"]["progressToken"], "t-1", "15 s later the next: a call without a token gets none");
    home.answer(&id, ["--text", "ok"]).await?;
    home.answer(&home.waiting("silent").await?, ["--text", "ok"]).await?;
    agent.outcome(talking).await?;
    agent.outcome(silent).await?;
    Ok(())
}

#[tokio::test]
async fn a_client_that_dies_loses_nothing() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let dying = Agent::start(&home, "claude-code").await?;
    dying.call(json!({"message": "m", "title": "orphan"})).await?;
    let id = home.waiting("orphan").await?;
    dying.kill().await?;

    let early = Agent::start(&home, "claude-code").await?;
    let back = early.call(json!({"message": "m", "request_id": id})).await?;
    home.answer(&id, ["--text", "for whoever comes back"]).await?;
    assert_eq!(early.outcome(back).await?["text"], "for whoever comes back", "a new client can wait for it");

    let late = Agent::start(&home, "claude-code").await?;
    let outcome = late.chat(json!({"message": "m", "request_id": id})).await?;
    assert_eq!(outcome["text"], "for whoever comes back", "an id is answered as often as it is asked for");
    Ok(())
}

#[tokio::test]
async fn a_client_that_closes_its_pipe_leaves_its_request_open() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let leaving = Agent::start(&home, "claude-code").await?;
    leaving.call(json!({"message": "m", "title": "left"})).await?;
    let id = home.waiting("left").await?;
    let status = leaving.close().await?;
    assert!(status.success(), "the end of stdin is how a client says goodbye: {status}");
    assert_eq!(home.waiting("left").await?, id, "a broken connection only ends the call");
    Ok(())
}

#[tokio::test]
async fn an_agent_that_starts_again_finds_the_question_it_had_asked() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let question = json!({"message": "Same words?", "title": "again"});
    let before = Agent::start(&home, "cursor").await?;
    before.call(question.clone()).await?;
    let id = home.waiting("again").await?;
    before.kill().await?;

    let after = Agent::start(&home, "cursor").await?;
    let look = || async {
        let snapshot = Control::open(&home).await?.command(json!({"command": "snapshot"})).await?;
        let snapshot = snapshot.map_err(|fault| anyhow::anyhow!("no snapshot: {fault}"))?;
        Ok((snapshot["requests"][0]["caller_waiting"] == false).then_some(()))
    };
    eventually("the gate's notice that the first caller has gone", LIMIT, look).await?;
    let call = after.call(question).await?;
    home.answer(&id, ["--text", "once"]).await?;
    let outcome = after.outcome(call).await?;
    assert_eq!(
        (&outcome["request_id"], &outcome["text"]),
        (&json!(id), &json!("once")),
        "nobody is asked the same twice"
    );
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "so nothing is left over");
    Ok(())
}
