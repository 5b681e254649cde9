//! The log's files: names, being private, being on disk for sure, and being the same as before.
//!
//! Knows nothing of what they hold.

use std::fs::{File, Metadata, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

use gate_core::Timestamp;
pub(crate) use gate_os::files::{Stamp, private};

use crate::error::{ReceiptsError, failed};

/// The log's name in its folder.
pub const NAME: &str = "receipts.log";
/// What its writer holds. It stays for ever: were it removed, two could each lock a file of that name.
pub(crate) const LOCK: &str = "receipts.lock";
/// A log that is about to take the place of another.
pub(crate) const NEXT: &str = "receipts.log.new";

/// The name of a log that is set aside at that moment, e.g. `receipts.20261121T034921125Z.log`, where this one isn't
/// taken.
pub(crate) fn aside(folder: &Path, moment: Timestamp) -> String {
    let stamp = moment.in_names();
    let name = format!("receipts.{stamp}.log");
    let more = (2..).map(|number| format!("receipts.{stamp}-{number}.log"));
    let is_free = |name: &String| folder.join(name).symlink_metadata().is_err();
    std::iter::once(name.clone()).chain(more).find(is_free).unwrap_or(name)
}

/// Waits until a folder's names are on disk.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), ReceiptsError> {
    gate_os::files::sync_folder(folder).map_err(failed("written", folder))
}

/// A file's bytes; absent where there is none of that name. What isn't a plain file is read as damage: empty.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, ReceiptsError> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", path)(error)),
        Ok(found) if !found.is_file() => Ok(Some(Vec::new())),
        Ok(_) => std::fs::read(path).map(Some).map_err(failed("read", path)),
    }
}

/// What a file of this name looks like from outside; absent where there is none, or no plain one.
pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    path.symlink_metadata().ok().filter(Metadata::is_file).map(|found| Stamp::of(&found))
}

/// The lock of a folder's log, held until it is dropped or the process ends in whatever way.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Lock {
    /// Takes it, if nobody else has it.
    pub(crate) fn take(folder: &Path) -> Result<Self, ReceiptsError> {
        let path = folder.join(LOCK);
        let file = private().write(true).create(true).truncate(false).open(&path).map_err(failed("locked", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(ReceiptsError::Busy(path)),
            Err(TryLockError::Error(error)) => Err(failed("locked", &path)(error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing it isn't enough: a process that is just being started has it open, too, until it is a program.
        let _ = self.0.unlock();
    }
}

/// Gives a file another name in the same folder. It needn't be there.
pub(crate) fn rename(folder: &Path, from: &str, to: &str) -> Result<(), ReceiptsError> {
    match std::fs::rename(folder.join(from), folder.join(to)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed("moved", &folder.join(from))(error)),
        _ => Ok(()),
    }
}

/// Removes a file. It needn't be there.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
