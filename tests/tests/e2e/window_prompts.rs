//! Prompts in the real window: a file that was saved elsewhere is there, its preview follows its arguments, it is
//! written from the page, and what is wrong with it is shown with its line.

use anyhow::Result;
use gate_tests::{Agent, CONTROL, LIMIT, Page, Window, eventually, test_id};
use serde_json::json;

/// Leads the page that can be driven to the prompts of the main window.
async fn lead_to_prompts(page: &Page) -> Result<()> {
    page.run("location.hash = '#main/prompts'; location.reload(); return true", json!([])).await?;
    page.text(&test_id("main-window")).await.map(drop)
}

/// The row of a prompt.
fn row(id: &str) -> String {
    format!("[data-testid=\"prompt\"][data-prompt=\"{id}\"]")
}

fn write(window: &Window, file: &str, text: &str) -> Result<()> {
    let path = window.home().path().join("prompts").join(file);
    std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
    std::fs::write(path, text)?;
    Ok(())
}

#[tokio::test]
async fn a_prompt_is_seen_tried_written_and_restored() -> Result<()> {
    let Some(window) = Window::with_config("window:\n  theme: light\n").await? else { return Ok(()) };
    let app = window.start_app()?;
    let page = window.page().await?;
    lead_to_prompts(&page).await?;
    page.says(&row("code_review"), "Code review").await?;
    page.click(&row("security_review")).await?;
    page.counts(&test_id("prompt-message"), 1).await?;
    window.in_both_themes(&page, "main", "prompts").await?;

    // Saved by another program.
    write(
        &window,
        "hello.yaml",
        "title: Greeting\narguments:\n  - name: who\n    required: true\ntemplate: Hello {{who}}.\n",
    )?;
    page.says(&row("hello"), "Greeting").await?;
    page.click(&row("hello")).await?;
    page.counts(&test_id("prompt-missing"), 1).await?;
    page.write(&test_id("argument-who"), "Ada").await?;
    page.says(&test_id("prompt-message"), "Hello Ada.").await?;

    // An agent has what is written here a moment later.
    page.click(&test_id("prompt-tab-source")).await?;
    page.write(&test_id("prompt-text"), "category: manners\n").await?;
    page.press(&[CONTROL, 's']).await?;
    let file = window.home().path().join("prompts/hello.yaml");
    let is_written = || async {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        Ok(text.contains("category: manners").then_some(()))
    };
    eventually("the file is written", LIMIT, is_written).await?;
    let agent = Agent::start(window.home(), "agent").await?;
    let call = agent.request("prompts/get", json!({"name": "hello", "arguments": {"who": "Bo"}})).await?;
    assert_eq!(agent.result(call).await?["messages"][0]["content"]["text"], "Hello Bo.");

    // What is wrong stands there with its line, and the last good version is served.
    write(&window, "hello.yaml", "title: Greeting\ntemplate: 'Hello {{#if who}'\n")?;
    page.says(&format!("{} {}", test_id("prompt-source"), test_id("prompt-problem")), "2:11").await?;
    page.counts(&format!("{} {}", row("hello"), test_id("prompt-broken")), 1).await?;
    window.picture(&page, "main-light-prompt-broken").await?;
    let call = agent.request("prompts/get", json!({"name": "hello", "arguments": {"who": "Bo"}})).await?;
    assert_eq!(agent.result(call).await?["messages"][0]["content"]["text"], "Hello Bo.");

    page.click(&test_id("prompt-tab-versions")).await?;
    page.click(&format!("li:nth-child(2) > {}", test_id("prompt-version-row"))).await?;
    page.click(&test_id("prompt-restore")).await?;
    eventually("the version before is in the file again", LIMIT, is_written).await?;
    page.counts(&format!("{} {}", row("hello"), test_id("prompt-broken")), 0).await?;
    assert_eq!(page.count(&test_id("fault")).await?, 0, "no view shows a fault");
    drop(app);
    Ok(())
}
