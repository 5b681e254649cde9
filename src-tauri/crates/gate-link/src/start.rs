//! Starting a gate where none runs, and waiting until it listens.
//!
//! Any number of processes may do so at once. Each starts at most one gate at a time; the gates'
//! lock settles which of them stays, and the others hand over and exit 0.

mod anew;
mod environment;
mod process;

use crate::connect::connect;
use crate::env::Env;
use crate::error::LinkError;
use crate::home::{Home, Socket};
pub use anew::begin_anew;
use gate_os::local::Stream;
use gate_os::programs::file_name;
use process::{Started, spawn};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;
use tokio::time::Instant;

/// How long a gate may take to listen.
pub(crate) const START_LIMIT: Duration = Duration::from_secs(15);
const FIRST_POLL: Duration = Duration::from_millis(5);
const LAST_POLL: Duration = Duration::from_millis(50);
/// A gate that handed over to one that then went away is followed by another after this, and then
/// twice this, and so on.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// Longest pause after a program that handed over or was killed: it may do well the next time, and whoever
/// calls meanwhile waits no longer than [`START_LIMIT`].
const LAST_PAUSE: Duration = Duration::from_secs(1);
/// Longest pause after a program that can't become the gate.
const LAST_PAUSE_OF_FAILED: Duration = Duration::from_secs(30);

/// The desktop app, beside the command line's binary.
const DESKTOP: &str = "review-gate-desktop";
/// The relay's own program, beside the command line's, which hands over to it.
pub const RELAY: &str = "review-gate-relay";

/// A program that becomes the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartCommand {
    /// Its file.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables set besides those of this process that a gate may have (`start/environment.rs`).
    pub envs: Vec<(OsString, OsString)>,
}

impl StartCommand {
    /// A program with its arguments.
    pub fn new<A: Into<OsString>>(program: impl Into<PathBuf>, args: impl IntoIterator<Item = A>) -> Self {
        Self { program: program.into(), args: args.into_iter().map(Into::into).collect(), envs: Vec::new() }
    }
}

/// The programs that may become the gate, the best first. The next is tried when one fails.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StartPlan {
    commands: Vec<StartCommand>,
}

impl StartPlan {
    /// The plan of this process: its binary and its environment.
    ///
    /// # Errors
    /// [`LinkError::File`] if the process can't find its own file.
    pub fn of_this_program() -> Result<Self, LinkError> {
        let program = gate_os::programs::this().map_err(|source| LinkError::file("find", "review-gate", source))?;
        Ok(Self::of_program(&program))
    }

    /// The plan of a command line's program that has handed over to this process, in its environment.
    #[must_use]
    pub fn of_program(program: &Path) -> Self {
        // A gate in there would be nobody's.
        if Home::is_in_a_sandbox() { Self::never() } else { Self::resolve(&Env::of_process(), program) }
    }

    /// The desktop app, hidden, if there is a display and it stands beside `program`; else, or if
    /// it fails, `program serve`. Nothing if `REVIEW_GATE_NO_START` is set.
    #[must_use]
    pub fn resolve(env: &Env, program: &Path) -> Self {
        if env.forbids_start() {
            return Self::never();
        }
        let desktop = program.with_file_name(file_name(DESKTOP));
        let desktop = (env.has_display() && desktop.is_file()).then(|| StartCommand::new(desktop, ["--hidden"]));
        Self::of(desktop.into_iter().chain([StartCommand::new(program, ["serve"])]))
    }

    /// These commands.
    pub fn of(commands: impl IntoIterator<Item = StartCommand>) -> Self {
        Self { commands: commands.into_iter().collect() }
    }

    /// Start nothing.
    #[must_use]
    pub fn never() -> Self {
        Self::default()
    }

    /// The commands, the best first.
    #[must_use]
    pub fn commands(&self) -> &[StartCommand] {
        &self.commands
    }
}

/// Connects to a socket of the gate of this home, or starts one and waits up to 15 s until it accepts.
///
/// # Errors
/// [`LinkError::Unreachable`] if that does not help; others if it can't.
pub async fn connect_or_start(home: &Home, socket: Socket, plan: &StartPlan) -> Result<Stream, LinkError> {
    Starter::new(home.clone(), socket, plan.clone(), START_LIMIT).connect().await
}

/// Remembers, over many connections, what was started and what failed.
#[derive(Debug)]
pub struct Starter {
    home: Home,
    socket: Socket,
    plan: StartPlan,
    limit: Duration,
    /// Which command of the plan is next.
    choice: usize,
    starting: Option<Started>,
    /// Processes that became gates, or lost to one: kept to be reaped.
    running: Vec<Started>,
    not_before: Option<Instant>,
    pause: Duration,
}

