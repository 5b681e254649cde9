//! Windows' functions as safe ones, and nothing else: what they are used for is said elsewhere.

use std::io;
use std::os::windows::ffi::OsStrExt as _;

pub(crate) mod console;
pub(crate) mod disk;
pub(crate) mod handles;
pub(crate) mod job;
pub(crate) mod priority;
pub(crate) mod security;
pub(crate) mod user;

/// A text as Windows takes it: in UTF-16 and with a zero at its end.
pub(crate) fn wide(text: impl AsRef<std::ffi::OsStr>) -> Vec<u16> {
    text.as_ref().encode_wide().chain([0]).collect()
}

/// What came of a function that answers zero where it failed.
pub(crate) fn done(answer: i32) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
