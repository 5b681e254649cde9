//! MCP over Streamable HTTP as thin as it can be: requests that are bytes beforehand, on kept-alive
//! connections. Understands no more of HTTP/1.1 than the compared servers say.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::client::{VERSION, answered, introduction};
use crate::process::LIMIT;
use crate::stats::{Load, Times};

/// Read at a time.
const CHUNK_BYTES: usize = 64 * 1024;
/// The revision of the protocol without sessions.
const STATELESS: &str = "2026-07-28";
/// Where the gate and the compared servers are called.
const MCP: &str = "/mcp";
/// Ids have ten digits, so that one takes another's place.
const FIRST_ID: u64 = 1_000_000_000;
const LAST_ID: u64 = 9_999_999_999;

/// A call of a tool of a server, ready to be sent again and again.
pub(crate) struct Target {
    address: SocketAddr,
    request: Vec<u8>,
    id: Range<usize>,
    next: AtomicU64,
}

impl Target {
    /// A call in a new session, as clients make it since 2025-03-26.
    pub(crate) fn in_session(address: SocketAddr, token: Option<&str>, tool: &str, arguments: &Value) -> Result<Self> {
        let mut connection = Connection::open(address)?;
        let body = message(r#""id":1,"#, "initialize", &introduction());
        let answer = connection.exchange(&post(address, MCP, token, &[], &body))?;
        let session = answer.header("mcp-session-id").with_context(|| format!("no session: {answer}"))?.to_owned();
        let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", VERSION)];
        let body = message("", "notifications/initialized", &json!({}));
        let answer = connection.exchange(&post(address, MCP, token, &headers, &body))?;
        if answer.status != 202 {
            bail!("no notification is taken: {answer}");
        }
        Ok(Self::new(address, token, &headers, &json!({"name": tool, "arguments": arguments})))
    }

    /// A call that brings along all that a session would hold, as clients make it since 2026-07-28.
    pub(crate) fn stateless(address: SocketAddr, token: Option<&str>, tool: &str, arguments: &Value) -> Self {
        Self::new(address, token, &without_session(tool), &by_itself(tool, arguments))
    }

    /// Calls once, and gives what came of it.
    pub(crate) fn once(&self) -> Result<Value> {
        let mut connection = Connection::open(self.address)?;
        let answer = connection.exchange(&self.request)?;
        let mut messages = answer.messages().filter_map(|message| serde_json::from_slice::<Value>(message).ok());
        let result = messages.find_map(|mut message| message.get_mut("result").map(Value::take));
        result.with_context(|| format!("no result came: {answer}"))
    }

    fn new(address: SocketAddr, token: Option<&str>, headers: &[(&str, &str)], params: &Value) -> Self {
        let body = message(&format!(r#""id":{FIRST_ID},"#), "tools/call", params);
        let request = post(address, MCP, token, headers, &body);
        // It stands at the body's beginning.
        let (id, body_at) = (FIRST_ID.to_string(), request.len() - body.len());
        let at = body_at + body.find(&id).unwrap_or_default();
        Self { address, request, id: at..at + id.len(), next: AtomicU64::new(FIRST_ID) }
    }

    /// Calls again and again for `time` on so many connections, each with one call in flight.
    pub(crate) fn load(&self, connections: u32, time: Duration) -> Result<Load> {
        // The first call on each makes the server take it, and doesn't count.
        let mut all = Vec::new();
        for _ in 0..connections {
            let mut caller =
                Caller { target: self, request: self.request.clone(), to: Connection::open(self.address)? };
            caller.call()?;
            all.push(caller);
        }
        let begin = Instant::now();
        let times: Result<Vec<Times>> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                all.iter_mut().map(|caller| scope.spawn(move || caller.call_until(begin + time))).collect();
            let joined = threads.into_iter().map(|thread| thread.join().ok().context("a caller panicked")?);
            joined.collect()
        });
        let took = begin.elapsed();
        let times = Times(times?.into_iter().flat_map(|times| times.0).collect());
        Ok(Load { rate: times.per_second(took), times })
    }
}

/// The headers of a call that needs no session.
fn without_session(tool: &str) -> [(&str, &str); 3] {
    [("MCP-Protocol-Version", STATELESS), ("Mcp-Method", "tools/call"), ("Mcp-Name", tool)]
}

/// The parameters of such a call.
fn by_itself(tool: &str, arguments: &Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": introduction()["clientInfo"],
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"name": tool, "arguments": arguments, "_meta": meta})
}

