//! The model's HTTP: one request after the other on each connection.

use std::sync::{Arc, PoisonError};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::dialect::{Answer, Dialect};
use super::{Asked, Turns};

/// The longest body that is read: a conversation with pictures in it.
const BODY_BYTES: usize = 64 * 1024 * 1024;

pub(super) async fn serve(listener: TcpListener, turns: Turns, asked: Asked) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let (turns, asked) = (Arc::clone(&turns), Arc::clone(&asked));
        // An agent that goes away in the middle of a request is no fault of the model's.
        connections.spawn(async move { drop(converse(stream, &turns, &asked).await) });
    }
}

async fn converse(stream: TcpStream, turns: &Turns, asked: &Asked) -> Result<()> {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    while let Some((path, body)) = request(&mut read).await? {
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        asked.lock().unwrap_or_else(PoisonError::into_inner).push((path.clone(), body.clone()));
        let Answer { kind, text } = match Dialect::of(&path) {
            Some(dialect) => {
                let turns = Arc::clone(&turns.lock().unwrap_or_else(PoisonError::into_inner));
                dialect.answer(&path, &body, &turns)
            }
            None => Answer::json(&json!({})),
        };
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\ncache-control: no-cache\r\n\r\n",
            text.len()
        );
        write.write_all(head.as_bytes()).await?;
        write.write_all(text.as_bytes()).await?;
    }
    Ok(())
}

/// The next request's path and body; absent where there is none.
async fn request(read: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<(String, Vec<u8>)>> {
    let mut line = String::new();
    if read.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).context("no request line")?.to_owned();
    let (mut length, mut chunked) = (0, false);
    loop {
        line.clear();
        read.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match (name.to_ascii_lowercase().as_str(), value.trim()) {
            ("content-length", value) => length = value.parse()?,
            ("transfer-encoding", value) => chunked = value == "chunked",
            _ => {}
        }
    }
    let mut body = Vec::new();
    if !chunked {
        take(read, &mut body, length).await?;
        return Ok(Some((path, body)));
    }
    loop {
        line.clear();
        read.read_line(&mut line).await?;
        let size = usize::from_str_radix(line.trim_end(), 16).context("no size of a chunk")?;
        take(read, &mut body, size).await?;
        line.clear();
        read.read_line(&mut line).await?;
        if size == 0 {
            return Ok(Some((path, body)));
        }
    }
}

async fn take(read: &mut (impl AsyncBufRead + Unpin), body: &mut Vec<u8>, length: usize) -> Result<()> {
    let begin = body.len();
    if begin + length > BODY_BYTES {
        bail!("a request of more than {BODY_BYTES} bytes");
    }
    body.resize(begin + length, 0);
    read.read_exact(&mut body[begin..]).await?;
    Ok(())
}
