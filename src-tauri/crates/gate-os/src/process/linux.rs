//! `/proc`.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

use super::Found;

/// How much of a process's arguments is read, in bytes.
const COMMAND_LINE_BYTES: u64 = 16 * 1024;

/// What a line of `/proc/PID/stat` says (proc_pid_stat(5)).
#[derive(Debug)]
struct Stat {
    is_alive: bool,
    parent: u32,
    /// The number of the terminal that controls it.
    terminal: Option<u32>,
    /// Whether its process group is the one in front at that terminal (`tcgetpgrp`): what is typed there reaches it.
    is_in_front: bool,
    /// Ticks since the system started.
    ticks: String,
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
        let group = fields.next()?;
        // Behind its session. A number of 32 bits, which is written as one with a sign.
        let terminal = fields.nth(1)?.parse::<i32>().ok()?.cast_unsigned();
        let in_front = fields.next()?;
        let ticks = fields.nth(13)?.to_owned();
        // One that has ended and isn't collected yet is there by name only.
        let is_alive = !matches!(state, "Z" | "X");
        let terminal = Some(terminal).filter(|number| *number != 0);
        Some(Self { is_alive, parent, terminal, is_in_front: group == in_front, ticks })
    }

    /// Whether the same process is meant, and nobody else is its parent by now.
    fn is_still(&self, earlier: &Self) -> bool {
        self.is_alive && self.ticks == earlier.ticks && self.parent == earlier.parent
    }

    fn began(&self) -> String {
        format!("{} {}", self.ticks, this_boot())
    }
}

/// Names the time since the system started: numbers and ticks begin anew with each. Empty where it has no name.
fn this_boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

pub(super) fn find(pid: u32) -> Option<Found> {
    let before = Stat::of(pid).ok().filter(|stat| stat.is_alive)?;
    let folder = Path::new("/proc").join(pid.to_string());
    // Those of another user's process, and of one that doesn't let itself be looked at, are kept from us.
    let link = |name: &str| fs::read_link(folder.join(name)).map(|path| path.to_string_lossy().into_owned());
    let (program, works_in) = (link("exe").unwrap_or_default(), link("cwd").unwrap_or_default());
    let arguments = arguments(&folder.join("cmdline"));
    // Its number may have become another's meanwhile, and it may have been left behind by its parent.
    let after = Stat::of(pid).ok()?;
    after.is_still(&before).then(|| Found {
        began: before.began(),
        program,
        arguments,
        folder: works_in,
        parent: before.parent,
        terminal: before.terminal,
    })
}

fn arguments(file: &Path) -> Vec<String> {
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|file| file.take(COMMAND_LINE_BYTES).read_to_end(&mut bytes));
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    if read.is_err() || bytes.is_empty() {
        return Vec::new();
    }
    bytes.split(|byte| *byte == 0).map(|argument| String::from_utf8_lossy(argument).into_owned()).collect()
}

pub(super) fn parent(pid: u32) -> Option<u32> {
    Some(Stat::of(pid).ok()?.parent)
}

pub(super) fn began(pid: u32) -> Option<String> {
    Some(Stat::of(pid).ok()?.began())
}

pub(super) fn has_ended(pid: u32, began: &str) -> bool {
    match Stat::of(pid) {
        Ok(stat) => !stat.is_alive || began != stat.began(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

pub(super) fn is_in_foreground(pid: u32) -> bool {
    let looked = || {
        let stat = Stat::of(pid).ok()?;
        let input = fs::metadata(format!("/proc/{pid}/fd/0")).ok()?;
        // Both number a device in the same way, as far as terminals go.
        let is_input = input.file_type().is_char_device() && stat.terminal.map(u64::from) == Some(input.rdev());
        Some(stat.is_in_front && is_input)
    };
    looked().unwrap_or(false)
}

/// `proc_pid_status(5)`, `NSpid`.
pub(super) fn own_number(pid: u32) -> Option<u32> {
    let told = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let numbers = told.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    numbers.split_whitespace().next_back()?.parse().ok()
}

pub(super) fn control_group(pid: u32) -> Option<String> {
    group_in(&fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?)
}

/// The group that the file of a process says: of the one hierarchy, or of systemd's where there are several.
fn group_in(told: &str) -> Option<String> {
    let of = |named: &str| told.lines().find_map(|line| Some(line.split_once(':')?.1.strip_prefix(named)?.to_owned()));
    of("name=systemd:").or_else(|| of(":"))
}

pub(super) fn folder(pid: u32) -> Option<String> {
    Some(fs::read_link(format!("/proc/{pid}/cwd")).ok()?.to_string_lossy().into_owned())
}

pub(super) fn folder_in_common(pid: u32) -> Option<String> {
    let path = folder(pid)?;
    let (its, ours) = (fs::metadata(format!("/proc/{pid}/cwd")).ok()?, fs::metadata(&path).ok()?);
    ((its.dev(), its.ino()) == (ours.dev(), ours.ino())).then_some(path)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    use super::*;

    #[test]
    fn one_that_isn_t_collected_yet_has_ended() -> io::Result<()> {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let began = began(child.id()).expect("it runs");
        assert_eq!(own_number(child.id()), Some(child.id()), "it has one number alone");
        child.kill()?;
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&child)), ended)?;
        assert!(has_ended(child.id(), &began), "though it is listed until it is collected");
        child.wait()?;
        Ok(())
    }

    #[test]
    fn a_process_is_in_the_group_of_whoever_started_it() -> io::Result<()> {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let (its, own) = (control_group(child.id()), control_group(std::process::id()));
        child.kill()?;
        child.wait()?;
        assert!(its.is_some() && its == own, "{its:?} {own:?}");
        let scope = "/user.slice/app-cursor-7.scope";
        assert_eq!(group_in(&format!("0::{scope}\n")).as_deref(), Some(scope));
        let several = format!("12:cpu,cpuacct:/\n1:name=systemd:{scope}\n0::/\n");
        assert_eq!(group_in(&several).as_deref(), Some(scope), "where there are several, systemd's");
        assert_eq!(group_in("12:cpu:/\n"), None);
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
        assert_eq!((stat.is_alive, stat.parent, stat.ticks.as_str()), (true, 7, "8765"));
        assert_eq!((stat.terminal, stat.is_in_front), (None, false), "it has none");
        let other = Stat::parse(&text.replace("42 42 0 -1", "42 42 34816 42")).expect("a line of a process");
        assert_eq!((other.terminal, other.is_in_front), (Some(34816), true));
        let behind = Stat::parse(&text.replace("42 42 0 -1", "42 42 34816 7")).expect("a line of a process");
        assert!(!behind.is_in_front, "another group is");
        assert!(!Stat::parse(&text.replace(") S", ") Z")).expect("a line").is_alive);
        assert!(Stat::parse("42 (a) S").is_none(), "half a line says nothing");
    }
}
