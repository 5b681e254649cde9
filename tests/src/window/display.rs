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

use super::screen::{OtherProgram, Screen};
use super::viewer::Viewer;
use crate::process::Process;
use crate::run::Ran;
use crate::wait::{LIMIT, eventually};

/// How long a killed program may take to be gone.
const END: Duration = Duration::from_secs(5);
/// How long what a key brings about may take before the key counts as lost.
const PATIENCE: Duration = Duration::from_secs(3);
/// What the titles of the app's windows end with. Before it stands what is shown there, and how much waits.
const TITLE: &str = "Review Gate";

/// How many numbers are tried for a server.
const SERVER_TRIES: u32 = 5;
/// What a server of either kind is told.
const SERVER: [&str; 6] = ["-displayfd", "1", "-noreset", "-ac", "-nolisten", "tcp"];
/// Where a VNC server listens, in the display's folder.
const VNC: &str = "vnc";

/// A display. What shows windows on it, and its own programs, end when it is dropped.
#[derive(Debug)]
pub struct Display {
    env: Vec<(OsString, OsString)>,
    bus_address: String,
    // Dropped in this order: the server last, since the others are its clients.
    _manager: Group,
    _bus: Group,
    _server: Group,
    folder: TempDir,
}

impl Display {
    /// Starts one under a number of its own. Servers that look for a free one at the same moment take
    /// each other's socket away.
    ///
    /// # Errors
    /// When it doesn't come up in time.
    pub(super) async fn start() -> Result<Self> {
        Self::of(Self::folder()?, "Xvfb", &["-screen", "0", "1280x1000x24"]).await
    }

    /// Starts one that is seen by VNC alone.
    ///
    /// # Errors
    /// When it doesn't come up in time.
    pub(super) async fn over_vnc() -> Result<Self> {
        let folder = Self::folder()?;
        let socket = folder.path().join(VNC).display().to_string();
        // Nobody comes in over the network.
        let closed = ["-SecurityTypes", "None", "-rfbport", "-1", "-rfbunixpath", &socket];
        let own = [&closed[..], &["-geometry", "1280x1000", "-depth", "24"]].concat();
        Self::of(folder, "Xtigervnc", &own).await
    }

    fn folder() -> Result<TempDir> {
        tempfile::Builder::new().prefix("rg-x-").tempdir_in("/tmp").context("no folder for a display")
    }

    async fn of(folder: TempDir, program: &str, own: &[&str]) -> Result<Self> {
        let (number, server) = server(program, own).await?;
        // Its socket goes with the folder.
        let listens = format!("--address=unix:path={}", folder.path().join("bus").display());
        let (bus, address) = announced("dbus-daemon", &["--session", "--nofork", "--print-address", &listens]).await?;
        let mut env = vec![
            (OsString::from("DISPLAY"), OsString::from(number)),
            (OsString::from("DBUS_SESSION_BUS_ADDRESS"), OsString::from(address.clone())),
            // Assistive technology would be started by the bus and outlive it.
            (OsString::from("NO_AT_BRIDGE"), OsString::from("1")),
            // As on every desktop: in a locale of ASCII alone GTK says a title so that xdotool doesn't find it.
            (OsString::from("LC_ALL"), OsString::from("C.UTF-8")),
        ];
        // What WebKit stores must neither come from another test nor from the developer.
        for (name, below) in [("XDG_DATA_HOME", "data"), ("XDG_CACHE_HOME", "cache"), ("XDG_CONFIG_HOME", "config")] {
            env.push((OsString::from(name), folder.path().join(below).into_os_string()));
        }
        let mut openbox = Command::new("openbox");
        openbox.envs(env.clone()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let (manager, bus_address) = (Group::spawn(openbox)?, address);
        let display = Self { env, bus_address, _manager: manager, _bus: bus, _server: server, folder };
        display.managed().await?;
        Ok(display)
    }

    /// The variables of programs that show themselves here.
    #[must_use]
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        self.env.clone()
    }

    /// A person at it over VNC, where it is such a display.
    ///
    /// # Errors
    /// When it isn't.
    pub fn viewer(&self) -> Result<Viewer> {
        Viewer::connect(&self.folder.path().join(VNC))
    }

    /// Its keyboard and its pointer.
    ///
    /// # Errors
    /// When the X server is gone.
    pub fn screen(&self) -> Result<Screen> {
        Screen::open(self.name()?)
    }

    /// What X calls it, e.g. `:99`.
    ///
    /// # Errors
    /// When it has no name.
    pub fn name(&self) -> Result<&str> {
        let name = self.env.iter().find(|(name, _)| name == "DISPLAY").and_then(|(_, value)| value.to_str());
        name.context("a display has a name")
    }

