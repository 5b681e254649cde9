//! Who has no business at the gate's page: strangers, other origins, tokens of MCP, and whoever copied what others
//! signed; and what a browser is told to keep to.

use anyhow::{Context as _, Result};
use gate_tests::{
    Agent, Home, HomeOptions, Http, PageKey, Response, SCRIPTS_ANSWER, SignedPage, Signing, Terminal, eventually,
    link_parts, send_code,
};
use serde_json::{Value, json};

/// A home that no other test's gate can take the port of.
fn home(more: &str) -> Result<Home> {
    Home::with_config(&format!("network:\n  port: 0\n{more}"))
}

fn head(http: &Http, further: &[(&str, &str)]) -> Vec<(String, String)> {
    let given = |name: &str| further.iter().any(|(known, _)| *known == name);
    let host = (!given("host")).then(|| ("host".to_owned(), http.address.clone()));
    host.into_iter().chain(further.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))).collect()
}

const COMMAND: &str = "/ui/command";
const SNAPSHOT: &[u8] = b"{\"command\":\"snapshot\"}";
const JSON: (&str, &str) = ("content-type", "application/json");
const OWN: (&str, &str) = ("sec-fetch-site", "same-origin");

/// Says that the gate took it for nobody's, and why.
fn is_nobodys(response: &Response, why: &str, what: &str) -> Result<()> {
    assert_eq!(response.status, 401, "{what}: {response:?}");
    let fault: Value = serde_json::from_str(&response.body)?;
    assert_eq!((&fault["code"], &fault["why"]), (&json!("signed_out"), &json!(why)), "{what}");
    assert!(fault["mend"].as_str().is_some_and(|mend| mend.contains("review-gate link")), "{what}: {fault}");
    Ok(())
}

#[tokio::test]
async fn a_key_opens_the_page_only_and_a_token_opens_mcp_only() -> Result<()> {
    let home = home("")?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let http = &page.http;
    let answer = page.command(json!({"command": "snapshot"})).await?.map_err(anyhow::Error::msg)?;
    assert_eq!(answer["requests"], json!([]), "a snapshot: {answer}");

    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).to_string();
    let signed = page.signed("/mcp", list.as_bytes())?;
    let mcp = [("authorization", signed.as_str()), OWN, JSON, ("accept", "application/json, text/event-stream")];
    let response = http.send("POST", "/mcp", &head(http, &mcp), list.as_bytes()).await?;
    assert_eq!(response.status, 401, "a key is nothing to MCP: {response:?}");

    let (token, public) = (format!("Bearer {}", http.token), format!("Bearer {}", page.key.public()));
    let cookie = format!("review_gate_{}={}", http.address.rsplit(':').next().unwrap_or_default(), http.token);
    for (what, shown, why) in [
        ("nothing", ("accept", "*/*"), "none"),
        ("the person's token", ("authorization", token.as_str()), "none"),
        ("the public key", ("authorization", public.as_str()), "none"),
        ("a cookie as browsers once had", ("cookie", cookie.as_str()), "before"),
        ("a cookie of another name", ("cookie", "review_gate_1=x"), "none"),
    ] {
        for path in [COMMAND, "/ui/events", "/ui/here"] {
            let response = http.send("POST", path, &head(http, &[shown, OWN, JSON]), SNAPSHOT).await?;
            is_nobodys(&response, why, &format!("{what} opens {path}"))?;
        }
        let plain = http.send("GET", "/ui/events", &head(http, &[shown, OWN]), b"").await?;
        assert_eq!(plain.status, 404, "nothing is told by address alone: {plain:?}");
    }
    Ok(())
}

