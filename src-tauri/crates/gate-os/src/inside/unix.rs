//! From folder to folder by what is open: a name that is replaced meanwhile leads nowhere else.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, mkdirat, open, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

use super::Inside;

pub(super) fn replace(inside: &Inside<'_>, bytes: &[u8]) -> io::Result<bool> {
    let (folders, name) = inside.parts();
    let mut folder = open(inside.folder, as_folder(), Mode::empty())?;
    for (at, part) in folders.enumerate() {
        folder = match enter(&folder, part) {
            Err(Errno::NOENT) if at >= inside.there => {
                mkdirat(&folder, part, Mode::from_raw_mode(0o777))?;
                enter(&folder, part)?
            }
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(false),
            entered => entered?,
        };
    }
    match statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile => return Ok(false),
        Ok(_) | Err(Errno::NOENT) => {}
        Err(error) => return Err(error.into()),
    }
    // Whoever may read the folder reads the file, too: the system takes away what its owner doesn't want.
    let new = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(&folder, inside.draft, new, Mode::from_raw_mode(0o666))?);
    let written = file.write_all(bytes).and_then(|()| Ok(renameat(&folder, inside.draft, &folder, name)?));
    if written.is_err() {
        // It may be gone, and is of no use.
        let _ = unlinkat(&folder, inside.draft, AtFlags::empty());
    }
    written.map(|()| true)
}

fn enter(folder: &OwnedFd, part: &str) -> Result<OwnedFd, Errno> {
    openat(folder, part, as_folder(), Mode::empty())
}

fn as_folder() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}
