//! Files and folders beside the database: names, modes, and being on disk for sure.
//!
//! Knows nothing of what the files hold.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use gate_os::files::private;
use sha2::{Digest as _, Sha256};

use crate::error::StoreError;

/// The file whose name is the database's and `suffix`, e.g. `-wal`.
pub(crate) fn with_suffix(database: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(database.as_os_str());
    name.push(suffix);
    PathBuf::from(name)
}

/// A file or folder of this name in the database's folder.
pub(crate) fn neighbour(database: &Path, name: &str) -> PathBuf {
    folder_of(database).join(name)
}

/// The folder that a file is in.
pub(crate) fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// How many bytes a file has; 0 where there is none.
pub(crate) fn length(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |found| found.len())
}

/// Makes an existing file readable and writable by its owner alone.
pub(crate) fn make_private(file: &Path) -> Result<(), StoreError> {
    gate_os::files::make_private_file(file).map_err(failed("written", file))
}

/// Makes a database that isn't there an empty file for its owner alone, and takes the rights of others from one that
/// is; what its owner may do stays as it is. SQLite gives the same rights to what it keeps beside it. What can't be
/// done here fails where the database is opened, or is a file system without rights.
pub(crate) fn keep_to_owner(database: &Path) {
    let made = private().write(true).create_new(true).open(database);
    if made.is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
        && let Err(error) = gate_os::files::take_from_others(database)
    {
        tracing::warn!(%error, "others keep their rights to a file of the record");
    }
}

/// Makes a folder, and those above it, for their owner alone.
pub(crate) fn make_folder(folder: &Path) -> Result<(), StoreError> {
    gate_os::files::create_folder(folder).map_err(failed("made", folder))
}

/// Waits until a file's bytes are on disk.
pub(crate) fn sync_file(file: &Path) -> Result<(), StoreError> {
    File::open(file).and_then(|file| file.sync_all()).map_err(failed("written", file))
}

/// Waits until a folder's names are on disk.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    gate_os::files::sync_folder(folder).map_err(failed("written", folder))
}

/// Gives a file another name on the same file system.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), StoreError> {
    std::fs::rename(from, to).map_err(failed("moved", from))
}

/// Copies a file, for its owner alone.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    let mut source = File::open(from).map_err(failed("read", from))?;
    let mut target = private().write(true).create(true).truncate(true).open(to).map_err(failed("written", to))?;
    io::copy(&mut source, &mut target).map_err(failed("written", to))?;
    target.sync_all().map_err(failed("written", to))
}

/// Removes a file; it needn't be there.
pub(crate) fn remove(file: &Path) -> Result<(), StoreError> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("removed", file)(error)),
        _ => Ok(()),
    }
}

/// Removes a database with the files that SQLite keeps beside it; none of them needs to be there.
pub(crate) fn remove_database(database: &Path) -> Result<(), StoreError> {
    remove(database)?;
    for suffix in SIDE_FILES {
        remove(&with_suffix(database, suffix))?;
    }
    Ok(())
}

/// The SHA-256 of some bytes, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What SQLite keeps beside a database.
pub(crate) const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// What happened to a file that couldn't be used; `done` completes “can't be …”.
pub(crate) fn failed(done: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::File { path, done, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_database_is_its_owner_s_alone() -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir()?;
        let mode = |file: &Path| Ok::<_, io::Error>(std::fs::metadata(file)?.permissions().mode() & 0o777);
        let new = folder.path().join("new.db");
        keep_to_owner(&new);
        assert_eq!((mode(&new)?, length(&new)), (0o600, 0), "whatever the umask is");
        let old = folder.path().join("old.db");
        for (before, after) in [(0o644, 0o600), (0o444, 0o400), (0o600, 0o600)] {
            std::fs::write(&old, "SQLite")?;
            std::fs::set_permissions(&old, std::fs::Permissions::from_mode(before))?;
            keep_to_owner(&old);
            assert_eq!((mode(&old)?, length(&old)), (after, 6), "one from before that was {before:o}");
            std::fs::remove_file(&old)?;
        }
        keep_to_owner(&folder.path().join("nowhere/x.db"));
        Ok(())
    }

    #[test]
    fn side_files_stand_beside_their_database() {
        assert_eq!(with_suffix(Path::new("/a/b.db"), "-wal"), Path::new("/a/b.db-wal"));
        assert_eq!(neighbour(Path::new("/a/b.db"), "damaged"), Path::new("/a/damaged"));
        assert_eq!(folder_of(Path::new("b.db")), Path::new("."), "a bare name is in the present folder");
    }
}
