//! The gate over HTTP, in both protocol eras: who is let in, and that a call survives what happens
//! to its connection and to the gate.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, Home, Http, LIMIT, Ran, Response, SCRIPTS_ANSWER, eventually};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// A home that no other test's gate can take the port of, and whose answers scripts give.
fn home() -> Result<Home> {
    Home::with_scripts_and_env([("REVIEW_GATE__NETWORK__PORT", "0")])
}

async fn session(home: &Home) -> Result<Arc<Http>> {
    let mut http = Http::of(home)?;
    http.initialize("http-client").await?;
    Ok(Arc::new(http))
}

/// A call that waits, on a task of its own.
fn calling(http: &Arc<Http>, title: &str) -> tokio::task::JoinHandle<Result<Response>> {
    let (http, arguments) = (Arc::clone(http), question(title));
    tokio::spawn(async move { http.chat(arguments).await })
}

fn question(title: &str) -> Value {
    json!({"message": format!("{title}?"), "title": title, "approval": true})
}

async fn number(home: &Home, sql: &str) -> Result<Option<i64>> {
    Ok(home.rows(sql).await?.first().and_then(|row| row.as_object()?.values().next()?.as_i64()))
}

async fn delivered(home: &Home) -> Result<()> {
    let look = || async {
        let left = number(home, "SELECT count(*) AS n FROM replies WHERE delivered_at IS NULL").await?;
        Ok((left == Some(0)).then_some(()))
    };
    eventually("every reply is noted as delivered", LIMIT, look).await
}

#[tokio::test]
async fn both_eras_are_answered_on_one_endpoint() -> Result<()> {
    let home = home()?;
    let gate = home.serve().await?;
    assert_eq!(gate.ready["http"], format!("http://{}", Http::of(&home)?.address), "serve says where");
    let http = session(&home).await?;
    let with_session = calling(&http, "session");
    let id = home.waiting("session").await?;
    home.answer(&id, ["--approve", "--text", "go"]).await?;
    let outcome = with_session.await??.outcome()?;
    assert_eq!(
        (&outcome["status"], &outcome["decision"], &outcome["text"]),
        (&json!("answered"), &json!("approved"), &json!("go"))
    );

    let modern = Http::of(&home)?;
    let without = tokio::spawn(async move { modern.chat_stateless("modern", question("stateless")).await });
    let id = home.waiting("stateless").await?;
    home.answer(&id, ["--request-changes", "--text", "no"]).await?;
    let outcome = without.await??.outcome()?;
    assert_eq!((&outcome["decision"], &outcome["text"]), (&json!("changes_requested"), &json!("no")));
    delivered(&home).await?;

    let again = http.chat(json!({"message": "x", "request_id": outcome["request_id"]})).await?.outcome()?;
    assert_eq!(again["text"], "no", "a delivered reply can be read again");
    let seen = home.rows("SELECT DISTINCT transport, protocol_version FROM conversations ORDER BY 2").await?;
    let eras: Vec<_> = seen.iter().map(|row| row["protocol_version"].as_str().unwrap_or_default()).collect();
    assert_eq!(eras, ["2025-11-25", "2026-07-28"], "the record says what each client spoke");
    Ok(())
}

