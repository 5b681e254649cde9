//! What the workflow's tools call, over jobs in memory.

use async_trait::async_trait;
use gate_core::clients::Override;
use gate_core::workflow::publication::{KeptAction, Summary};
use gate_core::workflow::record::{JobEvent, JobPlace, JobSummary};
use gate_core::workflow::reference::{Candidate, PullReference};
use gate_core::workflow::step::Answer;
use gate_core::workflow::{
    Act, Action, ActionId, Anchor, EventKind, Finding, FindingId, FindingState, JobId, JobType, KeptFinding,
    PublicationState, Pull, Refusal, Sought, anchor, event::Event, thread, unknown_job,
};
use gate_core::{Code, Fault, Owner, RequestId, SessionUuid, Timestamp};
use serde_json::json;

use super::{FakeWorkflow, Kept};
use crate::answer::{CallerPort, ReviewCaller, TokenGiven};
use crate::fake_gate::broker::{is_stranger, session_of};
use crate::workflow::{CreatedJob, JobDiff, JobRead, JobWish, PublicationRead, ThreadsRead, WorkflowPort};

impl Kept {
    fn read(&self) -> JobRead {
        JobRead {
            job_id: self.id,
            definition: self.definition.clone(),
            state: self.state.clone(),
            pull: self.pull.clone(),
            title: self.fetched.map(|_| "Count otherwise".to_owned()),
            head: self.fetched.map(|_| Self::head()),
            base: self.fetched.map(|_| Self::head()),
            threads: self.threads.clone(),
            stale: self.fetched.is_none(),
            previous: None,
        }
    }

    fn listed(&self) -> JobSummary {
        JobSummary {
            job_id: self.id,
            session_uuid: self.session,
            pull: self.pull.clone(),
            title: None,
            head: None,
            newest: None,
            workflow: self.definition.name.clone(),
            job_type: self.job_type,
            status: self.state.status,
            phase: self.state.phase,
            overall_progress: self.state.overall_progress(&self.definition),
            party: Some(self.party.key.clone()),
            run_party: None,
            workspace: String::new(),
            runner: None,
            findings: u32::try_from(self.findings.len()).expect("they are few"),
            created_at: self.created,
            updated_at: self.state.last_update,
            event: self.events.len() as u64,
        }
    }

    /// Where an action's comment can be put.
    fn place(&self, action: &Action) -> Option<Anchor> {
        let Action::PostInlineComment { file_path, line, .. } = action else { return None };
        let sought = Sought { file: Some(file_path), line: Some(*line), ..Sought::default() };
        Some(anchor::place(&sought, &self.diff).anchor)
    }

    /// Takes a finding, or finds it again.
    fn find(&mut self, id: FindingId, agent: Option<&str>, finding: Finding) -> Result<KeptFinding, Fault> {
        let placed = anchor::place(&finding.sought(), &self.diff);
        let fingerprint = finding.fingerprint(placed.text.as_deref())?;
        if let Some(known) = self.findings.iter().find(|kept| kept.fingerprint == fingerprint) {
            return Ok(known.clone());
        }
        let (state, agent_name) = (FindingState::New, agent.map(str::to_owned));
        let kept = KeptFinding { finding_id: id, fingerprint, state, anchor: placed.anchor, agent_name, finding };
        self.findings.push(kept.clone());
        Ok(kept)
    }
}

#[async_trait]
impl CallerPort for FakeWorkflow {
    fn patience_overrides(&self) -> Vec<Override> {
        Vec::new()
    }

    fn given_to_token(&self, _: &str) -> TokenGiven {
        TokenGiven::default()
    }

    async fn session(&self, caller: &ReviewCaller, begins: bool) -> Result<Option<SessionUuid>, Fault> {
        let mut state = self.lock();
        let id = state.id();
        Ok(session_of(&mut state.sessions, caller, begins, id))
    }

    fn is_away(&self) -> bool {
        *self.away.borrow()
    }

    async fn away(&self) {
        let mut away = self.away.subscribe();
        away.wait_for(|away| *away).await.expect("the workflow is there");
    }
}

