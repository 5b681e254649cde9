//! Starting programs that outlive this one, ending those that were started with all that they started, beginning anew, and
//! hearing that this one is to end.

use std::io;
use std::process::Command;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

/// The file of a program: on Windows with its ending.
#[must_use]
pub fn file_name(program: &str) -> String {
    format!("{program}{}", std::env::consts::EXE_SUFFIX)
}

/// Lets a program that is about to be started outlive this one: neither a signal to this process's group nor the end of its
/// terminal or console reaches it, and it has nothing of this one's input and output.
pub fn detach(command: &mut Command) {
    system::detach(command);
}

/// Lets a program that is about to be started lead others, so that they can be ended together by [`Group`].
pub fn lead(command: &mut tokio::process::Command) {
    system::lead(command);
}

/// A program that was started with [`lead`], with all that it starts.
#[derive(Debug)]
pub struct Group(system::Group);

impl Group {
    /// Of a program that was just started. What it has started in its first moment may not be in it on Windows.
    #[must_use]
    pub fn of(child: &tokio::process::Child) -> Self {
        Self(system::Group::of(child))
    }

    /// Ends all of it at once. Nothing where the program was waited for already: its number may be another's.
    pub fn end(&self, child: &tokio::process::Child) {
        self.0.end(child);
    }
}

/// Lets a program, with all that it starts from now on, have the processor when others don't want it. It goes on as it is
/// where the system refuses, or where it has ended.
pub fn gives_way(child: &tokio::process::Child) {
    system::gives_way(child);
}

/// The same for this thread, until it ends. Elsewhere than on Linux and Windows a thread has no priority of its own, and
/// nothing is done.
pub fn thread_gives_way() {
    system::thread_gives_way();
}

/// Becomes another program: as the same process where the system can do that, else by starting it, waiting for its end and
/// ending as it did. Comes back only where it can't.
pub fn become_program(command: Command) -> io::Error {
    system::become_program(command)
}

/// Waits until this process is told to end: SIGTERM, SIGHUP or Ctrl-C; on Windows Ctrl-C, Ctrl-Break, or that its console,
/// its session or the system ends.
///
/// # Errors
/// The system's, where that can't be heard.
pub async fn told_to_end() -> io::Result<()> {
    system::told_to_end().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_a_program_started_ends_with_it() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mark = folder.path().join("mark");
        // It writes while it lives, and so does what it starts.
        let mut command = if cfg!(windows) {
            let mut command = tokio::process::Command::new("cmd");
            command.args(["/c", "cmd /c ping -n 1000 127.0.0.1"]);
            command
        } else {
            let mut command = tokio::process::Command::new("/bin/sh");
            command.args(["-c", &format!("sleep 1000 & echo $! > '{}'; wait", mark.display())]);
            command
        };
        command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
        lead(&mut command);
        let mut child = command.spawn()?;
        let group = Group::of(&child);
        let started = loop {
            let pid = std::fs::read_to_string(&mark).ok().and_then(|text| text.trim().parse::<u32>().ok());
            if cfg!(windows) || pid.is_some() {
                break pid.and_then(|pid| Some((pid, crate::process::began(pid)?)));
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        };
        group.end(&child);
        assert!(!child.wait().await?.success(), "it was ended");
        group.end(&child);
        if let Some((pid, began)) = started {
            let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
            while !crate::process::has_ended(pid, &began) {
                assert!(std::time::Instant::now() < end, "what it started goes on");
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        }
        Ok(())
    }
}
