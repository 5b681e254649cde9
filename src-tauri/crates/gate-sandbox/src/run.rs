//! An agent in its sandbox, from outside: starting it, what is handed on to it, and how it ends.

use std::fs;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use gate_core::{Code, Fault};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Signal, kill_current_process_group, kill_process};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};

use crate::bubblewrap::Arguments;
use crate::descriptors;
use crate::environment;
use crate::layout::{Layout, Mount};
use crate::machine::Machine;
use crate::network::Pasta;
use crate::stage::{BEGUN, CONNECTED, NETWORK_MADE, STOPPED, Step, enter_arguments, first_arguments};
use crate::terminal::Terminal;
use crate::wish::{Network, Wish};

/// How often it is looked whether what is guarded still is.
const LOOK: Duration = Duration::from_secs(1);
/// How long what an agent wrote last is waited for after its end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// An agent's sandbox, not made yet.
#[derive(Debug)]
pub struct Sandbox {
    wish: Wish,
    machine: Machine,
    layout: Layout,
    input: Option<fs::File>,
}

fn broken(error: impl std::fmt::Display) -> Fault {
    Fault::internal(format!("The sandbox broke: {error}."))
}

impl Sandbox {
    /// What is to be done for this wish. Nothing is made or changed yet, but that bubblewrap is tried.
    ///
    /// # Errors
    /// `sandbox`, where the wish or the machine doesn't allow it.
    pub fn new(wish: Wish) -> Result<Self, Fault> {
        let machine = Machine::look(wish.network, &wish.path)?;
        // On this machine's network all of its loopback is there anyway.
        let has_all = wish.network == Network::Any && machine.network == Network::Shared;
        let ports = if has_all { Vec::new() } else { wish.ports };
        let wish = Wish { network: machine.network, folder: real(&wish.folder)?, ports, ..wish };
        if !wish.ports.is_empty() && wish.network != Network::Own {
            return Err(Fault::new(
                Code::Sandbox,
                "Only a network of the sandbox's own takes ports of this machine's loopback.",
                "Add `--network=own`, or leave `--port` out.",
            ));
        }
        let layout = Layout::new(&wish)?;
        Ok(Self { wish, machine, layout, input: None })
    }

    /// Whether there can be one with this network, where programs are looked for in these folders. It is tried, which takes
    /// a moment and blocks.
    ///
    /// # Errors
    /// `sandbox`, with what lacks and what to do about it.
    pub fn is_possible(network: Network, path: &[PathBuf]) -> Result<(), Fault> {
        Machine::look(network, path).map(drop)
    }

    /// With this as what the agent reads, in place of this program's own standard input.
    #[must_use]
    pub fn reading(self, input: fs::File) -> Self {
        Self { input: Some(input), ..self }
    }

    /// What it comes to, line by line, for a person.
    #[must_use]
    pub fn shown(&self) -> Vec<String> {
        let mut lines = vec![format!("runs {} in {}", self.layout.agent.display(), self.wish.folder.display())];
        let paths = |is: fn(&Mount) -> bool| {
            let those = self.layout.mounts.iter().filter(move |(_, mount)| is(mount));
            those.map(|(at, _)| at.display().to_string()).collect::<Vec<_>>()
        };
        let pinned = |path: &String| self.layout.guarded.there().any(|guarded| guarded.starts_with(path));
        let written: Vec<_> = paths(|mount| matches!(mount, Mount::Writable(_)))
            .into_iter()
            .filter(|path| !pinned(path) || *path == self.layout.project.display().to_string())
            .collect();
        let groups = [
            ("writes", written),
            ("reads", paths(|mount| matches!(mount, Mount::ReadOnly(_)))),
            ("reads only, in what it writes", paths(|mount| matches!(mount, Mount::Guarded(_)))),
            ("has a copy of", paths(|mount| matches!(mount, Mount::Copy(_)))),
            ("can't be guarded, for it is reached by a link", {
                self.layout.guarded.open().map(|path| path.display().to_string()).collect()
            }),
        ];
        for (what, paths) in groups {
            lines.extend(paths.into_iter().map(|path| format!("{what}: {path}")));
        }
        let network = match self.wish.network {
            Network::None | Network::Any => "none",
            Network::Own => "its own, by pasta",
            Network::Shared => "this machine's, under Landlock's scope",
        };
        lines.push(format!("network: {network}"));
        lines
    }