impl Starter {
    /// Waits up to `limit` for a gate in each [`Starter::connect`], and connects to this socket of it.
    #[must_use]
    pub fn new(home: Home, socket: Socket, plan: StartPlan, limit: Duration) -> Self {
        Self {
            home,
            socket,
            plan,
            limit,
            choice: 0,
            starting: None,
            running: Vec::new(),
            not_before: None,
            pause: FIRST_PAUSE,
        }
    }

    /// Whether it may start anything.
    #[must_use]
    pub fn may_start(&self) -> bool {
        !self.plan.commands.is_empty()
    }

    /// Connects; if nobody listens, starts a gate and connects to it. Returns as soon as all
    /// programs of the plan failed; at once if it has none.
    ///
    /// # Errors
    /// As [`connect_or_start`].
    pub async fn connect(&mut self) -> Result<Stream, LinkError> {
        let deadline = Instant::now() + self.limit;
        let mut poll = FIRST_POLL;
        loop {
            match connect(&self.home, self.socket).await {
                Ok(stream) => {
                    self.settle();
                    return Ok(stream);
                }
                Err(LinkError::Unreachable { .. }) if self.may_start() => {}
                Err(error) => return Err(error),
            }
            self.advance()?;
            let now = Instant::now();
            if now >= deadline {
                return Err(self.unreachable(format!("none listened within {} s", self.limit.as_secs_f32())));
            }
            tokio::time::sleep(poll.min(deadline - now)).await;
            poll = (poll * 2).min(LAST_POLL);
        }
    }

    /// Takes leave of started processes that have ended, so that none stays a zombie.
    pub fn reap(&mut self) {
        self.running.retain_mut(|started| matches!(started.ended(), Ok(None)));
    }

    /// A gate listens: whatever was being started is no longer waited for.
    fn settle(&mut self) {
        self.running.extend(self.starting.take());
        self.reap();
        self.not_before = None;
        self.pause = FIRST_PAUSE;
    }

    /// Looks after the process that is being started, and starts the next one when it's time.
    fn advance(&mut self) -> Result<(), LinkError> {
        self.reap();
        if let Some(started) = &mut self.starting {
            let ended = started.ended().map_err(|source| LinkError::file("wait for", started.program(), source))?;
            let Some(status) = ended else { return Ok(()) };
            let program = started.program().to_owned();
            self.starting = None;
            if status.success() || status.code().is_none() {
                // It handed over to a gate that doesn't listen: one that starts, or that stops. Or
                // somebody killed it, which says nothing against the program.
                self.rest(LAST_PAUSE);
            } else {
                self.next_choice(&describe(&program, status, &self.home))?;
            }
        }
        if self.not_before.is_some_and(|moment| Instant::now() < moment) {
            return Ok(());
        }
        self.home.create()?;
        while let Some(command) = self.plan.commands.get(self.choice) {
            match spawn(command, &self.home) {
                Ok(started) => {
                    self.starting = Some(started);
                    break;
                }
                Err(error) => self.next_choice(&format!("{} can't be started: {error}", command.program.display()))?,
            }
        }
        Ok(())
    }

    /// Goes on to the next command; if there is none, begins anew after a rest.
    fn next_choice(&mut self, reason: &str) -> Result<(), LinkError> {
        if self.choice + 1 < self.plan.commands.len() {
            self.choice += 1;
            return Ok(());
        }
        self.rest(LAST_PAUSE_OF_FAILED);
        Err(self.unreachable(reason.to_owned()))
    }

    fn rest(&mut self, longest: Duration) {
        self.not_before = Some(Instant::now() + self.pause.min(longest));
        self.pause = (self.pause * 2).min(longest);
    }

    fn unreachable(&self, reason: String) -> LinkError {
        LinkError::Unreachable { path: self.home.socket(self.socket).to_owned(), reason }
    }
}

/// How much of the end of a log is looked at.
const LAST_WORDS_BYTES: usize = 1024;

fn describe(program: &Path, status: ExitStatus, home: &Home) -> String {
    let log = process::log_file(home);
    let words = last_words(&log).map(|words| format!(": {words}")).unwrap_or_default();
    format!("{} was started and ended with {status}{words}; see {}", program.display(), log.display())
}

/// The last line that a started program wrote to its log, shortened.
fn last_words(log: &Path) -> Option<String> {
    let text = std::fs::read(log).ok()?;
    let text = String::from_utf8_lossy(text.get(text.len().saturating_sub(LAST_WORDS_BYTES)..)?).into_owned();
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.trim_end_matches('.').to_owned())
}
