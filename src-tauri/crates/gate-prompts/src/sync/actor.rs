//! When is synchronised: at once for a new source, when somebody asks, and by itself at an interval; one at
//! a time. It must not know how a repository is fetched, or who asks.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gate_core::{Fault, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::git::Git;
use super::round::round;
use super::{Limits, Source, SyncState, SyncStatus, SyncStep, SyncedFolder};

/// How long is waited before the clock is looked at again: a machine that slept wakes with another time.
const POLL: Duration = Duration::from_secs(10);

/// What time it is.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What a synchronisation needs.
#[derive(Clone)]
pub struct SyncOptions {
    /// The folder of fetched versions. Nobody else writes in it.
    pub folder: PathBuf,
    /// Git: `git`, or a path.
    pub program: PathBuf,
    /// What it may take.
    pub limits: Limits,
    /// What time it is.
    pub clock: Clock,
}

/// What is to be synchronised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// From where.
    pub source: Source,
    /// How often, at least [`Limits::pause_seconds`]; absent for only when somebody asks.
    pub every: Option<Duration>,
}

/// The synchronisation of one folder, which runs until it is stopped or dropped.
#[derive(Debug)]
pub struct PromptSync {
    wanted: watch::Sender<Option<Plan>>,
    asked: Arc<Notify>,
    cancelled: Arc<Notify>,
    stopped: Arc<Notify>,
    state: watch::Receiver<SyncState>,
    folder: SyncedFolder,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl PromptSync {
    /// Opens the folder and starts, on the runtime that this is called in. Reads every file that is served;
    /// call it where that may take its time. What was served before is served at once, and isn't fetched
    /// again before its time.
    ///
    /// # Errors
    /// `read_only`, `disk_full` or `unreadable_file`, where the folder can't be used.
    pub fn start(options: SyncOptions, plan: Option<Plan>) -> Result<Self, Fault> {
        let folder = SyncedFolder::open(&options.folder)?;
        let (wanted, wants) = watch::channel(plan);
        let (shows, state) = watch::channel(SyncState::off());
        let (asked, cancelled, stopped) = (Arc::default(), Arc::default(), Arc::default());
        let mut actor = Actor {
            git: Git { program: options.program, limits: options.limits },
            clock: options.clock,
            folder: folder.clone(),
            wants,
            asked: Arc::clone(&asked),
            cancelled: Arc::clone(&cancelled),
            stopped: Arc::clone(&stopped),
            shows,
            before: None,
            memory: Memory::default(),
        };
        // What is said right after the start is what holds already.
        let plan = actor.wants.borrow_and_update().clone();
        actor.follow(plan.as_ref());
        let task = Mutex::new(Some(tokio::spawn(actor.run(plan))));
        Ok(Self { wanted, asked, cancelled, stopped, state, folder, task })
    }

    /// Sets what is to be synchronised from now on; absent for nothing. A source that is another than before,
    /// or signs in otherwise, is tried at once.
    pub fn set(&self, plan: Option<Plan>) {
        self.wanted.send_if_modified(|wanted| {
            let other = *wanted != plan;
            *wanted = plan;
            other
        });
    }

    /// Synchronises now. While that runs, any number of these count as one more.
    pub fn sync_now(&self) {
        self.asked.notify_one();
    }

    /// Breaks off what goes on, and ends a git that runs for it. What is served stays, and the next try is at its usual
    /// time. Nothing where nothing goes on.
    pub fn cancel(&self) {
        self.cancelled.notify_waiters();
    }

    /// How it stands.
    #[must_use]
    pub fn state(&self) -> SyncState {
        self.state.borrow().clone()
    }

    /// How it stands, and each change of it. What is served has changed before its commit does here.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<SyncState> {
        self.state.clone()
    }

    /// The folder that is served.
    #[must_use]
    pub fn folder(&self) -> &SyncedFolder {
        &self.folder
    }

    /// Ends it, and a git that runs for it. What is served stays.
    pub async fn stop(&self) {
        self.stopped.notify_one();
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task
            && let Err(error) = task.await
        {
            tracing::warn!(%error, "the synchronisation of prompts didn't end well");
        }
    }
}

