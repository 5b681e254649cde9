//! The lock that makes a gate the only one of its home.

use crate::error::LinkError;
use crate::folder::our_uid;
use crate::home::{Home, Socket};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The longest lock file that is read: a process number and a path.
const LOCK_FILE_BYTES: u64 = 8 * 1024;

/// Held by the running gate; let go of by dropping it, or by the system when the process ends in
/// whatever way.
///
/// The lock file itself stays for ever: were it unlinked, two processes could each lock a file of
/// that name. It holds the holder's process number and, on a line each, the paths of its sockets.
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
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(&path)
            .map_err(|source| LinkError::file("open", &path, source))?;
        let owner = file.metadata().map_err(|source| LinkError::file("read", &path, source))?.uid();
        if owner != our_uid() {
            let reason = format!("it belongs to user {owner}, not to user {}", our_uid());
            return Err(LinkError::FolderOpen { path, reason });
        }
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Ok(None),
            Err(source) => return Err(LinkError::file("lock", path, source)),
        }
        sign(&mut file, home).map_err(|source| LinkError::file("write", path, source))?;
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
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => Ok(false),
            Err(Errno::WOULDBLOCK) => Ok(true),
            Err(error) => Err(error.into()),
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
        Signature::read(&home.lock_file())?.pid
    }
}

/// Where the gate that last held the lock listens: not where `home` says when that process and
/// this one have different environments, or that one is older and has one socket for all.
pub(crate) fn socket_of_last_holder(home: &Home, socket: Socket) -> Option<PathBuf> {
    let Signature { mcp_socket, control_socket, .. } = Signature::read(&home.lock_file())?;
    match socket {
        Socket::Mcp => mcp_socket,
        Socket::Control => control_socket.or(mcp_socket),
    }
}

fn sign(file: &mut File, home: &Home) -> std::io::Result<()> {
    let mut text = format!("{}\n", std::process::id()).into_bytes();
    for socket in [Socket::Mcp, Socket::Control] {
        text.extend_from_slice(home.socket(socket).as_os_str().as_bytes());
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
            Some(PathBuf::from(std::ffi::OsString::from_vec(line.to_vec())))
        };
        Some(Self { pid, mcp_socket: path(), control_socket: path() })
    }
}
