//! The HTTP port: whether the gate is what answers there.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use gate_api::Finding;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::finding::{HTTP, Mending as _};
use crate::gate::Gate;
use crate::settings::Known;
use crate::words;

/// How long an answer over HTTP may take.
const ANSWER: Duration = Duration::from_secs(2);
/// How much of an answer is read, in bytes.
const ANSWER_BYTES: u64 = 4096;
/// What a gate that lives answers with.
const ALIVE: &[u8] = b"HTTP/1.1 200 ";

pub(crate) async fn check(settings: &Known, gate: &Gate) -> Option<Finding> {
    let port = settings.port;
    if !gate.runs() {
        // A silent or unreachable gate may well be what has the port.
        return match gate {
            Gate::None if settings.http && port != 0 && is_taken(port).await => Some(taken(port, None)),
            _ => None,
        };
    }
    let Some(url) = gate.http() else {
        return Some(match settings.http {
            false => HTTP.note(words::http_off()),
            true => HTTP.warning(words::http_not_served(), words::mend_restart()).command("review-gate stop"),
        });
    };
    Some(match timeout(ANSWER, is_alive(url)).await {
        Ok(Ok(true)) => match url.rsplit(':').next().and_then(|port| port.parse::<u16>().ok()) {
            Some(served) if port != 0 && served != port && is_taken(port).await => taken(port, Some(url)),
            _ => HTTP.good(words::http_answers(format!("{url}/mcp"))),
        },
        Ok(Ok(false)) => HTTP.fault(words::http_another(url), words::mend_http_another()).command("review-gate stop"),
        Ok(Err(error)) => HTTP
            .fault(words::http_unreachable(url, error.to_string()), words::mend_restart_gate())
            .command("review-gate stop"),
        Err(_) => HTTP
            .fault(words::http_silent(url, ANSWER.as_secs()), words::mend_restart_gate())
            .command("review-gate stop"),
    })
}

/// Another program has the port that clients over HTTP are told.
fn taken(port: u16, served: Option<&str>) -> Finding {
    HTTP.warning(words::port_taken(port.to_string(), served), words::mend_port())
        .command(format!("review-gate config set network.port {}", port.checked_add(1).unwrap_or(8322)))
}

async fn is_taken(port: u16) -> bool {
    let connecting = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    timeout(ANSWER, connecting).await.is_ok_and(|connected| connected.is_ok())
}

/// Whether a gate answers at this address.
async fn is_alive(url: &str) -> std::io::Result<bool> {
    let address = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await?;
    let head = format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(ANSWER_BYTES).read_to_end(&mut answer).await?;
    Ok(answer.starts_with(ALIVE))
}
