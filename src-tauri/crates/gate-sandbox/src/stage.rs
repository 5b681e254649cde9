//! The steps on the way into a sandbox, and to its network. Each is this program again, with arguments that only [`crate::run`] gives.
//!
//! *Enter*, outside: makes a session of its own and takes its terminal, makes a network of its own for pasta or takes
//! Landlock's scope on, and becomes bubblewrap. *First*, inside: the first process there. It starts the agent in front of
//! the terminal, says outside when the agent has stopped, hands signals on, and ends as the agent does, and with it all else
//! that runs there. *Connect*, outside, becomes pasta, which doesn't outlive whoever has started it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use landlock::RulesetStatus;
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{SigSet, Signal as Blocked};
use rustix::io::{FdFlags, fcntl_setfd, retry_on_intr};
use rustix::process::{
    Pid, RawPid, Signal, WaitOptions, getegid, geteuid, getpgrp, getpid, getppid, ioctl_tiocsctty,
    kill_current_process_group, set_parent_process_death_signal, setpgid, setsid, wait,
};
use rustix::stdio::stdin;
use rustix::termios::{isatty, tcsetpgrp};

use crate::descriptors::keep;
use crate::machine::scoped;

const ENTER: &str = "sandbox-enter";
const FIRST: &str = "sandbox-first";
const CONNECT: &str = "sandbox-connect";

/// What the steps say outside, each in a byte.
pub(crate) const NETWORK_MADE: u8 = b'N';
pub(crate) const BEGUN: u8 = b'B';
pub(crate) const STOPPED: u8 = b'S';
/// What is answered to [`NETWORK_MADE`].
pub(crate) const CONNECTED: u8 = b'C';

/// How an agent ends whom nothing could start, as shells have it.
const NOT_STARTED: u8 = 126;
/// What is added to the number of the signal that has ended an agent, as shells have it.
const BY_SIGNAL: i32 = 128;

/// What *enter* has to do with the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing.
    Nothing,
    /// Make one, and wait until it is connected.
    OwnNetwork,
    /// Take on Landlock's scope.
    Scope,
}

impl Step {
    fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::OwnNetwork => "own-network",
            Self::Scope => "scope",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Nothing, Self::OwnNetwork, Self::Scope].into_iter().find(|step| step.as_str() == text)
    }
}

/// The arguments of *enter*, before bubblewrap's own, its program first.
pub(crate) fn enter_arguments(control: RawFd, step: Step) -> Vec<OsString> {
    vec![ENTER.into(), control.to_string().into(), step.as_str().into()]
}

/// The arguments of *first*, before the agent's.
pub(crate) fn first_arguments(control: RawFd) -> Vec<OsString> {
    vec![FIRST.into(), control.to_string().into()]
}

/// The arguments of *connect*, before pasta's own, its program first.
pub(crate) fn connect_arguments() -> Vec<OsString> {
    vec![CONNECT.into(), getpid().as_raw_nonzero().to_string().into()]
}

/// Does the step that the process's arguments name, the first of which is the program; nothing where they name none.
#[must_use]
pub fn stage(arguments: &[OsString]) -> Option<ExitCode> {
    let (name, rest) = arguments.get(1..)?.split_first()?;
    if name == CONNECT {
        let (starter, [program, arguments @ ..]) = rest.split_first()? else { return None };
        return Some(said(connect(starter.to_str()?.parse().ok()?, program, arguments)));
    }
    let (control, rest) = (name == ENTER || name == FIRST).then(|| rest.split_first()).flatten()?;
    let control = UnixStream::from(descriptor(control.to_str()?.parse().ok()?)?);
    let done = match (name == ENTER, rest.split_first()) {
        (true, Some((step, [program, arguments @ ..]))) => {
            enter(control, Step::parse(step.to_str()?)?, program, arguments)
        }
        (false, Some((agent, arguments))) => first(control, agent, arguments),
        (true | false, _) => return None,
    };
    Some(said(done))
}

fn said(done: io::Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "review-gate: the sandbox can't be entered: {error}");
        ExitCode::from(NOT_STARTED)
    })
}

