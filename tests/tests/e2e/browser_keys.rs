//! Security keys by way of a real browser (WebAuthn), with keys that have no device: they are enrolled on the gate's page,
//! and touched there.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Browser, Home, Serve, Touched, test_id};
use serde_json::{Value, json};

/// Waits long, so that no `pending` comes in between.
const PATIENT: &str = "claude-code";

/// Approvals take a key.
const L3: &str = "network:\n  port: 0\nsecurity:\n  require: L3\n";

/// A browser that is signed in, and an agent. Whatever it asks to have approved takes a touch.
struct Scene {
    home: Home,
    browser: Browser,
    agent: Agent,
    /// Where the page is.
    page: String,
    _gate: Serve,
}

impl Scene {
    async fn begin() -> Result<Option<Self>> {
        let home = Home::with_config(L3)?;
        let gate = home.serve().await?;
        let Some(browser) = Browser::start(&home).await? else { return Ok(None) };
        let link = home.link().await?.as_str().context("a link")?.to_owned();
        let page = link.split_once("/#").context("a link to a page")?.0.to_owned();
        browser.go(&link).await?;
        browser.counts(&test_id("main-window"), 1).await?;
        let agent = Agent::start(&home, PATIENT).await?;
        Ok(Some(Self { home, browser, agent, page, _gate: gate }))
    }

    /// Adds the key that is plugged in, in the settings.
    async fn enrol(&self, name: &str) -> Result<()> {
        let page = &self.browser;
        page.click(&test_id("nav-settings")).await?;
        page.click(&test_id("settings-tab-keys")).await?;
        page.write(&test_id("security-page-name"), name).await?;
        page.click(&test_id("security-page-add")).await?;
        page.says(&test_id("security-confirm"), "Whoever touches it can approve for you at L3.").await?;
        page.click(&test_id("security-page-yes")).await
    }

    /// Has the agent ask, and shows it.
    async fn asks(&self, title: &str) -> Result<i64> {
        let call = self.agent.call(json!({"message": "May I?", "title": title, "approval": true})).await?;
        self.browser.click(&test_id("nav-inbox")).await?;
        self.browser.shows(title).await?;
        Ok(call)
    }

    /// What was given, the newest first.
    async fn receipts(&self) -> Result<Vec<Value>> {
        let listed = self.home.run(["receipts", "--json"]).await?.json()?;
        listed.as_array().cloned().context("a list")
    }

    /// The request waits, with what was written, and nothing was given but this many replies.
    async fn waits_still(&self, given: usize) -> Result<()> {
        assert_eq!(self.home.pending().await?.len(), 1, "it waits for its person");
        assert_eq!(self.browser.written().await?, "Go on.", "what was written is there");
        assert_eq!(self.receipts().await?.len(), given, "nothing was given");
        Ok(())
    }
}

#[tokio::test]
async fn a_key_that_is_touched_on_the_page_signs_the_receipt_and_it_verifies() -> Result<()> {
    let Some(scene) = Scene::begin().await? else { return Ok(()) };
    let Scene { home, browser, agent, page, .. } = &scene;
    let call = scene.asks("Deploy").await?;
    browser.says(&test_id("level"), "none is enrolled").await?;
    browser.plug_in(Touched::AtOnce).await?;
    scene.enrol("the green one").await?;
    browser.says(&test_id("security-key"), "the green one").await?;
    browser.says(&test_id("security-key"), page).await?;
    let needs = home.pending().await?[0]["needs"].clone();
    let there = format!("Your security key works on the gate’s page in the browser, {page}: approve there.");
    assert_eq!(needs, json!({"level": "L3", "missing": there}), "elsewhere it is told where");

    browser.click(&test_id("nav-inbox")).await?;
    browser.says(&test_id("level"), "This takes a touch of your security key (L3).").await?;
    browser.press_button("approve").await?;
    let result = agent.result(call).await?;
    let text = result["content"][0]["text"].as_str().context("a text")?;
    assert!(text.starts_with("APPROVED by the person on the gate's page, with a security key (L3)."), "{text}");
    let outcome = &result["structuredContent"];
    assert_eq!((&outcome["assurance"], &outcome["decision"]), (&json!("L3"), &json!("approved")), "{outcome}");
    let receipt = outcome["receipt"].as_str().context("a receipt")?;
    home.run(["verify", receipt, "--require", "L3"]).await?.succeeded()?;
    assert_eq!(scene.receipts().await?[0]["receipt"]["level"], "L3");
    let log = std::fs::read_to_string(home.path().join("receipts.log"))?;
    let line = log.lines().find(|line| line.contains("\"decided\"")).context("its line")?;
    let line: Value = serde_json::from_str(line)?;
    assert_eq!(line["proof"]["type"], "webauthn", "{line}");

    // The same key again: its counter goes on.
    let call = scene.asks("Deploy again").await?;
    browser.press_button("approve").await?;
    assert_eq!(agent.outcome(call).await?["assurance"], "L3");
    let status = home.run(["status"]).await?.succeeded()?.stdout;
    assert!(!status.contains("elsewhere since"), "it signed nothing for others: {status}");
    Ok(())
}

