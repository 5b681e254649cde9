//! The main job, end to end: a client that this project did not write asks, a person answers in the
//! real window by clicks and keys, and the client gets exactly that.

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_tests::{Client, Official, Page, SHIFT, Window, test_id};
use serde_json::{Value, json};

const STATELESS: &str = "2026-07-28";
const INITIALIZE: &str = "2025-11-25";

/// Pictures of one pixel: red, green and blue.
const PICKED: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
const DROPPED: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNg+M8AAAICAQBF9FLUAAAAAElFTkSuQmCC";
const PASTED: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNgYPgPAAEDAQA2dBFAAAAAAElFTkSuQmCC";

const DIFF: &str = "--- a/src/a.rs
+++ b/src/a.rs
@@ -1,3 +1,3 @@
 fn a() {
-    one();
+    two();
 }
";

/// One conversation, with each kind of answer in it.
struct Conversation {
    window: Window,
    client: Client,
    page: Page,
}

impl Conversation {
    /// Asks the first question, which is what starts the app and brings up its window.
    async fn begin(official: Official, arguments: Value) -> Result<Option<Self>> {
        let Some(window) = Window::at_once().await? else { return Ok(None) };
        let Some(mut client) = Client::start(official, window.home()).await? else { return Ok(None) };
        client.call(&arguments).await?;
        let page = window.page().await?;
        Ok(Some(Self { window, client, page }))
    }

    /// The result of what was asked, its fields that differ from run to run taken out.
    async fn result(&mut self) -> Result<(Value, Vec<Value>)> {
        let mut result = self.client.result().await?;
        assert_eq!(result["error"], false, "an answer is no error: {result}");
        let outcome = result["structured"].as_object_mut().context("a result has its structured part")?;
        for field in ["session_uuid", "request_id", "digest", "receipt", "answered_at"] {
            outcome.remove(field).with_context(|| format!("an outcome has its {field}"))?;
        }
        // That scripts may answer in the tests' homes.
        outcome.remove("asides");
        let content = result["content"].as_array().cloned().context("a result has its content")?;
        Ok((result["structured"].take(), content))
    }
}

fn kinds(content: &[Value]) -> Vec<&str> {
    content.iter().map(|block| block["type"].as_str().unwrap_or_default()).collect()
}

fn text(content: &[Value]) -> &str {
    content.first().and_then(|block| block["text"].as_str()).unwrap_or_default()
}

/// Everything that a person can give back, in one conversation of one client.
async fn every_kind_of_answer(official: Official, protocol: &str) -> Result<()> {
    let ask = json!({"message": "Which **name**?", "title": "Name of the flag"});
    let Some(mut talk) = Conversation::begin(official, ask).await? else { return Ok(()) };
    let connected = talk.client.connected.clone();
    assert_eq!(connected, json!({"protocol": protocol, "tools": gate_tests::TOOLS}), "both sides have agreed");

    typed_text(&mut talk).await?;
    chosen_options(&mut talk).await?;
    approval(&mut talk).await?;
    changes_with_comments(&mut talk).await?;
    images(&mut talk).await
}

async fn typed_text(talk: &mut Conversation) -> Result<()> {
    talk.page.shows("Name of the flag").await?;
    talk.window.display().window_in_front().await?;
    let reply = "Neither: `--preview`, as größer tools do.";
    talk.page.write(&test_id("reply-text"), reply).await?;
    talk.page.send_by_keys("Name of the flag", &[]).await?;
    let (outcome, content) = talk.result().await?;
    assert_eq!(
        outcome,
        json!({
            "status": "answered", "decision": null, "text": reply, "selected": [],
            "comments": [], "attachments": [], "answered_from": "desktop", "assurance": "L1",
        }),
        "the agent gets what was typed, and that it came from the window"
    );
    assert_eq!(kinds(&content), ["text"], "text is all that was given");
    assert!(text(&content).starts_with(reply), "a model reads the reply first: {content:?}");
    Ok(())
}

async fn chosen_options(talk: &mut Conversation) -> Result<()> {
    let options = json!(["SQLite", {"label": "sled", "description": "younger", "recommended": true}, "files"]);
    talk.client.call(&json!({"message": "m", "title": "Clicked", "options": options})).await?;
    talk.page.shows("Clicked").await?;
    talk.page.click(&test_id("option-2")).await?;
    talk.page.press_button("send").await?;
    let (outcome, _) = talk.result().await?;
    assert_eq!(outcome["selected"], json!(["sled"]), "the option that was clicked on");
    assert_eq!((&outcome["text"], &outcome["decision"]), (&json!(""), &Value::Null), "and nothing else");

    talk.client.call(&json!({"message": "m", "title": "Keyed", "options": options})).await?;
    talk.page.shows("Keyed").await?;
    talk.page.press(&['3']).await?;
    talk.page
        .until("the choice", "return document.querySelector('[data-testid=\"option-3\"] input').checked", json!([]))
        .await?;
    talk.page.send_by_keys("Keyed", &[]).await?;
    let (outcome, content) = talk.result().await?;
    assert_eq!(outcome["selected"], json!(["files"]), "the option whose number was pressed");
    assert!(text(&content).starts_with("Chosen: files"), "a model reads the choice: {content:?}");
    Ok(())
}

