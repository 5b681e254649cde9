//! By paths, each of which is looked at first. Whoever makes a link takes a right that few have.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};

use super::Inside;

pub(super) fn replace(inside: &Inside<'_>, bytes: &[u8]) -> io::Result<bool> {
    let (folders, name) = inside.parts();
    let mut folder = inside.folder.to_owned();
    for (at, part) in folders.enumerate() {
        folder.push(part);
        match fs::symlink_metadata(&folder) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Ok(false),
            Err(error) if error.kind() == ErrorKind::NotFound && at >= inside.there => fs::create_dir(&folder)?,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    let (target, draft) = (folder.join(name), folder.join(inside.draft));
    if fs::symlink_metadata(&target).is_ok_and(|found| !found.is_file()) {
        return Ok(false);
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(&draft)?;
    let written = file.write_all(bytes);
    drop(file);
    let written = written.and_then(|()| fs::rename(&draft, &target));
    if written.is_err() {
        // It may be gone, and is of no use.
        let _ = fs::remove_file(&draft);
    }
    written.map(|()| true)
}
