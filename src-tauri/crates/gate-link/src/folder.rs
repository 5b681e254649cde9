//! Folders that only this user may enter: making them, checking them, mending them.

use crate::error::LinkError;
use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

const PRIVATE: u32 = 0o700;
const STICKY: u32 = 0o1000;

/// This process's user.
pub(crate) fn our_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Makes the folder and the missing ones above it, all of them private. One that exists is left
/// as it is.
pub(crate) fn create(folder: &Path) -> Result<(), LinkError> {
    DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE)
        .create(folder)
        .map_err(|source| LinkError::file("create", folder, source))
}

/// Makes sure that the folder is a folder of ours that nobody else can enter, taking away the
/// rights of others where that is safe.
///
/// # Errors
/// [`LinkError::FolderOpen`] if it belongs to another user, or is a place that others share (the
/// root, or a sticky folder like `/tmp`), whose mode isn't ours to change.
pub(crate) fn make_private(folder: &Path) -> Result<(), LinkError> {
    let found = fs::metadata(folder).map_err(|source| LinkError::file("read", folder, source))?;
    let open = |reason: String| LinkError::FolderOpen { path: folder.to_owned(), reason };
    if !found.is_dir() {
        return Err(open("it is no folder".to_owned()));
    }
    if found.uid() != our_uid() {
        return Err(open(format!("it belongs to user {}, not to user {}", found.uid(), our_uid())));
    }
    if is_private(&found) {
        return Ok(());
    }
    let mode = found.mode() & 0o7777;
    if mode & STICKY != 0 || folder.parent().is_none() {
        return Err(open(format!("its mode is {mode:04o}, and others use it too")));
    }
    fs::set_permissions(folder, Permissions::from_mode(PRIVATE))
        .map_err(|source| LinkError::file("make private", folder, source))
}

/// Whether the path is a folder of this user's that nobody else can enter.
pub(crate) fn is_ours_and_private(path: &Path) -> io::Result<bool> {
    let found = fs::metadata(path)?;
    Ok(found.is_dir() && found.uid() == our_uid() && is_private(&found))
}

fn is_private(found: &Metadata) -> bool {
    found.mode() & 0o077 == 0
}
