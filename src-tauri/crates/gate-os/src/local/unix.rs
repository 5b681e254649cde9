//! Unix sockets.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;
use std::time::Duration;

use rustix::io::Errno;
use tokio::net::UnixListener;

use super::Ends;
use crate::User;

/// A connection.
pub type Stream = tokio::net::UnixStream;
/// What comes over one.
pub type ReadHalf = tokio::net::unix::OwnedReadHalf;
/// What goes over one; dropped, the other end hears the end.
pub type WriteHalf = tokio::net::unix::OwnedWriteHalf;

/// The longest path that fits into a socket address with its closing zero (`sockaddr_un`).
pub const PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// How long to wait for a file descriptor or memory to become free again.
const SCARCITY_PAUSE: Duration = Duration::from_millis(100);

/// Listens at a path.
#[derive(Debug)]
pub struct Listener(UnixListener);

impl Listener {
    /// Begins to listen at a path at which nothing may be. Whoever may enter its folder may connect: the folder is to be
    /// private before. Needs a tokio runtime.
    ///
    /// # Errors
    /// The system's.
    pub fn bind(path: &Path) -> io::Result<Self> {
        UnixListener::bind(path).map(Self)
    }

    /// The next connection, whosever it is. A passing lack of file descriptors or memory is waited out.
    ///
    /// # Errors
    /// Only those that will not pass.
    pub async fn accept(&self) -> io::Result<Stream> {
        loop {
            match self.0.accept().await {
                Ok((stream, _)) => return Ok(stream),
                Err(error) => match Errno::from_io_error(&error) {
                    Some(Errno::CONNABORTED | Errno::INTR) => {}
                    Some(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => {
                        tokio::time::sleep(SCARCITY_PAUSE).await;
                    }
                    _ => return Err(error),
                },
            }
        }
    }
}

pub(super) async fn connect(path: &Path) -> io::Result<Stream> {
    Stream::connect(path).await
}

pub(super) fn ends_of(stream: &Stream) -> io::Result<Ends> {
    let found = stream.peer_cred()?;
    Ok(Ends { pid: found.pid().and_then(|pid| u32::try_from(pid).ok()), user: User::of_number(found.uid()) })
}

#[derive(Debug)]
pub(super) struct Held(OwnedFd);

impl Held {
    #[cfg(target_os = "linux")]
    pub(super) fn of(stream: &Stream) -> Option<Self> {
        nix::sys::socket::getsockopt(stream, nix::sys::socket::sockopt::PeerPidfd).ok().map(Self)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn of(_stream: &Stream) -> Option<Self> {
        None
    }

    /// `proc_pid_fdinfo(5)`.
    pub(super) fn names_still(&self, pid: u32) -> bool {
        let told = fs::read_to_string(format!("/proc/self/fdinfo/{}", self.0.as_raw_fd())).unwrap_or_default();
        let number = told.lines().find_map(|line| line.strip_prefix("Pid:")?.trim().parse::<i64>().ok());
        number.is_none_or(|number| number == i64::from(pid))
    }
}
