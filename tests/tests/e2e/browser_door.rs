//! Who has no business at the gate's page: strangers, other origins, tokens of MCP; and what a browser is
//! told to keep to.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, Http, Response, eventually};
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

/// Follows a link, and gives the cookie as a browser sends it back.
async fn sign_in(http: &Http, link: &Value) -> Result<String> {
    let response = follow(http, link, &[]).await?;
    assert_eq!((response.status, response.header("location")), (303, Some("/")), "{response:?}");
    let cookie = response.header("set-cookie").context("a cookie")?;
    for rule in ["; HttpOnly", "; SameSite=Strict", "; Path=/", "; Max-Age=2592000"] {
        assert!(cookie.contains(rule), "{rule} in {cookie}");
    }
    assert!(!cookie.contains("Domain") && !cookie.contains("Secure"), "this host only, over plain HTTP: {cookie}");
    Ok(cookie.split(';').next().unwrap_or_default().to_owned())
}

async fn follow(http: &Http, link: &Value, further: &[(&str, &str)]) -> Result<Response> {
    let link = link.as_str().context("a link")?;
    let path = link.strip_prefix(&format!("http://{}", http.address)).context("a link to this gate")?;
    http.send("GET", path, &head(http, further), b"").await
}

const SNAPSHOT: &[u8] = b"{\"command\":\"snapshot\"}";

#[tokio::test]
async fn a_cookie_opens_the_page_only_and_a_token_opens_mcp_only() -> Result<()> {
    let home = home("")?;
    let _gate = home.serve().await?;
    let http = Http::of(&home)?;
    let cookie = sign_in(&http, &home.link().await?).await?;
    let json = ("content-type", "application/json");
    let own = ("sec-fetch-site", "same-origin");
    let signed_in = [("cookie", cookie.as_str()), own, json];
    let answer = http.send("POST", "/ui/command", &head(&http, &signed_in), SNAPSHOT).await?;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(serde_json::from_str::<Value>(&answer.body)?["requests"], json!([]), "a snapshot: {answer:?}");

    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).to_string();
    let mcp = [("cookie", cookie.as_str()), own, json, ("accept", "application/json, text/event-stream")];
    let response = http.send("POST", "/mcp", &head(&http, &mcp), list.as_bytes()).await?;
    assert_eq!(response.status, 401, "a cookie is nothing to MCP: {response:?}");
    let value = cookie.split_once('=').context("a name and a value")?.1;
    let bearer = format!("Bearer {value}");
    let response =
        http.send("POST", "/mcp", &head(&http, &[("authorization", &bearer), json]), list.as_bytes()).await?;
    assert_eq!(response.status, 401, "nor is it a token: {response:?}");

    let name = cookie.split_once('=').context("a name and a value")?.0;
    let token = format!("Bearer {}", http.token);
    let as_cookie = format!("{name}={}", http.token);
    for (what, shown) in [
        ("nothing", ("accept", "*/*")),
        ("the person's token", ("authorization", token.as_str())),
        ("the token as a cookie", ("cookie", as_cookie.as_str())),
        ("a cookie of another name", ("cookie", "review_gate_1=x")),
    ] {
        for (method, path) in
            [("POST", "/ui/command"), ("GET", "/ui/events"), ("GET", "/ui/here"), ("GET", "/assets/index.js")]
        {
            let response = http.send(method, path, &head(&http, &[shown, own, json]), SNAPSHOT).await?;
            assert_eq!(response.status, 401, "{what} opens {path}: {response:?}");
            assert_eq!(serde_json::from_str::<Value>(&response.body)?["code"], "signed_out", "{what}, {path}");
        }
        let page = http.send("GET", "/", &head(&http, &[shown]), b"").await?;
        assert!(page.status == 401 && page.body.contains("review-gate link"), "{what} shows how to sign in: {page:?}");
        assert!(!page.body.contains("<script"), "and nothing of the page: {page:?}");
    }
    Ok(())
}

