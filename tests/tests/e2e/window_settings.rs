//! Settings, clients and the doctor in the real window: a setting is seen at once and stands in the file,
//! what others change is said, a client's file is written and given back.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use gate_tests::{ESCAPE, LIMIT, Page, Window, eventually, test_id};
use serde_json::{Value, json};

const CONFIG: &str = "# mine\nwindow:\n  theme: light # at work\n";

/// Leads the page that can be driven to a page of the main window: the same bundle and the same gate.
async fn lead_to(page: &Page, place: &str) -> Result<()> {
    page.run("location.hash = arguments[0]; location.reload(); return true", json!([place])).await?;
    page.text(&test_id("main-window")).await.map(drop)
}

fn tab(section: &str) -> String {
    test_id(&format!("settings-tab-{section}"))
}

/// Waits until the file holds this.
async fn file_holds(window: &Window, part: &str) -> Result<String> {
    let file = window.home().path().join("config.yaml");
    let look = || async {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        Ok(text.contains(part).then_some(text))
    };
    eventually(&format!("config.yaml holds {part:?}"), LIMIT, look).await
}

async fn style(page: &Page, of: &str) -> Result<Value> {
    page.run("return getComputedStyle(document.documentElement).getPropertyValue(arguments[0])", json!([of])).await
}

#[tokio::test]
async fn a_setting_is_seen_at_once_stands_in_the_file_and_is_taken_back() -> Result<()> {
    let Some(window) = Window::with_config(CONFIG).await? else { return Ok(()) };
    let app = window.start_app()?;
    let page = window.page().await?;
    lead_to(&page, "#main/settings").await?;
    page.click(&tab("appearance")).await?;
    let size = test_id("setting-window-font-size-control");
    // One after the other: the button moves as the page grows.
    for larger in [15, 16, 17] {
        page.click(&test_id("setting-window-font-size-more")).await?;
        let grown = "return getComputedStyle(document.documentElement).fontSize === `${arguments[0]}px`";
        page.until(&format!("the page is {larger} pixels large"), grown, json!([larger])).await?;
        let text = file_holds(&window, &format!("font_size: {larger}")).await?;
        assert!(text.contains("# mine") && text.contains("theme: light # at work"), "the rest stays as it is: {text}");
        page.says(&test_id("settings-note"), "Saved: Font size").await?;
        let size = page.run("return getComputedStyle(document.documentElement).fontSize", json!([])).await?;
        assert_eq!(size, format!("{larger}px"), "and nothing goes back once it is saved");
    }

    // Behind the 17.
    page.write(&size, "9").await?;
    page.says(&test_id("setting-window-font-size-problem"), "from 11 to 24").await?;
    page.press(&[ESCAPE]).await?;
    page.counts(&test_id("setting-window-font-size-problem"), 0).await?;
    page.click(&test_id("settings-undo")).await?;
    page.says(&test_id("settings-note"), "Taken back").await?;
    page.until(
        "the page is smaller again",
        "return parseInt(getComputedStyle(document.documentElement).fontSize) < 17",
        json!([]),
    )
    .await?;

    page.click(&format!("label:has({})", test_id("setting-window-theme-dark"))).await?;
    file_holds(&window, "theme: dark # at work").await?;
    page.until("the page is dark", "return document.documentElement.dataset.theme === 'dark'", json!([])).await?;
    assert_eq!(style(&page, "color-scheme").await?, "dark", "all of it");
    assert_eq!(page.count(&test_id("fault")).await?, 0, "no view shows a fault");
    drop(app);
    Ok(())
}

#[tokio::test]
async fn what_others_change_is_said_and_can_be_taken_back_and_typing_goes_on() -> Result<()> {
    let Some(window) = Window::with_config("window:\n  theme: light\n  font_size: 14\n").await? else { return Ok(()) };
    let home = window.home();
    let app = window.start_app()?;
    let page = window.page().await?;
    lead_to(&page, "#main/settings").await?;
    page.click(&tab("appearance")).await?;
    page.write(&test_id("setting-window-font-size-control"), "9").await?;
    page.says(&test_id("setting-window-font-size-problem"), "from 11 to 24").await?;

    let file = home.path().join("config.yaml");
    std::fs::write(&file, "window:\n  theme: dark\n  font_size: 15\n")?;
    page.until("the window follows the file", "return document.documentElement.dataset.theme === 'dark'", json!([]))
        .await?;
    page.says(&test_id("setting-window-font-size-conflict"), "15").await?;
    let typed = "return document.querySelector(arguments[0]).value";
    assert_eq!(
        page.run(typed, json!([test_id("setting-window-font-size-control")])).await?,
        "149",
        "nothing of what is being typed is lost"
    );
    page.click(&test_id("setting-window-font-size-theirs")).await?;
    page.click(&tab("changes")).await?;
    page.says(&test_id("settings-page"), "Light → Dark").await?;
    page.click("//*[@data-testid='change'][@data-by='file'][.//*[text()='Theme']]//button").await?;
    file_holds(&window, "theme: light").await?;

    std::fs::write(&file, "window:\n\t- broken\n")?;
    page.says(&test_id("settings-problems"), "line 2").await?;
    page.click(&tab("file")).await?;
    page.says(&test_id("settings-file"), "config.yaml").await?;
    page.says(&test_id("settings-file-problems"), "line 2").await?;
    assert_eq!(std::fs::read_to_string(&file)?, "window:\n\t- broken\n", "what is broken is left as it is");
    drop(app);
    Ok(())
}

