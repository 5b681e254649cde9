//! What programs that are started get of this one's open things, and who is at the other end of a pipe.

use std::io;
use std::os::windows::io::{AsRawHandle, RawHandle};

use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};
use windows_sys::Win32::System::Pipes::{GetNamedPipeClientProcessId, GetNamedPipeServerProcessId};

use super::done;

/// Keeps this process's standard input and output from programs that it starts: whoever reads from it would wait for their
/// end, too.
pub(crate) fn keep_standard_ones() {
    let all = [io::stdin().as_raw_handle(), io::stdout().as_raw_handle(), io::stderr().as_raw_handle()];
    for handle in all.into_iter().filter(|handle| !handle.is_null()) {
        keep(handle);
    }
}

#[expect(unsafe_code, reason = "the standard library hands all of them on; see SAFETY")]
fn keep(handle: RawHandle) {
    // SAFETY: it is one of this process's own; where it is none, the system says so, and there is nothing to keep.
    unsafe { SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0) };
}

/// The process that connected to this end of a pipe.
#[expect(unsafe_code, reason = "nothing else tells it; see SAFETY")]
pub(crate) fn client_of(pipe: &impl AsRawHandle) -> io::Result<u32> {
    let mut pid = 0;
    // SAFETY: the pipe is open, and a number is written to a place for one.
    unsafe { done(GetNamedPipeClientProcessId(pipe.as_raw_handle(), &raw mut pid))? };
    Ok(pid)
}

/// The process that made the pipe that this is an end of.
#[expect(unsafe_code, reason = "nothing else tells it; see SAFETY")]
pub(crate) fn server_of(pipe: &impl AsRawHandle) -> io::Result<u32> {
    let mut pid = 0;
    // SAFETY: the pipe is open, and a number is written to a place for one.
    unsafe { done(GetNamedPipeServerProcessId(pipe.as_raw_handle(), &raw mut pid))? };
    Ok(pid)
}
