//! Sessions, process groups and signals.

use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process, kill_process_group, setpriority_process};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

#[expect(unsafe_code, reason = "the standard library has no other way to setsid(2) in the child; see SAFETY")]
pub(super) fn spawn_detached(command: &mut Command) -> io::Result<Child> {
    let enter = || rustix::process::setsid().map(drop).map_err(io::Error::from);
    // SAFETY: between fork and exec only async-signal-safe calls are allowed. setsid(2) is one,
    // and the closure neither allocates nor takes a lock: an `io::Error` of an errno is a number.
    unsafe { command.pre_exec(enter) };
    command.spawn()
}

pub(super) fn this() -> io::Result<PathBuf> {
    std::env::current_exe()
}

pub(super) fn lead(command: &mut tokio::process::Command) {
    command.process_group(0);
}

/// The number of the group is its leader's.
#[derive(Debug)]
pub(super) struct Group;

impl Group {
    pub(super) fn of(_child: &tokio::process::Child) -> Self {
        Self
    }

    pub(super) fn end(&self, child: &tokio::process::Child) {
        // Absent when it was waited for.
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(group) = group {
            // It may have ended, and nothing is left to be ended.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// How much less of a busy processor than others gets whatever gives way: half of the way down.
const BEHIND: i32 = 10;

pub(super) fn gives_way(child: &tokio::process::Child) {
    if let Some(program) = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)) {
        let _ = setpriority_process(Some(program), BEHIND);
    }
}

#[cfg(target_os = "linux")]
pub(super) fn bound_memory(child: &tokio::process::Child, bytes: u64) {
    use rustix::process::{Resource, Rlimit, prlimit};
    if let Some(program) = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)) {
        // It may have ended.
        let _ = prlimit(Some(program), Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) });
    }
}

/// No other process is told from outside.
#[cfg(not(target_os = "linux"))]
pub(super) fn bound_memory(_child: &tokio::process::Child, _bytes: u64) {}

pub(super) fn thread_gives_way() {
    #[cfg(target_os = "linux")]
    let _ = setpriority_process(None, BEHIND);
}

pub(super) fn become_program(mut command: Command) -> io::Error {
    command.exec()
}

pub(super) async fn told_to_end() -> io::Result<()> {
    let (mut terminate, mut hangup) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
    tokio::select! {
        done = tokio::signal::ctrl_c() => done,
        _ = terminate.recv() => Ok(()),
        _ = hangup.recv() => Ok(()),
    }
}

pub(super) fn ended_by(status: ExitStatus) -> Option<i32> {
    status.signal()
}

#[derive(Debug)]
pub(super) struct Signals(mpsc::Receiver<EndingSignal>);

#[derive(Debug, Clone, Copy)]
pub(super) struct EndingSignal(Signal);

impl Signals {
    pub(super) fn heard() -> Self {
        let (send, heard) = mpsc::channel(1);
        for (kind, number) in [
            (SignalKind::terminate(), Signal::TERM),
            (SignalKind::interrupt(), Signal::INT),
            (SignalKind::hangup(), Signal::HUP),
        ] {
            let (Ok(mut hears), send, number) = (signal(kind), send.clone(), EndingSignal(number)) else { continue };
            tokio::spawn(async move { while hears.recv().await.is_some() && send.send(number).await.is_ok() {} });
        }
        Self(heard)
    }

    pub(super) async fn next(&mut self) -> EndingSignal {
        match self.0.recv().await {
            Some(number) => number,
            None => std::future::pending().await,
        }
    }
}

/// Whether Ctrl-C at this process's terminal is for its group.
fn is_in_front() -> bool {
    let terminal = rustix::fs::open("/dev/tty", OFlags::RDONLY | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty());
    terminal.and_then(rustix::termios::tcgetpgrp).is_ok_and(|group| group == rustix::process::getpgrp())
}

impl EndingSignal {
    pub(super) fn hand_on(self, to: &tokio::process::Child) {
        if self.0 == Signal::INT && is_in_front() {
            return;
        }
        if let Some(process) = to.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)) {
            let _ = kill_process(process, self.0);
        }
    }
}
