//! What the kernel says of processes: who started one, where it works, whether it is still the same. Told on Linux
//! only; elsewhere nothing is known, and nobody counts as ended.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

use gate_core::Process;

/// The process that every other one descends from, and that takes up those whose own has ended: it is nobody's agent.
pub(crate) const INIT: u32 = 1;

/// What a line of `/proc/PID/stat` says (proc_pid_stat(5)).
#[derive(Debug)]
pub(crate) struct Stat {
    pub(crate) is_alive: bool,
    pub(crate) parent: u32,
    /// The number of the terminal that controls it.
    pub(crate) terminal: Option<u32>,
    /// Whether its process group is the one in front at that terminal (`tcgetpgrp`): what is typed there reaches it.
    is_in_front: bool,
    /// Ticks since the system started.
    began: String,
}

impl Stat {
    pub(crate) fn of(pid: u32) -> io::Result<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        Self::parse(&text).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no line of a process"))
    }

    fn parse(text: &str) -> Option<Self> {
        // The name before it may hold anything.
        let (_, fields) = text.rsplit_once(") ")?;
        let mut fields = fields.split_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?;
        // Behind its session. A number of 32 bits, which is written as one with a sign.
        let terminal = fields.nth(1)?.parse::<i32>().ok()?.cast_unsigned();
        let in_front = fields.next()?;
        let began = fields.nth(13)?.to_owned();
        // One that has ended and isn't collected yet is there by name only.
        let is_alive = !matches!(state, "Z" | "X");
        let terminal = Some(terminal).filter(|number| *number != 0);
        Some(Self { is_alive, parent, terminal, is_in_front: group == in_front, began })
    }

    /// Whether the same process is meant, and nobody else is its parent by now.
    pub(crate) fn is_still(&self, earlier: &Self) -> bool {
        self.is_alive && self.began == earlier.began && self.parent == earlier.parent
    }

    /// The process of this number that it was said of.
    pub(crate) fn named(&self, pid: u32) -> Process {
        Process { pid, began: format!("{} {}", self.began, this_boot()) }
    }
}

/// The process that started this one, where the kernel names it and it still runs.
pub(crate) fn starter_of(pid: u32) -> Option<Process> {
    let parent = Stat::of(pid).ok()?.parent;
    (parent > INIT).then(|| named(parent)).flatten()
}

/// The number that a process has in the innermost of the namespaces that it is in (proc_pid_status(5), `NSpid`).
pub(crate) fn own_number_of(pid: u32) -> Option<u32> {
    let told = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let numbers = told.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    numbers.split_whitespace().next_back()?.parse().ok()
}

/// The folder that a process works in.
pub(crate) fn folder_of(pid: u32) -> Option<String> {
    Some(fs::read_link(format!("/proc/{pid}/cwd")).ok()?.to_string_lossy().into_owned())
}

/// The same, where that path leads us to the same folder. A process that sees other files than we do, as in a sandbox, may
/// work in a folder that is called as one of ours.
pub(crate) fn folder_in_common(pid: u32) -> Option<String> {
    let path = folder_of(pid)?;
    let (its, ours) = (fs::metadata(format!("/proc/{pid}/cwd")).ok()?, fs::metadata(&path).ok()?);
    ((its.dev(), its.ino()) == (ours.dev(), ours.ino())).then_some(path)
}

/// The process that has this number now.
fn named(pid: u32) -> Option<Process> {
    Some(Stat::of(pid).ok()?.named(pid))
}

/// Names the time since the system started: numbers and ticks begin anew with each. Empty where it has no name.
fn this_boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// Whether a process's standard input is the terminal that it has, and it is in front there (`tcgetpgrp`): what is typed
/// reaches it. Not where the process can't be looked at; elsewhere than on Linux nothing is known against it.
#[must_use]
pub fn is_in_foreground(pid: u32) -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let looked = || {
        let stat = Stat::of(pid).ok()?;
        let input = fs::metadata(format!("/proc/{pid}/fd/0")).ok()?;
        // Both number a device in the same way, as far as terminals go.
        let is_input = input.file_type().is_char_device() && stat.terminal.map(u64::from) == Some(input.rdev());
        Some(stat.is_in_front && is_input)
    };
    looked().unwrap_or(false)
}

/// Whether a process is no more. Not where that can't be told.
#[must_use]
pub fn has_ended(process: &Process) -> bool {
    if !cfg!(target_os = "linux") {
        return false;
    }
    match Stat::of(process.pid) {
        Ok(stat) => !stat.is_alive || *process != stat.named(process.pid),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    use super::*;

    #[test]
    fn a_process_is_told_from_all_others_and_known_to_have_ended() -> io::Result<()> {
        let own = std::process::id();
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let started = named(child.id()).expect("it runs");
        assert_eq!(starter_of(child.id()).map(|starter| starter.pid), Some(own), "it was started here");
        assert_eq!(own_number_of(child.id()), Some(child.id()), "it has one number alone");
        assert_eq!(folder_of(child.id()).map(std::path::PathBuf::from), std::env::current_dir().ok());
        assert_eq!(folder_in_common(child.id()), folder_of(child.id()), "it sees what we see");
        assert!(!has_ended(&started));
        assert!(has_ended(&Process { began: "1 another".to_owned(), ..started.clone() }), "a number is used again");
        child.kill()?;
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&child)), ended)?;
        assert!(has_ended(&started), "though it is listed until it is collected");
        child.wait()?;
        assert!(has_ended(&started), "and then it is gone");
        assert_eq!(starter_of(INIT), None, "nobody is init's agent");
        Ok(())
    }

    #[test]
    fn a_process_whose_input_is_no_terminal_is_in_front_of_none() -> io::Result<()> {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        assert!(!is_in_foreground(child.id()), "a pipe is no terminal, whatever terminal the process has");
        child.kill()?;
        child.wait()?;
        assert!(!is_in_foreground(child.id()), "nor is one that is gone");
        Ok(())
    }

    #[test]
    fn a_name_may_hold_anything() {
        let text = "42 (a) Z 1 (b) S 7 42 42 0 -1 4194304 1 0 0 0 1 1 0 0 20 0 1 0 8765 1 1 1\n";
        let stat = Stat::parse(text).expect("a line of a process");
        assert_eq!((stat.is_alive, stat.parent, stat.began.as_str()), (true, 7, "8765"));
        assert_eq!((stat.terminal, stat.is_in_front), (None, false), "it has none");
        let other = Stat::parse(&text.replace("42 42 0 -1", "42 42 34816 42")).expect("a line of a process");
        assert_eq!((other.terminal, other.is_in_front), (Some(34816), true));
        let behind = Stat::parse(&text.replace("42 42 0 -1", "42 42 34816 7")).expect("a line of a process");
        assert!(!behind.is_in_front, "another group is");
        assert!(!Stat::parse(&text.replace(") S", ") Z")).expect("a line").is_alive);
        assert!(Stat::parse("42 (a) S").is_none(), "half a line says nothing");
    }
}
