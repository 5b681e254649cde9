//! A workflow of the tests' own: jobs in memory, which go by gate-core's table of transitions.

mod port;
mod publishing;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::diff::{DiffView, view};
use gate_core::proposal::Party;
use gate_core::workflow::event::Event;
use gate_core::workflow::publication::{AskedPublication, ItemResult, KeptAction};
use gate_core::workflow::record::JobEvent;
use gate_core::workflow::{
    Act, Action, By, Caller, Connection, Definition, EventKind, JobId, JobState, JobType, KeptFinding, OnFailure,
    PublicationId, PublicationState, Pull, Step, Thread, ThreadStatus, built_in, unknown_job,
};
use gate_core::{Code, Fault, Outcome, RequestId, SessionUuid, Timestamp};
use serde_json::json;
use tokio::sync::watch;
use uuid::Uuid;

use super::FakeGate;
use crate::answer::ReviewCaller;
use crate::port::Change;
use crate::toolset::Served;
use crate::toolsets::WORKFLOW;
use crate::workflow::{WorkflowPort, job_uris};

/// The change that every job is about.
pub(crate) const DIFF: &str = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+and a half\n three\n";

/// The workflow.
pub(crate) struct FakeWorkflow {
    state: Mutex<State>,
    /// How much has happened.
    happened: watch::Sender<u64>,
    away: watch::Sender<bool>,
    waiting: watch::Sender<u32>,
    gate: Arc<FakeGate>,
}

struct State {
    jobs: Vec<Kept>,
    /// The number of the next identifier.
    next: u32,
    now: i64,
    sessions: HashMap<String, SessionUuid>,
    /// What is known of a run that has a job when another one calls.
    holder: Connection,
    /// Why the platform can't be asked.
    unreachable: Option<Code>,
    /// Whether new jobs wait for the person.
    parks: bool,
    blocks: bool,
}

struct Kept {
    id: JobId,
    job_type: JobType,
    party: Party,
    session: SessionUuid,
    pull: Pull,
    definition: Definition,
    state: JobState,
    created: Timestamp,
    threads: Vec<Thread>,
    fetched: Option<Timestamp>,
    diff: DiffView,
    findings: Vec<KeptFinding>,
    actions: Vec<KeptAction>,
    /// Findings and actions that stand in a publication.
    placed: Vec<Uuid>,
    publications: Vec<Publication>,
    events: Vec<JobEvent>,
}

struct Publication {
    id: PublicationId,
    request: RequestId,
    revision: u32,
    asked: AskedPublication,
    state: PublicationState,
    outcome: Outcome,
    items: Vec<ItemResult>,
}

impl FakeWorkflow {
    pub(crate) fn new(gate: &Arc<FakeGate>) -> Arc<Self> {
        let state = State {
            jobs: Vec::new(),
            next: 0,
            now: 1_795_232_961_125,
            sessions: HashMap::new(),
            holder: Connection::There,
            unreachable: None,
            parks: false,
            blocks: false,
        };
        Arc::new(Self {
            state: Mutex::new(state),
            happened: watch::Sender::new(0),
            away: watch::Sender::new(false),
            waiting: watch::Sender::new(0),
            gate: Arc::clone(gate),
        })
    }

    /// Its toolset.
    pub(crate) fn served(self: &Arc<Self>) -> Arc<Served> {
        let port: Arc<dyn WorkflowPort> = Arc::<Self>::clone(self);
        WORKFLOW.served(&port)
    }

    /// The person goes, or comes back.
    pub(crate) fn set_away(&self, away: bool) {
        self.away.send_replace(away);
    }

    /// What is known of a run that has a job when another one calls.
    pub(crate) fn set_holder(&self, holder: Connection) {
        self.lock().holder = holder;
    }

    /// The platform can't be asked from now on, or can.
    pub(crate) fn set_unreachable(&self, code: Option<Code>) {
        self.lock().unreachable = code;
    }

    /// New jobs wait for the person from now on.
    pub(crate) fn park(&self) {
        self.lock().parks = true;
    }

    /// Nothing is published without the first audit of new jobs.
    pub(crate) fn block(&self) {
        self.lock().blocks = true;
    }

    /// Time passes.
    pub(crate) fn pass(&self, millis: i64) {
        self.lock().now += millis;
    }

