//! An agent's client as thin as it can be: JSON-RPC lines to a server's stdin, lines from its stdout.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::process::{LIMIT, Owned};
use crate::stats::{Load, Times};

/// The newest revision of the protocol that all compared servers know.
pub(crate) const VERSION: &str = "2025-11-25";

/// Read at a time.
const CHUNK_BYTES: usize = 64 * 1024;

/// A running stdio server and the client's end of its pipes. Dropping it kills the server.
pub(crate) struct Client {
    server: Owned,
    stdin: ChildStdin,
    stdout: ChildStdout,
    unread: Vec<u8>,
    from: usize,
    next: u64,
}

impl Client {
    /// Starts a server. Its stderr goes nowhere.
    pub(crate) fn spawn(mut command: Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = Owned::spawn(&mut command)?;
        let stdin = server.0.stdin.take().context("the server's input was asked for")?;
        let stdout = server.0.stdout.take().context("the server's output was asked for")?;
        Ok(Self { server, stdin, stdout, unread: Vec::new(), from: 0, next: 1 })
    }

    /// Starts a server and initializes it.
    pub(crate) fn start(command: Command) -> Result<Self> {
        let mut client = Self::spawn(command)?;
        client.initialize()?;
        Ok(client)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.server.pid()
    }

    /// Whether the server's process has ended by itself.
    pub(crate) fn has_ended(&mut self) -> Result<bool> {
        Ok(self.server.0.try_wait()?.is_some())
    }

    pub(crate) fn initialize(&mut self) -> Result<()> {
        let id = self.request("initialize", &introduction())?;
        self.result(id)?;
        self.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
    }

    /// Sends a request and gives its id at once.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<u64> {
        let id = self.next;
        self.next += 1;
        self.say(&request(id, method, params))?;
        Ok(id)
    }

    /// Calls a tool and gives the id at once.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<u64> {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// The response to a request. Other responses and notifications before it are thrown away.
    pub(crate) fn response(&mut self, id: u64) -> Result<Value> {
        loop {
            let line = self.line()?;
            let message: Value = serde_json::from_slice(line)?;
            if message["id"] == id && message.get("method").is_none() {
                return Ok(message);
            }
        }
    }

    /// Waits for a notification of this method. Whatever comes before it is thrown away.
    pub(crate) fn notification(&mut self, method: &str) -> Result<()> {
        loop {
            let message: Value = serde_json::from_slice(self.line()?)?;
            if message["method"] == method {
                return Ok(());
            }
        }
    }

    /// The result of a request.
    pub(crate) fn result(&mut self, id: u64) -> Result<Value> {
        let mut response = self.response(id)?;
        match response.get_mut("result") {
            Some(result) if result["isError"] != true => Ok(result.take()),
            _ => bail!("request {id} was refused: {response}"),
        }
    }

    /// Sends a request again and again, each with the next of these parameters and none before the one
    /// before is answered.
    pub(crate) fn each<'a>(&mut self, method: &str, params: impl Iterator<Item = &'a Value>) -> Result<Times> {
        let mut times = Times::default();
        for params in params {
            let begin = Instant::now();
            let id = self.request(method, params)?;
            while answered(self.line()?).with_context(|| format!("{method} {params}"))? != Some(id) {}
            times.push(begin.elapsed());
        }
        Ok(times)
    }

    /// Sends the same request again and again for `time`, with up to `in_flight` of them unanswered.
    pub(crate) fn load(&mut self, method: &str, params: &Value, in_flight: u32, time: Duration) -> Result<Load> {
        self.load_all(method, std::iter::repeat(params), in_flight, time)
    }

    /// The same with the next of these parameters for each. There are always more.
    pub(crate) fn load_all<'a>(
        &mut self,
        method: &str,
        mut params: impl Iterator<Item = &'a Value>,
        in_flight: u32,
        time: Duration,
    ) -> Result<Load> {
        let begin = Instant::now();
        let (mut sent, mut times) = (HashMap::new(), Times::default());
        let mut send = |client: &mut Self, sent: &mut HashMap<u64, Instant>| -> Result<()> {
            let now = Instant::now();
            let params = params.next().context("there are always more")?;
            sent.insert(client.request(method, params)?, now);
            Ok(())
        };
        for _ in 0..in_flight {
            send(self, &mut sent)?;
        }
        let mut rate = None;
        while !sent.is_empty() {
            let Some(id) = answered(self.line()?)? else { continue };
            let at = sent.remove(&id).with_context(|| format!("{id} was answered, but not asked"))?;
            // The last ones have fewer beside them, and don't count.
            if rate.is_some() {
                continue;
            }
            times.push(at.elapsed());
            if begin.elapsed() >= time {
                rate = Some(times.per_second(begin.elapsed()));
            } else {
                send(self, &mut sent)?;
            }
        }
        Ok(Load { rate: rate.unwrap_or_default(), times })
    }

    fn say(&mut self, line: &str) -> Result<()> {
        self.stdin.write_all(format!("{line}\n").as_bytes()).context("the server reads no more")
    }

    /// The next line, with its newline.
    fn line(&mut self) -> Result<&[u8]> {
        let end = loop {
            let seen = self.unread.get(self.from..).unwrap_or_default();
            if let Some(at) = seen.iter().position(|byte| *byte == b'\n') {
                break self.from + at + 1;
            }
            self.unread.drain(..self.from);
            self.from = 0;
            self.read()?;
        };
        let line = self.unread.get(self.from..end).unwrap_or_default();
        self.from = end;
        Ok(line)
    }

    fn read(&mut self) -> Result<()> {
        let limit = Timespec { tv_sec: i64::try_from(LIMIT.as_secs())?, tv_nsec: 0 };
        if poll(&mut [PollFd::new(&self.stdout, PollFlags::IN)], Some(&limit))? == 0 {
            bail!("the server said nothing for {LIMIT:?}");
        }
        let mut chunk = vec![0; CHUNK_BYTES];
        let got = self.stdout.read(&mut chunk)?;
        if got == 0 {
            bail!("the server has closed its output");
        }
        self.unread.extend_from_slice(chunk.get(..got).unwrap_or_default());
        Ok(())
    }
}

fn request(id: u64, method: &str, params: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// The parameters of `initialize`.
pub(crate) fn introduction() -> Value {
    let info = json!({"name": "gate-bench", "version": "1.0"});
    json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": info})
}

/// The id that a message answers, if it answers any. The rest is only looked over: the servers are
/// measured, not this program's parser.
///
/// # Errors
/// When the call was refused or failed.
pub(crate) fn answered(message: &[u8]) -> Result<Option<u64>> {
    #[derive(Deserialize)]
    struct Message {
        id: Option<u64>,
        method: Option<IgnoredAny>,
        result: Option<Outcome>,
    }
    #[derive(Deserialize)]
    struct Outcome {
        #[serde(default, rename = "isError")]
        is_error: bool,
    }
    let said = || String::from_utf8_lossy(message);
    let parsed: Message = serde_json::from_slice(message).with_context(|| format!("the server said {}", said()))?;
    match parsed {
        Message { method: Some(_), .. } => Ok(None),
        Message { id: Some(id), result: Some(Outcome { is_error: false }), .. } => Ok(Some(id)),
        _ => bail!("a call failed: {}", said()),
    }
}
