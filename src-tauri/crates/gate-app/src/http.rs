//! The gate on loopback HTTP: who is let in, how much, and for how long. MCP for whoever shows a token,
//! the page for a browser that is signed in.
//!
//! Pages of strangers reach loopback too, through any browser: a foreign `Host` (DNS rebinding) or
//! `Origin` is refused before anything else is looked at (MCP, "Transports: Security Warning").

mod body;
mod connection;
mod cors;
mod door;
#[cfg(test)]
mod fuzz;
mod page;
mod refusal;
mod webhook;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use gate_core::{Code, Fault, bounds};
use gate_mcp::HttpEndpoint;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::connections::access::Access;
use crate::gate::Gate;
pub(crate) use door::Strangers;
pub(crate) use page::Downloads;

/// How many ports above the wanted one are tried before any free one is taken.
const PORTS: u16 = 16;
/// How long to wait when the system has no more descriptors to give.
const PAUSE: Duration = Duration::from_millis(50);
/// How long a stranger that has to make room may take to go.
const MAKE_ROOM: Duration = Duration::from_millis(100);

/// What every connection needs.
pub(crate) struct Site {
    pub(crate) gate: Gate,
    pub(crate) access: Arc<Access>,
    pub(crate) endpoint: HttpEndpoint,
    pub(crate) strangers: Strangers,
    pub(crate) downloads: Downloads,
    /// Whether everyone may come in: for the conformance suite, which has no token.
    pub(crate) open_to_all: bool,
}

/// Takes the wanted port on 127.0.0.1 or, where it is busy, the next free one.
///
/// # Errors
/// When no port can be had.
pub(crate) async fn listen(wanted: u16) -> Result<TcpListener, Fault> {
    let next = (1..=PORTS).filter_map(|step| wanted.checked_add(step).filter(|_| wanted != 0));
    let mut last = None;
    for port in [wanted].into_iter().chain(next).chain([0]) {
        match TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await {
            Ok(listener) => return Ok(listener),
            Err(error) => last = Some(error),
        }
    }
    let reason = last.map(|error| error.to_string()).unwrap_or_default();
    Err(Fault::new(
        Code::Internal,
        format!("No port on 127.0.0.1 can be listened on: {reason}."),
        "Set `network.port` to a free port, or `network.http: false`.",
    ))
}

/// Serves until the gate stops.
pub(crate) async fn serve(site: Arc<Site>, listener: TcpListener, stop: CancellationToken, tasks: TaskTracker) {
    let places = Arc::new(Semaphore::new(bounds::HTTP_CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                let Some(place) = place(&site.strangers, &places).await else {
                    connection::turn_away(stream).await;
                    continue;
                };
                let (site, stop) = (Arc::clone(&site), stop.clone());
                tasks.spawn(async move {
                    connection::serve(site, stream, stop).await;
                    drop(place);
                });
            }
            Err(error) if is_of_the_peer(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "no connection could be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// A place for one more connection. Where all are taken, the stranger that has been here longest
/// without showing a token makes room.
async fn place(strangers: &Strangers, places: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    if let Ok(place) = Arc::clone(places).try_acquire_owned() {
        return Some(place);
    }
    if !strangers.send_one_away() {
        return None;
    }
    let freed = tokio::time::timeout(MAKE_ROOM, Arc::clone(places).acquire_owned()).await;
    freed.ok().and_then(Result::ok)
}

/// Whether only the connection that was to be accepted is broken.
fn is_of_the_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}

/// Small answers go out at once; without this, each call waits 40 ms for the peer's acknowledgement.
fn send_at_once(stream: &TcpStream) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection stays slow");
    }
}
