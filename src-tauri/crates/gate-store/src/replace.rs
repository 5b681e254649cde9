//! A new database in the place of the present one.

use std::path::{Path, PathBuf};

use gate_core::Timestamp;

use crate::error::StoreError;
use crate::files;
use crate::inspect;

/// The full-text index beside the database. It is made anew when it is missing.
const INDEX: &str = "search.db";

/// A new database that is complete and on disk, but not yet in its place.
pub(crate) fn complete(path: &Path) -> PathBuf {
    files::with_suffix(path, ".recovered")
}

/// Puts a complete new database in the place of the present one, which goes to a folder of its own
/// below `folder`. Does nothing where there is no new one. Returns where the present one went.
pub(crate) fn finish(path: &Path, folder: &str, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
    let complete = complete(path);
    if !complete.exists() {
        return Ok(None);
    }
    let set_aside = set_aside(path, folder, now)?;
    files::rename(&complete, path)?;
    files::sync_folder(files::folder_of(path))?;
    files::remove(&files::neighbour(path, inspect::MARKER))?;
    drop_index(path)?;
    Ok(set_aside)
}

/// Moves the database, with what SQLite keeps beside it, to a folder of its own.
fn set_aside(path: &Path, folder: &str, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
    let mut there = vec![path.to_owned()];
    there.extend(files::SIDE_FILES.iter().map(|suffix| files::with_suffix(path, suffix)));
    there.retain(|file| file.exists());
    if there.is_empty() {
        return Ok(None);
    }
    let target = files::neighbour(path, folder).join(now.in_names());
    files::make_folder(&target)?;
    for file in there {
        files::rename(&file, &target.join(file.file_name().unwrap_or_default()))?;
    }
    files::sync_folder(&target)?;
    Ok(Some(target))
}

/// Removes the full-text index: the record isn't the one that it was made of.
pub(crate) fn drop_index(path: &Path) -> Result<(), StoreError> {
    files::remove_database(&files::neighbour(path, INDEX))
}