    /// Runs the agent to its end, and gives its exit code; 128 and a signal's number where that has ended it. `tell` is
    /// given what the person should know meanwhile.
    ///
    /// # Errors
    /// `sandbox`, where the sandbox can't be made.
    pub async fn run(mut self, tell: impl Fn(&str)) -> Result<u8, Fault> {
        for folder in &self.layout.lacking {
            // Where it can't be made it can't be written inside either.
            let _ = fs::create_dir(folder);
        }
        if !self.layout.lacking.is_empty() {
            self.layout = Layout::new(&self.wish)?;
        }
        for path in self.layout.guarded.open() {
            tell(&format!("{} is reached by a link, so the agent may put another in its place.", path.display()));
        }
        descriptors::keep().map_err(broken)?;
        let mut terminal = Terminal::make().map_err(broken)?;
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().map_err(broken)?;
        let child = self.start(terminal.as_ref(), &theirs)?;
        drop(theirs);
        ours.set_nonblocking(true).map_err(broken)?;
        let control = UnixStream::from_std(ours).map_err(broken)?;
        if let Some(terminal) = &mut terminal {
            terminal.hand_over();
        }
        let tell = |text: &str| match &terminal {
            // A raw terminal wouldn't begin a new line at its beginning.
            Some(terminal) if terminal.has_keys() => {
                terminal.give_back();
                tell(text);
                terminal.take_keys();
            }
            Some(_) | None => tell(text),
        };
        let course = Course {
            child,
            control,
            terminal: terminal.as_ref(),
            pasta: None,
            has_begun: false,
            machine: &self.machine,
            program: &self.wish.program,
            ports: &self.wish.ports,
        };
        let ended = course.run(&mut self.layout, tell).await;
        drop(terminal);
        ended
    }

    fn start(&self, terminal: Option<&Terminal>, control: &std::os::unix::net::UnixStream) -> Result<Child, Fault> {
        fcntl_setfd(control, FdFlags::empty()).map_err(broken)?;
        let number = control.as_raw_fd();
        let step = match self.wish.network {
            Network::None | Network::Any => Step::Nothing,
            Network::Own => Step::OwnNetwork,
            Network::Shared => Step::Scope,
        };
        // What is handed over stays open until the child has it.
        let arguments = Arguments::of(&self.layout, self.wish.network, &self.wish.folder)?;
        let mut command = Command::new(&self.wish.program);
        command.args(enter_arguments(number, step)).arg(&self.machine.bubblewrap).args(&arguments.all).arg("--");
        command.arg(real(&self.wish.program)?).args(first_arguments(number)).arg(&self.layout.agent);
        command.args(self.wish.agent.iter().skip(1));
        command.env_clear().envs(environment::inside(std::env::vars_os())).env("PWD", &self.wish.folder);
        command.stdin(match &self.input {
            Some(input) => input.try_clone().map_err(broken)?.into(),
            None => Terminal::stream(terminal, &io::stdin()).map_err(broken)?,
        });
        command.stdout(Terminal::stream(terminal, &io::stdout()).map_err(broken)?);
        command.stderr(Terminal::stream(terminal, &io::stderr()).map_err(broken)?);
        command.kill_on_drop(true).spawn().map_err(broken)
    }
}

fn real(path: &Path) -> Result<PathBuf, Fault> {
    fs::canonicalize(path).map_err(|error| broken(format!("{}: {error}", path.display())))
}

/// An agent that runs.
struct Course<'a> {
    child: Child,
    control: UnixStream,
    terminal: Option<&'a Terminal>,
    pasta: Option<Pasta>,
    has_begun: bool,
    machine: &'a Machine,
    program: &'a Path,
    ports: &'a [u16],
}

