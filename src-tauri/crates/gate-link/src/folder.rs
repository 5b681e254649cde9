//! Folders that only this user may enter, in the words of this crate.

use crate::error::LinkError;
use gate_os::User;
use gate_os::files::{self, NotPrivate};
use std::path::Path;

/// Makes the folder and the missing ones above it, all of them private. One that exists is left
/// as it is.
pub(crate) fn create(folder: &Path) -> Result<(), LinkError> {
    files::create_folder(folder).map_err(|source| LinkError::file("create", folder, source))
}

/// Makes sure that the folder is a folder of ours that nobody else can enter, taking away the
/// rights of others where that is safe.
///
/// # Errors
/// [`LinkError::FolderOpen`] if it belongs to another user, or is a place that others share.
pub(crate) fn make_private(folder: &Path) -> Result<(), LinkError> {
    let open = |reason: String| LinkError::FolderOpen { path: folder.to_owned(), reason };
    files::make_private_folder(folder).map_err(|error| match error {
        NotPrivate::Io { doing, source } => LinkError::file(doing, folder, source),
        NotPrivate::NoFolder => open("it is no folder".to_owned()),
        NotPrivate::Anothers(owner) => open(format!("it belongs to user {owner}, not to user {}", User::this())),
        NotPrivate::Shared(words) => open(format!("{words}, and others use it too")),
    })
}
