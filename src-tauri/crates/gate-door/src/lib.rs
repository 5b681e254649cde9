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
mod lines;
mod page;
pub mod port;
mod refusal;
mod secrets;
mod strangers;
mod webhook;

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
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
use crate::lines::Lines;
use crate::page::Downloads;
use crate::port::DoorPort;
use crate::strangers::Strangers;

/// How many ports above the wanted one are tried before any free one is taken.
const PORTS: u16 = 16;
/// How many ports that the system gives are tried: one that is free on one address may be busy on the other.
const ANY: usize = 4;
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
    lines: Lines,
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
        Self { gate, access, endpoint, strangers, downloads, lines: Lines::default(), open_to_all: false, stop }
    }

    /// The same door, where no client of MCP needs a token: for the conformance suite, which has none.
    #[must_use]
    pub fn open_to_all(self) -> Self {
        Self { open_to_all: true, ..self }
    }
}

/// A port on both of this machine's loopback addresses, or on 127.0.0.1 alone where it has no other one. Whoever had
/// the same port on `[::1]` would be whom a browser goes to with a link to `localhost`, and with all that it knows.
#[derive(Debug)]
pub struct Listeners {
    four: TcpListener,
    six: Option<TcpListener>,
}

impl Listeners {
    /// The address on 127.0.0.1.
    ///
    /// # Errors
    /// When the system doesn't say it.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.four.local_addr()
    }

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let Some(six) = &self.six else { return self.four.accept().await };
        tokio::select! {
            accepted = self.four.accept() => accepted,
            accepted = six.accept() => accepted,
        }
    }
}

/// Takes the wanted port on loopback or, where it is busy on either address, the next one that is free on both.
///
/// # Errors
/// When no port can be had.
pub async fn listen(wanted: u16) -> Result<Listeners, Fault> {
    let next = (1..=PORTS).filter_map(|step| wanted.checked_add(step).filter(|_| wanted != 0));
    let mut last = None;
    for port in [wanted].into_iter().chain(next).chain([0; ANY]) {
        match listen_on(port) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = Some(error),
        }
    }
    let reason = last.map(|error| error.to_string()).unwrap_or_default();
    Err(Fault::new(
        Code::Internal,
        format!("No port on loopback can be listened on: {reason}."),
        "Set `network.port` to a free port, or `network.http: false`.",
    ))
}

fn listen_on(port: u16) -> io::Result<Listeners> {
    let four = bound(TcpSocket::new_v4()?, SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    let port = four.local_addr()?.port();
    let six = TcpSocket::new_v6().and_then(|socket| bound(socket, SocketAddr::from((Ipv6Addr::LOCALHOST, port))));
    match six {
        Ok(six) => Ok(Listeners { four, six: Some(six) }),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(error),
        Err(error) => {
            tracing::debug!(%error, "this machine has no loopback address of IPv6");
            Ok(Listeners { four, six: None })
        }
    }
}

fn bound(socket: TcpSocket, address: SocketAddr) -> io::Result<TcpListener> {
    // As the standard library does: a port whose last connections are still closing is free on Unix; on Windows this
    // would let two gates share one.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(bounds::HTTP_QUEUE)
}

/// Serves until the gate stops; `tasks` holds what still runs.
pub async fn serve(door: Arc<Door>, listeners: Listeners, tasks: TaskTracker) {
    let places = Arc::new(Semaphore::new(bounds::HTTP_CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            accepted = listeners.accept() => accepted,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_port_that_somebody_has_on_either_address_is_left_to_them() -> Result<(), Box<dyn std::error::Error>> {
        let Ok(other) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await else {
            let alone = listen(0).await?;
            assert!(alone.six.is_none(), "a machine without that address is served on the other one");
            return Ok(());
        };
        let taken = other.local_addr()?.port();
        let listeners = listen(taken).await?;
        assert_ne!(listeners.local_addr()?.port(), taken, "a browser that follows `localhost` may go to the other one");

        let port = listeners.local_addr()?.port();
        for address in [SocketAddr::from((Ipv4Addr::LOCALHOST, port)), SocketAddr::from((Ipv6Addr::LOCALHOST, port))] {
            let (came, served) = tokio::join!(TcpStream::connect(address), listeners.accept());
            assert_eq!(came?.local_addr()?, served?.1, "both are served: {address}");
            assert!(TcpListener::bind(address).await.is_err(), "and nobody else can have {address}");
        }
        Ok(())
    }
}