impl Course<'_> {
    async fn run(mut self, layout: &mut Layout, tell: impl Fn(&str)) -> Result<u8, Fault> {
        let has_keys = self.terminal.is_some_and(Terminal::has_keys);
        let mut signals = heard(has_keys).map_err(broken)?;
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let terminal = self.terminal;
        let keys = async {
            match terminal {
                Some(terminal) => terminal.keys().await,
                None => std::future::pending().await,
            }
        };
        let screen = async {
            if let Some(terminal) = terminal {
                terminal.screen().await;
            }
        };
        tokio::pin!(keys, screen);
        let (mut is_open, mut shows) = (true, true);
        let mut byte = [0];
        let status = loop {
            tokio::select! {
                ended = self.child.wait() => break ended.map_err(broken)?,
                read = self.control.read(&mut byte), if is_open => match read {
                    Ok(1) => self.hear(byte[0]).await?,
                    Ok(_) | Err(_) => is_open = false,
                },
                Some(number) = signals.recv() => self.pass_on(number).await,
                _ = looks.tick() => layout.guarded.news().iter().for_each(|news| tell(news)),
                () = &mut keys => {}
                () = &mut screen, if shows => shows = false,
            }
        };
        if shows {
            // What it wrote last.
            let _ = tokio::time::timeout(LAST_WORDS, &mut screen).await;
        }
        if let Some(terminal) = terminal {
            terminal.give_back();
        }
        layout.guarded.news().iter().for_each(|news| tell(news));
        // What it said last may not have been heard yet.
        let begun = self.has_begun || matches!(self.control.try_read(&mut byte), Ok(1) if byte == [BEGUN]);
        match begun {
            true => Ok(code(status)),
            false => Err(Fault::new(
                Code::Sandbox,
                "bubblewrap couldn't make the sandbox; what it said stands above.",
                "Look at what it would show with --dry-run, and whether each of these folders is there.",
            )),
        }
    }

    async fn hear(&mut self, byte: u8) -> Result<(), Fault> {
        match byte {
            NETWORK_MADE => {
                let (Some(pasta), Some(pid)) = (&self.machine.pasta, self.child.id()) else { return Ok(()) };
                self.pasta = Some(Pasta::connect(self.program, pasta, pid, self.ports).await?);
                self.control.write_all(&[CONNECTED]).await.map_err(broken)?;
            }
            BEGUN => self.has_begun = true,
            STOPPED => self.stop().await,
            _ => {}
        }
        Ok(())
    }

    /// The agent has stopped: so does this, for whoever waits for it, until it is to go on.
    async fn stop(&mut self) {
        match self.terminal.filter(|terminal| terminal.has_keys()) {
            Some(terminal) => {
                terminal.give_back();
                // Nothing, where nobody could make it go on.
                let _ = kill_current_process_group(Signal::TSTP);
                terminal.take_keys();
                terminal.fit();
            }
            None => {
                let _ = kill_process(rustix::process::getpid(), Signal::STOP);
            }
        }
        self.pass_on(Signal::CONT.as_raw()).await;
    }

    async fn pass_on(&mut self, number: i32) {
        if number == SignalKind::window_change().as_raw_value() {
            if let Some(terminal) = self.terminal {
                terminal.fit();
            }
        } else if let Ok(byte) = u8::try_from(number) {
            // Nobody is there yet, or any more.
            let _ = self.control.write_all(&[byte]).await;
        }
    }
}

/// The signals that are an agent's as well. Where it has the person's keys, Ctrl-Z is one of these.
fn heard(has_keys: bool) -> io::Result<mpsc::Receiver<i32>> {
    let (send, receive) = mpsc::channel(8);
    let stop = SignalKind::from_raw(Signal::TSTP.as_raw());
    let all = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
        SignalKind::quit(),
        SignalKind::user_defined1(),
        SignalKind::user_defined2(),
        SignalKind::window_change(),
    ];
    for kind in all.into_iter().chain((!has_keys).then_some(stop)) {
        let (mut hears, send) = (signal(kind)?, send.clone());
        tokio::spawn(
            async move { while hears.recv().await.is_some() && send.send(kind.as_raw_value()).await.is_ok() {} },
        );
    }
    Ok(receive)
}

fn code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    u8::try_from(code).unwrap_or(u8::MAX)
}
