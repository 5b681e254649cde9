//! The first line of every connection: who speaks, and what they want.

use crate::error::LinkError;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::io::{AsyncBufRead, AsyncBufReadExt};
use uuid::Uuid;

/// The number of the local protocol: hello, then JSON lines.
pub const PROTOCOL: u32 = 1;
/// The longest hello, in bytes with its newline.
pub const HELLO_BYTES: usize = 8 * 1024;

/// The first line on a connection. The gate doesn't answer it; it closes a connection whose hello
/// it doesn't understand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`] of the speaker.
    pub review_gate: u32,
    /// What the speaker is.
    #[serde(flatten)]
    pub role: Role,
}

/// What a connection is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Role {
    /// An agent's MCP messages follow, both ways.
    Relay(RelayHello),
    /// Control requests and their replies follow.
    Control(ControlHello),
    /// On the relays' socket: questions whether something was approved, and their answers.
    Verify(VerifyHello),
}

/// A relay's hello.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayHello {
    /// Names the relay's process over all its connections: with a JSON-RPC id, it is the call key.
    pub relay_id: Uuid,
    /// The toolsets that the agent's client asked for, e.g. `gate` or `gate,broker`.
    pub toolset: String,
    /// The folder that the agent works in.
    pub workspace: String,
    /// The relay's process number.
    pub pid: u32,
    /// The relay's version.
    pub version: String,
    /// Whether this relay had a connection before. What it replays may have been heard already.
    #[serde(default)]
    pub resumed: bool,
}

/// A control connection's hello.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlHello {
    /// Whether a person at a terminal is behind it, as far as the process can tell.
    pub terminal: bool,
    /// The process number.
    pub pid: u32,
    /// The version of the program.
    pub version: String,
}

/// The hello of who asks whether something was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyHello {
    /// The process number.
    pub pid: u32,
    /// The version of the program.
    pub version: String,
}

impl Hello {
    /// A relay's hello.
    #[must_use]
    pub fn relay(hello: RelayHello) -> Self {
        Self { review_gate: PROTOCOL, role: Role::Relay(hello) }
    }

    /// A control connection's hello from this process.
    #[must_use]
    pub fn control(terminal: bool) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { review_gate: PROTOCOL, role: Role::Control(ControlHello { terminal, pid: std::process::id(), version }) }
    }

    /// The hello of this process, which asks whether something was approved.
    #[must_use]
    pub fn verify() -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { review_gate: PROTOCOL, role: Role::Verify(VerifyHello { pid: std::process::id(), version }) }
    }

    /// The hello as a line with its newline.
    #[must_use]
    pub fn to_line(&self) -> Vec<u8> {
        // Numbers, strings and booleans: there is nothing in it that could fail to serialise.
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// Reads the first line of a connection, and nothing behind it: go on with the same reader.
///
/// # Errors
/// [`LinkError::Hello`] if the line doesn't come in time, is longer than [`HELLO_BYTES`], is no
/// hello or is of another protocol; [`LinkError::Broken`] if the connection breaks.
pub async fn read_hello<R: AsyncBufRead + Unpin>(reader: &mut R, wait: Duration) -> Result<Hello, LinkError> {
    let late = |_| bad(format!("nothing came for {} ms", wait.as_millis()));
    let line = tokio::time::timeout(wait, first_line(reader)).await.map_err(late)??;
    /// Read first, so that a newer speaker is told that it is newer.
    #[derive(Deserialize)]
    struct Version {
        review_gate: u32,
    }
    let version: Version = serde_json::from_slice(&line).map_err(|error| bad(error.to_string()))?;
    if version.review_gate != PROTOCOL {
        return Err(bad(format!("it speaks protocol {}, this is protocol {PROTOCOL}", version.review_gate)));
    }
    serde_json::from_slice(&line).map_err(|error| bad(error.to_string()))
}

async fn first_line<R: AsyncBufRead + Unpin>(reader: &mut R) -> Result<Vec<u8>, LinkError> {
    let mut line = Vec::new();
    loop {
        let seen = reader.fill_buf().await.map_err(LinkError::Broken)?;
        if seen.is_empty() {
            return Err(bad("the connection ended in it".to_owned()));
        }
        let newline = seen.iter().position(|byte| *byte == b'\n');
        let taken = newline.map_or(seen.len(), |at| at + 1);
        if line.len() + taken > HELLO_BYTES {
            return Err(bad(format!("it is longer than {HELLO_BYTES} bytes")));
        }
        line.extend_from_slice(&seen[..taken]);
        reader.consume(taken);
        if newline.is_some() {
            return Ok(line);
        }
    }
}

fn bad(reason: String) -> LinkError {
    LinkError::Hello { reason }
}
