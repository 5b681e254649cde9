//! Who subscribes hears: both eras over both transports, and a client that this project did not
//! write.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use gate_tests::{Agent, Client, Home, Http, LIMIT, Official, stateless_meta};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

/// How late an update may be on a machine that does other things, too. 100 ms are promised.
const LATE: Duration = Duration::from_secs(2);
const CONVERSATIONS: &str = "file://review-gate/conversations";
const UPDATED: &str = "notifications/resources/updated";
const LIST_CHANGED: &str = "notifications/resources/list_changed";

fn home() -> Result<Home> {
    Home::with_scripts_and_env([("REVIEW_GATE__NETWORK__PORT", "0")])
}

async fn tool(agent: &Agent, name: &str, arguments: Value) -> Result<Value> {
    let call = agent.request("tools/call", json!({"name": name, "arguments": arguments})).await?;
    agent.outcome(call).await
}

/// An agent at work, and its session.
async fn worker(home: &Home) -> Result<(Agent, Value)> {
    let agent = Agent::start(home, "worker").await?;
    let session = tool(&agent, "review_gate_update_progress", json!({"progress_percent": 1})).await?;
    Ok((agent, session["session_uuid"].clone()))
}

/// A response that goes on, event by event.
struct Stream {
    stream: TcpStream,
    text: String,
}

impl Stream {
    /// The stream of a response whose head is there: what is sent from now on comes through it.
    async fn of(stream: TcpStream) -> Result<Self> {
        let mut begun = Self { stream, text: String::new() };
        begun.until("a head", |text| text.contains("\r\n\r\n").then_some(())).await?;
        Ok(begun)
    }

    /// Reads on until a message of this method came; gives it.
    async fn told(&mut self, method: &str) -> Result<Value> {
        let told = self.until(method, |text| {
            let whole = text.rfind('\n').map_or("", |end| text.split_at(end).0);
            let messages = whole.lines().filter_map(|line| line.strip_prefix("data:"));
            let mut messages = messages.filter_map(|data| serde_json::from_str::<Value>(data).ok());
            messages.find(|message| message["method"] == method)
        });
        told.await
    }

    /// Reads on until `look` finds something in what was read.
    async fn until<T>(&mut self, what: &str, look: impl Fn(&str) -> Option<T>) -> Result<T> {
        let reading = async {
            let mut bytes = vec![0; 16 * 1024];
            loop {
                if let Some(found) = look(&self.text) {
                    return Ok(found);
                }
                match self.stream.read(&mut bytes).await? {
                    0 => bail!("the stream ended without {what}: {}", self.text),
                    count => self.text.push_str(&String::from_utf8_lossy(bytes.get(..count).unwrap_or_default())),
                }
            }
        };
        tokio::time::timeout(LIMIT, reading).await.with_context(|| format!("no {what} in time"))?
    }
}

#[tokio::test]
async fn both_eras_hear_of_changes_over_stdio() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let (worker, session) = worker(&home).await?;
    let uri = format!("{CONVERSATIONS}/{}", session.as_str().context("a session")?);
    let old = Agent::start(&home, "old").await?;
    let subscribe = old.request("resources/subscribe", json!({"uri": uri})).await?;
    old.result(subscribe).await?;
    let new = Agent::spawn(&home)?;
    let filter = json!({"resourceSubscriptions": [uri], "resourcesListChanged": true});
    let listens =
        new.request("subscriptions/listen", json!({"notifications": filter, "_meta": stateless_meta("new")})).await?;
    let acknowledged = new.notification("notifications/subscriptions/acknowledged").await?;
    assert_eq!(acknowledged["params"]["notifications"], filter, "all of it is accepted");

    let begin = Instant::now();
    tool(&worker, "review_gate_update_progress", json!({"progress_percent": 50})).await?;
    assert_eq!(old.notification(UPDATED).await?["params"]["uri"], json!(uri));
    let told = new.notification(UPDATED).await?;
    assert!(begin.elapsed() < LATE, "both have heard in time, after {:?}", begin.elapsed());
    assert_eq!(told["params"]["uri"], json!(uri));
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], json!(listens), "and why");

    let begin = Instant::now();
    let other = Agent::start(&home, "another").await?;
    tool(&other, "review_gate_create_checkpoint", json!({"name": "x"})).await?;
    old.notification(LIST_CHANGED).await?;
    new.notification(LIST_CHANGED).await?;
    assert!(begin.elapsed() < LATE, "a new conversation is in the list, after {:?}", begin.elapsed());

    let nothing = json!({"uri": "file://review-gate/sessions/0190a6e4-7a10-7000-8000-000000000001"});
    let refused = old.request("resources/subscribe", nothing).await?;
    assert_eq!(old.wait(refused).await?["error"]["code"], -32002, "what isn't there can't change");
    new.cancel(listens).await
}

#[tokio::test]
async fn a_subscription_goes_on_when_the_gate_is_killed() -> Result<()> {
    let home = home()?;
    let mut gate = home.serve().await?;
    let (worker, session) = worker(&home).await?;
    let old = Agent::start(&home, "old").await?;
    let uri = format!("file://review-gate/sessions/{}", session.as_str().context("a session")?);
    let subscribe = old.request("resources/subscribe", json!({"uri": uri})).await?;
    old.result(subscribe).await?;
    gate.kill().await?;
    let reporting = async {
        loop {
            let report = json!({"progress_percent": 9, "session_uuid": session});
            if let Err(error) = tool(&worker, "review_gate_update_progress", report).await {
                return error;
            }
        }
    };
    // Its relay tells the new gate what it told the old one; from some report on, it is heard.
    tokio::select! {
        told = old.notification(UPDATED) => assert_eq!(told?["params"]["uri"], json!(uri)),
        error = reporting => return Err(error),
    }
    Ok(())
}

