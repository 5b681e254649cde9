//! An X server without a screen, with a window manager, a session bus and a clipboard.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::process::Process;
use crate::run::Ran;
use crate::wait::{LIMIT, eventually};

/// How long a killed program may take to be gone.
const END: Duration = Duration::from_secs(5);
/// The window's title, as a pattern of xdotool's.
const TITLE: &str = "^Review Gate$";

/// A display. What shows windows on it, and its own programs, end when it is dropped.
#[derive(Debug)]
pub struct Display {
    env: Vec<(OsString, OsString)>,
    // Dropped in this order: the server last, since the others are its clients.
    _manager: Group,
    _bus: Group,
    _server: Group,
    _folder: TempDir,
}

impl Display {
    /// Starts one under a number of its own. Servers that look for a free one at the same moment take
    /// each other's socket away.
    ///
    /// # Errors
    /// When it doesn't come up in time.
    pub(super) async fn start() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("rg-x-").tempdir_in("/tmp").context("no folder for a display")?;
        let number = format!(":{}", free_number()?);
        let screen = ["-displayfd", "1", "-noreset", "-ac", "-nolisten", "tcp", "-screen", "0", "1280x1000x24"];
        let (server, _) = announced("Xvfb", &[&[number.as_str()], &screen[..]].concat()).await?;
        let (bus, address) = announced("dbus-daemon", &["--session", "--nofork", "--print-address"]).await?;
        let mut env = vec![
            (OsString::from("DISPLAY"), OsString::from(number)),
            (OsString::from("DBUS_SESSION_BUS_ADDRESS"), OsString::from(address)),
            // Assistive technology would be started by the bus and outlive it.
            (OsString::from("NO_AT_BRIDGE"), OsString::from("1")),
        ];
        // What WebKit stores must neither come from another test nor from the developer.
        for (name, below) in [("XDG_DATA_HOME", "data"), ("XDG_CACHE_HOME", "cache"), ("XDG_CONFIG_HOME", "config")] {
            env.push((OsString::from(name), folder.path().join(below).into_os_string()));
        }
        let mut openbox = Command::new("openbox");
        openbox.envs(env.clone()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let display = Self { env, _manager: Group::spawn(openbox)?, _bus: bus, _server: server, _folder: folder };
        display.managed().await?;
        Ok(display)
    }