#[tokio::test]
async fn pages_of_others_can_do_nothing_with_the_persons_cookie() -> Result<()> {
    // A page that may speak MCP with a token must not come in with the person's cookie.
    let home = home("  allowed_origins: [\"http://localhost:6274\"]\n")?;
    let _gate = home.serve().await?;
    let http = Http::of(&home)?;
    let cookie = sign_in(&http, &home.link().await?).await?;
    let own = format!("http://{}", http.address);
    let json = ("content-type", "application/json");
    for (what, sent, status) in [
        ("the gate's own page", vec![("sec-fetch-site", "same-origin"), json], 200),
        ("an older browser", vec![("origin", own.as_str()), json], 200),
        ("a program that says nothing", vec![json], 403),
        ("another site", vec![("sec-fetch-site", "cross-site"), json], 403),
        ("another local program", vec![("sec-fetch-site", "same-site"), json], 403),
        ("the address bar", vec![("sec-fetch-site", "none"), json], 403),
        ("a foreign origin", vec![("origin", "https://evil.example"), ("sec-fetch-site", "same-origin"), json], 403),
        ("no origin at all", vec![("origin", "null"), json], 403),
        ("a page that the settings name", vec![("origin", "http://localhost:6274"), json], 403),
        ("a form", vec![("sec-fetch-site", "same-origin"), ("content-type", "text/plain")], 415),
        ("a foreign host", vec![("host", "evil.example"), ("sec-fetch-site", "same-origin"), json], 403),
        ("the same gate by another name", vec![("host", "localhost"), ("sec-fetch-site", "same-origin"), json], 401),
    ] {
        let all: Vec<_> = sent.iter().copied().chain([("cookie", cookie.as_str())]).collect();
        let response = http.send("POST", "/ui/command", &head(&http, &all), SNAPSHOT).await?;
        assert_eq!(response.status, status, "{what}: {response:?}");
        assert_eq!(response.header("access-control-allow-origin"), None, "no other page may read: {what}");
        if status != 200 {
            let fault: Value = serde_json::from_str(&response.body)?;
            assert!(fault["mend"].as_str().is_some_and(|mend| !mend.is_empty()), "{what} says what to do: {fault}");
        }
    }
    for path in ["/ui/events", "/ui/here", "/index.html"] {
        let elsewhere = [("cookie", cookie.as_str()), ("sec-fetch-site", "cross-site")];
        let response = http.send("GET", path, &head(&http, &elsewhere), b"").await?;
        assert_eq!(response.status, 403, "nor can it be framed or loaded: {path}: {response:?}");
    }
    let asked = [("origin", "http://localhost:6274"), ("access-control-request-method", "POST")];
    let preflight = http.send("OPTIONS", "/ui/command", &head(&http, &asked), b"").await?;
    assert_eq!((preflight.status, preflight.header("access-control-allow-origin")), (401, None), "{preflight:?}");
    Ok(())
}

