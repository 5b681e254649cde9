//! What the kernel says of processes: who started one, where it works, whether it is still the same. Told on Linux
//! only; elsewhere nothing is known, and nobody counts as ended.

use std::fs;
use std::io;

use gate_core::Process;

/// The process that every other one descends from, and that takes up those whose own has ended: it is nobody's agent.
const INIT: u32 = 1;

/// What a line of `/proc/PID/stat` says (proc_pid_stat(5)).
struct Stat {
    is_alive: bool,
    parent: u32,
    /// Ticks since the system started.
    began: String,
}

impl Stat {
    fn of(pid: u32) -> io::Result<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        Self::parse(&text).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no line of a process"))
    }

    fn parse(text: &str) -> Option<Self> {
        // The name before it may hold anything.
        let (_, fields) = text.rsplit_once(") ")?;
        let mut fields = fields.split_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let began = fields.nth(17)?.to_owned();
        // One that has ended and isn't collected yet is there by name only.
        Some(Self { is_alive: !matches!(state, "Z" | "X"), parent, began })
    }
}

/// The process that started this one, where the kernel names it and it still runs.
pub(crate) fn starter_of(pid: u32) -> Option<Process> {
    let parent = Stat::of(pid).ok()?.parent;
    (parent > INIT).then(|| named(parent)).flatten()
}

/// The folder that a process works in.
pub(crate) fn folder_of(pid: u32) -> Option<String> {
    Some(fs::read_link(format!("/proc/{pid}/cwd")).ok()?.to_string_lossy().into_owned())
}

/// The process that has this number now.
fn named(pid: u32) -> Option<Process> {
    let began = Stat::of(pid).ok()?.began;
    Some(Process { pid, began: format!("{began} {}", this_boot()) })
}

/// Names the time since the system started: numbers and ticks begin anew with each. Empty where it has no name.
fn this_boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// Whether a process is no more. Not where that can't be told.
#[must_use]
pub fn has_ended(process: &Process) -> bool {
    if !cfg!(target_os = "linux") {
        return false;
    }
    match Stat::of(process.pid) {
        Ok(stat) => !stat.is_alive || process.began != format!("{} {}", stat.began, this_boot()),
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
        assert_eq!(folder_of(child.id()).map(std::path::PathBuf::from), std::env::current_dir().ok());
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
    fn a_name_may_hold_anything() {
        let text = "42 (a) Z 1 (b) S 7 42 42 0 -1 4194304 1 0 0 0 1 1 0 0 20 0 1 0 8765 1 1 1\n";
        let stat = Stat::parse(text).expect("a line of a process");
        assert_eq!((stat.is_alive, stat.parent, stat.began.as_str()), (true, 7, "8765"));
        assert!(!Stat::parse(&text.replace(") S", ") Z")).expect("a line").is_alive);
        assert!(Stat::parse("42 (a) S").is_none(), "half a line says nothing");
    }
}
