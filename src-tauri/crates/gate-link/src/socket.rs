//! The gate's end of the local sockets: binding them safely and letting in only its own user.

use crate::error::LinkError;
#[cfg(unix)]
use crate::folder;
use crate::home::{Home, Socket};
use crate::lineage;
use crate::lock::GateLock;
use gate_core::{Lineage, Process};
use gate_os::local::{Ends, Held, Listener, Stream};
use gate_os::process;
use std::io;
#[cfg(unix)]
use std::path::Path;

/// Who is at the other end of a connection, as the system says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// The process number, where the system tells it.
    pub pid: Option<u32>,
    /// The number that it has for itself, as in a sandbox or a container; where the system tells that of a peer that was
    /// accepted.
    pub own_pid: Option<u32>,
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
    fn looked_at(self, stream: &Stream) -> Self {
        let Some(pid) = self.pid else { return self };
        let held = Held::of(stream);
        let looked_at = Self {
            own_pid: process::own_number(pid),
            starter: lineage::starter_of(pid),
            folder: process::folder(pid),
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

/// A bound socket.
#[derive(Debug)]
pub struct GateListener {
    listener: Listener,
}

/// Binds a socket of the home. The lock proves that no other gate listens, so a socket that is there
/// is a dead gate's and is removed; a named pipe that is there is somebody's who is in the way. Needs a tokio runtime.
///
/// The socket's mode is never changed after binding, which would leave a moment in which others
/// could connect: the folder, private before, is what keeps them out. A named pipe has an access list from its beginning.
///
/// # Errors
/// [`LinkError::SocketPathTooLong`], [`LinkError::FolderOpen`], [`LinkError::InTheWay`] or
/// [`LinkError::File`].
pub fn listen(lock: &GateLock, socket: Socket) -> Result<GateListener, LinkError> {
    let home = lock.home();
    let path = home.socket(socket);
    Home::check_socket_path(path)?;
    #[cfg(unix)]
    {
        folder::make_private(home.socket_folder(socket))?;
        remove_stale(path)?;
    }
    let listener = Listener::bind(path).map_err(|source| LinkError::file("bind", path, source))?;
    #[cfg(target_os = "linux")]
    if socket == Socket::Mcp {
        name_for_sandboxes(home)?;
    }
    Ok(GateListener { listener })
}

/// Gives the relays' socket its other name. A sandbox sees that folder, and so each socket that a gate binds anew.
#[cfg(target_os = "linux")]
fn name_for_sandboxes(home: &Home) -> Result<(), LinkError> {
    let (folder, name) = (home.relays_folder(), home.relays_socket());
    folder::create(&folder)?;
    folder::make_private(&folder)?;
    remove_stale(&name)?;
    std::fs::hard_link(home.socket(Socket::Mcp), &name)
        .map_err(|source| LinkError::file("name the socket", name, source))
}

impl GateListener {
    /// The next connection of this user. Those of other users are closed unheard, and a passing
    /// lack of file descriptors or memory is waited out.
    ///
    /// # Errors
    /// Only those that will not pass.
    pub async fn accept(&self) -> io::Result<(Stream, Peer)> {
        loop {
            let stream = self.listener.accept().await?;
            if let Some(peer) = admit(&stream) {
                let peer = peer.looked_at(&stream);
                return Ok((stream, peer));
            }
        }
    }
}

/// The peer, if it is of this user; an unknown peer is none.
pub(crate) fn admit(stream: &Stream) -> Option<Peer> {
    let Ends { pid, user } = Ends::of(stream).ok()?;
    let peer = Peer { pid, own_pid: None, starter: None, folder: None, folder_in_common: None, lineage: None };
    user.is_this().then_some(peer)
}

#[cfg(unix)]
fn remove_stale(path: &Path) -> Result<(), LinkError> {
    use std::os::unix::fs::FileTypeExt as _;

    match std::fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() => {
            std::fs::remove_file(path).map_err(|source| LinkError::file("remove", path, source))
        }
        Ok(_) => Err(LinkError::InTheWay { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(LinkError::file("read", path, source)),
    }
}
