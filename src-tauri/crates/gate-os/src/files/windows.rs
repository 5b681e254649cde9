//! Access lists. What is to be one user's alone gives all rights to them, to the system and to its administrators, who may
//! do everything anyway, and takes none from the folder above.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Storage::FileSystem::{FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, READ_CONTROL};

use super::{FileId, NotPrivate, Rights};
use crate::User;
use crate::windows::{disk, security, user};

/// How the names of programs and scripts end that are started by their name.
const STARTED: [&str; 4] = ["exe", "cmd", "bat", "com"];

pub(super) fn keep_to_owner(_options: &mut OpenOptions) {}

pub(super) fn follow_no_link(options: &mut OpenOptions) {
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
}

pub(super) fn real_path(path: &Path) -> io::Result<PathBuf> {
    dunce::canonicalize(path)
}

pub(super) fn make_private_file(file: &Path) -> io::Result<()> {
    security::Rights::for_this_user_alone()?.give_to_file(file)
}

pub(super) fn make_private_open(_file: &File, path: &Path) -> io::Result<()> {
    make_private_file(path)
}

pub(super) fn take_from_others(file: &Path) -> io::Result<()> {
    if security::of_file(file).map_or(true, |found| found.others.is_empty()) { Ok(()) } else { make_private_file(file) }
}

/// An owner may change the rights of a folder that is theirs; none that this program makes loses them.
#[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
pub(super) fn make_enterable(_folder: &Path) -> io::Result<()> {
    Ok(())
}

pub(super) fn create_folder(folder: &Path) -> io::Result<()> {
    let mut missing: Vec<PathBuf> = Vec::new();
    let mut above = Some(std::path::absolute(folder)?);
    while let Some(path) = above.filter(|path| !path.exists()) {
        above = path.parent().map(Path::to_owned);
        missing.push(path);
    }
    if missing.is_empty() {
        // As whoever makes what is there already, a folder or not.
        return fs::create_dir_all(folder);
    }
    let rights = security::Rights::for_this_user_alone()?;
    for path in missing.iter().rev() {
        match disk::create_folder(path, &rights) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn make_private_folder(folder: &Path) -> Result<(), NotPrivate> {
    let failed = |doing| move |source| NotPrivate::Io { doing, source };
    if !fs::metadata(folder).map_err(failed("read"))?.is_dir() {
        return Err(NotPrivate::NoFolder);
    }
    let found = security::of_file(folder).map_err(failed("read"))?;
    if !is_ours(&found.owner) {
        return Err(NotPrivate::Anothers(User::named(found.owner)));
    }
    let Some(other) = found.others.first() else { return Ok(()) };
    // The root of a drive, or a folder that administrators made for everybody.
    if folder.parent().is_none() || found.owner == user::ADMINISTRATORS {
        return Err(NotPrivate::Shared(format!("{other} may use it")));
    }
    let rights = security::Rights::for_this_user_alone().map_err(failed("make private"))?;
    rights.give_to_file(folder).map_err(failed("make private"))
}

pub(super) fn is_private_folder(path: &Path) -> io::Result<bool> {
    if !fs::metadata(path)?.is_dir() {
        return Ok(false);
    }
    let found = security::of_file(path)?;
    Ok(is_ours(&found.owner) && found.others.is_empty())
}

/// What an administrator makes belongs to all of them.
fn is_ours(owner: &str) -> bool {
    owner == user::ADMINISTRATORS || User::named(owner.to_owned()).is_this()
}

pub(super) fn owner(file: &File) -> io::Result<User> {
    let owner = security::owner_of(file)?;
    Ok(if is_ours(&owner) { User::this() } else { User::named(owner) })
}

pub(super) fn rights(path: &Path) -> io::Result<Rights> {
    let found = security::of_file(path)?;
    let owner = if is_ours(&found.owner) { User::this() } else { User::named(found.owner) };
    Ok(Rights { owner, others: found.others.into_iter().next() })
}

pub(super) fn may_write(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_dir() || !found.permissions().readonly())
}

/// By its ending, as a shell does.
pub(super) fn may_start(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    path.is_file() && ending.is_some_and(|ending| STARTED.contains(&ending.as_str()))
}

pub(super) fn is_socket(_path: &Path) -> bool {
    false
}

pub(super) fn owner_at(path: &Path) -> io::Result<User> {
    let flags = FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS;
    owner(&OpenOptions::new().access_mode(READ_CONTROL).custom_flags(flags).open(path)?)
}

pub(super) fn free_bytes(folder: &Path) -> Option<u64> {
    disk::free_bytes(folder).ok()
}

pub(super) fn id_of(path: &Path) -> io::Result<FileId> {
    let (device, number) = disk::id_of(path)?;
    Ok(FileId { device, number })
}

pub(super) fn identity(_found: &Metadata) -> (u64, u64, i64, i64) {
    (0, 0, 0, 0)
}

pub(super) fn to_bytes(text: &OsStr) -> Vec<u8> {
    text.to_string_lossy().into_owned().into_bytes()
}

pub(super) fn from_bytes(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}