#[tokio::test]
async fn who_has_no_business_here_is_refused_before_anything_is_read() -> Result<()> {
    let home = Home::with_env([("REVIEW_GATE__NETWORK__PORT", "0")])?;
    let _gate = home.serve().await?;
    let http = session(&home).await?;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).to_string();
    let with = |name: &str, value: &str| {
        let mut head = http.head(&[]);
        head.retain(|(known, _)| known != name);
        head.push((name.to_owned(), value.to_owned()));
        head
    };
    let without_token: Vec<_> = http.head(&[]).into_iter().filter(|(name, _)| name != "authorization").collect();
    let cases = [
        ("no token", without_token.clone(), 401),
        ("a wrong token", with("authorization", "Bearer rg_wrong"), 401),
        ("another scheme", with("authorization", &format!("Basic {}", http.token)), 401),
        ("a foreign host", with("host", "evil.example"), 403),
        ("a name that ends like ours", with("host", "evil.example:8321@127.0.0.1"), 403),
        ("a foreign page", with("origin", "https://evil.example"), 403),
        ("a page without an origin", with("origin", "null"), 403),
        ("another local program's page", with("origin", "http://127.0.0.1:1"), 403),
        ("the gate's own page", with("origin", &format!("http://{}", http.address)), 200),
        ("a forwarded port", with("host", "localhost:9999"), 200),
    ];
    for (what, head, status) in cases {
        let response = http.send("POST", "/mcp", &head, list.as_bytes()).await?;
        assert_eq!(response.status, status, "{what}: {response:?}");
        assert_eq!(response.header("access-control-allow-origin"), None, "no page may read anything: {what}");
        if status != 200 {
            let fault: Value = serde_json::from_str(&response.body)?;
            assert!(fault["mend"].as_str().is_some_and(|mend| !mend.is_empty()), "{what} says what to do: {fault}");
        }
    }
    let refused = http.send("POST", "/mcp", &without_token, list.as_bytes()).await?;
    assert!(refused.header("www-authenticate").is_some_and(|scheme| scheme.starts_with("Bearer")), "{refused:?}");
    let alive = http.send("GET", "/healthz", &[("host".to_owned(), http.address.clone())], b"").await?;
    assert_eq!((alive.status, alive.body.as_str()), (200, "{\"status\":\"ok\"}"), "a stranger learns no more");
    let preflight = http.send("OPTIONS", "/mcp", &http.head(&[]), b"").await?;
    assert_eq!(preflight.status, 405, "pages are promised nothing");
    for (path, status) in ["/mcp/gate", "/mcp/broker", "/mcp/gsd", "/mcp/all"]
        .map(|path| (path, 200))
        .into_iter()
        .chain([("/mcp/kitchen", 404), ("/", 404)])
    {
        let mut fresh = Http::of(&home)?;
        fresh.session = None;
        let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
        let response = fresh.send("POST", path, &fresh.head(&[]), begin.to_string().as_bytes()).await?;
        assert_eq!(response.status, status, "{path}: {response:?}");
    }
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "nobody has asked anything");
    Ok(())
}

#[tokio::test]
async fn too_much_too_slow_and_too_little_are_refused_with_a_word() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let http = session(&home).await?;
    let large = vec![b' '; 48 * 1024 * 1024 + 1];
    let response = http.send("POST", "/mcp", &http.head(&[]), &large).await?;
    assert_eq!(response.status, 413, "{response:?}");
    assert!(response.body.contains("50331648 bytes"), "the bound is named: {}", response.body);

    let many: Vec<(String, String)> = (0..100).map(|n| (format!("x-{n}"), "x".to_owned())).collect();
    let head = [http.head(&[]), many].concat();
    let response = http.send("POST", "/mcp", &head, b"{}").await?;
    assert_eq!(response.status, 431, "too many headers: {response:?}");
    let long = [http.head(&[]), vec![("x".to_owned(), "x".repeat(64 * 1024))]].concat();
    let response = http.send("POST", "/mcp", &long, b"{}").await?;
    assert_eq!(response.status, 431, "too long a head: {response:?}");

    let mut half = tokio::net::TcpStream::connect(&http.address).await?;
    let mut head = String::from("POST /mcp HTTP/1.1\r\ncontent-length: 100\r\n");
    for (name, value) in http.head(&[]) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    half.write_all(format!("{head}\r\n{{\"jsonrpc\"").as_bytes()).await?;
    half.shutdown().await?;
    let mut answer = String::new();
    half.read_to_string(&mut answer).await?;
    assert!(answer.starts_with("HTTP/1.1 400") || answer.is_empty(), "half a body is no request: {answer}");

    let broken = http.send("POST", "/mcp", &http.head(&[]), b"{not json").await?;
    assert!((400..500).contains(&broken.status), "what is no JSON: {broken:?}");
    let mut unknown = Http::of(&home)?;
    unknown.session = Some("nobody".to_owned());
    let response = unknown.chat(question("unknown session")).await?;
    assert_eq!(response.status, 404, "a session that never was: {response:?}");
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "nothing of it became a question");
    Ok(())
}

#[tokio::test]
async fn a_connection_that_shows_no_token_is_ended() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let http = Http::of(&home)?;
    let mut silent = tokio::net::TcpStream::connect(&http.address).await?;
    let mut slow = tokio::net::TcpStream::connect(&http.address).await?;
    slow.write_all(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\nautho").await?;
    for stream in [&mut silent, &mut slow] {
        let mut rest = Vec::new();
        // Broken off or closed, with a word or without: it is over.
        let _ = tokio::time::timeout(LIMIT, stream.read_to_end(&mut rest)).await.context("it is left open")?;
    }
    Ok(())
}

