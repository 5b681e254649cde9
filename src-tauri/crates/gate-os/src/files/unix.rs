//! Modes and owners.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{
    DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, OFlags, access};

use super::{FileId, NotPrivate, Rights};
use crate::User;

const FILE: u32 = 0o600;
const FOLDER: u32 = 0o700;
const OTHERS: u32 = 0o077;
const STICKY: u32 = 0o1000;

pub(super) fn keep_to_owner(options: &mut OpenOptions) {
    options.mode(FILE);
}

pub(super) fn real_path(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

pub(super) fn follow_no_link(options: &mut OpenOptions) {
    options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
}

pub(super) fn make_private_file(file: &Path) -> io::Result<()> {
    fs::set_permissions(file, Permissions::from_mode(FILE))
}

pub(super) fn make_private_open(file: &File, _path: &Path) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(FILE))
}

pub(super) fn take_from_others(file: &Path) -> io::Result<()> {
    let Some(mode) = fs::metadata(file).ok().map(|found| found.permissions().mode()) else { return Ok(()) };
    if mode & OTHERS == 0 {
        return Ok(());
    }
    fs::set_permissions(file, Permissions::from_mode(mode & FOLDER))
}

pub(super) fn make_enterable(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(FOLDER))
}

pub(super) fn create_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(folder)
}

pub(super) fn make_private_folder(folder: &Path) -> Result<(), NotPrivate> {
    let found = fs::metadata(folder).map_err(|source| NotPrivate::Io { doing: "read", source })?;
    if !found.is_dir() {
        return Err(NotPrivate::NoFolder);
    }
    let owner = User::of_number(found.uid());
    if !owner.is_this() {
        return Err(NotPrivate::Anothers(owner));
    }
    if is_private(&found) {
        return Ok(());
    }
    let mode = found.mode() & 0o7777;
    // The root, or a sticky folder like `/tmp`.
    if mode & STICKY != 0 || folder.parent().is_none() {
        return Err(NotPrivate::Shared(format!("its mode is {mode:04o}")));
    }
    fs::set_permissions(folder, Permissions::from_mode(FOLDER))
        .map_err(|source| NotPrivate::Io { doing: "make private", source })
}

pub(super) fn is_private_folder(path: &Path) -> io::Result<bool> {
    let found = fs::metadata(path)?;
    Ok(found.is_dir() && User::of_number(found.uid()).is_this() && is_private(&found))
}

fn is_private(found: &Metadata) -> bool {
    found.mode() & OTHERS == 0
}

pub(super) fn owner(file: &File) -> io::Result<User> {
    Ok(User::of_number(file.metadata()?.uid()))
}

pub(super) fn rights(path: &Path) -> io::Result<Rights> {
    let found = fs::metadata(path)?;
    let others = (!is_private(&found)).then(|| format!("{:04o}", found.mode() & 0o7777));
    Ok(Rights { owner: User::of_number(found.uid()), others })
}

pub(super) fn may_write(path: &Path) -> bool {
    access(path, Access::WRITE_OK).is_ok()
}

/// Root may do anything else, but starts only what has some such bit, as this says.
pub(super) fn may_start(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

pub(super) fn is_socket(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket())
}

pub(super) fn owner_at(path: &Path) -> io::Result<User> {
    Ok(User::of_number(fs::symlink_metadata(path)?.uid()))
}

pub(super) fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

pub(super) fn id_of(path: &Path) -> io::Result<FileId> {
    let found = fs::metadata(path)?;
    Ok(FileId { device: found.dev(), number: found.ino() })
}

pub(super) fn identity(found: &Metadata) -> (u64, u64, i64, i64) {
    (found.dev(), found.ino(), found.ctime(), found.ctime_nsec())
}

pub(super) fn to_bytes(text: &OsStr) -> Vec<u8> {
    text.as_bytes().to_vec()
}

pub(super) fn from_bytes(bytes: Vec<u8>) -> OsString {
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::{make_private_folder, take_from_others};
    use super::*;

    #[test]
    fn what_others_may_is_taken_from_them_where_that_is_safe() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mode = |path: &Path| Ok::<_, io::Error>(fs::metadata(path)?.mode() & 0o7777);
        let [open, shared, file] = ["open", "shared", "file"].map(|name| folder.path().join(name));
        fs::create_dir(&open)?;
        fs::set_permissions(&open, Permissions::from_mode(0o755))?;
        assert!(make_private_folder(&open).is_ok());
        assert_eq!(mode(&open)?, 0o700);
        fs::create_dir(&shared)?;
        fs::set_permissions(&shared, Permissions::from_mode(0o1777))?;
        let Err(NotPrivate::Shared(words)) = make_private_folder(&shared) else { panic!("others use it") };
        assert_eq!((words.as_str(), mode(&shared)?), ("its mode is 1777", 0o1777));
        assert!(matches!(make_private_folder(Path::new("/")), Err(NotPrivate::Shared(_) | NotPrivate::Anothers(_))));
        for (before, after) in [(0o644, 0o600), (0o444, 0o400), (0o600, 0o600)] {
            fs::write(&file, "")?;
            fs::set_permissions(&file, Permissions::from_mode(before))?;
            take_from_others(&file)?;
            assert_eq!(mode(&file)?, after, "one that was {before:o}");
            fs::remove_file(&file)?;
        }
        Ok(())
    }
}
