//! Pictures of the main views in light and dark, left in `test-output/` for a look.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Window, test_id};
use serde_json::json;

const DIFF: &str = "--- a/src/store.rs
+++ b/src/store.rs
@@ -10,7 +10,8 @@ impl Store {
     /// Opens the database.
     pub fn open(path: &Path) -> Result<Self> {
-        let pool = Pool::connect(path)?;
+        let options = Options::new(path).journal_mode(Wal).synchronous(Full);
+        let pool = Pool::connect_with(options)?;
         migrate(&pool)?;
         Ok(Self { pool })
     }
";

const MESSAGE: &str = "I moved the settings of SQLite to **one place**.

1. Write-ahead log on local file systems
2. `synchronous=FULL` for replies

| step | tests |
|---|---|
| open | 12 |
| recover | 4 |

> The old path stays readable.

```rust
let store = Store::open(home.database())?;
```
See <https://sqlite.org/wal.html>.
";

#[tokio::test]
async fn the_main_views_in_both_themes() -> Result<()> {
    let Some(window) = Window::with_config("window:\n  theme: dark\n").await? else { return Ok(()) };
    let home = window.home();
    let app = window.start_app()?;
    let page = window.page().await?;
    page.text(&test_id("empty-state")).await?;
    let set = page.run("return document.documentElement.dataset.theme", json!([])).await?;
    assert_eq!(set, "dark", "the setting decides how the window looks");
    let mut files = window.in_both_themes(&page, "window", "empty").await?.to_vec();

    let agent = Agent::start(home, "claude-code").await?;
    agent
        .call(json!({
            "message": MESSAGE, "title": "Commit the store’s settings?", "context": "Issue 12: *one place for SQLite*",
            "approval": true, "diff": DIFF,
        }))
        .await?;
    page.shows("Commit the store’s settings?").await?;
    files.extend(window.in_both_themes(&page, "window", "approval").await?);
    let row = format!("{}[data-side=\"new\"][data-line=\"12\"]", test_id("diff-row"));
    page.click(&format!("{row} {}", test_id("comment-add"))).await?;
    page.write(&test_id("comment-text"), "Is FULL needed for drafts too?").await?;
    files.extend(window.in_both_themes(&page, "window", "comment").await?);
    page.click(&test_id("comment-save")).await?;

    let other = Agent::start(home, "cursor").await?;
    let options = json!([
        {"label": "SQLite", "description": "one file, no server", "recommended": true},
        {"label": "sled", "description": "younger; its format may change"},
        "Plain files",
    ]);
    let choice =
        json!({"message": "Where should drafts live?", "title": "Choose a store", "options": options, "urgent": true});
    other.call(choice).await?;
    page.says(&test_id("banner"), "Choose a store").await?;
    page.click(&test_id("queue-count")).await?;
    page.counts(&test_id("queue-list"), 1).await?;
    files.extend(window.in_both_themes(&page, "window", "queue").await?);
    page.click("//*[@data-testid='queue-list']//button[.//*[text()='Choose a store']]").await?;
    page.shows("Choose a store").await?;
    page.click(&test_id("option-1")).await?;
    page.write(&test_id("reply-text"), "With WAL, please.").await?;
    page.draft_saved().await?;
    files.extend(window.in_both_themes(&page, "window", "options").await?);

    for file in files {
        let bytes = std::fs::metadata(&file).with_context(|| format!("{} isn't there", file.display()))?.len();
        assert!(bytes > 5_000, "{} shows something", file.display());
    }
    assert_eq!(page.count(&test_id("fault")).await?, 0, "no view shows a fault");
    drop(app);
    Ok(())
}