#[tokio::test]
async fn what_was_signed_is_good_once_for_what_it_says_and_where_it_was_said() -> Result<()> {
    let home = home("")?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let first = page.signed(COMMAND, SNAPSHOT)?;
    assert_eq!(page.send(COMMAND, &first, SNAPSHOT).await?.status, 200);
    is_nobodys(&page.send(COMMAND, &first, SNAPSHOT).await?, "out", "the same again")?;

    let other = b"{\"command\":\"sessions\"}";
    let second = page.signed(COMMAND, SNAPSHOT)?;
    is_nobodys(&page.send(COMMAND, &second, other).await?, "out", "another body")?;
    is_nobodys(&page.send(COMMAND, &second, SNAPSHOT).await?, "out", "which has used its number up")?;
    let third = page.signed("/ui/here", SNAPSHOT)?;
    is_nobodys(&page.send(COMMAND, &third, SNAPSHOT).await?, "out", "signed for another path")?;

    let (host, port) = page.host.rsplit_once(':').context("a port")?;
    let elsewhere = format!("{host}:{}", port.parse::<u16>()? ^ 1);
    let as_said = |host: &str, line: &str, number: u64| {
        page.key.authorization(Signing { host, path: COMMAND, line, number }, SNAPSHOT)
    };
    for (what, shown) in [
        ("signed for another port", as_said(&elsewhere, &page.line, 50)?),
        ("signed for another name", as_said(&format!("127.0.0.1:{port}"), &page.line, 51)?),
        ("on a line that the gate didn't give", as_said(&page.host, "a-line-of-its-own", 1)?),
        ("on no line", as_said(&page.host, "", 0)?),
        ("with the number 0", as_said(&page.host, &page.line, 0)?),
    ] {
        is_nobodys(&page.send(COMMAND, &shown, SNAPSHOT).await?, "out", what)?;
    }
    let at = [("host", elsewhere.as_str()), OWN, JSON];
    let signed = as_said(&elsewhere, &page.line, 52)?;
    let there = head(&page.http, &[&at[..], &[("authorization", signed.as_str())]].concat());
    is_nobodys(&page.http.send("POST", COMMAND, &there, SNAPSHOT).await?, "out", "in another place")?;

    // What is sent at once comes in any order.
    let (fourth, fifth) = (page.signed(COMMAND, SNAPSHOT)?, page.signed(COMMAND, SNAPSHOT)?);
    assert_eq!(page.send(COMMAND, &fifth, SNAPSHOT).await?.status, 200);
    assert_eq!(page.send(COMMAND, &fourth, SNAPSHOT).await?.status, 200);

    let kept: Value = serde_json::from_slice(&std::fs::read(home.path().join("browsers"))?)?;
    assert_eq!(kept[0]["key"], page.key.public(), "what is kept signs nothing: {kept}");
    Ok(())
}

#[tokio::test]
async fn what_was_signed_before_a_restart_is_worth_nothing_after_it() -> Result<()> {
    let port = tokio::net::TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
    let home = Home::with_config(&format!("network:\n  port: {port}\n"))?;
    let mut gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let kept = page.signed(COMMAND, SNAPSHOT)?;
    gate.kill().await?;
    let _again = home.serve().await?;
    is_nobodys(&page.send(COMMAND, &kept, SNAPSHOT).await?, "out", "of a line that is no more")?;
    let page = page.again(&home).await?;
    assert!(page.command(json!({"command": "snapshot"})).await?.is_ok(), "the sign-in itself lasts");
    Ok(())
}

#[tokio::test]
async fn a_sign_in_that_is_stolen_without_its_key_is_nothing() -> Result<()> {
    let home = home("")?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    // All that the gate keeps and all that goes over the wire, and another key.
    let thief = PageKey::new()?;
    let said = Signing { host: &page.host, path: COMMAND, line: &page.line, number: 40 };
    let (own, theirs) = (page.key.authorization(said, SNAPSHOT)?, thief.authorization(said, SNAPSHOT)?);
    let signature = |shown: &str| shown.rsplit_once("signature=").map(|(_, signature)| signature.to_owned());
    let forged = own.replace(&signature(&own).context("signed")?, &signature(&theirs).context("signed")?);
    for (what, shown) in [("a key that nobody knows", &theirs), ("another's signature", &forged)] {
        is_nobodys(&page.send(COMMAND, shown, SNAPSHOT).await?, "out", what)?;
    }
    let opened = thief.authorization(Signing { path: "/ui/here", line: "", number: 0, ..said }, b"")?;
    is_nobodys(&page.send("/ui/here", &opened, b"").await?, "out", "nor does it get a line")?;
    assert_eq!(page.send(COMMAND, &own, SNAPSHOT).await?.status, 200, "and no number is used up by that");

    // Who has a link, and would sign in a key that they haven't got.
    let link = home.link().await?;
    let (host, code) = link_parts(&link)?;
    let body = json!({"code": code, "key": page.key.public()}).to_string();
    let shown =
        thief.authorization(Signing { host: &host, path: "/ui/sign-in", line: "", number: 0 }, body.as_bytes())?;
    is_nobodys(&page.send("/ui/sign-in", &shown, body.as_bytes()).await?, "none", "a key of somebody else's")?;
    SignedPage::follow(&home, &link).await.map(drop)
}

