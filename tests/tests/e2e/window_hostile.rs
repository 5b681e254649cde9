//! Hostile text in the real webview: nothing of it runs, loads, hides or freezes the window.

use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use gate_tests::{Agent, Page, Window, test_id};
use serde_json::{Value, json};

const MIB: usize = 1024 * 1024;
/// A window that doesn't answer for longer feels frozen. Generous: the machine may be busy.
const ALIVE: Duration = Duration::from_secs(5);

/// Whether anything has come to a listener that nobody should find.
fn was_visited(listener: &TcpListener) -> Result<bool> {
    listener.set_nonblocking(true)?;
    match listener.accept() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => bail!("the listener is broken: {error}"),
    }
}

/// Waits until the page has had the time to run and to load what it wants to, then says what stands in it.
async fn settled(page: &Page) -> Result<Value> {
    let frames = "window.__frames ??= 0;
        if (window.__frames === 0) requestAnimationFrame(function next() { if (++window.__frames < 5) requestAnimationFrame(next); });
        return window.__frames >= 5;";
    page.until("a few frames", frames, json!([])).await?;
    let script = "const message = document.querySelector('[data-testid=\"message\"]');
        const dangerous = 'script, iframe, frame, object, embed, img, svg, style, link, form, base, meta, a, video, audio';
        return {
          pwned: window.__pwned ?? null,
          elements: [...message.querySelectorAll(dangerous)].filter((found) => !found.closest('button')).map((found) => found.tagName),
          handlers: [...message.querySelectorAll('*')].flatMap((found) => found.getAttributeNames()).filter((name) => name.startsWith('on')),
          place: location.href,
        };";
    page.run(script, json!([])).await
}

