//! Consoles and the null device.

use std::io::{self, IsTerminal as _};

use crate::windows::console;

pub(super) fn forget_typed_ahead() -> io::Result<()> {
    console::forget_input()
}

pub(super) fn is_heard() -> io::Result<bool> {
    Ok(io::stdout().is_terminal() || !console::is_output_a_device())
}

pub(super) fn until_nobody_reads() -> bool {
    false
}
