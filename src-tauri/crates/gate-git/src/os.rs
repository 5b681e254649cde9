//! What differs between systems: paths as bytes, owners, ending programs. Knows nothing of git.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;

use rustix::process::{Pid, Signal, kill_process_group};

pub(crate) fn bytes(text: &OsStr) -> &[u8] {
    text.as_bytes()
}

pub(crate) fn text(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

/// Whose this program is.
pub(crate) fn me() -> u32 {
    rustix::process::geteuid().as_raw()
}

pub(crate) fn owner(data: &Metadata) -> u32 {
    data.uid()
}

/// The file system that it lies on.
pub(crate) fn device(data: &Metadata) -> u64 {
    data.dev()
}

/// Tells one file from another that takes its name.
pub(crate) fn inode(data: &Metadata) -> u64 {
    data.ino()
}

/// Ends a program that leads a group of its own, with all that it started.
pub(crate) fn end_group(leader: u32) {
    if let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        // It may have ended, and nothing is left to be ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
}
