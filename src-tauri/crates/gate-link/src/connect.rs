//! A process's end of the local socket, without starting anything.

use crate::error::LinkError;
use crate::home::{Home, Socket};
use crate::lock::socket_of_last_holder;
use crate::socket::admit;
use gate_os::local::{self, Stream};
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;
use tokio::time::Instant;

/// How long a listener with a full queue is tried again, and how often.
const CROWD_PATIENCE: Duration = Duration::from_secs(3);
const CROWD_PAUSE: Duration = Duration::from_millis(5);

/// Connects to a socket of the gate of this home, and makes sure that it is this user's.
///
/// # Errors
/// [`LinkError::Unreachable`] if no gate listens, [`LinkError::SocketPathTooLong`] if none could,
/// [`LinkError::FolderOpen`] if another user's process does.
pub async fn connect(home: &Home, socket: Socket) -> Result<Stream, LinkError> {
    let first = match connect_at(home.socket(socket)).await {
        Ok(stream) => return Ok(stream),
        Err(error) => error,
    };
    match socket_of_last_holder(home, socket) {
        Some(other) if other != home.socket(socket) => connect_at(&other).await.map_err(|_| first),
        _ => Err(first),
    }
}

async fn connect_at(path: &Path) -> Result<Stream, LinkError> {
    Home::check_socket_path(path)?;
    let patience = Instant::now() + CROWD_PATIENCE;
    let stream = loop {
        match local::connect(path).await {
            Ok(stream) => break stream,
            // Somebody listens, but too many connect at once.
            Err(error) if error.kind() == ErrorKind::WouldBlock && Instant::now() < patience => {
                tokio::time::sleep(CROWD_PAUSE).await;
            }
            Err(error) if local::is_absence(&error) => {
                return Err(LinkError::Unreachable {
                    path: path.to_owned(),
                    reason: "nobody listens there".to_owned(),
                });
            }
            Err(source) => return Err(LinkError::file("connect to", path, source)),
        }
    };
    if admit(&stream).is_none() {
        let reason = "the process that listens there belongs to another user".to_owned();
        return Err(LinkError::FolderOpen { path: path.to_owned(), reason });
    }
    Ok(stream)
}