#[tokio::test]
async fn what_is_served_is_strict_and_kept_as_long_as_it_holds() -> Result<()> {
    let home = home("")?;
    let _gate = home.serve().await?;
    let http = Http::of(&home)?;
    let cookie = sign_in(&http, &home.link().await?).await?;
    let signed_in = head(&http, &[("cookie", cookie.as_str())]);
    let page = http.send("GET", "/", &signed_in, b"").await?;
    assert_eq!(page.status, 200, "{page:?}");
    let script = page.body.split("./assets/").nth(1).and_then(|rest| rest.split('"').next()).context("a script")?;
    let asset = http.send("GET", &format!("/assets/{script}"), &signed_in, b"").await?;
    let stranger = http.send("GET", "/", &head(&http, &[]), b"").await?;
    for (what, response, kept) in [
        ("the page", &page, "no-cache"),
        ("a file of it", &asset, "private, max-age=31536000, immutable"),
        ("a stranger's page", &stranger, "no-store"),
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
            ],
            [Some("nosniff"), Some("no-referrer"), Some("DENY"), Some("same-origin"), Some(kept)],
            "{what}"
        );
    }
    assert!(asset.header("content-type").is_some_and(|kind| kind.starts_with("text/javascript")), "{asset:?}");
    for path in ["/assets/none.js", "/assets/../token", "/assets/%2e%2e/token", "/ui/", "/ui/download/x/y"] {
        let response = http.send("GET", path, &signed_in, b"").await?;
        assert_eq!(response.status, 404, "{path}: {response:?}");
    }
    for command in ["stop", "link", "sign_out", "tokens", "rotate_token"] {
        let own =
            [("cookie", cookie.as_str()), ("sec-fetch-site", "same-origin"), ("content-type", "application/json")];
        let body = format!("{{\"command\":\"{command}\"}}");
        let response = http.send("POST", "/ui/command", &head(&http, &own), body.as_bytes()).await?;
        assert_eq!(response.status, 400, "a page can't {command}: {response:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_link_is_spent_by_a_person_and_by_nothing_that_looks_ahead() -> Result<()> {
    let home = home("")?;
    let _gate = home.serve().await?;
    let http = Http::of(&home)?;
    let link = &home.link().await?;
    let ahead = follow(&http, link, &[("sec-purpose", "prefetch;prerender")]).await?;
    assert_eq!((ahead.status, ahead.header("set-cookie")), (503, None), "{ahead:?}");
    let path = link.as_str().and_then(|link| link.split_once(&http.address)).context("a link")?.1;
    let looked = http.send("HEAD", path, &head(&http, &[]), b"").await?;
    assert_eq!((looked.status, looked.header("set-cookie")), (401, None), "{looked:?}");
    sign_in(&http, link).await?;
    let again = follow(&http, link, &[("accept-language", "zh-CN,zh;q=0.9")]).await?;
    assert_eq!((again.status, again.header("set-cookie")), (410, None), "{again:?}");
    assert!(again.body.contains("此链接已被使用"), "in the person's language: {}", again.body);
    let wrong = http.send("GET", "/?code=%22%3E%3Cscript%3E", &head(&http, &[]), b"").await?;
    assert!(wrong.status == 403 && !wrong.body.contains("script"), "nothing comes back of what was sent: {wrong:?}");
    Ok(())
}

#[tokio::test]
async fn links_are_for_a_person_at_a_terminal_and_agents_never_see_one() -> Result<()> {
    let home = home("security:\n  scripted_answers: false\n")?;
    let gate = home.serve().await?;
    assert!(gate.ready["ui"].is_null(), "what is printed here is a log's: {}", gate.ready);
    let shown: Value = serde_json::from_str(home.at_a_terminal("serve").await?.trim())?;
    sign_in(&Http::of(&home)?, &shown["ui"]).await?;
    let refused = home.run(["link"]).await?;
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(4), ""), "{refused:?}");
    assert!(refused.stderr.contains("[scripted_answers_off]"), "{refused:?}");
    let second = home.run(["serve"]).await?.json()?;
    assert_eq!(
        (&second["already_running"], &second["pid"], &second["http"], &second["ui"]),
        (&json!(true), &gate.ready["pid"], &gate.ready["http"], &Value::Null),
        "a second start is no way around that: {second}"
    );
    sign_in(&Http::of(&home)?, &home.link().await?).await?;

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
    let home = home("security:\n  scripted_answers: true\n")?;
    let gate = home.serve().await?;
    let second = home.run(["serve"]).await?.json()?;
    assert_eq!((&second["pid"], &second["ui"]), (&gate.ready["pid"], &Value::Null), "a log would keep it: {second}");
    let further = || async { home.run(["serve", "--print-link"]).await?.json() };
    let links = [further().await?, further().await?];
    assert_ne!(links[0]["ui"], links[1]["ui"], "each link is good once");
    let http = Http::of(&home)?;
    for link in &links {
        sign_in(&http, &link["ui"]).await?;
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
    let refused = home.run(["link"]).await?;
    assert!(refused.code == Some(4) && refused.stderr.contains("network.http"), "{refused:?}");
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
    let made = home.run(["link", "--json"]).await?.json()?;
    sign_in(&Http::of(&home)?, &made["ui"]).await?;
    let kept = || async { Ok(home.path().join("browsers").exists().then_some(())) };
    eventually("who is signed in is kept", gate_tests::LIMIT, kept).await
}
