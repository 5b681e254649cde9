//! The gate's page in a real browser: signing in by a link, answering, and what a restart leaves.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Browser, Home, test_id};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Waits long, so that no `pending` comes in between.
const PATIENT: &str = "claude-code";

/// A home whose gate has the same port after a restart, one that no other test has, and that sends
/// replies at once.
async fn home() -> Result<Home> {
    let port = TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
    Home::with_config(&format!("network:\n  port: {port}\nwindow:\n  undo_seconds: 0\n"))
}

async fn link(home: &Home) -> Result<String> {
    home.link().await?.as_str().map(str::to_owned).context("a link is a text")
}

/// Waits until the inbox stands.
async fn stands(browser: &Browser) -> Result<()> {
    browser.counts(&test_id("main-window"), 1).await?;
    browser.counts("main", 1).await
}

async fn heading(browser: &Browser) -> Result<String> {
    browser.text("h1").await
}

#[tokio::test]
async fn a_link_signs_one_browser_in_and_leaves_the_address_bar() -> Result<()> {
    let home = home().await?;
    let gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    let (http, link) = (gate.ready["http"].as_str().context("HTTP")?.to_owned(), link(&home).await?);
    browser.go(&http).await?;
    assert_eq!(heading(&browser).await?, "This browser isn’t signed in", "no cookie, no page");
    browser.says("main", "review-gate link").await?;

    browser.go(&link).await?;
    stands(&browser).await?;
    assert_eq!(browser.address().await?, format!("{http}/#main/inbox"), "the code is gone from the address");
    assert_eq!(browser.run("return document.cookie", json!([])).await?, "", "no script can read the cookie");
    let cookies = browser.cookies().await?;
    let [cookie] = cookies.as_slice() else { anyhow::bail!("one cookie: {cookies:?}") };
    assert_eq!(
        (&cookie["httpOnly"], &cookie["sameSite"], &cookie["path"], &cookie["domain"]),
        (&json!(true), &json!("Strict"), &json!("/"), &json!("127.0.0.1")),
        "{cookie}"
    );
    browser.go(&link).await?;
    stands(&browser).await?;

    let other = Browser::start(&home).await?.context("it was there before")?;
    other.go(&link).await?;
    assert_eq!(heading(&other).await?, "This link was used before", "a link is good once");
    other.says("main", "review-gate link").await?;
    other.go(&http).await?;
    assert_eq!(heading(&other).await?, "This browser isn’t signed in", "and nothing came of it");
    let further = home.run(["link", "--json"]).await?.json()?;
    other.go(further["ui"].as_str().context("a further link")?).await?;
    stands(&other).await?;
    browser.go(&http).await?;
    stands(&browser).await
}

/// A page of somebody else's that leads to the gate, as a chat in the browser does.
async fn page_with(link: &str) -> Result<(String, tokio::task::JoinHandle<()>)> {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let place = format!("http://localhost:{}/", listener.local_addr()?.port());
    let body = format!("<!doctype html><body><a href=\"{link}\">the gate</a></body>");
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n", body.len());
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes()).await;
        }
    });
    Ok((place, serving))
}

#[tokio::test]
async fn a_link_that_is_clicked_on_another_sites_page_signs_in_too() -> Result<()> {
    let home = home().await?;
    let gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    let http = gate.ready["http"].as_str().context("HTTP")?.to_owned();
    let (place, serving) = page_with(&link(&home).await?).await?;
    browser.go(&place).await?;
    browser.click("a").await?;
    stands(&browser).await?;
    assert_eq!(browser.address().await?, format!("{http}/#main/inbox"));
    serving.abort();

    let (place, serving) = page_with(&http).await?;
    browser.go(&place).await?;
    browser.click("a").await?;
    stands(&browser).await?;
    serving.abort();
    Ok(())
}

#[tokio::test]
async fn a_request_is_answered_in_the_browser_and_the_record_downloaded() -> Result<()> {
    let home = home().await?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    browser.go(&link(&home).await?).await?;
    stands(&browser).await?;
    let agent = Agent::start(&home, PATIENT).await?;
    let call = agent.call(json!({"message": "**Shall** I?", "title": "From afar", "approval": true})).await?;
    browser.shows("From afar").await?;
    browser.write(&test_id("reply-text"), "yes, gladly").await?;
    browser.draft_saved().await?;
    browser.press_button("approve").await?;
    let outcome = agent.outcome(call).await?;
    assert_eq!(
        (&outcome["decision"], &outcome["text"], &outcome["answered_from"]),
        (&json!("approved"), &json!("yes, gladly"), &json!("browser")),
        "{outcome}"
    );
    exported(&home, &browser).await
}

