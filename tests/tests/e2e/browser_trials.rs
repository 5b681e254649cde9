//! A newcomer's way through everything that a request and the record offer, in a real browser: once with
//! nothing but the keyboard, once with nothing but the pointer and the letters that are typed. What the
//! agent gets is the same.

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_tests::{Agent, Browser, CONTROL, DOWN, ENTER, Home, RIGHT, SHIFT, Serve, TAB, test_id};
use serde_json::{Value, json};

/// Waits long, so that no `pending` comes in between.
const PATIENT: &str = "claude-code";

const MESSAGE: &str = "## Plan\n\nWe use two queues for the work.\n\nOne of them is for urgent work only.";

const DIFF: &str = "--- a/src/queue.rs
+++ b/src/queue.rs
@@ -1,3 +1,5 @@
 fn queue() {
-    one();
+    urgent();
+    patient();
+    late();
 }
";

/// A picture of 64 by 64 pixels, all of one blue.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAABGdBTUEAALGPC/xhBQAAACBjSFJNAAB6JgAAgIQAAPoAAACA6AAAdTAAAOpgAAA6mAAAF3CculE8AAAABmJLR0QA/wD/AP+gvaeTAAAAB3RJTUUH6gsVEh4gm5Fs8QAAAHpJREFUaN7tz0ENwCAAwEBAPVowyUTwuCxpFVznPnf8uaUBDWhAAxrQgAY0oAENaEADGtCABjSgAQ1oQAMa0IAGNKABDWhAAxrQgAY0oAENaEADGtCABjSgAQ1oQAMa0IAGNKABDWhAAxrQgAY0oAENaEADGtCABrz2Af6CArFBuhPjAAAAJXRFWHRkYXRlOmNyZWF0ZQAyMDI2LTExLTIxVDE4OjMwOjMyKzAwOjAw8ULE6gAAACV0RVh0ZGF0ZTptb2RpZnkAMjAyNi0xMS0yMVQxODozMDozMiswMDowMIAffFYAAAAASUVORK5CYII=";

/// More stops than any page has.
const STOPS: usize = 80;

/// A browser that a person has signed in, and an agent that has asked.
struct Trial {
    browser: Browser,
    agent: Agent,
    call: i64,
    picture: String,
    _gate: Serve,
}

impl Trial {
    async fn begin() -> Result<Option<Self>> {
        let home = Home::with_config("network:\n  port: 0\nwindow:\n  undo_seconds: 0\n")?;
        let gate = home.serve().await?;
        let Some(browser) = Browser::start(&home).await? else { return Ok(None) };
        browser.go(home.link().await?.as_str().context("a link")?).await?;
        browser.counts(&test_id("main-window"), 1).await?;
        let picture = home.folder().join("layout.png");
        std::fs::write(&picture, STANDARD.decode(PICTURE)?)?;
        let agent = Agent::start(&home, PATIENT).await?;
        let options = json!(["Keep both", "Drop one"]);
        let ask = json!({
            "message": MESSAGE, "title": "Two queues?", "approval": true, "diff": DIFF, "options": options,
        });
        let call = agent.call(ask).await?;
        browser.shows("Two queues?").await?;
        browser.counts("[data-commentable]", 1).await?;
        let picture = picture.display().to_string();
        Ok(Some(Self { browser, agent, call, picture, _gate: gate }))
    }

    /// Gives the picture to the system's dialog for files, which no page and no driver sees.
    async fn pick(&self) -> Result<()> {
        self.browser.write(&test_id("attach-input"), &self.picture).await?;
        self.browser.counts(&format!("{}[data-state=\"ready\"]", test_id("attachment")), 1).await
    }

    /// What the agent gets, whichever way it was said.
    async fn answered(&self) -> Result<()> {
        let said = self.agent.outcome(self.call).await?;
        assert_eq!((&said["decision"], &said["text"]), (&json!("approved"), &json!("Both, then.")), "{said}");
        assert_eq!(said["selected"], json!(["Keep both"]));
        let quote = "One of them is for urgent work only.";
        assert_eq!(said["remarks"], json!([{"quote": quote, "body": "Say so in the docs."}]));
        assert_eq!(
            said["comments"],
            json!([{"file": "src/queue.rs", "start_line": 2, "line": 3, "side": "new", "body": "In this order?"}])
        );
        let files = said["attachments"].as_array().context("attachments")?;
        assert_eq!(files.len(), 1, "the picture that was drawn on, and not the other: {files:?}");
        assert_eq!(files[0]["name"], "layout-annotated.png");
        Ok(())
    }

    /// The export that was found holds what was said.
    async fn exported(&self) -> Result<()> {
        let rows = self.browser.text(&test_id("conversation-title")).await?;
        assert_eq!(rows, "Two queues?", "the conversation that was searched for is the one that is shown");
        let text = self.browser.downloaded("two-queues-claude-code-", ".md").await?;
        assert!(text.contains("Both, then.") && text.contains("Say so in the docs."), "all that was said: {text}");
        Ok(())
    }

