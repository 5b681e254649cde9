//! The main window's pages on a real gate: sessions live, history with search, restore, export and
//! deletion; and the way there from the review window.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, ENTER, Home, Page, Window, test_id};
use serde_json::{Value, json};

/// The answers of these tests come from scripts.
const CONFIG: &str = "security:\n  scripted_answers: true\n";

async fn tool(agent: &Agent, name: &str, arguments: Value) -> Result<Value> {
    let call = agent.request("tools/call", json!({"name": name, "arguments": arguments})).await?;
    Ok(agent.result(call).await?["structuredContent"].take())
}

/// Asks and answers once; gives the session.
async fn talk(home: &Home, agent: &Agent, session: Option<&str>, question: &str, reply: &str) -> Result<String> {
    let mut ask = json!({"message": question, "title": question});
    if let Some(session) = session {
        ask["session_uuid"] = json!(session);
    }
    let call = agent.call(ask).await?;
    let id = home.waiting(question).await?;
    home.answer(&id, ["--text", reply]).await?;
    let outcome = agent.outcome(call).await?;
    Ok(outcome["session_uuid"].as_str().context("a session")?.to_owned())
}

/// Leads the page that can be driven to a page of the main window: the same bundle and the same gate.
async fn lead_to(page: &Page, place: &str) -> Result<()> {
    page.run("location.hash = arguments[0]; location.reload(); return true", json!([place])).await?;
    page.text(&test_id("main-window")).await.map(drop)
}

#[tokio::test]
async fn progress_is_live_and_a_session_is_closed_and_reopened() -> Result<()> {
    let Some(window) = Window::with_config(CONFIG).await? else { return Ok(()) };
    let home = window.home();
    let app = window.start_app()?;
    let page = window.page().await?;
    lead_to(&page, "#main/sessions").await?;
    page.text(&test_id("sessions-empty")).await?;
    let agent = Agent::start(home, "claude-code").await?;
    let steps = json!([{"name": "Read", "state": "completed"}, {"name": "Port", "state": "in_progress"}, "Test"]);
    let report = json!({"progress_percent": 30, "status_message": "Porting the callers", "steps": steps});
    let session = tool(&agent, "review_gate_update_progress", report).await?["session_uuid"].take();
    page.says(&test_id("sessions-list"), "Porting the callers").await?;
    page.says(&test_id("percent"), "30 %").await?;
    page.counts(&format!("{}[data-state=\"completed\"]", test_id("step")), 1).await?;
    let report = json!({"session_uuid": session, "progress_percent": 80, "status_message": "Testing"});
    tool(&agent, "review_gate_update_progress", report).await?;
    page.says(&test_id("percent"), "80 %").await?;
    page.says(&test_id("sessions-list"), "Testing").await?;

    page.click(&test_id("close-session")).await?;
    page.says(&test_id("sessions-list"), "completed").await?;
    page.click(&test_id("toast-action")).await?;
    page.counts(&test_id("close-session"), 1).await?;
    let rows = home.rows("SELECT status FROM conversations").await?;
    assert_eq!(rows, [json!({"status": "active"})], "undone, it is active again");
    assert_eq!(page.count(&test_id("fault")).await?, 0, "no view shows a fault");
    drop(app);
    Ok(())
}

