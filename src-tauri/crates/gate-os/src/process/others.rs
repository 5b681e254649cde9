//! macOS and Windows, by `sysinfo`.

use std::ffi::OsStr;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

use super::Found;

/// What is asked of one process.
fn look(pid: u32, kind: ProcessRefreshKind) -> System {
    let mut system = System::new();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[Pid::from_u32(pid)]), true, kind);
    system
}

/// When the process of this number began, and its parent's number. Absent where the system doesn't tell when.
fn birth(pid: u32) -> Option<(u64, u32)> {
    let system = look(pid, ProcessRefreshKind::nothing());
    let process = system.process(Pid::from_u32(pid))?;
    Some((moment(pid, process.start_time())?, process.parent().map_or(0, Pid::as_u32)))
}

/// When it began, as finely as the system says: in tenths of a microsecond.
#[cfg(windows)]
fn moment(pid: u32, _seconds: u64) -> Option<u64> {
    crate::windows::process::began(pid).ok()
}

/// When it began, in seconds.
#[cfg(not(windows))]
fn moment(_pid: u32, seconds: u64) -> Option<u64> {
    Some(seconds).filter(|seconds| *seconds > 0)
}

/// A parent that began later has got the number of the real one, which has ended.
fn living_parent(began: u64, parent: u32) -> u32 {
    let is_older = parent != 0 && birth(parent).is_some_and(|(its, _)| its <= began);
    if is_older { parent } else { 0 }
}

pub(super) fn find(pid: u32) -> Option<Found> {
    let always = UpdateKind::Always;
    let kind = ProcessRefreshKind::nothing().with_exe(always).with_cmd(always).with_cwd(always);
    let system = look(pid, kind);
    let process = system.process(Pid::from_u32(pid))?;
    let began = moment(pid, process.start_time())?;
    let text = |text: &OsStr| text.to_string_lossy().into_owned();
    let path = |path: Option<&std::path::Path>| path.map(|path| text(path.as_os_str())).unwrap_or_default();
    Some(Found {
        began: began.to_string(),
        program: path(process.exe()),
        arguments: process.cmd().iter().map(|argument| text(argument)).collect(),
        folder: path(process.cwd()),
        parent: living_parent(began, process.parent().map_or(0, Pid::as_u32)),
        terminal: None,
    })
}

pub(super) fn parent(pid: u32) -> Option<u32> {
    let (began, parent) = birth(pid)?;
    Some(living_parent(began, parent))
}

pub(super) fn began(pid: u32) -> Option<String> {
    Some(birth(pid)?.0.to_string())
}

pub(super) fn has_ended(pid: u32, began: &str) -> bool {
    match self::began(pid) {
        Some(its) => its != began,
        None => !exists(pid),
    }
}

/// Whether the system knows a process of this number, whosever it is.
fn exists(pid: u32) -> bool {
    #[cfg(windows)]
    return crate::windows::process::exists(pid);
    #[cfg(unix)]
    {
        let process = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
        process.is_some_and(|process| rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH))
    }
}

pub(super) fn folder(pid: u32) -> Option<String> {
    let system = look(pid, ProcessRefreshKind::nothing().with_cwd(UpdateKind::Always));
    Some(system.process(Pid::from_u32(pid))?.cwd()?.to_string_lossy().into_owned())
}
