//! A client that speaks ACP (the Agent Client Protocol) with an agent: one JSON message a line, over its standard input and
//! output.

use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::wait::LIMIT;

/// A client with its agent, which ends with it.
#[derive(Debug)]
pub struct AcpClient {
    /// What it has started.
    pub agent: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// What has come and wasn't waited for.
    heard: Vec<Value>,
    asked: u64,
}

impl AcpClient {
    /// Starts an agent, or what stands in its place.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start(mut command: Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut agent = command.spawn().context("no agent")?;
        let stdin = agent.stdin.take();
        let stdout = BufReader::new(agent.stdout.take().context("it has an output")?);
        Ok(Self { agent, stdin, stdout, heard: Vec::new(), asked: 0 })
    }

    /// Says some bytes.
    ///
    /// # Errors
    /// When nobody listens.
    pub async fn says(&mut self, bytes: &[u8]) -> Result<()> {
        let stdin = self.stdin.as_mut().context("it is closed")?;
        stdin.write_all(bytes).await.context("nobody listens")?;
        Ok(stdin.flush().await?)
    }

    /// Says a message.
    ///
    /// # Errors
    /// When nobody listens.
    pub async fn tells(&mut self, message: Value) -> Result<()> {
        self.says(format!("{message}\n").as_bytes()).await
    }

    /// Says no more.
    pub fn closes(&mut self) {
        self.stdin = None;
    }

    /// The next line, with its end.
    ///
    /// # Errors
    /// When none comes in time.
    pub async fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        timeout(LIMIT, self.stdout.read_line(&mut line)).await.context("the client hears nothing")??;
        Ok(line)
    }

    /// Asks the agent something, and gives the request's number.
    ///
    /// # Errors
    /// When nobody listens.
    pub async fn asks(&mut self, method: &str, params: Value) -> Result<u64> {
        self.asked += 1;
        self.tells(json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params})).await?;
        Ok(self.asked)
    }

    /// The answer to a request.
    ///
    /// # Errors
    /// When none comes in time, or a fault.
    pub async fn answered(&mut self, asked: u64) -> Result<Value> {
        let answer = self.hears("an answer", |it| it["id"] == asked && it.get("method").is_none()).await?;
        match answer.get("result") {
            Some(result) => Ok(result.clone()),
            None => bail!("the agent refuses: {answer}"),
        }
    }

    /// The next message that is this. Whatever else the agent asks is refused.
    ///
    /// # Errors
    /// When none comes in time.
    pub async fn hears(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Result<Value> {
        if let Some(at) = self.heard.iter().position(&is_it) {
            return Ok(self.heard.remove(at));
        }
        loop {
            let line = self.line().await.with_context(|| format!("{what}; it heard {:?}", self.heard))?;
            if line.is_empty() {
                bail!("the agent has ended without {what}; the client heard {:?}", self.heard);
            }
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            if is_it(&message) {
                return Ok(message);
            }
            let (id, method) = (&message["id"], message["method"].as_str());
            if !id.is_null() && method.is_some_and(|method| method != "session/request_permission") {
                let error = json!({"code": -32601, "message": "It isn't known here."});
                self.tells(json!({"jsonrpc": "2.0", "id": id, "error": error})).await?;
            } else {
                self.heard.push(message);
            }
        }
    }
}