#[tokio::test]
async fn a_token_of_ones_own_names_the_client_and_shuts_it_out() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let token = home.run(["token", "create", "laptop"]).await?.succeeded()?.stdout.trim().to_owned();
    let mut http = Http::of(&home)?;
    let own = std::mem::replace(&mut http.token, token.clone());
    http.initialize("codex").await?;
    let http = Arc::new(http);
    let call = calling(&http, "named");
    home.waiting("named").await?;
    let named = home.rows("SELECT token_name FROM conversations").await?;
    assert_eq!(named.first().map(|row| &row["token_name"]), Some(&json!("laptop")), "the record says who asked");
    // Without the clients of whoever runs this test.
    let mut doctor = home.command(["doctor"])?;
    doctor.env("HOME", home.folder()).env("XDG_CONFIG_HOME", home.folder());
    let doctor = Ran::of(doctor).await?.succeeded()?.stdout;
    assert!(doctor.contains("token laptop") && doctor.contains("protocol 2025-11-25"), "so does doctor: {doctor}");

    let twice = home.run(["token", "create", "laptop"]).await?;
    assert!(twice.code == Some(4) && twice.stderr.contains("unknown_token"), "a name is given once: {twice:?}");
    home.run(["token", "revoke", "laptop"]).await?.succeeded()?;
    assert!(call.await?.is_err(), "the open call's connection ends");
    let refused = http.chat(question("named")).await?;
    assert_eq!(refused.status, 401, "and no new one begins: {refused:?}");
    assert_eq!(home.pending().await?.len(), 1, "what it had asked stays open");
    let list = home.run(["token", "list"]).await?.succeeded()?.stdout;
    assert!(list.contains("laptop") && list.contains("revoked") && !list.contains(&token), "{list}");

    home.run(["token", "rotate"]).await?.succeeded()?;
    let mut old = Http::of(&home)?;
    let new = std::mem::replace(&mut old.token, own);
    assert_eq!(old.chat(question("old")).await?.status, 401, "the person's old token is worthless");
    old.token = new;
    old.initialize("codex").await?;
    Ok(())
}

#[tokio::test]
async fn a_call_that_is_issued_again_after_a_kill_finds_its_request_and_its_reply() -> Result<()> {
    let home = Home::with_scripts_and_env([("REVIEW_GATE__NETWORK__PORT", "0")])?;
    let mut gate = home.serve().await?;
    let http = session(&home).await?;
    let (first, second) = (calling(&http, "first"), calling(&http, "second"));
    let (first_id, second_id) = (home.waiting("first").await?, home.waiting("second").await?);
    gate.kill().await?;
    assert!(first.await?.is_err() && second.await?.is_err(), "the calls end with the gate");

    let _gate = home.serve().await?;
    let moved = Arc::new(http.again(&home)?);
    home.answer(&second_id, ["--approve"]).await?;
    let first = calling(&moved, "first");
    let outcome = moved.chat(question("second")).await?.outcome()?;
    assert_eq!(outcome["request_id"], *second_id, "a reply that was given meanwhile is not asked for again");
    assert_eq!(outcome["decision"], "approved");
    let look = || async {
        let waits = number(&home, "SELECT count(*) AS n FROM calls").await?;
        Ok((waits == Some(1)).then_some(()))
    };
    eventually("the first call waits for its old request", LIMIT, look).await?;
    home.answer(&first_id, ["--request-changes", "--text", "wait"]).await?;
    let outcome = first.await??.outcome()?;
    assert_eq!((&outcome["request_id"], &outcome["text"]), (&json!(first_id), &json!("wait")));
    assert_eq!(number(&home, "SELECT count(*) AS n FROM review_requests").await?, Some(2), "nothing was asked twice");
    delivered(&home).await
}

#[tokio::test]
async fn a_client_that_goes_away_takes_nothing_back_unless_it_says_so() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let http = session(&home).await?;
    let call = |id: u32, title: &str| {
        let params = json!({"name": "review_gate_chat", "arguments": question(title)});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    let gone = http.write("POST", "/mcp", &http.head(&[]), call(77, "left").as_bytes()).await?;
    let id = home.waiting("left").await?;
    drop(gone);
    let waits = || async {
        let pending = home.pending().await?;
        Ok((pending.len() == 1).then_some(()))
    };
    eventually("the request stays", LIMIT, waits).await?;
    home.answer(&id, ["--approve"]).await?;
    let outcome = http.chat(question("left")).await?.outcome()?;
    assert_eq!(
        (&outcome["request_id"], &outcome["decision"]),
        (&json!(id), &json!("approved")),
        "it comes back for it"
    );

    let head = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "review_gate_chat")];
    let modern = Http::of(&home)?;
    let params = json!({"name": "review_gate_chat", "arguments": question("modern"),
        "_meta": gate_tests::stateless_meta("modern")});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let gone = modern.write("POST", "/mcp", &modern.head(&head), body.as_bytes()).await?;
    let id = home.waiting("modern").await?;
    drop(gone);
    home.answer(&id, ["--approve"]).await?;
    let outcome = modern.chat_stateless("modern", question("modern")).await?.outcome()?;
    assert_eq!(outcome["request_id"], *id, "the call was cancelled with its connection, the question was not");

    let _open = http.write("POST", "/mcp", &http.head(&[]), call(78, "withdrawn").as_bytes()).await?;
    home.waiting("withdrawn").await?;
    let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 78}});
    http.send("POST", "/mcp", &http.head(&[]), note.to_string().as_bytes()).await?;
    let withdrawn = || async { Ok(home.pending().await?.is_empty().then_some(())) };
    eventually("a call that is taken back withdraws its request", LIMIT, withdrawn).await
}