/// How the last try of a source went, as it is remembered over a restart.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Memory {
    /// [`Source::key`].
    source: String,
    tried_at: Option<Timestamp>,
    synced_at: Option<Timestamp>,
    fault: Option<Fault>,
    /// How many tries have failed since the last good one.
    failures: u32,
}

/// Why waiting or trying has ended.
enum Ended {
    Stopped,
    OtherPlan,
}

struct Actor {
    git: Git,
    clock: Clock,
    folder: SyncedFolder,
    wants: watch::Receiver<Option<Plan>>,
    asked: Arc<Notify>,
    cancelled: Arc<Notify>,
    stopped: Arc<Notify>,
    shows: watch::Sender<SyncState>,
    /// The source that was followed last.
    before: Option<Source>,
    memory: Memory,
}

impl Actor {
    async fn run(mut self, mut plan: Option<Plan>) {
        let stopped = Arc::clone(&self.stopped);
        loop {
            let ended = match &plan {
                Some(plan) => self.keep(plan, &stopped).await,
                None => tokio::select! {
                    () = stopped.notified() => Ended::Stopped,
                    changed = self.wants.changed() => other_plan(changed.is_ok()),
                },
            };
            match ended {
                Ended::Stopped => return,
                Ended::OtherPlan => {
                    plan = self.wants.borrow_and_update().clone();
                    self.follow(plan.as_ref());
                }
            }
        }
    }

    /// Turns to a plan: what is served of it, and what is known of it.
    fn follow(&mut self, plan: Option<&Plan>) {
        let source = plan.map(|plan| &plan.source);
        let here = self.folder.newest().map(|served| served.version.source.clone());
        // Prompts of one repository aren't served under another's name. Those of another branch, folder or
        // commit of the same one stay until the new ones are there.
        let address = |key: &str| key.split('\n').next().map(str::to_owned);
        let same = source.is_some_and(|source| here.as_deref().and_then(address).as_deref() == Some(source.address()));
        self.folder.hide(!same);
        if let Some(source) = source {
            let key = source.key();
            match &self.before {
                // Only how often it is tried is another.
                Some(before) if before == source => {}
                Some(_) => self.memory = Memory { source: key, ..Memory::default() },
                None => {
                    let kept = self.folder.remembered::<Memory>().filter(|memory| memory.source == key);
                    self.memory = kept.unwrap_or_else(|| Memory { source: key.clone(), ..Memory::default() });
                    if self.memory.fault.is_none() && here.as_ref() != Some(&key) {
                        // It was fetched and isn't there any more.
                        self.memory.tried_at = None;
                    }
                }
            }
        }
        self.before = source.cloned();
        self.show(plan, None);
    }

    /// Follows one plan until there is another.
    async fn keep(&mut self, plan: &Plan, stopped: &Notify) -> Ended {
        let (asked, cancelled) = (Arc::clone(&self.asked), Arc::clone(&self.cancelled));
        loop {
            let due = self.due(plan);
            tokio::select! {
                biased;
                () = stopped.notified() => return Ended::Stopped,
                changed = self.wants.changed() => return other_plan(changed.is_ok()),
                () = asked.notified() => {}
                () = reached(&self.clock, due) => {}
            }
            let tried_at = (self.clock)();
            self.show(Some(plan), Some(SyncStep::Asking));
            let tried = {
                let shows = &self.shows;
                let goes_on = |step| shows.send_modify(|state| state.step = Some(step));
                let round = round(&self.git, &plan.source, &self.folder, tried_at, &goes_on);
                tokio::select! {
                    biased;
                    () = stopped.notified() => return Ended::Stopped,
                    changed = self.wants.changed() => return other_plan(changed.is_ok()),
                    () = cancelled.notified() => None,
                    tried = round => Some(tried),
                }
            };
            self.memory.tried_at = Some(tried_at);
            match tried {
                None => tracing::info!("the synchronisation of prompts was broken off"),
                Some(Ok(served)) => {
                    tracing::info!(
                        commit = served.version.commit,
                        prompts = served.version.prompts,
                        "prompts are synchronised"
                    );
                    self.folder.hide(false);
                    self.memory.synced_at = Some(tried_at);
                    self.memory.fault = None;
                    self.memory.failures = 0;
                }
                Some(Err(fault)) => {
                    tracing::warn!(%fault, "prompts can't be synchronised");
                    self.memory.fault = Some(fault);
                    self.memory.failures = self.memory.failures.saturating_add(1);
                }
            }
            self.folder.remember(&self.memory);
            self.show(Some(plan), None);
        }
    }

