//! One HTTP request at a time over the loopback, which is all that WebDriver needs.

use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::wait::LIMIT;

/// A port that nobody uses now.
pub(super) fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port is free")?;
    Ok(listener.local_addr()?.port())
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
        stream.read_to_end(&mut response).await?;
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