#[tokio::test]
async fn a_client_that_lost_its_stream_goes_on_with_it() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let http = session(&home).await?;
    let body = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call",
        "params": {"name": "review_gate_chat", "arguments": question("resumed")}});
    let mut stream = http.write("POST", "/mcp", &http.head(&[]), body.to_string().as_bytes()).await?;
    let mut begun = String::new();
    while !begun.contains("\nid: ") && !begun.contains("\r\nid: ") {
        let mut bytes = [0; 1024];
        let count = stream.read(&mut bytes).await?;
        assert!(count > 0, "the stream begins with an id: {begun}");
        begun.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    let event = begun.lines().find_map(|line| line.strip_prefix("id: ")).context("an event's id")?.trim().to_owned();
    let id = home.waiting("resumed").await?;
    drop(stream);
    let mut head = http.head(&[("last-event-id", &event)]);
    head.retain(|(name, _)| name != "accept" && name != "content-type");
    head.push(("accept".to_owned(), "text/event-stream".to_owned()));
    let mut stream = http.write("GET", "/mcp", &head, b"").await?;
    let mut answer = Vec::new();
    while !answer.windows(4).any(|window| window == b"\r\n\r\n") {
        assert!(stream.read_buf(&mut answer).await? > 0, "the stream is opened again");
    }
    home.answer(&id, ["--approve"]).await?;
    stream.read_to_end(&mut answer).await?;
    let resumed = Response::of(&answer)?;
    assert_eq!(resumed.outcome()?["request_id"], *id, "the result comes in the new stream");
    delivered(&home).await
}

#[tokio::test]
async fn a_page_that_the_settings_name_may_speak_to_the_gate_with_its_token() -> Result<()> {
    let page = "http://localhost:6274";
    let home = Home::with_config(&format!("network:\n  port: 0\n  allowed_origins: ['{page}']\n"))?;
    let _gate = home.serve().await?;
    let http = Http::of(&home)?;
    let asks = [("origin", page), ("access-control-request-headers", "authorization,content-type")];
    let preflight = http.send("OPTIONS", "/mcp", &http.head(&asks), b"").await?;
    assert_eq!(preflight.status, 204, "{preflight:?}");
    assert_eq!(preflight.header("access-control-allow-headers"), Some("authorization,content-type"));
    let begin =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "p", "version": "1"}});
    let answer = http.post("initialize", begin.clone(), &[("origin", page)]).await?;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some(page)));
    assert_eq!(answer.header("access-control-expose-headers"), Some("mcp-session-id"));
    let other = http.post("initialize", begin, &[("origin", "http://localhost:6275")]).await?;
    assert_eq!((other.status, other.header("access-control-allow-origin")), (403, None), "no other page");
    Ok(())
}

#[tokio::test]
async fn one_agents_answer_is_never_anothers_though_they_ask_the_same() -> Result<()> {
    let home =
        Home::with_config(&format!("network:\n  port: 0\nwaiting:\n  clients:\n    impatient: 5\n{SCRIPTS_ANSWER}"))?;
    let _gate = home.serve().await?;
    let mut clients = Vec::new();
    for name in ["one", "other"] {
        let token = home.run(["token", "create", name]).await?.succeeded()?.stdout.trim().to_owned();
        let mut http = Http::of(&home)?;
        http.token = token;
        clients.push(http);
    }
    let pending = clients[0].chat_stateless("impatient", question("commit")).await?.outcome()?;
    assert_eq!(pending["status"], "pending", "the first one is told to come back with the request's id");
    let same = Http::of(&home)?;
    let again = tokio::spawn(async move { same.chat_stateless("impatient", question("commit")).await });
    let other = clients.remove(1);
    let another = tokio::spawn(async move { other.chat_stateless("impatient", question("commit")).await });
    let three = || async { Ok((home.pending().await?.len() == 3).then_some(())) };
    eventually("three questions, each for its own agent", LIMIT, three).await?;
    let id = pending["request_id"].as_str().context("an id")?;
    home.answer(id, ["--approve"]).await?;
    for call in [again, another] {
        assert_eq!(call.await??.outcome()?["status"], "pending", "what was approved for one isn't for the others");
    }
    let late = clients[0].chat_stateless("impatient", question("commit")).await?.outcome()?;
    assert_eq!(late["status"], "pending", "without the id it is a question of its own");
    let resumed = json!({"message": "commit?", "request_id": id});
    assert_eq!(clients[0].chat_stateless("impatient", resumed).await?.outcome()?["decision"], "approved");
    Ok(())
}

