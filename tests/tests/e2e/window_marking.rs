//! Reading closely in the real window: passages of a message and ranges of lines are marked with the
//! pointer and with the keys, and the agent gets what was said with what it was said about; what is new
//! since the last answer; both sides of a diff beside each other.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, CONTROL, DOWN, ENTER, SHIFT, Window, test_id};
use serde_json::json;

/// Waits long, so that no `pending` comes in between.
const PATIENT: &str = "claude-code";

const MESSAGE: &str = "## Plan\n\nWe use two queues for the work.\n\nOne of them is for urgent work only.";

const DIFF: &str = "--- a/src/queue.rs
+++ b/src/queue.rs
@@ -1,4 +1,6 @@
 fn queue() {
-    one();
+    urgent();
+    patient();
+    late();
     drain();
 }
";

/// The number of a line, where comments on it are begun.
fn gutter(side: &str, line: u32) -> String {
    format!("{}[data-side=\"{side}\"][data-line=\"{line}\"] .gutter", test_id("diff-row"))
}

#[tokio::test]
async fn passages_and_ranges_are_commented_by_pointer_and_by_keys_and_reach_the_agent() -> Result<()> {
    let Some(window) = Window::at_once().await? else { return Ok(()) };
    let home = window.home();
    let agent = Agent::start(home, PATIENT).await?;
    let call = agent.call(json!({"message": MESSAGE, "title": "Queues", "approval": true, "diff": DIFF})).await?;
    let page = window.page().await?;
    page.shows("Queues").await?;
    window.display().window_in_front().await?;
    page.counts("[data-commentable]", 1).await?;

    // A passage, with the pointer: what is marked offers what can be done with it.
    page.mark(&test_id("message"), "two queues").await?;
    page.says(&test_id("passage-bubble"), "Comment").await?;
    page.click(&test_id("passage-comment")).await?;
    page.focus_on("remark-text").await?;
    page.type_text("One is enough.").await?;
    page.click(&test_id("remark-save")).await?;
    page.says(&test_id("remark"), "One is enough.").await?;

    // The next, with keys alone: the block that was commented has them now.
    page.press(&['n']).await?;
    page.press(&['c']).await?;
    page.focus_on("remark-text").await?;
    page.type_text("Then say so.").await?;
    page.press(&[CONTROL, ENTER]).await?;
    page.counts(&test_id("remark"), 2).await?;
    page.counts(&test_id("remark-text"), 0).await?;
    assert_eq!(home.pending().await?.len(), 1, "the keys that end a comment answer nothing");

    // Lines, with the pointer along their numbers; then with Shift and the arrows.
    page.drag_between((&gutter("new", 2), [0.5, 0.5]), (&gutter("new", 3), [0.5, 0.5])).await?;
    page.focus_on("comment-text").await?;
    page.type_text("Both of them?").await?;
    page.press(&[CONTROL, ENTER]).await?;
    page.focus_on("diff").await?;
    page.click(&format!("{}[data-line=\"4\"] .text", test_id("diff-row"))).await?;
    page.press(&[SHIFT, DOWN]).await?;
    page.press(&[ENTER]).await?;
    page.focus_on("comment-text").await?;
    page.type_text("In this order.").await?;
    page.click(&test_id("comment-save")).await?;
    page.counts(&test_id("comment-text"), 0).await?;
    page.says(&test_id("goes-along"), "4 comments").await?;

    page.press_button("request-changes").await?;
    let result = agent.result(call).await?;
    let said = &result["structuredContent"];
    assert_eq!(said["decision"], "changes_requested");
    assert_eq!(
        said["remarks"],
        json!([
            {"quote": "two queues", "body": "One is enough."},
            {"quote": "One of them is for urgent work only.", "body": "Then say so."},
        ]),
        "each remark comes with the words that it is about"
    );
    assert_eq!(
        said["comments"],
        json!([
            {"file": "src/queue.rs", "start_line": 2, "line": 3, "side": "new", "body": "Both of them?"},
            {"file": "src/queue.rs", "start_line": 4, "line": 5, "side": "new", "body": "In this order."},
        ]),
        "each comment names its first and its last line"
    );
    let text = result["content"][0]["text"].as_str().context("a model reads the reply")?;
    assert!(text.contains("> two queues\n\nOne is enough."), "the passage is quoted before the remark: {text}");
    assert!(text.contains("src/queue.rs lines 2-3: Both of them?"), "the range is named: {text}");
    Ok(())
}

#[tokio::test]
async fn a_second_diff_shows_what_is_new_since_the_answer_and_both_sides_beside_each_other() -> Result<()> {
    let Some(window) = Window::at_once().await? else { return Ok(()) };
    let agent = Agent::start(window.home(), PATIENT).await?;
    let same = "--- a/src/same.rs\n+++ b/src/same.rs\n@@ -9 +9 @@\n-before\n+after\n";
    let call = agent.call(json!({"message": "m", "title": "First", "diff": format!("{DIFF}{same}")})).await?;
    let page = window.page().await?;
    page.shows("First").await?;
    window.display().window_in_front().await?;
    window.display().move_window([0, 0, 1270, 960]).await?;
    page.counts(&test_id("diff-fresh"), 0).await?;
    page.write(&test_id("reply-text"), "Not the late one.").await?;
    page.press_button("send").await?;
    let session = agent.outcome(call).await?["session_uuid"].clone();

    let changed = DIFF.replace("late();", "never();");
    let again = json!({
        "message": "m", "title": "Second", "diff": format!("{changed}{same}"), "session_uuid": session,
    });
    let call = agent.call(again).await?;
    page.shows("Second").await?;
    window.display().window_in_front().await?;
    page.says(&test_id("diff-fresh"), "1 of 2").await?;
    page.click(&test_id("diff-fresh")).await?;
    page.counts(&test_id("diff-file"), 1).await?;
    let fresh = "return [...document.querySelectorAll('[data-testid=\"diff-row\"].fresh .text')].map((text) => text.innerText.trim())";
    assert_eq!(page.run(fresh, json!([])).await?, json!(["never();"]), "only what the person hasn't seen is marked");

    page.click(&test_id("diff")).await?;
    page.press(&['t']).await?;
    page.counts(&format!("{}[aria-pressed=\"true\"]", test_id("diff-split")), 1).await?;
    let beside =
        "const box = (side) => document.querySelector(`[data-testid='diff-row'][data-side='${side}'][data-line='2']`)
          ?.getBoundingClientRect();
        const [was, is] = [box('old'), box('new')];
        return was && is && was.right <= is.left + 1 && Math.abs(was.top - is.top) < 1";
    page.until("the old line beside the new one", beside, json!([])).await?;

    // On the old side, too, lines are commented.
    page.drag_between((&gutter("old", 2), [0.5, 0.5]), (&gutter("old", 2), [0.6, 0.6])).await?;
    page.focus_on("comment-text").await?;
    page.type_text("Keep this.").await?;
    page.press(&[CONTROL, ENTER]).await?;
    page.press_button("send").await?;
    let comments = agent.outcome(call).await?["comments"].take();
    assert_eq!(comments, json!([{"file": "src/queue.rs", "line": 2, "side": "old", "body": "Keep this."}]));
    Ok(())
}
