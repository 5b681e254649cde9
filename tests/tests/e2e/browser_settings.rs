//! The settings, clients and the doctor in a real browser, over HTTP.

use anyhow::{Context as _, Result};
use gate_tests::{Browser, ESCAPE, Home, LIMIT, eventually, test_id};
use serde_json::json;

/// A home whose gate takes a port that is free.
fn home() -> Result<Home> {
    Home::with_config("# mine\nnetwork:\n  port: 0\nwindow:\n  theme: light\n")
}

/// Signs in by the gate's link, and goes to a page.
async fn at(home: &Home, browser: &Browser, page: &str) -> Result<()> {
    browser.go(home.link().await?.as_str().context("a link")?).await?;
    browser.counts(&test_id("main-window"), 1).await?;
    browser.click(&test_id(&format!("nav-{page}"))).await
}

fn tab(section: &str) -> String {
    test_id(&format!("settings-tab-{section}"))
}

#[tokio::test]
async fn every_section_stands_and_a_change_is_seen_and_taken_back() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    at(&home, &browser, "settings").await?;
    for section in [
        "waiting",
        "notifications",
        "appearance",
        "voice",
        "prompts",
        "sessions",
        "storage",
        "network",
        "keys",
        "changes",
        "file",
    ] {
        browser.click(&tab(section)).await?;
        browser.counts(&format!("{}[aria-selected=\"true\"]", tab(section)), 1).await?;
        browser.counts("[role=tabpanel]", 1).await?;
    }
    browser.click(&tab("appearance")).await?;
    browser.click(&test_id("setting-window-font-size-more")).await?;
    let size = "return getComputedStyle(document.documentElement).fontSize === arguments[0]";
    browser.until("the page is 15 pixels large", size, json!(["15px"])).await?;
    browser.says(&test_id("settings-note"), "Saved").await?;
    let file = home.path().join("config.yaml");
    let text = std::fs::read_to_string(&file)?;
    assert!(text.contains("font_size: 15") && text.starts_with("# mine\n"), "the rest stays as it is: {text}");

    browser.write(&test_id("setting-window-font-size-control"), "0").await?;
    browser.says(&test_id("setting-window-font-size-problem"), "from 11 to 24").await?;
    browser.press(&[ESCAPE]).await?;
    browser.counts(&test_id("setting-window-font-size-problem"), 0).await?;
    browser.click(&test_id("settings-undo")).await?;
    browser.until("the page is 14 pixels large again", size, json!(["14px"])).await?;
    let back = || async { Ok((!std::fs::read_to_string(&file)?.contains("font_size")).then_some(())) };
    eventually("the file is as it was", LIMIT, back).await?;

    home.run(["config", "set", "window.theme", "dark"]).await?.succeeded()?;
    browser.says(&test_id("toast"), "A terminal changed “Theme”").await?;
    browser.until("it is dark", "return document.documentElement.dataset.theme === 'dark'", json!([])).await?;
    browser.click(&test_id("toast-action")).await?;
    browser.until("it is light again", "return document.documentElement.dataset.theme === 'light'", json!([])).await?;
    assert_eq!(browser.count(&test_id("fault")).await?, 0, "no view shows a fault");
    Ok(())
}

#[tokio::test]
async fn settings_are_found_imported_and_exported_and_the_doctor_looks() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    at(&home, &browser, "settings").await?;
    browser.write(&test_id("search"), "quiet").await?;
    browser.counts(&test_id("setting-notifications-quiet-hours"), 1).await?;
    browser.click(&test_id("setting-notifications-quiet-hours-add")).await?;
    browser.says(&test_id("settings-note"), "Saved").await?;
    browser.click(&tab("file")).await?;
    browser.click(&test_id("settings-export")).await?;
    browser.says(&test_id("settings-exported"), "22:00-07:00").await?;

    browser.write(&test_id("import-text"), "window: {font_size: 99}").await?;
    browser.click(&test_id("import-look")).await?;
    browser.says(&test_id("import-preview"), "font_size").await?;
    browser.run("document.querySelector('[data-testid=import-text]').value = ''", json!([])).await?;
    browser.write(&test_id("import-text"), "window: {font_size: 16}").await?;
    browser.click(&test_id("import-look")).await?;
    browser.says(&test_id("import-difference"), "16").await?;
    browser.click(&test_id("import-apply")).await?;
    let size = "return getComputedStyle(document.documentElement).fontSize === '16px'";
    browser.until("the page is 16 pixels large", size, json!([])).await?;

    browser.click(&test_id("nav-doctor")).await?;
    browser.says(&test_id("doctor-state"), "findings in").await?;
    let found = browser.count(&test_id("finding")).await?;
    assert!(found > 5, "it looked at more than a few things: {found}");
    let token = std::fs::read_to_string(home.path().join("token"))?;
    let text = browser.run("return document.body.textContent", json!([])).await?;
    assert!(!text.as_str().unwrap_or_default().contains(token.trim()), "no secret is shown");
    Ok(())
}
