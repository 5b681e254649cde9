//! A client over HTTP that can also do what no good client does: one request a connection, written
//! by hand.

use std::sync::atomic::{AtomicI64, Ordering};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::agent::stateless_meta;
use crate::home::Home;
use crate::wait::LIMIT;

/// The newest revision of the initialize-era.
const PROTOCOL: &str = "2025-11-25";
/// The first revision without sessions.
const STATELESS: &str = "2026-07-28";

/// A client of the gate of one home.
#[derive(Debug)]
pub struct Http {
    /// `127.0.0.1:PORT`.
    pub address: String,
    /// What it shows at the door.
    pub token: String,
    /// The session, after [`Http::initialize`].
    pub session: Option<String>,
    /// Where it speaks MCP: `/mcp`, or a toolset below it.
    pub path: String,
    next: AtomicI64,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The head, names in lower case.
    pub head: Vec<(String, String)>,
    /// The body, without the framing of chunks.
    pub body: String,
}

impl Response {
    /// A response from all of its bytes.
    ///
    /// # Errors
    /// When it isn't whole.
    pub fn of(answer: &[u8]) -> Result<Self> {
        let end = answer.windows(4).position(|window| window == b"\r\n\r\n").context("the response has no head")?;
        let text = std::str::from_utf8(&answer[..end])?;
        let mut lines = text.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).context("no status")?.parse()?;
        let head = lines.filter_map(|line| line.split_once(':'));
        let head: Vec<_> = head.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
        let body = &answer[end + 4..];
        let chunked = head.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let body = if chunked { unchunked(body)? } else { body.to_vec() };
        Ok(Self { status, head, body: String::from_utf8(body)? })
    }

    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The JSON-RPC messages of the body, be it JSON or a stream of events.
    #[must_use]
    pub fn messages(&self) -> Vec<Value> {
        if let Ok(message) = serde_json::from_str(&self.body) {
            return vec![message];
        }
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|data| serde_json::from_str(data).ok()).collect()
    }

    /// The message that answers a request.
    ///
    /// # Errors
    /// When there is none.
    pub fn answer(&self) -> Result<Value> {
        let is_answer = |message: &Value| message.get("result").is_some() || message.get("error").is_some();
        self.messages().into_iter().find(is_answer).with_context(|| format!("no answer in {self:?}"))
    }

    /// The structured result of a call.
    ///
    /// # Errors
    /// When there is none.
    pub fn outcome(&self) -> Result<Value> {
        let mut answer = self.answer()?;
        let outcome = answer["result"]["structuredContent"].take();
        if outcome.is_null() {
            bail!("no outcome in {self:?}");
        }
        Ok(outcome)
    }
}

impl Http {
    /// A client of the running gate, with the person's own token.
    ///
    /// # Errors
    /// When the gate doesn't say where it serves.
    pub fn of(home: &Home) -> Result<Self> {
        let read = |name: &str| std::fs::read_to_string(home.path().join(name)).with_context(|| format!("no {name}"));
        let address = read("http")?.trim().trim_start_matches("http://").to_owned();
        Ok(Self::at(&address, read("token")?.trim()))
    }

    /// A client of the gate at this address, with this token.
    #[must_use]
    pub fn at(address: &str, token: &str) -> Self {
        let (address, token, path) = (address.to_owned(), token.to_owned(), "/mcp".to_owned());
        Self { address, token, session: None, path, next: AtomicI64::new(1) }
    }

    /// The same client, in the same session, after the gate has come back.
    ///
    /// # Errors
    /// As [`Http::of`].
    pub fn again(&self, home: &Home) -> Result<Self> {
        let next = AtomicI64::new(self.next.load(Ordering::Relaxed));
        let (token, session, path) = (self.token.clone(), self.session.clone(), self.path.clone());
        Ok(Self { token, session, path, next, ..Self::of(home)? })
    }

    /// Begins a session of the initialize-era.
    ///
    /// # Errors
    /// When the gate refuses.
    pub async fn initialize(&mut self, name: &str) -> Result<()> {
        let params = json!({
            "protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": name, "version": "1.0"},
        });
        let response = self.post("initialize", params, &[]).await?;
        let session = response.header("mcp-session-id").with_context(|| format!("no session in {response:?}"))?;
        self.session = Some(session.to_owned());
        let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let accepted = self.send("POST", &self.path, &self.head(&[]), note.to_string().as_bytes()).await?;
        if accepted.status != 202 {
            bail!("the session did not begin: {accepted:?}");
        }
        Ok(())
    }

    /// Calls `review_gate_chat` in the session, and waits for the end of the response.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn chat(&self, arguments: Value) -> Result<Response> {
        self.post("tools/call", json!({"name": "review_gate_chat", "arguments": arguments}), &[]).await
    }

    /// Calls `review_gate_chat` without a session, as the client called `name`.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn chat_stateless(&self, name: &str, arguments: Value) -> Result<Response> {
        let params = json!({"name": "review_gate_chat", "arguments": arguments, "_meta": stateless_meta(name)});
        let head =
            [("mcp-protocol-version", STATELESS), ("mcp-method", "tools/call"), ("mcp-name", "review_gate_chat")];
        self.post("tools/call", params, &head).await
    }

    /// Sends a request, and waits for the end of the response.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn post(&self, method: &str, params: Value, head: &[(&str, &str)]) -> Result<Response> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send("POST", &self.path, &self.head(head), message.to_string().as_bytes()).await
    }

    /// The head of a good request, with these further headers.
    #[must_use]
    pub fn head(&self, further: &[(&str, &str)]) -> Vec<(String, String)> {
        let mut head = vec![
            ("host".to_owned(), self.address.clone()),
            ("authorization".to_owned(), format!("Bearer {}", self.token)),
            ("accept".to_owned(), "application/json, text/event-stream".to_owned()),
            ("content-type".to_owned(), "application/json".to_owned()),
        ];
        if let Some(session) = &self.session {
            head.push(("mcp-session-id".to_owned(), session.clone()));
            head.push(("mcp-protocol-version".to_owned(), PROTOCOL.to_owned()));
        }
        head.extend(further.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        head
    }

    /// Sends any request on a connection of its own, and reads to the end of it.
    ///
    /// # Errors
    /// When the connection breaks or the response doesn't end in time.
    pub async fn send(&self, method: &str, path: &str, head: &[(String, String)], body: &[u8]) -> Result<Response> {
        let mut stream = self.write(method, path, head, body).await?;
        let mut answer = Vec::new();
        tokio::time::timeout(LIMIT, stream.read_to_end(&mut answer)).await.context("the response doesn't end")??;
        Response::of(&answer)
    }

    /// Sends any request on a connection of its own, and leaves the response to be read.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn write(&self, method: &str, path: &str, head: &[(String, String)], body: &[u8]) -> Result<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).await.context("the gate doesn't listen")?;
        let mut text = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in head {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str("\r\n");
        stream.write_all(text.as_bytes()).await?;
        // A refusal may come before all of a body is sent.
        let _ = stream.write_all(body).await;
        Ok(stream)
    }
}

/// Takes a body out of its chunks (RFC 9112, section 7.1). Fails where the last one is missing.
fn unchunked(mut body: &[u8]) -> Result<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|window| window == b"\r\n").context("the body ends early")?;
        let size = usize::from_str_radix(std::str::from_utf8(&body[..end])?.trim(), 16)?;
        body = &body[end + 2..];
        if size == 0 {
            return Ok(whole);
        }
        whole.extend_from_slice(body.get(..size).context("the body ends early")?);
        body = body.get(size + 2..).context("the body ends early")?;
    }
}