/// A client of one of the gate's toolsets, with a connection and a token of its own, that calls now this and now that.
pub(crate) struct Peer {
    address: SocketAddr,
    path: &'static str,
    token: String,
    connection: Connection,
    next: u64,
}

impl Peer {
    pub(crate) fn open(address: SocketAddr, path: &'static str, token: &str) -> Result<Self> {
        let connection = Connection::open(address)?;
        Ok(Self { address, path, token: token.to_owned(), connection, next: FIRST_ID })
    }

    /// Sends a call.
    pub(crate) fn send(&mut self, tool: &str, arguments: &Value) -> Result<()> {
        let body = message(&format!(r#""id":{},"#, self.next), "tools/call", &by_itself(tool, arguments));
        self.next += 1;
        self.connection.send(&post(self.address, self.path, Some(&self.token), &without_session(tool), &body))
    }

    /// What came of the call that was sent, and how many bytes it took.
    pub(crate) fn receive(&mut self) -> Result<(Value, usize)> {
        let answer = self.connection.receive()?;
        let mut messages = answer.messages().filter_map(|message| serde_json::from_slice::<Value>(message).ok());
        let result = messages.find_map(|mut message| message.get_mut("result").map(Value::take));
        Ok((result.with_context(|| format!("no result came: {answer}"))?, answer.body.len()))
    }

    /// Calls a tool that has to do what it is told. Gives its structured result.
    pub(crate) fn does(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        self.send(tool, arguments)?;
        let (mut result, _) = self.receive()?;
        if result["isError"] == true {
            bail!("{tool} {arguments} was refused: {result}");
        }
        Ok(result["structuredContent"].take())
    }
}

/// One connection and the call that goes over it.
struct Caller<'a> {
    target: &'a Target,
    request: Vec<u8>,
    to: Connection,
}

impl Caller<'_> {
    fn call_until(&mut self, end: Instant) -> Result<Times> {
        let mut times = Times::default();
        while Instant::now() < end {
            times.push(self.call()?);
        }
        Ok(times)
    }

    /// How long it took until the whole answer was there.
    fn call(&mut self) -> Result<Duration> {
        let id = self.target.next.fetch_add(1, Ordering::Relaxed);
        if id > LAST_ID {
            bail!("no id is left");
        }
        let place = self.request.get_mut(self.target.id.clone()).context("a request has an id")?;
        place.copy_from_slice(id.to_string().as_bytes());
        let begin = Instant::now();
        let answer = self.to.exchange(&self.request)?;
        let time = begin.elapsed();
        if answer.status != 200 || !answer.messages().any(|message| answered(message).is_ok_and(|of| of == Some(id))) {
            bail!("call {id} failed: {answer}");
        }
        Ok(time)
    }
}

/// A JSON-RPC message; `id` is empty or ends with a comma.
fn message(id: &str, method: &str, params: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0",{id}"method":"{method}","params":{params}}}"#)
}

/// A whole request.
fn post(address: SocketAddr, path: &str, token: Option<&str>, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let bearer = token.map(|token| format!("Bearer {token}"));
    let bearer = bearer.as_deref().map(|bearer| ("Authorization", bearer));
    let headers = bearer.iter().chain(headers).map(|(name, value)| format!("{name}: {value}\r\n"));
    let headers: String = headers.collect();
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
Accept: application/json, text/event-stream\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// A kept-alive connection.
struct Connection {
    stream: TcpStream,
    chunk: Vec<u8>,
    raw: Vec<u8>,
    body: Vec<u8>,
}

/// A response, its body put together.
struct Answer<'a> {
    status: u16,
    head: &'a str,
    body: &'a [u8],
}