#[tokio::test]
async fn what_a_scripts_link_answers_counts_as_a_script() -> Result<()> {
    let home = home().await?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    let made = home.run(["link", "--json"]).await?.json()?;
    browser.go(made["ui"].as_str().context("a link")?).await?;
    let agent = Agent::start(&home, PATIENT).await?;
    let call = agent.call(json!({"message": "m", "title": "Mine", "approval": true})).await?;
    browser.shows("Mine").await?;
    browser.press_button("approve").await?;
    assert_eq!(agent.outcome(call).await?["answered_from"], "script", "no terminal, so no person, asked for the link");
    Ok(())
}

#[tokio::test]
async fn the_page_outlives_the_gate_and_keeps_what_is_written() -> Result<()> {
    let home = home().await?;
    let mut gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    browser.go(&link(&home).await?).await?;
    stands(&browser).await?;
    let asked = home.run(["ask", "Still there?", "--title", "Over a restart", "--timeout", "1"]).await?;
    assert_eq!(asked.code, Some(3), "it stays open: {asked:?}");
    browser.shows("Over a restart").await?;
    browser.write(&test_id("reply-text"), "before").await?;
    browser.draft_saved().await?;
    browser.run("window.same = true", json!([])).await?;

    gate.kill().await?;
    browser.says(&test_id("connection"), "The gate doesn’t answer").await?;
    browser.write(&test_id("reply-text"), " and while it is gone").await?;
    let _again = home.serve().await?;
    browser.counts(&test_id("connection"), 0).await?;
    browser.draft_saved().await?;
    assert_eq!(browser.written().await?, "before and while it is gone", "nothing that was typed is lost");
    assert_eq!(browser.run("return window.same", json!([])).await?, true, "it is the same page, not loaded anew");
    let drafts = home.rows("SELECT draft FROM drafts").await?;
    let stored = drafts.iter().any(|row| row.to_string().contains("and while it is gone"));
    assert!(stored, "and it is stored: {drafts:?}");

    let agent = Agent::start(&home, PATIENT).await?;
    agent.call(json!({"message": "m", "title": "Asked afterwards"})).await?;
    browser.says("body", "Asked afterwards").await?;
    browser.press_button("send").await?;
    let none = |pending: Vec<Value>| pending.iter().all(|request| request["title"] != "Over a restart");
    let look = || async { Ok(none(home.pending().await?).then_some(())) };
    gate_tests::eventually("the reply is there", gate_tests::LIMIT, look).await
}

#[tokio::test]
async fn signing_out_closes_open_pages_and_a_new_link_opens_them_again() -> Result<()> {
    let home = home().await?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    browser.go(&link(&home).await?).await?;
    stands(&browser).await?;
    home.run(["ask", "Shall I?", "--title", "Seen", "--timeout", "1"]).await?;
    browser.shows("Seen").await?;
    let first = browser.tab().await?;
    home.run(["link", "--sign-out"]).await?.succeeded()?;
    browser.says(&test_id("signed-out"), "review-gate link").await?;
    let made = home.run(["link", "--json"]).await?.json()?;
    browser.new_tab().await?;
    browser.go(made["ui"].as_str().context("a link")?).await?;
    stands(&browser).await?;
    // The page goes on by itself when the person comes back to it.
    browser.turn_to(&first).await?;
    browser.counts(&test_id("signed-out"), 0).await?;
    home.run(["ask", "Shall I?", "--title", "Heard again", "--timeout", "1"]).await?;
    browser.says("body", "Heard again").await
}

/// An export is downloaded, and not written to the gate's machine.
async fn exported(home: &Home, browser: &Browser) -> Result<()> {
    let command = "const command = async (body) => (await fetch('/ui/command', { method: 'POST', \
                   headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();";
    let script = format!(
        "{command} const {{ path }} = await command({{ command: 'export', format: 'json' }});
         const first = await fetch(path), text = await first.text(), second = await fetch(path);
         return [path, first.headers.get('content-disposition'), text, second.status]"
    );
    let found = browser.run(&format!("return (async () => {{ {script} }})()"), json!([])).await?;
    let text = |at: usize| found[at].as_str().unwrap_or_default().to_owned();
    let path = text(0);
    assert!(path.starts_with("/ui/download/"), "{found}");
    let name = path.rsplit('/').next().unwrap_or_default();
    assert!(name.starts_with("review-gate-all-") && name.ends_with(".json"), "{found}");
    assert_eq!(text(1), format!("attachment; filename=\"{name}\""));
    assert!(text(2).contains("From afar") && text(2).contains("yes, gladly"), "the whole record: {found}");
    assert_eq!(found[3], 404, "it is fetched once");
    assert!(!home.path().join("exports").exists(), "nothing is left where exports go");
    let left = std::fs::read_dir(home.path().join("downloads")).map(Iterator::count).unwrap_or(0);
    assert_eq!(left, 0, "nor anywhere else");
    let script = format!("{command} return command({{ command: 'import', path: '/etc/passwd' }})");
    let refused = browser.run(&format!("return (async () => {{ {script} }})()"), json!([])).await?;
    assert!(refused["mend"].as_str().is_some_and(|mend| mend.contains("review-gate import")), "{refused}");
    Ok(())
}
