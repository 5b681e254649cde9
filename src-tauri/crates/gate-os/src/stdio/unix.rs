//! Terminals and pipes.

use std::fs::{File, metadata};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::{QueueSelector, tcflush};

pub(super) fn forget_typed_ahead() -> io::Result<()> {
    Ok(tcflush(io::stdin(), QueueSelector::IFlush)?)
}

pub(super) fn is_heard() -> io::Result<bool> {
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    Ok(output.metadata()?.rdev() != metadata("/dev/null")?.rdev())
}

pub(super) fn until_nobody_reads() -> bool {
    let stdout = io::stdout();
    // No flags are asked for: hang-ups and errors are told always.
    while let Ok(told) = poll(&mut [PollFd::new(&stdout, PollFlags::empty())], None) {
        if told > 0 {
            return true;
        }
    }
    false
}
