//! The person in the main window: here, away and not to be disturbed; notes to agents that work; requests
//! that are put off; the sheet of keys; and their language.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, ENTER, ESCAPE, FakeDesktop, LIMIT, Page, Window, eventually, test_id};
use serde_json::{Value, json};

/// Waits long, so that no `pending` comes in between.
const PATIENT: &str = "claude-code";

async fn tool(agent: &Agent, name: &str, arguments: Value) -> Result<Value> {
    let call = agent.request("tools/call", json!({"name": name, "arguments": arguments})).await?;
    agent.result(call).await
}

/// Leads the page that can be driven to a page of the main window: the same bundle and the same gate.
async fn lead_to(page: &Page, place: &str) -> Result<()> {
    page.run("location.hash = arguments[0]; location.reload(); return true", json!([place])).await?;
    page.text(&test_id("main-window")).await.map(drop)
}

#[tokio::test]
async fn away_quiet_and_put_off_are_said_in_the_main_window_and_agents_hear_what_concerns_them() -> Result<()> {
    let Some(window) = Window::with_config("window:\n  raise: false\n").await? else { return Ok(()) };
    let home = window.home();
    let _app = window.start_app()?;
    let page = window.page().await?;
    lead_to(&page, "#main/inbox").await?;
    let agent = Agent::start(home, PATIENT).await?;

    page.click(&test_id("away")).await?;
    page.says(&test_id("away-line"), "Away since").await?;
    let told = agent.chat(json!({"message": "m", "title": "while away"})).await?;
    assert_eq!(told["status"], "pending", "nobody is waited for who isn't there");
    page.says(&test_id("inbox-list"), "while away").await?;
    page.click(&test_id("away-end")).await?;
    page.counts(&test_id("away-line"), 0).await?;
    eventually("everybody hears that they are back", LIMIT, async || {
        let status = home.run(["status", "--json"]).await?.json()?;
        Ok((status["away"] == false).then_some(()))
    })
    .await?;

    // By keys: the menu of do-not-disturb, and its first choice.
    page.click(&test_id("inbox-list")).await?;
    page.press(&['d']).await?;
    page.focus_on("quiet-hour").await?;
    page.press(&[ENTER]).await?;
    page.says(&test_id("quiet-line"), "Do not disturb until").await?;
    page.click(&test_id("quiet-line-end")).await?;
    page.counts(&test_id("quiet-line"), 0).await?;

    let later = agent.call(json!({"message": "m", "title": "can wait"})).await?;
    page.says(&test_id("inbox-list"), "can wait").await?;
    page.click("//*[@data-testid='row'][.//*[text()='can wait']]").await?;
    page.shows("can wait").await?;
    page.press(&['s']).await?;
    let menu = "return document.activeElement?.closest('.choices') !== null";
    page.until("the menu of times, with the keys", menu, json!([])).await?;
    page.press(&['1']).await?;
    page.says(&test_id("undo-note"), "is put off").await?;
    page.shows("while away").await?;
    let pending = home.pending().await?;
    assert_eq!(pending.len(), 2, "what is put off is still pending: {pending:?}");
    assert!(agent.take(later).is_none(), "and its agent notices nothing");
    page.click(&test_id("later-fold")).await?;
    page.click("//*[@data-testid='row'][.//*[text()='can wait']]").await?;
    page.shows("can wait").await?;
    page.write(&test_id("reply-text"), "now").await?;
    page.press_button("send").await?;
    assert_eq!(agent.outcome(later).await?["text"], "now");
    let faults = "return [...document.querySelectorAll('[data-testid=\"fault\"]')].map((fault) => fault.innerText)";
    assert_eq!(page.run(faults, json!([])).await?, json!([]), "no view shows a fault");
    Ok(())
}