#[tokio::test]
async fn a_busy_port_is_stepped_over_and_the_taken_one_is_recorded() -> Result<()> {
    let other = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let busy = other.local_addr()?.port();
    let home = Home::with_env([("REVIEW_GATE__NETWORK__PORT", busy.to_string())])?;
    let _gate = home.serve().await?;
    let http = Http::of(&home)?;
    assert_ne!(http.address, format!("127.0.0.1:{busy}"), "somebody else's port is left alone");
    let status = home.run(["status", "--json"]).await?.json()?;
    assert_eq!(status["http"], format!("http://{}", http.address), "status names the taken one");
    let snapshot = Control::open(&home).await?.command(json!({"command": "snapshot"})).await?;
    let warnings = snapshot.map_err(|fault| anyhow::anyhow!("{fault}"))?["warnings"].to_string();
    assert!(warnings.contains(&format!("Port {busy} is taken")), "the person is told: {warnings}");
    assert!(warnings.contains("review-gate token rotate"), "and what to do about what it was shown: {warnings}");
    home.run(["stop"]).await?.succeeded()?;
    let gone = || async { Ok((!home.path().join("http").exists()).then_some(())) };
    eventually("a gate that stops says that nothing is served any more", LIMIT, gone).await
}

#[tokio::test]
async fn without_http_the_gate_serves_its_socket_only() -> Result<()> {
    let home = Home::with_scripts_and_env([("REVIEW_GATE__NETWORK__HTTP", "false")])?;
    let gate = home.serve().await?;
    assert_eq!(gate.ready["http"], Value::Null);
    assert!(!home.path().join("http").exists(), "no address is recorded");
    let agent = Agent::start(&home, "stdio").await?;
    let call = agent.call(question("stdio")).await?;
    let id = home.waiting("stdio").await?;
    home.answer(&id, ["--approve"]).await?;
    assert_eq!(agent.outcome(call).await?["decision"], "approved");
    Ok(())
}

/// Answers with a file.
async fn attach(home: &Home, title: &str, file: &str) -> Result<()> {
    home.answer(&home.waiting(title).await?, ["--attach", file, "--approve"]).await
}

#[tokio::test]
async fn an_attached_file_has_a_path_over_stdio_alone() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let notes = home.folder().join("notes.txt");
    std::fs::write(&notes, "first\n")?;
    let file = notes.display().to_string();
    let (earlier, modern) = (session(&home).await?, Http::of(&home)?);
    let (response, attached) = tokio::join!(earlier.chat(question("earlier")), attach(&home, "earlier", &file));
    attached?;
    let earlier_result = response?.answer()?["result"].take();
    let asked = modern.chat_stateless("modern", question("modern"));
    let (response, attached) = tokio::join!(asked, attach(&home, "modern", &file));
    attached?;
    let modern_result = response?.answer()?["result"].take();
    for result in [&earlier_result, &modern_result] {
        let link = &result["structuredContent"]["attachments"][0];
        assert_eq!((&link["name"], link.get("path")), (&json!("notes.txt"), None), "it may be on another machine");
        let told = result["content"][0]["text"].as_str().context("a text")?;
        assert!(told.contains("notes.txt") && !told.contains("to be read at"), "nor does the text name one: {told}");
        assert_eq!(result["content"][1]["type"], "resource_link", "it reads the resource: {result}");
    }
    let uri = &earlier_result["structuredContent"]["attachments"][0]["uri"];
    let read = earlier.post("resources/read", json!({"uri": uri}), &[]).await?.answer()?;
    assert_eq!(read["result"]["contents"][0]["text"], "first\n", "{read}");

    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(question("stdio")).await?;
    attach(&home, "stdio", &file).await?;
    let result = agent.result(call).await?;
    let path = result["structuredContent"]["attachments"][0]["path"].as_str().context("a path over stdio")?;
    assert_eq!(std::fs::read_to_string(path)?, "first\n", "a copy that the agent may read");
    Ok(())
}
