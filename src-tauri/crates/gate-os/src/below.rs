//! A program that this process runs to its end with all that it starts, whatever that does to get away: a session of its
//! own, a parent that ends at once, a signal that is ignored. For a process that does nothing else meanwhile: on Unix it
//! waits for each child that it has.

use std::io;
use std::process::Command;
use std::time::Duration;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

/// Runs a program in a session of its own, and gives its exit code as a shell does: 128 and a signal's number where that
/// has ended it; absent where it is none of 0 to 255.
///
/// Where the program ends, or `stop` comes back, all that is left of it and of what it has started is asked to end (TERM),
/// and made to (KILL) once `grace` is over. On Linux nothing gets away: what its parent has left is taken up by this process,
/// and the program ends with this process's main thread, which is to call this. On macOS that is its process group. On
/// Windows nobody can be asked: the program is ended at once, and the rest with the [`Group`](crate::programs::Group) that
/// this process is in.
///
/// # Errors
/// The system's, where it can't be started.
pub fn run(command: &mut Command, stop: impl FnOnce() + Send + 'static, grace: Duration) -> io::Result<Option<u8>> {
    system::run(command, stop, grace)
}
