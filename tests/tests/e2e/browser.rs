//! The gate's page in a real browser: signing in by a link, answering, and what a restart leaves.

use anyhow::{Context as _, Result};
use gate_tests::{AT_ONCE, Agent, Browser, ELSEWHERE, Home, LIMIT, SCRIPTS_ANSWER, eventually, test_id};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Waits long, so that no `pending` comes in between.
const PATIENT: &str = "claude-code";

/// A home with these further settings, whose gate has the same port after a restart, one that no other test has.
async fn home(more: &str) -> Result<Home> {
    let port = TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
    Home::with_config(&format!("network:\n  port: {port}\n{more}"))
}

async fn link(home: &Home) -> Result<String> {
    home.link().await?.as_str().map(str::to_owned).context("a link is a text")
}

/// Waits until the inbox stands.
async fn stands(browser: &Browser) -> Result<()> {
    browser.counts(&test_id("main-window"), 1).await?;
    browser.counts("main", 1).await
}

/// Waits until the page says that it has to sign in, in these words, and with which command.
async fn asks(browser: &Browser, title: &str, command: &str) -> Result<()> {
    browser.says(&format!("{} h2", test_id("signed-out")), title).await?;
    browser.says(&test_id("signed-out"), command).await
}

/// Where the page is, as a link to it says: `http://localhost:PORT`.
fn place(link: &str) -> Result<String> {
    Ok(link.split_once("/#").context("a link to a page")?.0.to_owned())
}

#[tokio::test]
async fn a_link_signs_one_browser_in_and_leaves_the_address_bar() -> Result<()> {
    let home = home("").await?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    let link = link(&home).await?;
    let place = place(&link)?;
    browser.go(&place).await?;
    asks(&browser, "This browser isn’t signed in", "review-gate link").await?;

    // In the same tab: only what stands behind the `#` is another.
    browser.go(&link).await?;
    stands(&browser).await?;
    browser.counts(&test_id("signed-out"), 0).await?;
    assert_eq!(browser.address().await?, format!("{place}/#main/inbox"), "the code is gone from the address");
    assert_eq!(browser.cookies().await?, Vec::<Value>::new(), "nothing goes to other ports of this machine");
    let script = format!("{KEY} return [await exported(pair.privateKey), pair.privateKey.extractable]");
    let kept = browser.run(&format!("return (async () => {{ {script} }})()"), json!([])).await?;
    assert_eq!(kept, json!(["refused", false]), "and no script gets the key out");
    browser.go("about:blank").await?;
    browser.go(&link).await?;
    stands(&browser).await?;

    let other = Browser::start(&home).await?.context("it was there before")?;
    other.go(&link).await?;
    asks(&other, "This link was used before", "review-gate link").await?;
    other.go("about:blank").await?;
    other.go(&place).await?;
    asks(&other, "This browser isn’t signed in", "review-gate link").await?;
    let further = home.link().await?;
    other.go("about:blank").await?;
    other.go(further.as_str().context("a further link")?).await?;
    stands(&other).await?;
    other.counts(&test_id("signed-out"), 0).await?;
    browser.go("about:blank").await?;
    browser.go(&place).await?;
    stands(&browser).await?;
    browser.counts(&test_id("signed-out"), 0).await
}

/// The page's key, as a script of the page finds it, and what comes of reading it.
const KEY: &str = "
const done = (request) =>
  new Promise((yes, no) => { request.onsuccess = () => yes(request.result); request.onerror = no; });
const database = await done(indexedDB.open('review-gate', 1));
const pair = await done(database.transaction('keys').objectStore('keys').get('page'));
database.close();
const exported = (key) => crypto.subtle.exportKey('pkcs8', key).then(() => 'exported', () => 'refused');
";