    /// Gives another program the keyboard, as a person does who goes to its window.
    ///
    /// # Errors
    /// When it doesn't get it.
    pub async fn go_to(&self, program: &OtherProgram) -> Result<()> {
        let number = program.number().to_string();
        self.xdotool(&["windowactivate", "--sync", &number]).await?.succeeded().map(drop)
    }

    /// Gives the app's window the keyboard, as a window manager does when the one before it is closed.
    ///
    /// # Errors
    /// When it doesn't get it.
    pub async fn falls_to_window(&self) -> Result<()> {
        let pattern = format!("{TITLE}$");
        self.xdotool(&["search", "--onlyvisible", "--name", &pattern, "windowactivate", "--sync", "%1"])
            .await?
            .succeeded()
            .map(drop)
    }

    /// Where the session bus is.
    pub(crate) fn bus(&self) -> &str {
        &self.bus_address
    }

    /// Whether the review window can be seen.
    ///
    /// # Errors
    /// When the display doesn't answer.
    pub async fn shows_window(&self) -> Result<bool> {
        Ok(!self.titles().await?.is_empty())
    }

    /// Waits until the review window can be seen and has the keyboard.
    ///
    /// # Errors
    /// When that isn't so in time.
    pub async fn window_in_front(&self) -> Result<()> {
        let look = || async {
            let front = self.xdotool(&["getactivewindow", "getwindowname"]).await?;
            Ok((front.stdout.trim().ends_with(TITLE) && self.shows_window().await?).then_some(()))
        };
        eventually("the review window in front", LIMIT, look).await
    }

    /// Waits until so many of the app's windows can be seen.
    ///
    /// # Errors
    /// When that isn't so in time.
    pub async fn shows_windows(&self, number: usize) -> Result<()> {
        let look = || async { Ok((self.titles().await?.len() == number).then_some(())) };
        eventually(&format!("{number} windows"), LIMIT, look).await
    }

    /// Waits until one of the app's windows can be seen under this title.
    ///
    /// # Errors
    /// When that isn't so in time; with the titles that can be seen.
    pub async fn shows_titled(&self, title: &str) -> Result<()> {
        let look = || async { Ok(self.titles().await?.iter().any(|shown| shown == title).then_some(())) };
        match eventually(&format!("a window titled {title:?}"), LIMIT, look).await {
            Ok(()) => Ok(()),
            Err(error) => Err(error.context(format!("there are {:?}", self.titles().await?))),
        }
    }

    /// Waits until the review window can't be seen.
    ///
    /// # Errors
    /// When it is still there.
    pub async fn window_gone(&self) -> Result<()> {
        let look = || async { Ok((!self.shows_window().await?).then_some(())) };
        eventually("the review window hidden", LIMIT, look).await
    }

    /// Closes the window in front by the window manager's key, as a person does: once more when nothing
    /// came of it, since the window manager drops a key while it gives the keyboard to another window.
    ///
    /// # Errors
    /// When it is still there.
    pub async fn close_window(&self) -> Result<()> {
        let shut = || async {
            self.press("alt+F4").await?;
            let look = || async { Ok((!self.shows_window().await?).then_some(())) };
            Ok(eventually("the review window closed", PATIENCE, look).await.ok())
        };
        eventually("the review window closed", LIMIT, shut).await
    }