    /// The variables of programs that show themselves here.
    #[must_use]
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        self.env.clone()
    }

    /// Whether the review window can be seen.
    ///
    /// # Errors
    /// When the display doesn't answer.
    pub async fn shows_window(&self) -> Result<bool> {
        let found = self.xdotool(&["search", "--onlyvisible", "--name", TITLE]).await?;
        Ok(!found.stdout.trim().is_empty())
    }

    /// Waits until the review window can be seen and has the keyboard.
    ///
    /// # Errors
    /// When that isn't so in time.
    pub async fn window_in_front(&self) -> Result<()> {
        let look = || async {
            let front = self.xdotool(&["getactivewindow", "getwindowname"]).await?;
            Ok((front.stdout.trim() == "Review Gate" && self.shows_window().await?).then_some(()))
        };
        eventually("the review window in front", LIMIT, look).await
    }

    /// Waits until so many of the app's windows can be seen.
    ///
    /// # Errors
    /// When that isn't so in time.
    pub async fn shows_windows(&self, number: usize) -> Result<()> {
        let look = || async {
            let found = self.xdotool(&["search", "--onlyvisible", "--name", TITLE]).await?;
            Ok((found.stdout.lines().count() == number).then_some(()))
        };
        eventually(&format!("{number} windows"), LIMIT, look).await
    }

    /// Waits until the review window can't be seen.
    ///
    /// # Errors
    /// When it is still there.
    pub async fn window_gone(&self) -> Result<()> {
        let look = || async { Ok((!self.shows_window().await?).then_some(())) };
        eventually("the review window hidden", LIMIT, look).await
    }

    /// Presses keys as a keyboard does, in the window that has it, e.g. `ctrl+v`.
    ///
    /// # Errors
    /// When that can't be done.
    pub async fn press(&self, keys: &str) -> Result<()> {
        self.xdotool(&["key", "--clearmodifiers", keys]).await?.succeeded().map(drop)
    }

    /// Copies bytes of a type, as another program does.
    ///
    /// # Errors
    /// When that can't be done.
    pub async fn copy(&self, mime_type: &str, bytes: &[u8]) -> Result<()> {
        let mut xclip = Command::new("xclip");
        // It stays behind to serve the clipboard, and ends with the display.
        xclip.args(["-selection", "clipboard", "-t", mime_type, "-i"]).envs(self.env());
        let mut child = xclip.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        child.stdin.take().context("xclip has no stdin")?.write_all(bytes).await?;
        let ended = tokio::time::timeout(LIMIT, child.wait()).await.context("xclip did not take the clipboard")??;
        if !ended.success() {
            bail!("xclip ended with {ended}");
        }
        Ok(())
    }

    /// A picture of the whole display, written to `file`. For a look at what went wrong.
    ///
    /// # Errors
    /// When that can't be done.
    pub async fn picture(&self, file: &Path) -> Result<()> {
        let mut import = Command::new("import");
        import.args(["-window", "root"]).arg(file).envs(self.env());
        Ran::of(import).await?.succeeded().map(drop)
    }

    async fn xdotool(&self, arguments: &[&str]) -> Result<Ran> {
        let mut xdotool = Command::new("xdotool");
        xdotool.args(arguments).envs(self.env());
        Ran::of(xdotool).await
    }

    /// Waits until the window manager has said, as all do, that it is there (EWMH).
    async fn managed(&self) -> Result<()> {
        let look = || async { Ok((self.xdotool(&["get_num_desktops"]).await?.code == Some(0)).then_some(())) };
        eventually("the window manager", LIMIT, look).await
    }
}

/// A display number that no server uses, and that no other test of this run tries.
fn free_number() -> Result<u32> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let begin = 1000 + std::process::id() % 20_000;
    let mut numbers = (0..1000).map(|_| begin + NEXT.fetch_add(1, Ordering::Relaxed));
    let is_free = |number: &u32| !Path::new(&format!("/tmp/.X11-unix/X{number}")).exists();
    numbers.find(is_free).context("a thousand displays are in use")
}

/// A program and everything that it starts. Killed when dropped.
#[derive(Debug)]
pub(super) struct Group {
    child: Child,
    leader: Option<Pid>,
}

impl Group {
    pub(super) fn spawn(mut command: Command) -> Result<Self> {
        let child = command.process_group(0).spawn().with_context(|| format!("{command:?} can't be started"))?;
        let leader = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        Ok(Self { child, leader })
    }

    /// Whether it runs.
    pub(super) fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // One that was waited for may have given its number away.
        if self.runs()
            && let Some(leader) = self.leader
        {
            let process = self.child.id().and_then(Process::open);
            let _ = kill_process_group(leader, Signal::KILL);
            // Not left behind as a zombie, which nobody takes away where the first process is no init.
            if process.is_some_and(|process| process.ends_within(END)) {
                let _ = self.child.try_wait();
            }
        }
    }
}

/// Starts a program that says on its stdout, in one line, when and where it can be reached.
async fn announced(program: &str, arguments: &[&str]) -> Result<(Group, String)> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut group = Group::spawn(command)?;
    let stdout = group.child.stdout.take().context("a program has no stdout")?;
    let line = first_line(stdout).await.with_context(|| format!("{program} did not say that it is ready"))?;
    Ok((group, line))
}

async fn first_line(pipe: impl AsyncRead + Unpin) -> Result<String> {
    let mut lines = BufReader::new(pipe).lines();
    let line = tokio::time::timeout(LIMIT, lines.next_line()).await??;
    line.context("it ended")
}
