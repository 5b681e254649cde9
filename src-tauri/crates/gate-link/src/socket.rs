//! The gate's end of the local sockets: binding them safely and letting in only its own user.

use crate::error::LinkError;
use crate::folder::{self, our_uid};
use crate::home::{Home, Socket};
use crate::lineage;
use crate::lock::GateLock;
use crate::process;
use gate_core::{Lineage, Process};
use rustix::io::Errno;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};

/// How long to wait for a file descriptor or memory to become free again.
const SCARCITY_PAUSE: Duration = Duration::from_millis(100);

/// Who is at the other end of a connection, as the system says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// The process number, where the system tells it.
    pub pid: Option<u32>,
    /// The number that it has for itself, as in a sandbox or a container; where the system tells that of a peer that was
    /// accepted.
    pub own_pid: Option<u32>,
    /// The user.
    pub uid: u32,
    /// The process that started it, where the system tells that of a peer that was accepted.
    pub starter: Option<Process>,
    /// The folder that it works in; the same holds of it.
    pub folder: Option<String>,
    /// The same folder, where its path leads there for us as well; the same holds of it.
    pub folder_in_common: Option<String>,
    /// Which program it is, and which it descends from; the same holds of it.
    pub lineage: Option<Lineage>,
}

impl Peer {
    /// With all that the system tells of the process that connected. Nothing where that has ended: its number may be
    /// another's now.
    fn looked_at(self, stream: &UnixStream) -> Self {
        let Some(pid) = self.pid else { return self };
        let held = Held::of(stream);
        let looked_at = Self {
            own_pid: process::own_number_of(pid),
            starter: process::starter_of(pid),
            folder: process::folder_of(pid),
            folder_in_common: process::folder_in_common(pid),
            lineage: lineage::of(&lineage::ThisKernel, pid),
            ..self
        };
        match held.is_none_or(|held| held.names_still(pid)) {
            true => looked_at,
            false => {
                Self { own_pid: None, starter: None, folder: None, folder_in_common: None, lineage: None, ..looked_at }
            }
        }
    }

    /// Whether the process that connected says itself that it has this number: who forwards a connection has another.
    #[must_use]
    pub fn calls_itself(&self, pid: u32) -> bool {
        self.pid == Some(pid) || self.own_pid == Some(pid)
    }
}

/// The process at the other end, held by a descriptor: its number becomes no other's unnoticed. Absent before Linux
/// 6.5, and elsewhere; then what is read twice has to do.
struct Held(OwnedFd);

impl Held {
    #[cfg(target_os = "linux")]
    fn of(stream: &UnixStream) -> Option<Self> {
        nix::sys::socket::getsockopt(stream, nix::sys::socket::sockopt::PeerPidfd).ok().map(Self)
    }

    #[cfg(not(target_os = "linux"))]
    fn of(_stream: &UnixStream) -> Option<Self> {
        None
    }

    /// Whether this is its number: until it has ended and was collected (proc_pid_fdinfo(5)). Where that isn't told, it
    /// is.
    fn names_still(&self, pid: u32) -> bool {
        let told = fs::read_to_string(format!("/proc/self/fdinfo/{}", self.0.as_raw_fd())).unwrap_or_default();
        let number = told.lines().find_map(|line| line.strip_prefix("Pid:")?.trim().parse::<i64>().ok());
        number.is_none_or(|number| number == i64::from(pid))
    }
}

/// A bound socket.
#[derive(Debug)]
pub struct GateListener {
    listener: UnixListener,
}

/// Binds a socket of the home. The lock proves that no other gate listens, so a socket that is there
/// is a dead gate's and is removed. Needs a tokio runtime.
///
/// The socket's mode is never changed after binding, which would leave a moment in which others
/// could connect: the folder, private before, is what keeps them out.
///
/// # Errors
/// [`LinkError::SocketPathTooLong`], [`LinkError::FolderOpen`], [`LinkError::InTheWay`] or
/// [`LinkError::File`].
pub fn listen(lock: &GateLock, socket: Socket) -> Result<GateListener, LinkError> {
    let home = lock.home();
    let path = home.socket(socket);
    Home::check_socket_path(path)?;
    folder::make_private(home.socket_folder(socket))?;
    remove_stale(path)?;
    let listener = UnixListener::bind(path).map_err(|source| LinkError::file("bind", path, source))?;
    if cfg!(target_os = "linux") && socket == Socket::Mcp {
        name_for_sandboxes(home)?;
    }
    Ok(GateListener { listener })
}

/// Gives the relays' socket its other name. A sandbox sees that folder, and so each socket that a gate binds anew.
fn name_for_sandboxes(home: &Home) -> Result<(), LinkError> {
    let (folder, name) = (home.relays_folder(), home.relays_socket());
    folder::create(&folder)?;
    folder::make_private(&folder)?;
    remove_stale(&name)?;
    fs::hard_link(home.socket(Socket::Mcp), &name).map_err(|source| LinkError::file("name the socket", name, source))
}

impl GateListener {
    /// The next connection of this user. Those of other users are closed unheard, and a passing
    /// lack of file descriptors or memory is waited out.
    ///
    /// # Errors
    /// Only those that will not pass.
    pub async fn accept(&self) -> io::Result<(UnixStream, Peer)> {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    if let Some(peer) = admit(&stream) {
                        let peer = peer.looked_at(&stream);
                        return Ok((stream, peer));
                    }
                }
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

/// The peer, if it is of this user; an unknown peer is none.
pub(crate) fn admit(stream: &UnixStream) -> Option<Peer> {
    let found = stream.peer_cred().ok()?;
    let pid = found.pid().and_then(|pid| u32::try_from(pid).ok());
    let uid = found.uid();
    let peer = Peer { pid, own_pid: None, uid, starter: None, folder: None, folder_in_common: None, lineage: None };
    (peer.uid == our_uid()).then_some(peer)
}

fn remove_stale(path: &Path) -> Result<(), LinkError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() => {
            fs::remove_file(path).map_err(|source| LinkError::file("remove", path, source))
        }
        Ok(_) => Err(LinkError::InTheWay { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(LinkError::file("read", path, source)),
    }
}