    /// Presses Tab until an element has the focus: a way that needs no other key.
    async fn tab_to(&self, selector: &str) -> Result<()> {
        let mut stops: Vec<Value> = Vec::new();
        for _ in 0..STOPS {
            let script =
                "const at = document.activeElement; return at?.matches(arguments[0]) || at?.outerHTML.slice(0, 60)";
            let stop = self.browser.run(script, json!([selector])).await?;
            if stop == true {
                return Ok(());
            }
            stops.push(stop);
            self.browser.press(&[TAB]).await?;
        }
        bail!("Tab never comes to {selector}; it comes to {stops:#?}")
    }
}

#[tokio::test]
async fn with_nothing_but_the_keyboard() -> Result<()> {
    let Some(trial) = Trial::begin().await? else { return Ok(()) };
    let page = &trial.browser;
    page.focus_on("inbox-list").await?;

    // A passage: Tab leads to the message, the arrows through its paragraphs, Enter comments on one.
    trial.tab_to(".message").await?;
    for _ in 0..3 {
        page.press(&[DOWN]).await?;
    }
    page.counts(&test_id("passage-bubble"), 1).await?;
    page.press(&[ENTER]).await?;
    page.focus_on("remark-text").await?;
    page.type_text("Say so in the docs.").await?;
    page.press(&[CONTROL, ENTER]).await?;
    page.counts(&test_id("remark-text"), 0).await?;

    // Two lines: Tab leads to the changes, the arrows along the lines, with Shift over several.
    trial.tab_to(&test_id("diff")).await?;
    let here = "const { side, line } = document.querySelector('[data-testid=\"diff-row\"].here')?.dataset ?? {};
        return side === 'new' && line === '2'";
    let mut presses = 0;
    while page.run(here, json!([])).await? != true {
        page.press(&[DOWN]).await?;
        presses += 1;
        assert!(presses < STOPS, "the arrows come to every line");
    }
    page.press(&[SHIFT, DOWN]).await?;
    page.press(&[ENTER]).await?;
    page.focus_on("comment-text").await?;
    page.type_text("In this order?").await?;
    page.press(&[CONTROL, ENTER]).await?;
    page.focus_on("diff").await?;

    page.press(&['1']).await?;
    trial.tab_to(&test_id("reply-text")).await?;
    page.type_text("Both, then.").await?;
    trial.tab_to("[aria-label=\"Attach files\"]").await?;
    trial.pick().await?;
    trial.tab_to(&test_id("attachment-draw")).await?;
    page.press(&[ENTER]).await?;
    page.focus_on("draw-canvas").await?;
    page.press(&['b']).await?;
    page.press(&[' ']).await?;
    page.press(&[SHIFT, RIGHT]).await?;
    page.press(&[SHIFT, DOWN]).await?;
    page.press(&[' ']).await?;
    page.press(&[CONTROL, ENTER]).await?;
    page.counts(&test_id("attachment-restore"), 1).await?;
    page.send_by_keys("Two queues?", &[SHIFT]).await?;
    trial.answered().await?;

    // The record: by its own key, the search by another, and Tab to what can be done with what was found.
    page.press(&['g']).await?;
    page.press(&['h']).await?;
    page.focus_on("history-list").await?;
    page.press(&['/']).await?;
    page.focus_on("search").await?;
    page.type_text("urgent").await?;
    page.counts(&format!("{} mark", test_id("hit")), 1).await?;
    page.press(&[ENTER]).await?;
    page.focus_on("history-list").await?;
    trial.tab_to(&test_id("export")).await?;
    page.press(&[ENTER]).await?;
    page.focus_on("export-markdown").await?;
    page.press(&[ENTER]).await?;
    trial.exported().await
}

#[tokio::test]
async fn with_nothing_but_the_pointer() -> Result<()> {
    let Some(trial) = Trial::begin().await? else { return Ok(()) };
    let page = &trial.browser;

    page.mark(&test_id("message"), "One of them is for urgent work only.").await?;
    page.click(&test_id("passage-comment")).await?;
    page.focus_on("remark-text").await?;
    page.type_text("Say so in the docs.").await?;
    page.click(&test_id("remark-save")).await?;

    let gutter = |line: u32| format!("{}[data-side=\"new\"][data-line=\"{line}\"] .gutter", test_id("diff-row"));
    page.drag_between((&gutter(2), [0.5, 0.5]), (&gutter(3), [0.5, 0.5])).await?;
    page.focus_on("comment-text").await?;
    page.type_text("In this order?").await?;
    page.click(&test_id("comment-save")).await?;

    page.click(&test_id("option-1")).await?;
    page.click(&test_id("reply-text")).await?;
    page.type_text("Both, then.").await?;
    trial.pick().await?;
    page.click(&test_id("attachment-draw")).await?;
    page.click(&test_id("tool-arrow")).await?;
    let canvas = test_id("draw-canvas");
    page.drag_between((&canvas, [0.2, 0.2]), (&canvas, [0.8, 0.7])).await?;
    page.click(&test_id("draw-done")).await?;
    page.counts(&test_id("attachment-restore"), 1).await?;
    page.press_button("approve").await?;
    trial.answered().await?;

    page.click(&test_id("nav-history")).await?;
    page.click(&test_id("search")).await?;
    page.type_text("urgent").await?;
    page.counts(&format!("{} mark", test_id("hit")), 1).await?;
    page.click(&test_id("entry")).await?;
    page.click(&test_id("export")).await?;
    page.click(&test_id("export-markdown")).await?;
    trial.exported().await
}
