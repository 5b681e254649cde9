//! A person at a desktop over VNC: the app's window on a real server's display, their keys and their pointer by the
//! protocol that viewers speak. Nobody is logged in at a seat of the machine. What is sent goes at once.

use anyhow::{Context as _, Result};
use gate_tests::{APPROVE, Agent, Key, Page, Window, test_id};
use serde_json::{Value, json};

const CHANGES: [Key; 3] = [Key::CONTROL, Key::ALT, Key::ENTER];

fn question(title: &str) -> Value {
    json!({"message": format!("About {title}"), "title": title, "approval": true})
}

async fn is_given(agent: &Agent, call: i64, decision: &str, text: &str) -> Result<()> {
    let outcome = agent.outcome(call).await?;
    let given = ["decision", "text", "answered_from", "assurance"].map(|field| outcome[field].clone());
    assert_eq!(given, [json!(decision), json!(text), json!("desktop"), json!("L1")], "{outcome}");
    Ok(())
}

/// The middle of a button on the screen.
async fn middle(window: &Window, page: &Page, id: &str) -> Result<[i64; 2]> {
    let script = "const box = document.querySelector(arguments[0]).getBoundingClientRect();
        return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)]";
    let within = page.run(script, json!([test_id(id)])).await?;
    let [left, top] = window.display().screen()?.front()?;
    Ok([left + within[0].as_i64().context("a number")?, top + within[1].as_i64().context("a number")?])
}

#[tokio::test]
async fn a_day_over_vnc_has_its_window_its_keys_and_its_pointer() -> Result<()> {
    let Some(window) = Window::over_vnc().await? else { return Ok(()) };
    let (home, display) = (window.home(), window.display());
    let mut viewer = display.viewer()?;
    let agent = Agent::start(home, "claude-code").await?;
    let call = agent.call(question("the schema")).await?;
    let page = window.page().await?;
    page.shows("the schema").await?;
    let status = home.run(["status"]).await?.succeeded()?.stdout;
    let name = display.name()?;
    let told = format!("Its window is on the display {name}. Nobody is logged in at a seat of this machine.");
    assert!(status.contains(&told), "who looks at it isn't known, and that is said: {status}");
    page.armed("approve").await?;
    viewer.press(&APPROVE)?;
    is_given(&agent, call, "approved", "").await?;
    display.window_gone().await?;

    // Their hands rest, so the next one comes up by itself.
    display.screen()?.hands_rest().await?;
    let call = agent.call(question("the index")).await?;
    page.shows("the index").await?;
    display.window_in_front().await?;
    page.armed("approve").await?;
    viewer.press(&[Key::of('r')])?;
    page.focus_on("reply-text").await?;
    for sign in "name it".chars() {
        viewer.press(&[Key::of(sign)])?;
    }
    page.until(
        "what was typed",
        "return document.querySelector(arguments[0]).value === 'name it'",
        json!([test_id("reply-text")]),
    )
    .await?;
    page.armed("request-changes").await?;
    viewer.press(&CHANGES)?;
    is_given(&agent, call, "changes_requested", "name it").await?;
    display.window_gone().await?;

    // The gate is started anew, by the agent's relay: what waits is there, and the pointer approves it.
    let call = agent.call(question("the migration")).await?;
    home.waiting("the migration").await?;
    drop(page);
    home.run(["stop"]).await?.succeeded()?;
    home.gate_runs().await?;
    home.waiting("the migration").await?;
    let page = window.page().await?;
    page.shows("the migration").await?;
    page.armed("approve").await?;
    let [x, y] = middle(&window, &page, "approve").await?;
    viewer.point([x, y - 90])?;
    let on = "return document.querySelector(arguments[0]).matches(':hover') === arguments[1]";
    page.until("the pointer above Approve", on, json!([test_id("approve"), false])).await?;
    viewer.point([x, y])?;
    page.until("the pointer on Approve", on, json!([test_id("approve"), true])).await?;
    page.armed("approve").await?;
    viewer.click([x, y])?;
    is_given(&agent, call, "approved", "").await
}
