//! The lock that makes a gate the only one of its home.

use crate::error::LinkError;
use crate::home::{Home, Socket};
use gate_os::{User, files};
use std::fs::{File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The longest lock file that is read: a process number and a path.
const LOCK_FILE_BYTES: u64 = 8 * 1024;

/// Held by the running gate; let go of by dropping it, or by the system when the process ends in
/// whatever way.
///
/// The lock file itself stays for ever: were it unlinked, two processes could each lock a file of
/// that name. [`Home::signature_file`] holds the holder's process number and, on a line each, the paths of its sockets.
#[derive(Debug)]
pub struct GateLock {
    home: Home,
    _file: File,
}

impl GateLock {
    /// Takes the lock if it is free. Makes the home's folders.
    ///
    /// `None` means that another gate runs, starts or stops.
    ///
    /// # Errors
    /// [`LinkError::File`] and [`LinkError::FolderOpen`] if the home can't be used.
    pub fn try_acquire(home: &Home) -> Result<Option<Self>, LinkError> {
        home.create()?;
        let path = home.lock_file();
        let file = open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(source)) => return Err(LinkError::file("lock", path, source)),
        }
        let signed = home.signature_file();
        let written = match signed == path {
            true => sign(&file, home),
            false => sign(&open(&signed)?, home),
        };
        written.map_err(|source| LinkError::file("write", signed, source))?;
        Ok(Some(Self { home: home.clone(), _file: file }))
    }

    /// Whether some process holds the lock at this moment. Makes and changes nothing; a gate that starts
    /// in the same instant may have to try again.
    ///
    /// # Errors
    /// When the lock file can't be read. One that isn't there is held by nobody.
    pub fn is_held(home: &Home) -> std::io::Result<bool> {
        let file = match File::open(home.lock_file()) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        // Shared, so that two that look at once don't see each other; closing the file gives it back.
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// The home whose lock this is.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The process number in the lock file: of the running gate, or of the last one.
    #[must_use]
    pub fn last_holder(home: &Home) -> Option<u32> {
        Signature::read(&home.signature_file())?.pid
    }
}

/// Where the gate that last held the lock listens: not where `home` says when that process and
/// this one have different environments, or that one is older and has one socket for all.
pub(crate) fn socket_of_last_holder(home: &Home, socket: Socket) -> Option<PathBuf> {
    let Signature { mcp_socket, control_socket, .. } = Signature::read(&home.signature_file())?;
    match socket {
        Socket::Mcp => mcp_socket,
        Socket::Control => control_socket.or(mcp_socket),
    }
}

/// Opens a file of the lock's, which is made where it isn't there and has to be ours.
fn open(path: &Path) -> Result<File, LinkError> {
    let mut options = files::private_and_no_link();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path).map_err(|source| LinkError::file("open", path, source))?;
    let owner = files::owner(&file).map_err(|source| LinkError::file("read", path, source))?;
    if !owner.is_this() {
        let reason = format!("it belongs to user {owner}, not to user {}", User::this());
        return Err(LinkError::FolderOpen { path: path.to_owned(), reason });
    }
    Ok(file)
}

fn sign(mut file: &File, home: &Home) -> std::io::Result<()> {
    let mut text = format!("{}\n", std::process::id()).into_bytes();
    for socket in [Socket::Mcp, Socket::Control] {
        text.extend_from_slice(&files::to_bytes(home.socket(socket).as_os_str()));
        text.push(b'\n');
    }
    file.set_len(0)?;
    file.write_all(&text)
}

struct Signature {
    pid: Option<u32>,
    mcp_socket: Option<PathBuf>,
    control_socket: Option<PathBuf>,
}

impl Signature {
    fn read(path: &Path) -> Option<Self> {
        let mut text = Vec::new();
        File::open(path).ok()?.take(LOCK_FILE_BYTES).read_to_end(&mut text).ok()?;
        let mut lines = text.split(|byte| *byte == b'\n');
        let pid = lines.next().and_then(|line| std::str::from_utf8(line).ok()?.parse().ok());
        let mut path = || {
            let line = lines.next().filter(|line| !line.is_empty())?;
            Some(PathBuf::from(files::from_bytes(line.to_vec())))
        };
        Some(Self { pid, mcp_socket: path(), control_socket: path() })
    }
}
