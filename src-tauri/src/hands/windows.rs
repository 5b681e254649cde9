//! On Windows, which tells when the session's last key, click or movement was.

use std::time::Duration;

use windows_sys::Win32::System::SystemInformation::GetTickCount;
use windows_sys::Win32::UI::Input::KeyboardAndMouse::{GetLastInputInfo, LASTINPUTINFO};

use super::Input;

#[derive(Default)]
pub(super) struct System;

impl Input for System {
    #[expect(unsafe_code, reason = "the system's own functions; see SAFETY")]
    fn idle(&self) -> Option<Duration> {
        let size = u32::try_from(size_of::<LASTINPUTINFO>()).ok()?;
        let mut last = LASTINPUTINFO { cbSize: size, dwTime: 0 };
        // SAFETY: the structure is whole, says its size, and is there until the function returns.
        if unsafe { GetLastInputInfo(&raw mut last) } == 0 {
            return None;
        }
        // SAFETY: it takes nothing and only reads a counter.
        let now = unsafe { GetTickCount() };
        // Both begin anew after 49 days.
        Some(Duration::from_millis(now.wrapping_sub(last.dwTime).into()))
    }
}