#[tokio::test]
async fn pages_of_others_can_do_nothing_with_the_persons_browser() -> Result<()> {
    // A page that may speak MCP with a token must not come in with what the person's browser signed.
    let home = home("  allowed_origins: [\"http://localhost:6274\"]\n")?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let http = &page.http;
    let own = format!("http://{}", page.host);
    for (what, sent, status) in [
        ("the gate's own page", vec![OWN, JSON], 200),
        ("an older browser", vec![("origin", own.as_str()), JSON], 200),
        ("a program that says nothing", vec![JSON], 403),
        ("another site", vec![("sec-fetch-site", "cross-site"), JSON], 403),
        ("another local program", vec![("sec-fetch-site", "same-site"), JSON], 403),
        ("the address bar", vec![("sec-fetch-site", "none"), JSON], 403),
        ("a foreign origin", vec![("origin", "https://evil.example"), OWN, JSON], 403),
        ("no origin at all", vec![("origin", "null"), JSON], 403),
        ("a page that the settings name", vec![("origin", "http://localhost:6274"), JSON], 403),
        ("a form", vec![OWN, ("content-type", "text/plain")], 415),
        ("a foreign host", vec![("host", "evil.example"), OWN, JSON], 403),
        ("the same gate by another name", vec![("host", http.address.as_str()), OWN, JSON], 401),
    ] {
        let signed = page.signed(COMMAND, SNAPSHOT)?;
        let mut all = sent.clone();
        all.push(("authorization", &signed));
        if !sent.iter().any(|(name, _)| *name == "host") {
            all.push(("host", &page.host));
        }
        let response = http.send("POST", COMMAND, &head(http, &all), SNAPSHOT).await?;
        assert_eq!(response.status, status, "{what}: {response:?}");
        assert_eq!(response.header("access-control-allow-origin"), None, "no other page may read: {what}");
        if status != 200 {
            let fault: Value = serde_json::from_str(&response.body)?;
            assert!(fault["mend"].as_str().is_some_and(|mend| !mend.is_empty()), "{what} says what to do: {fault}");
        }
    }
    let link = home.link().await?;
    let (host, code) = link_parts(&link)?;
    let elsewhere = send_code(http, &PageKey::new()?, &host, &code, &[("sec-fetch-site", "cross-site")]).await?;
    assert_eq!(elsewhere.status, 403, "nor does anybody sign in from elsewhere: {elsewhere:?}");
    SignedPage::follow(&home, &link).await?;
    for path in ["/index.html", "/favicon.ico", "/ui/download/x/y"] {
        let response = http.send("GET", path, &head(http, &[("sec-fetch-site", "cross-site")]), b"").await?;
        assert_eq!(response.status, 403, "nor can it be framed or loaded: {path}: {response:?}");
    }
    let asked = [("origin", "http://localhost:6274"), ("access-control-request-method", "POST")];
    let preflight = http.send("OPTIONS", COMMAND, &head(http, &asked), b"").await?;
    assert_eq!((preflight.status, preflight.header("access-control-allow-origin")), (403, None), "{preflight:?}");
    Ok(())
}

