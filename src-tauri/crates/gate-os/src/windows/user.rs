//! Whose a process is.

use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::sync::OnceLock;

use windows_sys::Win32::Foundation::{HANDLE, LocalFree};
use windows_sys::Win32::Security::Authorization::ConvertSidToStringSidW;
use windows_sys::Win32::Security::{GetTokenInformation, PSID, TOKEN_QUERY, TOKEN_USER, TokenUser};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

use super::done;

/// The group of administrators (well-known SIDs).
pub(crate) const ADMINISTRATORS: &str = "S-1-5-32-544";
/// The system itself.
pub(crate) const SYSTEM: &str = "S-1-5-18";

/// The longest security identifier with its token's header: 68 bytes (SECURITY_MAX_SID_SIZE) and two words.
const TOKEN_USER_BYTES: usize = 128;

/// This process's user; absent where the system doesn't say.
pub(crate) fn of_this_process() -> Option<String> {
    static OURS: OnceLock<Option<String>> = OnceLock::new();
    #[expect(unsafe_code, reason = "asks for this process's own pseudo handle; see SAFETY")]
    // SAFETY: takes nothing, and the handle needn't be closed.
    OURS.get_or_init(|| of_handle(unsafe { GetCurrentProcess() }).ok()).clone()
}

/// The user of the process that has this number now. The system doesn't tell one user of another's.
pub(crate) fn of_process(pid: u32) -> io::Result<String> {
    let process = super::process::open(pid)?;
    of_handle(process.as_raw_handle())
}

#[expect(unsafe_code, reason = "reads a process's token; see SAFETY")]
fn of_handle(process: HANDLE) -> io::Result<String> {
    let mut token: HANDLE = std::ptr::null_mut();
    // SAFETY: `process` is open, and the token is written to a place for one, which its owner closes once.
    let token = unsafe {
        done(OpenProcessToken(process, TOKEN_QUERY, &raw mut token))?;
        OwnedHandle::from_raw_handle(token)
    };
    // Words, so that it lies as a TOKEN_USER has to.
    let mut found = [0_u64; TOKEN_USER_BYTES / 8];
    let mut length = 0;
    // SAFETY: the buffer is as long as is said, and whatever the system writes there lies in it.
    unsafe {
        let place = found.as_mut_ptr().cast();
        done(GetTokenInformation(token.as_raw_handle(), TokenUser, place, TOKEN_USER_BYTES as u32, &raw mut length))?;
    }
    // SAFETY: it was written just now, and its identifier lies in the same buffer.
    let sid = unsafe { (*found.as_ptr().cast::<TOKEN_USER>()).User.Sid };
    name_of(sid)
}

/// The text of a security identifier, which has to be a valid one.
#[expect(unsafe_code, reason = "reads an identifier of the system's and frees its text; see SAFETY")]
pub(crate) fn name_of(sid: PSID) -> io::Result<String> {
    let mut text = std::ptr::null_mut();
    // SAFETY: `sid` comes from the system, which writes a text that ends with a zero, and that is freed once.
    unsafe {
        done(ConvertSidToStringSidW(sid, &raw mut text))?;
        let length = (0..).take_while(|&at| *text.add(at) != 0).count();
        let name = String::from_utf16_lossy(std::slice::from_raw_parts(text, length));
        LocalFree(text.cast());
        Ok(name)
    }
}
