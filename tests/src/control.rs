//! A front end's connection to the gate: the commands that no subcommand of `review-gate` gives,
//! line comments and drafts among them. Counts as a script.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use crate::home::Home;
use crate::wait::LIMIT;

/// A control connection.
#[derive(Debug)]
pub struct Control {
    lines: Lines<BufReader<OwnedReadHalf>>,
    writer: OwnedWriteHalf,
    next: u64,
}

impl Control {
    /// Connects to the running gate of a home.
    ///
    /// # Errors
    /// When none runs.
    pub async fn open(home: &Home) -> Result<Self> {
        let stream = UnixStream::connect(home.path().join("control/control.sock")).await.context("no gate listens")?;
        let (reader, writer) = stream.into_split();
        let mut control = Self { lines: BufReader::new(reader).lines(), writer, next: 1 };
        let hello =
            json!({"review_gate": 1, "role": "control", "terminal": false, "pid": std::process::id(), "version": "0"});
        control.say(&hello).await?;
        Ok(control)
    }

    /// Gives a command, e.g. `{"command": "snapshot"}`. The result is its answer, or the fault as
    /// `{"code", "message", "mend"}`.
    ///
    /// # Errors
    /// When the connection breaks, as it does when the gate is killed.
    pub async fn command(&mut self, mut command: Value) -> Result<Result<Value, Value>> {
        let id = self.next;
        self.next += 1;
        command.as_object_mut().context("a command is an object")?.insert("id".to_owned(), id.into());
        self.say(&command).await?;
        let answer = tokio::time::timeout(LIMIT, self.lines.next_line()).await.context("no answer to a command")??;
        let mut answer: Value = serde_json::from_str(&answer.context("the gate closed the connection")?)?;
        if answer["id"] != id {
            bail!("an answer to another command than {id}: {answer}");
        }
        match answer.get_mut("fault") {
            Some(fault) => Ok(Err(fault.take())),
            None => Ok(Ok(answer["ok"].take())),
        }
    }

    /// Answers a request as a front end does that has just shown it: with the digest of its question. The result is
    /// that of a command.
    ///
    /// # Errors
    /// As [`Control::command`].
    pub async fn reply(
        &mut self,
        request_id: &str,
        decision: Option<&str>,
        draft: Value,
    ) -> Result<Result<Value, Value>> {
        let question = match self.command(json!({"command": "question", "request_id": request_id})).await? {
            Ok(question) => question,
            Err(fault) => return Ok(Err(fault)),
        };
        let reply = json!({
            "command": "send_reply", "request_id": request_id, "digest": question["digest"], "decision": decision,
            "draft": draft,
        });
        self.command(reply).await
    }

    async fn say(&mut self, line: &Value) -> Result<()> {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.context("the gate is gone")
    }
}
