//! This process's standard input and output, beyond reading and writing.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

/// Drops what was typed at the terminal and not read yet.
///
/// # Errors
/// The system's, also where standard input is no terminal.
pub fn forget_typed_ahead() -> io::Result<()> {
    system::forget_typed_ahead()
}

/// Whether standard output goes anywhere, and not to the device that forgets all. Where that can't be told, it does.
#[must_use]
pub fn is_heard() -> bool {
    system::is_heard().unwrap_or(true)
}

/// Waits, with this thread, until nobody can read any more what this process prints: whoever did has ended. Comes back at
/// once where the system doesn't tell, with `false`.
#[must_use]
pub fn until_nobody_reads() -> bool {
    system::until_nobody_reads()
}
