//! Windows' functions as safe ones, and nothing else: what they are used for is said elsewhere.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::path::Path;

pub(crate) mod console;
pub(crate) mod disk;
pub(crate) mod handles;
pub(crate) mod job;
pub(crate) mod priority;
pub(crate) mod process;
pub(crate) mod security;
pub(crate) mod user;

/// From here on a path is taken only in its verbatim form; folders have twelve characters less than files.
const LONG_PATH: usize = 248;
/// How that begins.
const VERBATIM: &str = r"\\?\";

/// A text as Windows takes it: in UTF-16 and with a zero at its end.
pub(crate) fn wide(text: impl AsRef<OsStr>) -> io::Result<Vec<u16>> {
    let mut wide: Vec<u16> = text.as_ref().encode_wide().collect();
    if wide.contains(&0) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a zero in a text"));
    }
    wide.push(0);
    Ok(wide)
}

/// The same of a path, however long it is.
pub(crate) fn wide_path(path: &Path) -> io::Result<Vec<u16>> {
    let path = std::path::absolute(path)?.into_os_string();
    if path.len() < LONG_PATH || path.as_encoded_bytes().starts_with(br"\\") {
        return wide(path);
    }
    let mut verbatim = OsString::from(VERBATIM);
    verbatim.push(path);
    wide(verbatim)
}

/// What came of a function that answers zero where it failed.
pub(crate) fn done(answer: i32) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
