//! What the system says of processes: who started one, which program it is, where it works, whether it is still the same.
//! Linux tells it in `/proc`; macOS and Windows are asked by `sysinfo`, which knows their ways. What a system doesn't tell
//! is absent, and nobody counts as ended of whom that isn't known.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod others;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use others as system;

/// The process that every other one descends from, and that takes up those whose own has ended: it is nobody's agent. On
/// Windows there is none, and those whose own has ended have no parent.
pub const INIT: u32 = 1;

/// A process as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Tells it from all others that ever had its number on this machine.
    pub began: String,
    /// The file of its program; empty where it isn't told.
    pub program: String,
    /// What it was started with, its own name first.
    pub arguments: Vec<String>,
    /// The folder that it works in; empty where it isn't told.
    pub folder: String,
    /// The number of the process that started it, or that took it up; 0 where none did that still runs.
    pub parent: u32,
    /// The number of the terminal that controls it.
    pub terminal: Option<u32>,
}

/// The process that has this number now. Absent where the system doesn't tell, and where it ended while it was looked at,
/// so that what is told is of one process. Of its arguments no more is read than 16 KB, where that can be bounded.
#[must_use]
pub fn find(pid: u32) -> Option<Found> {
    system::find(pid)
}

/// The number of a process's parent now; 0 where it has none any more.
#[must_use]
pub fn parent(pid: u32) -> Option<u32> {
    system::parent(pid)
}

/// What tells the process of this number from all others that ever had it.
#[must_use]
pub fn began(pid: u32) -> Option<String> {
    system::began(pid)
}

/// Whether the process of that number that began then is no more. Not where that can't be told.
#[must_use]
pub fn has_ended(pid: u32, began: &str) -> bool {
    system::has_ended(pid, began)
}

/// Whether a process of this number runs that this user may end.
#[must_use]
pub fn is_ours(pid: u32) -> bool {
    #[cfg(unix)]
    {
        let process = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
        process.is_some_and(|process| rustix::process::test_kill_process(process).is_ok())
    }
    #[cfg(windows)]
    crate::windows::user::of_process(pid).is_ok_and(|user| crate::User::named(user).is_this())
}

/// Whether a process's standard input is the terminal that it has, and it is in front there (`tcgetpgrp`): what is typed
/// reaches it. Not where the process can't be looked at; elsewhere than on Linux nothing is known against it.
#[must_use]
pub fn is_in_foreground(pid: u32) -> bool {
    #[cfg(target_os = "linux")]
    return linux::is_in_foreground(pid);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pid;
        true
    }
}

/// The number that a process has in the innermost of the namespaces that it is in; on Linux only.
#[must_use]
pub fn own_number(pid: u32) -> Option<u32> {
    #[cfg(target_os = "linux")]
    return linux::own_number(pid);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pid;
        None
    }
}

/// The control group of a process in the hierarchy that systemd keeps (cgroups(7)): it is handed on to whoever a process
/// starts, whatever becomes of that one's parents. On Linux only.
#[must_use]
pub fn control_group(pid: u32) -> Option<String> {
    #[cfg(target_os = "linux")]
    return linux::control_group(pid);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pid;
        None
    }
}

/// The folder that a process works in.
#[must_use]
pub fn folder(pid: u32) -> Option<String> {
    system::folder(pid)
}

/// The same, where that path leads us to the same folder. A process that sees other files than we do, as in a sandbox, may
/// work in a folder that is called as one of ours; elsewhere than on Linux none does.
#[must_use]
pub fn folder_in_common(pid: u32) -> Option<String> {
    #[cfg(target_os = "linux")]
    return linux::folder_in_common(pid);
    #[cfg(not(target_os = "linux"))]
    folder(pid)
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// A program that runs until its input ends.
    fn waiting() -> io::Result<Child> {
        let mut command = Command::new(if cfg!(windows) { "cmd" } else { "cat" });
        command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()
    }

    #[test]
    fn a_process_is_told_from_all_others_and_known_to_have_ended() -> io::Result<()> {
        let mut child = waiting()?;
        let found = find(child.id()).expect("it runs");
        assert_eq!((found.parent, parent(child.id())), (std::process::id(), Some(std::process::id())));
        let program = found.program.to_lowercase();
        assert!(program.contains("cat") || program.contains("box") || program.contains("cmd"), "{program}");
        assert_eq!(began(child.id()).as_ref(), Some(&found.began));
        assert!(!has_ended(child.id(), &found.began) && is_ours(child.id()));
        assert!(has_ended(child.id(), "1 another"), "a number is used again");
        child.kill()?;
        child.wait()?;
        assert!(has_ended(child.id(), &found.began), "and then it is gone");
        Ok(())
    }

    #[test]
    fn a_process_works_in_a_folder() -> io::Result<()> {
        let mut child = waiting()?;
        let here = std::env::current_dir()?;
        for told in [folder(child.id()), folder_in_common(child.id())] {
            // Wine doesn't tell it.
            assert!(cfg!(windows) || told.is_some());
            if let Some(told) = told {
                assert_eq!(std::fs::canonicalize(told)?, std::fs::canonicalize(&here)?);
            }
        }
        child.kill()?;
        child.wait()?;
        Ok(())
    }
}
