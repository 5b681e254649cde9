//! The process that a run is started by, which is this program again: what it is told, and what it does. It learns of its
//! run by a line on its standard input, and ends all of it once that input ends: when it is told to, and when whoever has
//! started it is no more, however that came.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use gate_os::below;
use gate_sandbox::Sandbox;
use serde::{Deserialize, Serialize};

use crate::refusal::Refusal;
use crate::sandbox::Walls;

/// The argument by which a program becomes one.
pub(crate) const START: &str = "worker-start";

/// What it is told.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Errand {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    /// Where it works.
    pub(crate) folder: OsString,
    /// The file that it reads.
    pub(crate) input: OsString,
    /// The file to which is written how it ended.
    pub(crate) told: OsString,
    pub(crate) grace: Duration,
    pub(crate) walls: Option<Walls>,
}

/// How a run ended, as the starter tells it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Told {
    /// It ended with this code, as a shell has it.
    Ended(Option<u8>),
    /// It wasn't started.
    Refused(Refusal),
}

/// Starts a run where the process's arguments say so, the first of which is the program; nothing where they don't. A program
/// that starts runs calls this first of all, before it has a thread.
#[must_use]
pub fn stage(arguments: &[OsString]) -> Option<ExitCode> {
    let [_, word] = arguments else { return None };
    (word == START).then(|| match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "review-gate: the run can't be started: {error}");
            ExitCode::FAILURE
        }
    })
}

fn start() -> io::Result<()> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let mut errand: Errand = serde_json::from_str(&line)?;
    let file = PathBuf::from(&errand.told);
    let told = match errand.walls.take() {
        Some(walls) => in_sandbox(walls, errand).unwrap_or_else(Told::Refused),
        None => {
            let mut command = Command::new(&errand.program);
            command.args(&errand.arguments).current_dir(&errand.folder).stdin(File::open(&errand.input)?);
            match below::run(&mut command, until_told_to_end, errand.grace) {
                Ok(code) => Told::Ended(code),
                Err(error) => Told::Refused(not_started(&errand, &error)),
            }
        }
    };
    gate_os::files::private().write(true).create_new(true).open(&file)?.write_all(&serde_json::to_vec(&told)?)
}

fn not_started(errand: &Errand, error: &io::Error) -> Refusal {
    let program = Path::new(&errand.program).display();
    Refusal::new(format!("{program} can't be started: {error}."), "Start it at a terminal, and look at what it says.")
}

/// Comes back when the standard input has ended.
fn until_told_to_end() {
    let _ = io::stdin().lock().read_to_end(&mut Vec::new());
}

/// In a sandbox, which ends all that is in it by itself.
fn in_sandbox(walls: Walls, errand: Errand) -> Result<Told, Refusal> {
    let failed = |error: io::Error| Refusal::new(format!("The run broke: {error}."), "Try it again.");
    let input = File::open(&errand.input).map_err(failed)?;
    let agent = std::iter::once(errand.program).chain(errand.arguments).collect();
    let wish = walls.wish(agent, Path::new(&errand.folder), gate_os::programs::this().map_err(failed)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let (tell, told) = tokio::sync::oneshot::channel();
        let thread = std::thread::Builder::new().name("stop".to_owned());
        let listens = thread.spawn(|| {
            until_told_to_end();
            // Whoever listened has ended with the run.
            let _ = tell.send(());
        });
        listens.map_err(failed)?;
        // Told to end, it is still to tell so inside.
        let _heard = gate_os::programs::Signals::heard();
        // What it tells is of files that a run doesn't have.
        let run = Sandbox::new(wish)?.reading(input).run(|_| ());
        tokio::pin!(run);
        tokio::select! {
            ended = &mut run => return Ok(Told::Ended(Some(ended?))),
            _ = told => ask_to_end(),
        }
        let ended = tokio::time::timeout(errand.grace, &mut run).await;
        // Dropped, what still runs is killed.
        Ok(Told::Ended(ended.ok().and_then(Result::ok)))
    })
}

/// Has the sandbox told its agent what this process is told.
#[cfg(target_os = "linux")]
fn ask_to_end() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM);
}

/// There is no sandbox.
#[cfg(not(target_os = "linux"))]
fn ask_to_end() {}