#[tokio::test]
async fn a_touch_that_is_refused_is_another_keys_or_a_copys_leaves_the_request_open() -> Result<()> {
    let Some(scene) = Scene::begin().await? else { return Ok(()) };
    let Scene { home, browser, agent, .. } = &scene;
    let own = browser.plug_in(Touched::AtOnce).await?;
    scene.enrol("mine").await?;
    browser.says(&test_id("security-key"), "mine").await?;
    let before = browser.unplug(&own).await?;

    // Nobody touches it: the person gives up.
    let untouched = browser.plug_in(Touched::Never).await?;
    browser.copy_to(&untouched, &before).await?;
    let call = scene.asks("Deploy").await?;
    browser.write(&test_id("reply-text"), "Go on.").await?;
    browser.draft_saved().await?;
    browser.press_button("approve").await?;
    browser.says(&test_id("level"), "Touch your security key…").await?;
    browser.click(&test_id("level-cancel")).await?;
    browser.says(&test_id("fault"), "It was cancelled.").await?;
    scene.waits_still(0).await?;
    browser.unplug(&untouched).await?;

    // Another key than the one that is enrolled.
    let other = browser.plug_in(Touched::AtOnce).await?;
    browser.press_button("approve").await?;
    browser.says(&test_id("fault"), "the key wasn't touched").await?;
    scene.waits_still(0).await?;
    browser.unplug(&other).await?;

    // The right one.
    let own = browser.plug_in(Touched::AtOnce).await?;
    browser.copy_to(&own, &before).await?;
    browser.press_button("approve").await?;
    assert_eq!(agent.outcome(call).await?["assurance"], "L3", "and it can be approved");
    browser.unplug(&own).await?;

    // One that was copied before that counts less.
    let copy = browser.plug_in(Touched::AtOnce).await?;
    browser.copy_to(&copy, &before).await?;
    let call = scene.asks("Deploy again").await?;
    browser.write(&test_id("reply-text"), "Go on.").await?;
    browser.draft_saved().await?;
    browser.press_button("approve").await?;
    browser.says(&test_id("fault"), "it was copied, or this is an old signature").await?;
    scene.waits_still(1).await?;
    // Changes take no touch.
    browser.press_button("request-changes").await?;
    assert_eq!(agent.outcome(call).await?["decision"], "changes_requested");
    assert_eq!(home.pending().await?.len(), 0);
    Ok(())
}

#[tokio::test]
async fn a_page_at_another_name_of_this_machine_says_where_keys_are_touched() -> Result<()> {
    let Some(scene) = Scene::begin().await? else { return Ok(()) };
    let Scene { home, browser, page, .. } = &scene;
    browser.plug_in(Touched::AtOnce).await?;
    scene.enrol("mine").await?;
    browser.says(&test_id("security-key"), "mine").await?;
    let link = home.link().await?.as_str().context("a link")?.replace("localhost", "127.0.0.1");
    browser.go(&link).await?;
    browser.counts(&test_id("main-window"), 1).await?;
    scene.asks("Deploy").await?;
    let says = format!("Security keys work on the page at {page} only");
    browser.says(&test_id("level"), &says).await?;
    browser.counts(&format!("{}:disabled", test_id("approve")), 1).await?;
    browser.click(&test_id("nav-settings")).await?;
    browser.click(&test_id("settings-tab-keys")).await?;
    browser.says(&test_id("security-page-barred"), &says).await?;
    Ok(())
}
