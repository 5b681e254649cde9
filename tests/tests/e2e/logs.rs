//! What the gate writes into its logs: nothing that a person or an agent wrote, however much is asked for.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, Http, LIMIT, SignedPage, eventually};
use serde_json::{Value, json};
use tokio::net::UnixStream;

/// Stands in every text of this test, whoever says it, and nowhere else.
const MARK: &str = "quixotic-zeugma";

/// A text of its own.
fn text(of: &str) -> String {
    format!("{of}-{MARK}")
}

async fn ask(agent: &Agent, method: &str, params: Value) -> Result<Value> {
    let id = agent.request(method, params).await?;
    agent.wait(id).await
}

async fn call(agent: &Agent, tool: &str, arguments: Value) -> Result<Value> {
    ask(agent, "tools/call", json!({"name": tool, "arguments": arguments})).await
}

fn question(title: &str) -> Value {
    let diff = format!("--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-a\n+{1}\n", text("file"), text("diff"));
    json!({
        "message": text("message"), "title": text(title), "context": text("context"), "options": [text("option")],
        "approval": true, "diff": diff, (text("field")): text("value"),
    })
}

/// All that a reply may hold.
async fn answer(person: &SignedPage, id: &str) -> Result<()> {
    let attach = json!({"command": "attach", "request_id": id, "name": text("name"), "data": "bm90ZXM="});
    let attached = person.does(attach).await?;
    let draft = json!({
        "text": text("reply"), "selected": [text("option")],
        "comments": [{"file": text("file"), "line": 1, "side": "new", "body": text("comment")}],
        "remarks": [{"quote": text("message"), "body": text("remark")}],
        "attachments": [attached["attachment"]["attachment_id"]],
    });
    let wrong = json!({"text": text("reply"), "selected": [text("another")]});
    for (draft, good) in [(wrong, false), (draft, true)] {
        let save = json!({"command": "save_draft", "request_id": id, "draft": draft});
        assert!(person.command(save).await?.is_ok(), "a draft may be anything");
        assert_eq!(person.answers(id, Some("approved"), draft).await.is_ok(), good, "a reply may not");
    }
    Ok(())
}

/// Every log below a folder, with its text.
fn logs(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(logs(&path)?);
        } else if path.components().any(|part| part.as_os_str() == "logs") || path.extension() == Some("log".as_ref()) {
            let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            found.push((path, text));
        }
    }
    Ok(found)
}

/// What agents and the person do, over every way that there is.
async fn work(home: &Home, agent: &Agent) -> Result<()> {
    let person = SignedPage::sign_in(home).await?;
    let asked = agent.call(question("first")).await?;
    let id = home.waiting(&text("first")).await?;
    answer(&person, &id).await?;
    let outcome = agent.outcome(asked).await?;
    assert!(outcome.to_string().contains(&text("remark")), "the reply arrives: {outcome}");
    let session = outcome["session_uuid"].as_str().context("a session")?;
    person.does(json!({"command": "send_note", "session_uuid": session, "text": text("note")})).await?;
    let steps = json!([{"name": text("step"), "state": "in_progress"}]);
    let progress = json!({"status_message": text("status"), "steps": steps});
    let told = call(agent, "review_gate_update_progress", progress).await?;
    assert!(told.to_string().contains(&text("note")), "the note arrives: {told}");
    let checkpoint = json!({"name": text("checkpoint"), "description": text("description")});
    for (tool, arguments) in [
        ("review_gate_create_checkpoint", checkpoint.clone()),
        ("review_gate_create_checkpoint", checkpoint),
        ("review_gate_restore_checkpoint", json!({"checkpoint_id": text("unknown")})),
        ("review_gate_get_context", json!({"cursor": text("cursor")})),
        ("review_gate_update_config", json!({"values": {"window.theme": text("theme")}})),
        ("review_gate_chat", json!({"message": {"text": text("wrong type")}})),
        ("review_gate_chat", json!({"message": text("message"), "diff": text("no diff")})),
    ] {
        call(agent, tool, arguments).await?;
    }
    let prompt = json!({"name": "mine", "arguments": {"what": text("argument")}});
    let got = ask(agent, "prompts/get", prompt).await?;
    assert!(got.to_string().contains(&text("argument")) && got.to_string().contains(&text("prompt")), "{got}");
    for (method, params) in [
        ("prompts/get", json!({"name": text("prompt"), "arguments": {}})),
        ("prompts/get", json!({"name": [text("prompt")]})),
        ("resources/read", json!({"uri": format!("file://review-gate/conversations?q={MARK}")})),
        ("resources/read", json!({"uri": format!("file://review-gate/{MARK}")})),
        ("tools/call", json!({"name": 7, "arguments": text("not an object")})),
        (MARK, json!({"said": text("anything")})),
    ] {
        ask(agent, method, params).await?;
    }
    let withdrawn = agent.call(question("withdrawn")).await?;
    home.waiting(&text("withdrawn")).await?;
    agent.cancel(withdrawn).await?;
    let gone = || async { Ok(home.pending().await?.is_empty().then_some(())) };
    eventually("the end of what was withdrawn", LIMIT, gone).await?;

    let mut http = Http::of(home)?;
    http.initialize("claude-code").await?;
    for over_http in [true, false] {
        let answering = async {
            let id = home.waiting(&text("over http")).await?;
            answer(&person, &id).await
        };
        let asking = async {
            match over_http {
                true => http.chat(question("over http")).await?.outcome(),
                false => Http::of(home)?.chat_stateless("claude-code", question("over http")).await?.outcome(),
            }
        };
        let (outcome, answered) = tokio::join!(asking, answering);
        answered.with_context(|| format!("with a session: {over_http}; the agent has {outcome:?}"))?;
        assert!(outcome?.to_string().contains(&text("reply")), "the reply arrives");
    }
    home.at_a_terminal(&format!("history {MARK}")).await?;
    home.at_a_terminal(&format!("export {session}")).await?;
    Ok(())
}

#[tokio::test]
async fn no_log_holds_what_a_person_or_an_agent_wrote() -> Result<()> {
    let home = Home::with_env([("REVIEW_GATE_LOG", "trace"), ("REVIEW_GATE__NETWORK__PORT", "0")])?;
    let prompts = home.path().join("prompts");
    fs::create_dir(&prompts)?;
    fs::write(prompts.join("mine.md"), format!("---\ntitle: Mine\n---\n{} {{{{what}}}}\n", text("prompt")))?;
    fs::write(prompts.join("broken.yaml"), format!("name: [{}\n", text("broken")))?;
    // Its relay starts the gate, so that what that writes is a log, too.
    let agent = Agent::start(&home, "claude-code").await?;
    // Somebody who says nothing, which only a log of everything tells of.
    drop(UnixStream::connect(home.path().join("control/control.sock")).await?);
    work(&home, &agent).await?;
    home.run(["stop"]).await?.succeeded()?;

    let whole = || async {
        let logs = logs(home.path())?;
        let noted = |what: &str| logs.iter().any(|(_, text)| text.contains(what));
        let all = ["the gate is open", "a connection without a hello", "the gate is closed"].into_iter().all(noted);
        Ok(all.then_some(logs))
    };
    for (file, text) in eventually("a log of everything, to its end", LIMIT, whole).await? {
        let told: Vec<_> = text.lines().filter(|line| line.contains(MARK)).collect();
        assert_eq!(told, [""; 0], "{} holds what somebody wrote", file.display());
    }
    Ok(())
}