    /// The present moment.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp(self.lock().now)
    }

    /// What happened to a job, in words.
    pub(crate) fn told(&self, job: JobId) -> Vec<String> {
        let state = self.lock();
        let kept = state.jobs.iter().find(|kept| kept.id == job).expect("the job is there");
        kept.events.iter().map(|event| event.kind.clone()).collect()
    }

    /// The sessions that calls went on in.
    pub(crate) fn sessions(&self) -> Vec<SessionUuid> {
        self.lock().sessions.values().copied().collect()
    }

    /// Resolves once so many calls wait for a publication.
    pub(crate) async fn waits(&self, count: u32) {
        let mut waiting = self.waiting.subscribe();
        waiting.wait_for(|waiting| *waiting == count).await.expect("the workflow is there");
    }

    /// Something that the person or the gate does to a job.
    pub(crate) fn act(&self, job: JobId, by: &By, act: &Act) {
        let mut state = self.lock();
        let now = Timestamp(state.now);
        let kept = state.kept_mut(job).expect("the job is there");
        let step = kept.state.step(&kept.definition, by, act, now).expect("they may do that");
        kept.takes(step, now);
        drop(state);
        self.tell(job);
    }

    /// A call waits until the result is dropped.
    fn wait(&self) -> Waits<'_> {
        self.waiting.send_modify(|waiting| *waiting += 1);
        Waits(self)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, job: JobId) {
        self.happened.send_modify(|happened| *happened += 1);
        for uri in job_uris(job) {
            self.gate.tell(Change::Resource(uri));
        }
    }

    /// Does something to a job as its run does it, and what else comes of it.
    fn run<T>(
        &self,
        caller: &ReviewCaller,
        job: JobId,
        act: &Act,
        then: impl FnOnce(&mut State, usize, &Step) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut state = self.lock();
        let (now, at) = (Timestamp(state.now), state.seen(caller, job)?);
        let by = By::Run(Caller {
            run: format!("{:?}", caller.whose.agent),
            party: caller.party.key.clone(),
            is_own: caller.party.is_one_with(&state.jobs[at].party, |_| false),
            holder: state.holder,
        });
        let kept = &state.jobs[at];
        let step = kept.state.step(&kept.definition, &by, act, now).map_err(|refusal| refusal.fault())?;
        let result = then(&mut state, at, &step)?;
        if step.publishes {
            state.publish_rest(at);
        }
        state.jobs[at].takes(step, now);
        drop(state);
        self.tell(job);
        Ok(result)
    }
}

/// A call that waits.
struct Waits<'a>(&'a FakeWorkflow);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.waiting.send_modify(|waiting| *waiting -= 1);
    }
}

impl State {
    fn id(&mut self) -> Uuid {
        self.next += 1;
        Uuid::from_u128(u128::from(self.next))
    }

    fn kept_mut(&mut self, job: JobId) -> Option<&mut Kept> {
        self.jobs.iter_mut().find(|kept| kept.id == job)
    }

    /// The place of a job that a caller may see.
    fn seen(&self, caller: &ReviewCaller, job: JobId) -> Result<usize, Fault> {
        let is_seen = |kept: &Kept| kept.id == job && caller.party.is_one_with(&kept.party, |_| false);
        self.jobs.iter().position(is_seen).ok_or_else(|| unknown_job(Some(&job.to_string())))
    }

    /// Whether the platform can be asked.
    fn reaches(&self) -> Result<(), Fault> {
        match self.unreachable {
            Some(code) => Err(Fault::new(code, "The platform says no.", "Try again later.")),
            None => Ok(()),
        }
    }

    /// A new job of a pull request.
    fn begin(&mut self, caller: &ReviewCaller, pull: Pull, job_type: JobType, session: SessionUuid) -> &Kept {
        let (id, now) = (JobId(self.id()), Timestamp(self.now));
        let mut definition = built_in(job_type.as_str()).expect("it is built in");
        if self.blocks {
            definition.agents[0].on_failure = OnFailure::Block;
        }
        let state = JobState::new(&definition, self.parks, now);
        let thread = Thread {
            id: "t1".to_owned(),
            file: Some("src/a.rs".to_owned()),
            line: Some(2),
            status: ThreadStatus::Open,
            body: "Why?".to_owned(),
            comments: None,
        };
        let mut kept = Kept {
            id,
            job_type,
            party: caller.party.clone(),
            session,
            pull,
            definition,
            state,
            created: now,
            threads: vec![thread],
            fetched: None,
            diff: view(DIFF).expect("it is a diff"),
            findings: Vec::new(),
            actions: Vec::new(),
            placed: Vec::new(),
            publications: Vec::new(),
            events: Vec::new(),
        };
        kept.tell(&Event::new(EventKind::Created, json!({})), now);
        self.jobs.push(kept);
        self.jobs.last().expect("it was pushed")
    }
}

impl Kept {
    fn takes(&mut self, step: Step, now: Timestamp) {
        for event in &step.events {
            self.tell(event, now);
        }
        self.state = step.job;
    }

    fn tell(&mut self, event: &Event, at: Timestamp) {
        let n = self.events.len() as u64 + 1;
        let (job_id, kind) = (self.id, event.kind.as_str().to_owned());
        self.events.push(JobEvent { job_id, n, at, party: None, kind, data: event.data.clone() });
    }

    fn has_unplaced(&self) -> bool {
        let is_new = |id: Uuid| !self.placed.contains(&id);
        self.findings.iter().any(|kept| is_new(kept.finding_id.0))
            || self.actions.iter().any(|kept| is_new(kept.action_id.0) && kept.action != Action::FetchThreads {})
    }
}