/// A page's script that gives a command as the page itself does: with its key, on a line of its own.
const COMMAND: &str = "
const hex = (data) => [...new Uint8Array(data)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const bytes = (text) => new TextEncoder().encode(text);
const of = async (data) => hex(await crypto.subtle.digest('SHA-256', data));
const post = async (path, line, number, body) => {
  const key = await of(await crypto.subtle.exportKey('raw', pair.publicKey)), digest = await of(bytes(body));
  const text = ['review-gate page 1', location.origin, 'POST', path, line, number, digest].join('\\n');
  const made = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, bytes(text));
  const signature = btoa(String.fromCharCode(...new Uint8Array(made)))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const authorization =
    `Review-Gate key=${key}, line=${line}, number=${number}, digest=${digest}, signature=${signature}`;
  const headers = { authorization, 'content-type': 'application/json' };
  return (await fetch(path, { method: 'POST', headers, body })).json();
};
const { line } = await post('/ui/here', '', 0, '');
let number = 0;
const command = (body) => post('/ui/command', line, ++number, JSON.stringify(body));
";

#[tokio::test]
async fn two_tabs_and_a_page_that_is_loaded_anew_have_the_same_sign_in() -> Result<()> {
    let home = home(AT_ONCE).await?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    let link = link(&home).await?;
    browser.go(&link).await?;
    stands(&browser).await?;
    let first = browser.tab().await?;
    browser.new_tab().await?;
    browser.go(&place(&link)?).await?;
    stands(&browser).await?;
    let agent = Agent::start(&home, PATIENT).await?;
    for (title, tab) in [("From the second", None), ("From the first", Some(&first)), ("Loaded anew", Some(&first))] {
        if let Some(tab) = tab {
            // By then it has heard what was answered in the other: what is answered under one's eyes stays there, and
            // what comes then waits behind it.
            browser.turn_behind(tab).await?;
            browser.counts(&test_id("request-title"), 0).await?;
            browser.turn_to(tab).await?;
        }
        if title == "Loaded anew" {
            browser.run("location.reload()", json!([])).await?;
            stands(&browser).await?;
        }
        let call = agent.call(json!({"message": "m", "title": title})).await?;
        browser.shows(title).await?;
        browser.write(&test_id("reply-text"), title).await?;
        browser.draft_saved().await?;
        browser.press_button("send").await?;
        let outcome = agent.outcome(call).await?;
        assert_eq!((&outcome["text"], &outcome["answered_from"]), (&json!(title), &json!("browser")), "{outcome}");
    }
    browser.counts(&test_id("signed-out"), 0).await
}

/// A server on another port, which keeps what it is sent, and whose page tries what it can.
async fn dev_server(gate: &str) -> Result<(String, tokio::task::JoinHandle<Result<String>>)> {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let place = format!("http://localhost:{}/", listener.local_addr()?.port());
    let script = format!(
        "(async () => {{
           const names = (await indexedDB.databases()).map((each) => each.name);
           const tries = ['/ui/here', '/ui/command', '/ui/events'].map((path) =>
             fetch('{gate}' + path, {{ method: 'POST', credentials: 'include', mode: 'no-cors', body: '{{}}' }})
               .then((response) => response.type + response.status, () => 'refused'));
           window.found = JSON.stringify([names, await Promise.all(tries), document.cookie]);
         }})()"
    );
    let body = format!("<!doctype html><title>dev</title><body><script>{script}</script></body>");
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n", body.len());
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await?;
        let mut sent = vec![0; 16 * 1024];
        let length = stream.read(&mut sent).await?;
        stream.write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes()).await?;
        Ok(String::from_utf8_lossy(&sent[..length]).to_ascii_lowercase())
    });
    Ok((place, serving))
}

#[tokio::test]
async fn a_server_on_another_port_gets_nothing_of_a_sign_in() -> Result<()> {
    let home = home("").await?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    let link = link(&home).await?;
    browser.go(&link).await?;
    stands(&browser).await?;
    let (place, serving) = dev_server(&place(&link)?).await?;
    browser.go(&place).await?;
    let look = || async {
        let found = browser.run("return window.found ?? null", json!([])).await?;
        Ok(found.as_str().map(str::to_owned))
    };
    let found: Value = serde_json::from_str(&eventually("what its page found", LIMIT, look).await?)?;
    assert_eq!(found[0], json!([]), "the key is the other origin's: {found}");
    assert_eq!(found[2], "", "{found}");
    for outcome in found[1].as_array().context("what it tried")? {
        assert!(outcome == "refused" || outcome == "opaque0", "it reads no answer: {found}");
    }
    let sent = serving.await??;
    assert!(sent.starts_with("get / "), "the browser came: {sent}");
    for word in ["cookie", "authorization", "review", "code="] {
        assert!(!sent.contains(word), "nothing of the gate came along: {sent}");
    }
    Ok(())
}