    /// When it is tried by itself: absent for never.
    fn due(&self, plan: &Plan) -> Option<Timestamp> {
        let now = (self.clock)();
        let Some(tried_at) = self.memory.tried_at else { return Some(now) };
        let wait = wait(plan.every?, self.memory.failures, &self.git.limits);
        // A try in the future is a clock that was set back.
        Some(tried_at.min(now).plus_millis(wait))
    }

    fn show(&self, plan: Option<&Plan>, step: Option<SyncStep>) {
        let Some(plan) = plan else {
            self.shows.send_replace(SyncState::off());
            return;
        };
        let memory = &self.memory;
        let status = match (step, &memory.fault, memory.synced_at) {
            (Some(_), ..) => SyncStatus::Syncing,
            (None, Some(_), _) => SyncStatus::Error,
            (None, None, Some(_)) => SyncStatus::Success,
            (None, None, None) => SyncStatus::Never,
        };
        let served = self.folder.served().map(|served| served.version.clone());
        let of = |field: fn(&super::Version) -> &String| served.as_ref().map(field).cloned().unwrap_or_default();
        self.shows.send_replace(SyncState {
            status,
            step,
            repository: plan.source.repository().to_owned(),
            branch: plan.source.branch().unwrap_or_default().to_owned(),
            commit: of(|version| &version.commit),
            subject: of(|version| &version.subject),
            committed_at: served.as_ref().and_then(|version| version.committed_at),
            prompts: served.as_ref().map_or(0, |version| version.prompts),
            ignored: served.as_ref().map_or(0, |version| version.ignored),
            synced_at: memory.synced_at,
            tried_at: memory.tried_at,
            next_at: if step.is_some() { None } else { self.due(plan) },
            fault: memory.fault.clone(),
        });
    }
}

fn other_plan(there: bool) -> Ended {
    // Whoever could set another one is gone.
    if there { Ended::OtherPlan } else { Ended::Stopped }
}

/// How long is waited after a try, in milliseconds: the interval, twice as long after each fault in a row.
fn wait(every: Duration, failures: u32, limits: &Limits) -> u64 {
    let every = every.max(Duration::from_secs(limits.pause_seconds));
    let most = every.max(Duration::from_secs(limits.back_off_seconds));
    let wait = every.saturating_mul(2_u32.saturating_pow(failures)).min(most);
    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
}

/// Ends at this moment, by the clock or by the time that passes here, whichever is first.
async fn reached(clock: &Clock, at: Option<Timestamp>) {
    let Some(at) = at else { return std::future::pending().await };
    let left = |now: Timestamp| Duration::from_millis(u64::try_from(at.0.saturating_sub(now.0)).unwrap_or(0));
    let until = Instant::now().checked_add(left(clock()));
    loop {
        let rest = left(clock());
        if rest.is_zero() || until.is_some_and(|until| Instant::now() >= until) {
            return;
        }
        tokio::time::sleep(rest.min(POLL)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_make_the_wait_longer_up_to_an_hour() {
        let limits = Limits::default();
        let of = |seconds, failures| wait(Duration::from_secs(seconds), failures, &limits) / 1000;
        assert_eq!([0, 1, 2, 3, 4, 40].map(|failures| of(300, failures)), [300, 600, 1200, 2400, 3600, 3600]);
        assert_eq!([of(1, 0), of(1, 1)], [30, 60], "it is never tried all the time");
        assert_eq!(of(7200, 3), 7200, "an interval that is longer holds as it is");
        assert_eq!(wait(Duration::MAX, u32::MAX, &limits), u64::MAX, "nothing overflows");
    }
}