#[tokio::test]
async fn what_is_served_is_strict_and_kept_as_long_as_it_holds() -> Result<()> {
    let home = home("")?;
    let _gate = home.serve().await?;
    let http = Http::of(&home)?;
    let plain = head(&http, &[]);
    let shown = http.send("GET", "/", &plain, b"").await?;
    assert_eq!(shown.status, 200, "{shown:?}");
    let script = shown.body.split("./assets/").nth(1).and_then(|rest| rest.split('"').next()).context("a script")?;
    let asset = http.send("GET", &format!("/assets/{script}"), &plain, b"").await?;
    let refused = http.send("POST", "/ui/here", &head(&http, &[OWN]), b"").await?;
    for (what, response, kept) in [
        ("the page", &shown, "no-cache"),
        ("a file of it", &asset, "private, max-age=31536000, immutable"),
        ("what a stranger is told", &refused, "no-store"),
    ] {
        let policy = response.header("content-security-policy").context("a policy")?;
        for rule in ["default-src 'self'", "script-src 'self'", "object-src 'none'", "frame-ancestors 'none'"] {
            assert!(policy.split("; ").any(|said| said == rule), "{what}: {rule} in {policy}");
        }
        assert!(!policy.contains("unsafe"), "{what}: {policy}");
        assert_eq!(
            [
                response.header("x-content-type-options"),
                response.header("referrer-policy"),
                response.header("x-frame-options"),
                response.header("cross-origin-resource-policy"),
                response.header("cache-control"),
                response.header("set-cookie"),
            ],
            [Some("nosniff"), Some("no-referrer"), Some("DENY"), Some("same-origin"), Some(kept), None],
            "{what}"
        );
    }
    assert!(asset.header("content-type").is_some_and(|kind| kind.starts_with("text/javascript")), "{asset:?}");
    for path in ["/assets/none.js", "/assets/../token", "/assets/%2e%2e/token", "/ui/", "/ui/download/x/y"] {
        let response = http.send("GET", path, &plain, b"").await?;
        assert_eq!(response.status, 404, "{path}: {response:?}");
    }
    let page = SignedPage::sign_in(&home).await?;
    for command in ["stop", "link", "tokens", "rotate_token"] {
        let body = format!("{{\"command\":\"{command}\"}}");
        let response = page.send(COMMAND, &page.signed(COMMAND, body.as_bytes())?, body.as_bytes()).await?;
        assert_eq!(response.status, 400, "a page can't {command}: {response:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_link_is_spent_by_a_person_and_by_nothing_that_looks_ahead() -> Result<()> {
    let home = home("")?;
    let _gate = home.serve().await?;
    let (http, key) = (Http::of(&home)?, PageKey::new()?);
    let link = home.link().await?;
    let (host, code) = link_parts(&link)?;
    assert!(host.starts_with("localhost:"), "the name that both addresses have: {host}");
    let ahead = send_code(&http, &key, &host, &code, &[("sec-purpose", "prefetch;prerender")]).await?;
    assert_eq!(ahead.status, 503, "{ahead:?}");
    // What stands behind the `#` isn't sent: a program that fetches the link spends nothing.
    let looked = http.send("GET", "/", &head(&http, &[("host", &host)]), b"").await?;
    assert_eq!(looked.status, 200, "{looked:?}");
    let asked = http.send("GET", &format!("/?code={code}"), &head(&http, &[("host", &host)]), b"").await?;
    assert!(asked.status == 200 && !asked.body.contains(&code), "nor does it as links once were: {asked:?}");
    SignedPage::follow(&home, &link).await?;
    is_nobodys(&send_code(&http, &key, &host, &code, &[]).await?, "used", "a link is good once")?;
    is_nobodys(&send_code(&http, &key, &host, "<script>", &[]).await?, "unknown", "a link of nobody's")?;
    Ok(())
}

#[tokio::test]
async fn a_link_is_handed_to_the_browser_by_a_file_of_the_persons_alone() -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let bin = tempfile::tempdir()?;
    let (opener, found) = (bin.path().join("xdg-open"), bin.path().join("found"));
    let keep =
        "cp --preserve=mode \"$1\" \"$(dirname \"$0\")/page\" && printf '%s' \"$*\" > \"$(dirname \"$0\")/found\"";
    std::fs::write(&opener, format!("#!/bin/sh\n{keep}\n"))?;
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755))?;
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap_or_default());
    let (env, config) = (vec![("PATH".into(), path.into())], Some("network:\n  port: 0\n".to_owned()));
    let home = Home::with(HomeOptions { env, config, ..HomeOptions::default() })?;
    let _gate = home.serve().await?;
    let handed = async {
        let look = || async { Ok(std::fs::read_to_string(&found).ok().filter(|given| !given.is_empty())) };
        let given = eventually("the browser's argument", gate_tests::LIMIT, look).await?;
        assert!(given.ends_with(".html") && !given.contains("code"), "no argument tells the link: {given}");
        let page = bin.path().join("page");
        assert_eq!(std::fs::metadata(&page)?.permissions().mode() & 0o777, 0o600, "nobody else reads the file");
        let text = std::fs::read_to_string(&page)?;
        let link = text.split("url=").nth(1).and_then(|rest| rest.split('"').next()).context("it leads on")?;
        SignedPage::follow(&home, &json!(link)).await?;
        anyhow::Ok(given)
    };
    let (said, given) = tokio::try_join!(home.at_a_terminal("link --open --json"), handed)?;
    let said: Value = serde_json::from_str(said.trim())?;
    assert_eq!(said, json!({"opened": true, "signed_in": true}), "it ends when the browser is signed in");
    assert!(!std::path::Path::new(&given).exists(), "and the file is gone: {given}");
    Ok(())
}

