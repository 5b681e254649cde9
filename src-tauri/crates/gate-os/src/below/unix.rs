//! Sessions, subreapers and signals.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, wait};

/// How often whoever is left is ended again, once time is over.
const AGAIN: Duration = Duration::from_millis(20);
/// What is added to the number of a signal, as shells have it.
const BY_SIGNAL: i32 = 128;

/// What is heard while it runs.
enum Told {
    /// It is to end.
    Stop,
    /// A child has ended, with this code.
    Ended(Pid, Option<u8>),
    /// There is no child any more.
    Nobody,
}

pub(super) fn run(
    command: &mut Command,
    stop: impl FnOnce() + Send + 'static,
    grace: Duration,
) -> io::Result<Option<u8>> {
    let program = start(command)?;
    let (tell, told) = mpsc::channel();
    // Both threads may have nothing more to say before all have ended.
    let _open = tell.clone();
    let tells_stop = tell.clone();
    std::thread::Builder::new().name("stop".to_owned()).spawn(move || {
        stop();
        // Whoever listened has ended with the program.
        let _ = tells_stop.send(Told::Stop);
    })?;
    std::thread::Builder::new().name("wait".to_owned()).spawn(move || wait_for_all(&tell))?;
    let (mut code, mut over, mut is_alone) = (None, None::<Instant>, false);
    loop {
        let heard = match over {
            None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(over) => told.recv_timeout(over.saturating_duration_since(Instant::now()).max(AGAIN)),
        };
        let ends = match heard {
            Ok(Told::Ended(who, how)) if who == program => {
                code = how;
                true
            }
            Ok(Told::Stop) => true,
            Ok(Told::Ended(..)) | Err(RecvTimeoutError::Timeout) => false,
            Ok(Told::Nobody) => {
                is_alone = true;
                true
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(code),
        };
        if ends && over.is_none() {
            system::signal_all(program, Signal::TERM);
            over = Some(Instant::now() + grace);
        }
        if is_alone && !system::is_anyone_left(program) {
            return Ok(code);
        }
        if over.is_some_and(|over| over <= Instant::now()) {
            system::signal_all(program, Signal::KILL);
        }
    }
}

#[expect(unsafe_code, reason = "the standard library has no other way to these calls in the child; see SAFETY")]
fn start(command: &mut Command) -> io::Result<Pid> {
    system::take_up_orphans()?;
    let enter = || {
        rustix::process::setsid()?;
        system::end_with_parent()
    };
    // SAFETY: between fork and exec only async-signal-safe calls are allowed. setsid(2) and prctl(2) are, and the closure
    // neither allocates nor takes a lock: an `io::Error` of an errno is a number.
    unsafe { command.pre_exec(enter) };
    Ok(Pid::from_child(&command.spawn()?))
}

fn wait_for_all(tell: &Sender<Told>) {
    loop {
        let said = match retry_on_intr(|| wait(WaitOptions::empty())) {
            Ok(Some((who, how))) => Told::Ended(who, code(how)),
            Ok(None) => continue,
            Err(_) => Told::Nobody,
        };
        let is_last = matches!(said, Told::Nobody);
        if tell.send(said).is_err() || is_last {
            return;
        }
    }
}

fn code(status: WaitStatus) -> Option<u8> {
    let code = status.exit_status().or_else(|| status.terminating_signal().map(|signal| BY_SIGNAL + signal));
    u8::try_from(code?).ok()
}

/// Linux, where what was left by its parent comes to the nearest process above that takes it up.
#[cfg(target_os = "linux")]
mod system {
    use std::collections::HashMap;
    use std::{fs, io};

    use rustix::process::{Pid, Signal, getpid, kill_process, set_child_subreaper, set_parent_process_death_signal};

    pub(super) fn take_up_orphans() -> io::Result<()> {
        Ok(set_child_subreaper(Some(getpid()))?)
    }

    pub(super) fn end_with_parent() -> io::Result<()> {
        Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
    }

    /// Sends it to each process below this one.
    pub(super) fn signal_all(_program: Pid, signal: Signal) {
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if let Some(parent) = crate::process::parent(pid) {
                children.entry(parent).or_default().push(pid);
            }
        }
        let mut below = vec![std::process::id()];
        while let Some(parent) = below.pop() {
            for child in children.remove(&parent).unwrap_or_default() {
                if let Some(process) = i32::try_from(child).ok().and_then(Pid::from_raw) {
                    // It may have ended.
                    let _ = kill_process(process, signal);
                }
                below.push(child);
            }
        }
    }

    /// Nobody is where there are no children: all others below would be one.
    pub(super) fn is_anyone_left(_program: Pid) -> bool {
        false
    }
}

/// macOS and others: the program's process group.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

    #[expect(clippy::unnecessary_wraps, reason = "as on Linux")]
    pub(super) fn take_up_orphans() -> io::Result<()> {
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "as on Linux")]
    pub(super) fn end_with_parent() -> io::Result<()> {
        Ok(())
    }

    pub(super) fn signal_all(program: Pid, signal: Signal) {
        // Nobody may be left in it.
        let _ = kill_process_group(program, signal);
    }

    pub(super) fn is_anyone_left(program: Pid) -> bool {
        test_kill_process_group(program).is_ok()
    }
}