#[async_trait]
impl WorkflowPort for FakeWorkflow {
    async fn job_of(&self, caller: &ReviewCaller, pull: &PullReference) -> Result<JobId, Fault> {
        let state = self.lock();
        let fits = |kept: &&Kept| {
            kept.pull.platform == pull.platform
                && kept.pull.project == pull.project
                && kept.pull.number == pull.number
                && state.seen(caller, kept.id).is_ok()
        };
        let candidate = |kept: &Kept| Candidate {
            job_id: kept.id,
            job_type: kept.job_type,
            is_finished: kept.state.status.is_finished(),
            created_at: kept.created,
        };
        let candidates: Vec<_> = state.jobs.iter().filter(fits).map(candidate).collect();
        pull.choose(&candidates).ok_or_else(|| unknown_job(Some(&pull.project)))
    }

    async fn create(&self, caller: &ReviewCaller, wish: JobWish) -> Result<CreatedJob, Fault> {
        let pull = Pull::parse(&wish.url, &[])?;
        let job_type = wish.job_type.unwrap_or(JobType::Review);
        let mut state = self.lock();
        let is_same = |kept: &&Kept| {
            kept.pull == pull && kept.job_type == job_type && state.seen(caller, kept.id).is_ok() && !wish.force
        };
        if let Some(kept) = state.jobs.iter().find(is_same) {
            return Ok(CreatedJob { job_id: kept.id, status: kept.state.status, created: false });
        }
        let session = caller.whose.session_uuid.expect("a call that does something has one");
        let kept = state.begin(caller, pull, job_type, session);
        let created = CreatedJob { job_id: kept.id, status: kept.state.status, created: true };
        drop(state);
        self.tell(created.job_id);
        Ok(created)
    }

    async fn read(&self, caller: &ReviewCaller, job: JobId) -> Result<JobRead, Fault> {
        let state = self.lock();
        Ok(state.jobs[state.seen(caller, job)?].read())
    }

    async fn act(&self, caller: &ReviewCaller, job: JobId, act: Act) -> Result<Answer, Fault> {
        self.run(caller, job, &act, |_, _, step| Ok(step.answer.clone()))
    }

    async fn prompt(&self, caller: &ReviewCaller, job: JobId, agent: &str) -> Result<Option<String>, Fault> {
        self.lock().seen(caller, job)?;
        Ok((agent == "ddd").then(|| "Look at the language of the domain.".to_owned()))
    }

    async fn add_action(
        &self,
        caller: &ReviewCaller,
        job: JobId,
        action: Action,
    ) -> Result<(ActionId, Option<Anchor>), Fault> {
        self.run(caller, job, &Act::Add, |state, at, _| {
            let (id, now) = (ActionId(state.id()), Timestamp(state.now));
            if let Some(id) = action.thread_id() {
                thread::find(&state.jobs[at].threads, id)?;
            }
            if action == (Action::FetchThreads {}) {
                state.reaches()?;
                state.jobs[at].fetched = Some(now);
            }
            let kept = &mut state.jobs[at];
            let placed = kept.place(&action);
            if let Some(known) = kept.actions.iter().find(|known| known.action == action) {
                return Ok((known.action_id, placed));
            }
            kept.actions.push(KeptAction { action_id: id, action });
            kept.tell(&Event::new(EventKind::ActionAdded, json!({})), now);
            Ok((id, placed))
        })
    }

    async fn add_findings(
        &self,
        caller: &ReviewCaller,
        job: JobId,
        agent: Option<String>,
        findings: Vec<Finding>,
    ) -> Result<Vec<KeptFinding>, Fault> {
        self.run(caller, job, &Act::Add, |state, at, _| {
            let (now, before) = (Timestamp(state.now), state.jobs[at].findings.len());
            let agent = match agent.as_deref() {
                None => None,
                Some(name) => match state.jobs[at].definition.agent(name) {
                    Some(agent) => Some(agent.name.clone()),
                    None => return Err(Refusal::UnknownAgent(name.to_owned(), Vec::new(), None).fault()),
                },
            };
            let mut kept = Vec::new();
            for finding in findings {
                let id = FindingId(state.id());
                kept.push(state.jobs[at].find(id, agent.as_deref(), finding)?);
            }
            let job = &mut state.jobs[at];
            if job.findings.len() > before {
                job.tell(&Event::new(EventKind::FindingsAdded, json!({})), now);
            }
            Ok(kept)
        })
    }

