//! The reviewer pool: the person's own agent programs, started for a review that nobody claims. Each run is one round in a
//! throwaway folder, and its answer is a verdict like any other agent's; what isn't an answer gives the claim back.
//!
//! | file | owns |
//! |---|---|
//! | `pool/looking.rs` | which review gets a run, of which program, and when there is none |
//! | `pool/running.rs` | a run, from its claim to what came of it |
//! | `pool/given.rs` | what a run sees, and what it is told |
//! | `pool/kept.rs` | what is kept of runs for the person |

mod given;
mod kept;
mod looking;
mod running;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::proposal::{May, POOL, Party, ReviewId};
use gate_core::{Code, Digest, Fault, Timestamp};
use gate_worker::{Installed, Limits, Money, Network, Pause, Program, Refusal, Runs, Shut, Used};
use tokio::sync::OnceCell;

use super::Reviews;
use crate::bus::Bus;
use crate::host::Host;
use crate::work::blocking;

/// For how many milliseconds it is believed whether a program is installed, and whether there can be a sandbox.
const BELIEVED_MILLIS: u64 = 10 * 60 * 1000;
/// Runs of one program on one round that may fail before it is left alone.
const FAILURES: u32 = 2;
/// The folder for runs, in the person's folder for what can be made anew: the gate's own are hidden from runs.
const FOLDER: &str = "review-gate/runs";
/// In the gate's folder, the person's to read: a file for each program with what it printed last before it failed, and the
/// folder of what is kept of runs.
const PRINTED: &str = "pool";
/// What its parties are called begins so.
const NAME: &str = "pool/";

/// What runs, what ran, and what is known of programs.
#[derive(Debug)]
pub(super) struct Pool {
    folder: PathBuf,
    /// Where what programs print is kept.
    printed: PathBuf,
    /// The gate's folders, which no run sees.
    hidden: Vec<PathBuf>,
    /// The program that starts runs.
    starter: PathBuf,
    /// What the gate was started with, of which runs have some.
    environment: Vec<(OsString, OsString)>,
    runs: OnceCell<Runs>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: Used,
    pauses: HashMap<Program, Pause>,
    failed: HashMap<(ReviewId, u32, Program), u32>,
    /// The reviews that have a run, each with its claim token.
    running: HashMap<ReviewId, u64>,
    installed: HashMap<Program, (Option<Installed>, Timestamp)>,
    /// Whether there can be a sandbox.
    shelter: Option<(Result<(), Refusal>, Timestamp)>,
    /// When it was looked for reviews last, and whether that goes on.
    looked_at: Option<Timestamp>,
    is_looking: bool,
    /// The programs that were there then.
    programs: Vec<Program>,
    /// Reviews for which these do nothing more, each until its next event.
    over: HashMap<ReviewId, u64>,
    /// What the person is told of.
    told: HashMap<Told, Fault>,
}

/// What the person is told of the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Told {
    /// As many runs as may be on a day were started.
    Day,
    /// There can be no sandbox.
    Shelter,
    /// A program fails.
    Fails(Program),
}

/// A run that was begun.
struct Running {
    review: ReviewId,
    program: Program,
    installed: Installed,
    limits: Limits,
    is_unsheltered: bool,
}

/// Its claim.
#[derive(Debug, Clone, Copy)]
struct Held {
    token: u64,
    round: u32,
}

/// The place of a run among those that may be at once and on a day. Dropped, it is free again, however the run ended.
#[derive(Debug)]
struct Place {
    reviews: Arc<Reviews>,
    review: ReviewId,
    day: i64,
    /// Whether it was started: what wasn't counts for nothing.
    is_started: bool,
    /// What it cost, where its program tells.
    cost: Option<Money>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.reviews.pool.lock();
        state.running.remove(&self.review);
        match self.is_started {
            true => state.used.end(self.day, self.cost),
            false => state.used.withdraw(self.day),
        }
    }
}

