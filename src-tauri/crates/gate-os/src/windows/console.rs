//! What was typed, and where output goes.

use std::io;
use std::os::windows::io::AsRawHandle as _;

use windows_sys::Win32::Storage::FileSystem::{FILE_TYPE_CHAR, GetFileType};
use windows_sys::Win32::System::Console::{FlushConsoleInputBuffer, SetConsoleCtrlHandler};

use super::done;

/// Drops what was typed and not read yet.
#[expect(unsafe_code, reason = "the standard library can't drop it; see SAFETY")]
pub(crate) fn forget_input() -> io::Result<()> {
    // SAFETY: it is this process's own input; where it is no console, the system says so.
    unsafe { done(FlushConsoleInputBuffer(io::stdin().as_raw_handle())) }
}

/// Lets this process go on where Ctrl-C is pressed.
#[expect(unsafe_code, reason = "the standard library can't say so; see SAFETY")]
pub(crate) fn hear_no_interrupt() {
    // SAFETY: takes no function of ours. Where it fails, this process ends a little sooner.
    unsafe { SetConsoleCtrlHandler(None, 1) };
}

/// Whether output goes to a device, as a console or the one that forgets all.
#[expect(unsafe_code, reason = "the standard library doesn't tell it; see SAFETY")]
pub(crate) fn is_output_a_device() -> bool {
    // SAFETY: it is this process's own output, or none, of which the system says so.
    unsafe { GetFileType(io::stdout().as_raw_handle()) == FILE_TYPE_CHAR }
}