    async fn threads(&self, caller: &ReviewCaller, job: JobId, refresh: bool) -> Result<ThreadsRead, Fault> {
        let mut state = self.lock();
        let (at, now, reaches) = (state.seen(caller, job)?, Timestamp(state.now), state.reaches().is_ok());
        let kept = &mut state.jobs[at];
        if refresh && reaches {
            kept.fetched = Some(now);
        }
        Ok(ThreadsRead { threads: kept.threads.clone(), fetched_at: kept.fetched, stale: !reaches })
    }

    async fn diff(&self, caller: &ReviewCaller, job: JobId, since_last: bool) -> Result<JobDiff, Fault> {
        let state = self.lock();
        let at = state.seen(caller, job)?;
        state.reaches()?;
        let mut diff = state.jobs[at].diff.clone();
        if since_last {
            diff.files.clear();
        }
        Ok(JobDiff { head: Kept::head(), diff, incomplete: false })
    }

    async fn publish(&self, caller: &ReviewCaller, job: JobId, summary: Summary) -> Result<PublicationRead, Fault> {
        self.run(caller, job, &Act::Publish, |state, at, _| state.ask(at, Some(summary)))
    }

    async fn published(&self, caller: &ReviewCaller, request: RequestId) -> Result<PublicationRead, Fault> {
        let state = self.lock();
        let has = |kept: &&Kept| kept.publications.iter().any(|one| one.request == request);
        let kept = state.jobs.iter().find(|kept| has(kept) && state.seen(caller, kept.id).is_ok());
        let unknown = || Fault::new(Code::UnknownRequest, "There is no such request.", "Publish first.");
        kept.ok_or_else(unknown)?.published(request)
    }

    async fn moved(&self, caller: &ReviewCaller, request: RequestId, from: PublicationState) -> Result<(), Fault> {
        let mut happened = self.happened.subscribe();
        let _waits = self.wait();
        loop {
            happened.borrow_and_update();
            if self.published(caller, request).await?.state != from {
                return Ok(());
            }
            happened.changed().await.expect("the workflow is there");
        }
    }

    async fn jobs_for(&self, client: &Owner, after: Option<JobPlace>, limit: usize) -> Result<Vec<JobSummary>, Fault> {
        let state = self.lock();
        let jobs = state.jobs.iter().rev().filter(|_| !is_stranger(client));
        let jobs = jobs.skip_while(|kept| after.is_some_and(|after| kept.id >= after.job_id));
        Ok(jobs.take(limit).map(Kept::listed).collect())
    }

    async fn job_for(&self, client: &Owner, job: JobId) -> Result<Option<JobRead>, Fault> {
        let state = self.lock();
        Ok(state.jobs.iter().find(|kept| kept.id == job && !is_stranger(client)).map(Kept::read))
    }

    async fn job_events_for(
        &self,
        client: &Owner,
        job: JobId,
        after: u64,
        limit: usize,
    ) -> Result<Option<Vec<JobEvent>>, Fault> {
        let state = self.lock();
        let kept = state.jobs.iter().find(|kept| kept.id == job && !is_stranger(client));
        Ok(kept.map(|kept| kept.events.iter().filter(|event| event.n > after).take(limit).cloned().collect()))
    }

    async fn jobs_like(&self, client: &Owner, beginning: &str, most: u32) -> Result<(Vec<JobId>, u64), Fault> {
        let state = self.lock();
        let fits = |kept: &&Kept| kept.id.to_string().starts_with(beginning) && !is_stranger(client);
        let found: Vec<_> = state.jobs.iter().rev().filter(fits).map(|kept| kept.id).collect();
        let total = found.len() as u64;
        Ok((found.into_iter().take(most as usize).collect(), total))
    }
}
