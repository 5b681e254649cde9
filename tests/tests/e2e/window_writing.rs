//! Writing a reply in the real window: files of the workspace after `@`, snippets, a picture that is
//! drawn on; and a reply that is taken back before the agent hears of it.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, CONTROL, ENTER, ESCAPE, Page, Window, test_id};
use serde_json::{Value, json};

/// Waits long, so that no `pending` comes in between.
const PATIENT: &str = "claude-code";

/// A white picture of 200 by 120 pixels, as bytes.
async fn white_picture(page: &Page) -> Result<Vec<u8>> {
    let script = "const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [200, 120];
        const pen = canvas.getContext('2d');
        pen.fillStyle = 'white';
        pen.fillRect(0, 0, 200, 120);
        return [...atob(canvas.toDataURL('image/png').split(',')[1])].map((char) => char.charCodeAt(0))";
    Ok(serde_json::from_value(page.run(script, json!([])).await?)?)
}

/// What a picture has at some places: `red`, `white` or something else. The lines' edges are mixed colours.
async fn colours(page: &Page, base64: &Value, places: Value) -> Result<Value> {
    let script = "const bytes = Uint8Array.from(atob(arguments[0]), (char) => char.charCodeAt(0));
        const places = arguments[1];
        return createImageBitmap(new Blob([bytes], { type: 'image/png' })).then((picture) => {
          const canvas = document.createElement('canvas');
          [canvas.width, canvas.height] = [picture.width, picture.height];
          const pen = canvas.getContext('2d');
          pen.drawImage(picture, 0, 0);
          return places.map(([x, y]) => {
            const [red, green, blue] = pen.getImageData(x, y, 1, 1).data;
            if (Math.min(red, green, blue) > 250) return 'white';
            return red > 200 && green < 120 && blue < 120 ? 'red' : 'something else';
          });
        })";
    page.run(script, json!([base64, places])).await
}

#[tokio::test]
async fn a_reply_is_written_with_a_file_a_snippet_and_a_picture_that_is_drawn_on() -> Result<()> {
    let Some(window) = Window::at_once().await? else { return Ok(()) };
    let home = window.home();
    let deliver = home.workspace().join("src/deliver.rs");
    std::fs::create_dir_all(deliver.parent().context("a folder")?)?;
    std::fs::write(&deliver, "")?;
    let agent = Agent::start(home, PATIENT).await?;
    let call = agent.call(json!({"message": "Where?", "title": "Where"})).await?;
    let page = window.page().await?;
    page.shows("Where").await?;
    window.display().window_in_front().await?;

    // A plain question has the focus in its text.
    page.focus_on("reply-text").await?;
    page.type_text("See @deliv").await?;
    page.says(&test_id("completion-offer"), "src/deliver.rs").await?;
    page.press(&[ENTER]).await?;
    page.type_text("first.").await?;
    assert_eq!(page.written().await?, "See @src/deliver.rs first.", "the path takes the place of what was typed");

    // What is written becomes a snippet.
    page.click(&test_id("snippets")).await?;
    page.click(&test_id("snippet-save-reply")).await?;
    page.write(&test_id("snippet-name"), " (where)").await?;
    page.click(&test_id("snippet-store")).await?;
    page.says(&test_id("snippet"), "See @src/deliver.rs first.").await?;
    page.press(&[ESCAPE]).await?;
    page.counts(&test_id("snippet-palette"), 0).await?;

    let file = home.folder().join("screen.png");
    std::fs::write(&file, white_picture(&page).await?)?;
    page.write(&test_id("attach-input"), &file.display().to_string()).await?;
    page.counts(&format!("{}[data-state=\"ready\"]", test_id("attachment")), 1).await?;
    page.click(&test_id("attachment-draw")).await?;
    page.click(&test_id("tool-box")).await?;
    let canvas = test_id("draw-canvas");
    page.drag_between((&canvas, [0.25, 0.25]), (&canvas, [0.75, 0.75])).await?;
    page.click(&test_id("draw-done")).await?;
    page.counts(&test_id("annotator"), 0).await?;
    page.counts(&test_id("attachment-restore"), 1).await?;
    page.draft_saved().await?;
    page.press_button("send").await?;

    let result = agent.result(call).await?;
    let said = &result["structuredContent"];
    assert_eq!(said["text"], "See @src/deliver.rs first.");
    assert_eq!(said["attachments"].as_array().map(Vec::len), Some(1), "the drawn one in the place of the other");
    let content = result["content"].as_array().context("content")?;
    let picture = content.iter().find(|block| block["type"] == "image").context("a model sees the picture")?;

    // The next reply is that snippet, found by its name.
    let call = agent.call(json!({"message": "And now?", "title": "Again"})).await?;
    page.shows("Again").await?;
    window.display().window_in_front().await?;
    let seen = colours(&page, &picture["data"], json!([[50, 60], [100, 60], [10, 10]])).await?;
    assert_eq!(seen, json!(["red", "white", "white"]), "a red box around what is white");
    page.focus_on("reply-text").await?;
    page.press(&[CONTROL, 'k']).await?;
    page.focus_on("snippet-filter").await?;
    page.type_text("where").await?;
    page.counts(&test_id("snippet"), 1).await?;
    page.press(&[ENTER]).await?;
    page.counts(&test_id("snippet-palette"), 0).await?;
    assert_eq!(page.written().await?, "See @src/deliver.rs first.", "the snippet is in the reply");
    page.send_by_keys("Again", &[]).await?;
    assert_eq!(agent.outcome(call).await?["text"], "See @src/deliver.rs first.");
    Ok(())
}

#[tokio::test]
async fn what_was_sent_is_taken_back_by_its_keys_and_the_agent_hears_the_second_reply_only() -> Result<()> {
    // Longer than the test takes, so that the agent hears nothing by itself.
    let held = vec![("REVIEW_GATE__WINDOW__UNDO_SECONDS".into(), "30".into())];
    let Some(window) = Window::with_env("", held).await? else { return Ok(()) };
    let home = window.home();
    let agent = Agent::start(home, PATIENT).await?;
    let call = agent.call(json!({"message": "Deploy?", "title": "Deploy", "approval": true})).await?;
    let page = window.page().await?;
    page.shows("Deploy").await?;
    window.display().window_in_front().await?;
    page.write(&test_id("reply-text"), "Yes, b").await?;
    page.draft_saved().await?;
    page.press_button("approve").await?;
    page.says(&test_id("undo-note"), "Approved “Deploy”").await?;
    assert_eq!(home.pending().await?.len(), 0, "for the person it is answered");
    assert!(agent.take(call).is_none(), "for the agent it isn't yet");

    page.press(&[CONTROL, 'z']).await?;
    page.shows("Deploy").await?;
    page.counts(&test_id("undo-note"), 0).await?;
    assert_eq!(page.written().await?, "Yes, b", "the reply is as it was before it was sent");
    assert_eq!(home.pending().await?.len(), 1, "the request waits again");
    page.write(&test_id("reply-text"), "ut not on a Friday.").await?;
    page.press_button("request-changes").await?;
    page.press_button("send-now").await?;
    let outcome = agent.outcome(call).await?;
    assert_eq!(
        (&outcome["decision"], &outcome["text"]),
        (&json!("changes_requested"), &json!("Yes, but not on a Friday.")),
        "the agent hears what was sent in the end, and at once"
    );
    let replies = home.rows("SELECT count(*) AS n FROM replies").await?;
    assert_eq!(replies, [json!({"n": 1})], "the record has one reply");
    Ok(())
}