#[tokio::test]
async fn links_are_for_a_person_at_a_terminal_and_agents_never_see_one() -> Result<()> {
    let home = home("")?;
    let gate = home.serve().await?;
    assert!(gate.ready["ui"].is_null(), "what is printed here is a log's: {}", gate.ready);
    let shown: Value = serde_json::from_str(home.at_a_terminal("serve").await?.trim())?;
    SignedPage::follow(&home, &shown["ui"]).await?;
    let refused = home.run(["link"]).await?;
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(4), ""), "{refused:?}");
    assert!(refused.stderr.contains("[scripted_answers_off]"), "{refused:?}");
    let second = home.run(["serve"]).await?.json()?;
    assert_eq!(
        (&second["already_running"], &second["pid"], &second["http"], &second["ui"]),
        (&json!(true), &gate.ready["pid"], &gate.ready["http"], &Value::Null),
        "a second start is no way around that: {second}"
    );
    SignedPage::sign_in(&home).await?;

    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "m", "title": "Mine"})).await?;
    home.waiting("Mine").await?;
    agent.cancel(call).await?;
    let logs = home.path().join("logs");
    for file in std::fs::read_dir(&logs)? {
        let text = std::fs::read_to_string(file?.path())?;
        assert!(!text.contains("code="), "no log holds a link: {text}");
    }
    Ok(())
}

#[tokio::test]
async fn a_running_gate_gives_a_further_link_to_whoever_starts_it_again() -> Result<()> {
    let home = home(SCRIPTS_ANSWER)?;
    let gate = home.serve().await?;
    let second = home.run(["serve"]).await?.json()?;
    assert_eq!((&second["pid"], &second["ui"]), (&gate.ready["pid"], &Value::Null), "a log would keep it: {second}");
    let further = || async { home.run(["serve", "--print-link"]).await?.json() };
    let links = [further().await?, further().await?];
    assert_ne!(links[0]["ui"], links[1]["ui"], "each link is good once");
    for link in &links {
        SignedPage::follow(&home, &link["ui"]).await?;
    }
    let off = home.run(["status", "--json"]).await?.json()?;
    assert!(!off.to_string().contains("code="), "the status is for everyone: {off}");
    Ok(())
}

#[tokio::test]
async fn without_http_there_is_no_page_and_no_link() -> Result<()> {
    let home = Home::with_config("network:\n  http: false\n")?;
    let gate = home.serve().await?;
    assert_eq!((&gate.ready["http"], &gate.ready["ui"]), (&Value::Null, &Value::Null), "{}", gate.ready);
    let line = format!("{} link", home.command_line()?.display());
    let (code, refused) = Terminal::start(&home, &line)?.ended().await?;
    assert!(code == Some(4) && refused.contains("network.http"), "{code:?} {refused}");
    Ok(())
}

#[tokio::test]
async fn a_gate_that_a_relay_started_gives_its_link_to_nobody() -> Result<()> {
    let home = home("")?;
    let agent = Agent::start(&home, "claude-code").await?;
    agent.call(json!({"message": "m", "title": "Mine"})).await?;
    home.waiting("Mine").await?;
    let gate = home.gate().context("the relay has started a gate")?;
    let output = std::fs::read_link(format!("/proc/{}/fd/1", gate.pid()))?;
    assert_eq!(output.to_str(), Some("/dev/null"), "what serve prints goes nowhere");
    SignedPage::sign_in(&home).await?;
    let kept = || async { Ok(home.path().join("browsers").exists().then_some(())) };
    eventually("who is signed in is kept", gate_tests::LIMIT, kept).await
}
