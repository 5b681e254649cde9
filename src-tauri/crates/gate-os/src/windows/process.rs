//! Processes by their numbers.

use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};

use windows_sys::Win32::Foundation::{ERROR_INVALID_PARAMETER, FILETIME, STILL_ACTIVE};
use windows_sys::Win32::System::Threading::{
    GetExitCodeProcess, GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION,
};

use super::done;

/// The process that has this number now. While it is held, no other gets that number.
pub(crate) fn open(pid: u32) -> io::Result<OwnedHandle> {
    #[expect(unsafe_code, reason = "opens a process; see SAFETY")]
    // SAFETY: takes numbers; what it gives is closed once, by its owner.
    unsafe {
        let process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid);
        if process.is_null() {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedHandle::from_raw_handle(process))
    }
}

/// Whether there is a process of this number that hasn't ended, whosever it is.
pub(crate) fn exists(pid: u32) -> bool {
    let none = Some(ERROR_INVALID_PARAMETER.cast_signed());
    open(pid).map_or_else(|error| error.raw_os_error() != none, |process| !has_ended(&process))
}

/// Whether it has ended. The system knows it for as long as anybody holds it: whoever started it often does.
fn has_ended(process: &OwnedHandle) -> bool {
    let mut code = 0;
    #[expect(unsafe_code, reason = "the standard library tells it of one's own children alone; see SAFETY")]
    // SAFETY: the process is open, and a number is written to a place for it.
    let told = unsafe { done(GetExitCodeProcess(process.as_raw_handle(), &raw mut code)) };
    told.is_ok() && code != STILL_ACTIVE.cast_unsigned()
}

/// When one that runs began, in tenths of a microsecond since 1601.
pub(crate) fn began(pid: u32) -> io::Result<u64> {
    let process = open(pid)?;
    if has_ended(&process) {
        return Err(io::ErrorKind::NotFound.into());
    }
    let [mut began, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    #[expect(unsafe_code, reason = "the standard library doesn't tell it; see SAFETY")]
    // SAFETY: the process is open, and four times are written to places for them.
    unsafe {
        let process = process.as_raw_handle();
        done(GetProcessTimes(process, &raw mut began, &raw mut ended, &raw mut kernel, &raw mut user))?;
    }
    Ok((u64::from(began.dwHighDateTime) << 32) | u64::from(began.dwLowDateTime))
}