#[tokio::test]
async fn nothing_in_a_message_runs_or_loads() -> Result<()> {
    let Some(window) = Window::new().await? else { return Ok(()) };
    let trap = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = trap.local_addr()?.port();
    let message = format!(
        "<script>window.__pwned = 1</script>

<img src=x onerror=\"window.__pwned = 2\">

Inline <b onclick=\"window.__pwned = 3\">bold</b>, <svg onload=\"window.__pwned = 4\"><script>window.__pwned = 5</script></svg>.

[javascript](javascript:window.__pwned=6) [data](data:text/html,<script>window.__pwned=7</script>) [file](file:///etc/passwd)
[tab](java\tscript:window.__pwned=8) <javascript:window.__pwned=9>

<iframe srcdoc=\"<script>parent.__pwned = 10</script>\"></iframe>
<style>body {{ display: none }}</style><meta http-equiv=refresh content=\"0;url=http://127.0.0.1:{port}/\"><base href=\"http://127.0.0.1:{port}/\">

<!-- <img src=x onerror=\"window.__pwned = 11\"> -->

![picture](http://127.0.0.1:{port}/pixel.png \"title\")
<img src=\"http://127.0.0.1:{port}/pixel.png\">

[safe](https://example.com/path)

Delete access{rlo}txt.exe{pdf} now; zero{zwsp}width.

```html\" onmouseover=\"window.__pwned = 12
<script>window.__pwned = 13</script>
```
",
        rlo = '\u{202e}',
        pdf = '\u{202c}',
        zwsp = '\u{200b}',
    );
    let agent = Agent::start(window.home(), "<img src=x onerror=window.__pwned=14>").await?;
    let title = "<script>window.__pwned = 15</script>\u{202e}eltit";
    let call = json!({
        "message": message, "title": title, "context": message, "options": ["<img src=x onerror=window.__pwned=16>"],
        "diff": "--- a/<img src=x onerror=window.__pwned=17>\n+++ b/<img src=x onerror=window.__pwned=17>\n@@ -1 +1 @@\n-<script>window.__pwned=18</script>\n+\u{202e}x\n",
    });
    agent.call(call).await?;
    let page = window.page().await?;
    let entitled = "return document.querySelector('[data-testid=\"request-title\"]')?.textContent === arguments[0]";
    page.until("the request's title", entitled, json!([title])).await?;
    page.click("details summary").await?;

    assert_eq!(
        settled(&page).await?,
        json!({"pwned": null, "elements": [], "handlers": [], "place": "tauri://localhost"}),
        "agent text becomes text and nothing else"
    );
    let everywhere = page.count("main script, main iframe, main img, [onerror], [onload], [onclick]").await?;
    assert_eq!(everywhere, 0, "title, context, options and diff are text too");
    // Text stays what was sent, to be copied; what would hide in it wears its code point.
    let shown = page.run("return document.querySelector('[data-testid=\"message\"]').textContent", json!([])).await?;
    let shown = shown.as_str().unwrap_or_default();
    let marks = "return [...document.querySelectorAll(arguments[0] + ' [data-odd]')].map((mark) => mark.dataset.label)";
    let marks = async |within: &str| page.run(marks, json!([within])).await;
    assert!(shown.contains("<script>window.__pwned = 1</script>"), "HTML is shown as it was written: {shown}");
    assert!(shown.contains("<!--"), "a comment hides nothing: {shown}");
    assert!(shown.contains("access\u{202e}txt.exe\u{202c}") && shown.contains("zero\u{200b}width"), "as sent: {shown}");
    let turned = json!(["U+202E", "U+202C", "U+200B"]);
    assert_eq!(marks("[data-testid=message] .document").await?, turned, "what turns text or can't be seen is marked");
    assert_eq!(marks("h1").await?, json!(["U+202E"]), "in a title, too");
    assert!(shown.contains("onmouseover=\"window.__pwned = 12"), "what stands after a fence is seen: {shown}");
    let dropped = "return [...document.querySelectorAll('[data-testid=message] [data-testid=dropped]')].map((each) => each.textContent)";
    let dropped = page.run(dropped, json!([])).await?;
    let titled = dropped.as_array().is_some_and(|dropped| dropped.contains(&json!("title")));
    assert!(titled, "so is the title of a picture: {dropped}");
    // Rows beyond the visible part have no laid out text yet.
    let rows =
        "return [...document.querySelectorAll('[data-testid=\"diff-row\"] .text')].map((row) => row.textContent)";
    let rows = page.run(rows, json!([])).await?;
    assert_eq!(rows, json!(["<script>window.__pwned=18</script>", "\u{202e}x"]), "a diff is as it was sent");
    assert_eq!(marks("[data-testid=diff]").await?, json!(["U+202E"]), "and marked");

    let links =
        "return [...document.querySelectorAll('[data-testid=\"message\"] [role=\"link\"]')].map((link) => link.title)";
    let links = page.run(links, json!([])).await?;
    assert_eq!(
        links,
        json!([format!("http://127.0.0.1:{port}/pixel.png"), "https://example.com/path"]),
        "only links to the web are links, and a picture is one of them"
    );
    assert!(!was_visited(&trap)?, "nothing is loaded from the net");
    Ok(())
}

#[tokio::test]
async fn the_page_forbids_scripts_and_connections_of_others() -> Result<()> {
    let Some(window) = Window::new().await? else { return Ok(()) };
    let _app = window.start_app()?;
    let page = window.page().await?;
    let trap = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = format!("http://127.0.0.1:{}/", trap.local_addr()?.port());
    let attack = "window.__violations = [];
        document.addEventListener('securitypolicyviolation', (event) => window.__violations.push(event.effectiveDirective));
        const add = (tag, properties) => document.body.append(Object.assign(document.createElement(tag), properties));
        add('script', { textContent: 'window.__pwned = 1' });
        add('script', { src: arguments[0] });
        add('img', { src: arguments[0] });
        add('iframe', { src: arguments[0] });
        add('style', { textContent: 'body { display: none }' });
        const button = document.createElement('button');
        button.setAttribute('onclick', 'window.__pwned = 2');
        document.body.append(button);
        button.click();
        fetch(arguments[0]).catch(() => undefined);
        try { eval('window.__pwned = 3') } catch { }";
    page.run(attack, json!([address])).await?;
    let wanted = json!([
        "connect-src",
        "frame-src",
        "img-src",
        "script-src",
        "script-src-attr",
        "script-src-elem",
        "style-src-elem"
    ]);
    let script = "const seen = [...new Set(window.__violations)].sort();
        return arguments[0].every((directive) => seen.includes(directive)) && seen";
    page.until("the refusal of each", script, json!([wanted])).await?;
    assert_eq!(page.run("return window.__pwned ?? null", json!([])).await?, Value::Null, "no script of others runs");
    assert!(!was_visited(&trap)?, "the page reaches nobody but its own program");
    Ok(())
}

/// A message of 1 MiB that begins with `begin` and repeats `again`.
fn huge(begin: &str, again: &str) -> String {
    let mut text = begin.to_owned();
    while text.len() + again.len() <= MIB {
        text.push_str(again);
    }
    text
}

#[tokio::test]
async fn huge_messages_do_not_freeze_the_window() -> Result<()> {
    let Some(window) = Window::at_once().await? else { return Ok(()) };
    let agent = Agent::start(window.home(), "claude-code").await?;
    let messages = [
        ("one line", huge("", "x")),
        ("one line of words", huge("", "word ")),
        ("brackets", huge("", "[")),
        ("pairs of brackets", huge("", "[a](")),
        ("quotes", huge("", ">")),
        ("nested lists", huge("", "- ")),
        ("stars", huge("", "**a *b ")),
        ("backticks", huge("", "a`b``")),
        ("emphasis", huge("", "*a* ")),
        ("links", huge("", "[a](http://b) ")),
        ("list", huge("", "- a\n")),
        ("paragraphs", huge("", "a\n\n")),
        ("table", huge("|a|b|\n|-|-|\n", "|a|b|\n")),
        ("bidirectional marks", huge("", "\u{202e}a")),
        ("tags", huge("", "<b><!--")),
        ("emoji", huge("", "👩‍👩‍👧‍👦")),
    ];
    let mut page = None;
    for (title, message) in messages {
        let call = agent.call(json!({"message": message, "title": title})).await?;
        if page.is_none() {
            page = Some(window.page().await?);
        }
        let Some(page) = &page else { bail!("there is a page") };
        let begin = Instant::now();
        page.shows(title).await?;
        let stands = begin.elapsed();
        let begin = Instant::now();
        assert_eq!(settled(page).await?["pwned"], Value::Null, "{title}: nothing runs");
        page.write(&test_id("reply-text"), "still here").await?;
        let answers = begin.elapsed();
        println!("{title}: shown after {stands:?}, typed in {answers:?}");
        assert!(stands < ALIVE, "{title}: shown after {stands:?}");
        assert!(answers < ALIVE, "{title}: typing took {answers:?}");
        page.press_button("send").await?;
        assert_eq!(agent.outcome(call).await?["text"], "still here", "{title}: it can be answered");
    }
    Ok(())
}
