//! The gate on loopback HTTP: who is let in, how much, and for how long. MCP for whoever shows a token,
//! the page for a browser that is signed in.
//!
//! Pages of strangers reach loopback too, through any browser: a foreign `Host` (DNS rebinding) or
//! `Origin` is refused before anything else is looked at (MCP, "Transports: Security Warning").

pub mod access;
mod body;
pub mod browsers;
mod connection;
mod cors;
#[cfg(test)]
mod fake_gate;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
#[expect(dead_code, reason = "heads of requests have no seeds")]
mod fuzzing;
mod head;
mod page;
pub mod port;
mod refusal;
mod secrets;
mod strangers;
mod webhook;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gate_core::{Code, Fault, bounds};
use gate_mcp::HttpEndpoint;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::Access;
use crate::page::Downloads;
use crate::port::DoorPort;
use crate::strangers::Strangers;

/// How many ports above the wanted one are tried before any free one is taken.
const PORTS: u16 = 16;
/// How long to wait when the system has no more descriptors to give.
const PAUSE: Duration = Duration::from_millis(50);
/// How long a stranger that has to make room may take to go.
const MAKE_ROOM: Duration = Duration::from_millis(100);

/// The door of a gate.
pub struct Door {
    gate: Arc<dyn DoorPort>,
    access: Arc<Access>,
    endpoint: HttpEndpoint,
    strangers: Strangers,
    downloads: Downloads,
    /// Whether everyone may come in without a token.
    open_to_all: bool,
    stop: CancellationToken,
}

impl Door {
    /// The door of this gate, until `stop`. Exports for browsers wait in the folder `downloads`, which nothing else
    /// uses; what is left there of an earlier gate goes.
    #[must_use]
    pub fn new(
        gate: Arc<dyn DoorPort>,
        access: Arc<Access>,
        endpoint: HttpEndpoint,
        downloads: PathBuf,
        stop: CancellationToken,
    ) -> Self {
        let (strangers, downloads) = (Strangers::default(), Downloads::new(downloads));
        Self { gate, access, endpoint, strangers, downloads, open_to_all: false, stop }
    }

    /// The same door, where no client of MCP needs a token: for the conformance suite, which has none.
    #[must_use]
    pub fn open_to_all(self) -> Self {
        Self { open_to_all: true, ..self }
    }
}

/// Takes the wanted port on 127.0.0.1 or, where it is busy, the next free one.
///
/// # Errors
/// When no port can be had.
pub async fn listen(wanted: u16) -> Result<TcpListener, Fault> {
    let next = (1..=PORTS).filter_map(|step| wanted.checked_add(step).filter(|_| wanted != 0));
    let mut last = None;
    for port in [wanted].into_iter().chain(next).chain([0]) {
        match listen_on(port) {
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

fn listen_on(port: u16) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    // As the standard library does: a port whose last connections are still closing is free on Unix; on Windows this
    // would let two gates share one.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    socket.listen(bounds::HTTP_QUEUE)
}

/// Serves until the gate stops; `tasks` holds what still runs.
pub async fn serve(door: Arc<Door>, listener: TcpListener, tasks: TaskTracker) {
    let places = Arc::new(Semaphore::new(bounds::HTTP_CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = door.stop.cancelled() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                let Some(place) = place(&door.strangers, &places).await else {
                    connection::turn_away(stream).await;
                    continue;
                };
                let door = Arc::clone(&door);
                tasks.spawn(async move {
                    connection::serve(door, stream).await;
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