async fn approval(talk: &mut Conversation) -> Result<()> {
    talk.client.call(&json!({"message": "Deploy?", "title": "Deploy", "approval": true})).await?;
    talk.page.shows("Deploy").await?;
    talk.page.send_by_keys("Deploy", &[SHIFT]).await?;
    let (outcome, content) = talk.result().await?;
    assert_eq!(
        outcome,
        json!({
            "status": "answered", "decision": "approved", "text": "", "selected": [],
            "comments": [], "attachments": [], "answered_from": "desktop", "assurance": "L1",
        }),
        "Ctrl+Shift+Enter approves and says nothing else"
    );
    assert!(text(&content).starts_with("APPROVED"), "a model reads the approval first: {content:?}");
    Ok(())
}

async fn changes_with_comments(talk: &mut Conversation) -> Result<()> {
    let page = &talk.page;
    talk.client.call(&json!({"message": "m", "title": "Patch", "approval": true, "diff": DIFF})).await?;
    page.shows("Patch").await?;
    for (side, line, body) in [("new", 2, "Why two?"), ("old", 2, "This was right.")] {
        let row = format!("{}[data-side=\"{side}\"][data-line=\"{line}\"]", test_id("diff-row"));
        page.click(&format!("{row} {}", test_id("comment-add"))).await?;
        page.write(&test_id("comment-text"), body).await?;
        page.click(&test_id("comment-save")).await?;
        page.counts(&test_id("comment-text"), 0).await?;
    }
    page.write(&test_id("reply-text"), "See the lines.").await?;
    page.press_button("request-changes").await?;
    let (outcome, content) = talk.result().await?;
    assert_eq!(
        outcome,
        json!({
            "status": "answered", "decision": "changes_requested", "text": "See the lines.", "selected": [],
            "comments": [
                {"file": "src/a.rs", "line": 2, "side": "new", "body": "Why two?"},
                {"file": "src/a.rs", "line": 2, "side": "old", "body": "This was right."},
            ],
            "attachments": [], "answered_from": "desktop", "assurance": "L1",
        }),
        "each comment names the line whose button was clicked on"
    );
    assert!(text(&content).contains("src/a.rs:2: Why two?"), "a model reads the comments too: {content:?}");
    Ok(())
}

/// A picture comes by the file picker, by drop and by paste, and arrives byte for byte.
async fn images(talk: &mut Conversation) -> Result<()> {
    let page = &talk.page;
    let ready = format!("{}[data-state=\"ready\"]", test_id("attachment"));
    talk.client.call(&json!({"message": "m", "title": "Picture"})).await?;
    page.shows("Picture").await?;

    let file = talk.window.home().folder().join("picked.png");
    std::fs::write(&file, STANDARD.decode(PICKED)?)?;
    page.write(&test_id("attach-input"), &file.display().to_string()).await?;
    page.counts(&ready, 1).await?;

    let drop = "const bytes = Uint8Array.from(atob(arguments[0]), (char) => char.charCodeAt(0));
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([bytes], 'dropped.png', { type: 'image/png' }));
        for (const type of ['dragenter', 'dragover', 'drop'])
          document.querySelector('main').dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));";
    page.run(drop, json!([DROPPED])).await?;
    page.counts(&ready, 2).await?;

    talk.window.display().copy("image/png", &STANDARD.decode(PASTED)?).await?;
    page.click(&test_id("reply-text")).await?;
    talk.window.display().window_in_front().await?;
    talk.window.display().press("ctrl+v").await?;
    page.counts(&ready, 3).await?;

    page.write(&test_id("reply-text"), "Look.").await?;
    page.send_by_keys("Picture", &[]).await?;
    let (outcome, content) = talk.result().await?;
    assert_eq!(kinds(&content), ["text", "image", "image", "image"], "a model sees each picture");
    for (block, sent) in content.iter().skip(1).zip([PICKED, DROPPED, PASTED]) {
        assert_eq!(
            (&block["mimeType"], &block["data"]),
            (&json!("image/png"), &json!(sent)),
            "a picture arrives as it is, in the order it was attached"
        );
    }
    let attachments = outcome["attachments"].as_array().context("a list of attachments")?;
    let names: Vec<_> = attachments.iter().map(|attachment| attachment["name"].clone()).collect();
    assert_eq!(names.get(..2), Some([json!("picked.png"), json!("dropped.png")].as_slice()), "files keep their names");
    assert_eq!((attachments.len(), &outcome["text"]), (3, &json!("Look.")), "three pictures and the text");
    Ok(())
}

#[tokio::test]
async fn the_python_client_gets_every_kind_of_answer() -> Result<()> {
    every_kind_of_answer(Official::Python, STATELESS).await
}

#[tokio::test]
async fn the_python_client_gets_them_after_initialize_too() -> Result<()> {
    every_kind_of_answer(Official::PythonInitialize, INITIALIZE).await
}

#[tokio::test]
async fn the_typescript_client_gets_every_kind_of_answer() -> Result<()> {
    every_kind_of_answer(Official::TypeScript, STATELESS).await
}

#[tokio::test]
async fn the_typescript_sdk_gets_them_after_initialize_too() -> Result<()> {
    every_kind_of_answer(Official::TypeScriptSdk, INITIALIZE).await
}
