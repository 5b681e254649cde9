//! A control connection: the terminal commands' way to the gate, or that of `verify` in a sandbox. Lines both ways, a
//! question and its answer; what stands in them is the caller's matter.

use crate::connect::connect;
use crate::error::LinkError;
use crate::hello::Hello;
use crate::home::{Home, Socket};
use crate::lines::{LineReader, Read};
use crate::start::{StartPlan, connect_or_start};
use gate_core::bounds;
use gate_os::local::{ReadHalf, Stream, WriteHalf};
use serde::Serialize;
use std::io;
use tokio::io::AsyncWriteExt;

/// A connection on which the hello is said.
#[derive(Debug)]
pub struct ControlConnection {
    lines: LineReader<ReadHalf>,
    writer: WriteHalf,
}

impl ControlConnection {
    /// Connects to the running gate. `terminal`: whether a person sits at this process's terminal.
    ///
    /// # Errors
    /// [`LinkError::Unreachable`] if none runs.
    pub async fn open(home: &Home, terminal: bool) -> Result<Self, LinkError> {
        Self::greet(connect(home, Socket::Control).await?, &Hello::control(terminal)).await
    }

    /// Connects to the running gate, or starts one and waits for it.
    ///
    /// # Errors
    /// [`LinkError::Unreachable`] if none runs and none could be started within 15 s.
    pub async fn open_or_start(home: &Home, terminal: bool, plan: &StartPlan) -> Result<Self, LinkError> {
        Self::greet(connect_or_start(home, Socket::Control, plan).await?, &Hello::control(terminal)).await
    }

    /// Connects to the relays' socket of the running gate, to ask whether something was approved: all that is there in a
    /// sandbox.
    ///
    /// # Errors
    /// [`LinkError::Unreachable`] if none runs.
    pub async fn to_verify(home: &Home) -> Result<Self, LinkError> {
        Self::greet(connect(home, Socket::Mcp).await?, &Hello::verify()).await
    }

    async fn greet(stream: Stream, hello: &Hello) -> Result<Self, LinkError> {
        let (reader, mut writer) = stream.into_split();
        writer.write_all(&hello.to_line()).await.map_err(LinkError::Broken)?;
        Ok(Self { lines: LineReader::new(reader, bounds::LINE_BYTES), writer })
    }

    /// Asks and waits for the answer. `answer` reads each line that comes, and gives what it was waited for, or nothing
    /// where the line is about something else. After a failure the connection is of no use.
    ///
    /// # Errors
    /// [`LinkError::Ended`] if the gate says no more, [`LinkError::Unreadable`] if `answer` can't read a line, and those
    /// of [`Self::say`] and [`Self::next_line`].
    pub async fn ask<A>(
        &mut self,
        question: &impl Serialize,
        mut answer: impl FnMut(&[u8]) -> Result<Option<A>, serde_json::Error>,
    ) -> Result<A, LinkError> {
        self.say(question).await?;
        loop {
            let line = self.next_line().await?.ok_or(LinkError::Ended)?;
            if let Some(answer) = answer(&line).map_err(LinkError::Unreadable)? {
                return Ok(answer);
            }
        }
    }

    /// Sends a question, whose answer comes among others.
    ///
    /// # Errors
    /// [`LinkError::Unwritable`], and those of [`Self::send_line`].
    pub async fn say(&mut self, question: &impl Serialize) -> Result<(), LinkError> {
        let line = serde_json::to_string(question).map_err(LinkError::Unwritable)?;
        self.send_line(&line).await
    }

    /// Sends a line, given without its newline.
    ///
    /// # Errors
    /// [`LinkError::LineTooLong`], or [`LinkError::Broken`] if the gate is gone.
    pub async fn send_line(&mut self, line: &str) -> Result<(), LinkError> {
        if line.len() > bounds::LINE_BYTES {
            return Err(LinkError::line_too_long());
        }
        debug_assert!(!line.contains('\n'), "a newline would make two lines of one");
        self.writer.write_all(line.as_bytes()).await.map_err(LinkError::Broken)?;
        self.writer.write_all(b"\n").await.map_err(LinkError::Broken)
    }

    /// The next line with its newline, or `None` if the gate closed the connection. Cancel safe.
    ///
    /// # Errors
    /// [`LinkError::LineTooLong`], or [`LinkError::Broken`] if the connection broke, in the middle
    /// of a line too.
    pub async fn next_line(&mut self) -> Result<Option<Vec<u8>>, LinkError> {
        match self.lines.next().await.map_err(LinkError::Broken)? {
            Read::Line(line) => Ok(Some(line)),
            Read::End => Ok(None),
            Read::TooLong { .. } => Err(LinkError::line_too_long()),
            Read::Rest(_) => Err(LinkError::Broken(io::ErrorKind::UnexpectedEof.into())),
        }
    }
}
