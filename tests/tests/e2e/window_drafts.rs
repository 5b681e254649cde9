//! What a person has typed survives the app's sudden end, and so does the agent's call.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, LIMIT, Window, eventually, test_id};
use serde_json::json;

const DIFF: &str = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,2 +1,2 @@\n fn a() {\n-    one();\n+    two();\n";

#[tokio::test]
async fn a_draft_and_the_call_survive_a_kill_of_the_app() -> Result<()> {
    let Some(window) = Window::at_once().await? else { return Ok(()) };
    let (home, display) = (window.home(), window.display());
    let agent = Agent::start(home, "claude-code").await?;
    let question = json!({
        "message": "m", "title": "survivor", "approval": true, "options": ["left", "right"], "diff": DIFF,
    });
    let call = agent.call(question).await?;

    let page = window.page().await?;
    page.shows("survivor").await?;
    page.click(&test_id("option-2")).await?;
    let row = format!("{}[data-side=\"new\"][data-line=\"2\"]", test_id("diff-row"));
    page.click(&format!("{row} {}", test_id("comment-add"))).await?;
    page.write(&test_id("comment-text"), "Not saved by hand").await?;
    page.write(&test_id("reply-text"), "Typed and not sent").await?;
    page.draft_saved().await?;

    let killed = home.gate().context("the app is the gate of this home")?;
    killed.kill()?;
    assert!(killed.ends_within(LIMIT), "SIGKILL ends the app");
    drop(page);

    // The relay, whose call waits, starts the app again; the client does nothing.
    let back = || async { Ok(home.gate().filter(|gate| gate.pid() != killed.pid())) };
    eventually("a new gate", LIMIT, back).await?;
    let page = window.page().await?;
    page.shows("survivor").await?;
    display.window_in_front().await?;
    assert_eq!(page.written().await?, "Typed and not sent", "what was typed is there again");
    let chosen =
        "return [...document.querySelectorAll('[data-testid^=\"option-\"] input')].map((input) => input.checked)";
    assert_eq!(page.run(chosen, json!([])).await?, json!([false, true]), "what was chosen is there again");
    page.says(".card", "Not saved by hand").await?;
    assert!(agent.take(call).is_none(), "a kill answers nothing");
    assert_eq!(home.pending().await?.len(), 1, "the replayed call finds its request and opens no second one");

    page.press_button("request-changes").await?;
    let mut outcome = agent.outcome(call).await?;
    for field in ["session_uuid", "request_id", "digest", "receipt", "answered_at", "asides"] {
        outcome.as_object_mut().context("an outcome is an object")?.remove(field);
    }
    assert_eq!(
        outcome,
        json!({
            "status": "answered", "decision": "changes_requested", "text": "Typed and not sent",
            "selected": ["right"],
            "comments": [{"file": "src/a.rs", "line": 2, "side": "new", "body": "Not saved by hand"}],
            "attachments": [], "answered_from": "desktop", "assurance": "L1",
        }),
        "the call that waited through it all gets the whole reply"
    );
    Ok(())
}

#[tokio::test]
async fn an_attached_picture_and_other_drafts_survive_too() -> Result<()> {
    let Some(window) = Window::at_once().await? else { return Ok(()) };
    let home = window.home();
    let agent = Agent::start(home, "claude-code").await?;
    let first = agent.call(json!({"message": "m", "title": "first"})).await?;
    home.waiting("first").await?;
    agent.call(json!({"message": "m", "title": "second"})).await?;
    home.waiting("second").await?;

    let page = window.page().await?;
    page.shows("first").await?;
    let file = home.folder().join("notes.txt");
    std::fs::write(&file, "a note\n")?;
    page.write(&test_id("attach-input"), &file.display().to_string()).await?;
    page.counts(&format!("{}[data-state=\"ready\"]", test_id("attachment")), 1).await?;
    page.draft_saved().await?;
    page.click("[aria-label=\"Next request\"]").await?;
    page.shows("second").await?;
    page.write(&test_id("reply-text"), "for the second").await?;
    page.draft_saved().await?;

    let killed = home.gate().context("the app is the gate of this home")?;
    killed.kill()?;
    assert!(killed.ends_within(LIMIT), "SIGKILL ends the app");
    drop(page);
    // A person who starts it by hand meets the one that the relay starts: either of them stays.
    let started = window.start_app()?;
    let page = window.page().await?;
    page.shows("first").await?;
    page.says(&test_id("attachment"), "notes.txt").await?;
    page.click("[aria-label=\"Next request\"]").await?;
    page.shows("second").await?;
    assert_eq!(page.written().await?, "for the second", "each request has its own draft");
    page.click("[aria-label=\"Previous request\"]").await?;
    page.shows("first").await?;
    page.press_button("send").await?;
    let outcome = agent.outcome(first).await?;
    assert_eq!(outcome["attachments"][0]["name"], "notes.txt", "what was attached before the kill arrives");
    let stays = started.runs();
    let gate = home.gate().context("there is a gate")?.pid();
    assert_eq!(started.pid() == gate, stays, "the one that stays is the gate, the other has handed over");
    Ok(())
}