#[tokio::test]
async fn history_is_searched_taken_back_exported_and_deleted() -> Result<()> {
    let Some(window) = Window::with_config(CONFIG).await? else { return Ok(()) };
    let home = window.home();
    let app = window.start_app()?;
    let page = window.page().await?;
    let agent = Agent::start(home, "claude-code").await?;
    let session = talk(home, &agent, None, "Retry webhook deliveries?", "Yes, with jitter.").await?;
    let checkpoint = json!({"session_uuid": session, "name": "agreed"});
    tool(&agent, "review_gate_create_checkpoint", checkpoint).await?;
    talk(home, &agent, Some(&session), "And log them?", "At debug level.").await?;
    let other = talk(home, &agent, None, "Rename the crate?", "No.").await?;

    window.display().window_in_front().await?;
    page.hears_keys().await?;
    window.display().press("ctrl+h").await?;
    window.display().shows_windows(2).await?;
    window.display().shows_titled("History – Review Gate").await.context("a taskbar tells the windows apart")?;

    lead_to(&page, "#main/history").await?;
    page.counts(&test_id("entry"), 2).await?;
    page.write(&test_id("search"), "jitt").await?;
    page.counts(&test_id("entry"), 1).await?;
    page.says(&format!("{} mark", test_id("hit")), "jitt").await?;
    page.press(&[ENTER]).await?;
    page.says(&test_id("conversation-title"), "Retry webhook deliveries?").await?;
    page.counts(&test_id("message"), 4).await?;

    page.click(&test_id("restore")).await?;
    page.click(&test_id("restore-confirm")).await?;
    page.counts(&test_id("restored"), 1).await?;
    let superseded = || home.rows("SELECT count(*) AS n FROM messages WHERE superseded_by IS NOT NULL");
    assert_eq!(superseded().await?[0]["n"], 2, "what came after the checkpoint no longer holds");
    page.click(&test_id("undo-restore")).await?;
    page.counts(&test_id("restored"), 0).await?;
    assert_eq!(superseded().await?[0]["n"], 0, "undone, all of it holds");

    page.click(&test_id("export")).await?;
    page.click(&test_id("export-markdown")).await?;
    page.says(&test_id("toast"), "exports").await?;
    let exports = std::fs::read_dir(home.path().join("exports"))?.collect::<std::io::Result<Vec<_>>>()?;
    assert_eq!(exports.len(), 1, "one file was written: {exports:?}");
    assert!(exports[0].file_name().to_string_lossy().starts_with("retry-webhook-deliveries-"), "{exports:?}");
    assert!(std::fs::read_to_string(exports[0].path())?.contains("Yes, with jitter."), "the file holds what was said");

    page.click(&test_id("delete")).await?;
    page.click(&test_id("delete-confirm")).await?;
    page.text(&test_id("nothing-found")).await?;
    page.click(&test_id("clear-filters")).await?;
    page.counts(&test_id("entry"), 1).await?;
    let left = home.rows("SELECT session_uuid FROM conversations").await?;
    assert_eq!(left, [json!({"session_uuid": other})], "only that one is gone");
    assert_eq!(page.count(&test_id("fault")).await?, 0, "no view shows a fault");
    drop(app);
    Ok(())
}

#[tokio::test]
async fn the_main_windows_pages_in_both_themes() -> Result<()> {
    let config = format!("{CONFIG}window:\n  theme: light\n");
    let Some(window) = Window::with_config(&config).await? else { return Ok(()) };
    let home = window.home();
    let app = window.start_app()?;
    let page = window.page().await?;
    let agent = Agent::start(home, "claude-code").await?;
    let session = talk(home, &agent, None, "May I keep both runners behind a flag?", "Yes, for one release.").await?;
    tool(&agent, "review_gate_create_checkpoint", json!({"session_uuid": session, "name": "callers ported"})).await?;
    talk(home, &agent, Some(&session), "All 41 callers are ported. Start the tests?", "Go.").await?;
    let steps = json!([
        {"name": "Read the old runner", "state": "completed"}, {"name": "Port the callers", "state": "completed"},
        {"name": "Run the tests", "state": "in_progress"}, "Remove the old runner",
    ]);
    let report =
        json!({"session_uuid": session, "progress_percent": 64, "status_message": "Running tests", "steps": steps});
    tool(&agent, "review_gate_update_progress", report).await?;
    for number in 1..=12 {
        talk(home, &agent, None, &format!("Is part {number} of the guide in order?"), "Yes.").await?;
    }
    lead_to(&page, "#main/sessions").await?;
    page.says(&test_id("sessions-list"), "Running tests").await?;
    let set = page.run("return document.documentElement.dataset.theme", json!([])).await?;
    assert_eq!(set, "light", "the setting decides how the window looks");
    page.click(&format!("{}[data-session=\"{session}\"]", test_id("session"))).await?;
    page.says(&test_id("percent"), "64 %").await?;
    let mut files = window.in_both_themes(&page, "main", "sessions").await?.to_vec();
    lead_to(&page, &format!("#main/history/{session}")).await?;
    page.counts(&test_id("checkpoint"), 1).await?;
    files.extend(window.in_both_themes(&page, "main", "history").await?);
    for file in files {
        let bytes = std::fs::metadata(&file).with_context(|| format!("{} isn't there", file.display()))?.len();
        assert!(bytes > 5_000, "{} shows something", file.display());
    }
    assert_eq!(page.count(&test_id("fault")).await?, 0, "no view shows a fault");
    drop(app);
    Ok(())
}
