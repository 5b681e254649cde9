//! Who has the processor first.

use std::os::windows::io::RawHandle;

use windows_sys::Win32::System::Threading::{
    BELOW_NORMAL_PRIORITY_CLASS, GetCurrentThread, SetPriorityClass, SetThreadPriority, THREAD_PRIORITY_BELOW_NORMAL,
};

/// Lets a program have the processor when others don't want it.
#[expect(unsafe_code, reason = "the standard library has no priorities; see SAFETY")]
pub(crate) fn lower(program: RawHandle) {
    // SAFETY: the program is open, since whoever started it has it. Where the system refuses, it goes on as it is.
    unsafe { SetPriorityClass(program, BELOW_NORMAL_PRIORITY_CLASS) };
}

/// The same for this thread.
#[expect(unsafe_code, reason = "the standard library has no priorities; see SAFETY")]
pub(crate) fn lower_this_thread() {
    // SAFETY: the thread's own handle needn't be closed.
    unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL) };
}