    /// Where the window in front is: from the left and the top, its width and height.
    ///
    /// # Errors
    /// When there is none.
    pub async fn place(&self) -> Result<[i64; 4]> {
        let found = self.xdotool(&["getactivewindow", "getwindowgeometry", "--shell"]).await?;
        let number = |name: &str| {
            let line = found.stdout.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|number| number.parse().ok()).with_context(|| format!("no {name} in {:?}", found.stdout))
        };
        Ok([number("X=")?, number("Y=")?, number("WIDTH=")?, number("HEIGHT=")?])
    }

    /// Moves the window in front and makes it this large, and waits until it is.
    ///
    /// # Errors
    /// When that can't be done.
    pub async fn move_window(&self, [x, y, width, height]: [i64; 4]) -> Result<()> {
        let numbers = [x, y, width, height].map(|number| number.to_string());
        let [x, y, wide, high] = numbers.each_ref().map(String::as_str);
        self.xdotool(&["getactivewindow", "windowsize", wide, high, "windowmove", x, y]).await?.succeeded()?;
        let look = || async {
            let [_, _, now_width, now_height] = self.place().await?;
            Ok(((now_width, now_height) == (width, height)).then_some(()))
        };
        eventually("the window's new size", LIMIT, look).await
    }

    /// Waits until a window with this title has the keyboard.
    ///
    /// # Errors
    /// When that isn't so in time.
    pub async fn in_front(&self, title: &str) -> Result<()> {
        self.in_front_within(title, LIMIT).await
    }

    /// Waits until a window with this title has the keyboard, but no longer than `limit`.
    ///
    /// # Errors
    /// When that isn't so in time.
    pub async fn in_front_within(&self, title: &str, limit: Duration) -> Result<()> {
        let look = || async {
            let front = self.xdotool(&["getactivewindow", "getwindowname"]).await?;
            Ok((front.stdout.trim() == title).then_some(()))
        };
        eventually(&format!("{title:?} in front"), limit, look).await
    }

    /// Changes the monitor that the screen is shown on: only its left half, or all of it again. Programs
    /// that start afterwards see it so.
    ///
    /// # Errors
    /// When that can't be done.
    pub async fn monitor(&self, half: bool) -> Result<()> {
        let mut xrandr = Command::new("xrandr");
        xrandr.envs(self.env()).args(match half {
            true => &["--setmonitor", "half", "640/169x1000/264+0+0", "screen"][..],
            false => &["--delmonitor", "half"],
        });
        Ran::of(xrandr).await?.succeeded().map(drop)
    }

    /// Presses keys as a keyboard does, in the window that has it, e.g. `ctrl+v`.
    ///
    /// # Errors
    /// When that can't be done.
    pub async fn press(&self, keys: &str) -> Result<()> {
        self.xdotool(&["key", "--clearmodifiers", keys]).await?.succeeded().map(drop)
    }

    /// Holds keys down, as a keyboard does, until they are let go.
    ///
    /// # Errors
    /// When that can't be done.
    pub async fn hold(&self, keys: &str) -> Result<()> {
        self.xdotool(&["keydown", keys]).await?.succeeded().map(drop)
    }

    /// Lets keys go that are held.
    ///
    /// # Errors
    /// When that can't be done.
    pub async fn let_go(&self, keys: &str) -> Result<()> {
        self.xdotool(&["keyup", keys]).await?.succeeded().map(drop)
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
        // Whoever pastes asks the same.
        let offered = || async {
            let mut targets = Command::new("xclip");
            targets.args(["-selection", "clipboard", "-t", "TARGETS", "-o"]).envs(self.env());
            let ran = Ran::of(targets).await?;
            Ok(ran.stdout.lines().any(|target| target.trim() == mime_type).then_some(()))
        };
        eventually("the clipboard offers what was copied", LIMIT, offered).await
    }

    /// A picture of the whole display, written to `file`. For a look at what went wrong.
    ///
    /// # Errors
    /// When that can't be done.
    pub async fn picture(&self, file: &Path) -> Result<()> {
        let mut import = Command::new("import");
        // Packed quickly: a PNG loses nothing by that.
        import.args(["-window", "root", "-quality", "10"]).arg(file).envs(self.env());
        Ran::of(import).await?.succeeded().map(drop)
    }

    /// The titles of the app's windows that can be seen.
    async fn titles(&self) -> Result<Vec<String>> {
        let pattern = format!("{TITLE}$");
        let found = self.xdotool(&["search", "--onlyvisible", "--name", &pattern, "getwindowname", "%@"]).await?;
        Ok(found.stdout.lines().map(str::to_owned).collect())
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

/// A server and its number. One whose number another has taken meanwhile ends at once.
async fn server(program: &str, own: &[&str]) -> Result<(String, Group)> {
    let mut tries = 1;
    loop {
        let number = format!(":{}", free_number()?);
        match announced(program, &[&[number.as_str()], &SERVER[..], own].concat()).await {
            Ok((server, _)) => return Ok((number, server)),
            Err(error) if tries == SERVER_TRIES => return Err(error),
            Err(_) => tries += 1,
        }
    }
}

/// A display number that no server uses at this moment.
fn free_number() -> Result<u32> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let begin = 1000 + std::process::id() % 20_000;
    let mut numbers = (0..1000).map(|_| begin + NEXT.fetch_add(1, Ordering::Relaxed));
    let is_free = |number: &u32| !Path::new(&format!("/tmp/.X11-unix/X{number}")).exists();
    numbers.find(is_free).context("a thousand displays are in use")
}

/// A program and everything that it starts. Killed when dropped.
#[derive(Debug)]
pub(crate) struct Group {
    child: Child,
    leader: Option<Pid>,
}

impl Group {
    pub(crate) fn spawn(mut command: Command) -> Result<Self> {
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
