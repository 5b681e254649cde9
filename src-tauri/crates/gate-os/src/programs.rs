//! Starting programs that outlive this one, ending those that were started with all that they started, beginning anew, and
//! hearing that this one is to end.

use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};

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

/// The file of this program, as people read it.
///
/// # Errors
/// The system's, where it doesn't tell.
pub fn this() -> io::Result<PathBuf> {
    system::this()
}

/// Starts a program that outlives this one: neither a signal to this process's group nor the end of its terminal, console or
/// job reaches it, and it has nothing of this one's input and output but what the command gives it.
///
/// # Errors
/// The system's.
pub fn spawn_detached(command: &mut Command) -> io::Result<Child> {
    system::spawn_detached(command)
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

    /// Ends all of it at once. On Unix nothing where the program was waited for already: its number may be another's. On
    /// Windows then, too, what it has left behind; dropping it does the same there.
    pub fn end(&self, child: &tokio::process::Child) {
        self.0.end(child);
    }
}

/// Lets a program, with all that it starts from now on, have the processor when others don't want it. It goes on as it is
/// where the system refuses, or where it has ended.
pub fn gives_way(child: &tokio::process::Child) {
    system::gives_way(child);
}

/// Lets a program that was just started take so many bytes of memory at most, on Linux: what it asks for beyond that it
/// doesn't get. Elsewhere nothing is done.
pub fn bound_memory(child: &tokio::process::Child, bytes: u64) {
    system::bound_memory(child, bytes);
}

/// The same as [`gives_way`] for this thread, until it ends. Elsewhere than on Linux and Windows a thread has no priority of its own, and
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

/// The signals by which a process is ended, heard by one that hands them on to the program behind it. On Windows a console
/// tells all of its programs by itself, and nothing is heard here.
#[derive(Debug)]
pub struct Signals(system::Signals);

impl Signals {
    /// Hears them from now on. This process doesn't end by them any more.
    #[must_use]
    pub fn heard() -> Self {
        Self(system::Signals::heard())
    }

    /// The next one.
    pub async fn next(&mut self) -> EndingSignal {
        EndingSignal(self.0.next().await)
    }
}

/// A signal that was heard.
#[derive(Debug, Clone, Copy)]
pub struct EndingSignal(system::EndingSignal);

impl EndingSignal {
    /// Hands it on to a program of this process's group. One that has just ended needs none; and Ctrl-C at their terminal it
    /// has heard by itself: an interrupt that comes while the group is in front there isn't handed on.
    pub fn hand_on(self, to: &tokio::process::Child) {
        self.0.hand_on(to);
    }
}

/// The code by which a shell tells how a program ended: its own, or 128 and the number of the signal that ended it. Absent
/// where it is none of 0 to 255, which Windows' may be.
#[must_use]
pub fn exit_code(status: ExitStatus) -> Option<u8> {
    u8::try_from(status.code().or_else(|| system::ended_by(status).map(|signal| 128 + signal))?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_a_program_started_ends_with_it() -> io::Result<()> {
        use tokio::io::{AsyncReadExt as _, BufReader};

        let mut command = match cfg!(windows) {
            true => tokio::process::Command::new("cmd"),
            false => tokio::process::Command::new("/bin/sh"),
        };
        // What it starts has its output, too, which ends with the last of them.
        match cfg!(windows) {
            true => command.args(["/c", "echo started& cmd /c ping -n 1000 127.0.0.1"]),
            false => command.args(["-c", "sleep 1000 & echo started; wait"]),
        };
        command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
        lead(&mut command);
        let mut child = command.spawn()?;
        let group = Group::of(&child);
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut said = [0; 7];
        output.read_exact(&mut said).await?;
        assert_eq!(&said, b"started");
        group.end(&child);
        output.read_to_end(&mut Vec::new()).await?;
        assert!(!child.wait().await?.success(), "it was ended");
        group.end(&child);
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_program_s_end_has_a_shell_s_code() -> io::Result<()> {
        for (script, code) in [("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", 143)] {
            let status = Command::new("/bin/sh").args(["-c", script]).status()?;
            assert_eq!(exit_code(status), Some(code), "{script}");
        }
        Ok(())
    }
}