#[tokio::test]
async fn both_eras_hear_of_changes_over_http() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    // With the same token: it is one agent's to the gate, and an identifier is enough.
    let mut worker = Http::of(&home)?;
    worker.initialize("worker").await?;
    let report = async |percent: u8| {
        let params = json!({"name": "review_gate_update_progress", "arguments": {"progress_percent": percent}});
        worker.post("tools/call", params, &[]).await?.outcome()
    };
    let begun = report(1).await?;
    let uri = format!("{CONVERSATIONS}/{}", begun["session_uuid"].as_str().context("a session")?);
    let mut old = Http::of(&home)?;
    old.initialize("old").await?;
    let mut head = old.head(&[]);
    head.retain(|(name, _)| name != "content-type");
    let mut common = Stream::of(old.write("GET", "/mcp", &head, b"").await?).await?;
    old.post("resources/subscribe", json!({"uri": uri}), &[]).await?.answer()?;

    let new = Http::of(&home)?;
    let params = json!({"notifications": {"resourceSubscriptions": [uri]}, "_meta": stateless_meta("new")});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params});
    let head = new.head(&[("mcp-protocol-version", "2026-07-28"), ("mcp-method", "subscriptions/listen")]);
    let listening = new.write("POST", "/mcp", &head, message.to_string().as_bytes()).await?;
    let mut listening = Stream::of(listening).await?;
    listening.told("notifications/subscriptions/acknowledged").await?;

    let begin = Instant::now();
    report(50).await?;
    assert_eq!(common.told(UPDATED).await?["params"]["uri"], json!(uri));
    assert_eq!(listening.told(UPDATED).await?["params"]["uri"], json!(uri));
    assert!(begin.elapsed() < LATE, "both have heard in time, after {:?}", begin.elapsed());
    Ok(())
}

/// Gives the client something to do, and what came of it.
async fn done(client: &mut Client, task: Value) -> Result<Value> {
    client.call(&task).await?;
    client.result().await
}

#[tokio::test]
async fn the_official_python_client_reads_history_subscribes_and_hears() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let token = home.run(["token", "create", "python"]).await?.succeeded()?.stdout.trim().to_owned();
    for (official, over_http) in
        [(Official::Python, false), (Official::PythonInitialize, false), (Official::Python, true)]
    {
        let started = match over_http {
            true => Client::start_with_token(official, &home, &token).await?,
            false => Client::start(official, &home).await?,
        };
        let Some(mut client) = started else { return Ok(()) };
        let title = format!("{official:?} {over_http}");
        client.call(&json!({"message": "Which one?", "title": title})).await?;
        home.answer(&home.waiting(&title).await?, ["--text", "This one."]).await?;
        let session = client.result().await?["structured"]["session_uuid"].take();
        let uri = format!("{CONVERSATIONS}/{}", session.as_str().context("a session")?);
        let listed = done(&mut client, json!({"do": "list"})).await?;
        let uris = listed["uris"].as_array().map(Vec::as_slice).unwrap_or_default();
        // `active` is none.
        let any = format!("{CONVERSATIONS}/0");
        let conversations = uris.iter().filter_map(Value::as_str).filter(|listed| listed.starts_with(&any));
        let conversations: Vec<_> = conversations.collect();
        assert_eq!(conversations, [uri.as_str()], "{official:?} is listed its own, and none of the others'");
        let reads = done(&mut client, json!({"do": "read", "uri": uri})).await?;
        let read: Value = serde_json::from_str(reads["text"].as_str().context("text")?)?;
        assert_eq!(read["session_uuid"], session, "{official:?} reads the conversation");
        let forged = done(&mut client, json!({"do": "read", "uri": format!("{uri}?cursor=forged")})).await?;
        assert_eq!(forged["code"], -32602, "{official:?} gets a clear error: {forged}");
        assert!(forged["message"].as_str().is_some_and(|text| text.contains("`cursor`")), "{forged}");
        let template = "file://review-gate/sessions/{uuid}";
        let completed =
            done(&mut client, json!({"do": "complete", "uri": template, "name": "uuid", "value": ""})).await?;
        assert!(completed["values"].as_array().is_some_and(|values| values.contains(&session)), "{completed}");

        let subscribed = done(&mut client, json!({"do": "subscribe", "uri": uri})).await?;
        assert_eq!(subscribed, json!({"subscribed": uri}), "{official:?}");
        client.call(&json!({"do": "hear"})).await?;
        let begin = Instant::now();
        home.run(["note", session.as_str().unwrap_or_default(), "Mind the gap."]).await?.succeeded()?;
        assert_eq!(client.result().await?, json!({"updated": uri}), "{official:?} sees the update");
        assert!(begin.elapsed() < LATE, "{official:?} has heard in time, after {:?}", begin.elapsed());
        let again = done(&mut client, json!({"do": "read", "uri": uri})).await?;
        let again: Value = serde_json::from_str(again["text"].as_str().context("text")?)?;
        let said = again["messages"].as_array().and_then(|messages| messages.last()).context("messages")?;
        assert_eq!(said["text"], "Mind the gap.", "{official:?} reads what is new");
    }
    Ok(())
}
