//! One HTTP request at a time over the loopback, which is all that WebDriver needs.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::wait::LIMIT;

/// How many ports are looked at before it is given up that one is free.
const TRIES: usize = 20;
/// How long a browser may take to end.
const QUIT: Duration = Duration::from_secs(10);

/// A port that nobody uses now, and that a gate finds again when it is started anew, as the usual one is where only one
/// gate runs.
///
/// # Errors
/// When there is none.
pub fn free_port() -> Result<u16> {
    for _ in 0..TRIES {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port is free")?;
        let port = listener.local_addr()?.port();
        // A gate listens at both. A machine may lack the second.
        match TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
            Err(error) if error.kind() == ErrorKind::AddrInUse => {}
            _ => return Ok(port),
        }
    }
    bail!("no port is free at both addresses")
}

/// Whether somebody listens on a port.
pub(super) async fn listens(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_ok()
}

/// Sends a request, with a body unless it is null, and gives the response's status and JSON body.
pub(super) async fn exchange(port: u16, method: &str, path: &str, body: &Value) -> Result<(u16, Value)> {
    let work = async {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
        let mut response = Vec::new();
        // Chromium's driver keeps the connection, whatever it is asked.
        while !is_whole(&response) && stream.read_buf(&mut response).await? > 0 {}
        Ok::<_, std::io::Error>(response)
    };
    let response = tokio::time::timeout(LIMIT, work).await;
    let response = response.with_context(|| format!("no response to {method} {path}"))??;
    let response = String::from_utf8(response).context("a response that isn't UTF-8")?;
    let Some((head, body)) = response.split_once("\r\n\r\n") else { bail!("no HTTP response: {response:?}") };
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no HTTP status")?;
    let body = serde_json::from_str(body).with_context(|| format!("a response that isn't JSON: {body}"))?;
    Ok((status, body))
}

/// Ends a session, and with it its browser. Blocks until that is done, since it is what a drop does.
pub(super) fn quit(port: u16, session: &str) {
    let work = || {
        let mut stream = std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(QUIT))?;
        stream.write_all(format!("DELETE {session} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").as_bytes())?;
        stream.read_exact(&mut [0])
    };
    // A driver that is gone has no browser.
    let _: std::io::Result<()> = work();
}

/// Whether a response has as many bytes as its head says. One that says nothing ends with its connection.
fn is_whole(response: &[u8]) -> bool {
    let Some(end) = response.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&response[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    length.is_some_and(|length| response.len() >= end + 4 + length)
}
