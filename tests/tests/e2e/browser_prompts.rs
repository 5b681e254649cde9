//! The page for prompts in a real browser, over HTTP: a prompt is found, tried, written and restored, others come from
//! files and from a repository.

use anyhow::{Context as _, Result};
use gate_tests::{Browser, CONTROL, ESCAPE, Home, LIMIT, commit, eventually, test_id};

/// A home whose gate takes a port that is free.
fn home() -> Result<Home> {
    Home::with_config("network:\n  port: 0\nwindow:\n  theme: light\n")
}

/// Signs in by the gate's link, and goes to the prompts.
async fn at_prompts(home: &Home, browser: &Browser) -> Result<()> {
    browser.go(home.link().await?.as_str().context("a link")?).await?;
    browser.counts(&test_id("main-window"), 1).await?;
    browser.click(&test_id("nav-prompts")).await?;
    browser.says(&row("code_review"), "Code review").await
}

/// The row of a prompt.
fn row(id: &str) -> String {
    format!("[data-testid=\"prompt\"][data-prompt=\"{id}\"]")
}

/// The row of a version, counted from the newest, 1.
fn version(number: u32) -> String {
    format!("li:nth-child({number}) > {}", test_id("prompt-version-row"))
}

#[tokio::test]
async fn a_prompt_is_found_tried_written_and_an_earlier_version_restored() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    at_prompts(&home, &browser).await?;
    let file = home.path().join("prompts/hello.yaml");
    std::fs::create_dir_all(file.parent().context("a folder")?)?;
    let text = "title: Greeting\narguments:\n  - name: who\n    required: true\ntemplate: Hello {{who}}.\n";
    std::fs::write(&file, text)?;
    browser.says(&row("hello"), "Greeting").await?;
    browser.write(&test_id("search"), "greet").await?;
    browser.counts(&row("code_review"), 0).await?;
    browser.click(&row("hello")).await?;
    browser.counts(&test_id("prompt-missing"), 1).await?;
    browser.write(&test_id("argument-who"), "Ada").await?;
    browser.says(&test_id("prompt-message"), "Hello Ada.").await?;

    browser.click(&test_id("prompt-tab-source")).await?;
    browser.write(&test_id("prompt-text"), "category: manners\n").await?;
    browser.press(&[CONTROL, 's']).await?;
    let says = |part: &'static str, there: bool| {
        let file = &file;
        move || async move { Ok((std::fs::read_to_string(file)?.contains(part) == there).then_some(())) }
    };
    eventually("the file is written", LIMIT, says("category: manners", true)).await?;
    browser.click(&test_id("prompt-tab-versions")).await?;
    browser.says(&version(1), "saved").await?;
    browser.counts(&test_id("prompt-version-row"), 2).await?;
    browser.click(&version(2)).await?;
    browser.says(&test_id("prompt-version-diff"), "category: manners").await?;
    browser.click(&test_id("prompt-restore")).await?;
    eventually("the version before is in the file again", LIMIT, says("category: manners", false)).await?;
    browser.says(&version(1), "restored").await?;
    browser.counts(&test_id("prompt-version-row"), 3).await?;
    assert_eq!(browser.count(&test_id("fault")).await?, 0, "no view shows a fault");
    Ok(())
}

#[tokio::test]
async fn prompts_are_imported_from_a_folder_and_from_files_and_taken_back() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    at_prompts(&home, &browser).await?;
    let commands = home.folder().join("commands");
    std::fs::create_dir_all(commands.join("git"))?;
    std::fs::write(commands.join("git/squash.md"), "Squash $ARGUMENTS.\n")?;
    std::fs::write(commands.join("broken.yaml"), "title: Broken\ntemplate: 'Hello {{#if who}'\n")?;

    browser.click(&test_id("prompts-import")).await?;
    browser.write(&test_id("import-path"), &commands.display().to_string()).await?;
    browser.click(&test_id("import-look")).await?;
    browser.says(&test_id("import-change"), "new").await?;
    browser.says(&test_id("import-problems"), "broken.yaml:2:11").await?;
    browser.click(&test_id("import-do")).await?;
    browser.counts(&row("git/squash"), 1).await?;
    let file = home.path().join("prompts/git/squash.md");
    assert!(std::fs::read_to_string(&file)?.contains("Squash {{arguments}}."), "it is in the person's folder");
    browser.click(&test_id("toast-action")).await?;
    browser.counts(&row("git/squash"), 0).await?;
    assert!(!file.exists(), "and gone again");

    browser.click(&test_id("prompts-import")).await?;
    let picked = commands.join("git/squash.md");
    browser.write(&test_id("import-files"), &picked.display().to_string()).await?;
    browser.says(&test_id("import-found"), "one prompt").await?;
    browser.click(&test_id("import-do")).await?;
    browser.counts(&row("squash"), 1).await?;
    assert_eq!(browser.count(&test_id("fault")).await?, 0, "no view shows a fault");
    Ok(())
}

#[tokio::test]
async fn prompts_come_from_a_repository_and_the_page_says_what_a_commit_brought() -> Result<()> {
    let home = home()?;
    let upstream = home.folder().join("upstream");
    let first = commit(&upstream, &[("prompts/greet.yaml", "template: Hello one.\n")]).await?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    at_prompts(&home, &browser).await?;
    browser.click(&test_id("prompt-sync-settings")).await?;
    let repository = format!("file://{}", upstream.display());
    browser.write(&test_id("setting-prompts-repository-control"), &repository).await?;
    browser.write(&test_id("setting-prompts-subfolder-control"), "prompts").await?;
    browser.says(&test_id("sync-pane"), "One prompt synced").await?;
    browser.says(&test_id("sync-commit"), &first[..8]).await?;

    browser.click(&test_id("nav-prompts")).await?;
    browser.click(&row("greet")).await?;
    browser.says(&test_id("prompt-message"), "Hello one.").await?;
    let second = commit(&upstream, &[("prompts/greet.yaml", "template: Hello two.\n")]).await?;
    browser.click(&test_id("prompt-sync-now")).await?;
    browser.says(&test_id("prompt-sync"), &second[..8]).await?;
    browser.says(&test_id("prompt-message"), "Hello two.").await?;
    browser.click(&test_id("prompt-sync-details")).await?;
    browser.says(&test_id("sync-brought"), "changed").await?;
    browser.says(&test_id("sync-brought"), "greet").await?;
    browser.press(&[ESCAPE]).await?;
    browser.counts(&test_id("prompt-sync-dialog"), 0).await?;
    assert_eq!(browser.count(&test_id("fault")).await?, 0, "no view shows a fault");

    // A repository that can't be read keeps what was served, and says what to do.
    std::fs::rename(&upstream, home.folder().join("elsewhere"))?;
    browser.click(&test_id("prompt-sync-now")).await?;
    browser.counts(&test_id("prompt-sync-fault"), 1).await?;
    browser.says(&test_id("prompt-message"), "Hello two.").await
}