impl Pool {
    /// The pool of this gate.
    pub(super) fn new(host: &Host) -> Self {
        let environment = host.environment.clone();
        let variable = |name: &str| {
            let found = environment.iter().find(|(other, _)| other == name).map(|(_, value)| PathBuf::from(value));
            found.filter(|folder| folder.is_absolute())
        };
        let cache = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
        // Of several homes each has its own, which it empties at its first run.
        let data = host.home.data_folder();
        let own = Digest::of_bytes(data.as_os_str().as_encoded_bytes()).beginning();
        Self {
            folder: cache.unwrap_or_else(std::env::temp_dir).join(FOLDER).join(own),
            printed: data.join(PRINTED),
            hidden: host.home.folders().map(Path::to_owned).to_vec(),
            starter: host.starter(),
            environment,
            runs: OnceCell::new(),
            state: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a run holds this claim on a review.
    pub(super) fn holds(&self, review: ReviewId, token: u64) -> bool {
        self.lock().running.get(&review) == Some(&token)
    }

    async fn runs(&self) -> Result<&Runs, Fault> {
        let folder = self.folder.clone();
        let opened = || async {
            blocking(move || {
                std::fs::create_dir_all(&folder)
                    .map_err(|error| Fault::of_file(error.kind(), format!("{}: {error}.", folder.display())))?;
                let runs = Runs::open(folder).map_err(|refusal| refused(&refusal))?;
                let left = runs.sweep();
                tracing::debug!(left, "folders of runs from before were removed");
                Ok(runs)
            })
            .await
        };
        self.runs.get_or_try_init(opened).await
    }

    /// A program as it is installed; absent where it isn't, or lacks what a run needs.
    async fn installed(&self, program: Program, now: Timestamp) -> Option<Installed> {
        let known = self.lock().installed.get(&program).cloned();
        if let Some((installed, _)) = known.filter(|(_, at)| is_believed(*at, now)) {
            return installed;
        }
        let found = Installed::find(program, None, &self.environment).await;
        if let Err(refusal) = &found {
            tracing::warn!(program = program.id(), why = %refusal, "a program of the reviewer pool can't be run");
        }
        let installed = found.ok();
        self.lock().installed.insert(program, (installed.clone(), now));
        installed
    }

    /// Whether a run can be put into a sandbox.
    async fn shelters(&self, now: Timestamp) -> Result<(), Refusal> {
        if let Some((shelter, _)) = self.lock().shelter.clone().filter(|(_, at)| is_believed(*at, now)) {
            return shelter;
        }
        let environment = self.environment.clone();
        let tried = blocking(move || Ok(Shut::is_possible(Network::Any, &environment))).await;
        let shelter = tried.unwrap_or_else(|fault| Err(Refusal { message: fault.message, mend: fault.mend }));
        self.lock().shelter = Some((shelter.clone(), now));
        shelter
    }

    /// The person is told, once while it is so.
    fn tell(&self, bus: &Bus, what: Told, fault: Fault) {
        let before = self.lock().told.insert(what, fault.clone());
        if let Some(before) = before.filter(|before| *before != fault) {
            bus.take_back_warnings(&[&before]);
        }
        bus.warn(fault);
    }

    /// It isn't so any more.
    fn untell(&self, bus: &Bus, what: Told) {
        self.untell_but(bus, |told| told != what);
    }

    /// Of all that the person is told, only this is still so.
    fn untell_but(&self, bus: &Bus, is_so: impl Fn(Told) -> bool) {
        let over: Vec<_> = self.lock().told.extract_if(|told, _| !is_so(*told)).map(|(_, fault)| fault).collect();
        if !over.is_empty() {
            bus.take_back_warnings(&over.iter().collect::<Vec<_>>());
        }
    }
}

/// The party of runs whose key is this one; absent where it is another kind of party's.
pub(super) fn party_of(key: &str) -> Option<Party> {
    let program = key.strip_prefix(POOL)?;
    Some(Party {
        key: key.to_owned(),
        heirs: None,
        client: format!("{NAME}{program}"),
        workspace: String::new(),
        group: None,
        may: May::default(),
        above: Vec::new(),
        unseen: false,
        adrift: false,
        group_of_process: None,
    })
}

/// The party of a program's runs.
pub(super) fn party_of_program(program: Program) -> Option<Party> {
    party_of(&key_of(program))
}

/// The key of a program's party.
fn key_of(program: Program) -> String {
    format!("{POOL}{}", program.id())
}

/// What others read of a run's party.
fn name_of(program: Program) -> String {
    format!("{NAME}{}", program.id())
}

fn is_believed(at: Timestamp, now: Timestamp) -> bool {
    at <= now && now < at.plus_millis(BELIEVED_MILLIS)
}

fn refused(refusal: &Refusal) -> Fault {
    Fault::new(Code::Sandbox, refusal.message.clone(), refusal.mend.clone())
}