#[tokio::test]
async fn settings_are_imported_after_a_look_at_them() -> Result<()> {
    let Some(window) = Window::with_config(CONFIG).await? else { return Ok(()) };
    let app = window.start_app()?;
    let page = window.page().await?;
    lead_to(&page, "#main/settings").await?;
    for section in
        ["waiting", "notifications", "appearance", "voice", "sessions", "storage", "network", "changes", "file"]
    {
        page.click(&tab(section)).await?;
        page.counts(&format!("{}[aria-selected=\"true\"]", tab(section)), 1).await?;
        page.counts("[role=tabpanel]", 1).await?;
        window.picture(&page, &format!("settings-{section}")).await?;
    }
    page.write(&test_id("import-text"), "window: {font_size: 16}").await?;
    page.click(&test_id("import-look")).await?;
    page.says(&test_id("import-difference"), "16").await?;
    page.click(&test_id("import-apply")).await?;
    file_holds(&window, "font_size: 16").await?;
    page.click(&test_id("settings-export")).await?;
    page.says(&test_id("settings-exported"), "font_size: 16").await?;
    assert_eq!(page.count(&test_id("fault")).await?, 0, "no view shows a fault");
    drop(app);
    Ok(())
}

/// A folder for the person's own files, and the variables that say so.
fn persons_folder() -> Result<(tempfile::TempDir, Vec<(OsString, OsString)>)> {
    let folder = tempfile::tempdir()?;
    let place = |name: &str, path: PathBuf| (OsString::from(name), path.into_os_string());
    let env = vec![
        place("HOME", folder.path().to_owned()),
        place("XDG_CONFIG_HOME", folder.path().join(".config")),
        place("XDG_DATA_HOME", folder.path().join(".local/share")),
    ];
    Ok((folder, env))
}

#[tokio::test]
async fn a_client_is_connected_and_its_file_given_back() -> Result<()> {
    let (folder, env) = persons_folder()?;
    let Some(window) = Window::with_env(CONFIG, env).await? else { return Ok(()) };
    let file = folder.path().join(".cursor/mcp.json");
    std::fs::create_dir_all(file.parent().context("a folder")?)?;
    let before = "{\n  // mine\n  \"mcpServers\": {}\n}\n";
    std::fs::write(&file, before)?;
    let app = window.start_app()?;
    let page = window.page().await?;
    lead_to(&page, "#main/connect").await?;
    let row = test_id("client-cursor");
    page.click(&format!("{row} {}", test_id("client-connect"))).await?;
    page.says(&test_id("client-diff"), "review-gate").await?;
    assert_eq!(std::fs::read_to_string(&file)?, before, "a look writes nothing");
    window.picture(&page, "connect-plan").await?;
    page.click(&test_id("client-confirm")).await?;
    page.says(&test_id("client-done"), "connected").await?;
    let written = std::fs::read_to_string(&file)?;
    assert!(written.contains("// mine") && written.contains("\"review-gate\""), "the rest stays: {written}");

    page.click(&format!("{row} {}", test_id("client-disconnect"))).await?;
    page.says(&test_id("client-diff"), "review-gate").await?;
    page.click(&test_id("client-confirm")).await?;
    page.says(&test_id("client-done"), "disconnected").await?;
    assert_eq!(std::fs::read_to_string(&file)?, before, "the same bytes as before");
    drop(app);
    Ok(())
}

#[tokio::test]
async fn the_doctor_looks_and_says_what_it_found() -> Result<()> {
    let (folder, env) = persons_folder()?;
    let Some(window) = Window::with_env(CONFIG, env).await? else { return Ok(()) };
    let file = folder.path().join(".cursor/mcp.json");
    std::fs::create_dir_all(file.parent().context("a folder")?)?;
    let missing = json!({"mcpServers": {"review-gate": {"command": "/nowhere/review-gate", "args": ["mcp"]}}});
    std::fs::write(&file, missing.to_string())?;
    let app = window.start_app()?;
    let page = window.page().await?;
    lead_to(&page, "#main/doctor").await?;
    page.says(&test_id("doctor-fault"), "/nowhere/review-gate").await?;
    page.says(&test_id("doctor-state"), "findings in").await?;
    let verdict = page.text(&test_id("doctor-verdict")).await?;
    assert!(verdict.contains("work"), "{verdict}");
    let shown = page.text(&test_id("doctor-page")).await?;
    assert!(!shown.contains(&folder.path().display().to_string()), "the person's folder isn't named: {shown}");
    window.picture(&page, "doctor").await?;
    drop(app);
    Ok(())
}
