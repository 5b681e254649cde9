//! Processes by number, without the risk of meeting another that was given the same number: each
//! is held by a file descriptor (pidfd_open(2)) before it is looked at.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// A process that runs, or ran when it was opened.
#[derive(Debug)]
pub struct Process {
    pid: u32,
    handle: OwnedFd,
}

impl Process {
    /// Holds the process with this number; absent when there is none.
    #[must_use]
    pub fn open(pid: u32) -> Option<Self> {
        let number = Pid::from_raw(i32::try_from(pid).ok()?)?;
        Some(Self { pid, handle: pidfd_open(number, PidfdFlags::empty()).ok()? })
    }

    /// Its number.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Its arguments; none for one that has ended.
    #[must_use]
    pub fn arguments(&self) -> Vec<OsString> {
        self.strings("cmdline")
    }

    /// Its environment, each as `NAME=value`; none for one that has ended.
    #[must_use]
    pub fn environment(&self) -> Vec<OsString> {
        self.strings("environ")
    }

    /// Whether it has not ended.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        !self.ends_within(Duration::ZERO)
    }

    /// The network namespace that it is in; absent for one that has ended.
    #[must_use]
    pub fn network(&self) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/{}/ns/net", self.pid)).ok()
    }

    /// Waits until it ends; false when it hasn't within `limit`. Blocks the thread.
    #[must_use]
    pub fn ends_within(&self, limit: Duration) -> bool {
        let limit = Timespec {
            tv_sec: i64::try_from(limit.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(limit.subsec_nanos()),
        };
        let mut ended = [PollFd::new(&self.handle, PollFlags::IN)];
        poll(&mut ended, Some(&limit)).is_ok_and(|count| count > 0)
    }

    /// Sends SIGKILL. One that has ended needs none.
    ///
    /// # Errors
    /// When the process is another user's.
    pub fn kill(&self) -> Result<()> {
        match pidfd_send_signal(&self.handle, Signal::KILL) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(error) => Err(error).with_context(|| format!("process {} can't be killed", self.pid)),
        }
    }

    fn strings(&self, file: &str) -> Vec<OsString> {
        let bytes = std::fs::read(format!("/proc/{}/{file}", self.pid)).unwrap_or_default();
        let parts = bytes.split(|byte| *byte == 0).filter(|part| !part.is_empty());
        parts.map(|part| OsString::from_vec(part.to_vec())).collect()
    }
}

/// The processes whose environment sets `name` to this path. A home's folder is a test's own, so
/// they are the ones that the test started, and those that these started in turn.
#[must_use]
pub fn processes_with(name: &str, value: &Path) -> Vec<Process> {
    let mut wanted = OsString::from(format!("{name}="));
    wanted.push(value);
    let numbers = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let processes = numbers.filter_map(Process::open);
    processes.filter(|process| process.environment().contains(&wanted)).collect()
}