impl Connection {
    fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).with_context(|| format!("nothing listens at {address}"))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(LIMIT))?;
        Ok(Self { stream, chunk: vec![0; CHUNK_BYTES], raw: Vec::new(), body: Vec::new() })
    }

    /// Sends a request and reads its response to the end.
    fn exchange(&mut self, request: &[u8]) -> Result<Answer<'_>> {
        self.send(request)?;
        self.receive()
    }

    fn send(&mut self, request: &[u8]) -> Result<()> {
        self.stream.write_all(request).context("the server reads no more")
    }

    fn receive(&mut self) -> Result<Answer<'_>> {
        self.raw.clear();
        self.body.clear();
        let body_at = self.past(0, b"\r\n\r\n")?;
        let (length, chunked) = {
            let head = text(&self.raw, 0..body_at)?;
            let chunked = header(head, "transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
            (header(head, "content-length").and_then(|length| length.parse::<usize>().ok()), chunked)
        };
        let end = match length {
            _ if chunked => self.chunks(body_at)?,
            Some(length) => self.take(body_at, length)?,
            None => bail!("a response without a length: {}", text(&self.raw, 0..body_at)?),
        };
        if end != self.raw.len() {
            bail!("{} bytes came after a response", self.raw.len() - end);
        }
        let head = text(&self.raw, 0..body_at)?;
        let status =
            head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("a response has a status")?;
        Ok(Answer { status, head, body: &self.body })
    }

    /// Reads a chunked body (RFC 9112, section 7.1) and says where it ends.
    fn chunks(&mut self, mut at: usize) -> Result<usize> {
        loop {
            let data = self.past(at, b"\r\n")?;
            let size = text(&self.raw, at..data)?.trim();
            let size = usize::from_str_radix(size, 16).with_context(|| format!("a chunk of {size:?} bytes"))?;
            if size == 0 {
                // None of the servers sends trailers.
                return self.past(data, b"\r\n");
            }
            let end = self.take(data, size)?;
            at = self.past(end, b"\r\n")?;
        }
    }

    /// Adds so many bytes to the body and says where they end.
    fn take(&mut self, at: usize, length: usize) -> Result<usize> {
        let end = at + length;
        while self.raw.len() < end {
            self.read()?;
        }
        self.body.extend_from_slice(self.raw.get(at..end).unwrap_or_default());
        Ok(end)
    }

    /// Where the next `mark` ends.
    fn past(&mut self, from: usize, mark: &[u8]) -> Result<usize> {
        loop {
            let seen = self.raw.get(from..).unwrap_or_default();
            if let Some(at) = seen.windows(mark.len()).position(|window| window == mark) {
                return Ok(from + at + mark.len());
            }
            self.read()?;
        }
    }

    fn read(&mut self) -> Result<()> {
        let got = self.stream.read(&mut self.chunk).with_context(|| format!("nothing came for {LIMIT:?}"))?;
        if got == 0 {
            bail!("the server has closed the connection");
        }
        self.raw.extend_from_slice(self.chunk.get(..got).unwrap_or_default());
        Ok(())
    }
}

impl Answer<'_> {
    fn header(&self, name: &str) -> Option<&str> {
        header(self.head, name)
    }

    /// What was said: the one message of a JSON body, or those of the events of a stream.
    fn messages(&self) -> impl Iterator<Item = &[u8]> {
        let is_stream = self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        let lines = self.body.split(move |byte| is_stream && *byte == b'\n');
        let data =
            lines.map(move |line| if is_stream { line.strip_prefix(b"data:").unwrap_or_default() } else { line });
        data.map(<[u8]>::trim_ascii).filter(|data| !data.is_empty())
    }
}

impl std::fmt::Display for Answer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.status, String::from_utf8_lossy(self.body).trim())
    }
}

/// A header's value, where there is one.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
    lines.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn text(raw: &[u8], part: Range<usize>) -> Result<&str> {
    std::str::from_utf8(raw.get(part).unwrap_or_default()).context("a response's head is text")
}