#[tokio::test]
async fn where_browsers_have_no_keys_the_page_says_so_and_how_to_go_on() -> Result<()> {
    let port = TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
    let home = Home::with_config(&format!("network:\n  port: {port}\n  allowed_hosts: [{ELSEWHERE}]\n"))?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    let link = link(&home).await?;
    browser.go(&link.replace("localhost", ELSEWHERE)).await?;
    let command = format!("ssh -L {port}:127.0.0.1:{port} {ELSEWHERE}");
    asks(&browser, "This browser can’t sign in at this address", &command).await?;
    browser.says(&test_id("signed-out"), &format!("http://localhost:{port}")).await?;
    browser.go(&link).await?;
    stands(&browser).await?;
    browser.counts(&test_id("signed-out"), 0).await
}

#[tokio::test]
async fn a_browser_that_was_signed_in_by_a_cookie_is_told_to_sign_in_once_more() -> Result<()> {
    let home = home("").await?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    let link = link(&home).await?;
    let place = place(&link)?;
    // A page of this origin, at which a cookie may be set.
    browser.go(&format!("{place}/favicon.ico")).await?;
    browser.set_cookie(&format!("review_gate_{}", place.rsplit(':').next().unwrap_or_default()), "before").await?;
    browser.go(&place).await?;
    asks(&browser, "Sign in once more", "review-gate link").await?;
    browser.go(&link).await?;
    stands(&browser).await?;
    browser.counts(&test_id("signed-out"), 0).await?;
    assert_eq!(browser.cookies().await?, Vec::<Value>::new(), "what is of no use is gone");
    Ok(())
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
    let home = home("").await?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    let link = link(&home).await?;
    let gate = place(&link)?;
    let (place, serving) = page_with(&link).await?;
    browser.go(&place).await?;
    browser.click("a").await?;
    stands(&browser).await?;
    browser.counts(&test_id("signed-out"), 0).await?;
    assert_eq!(browser.address().await?, format!("{gate}/#main/inbox"));
    serving.abort();

    let (place, serving) = page_with(&gate).await?;
    browser.go(&place).await?;
    browser.click("a").await?;
    stands(&browser).await?;
    browser.counts(&test_id("signed-out"), 0).await?;
    serving.abort();
    Ok(())
}

#[tokio::test]
async fn a_request_is_answered_in_the_browser_and_the_record_downloaded() -> Result<()> {
    let home = home(AT_ONCE).await?;
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
    let home = home(SCRIPTS_ANSWER).await?;
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
    let home = home(AT_ONCE).await?;
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
    let home = home("").await?;
    let _gate = home.serve().await?;
    let Some(browser) = Browser::start(&home).await? else { return Ok(()) };
    browser.go(&link(&home).await?).await?;
    stands(&browser).await?;
    home.run(["ask", "Shall I?", "--title", "Seen", "--timeout", "1"]).await?;
    browser.shows("Seen").await?;
    let first = browser.tab().await?;
    home.at_a_terminal("link --sign-out").await?;
    browser.says(&test_id("signed-out"), "review-gate link").await?;
    browser.new_tab().await?;
    browser.go(&link(&home).await?).await?;
    stands(&browser).await?;
    // The page goes on by itself when the person comes back to it.
    browser.turn_to(&first).await?;
    browser.counts(&test_id("signed-out"), 0).await?;
    home.run(["ask", "Shall I?", "--title", "Heard again", "--timeout", "1"]).await?;
    browser.says("body", "Heard again").await
}

/// An export is downloaded, and not written to the gate's machine.
async fn exported(home: &Home, browser: &Browser) -> Result<()> {
    let script = format!(
        "{KEY} {COMMAND} const {{ path }} = await command({{ command: 'export', format: 'json' }});
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
    let script = format!("{KEY} {COMMAND} return command({{ command: 'import', path: '/etc/passwd' }})");
    let refused = browser.run(&format!("return (async () => {{ {script} }})()"), json!([])).await?;
    assert!(refused["mend"].as_str().is_some_and(|mend| mend.contains("review-gate import")), "{refused}");
    Ok(())
}
