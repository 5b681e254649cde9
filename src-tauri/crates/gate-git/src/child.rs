//! Child programs: each in a process group of its own, what it says kept up to a bound, and ended with all that it
//! started when whoever waits goes away. Knows nothing of git, and sets no time.

use std::io;
use std::process::{ExitStatus, Stdio};

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::oneshot;

use gate_os::programs::{self, Group};

/// How much of a program's last words is kept, in bytes.
pub const WORDS: usize = 8 * 1024;

/// A program that was started. Dropped before its end, it is killed, and so is all that it started and that didn't
/// leave its group: whoever bounds its time drops what waits for it.
#[derive(Debug)]
pub struct Running {
    child: Child,
    group: Group,
}

pub use gate_os::programs::thread_gives_way;

/// Does something that nothing else has to wait for, on a thread of its own that [gives way](thread_gives_way). It begins at
/// once, whether or not its end is awaited; the result is absent where it panics, or no thread can be had.
pub fn behind<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> impl Future<Output = Option<T>> + Send {
    let (done, outcome) = oneshot::channel();
    let thread = std::thread::Builder::new().name("behind".to_owned());
    let started = thread.spawn(move || {
        thread_gives_way();
        // Whoever waited may have gone.
        let _ = done.send(work());
    });
    async move {
        started.ok()?;
        outcome.await.ok()
    }
}

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code, or the signal.
    pub status: ExitStatus,
    /// All that it wrote; absent where that was more than it might be.
    pub output: Option<Vec<u8>>,
    /// The last of its complaints, up to [`WORDS`] bytes.
    pub words: String,
}

impl Running {
    /// Starts it, with pipes for what it says; its input is the command's.
    ///
    /// # Errors
    /// As the system gives them, where it can't be started.
    pub fn start(mut command: Command) -> io::Result<Self> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        programs::lead(&mut command);
        let child = command.spawn()?;
        Ok(Self { group: Group::of(&child), child })
    }

    /// Lets it have the processor when others don't want it: for work that nobody waits for.
    #[must_use]
    pub fn behind(self) -> Self {
        programs::gives_way(&self.child);
        self
    }

    /// Lets it take so many bytes of memory at most, on Linux; elsewhere it goes on as it is.
    pub fn bound_memory(&self, most: u64) {
        programs::bound_memory(&self.child, most);
    }

    /// Its input, once, where it is a pipe.
    pub fn input(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// What it writes, once.
    pub fn output(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Its complaints, once.
    pub fn errors(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// What it says until its end. It is read no further than `most` bytes and one more, and writes into a closed pipe
    /// from there; output that was taken away counts as none.
    ///
    /// # Errors
    /// As the system gives them, where it can't be waited for.
    pub async fn ended(&mut self, most: usize) -> io::Result<Ended> {
        let (output, errors) = (self.output(), self.errors());
        let (output, words) = tokio::join!(beginning(output, most), ending(errors));
        Ok(Ended { status: self.child.wait().await?, output, words })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.group.end(&self.child);
    }
}

/// All that comes; absent where it is more than `most` bytes.
async fn beginning(from: Option<impl AsyncRead + Unpin>, most: usize) -> Option<Vec<u8>> {
    let mut kept = Vec::new();
    let Some(from) = from else { return Some(kept) };
    let read = from.take(most as u64 + 1).read_to_end(&mut kept).await;
    (read.is_ok() && kept.len() <= most).then_some(kept)
}

/// The last of what comes, up to [`WORDS`] bytes.
pub async fn ending(from: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut from) = from else { return String::new() };
    // Elsewhere, lest whatever waits for a program is as large as this.
    let (mut kept, mut chunk) = (Vec::new(), vec![0_u8; 4096]);
    while let Ok(got) = from.read(&mut chunk).await {
        if got == 0 {
            break;
        }
        kept.extend_from_slice(&chunk[..got]);
        let over = kept.len().saturating_sub(WORDS);
        kept.drain(..over);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Running {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::null());
        Running::start(command).expect("a shell")
    }

    #[tokio::test]
    async fn what_it_says_is_bounded() {
        let said = shell("echo abc; echo x >&2; exit 3").ended(4).await.expect("it ends");
        assert_eq!((said.status.code(), said.output.as_deref()), (Some(3), Some(&b"abc\n"[..])));
        assert_eq!(said.words, "x\n");
        let said = shell("echo abcd; while echo more; do :; done 2>/dev/null").ended(4).await.expect("it ends");
        assert_eq!(said.output, None, "a byte too much");
        let said = shell("yes | head -c 20000 >&2; echo last >&2").ended(0).await.expect("it ends");
        assert_eq!(said.words.len(), WORDS);
        assert!(said.words.ends_with("last\n"), "the last of them are kept");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn what_nobody_waits_for_stands_behind_and_so_does_what_it_starts() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "read go; nice"]).stdin(Stdio::piped());
        let mut running = Running::start(command).expect("a shell").behind();
        // Dropped, it says so.
        drop(running.input().expect("a pipe"));
        let said = running.ended(WORDS).await.expect("it ends");
        assert_eq!(said.output.as_deref(), Some(&b"10\n"[..]), "others have the processor first");

        let nice = || rustix::process::getpriority_process(None).expect("it is told");
        let (here, there) = (nice(), std::thread::spawn(move || (thread_gives_way(), nice()).1).join());
        assert_eq!((there.expect("it ends"), nice()), (10, here), "a thread alone, and not the others");
        assert_eq!((behind(nice).await, nice()), (Some(10), here), "and what is done behind others");
    }

    #[tokio::test]
    async fn what_panics_behind_others_gives_nothing() {
        assert_eq!(behind(|| -> u8 { panic!("it was meant to") }).await, None);
        assert_eq!(behind(|| 7).await, Some(7));
    }

    #[tokio::test]
    async fn what_it_started_ends_with_it() {
        let mut running = shell("sleep 1000 & echo started; wait");
        let mut output = running.output().expect("a pipe");
        let mut word = [0; 8];
        output.read_exact(&mut word).await.expect("it says so");
        drop(running);
        let mut rest = Vec::new();
        // Both have the pipe: it has an end when neither is there any more.
        output.read_to_end(&mut rest).await.expect("an end");
        assert_eq!((&word, rest.as_slice()), (b"started\n", &b""[..]));
    }
}
