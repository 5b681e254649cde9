//! What differs between systems: paths as bytes, owners, ending programs. Knows nothing of git.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;

use rustix::process::{Pid, Signal, kill_process_group, setpriority_process};

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

/// How much less of a busy processor than others gets whatever [`gives_way`]: half of the way down.
const BEHIND: i32 = 10;

/// Lets a program, with all that it starts from now on, have the processor when others don't want it.
pub(crate) fn gives_way(leader: u32) {
    if let Some(program) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        // It goes on as it is where the system refuses, or it has ended.
        let _ = setpriority_process(Some(program), BEHIND);
    }
}

/// The same for this thread, until it ends. Elsewhere than on Linux a thread has no priority of its own, and nothing is done.
pub(crate) fn thread_gives_way() {
    #[cfg(target_os = "linux")]
    let _ = setpriority_process(None, BEHIND);
}