fn connect(starter: RawPid, program: &OsString, arguments: &[OsString]) -> io::Result<ExitCode> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // Whoever has ended before that sends no signal.
    if getppid().map(|parent| parent.as_raw_nonzero().get()) != Some(starter) {
        return Ok(ExitCode::from(NOT_STARTED));
    }
    Err(Command::new(program).args(arguments).exec())
}

#[expect(unsafe_code, reason = "a descriptor that was handed over has only its number; see SAFETY")]
fn descriptor(number: RawFd) -> Option<OwnedFd> {
    // Below are those that every process has.
    if number <= 2 || fs::symlink_metadata(format!("/proc/self/fd/{number}")).is_err() {
        return None;
    }
    // SAFETY: it is open, and whoever started this process left it open for this alone: nothing else has opened anything
    // yet that could have been given the number.
    Some(unsafe { OwnedFd::from_raw_fd(number) })
}

fn enter(mut control: UnixStream, step: Step, program: &OsString, arguments: &[OsString]) -> io::Result<ExitCode> {
    setsid()?;
    let terminal = [isatty(stdin()), isatty(rustix::stdio::stdout()), isatty(rustix::stdio::stderr())];
    match terminal {
        [true, ..] => ioctl_tiocsctty(stdin())?,
        [_, true, _] => ioctl_tiocsctty(rustix::stdio::stdout())?,
        [_, _, true] => ioctl_tiocsctty(rustix::stdio::stderr())?,
        [false, false, false] => {}
    }
    match step {
        Step::Nothing => {}
        Step::OwnNetwork => {
            let (user, group) = (geteuid().as_raw(), getegid().as_raw());
            unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET)?;
            fs::write("/proc/self/setgroups", "deny")?;
            fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
            fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
            control.write_all(&[NETWORK_MADE])?;
            let mut answer = [0];
            control.read_exact(&mut answer)?;
            if answer != [CONNECTED] {
                return Ok(ExitCode::from(NOT_STARTED));
            }
        }
        Step::Scope => {
            let held = scoped().and_then(landlock::RulesetCreated::restrict_self).map_err(io::Error::other)?;
            if held.ruleset != RulesetStatus::FullyEnforced {
                return Err(io::Error::other("Landlock doesn't keep its scope"));
            }
        }
    }
    // It is still to be open for the first process inside.
    fcntl_setfd(&control, FdFlags::empty())?;
    Err(Command::new(program).args(arguments).exec())
}

fn first(mut control: UnixStream, agent: &OsString, arguments: &[OsString]) -> io::Result<ExitCode> {
    // This one, and whatever bubblewrap may have left open.
    keep()?;
    // A group whose parent is in another one of the session: only such can be stopped from the terminal.
    setpgid(None, None)?;
    let own = getpgrp();
    if let Ok(terminal) = File::options().read(true).write(true).open("/dev/tty") {
        // Whoever isn't in front yet would be stopped for it. What is started doesn't keep this.
        SigSet::from_iter([Blocked::SIGTTOU]).thread_block()?;
        tcsetpgrp(&terminal, own)?;
    }
    let agent = Command::new(agent).args(arguments).spawn()?;
    let agent = Pid::from_child(&agent);
    control.write_all(&[BEGUN])?;
    let mut heard = control.try_clone()?;
    std::thread::spawn(move || {
        let mut byte = [0];
        while heard.read_exact(&mut byte).is_ok() {
            // Those that would end or stop this process as well don't: it is the first in here.
            if let Some(signal) = Signal::from_named_raw(byte[0].into()) {
                let _ = kill_current_process_group(signal);
            }
        }
    });
    loop {
        // Whoever is left by their parent in here is waited for as well.
        let Some((pid, status)) = retry_on_intr(|| wait(WaitOptions::UNTRACED))? else { continue };
        if pid != agent {
            continue;
        }
        if status.stopped() {
            control.write_all(&[STOPPED])?;
        } else if let Some(code) = status.exit_status() {
            return Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)));
        } else if let Some(signal) = status.terminating_signal() {
            return Ok(ExitCode::from(u8::try_from(BY_SIGNAL + signal).unwrap_or(u8::MAX)));
        }
    }
}
