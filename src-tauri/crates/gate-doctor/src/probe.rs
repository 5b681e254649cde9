//! The live trial: starts the very command that a client's configuration names, speaks MCP with it as that
//! client would, and makes one round trip to the record and back. Needs no person and leaves nothing.

use std::collections::BTreeMap;
use std::io;
use std::process::Stdio;
use std::time::{Duration, Instant};

use gate_link::{LineReader, Read};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::time::timeout;

use crate::run::{Running, beginning};

/// How long a command may take for everything, starting a gate included.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);
/// How long it may take to end by itself once nobody speaks to it.
const GOODBYE: Duration = Duration::from_millis(500);
/// Longest line that is read, in bytes: the list of tools is the longest of what is asked for.
const LINE_BYTES: usize = 1024 * 1024;
/// Most lines that aren't an answer.
pub(crate) const LINES: usize = 1000;
/// The newest revision of MCP that begins with `initialize`.
const PROTOCOL: &str = "2025-11-25";
/// The name under which doctor speaks.
const NAME: &str = "review-gate-doctor";
/// What the gate calls itself.
const SERVER: &str = "review-gate";
/// The tool that agents need most.
const CHAT: &str = "review_gate_chat";
/// A tool that goes as far as the record. Without a session it finds none, and that is its answer.
const CONTEXT: &str = "review_gate_get_context";
const NO_SESSION: &str = "unknown_session";

/// What a client starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trial {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
}

/// What came of a trial that went well.
#[derive(Debug)]
pub(crate) struct Met {
    /// The gate's version.
    pub(crate) version: String,
    /// How many tools it has.
    pub(crate) tools: usize,
    pub(crate) took: Duration,
}

/// Why a trial failed. Its texts are the program's, not ours.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The command can't be started.
    NoStart(String),
    /// It said nothing in time, when asked this.
    Silent(&'static str),
    /// It ended when asked this, with this code and these words on stderr.
    Ended { asked: &'static str, code: Option<i32>, errors: String },
    /// It said something that is no JSON-RPC.
    NoMcp(String),
    /// It said much, and nothing of it was an answer.
    NoAnswer,
    /// It refused this, with these words, if any.
    Refused { asked: &'static str, words: Option<String> },
    /// It is the server of something else.
    Another(String),
    /// It doesn't have the tool that agents need.
    NoChat,
}

/// Tries it.
pub(crate) async fn attempt(trial: &Trial) -> Result<Met, Failure> {
    let begin = Instant::now();
    let mut command = Command::new(&trial.command);
    command.args(&trial.args).envs(&trial.env);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let no_start = |error: io::Error| Failure::NoStart(error.to_string());
    let mut running = Running::start(command).map_err(no_start)?;
    let pipes = (running.child.stdin.take(), running.child.stdout.take());
    let (Some(writer), Some(reader)) = pipes else { return Err(no_start(io::ErrorKind::BrokenPipe.into())) };
    let errors = beginning(running.child.stderr.take());
    let mut talk = Talk { lines: LineReader::new(reader, LINE_BYTES), writer, asked: "", next: 1 };
    let talking = async {
        let spoken = timeout(LIMIT, talk.all()).await.unwrap_or(Err(Failure::Silent(talk.asked)));
        let Talk { mut lines, writer, .. } = talk;
        drop(writer);
        // A relay whose client goes away ends by itself; its output ends before it does.
        let rest = async { while !matches!(lines.next().await, Ok(Read::End | Read::Rest(_)) | Err(_)) {} };
        let _ = timeout(GOODBYE, rest).await;
        (spoken, running.end().await)
    };
    let ((spoken, status), errors) = tokio::join!(talking, bounded(errors));
    match spoken {
        Ok((version, tools)) => Ok(Met { version, tools, took: begin.elapsed() }),
        Err(Failure::Ended { asked, .. }) => {
            Err(Failure::Ended { asked, code: status.and_then(|status| status.code()), errors })
        }
        Err(failure) => Err(failure),
    }
}

/// What a command says on stderr. Something that it has left behind may keep that open for ever.
async fn bounded(errors: impl Future<Output = String>) -> String {
    timeout(LIMIT + 4 * GOODBYE, errors).await.unwrap_or_default()
}

/// A conversation in MCP.
struct Talk<R, W> {
    lines: LineReader<R>,
    writer: W,
    asked: &'static str,
    next: u64,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Talk<R, W> {
    /// From `initialize` to the record and back: the gate's version, and how many tools it has.
    async fn all(&mut self) -> Result<(String, usize), Failure> {
        let info = json!({ "name": NAME, "version": env!("CARGO_PKG_VERSION") });
        let params = json!({ "protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": info });
        let met = self.ask("initialize", params).await?;
        let server = &met["serverInfo"];
        let name = server["name"].as_str().unwrap_or_default();
        if name != SERVER {
            return Err(Failure::Another(name.to_owned()));
        }
        self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        let listed = self.ask("tools/list", json!({})).await?;
        let tools = listed["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        if !tools.iter().any(|tool| tool["name"] == CHAT) {
            return Err(Failure::NoChat);
        }
        let found = self.ask("tools/call", json!({ "name": CONTEXT, "arguments": {} })).await?;
        let fault = &found["_meta"]["review-gate/fault"];
        if found["isError"] == true && fault["code"] != NO_SESSION {
            let words = fault["message"].as_str().map(str::to_owned);
            return Err(Failure::Refused { asked: self.asked, words });
        }
        Ok((server["version"].as_str().unwrap_or_default().to_owned(), tools.len()))
    }

    async fn ask(&mut self, method: &'static str, params: Value) -> Result<Value, Failure> {
        self.asked = method;
        let id = self.next;
        self.next += 1;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await?;
        for _ in 0..LINES {
            let line = match self.lines.next().await {
                Ok(Read::Line(line) | Read::Rest(line)) => line,
                Ok(Read::TooLong { head, .. }) => head,
                Ok(Read::End) | Err(_) => return Err(self.ended()),
            };
            let message = serde_json::from_slice::<Value>(&line).unwrap_or_default();
            if message["jsonrpc"] != "2.0" {
                return Err(Failure::NoMcp(String::from_utf8_lossy(&line).into_owned()));
            }
            if message["id"] != id {
                continue;
            }
            let error = &message["error"];
            if !error.is_null() {
                let words = error["data"]["message"].as_str().or_else(|| error["message"].as_str());
                return Err(Failure::Refused { asked: method, words: words.map(str::to_owned) });
            }
            return Ok(message["result"].clone());
        }
        Err(Failure::NoAnswer)
    }

    async fn say(&mut self, message: &Value) -> Result<(), Failure> {
        let mut line = message.to_string();
        line.push('\n');
        let said = async {
            self.writer.write_all(line.as_bytes()).await?;
            self.writer.flush().await
        };
        said.await.map_err(|_: io::Error| self.ended())
    }

    fn ended(&self) -> Failure {
        Failure::Ended { asked: self.asked, code: None, errors: String::new() }
    }
}