#[tokio::test]
async fn notes_from_the_sessions_page_come_with_the_next_result_and_the_sheet_shows_the_keys() -> Result<()> {
    let Some(window) = Window::with_config("window:\n  raise: false\n").await? else { return Ok(()) };
    let home = window.home();
    let _app = window.start_app()?;
    let page = window.page().await?;
    lead_to(&page, "#main/sessions").await?;
    let (first, second) = (Agent::start(home, PATIENT).await?, Agent::start(home, "cursor").await?);
    let report = json!({"progress_percent": 30, "status_message": "Porting"});
    let mut sessions = Vec::new();
    for agent in [&first, &second] {
        let begun = tool(agent, "review_gate_update_progress", report.clone()).await?;
        sessions.push(begun["structuredContent"]["session_uuid"].clone());
    }
    let uuid = sessions[0].as_str().context("a session")?;
    page.click(&format!("{}[data-session=\"{uuid}\"]", test_id("session"))).await?;
    page.click(&test_id("note")).await?;
    page.write(&test_id("note-text"), "Use the staging database.").await?;
    page.click(&test_id("note-send")).await?;
    page.counts(&test_id("note-text"), 0).await?;
    let next = json!({"session_uuid": uuid, "progress_percent": 40});
    let told = tool(&first, "review_gate_update_progress", next).await?;
    assert_eq!(told["structuredContent"]["notes"][0]["text"], "Use the staging database.", "{told}");

    page.click(&test_id("broadcast")).await?;
    page.write(&test_id("note-text"), "Stop at six.").await?;
    page.says(&test_id("note-send"), "2").await?;
    page.click(&test_id("note-send")).await?;
    page.counts(&test_id("note-text"), 0).await?;
    for (agent, session) in [&first, &second].into_iter().zip(&sessions) {
        let told = tool(agent, "review_gate_list_checkpoints", json!({"session_uuid": session})).await?;
        assert_eq!(told["structuredContent"]["notes"][0]["text"], "Stop at six.", "each of them hears it: {told}");
    }

    page.click(&test_id("sessions-list")).await?;
    page.press(&['?']).await?;
    page.says(&test_id("shortcut-sheet"), "Ctrl ⇧ ⏎").await?;
    page.says(&test_id("shortcut-sheet"), "Approve").await?;
    page.press(&[ESCAPE]).await?;
    page.counts(&test_id("shortcut-sheet"), 0).await?;
    page.click(&test_id("keys")).await?;
    page.counts(&test_id("shortcut-sheet"), 1).await?;
    Ok(())
}

#[tokio::test]
async fn everything_speaks_the_language_of_the_settings() -> Result<()> {
    let config = "window:\n  language: zh-CN\n  raise: false\n";
    let Some(window) = Window::with_config(config).await? else { return Ok(()) };
    let fake = FakeDesktop::start(window.display()).await?;
    let agent = Agent::start(window.home(), PATIENT).await?;
    let call = agent.call(json!({"message": "m", "title": "Deploy?", "approval": true})).await?;
    let shown = fake.notification("Deploy?").await?;
    assert_eq!(
        (shown.body.as_str(), shown.buttons.clone()),
        ("Claude Code 正在 work 中等你回复", vec!["打开".into(), "稍后".into()])
    );
    fake.entry("退出 Review Gate").await?;
    fake.press(&shown, Some("打开")).await?;
    let page = window.page().await?;
    page.shows("Deploy?").await?;
    assert_eq!(page.run("return document.documentElement.lang", json!([])).await?, "zh-CN", "screen readers know it");
    page.says(&test_id("approve"), "批准").await?;
    let picture = window.picture(&page, "window-chinese").await?;
    assert!(std::fs::metadata(picture)?.len() > 5_000, "there is something to look at");

    // The person writes another into the file.
    std::fs::write(window.home().path().join("config.yaml"), "window:\n  language: en\n  raise: false\n")?;
    page.says(&test_id("approve"), "Approve").await?;
    assert_eq!(page.run("return document.documentElement.lang", json!([])).await?, "en");
    page.press_button("approve").await?;
    assert_eq!(agent.outcome(call).await?["decision"], "approved", "agents are spoken to as before");
    Ok(())
}
