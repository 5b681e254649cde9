//! Descriptors that whoever started this process left open. None of them is the agent's: one may be the person's terminal,
//! or a file that its sandbox doesn't show.

use std::fs;
use std::io;
use std::os::fd::{BorrowedFd, RawFd};

use rustix::io::{Errno, FdFlags, fcntl_setfd};

/// The last of the standard streams, which are handed on as they are.
const STREAMS: RawFd = 2;

/// Keeps all of them from whatever is started from now on. What is meant to be handed over is let go after that.
///
/// # Errors
/// When the system doesn't say which are open.
pub(crate) fn keep() -> io::Result<()> {
    for entry in fs::read_dir("/proc/self/fd")? {
        let number = entry?.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(number) = number.filter(|number| *number > STREAMS) else { continue };
        match close_in_children(number) {
            // Another thread has closed it.
            Ok(()) | Err(Errno::BADF) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[expect(unsafe_code, reason = "a descriptor that nothing here has opened has only its number; see SAFETY")]
fn close_in_children(number: RawFd) -> rustix::io::Result<()> {
    // SAFETY: nothing is read, written or closed by it. Should its number be another's by now, that one is closed in children
    // as well, as all are that this program opens.
    let open = unsafe { BorrowedFd::borrow_raw(number) };
    fcntl_setfd(open, FdFlags::CLOEXEC)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use rustix::io::fcntl_getfd;

    use super::*;

    #[test]
    fn what_was_left_open_is_closed_in_children() -> io::Result<()> {
        let left = File::open("/dev/null")?;
        fcntl_setfd(&left, FdFlags::empty())?;
        keep()?;
        assert_eq!(fcntl_getfd(&left)?, FdFlags::CLOEXEC, "an agent would have it");
        Ok(())
    }
}
