//! A record in which jobs are created and run.

use gate_core::git::Oid;
use gate_core::proposal::Party;
use gate_core::workflow::publication::{Item, Place};
use gate_core::workflow::record::{
    Acted, Acting, Actor, Creating, Handed, NewAction, NewFinding, NewJob, NewPublication, PublicationActed,
    PublicationActing, PublicationChange, PullFacts, StoredJob,
};
use gate_core::workflow::{
    Act, Action, ActionId, AgentEnd, Anchor, Definition, Finding, FindingId, ItemId, ItemKind, JobId, Phase, Platform,
    PublicationId, PublishEvent, Pull, Severity, WorkflowStore, built_in,
};
use gate_core::{Fault, RequestId, SessionUuid, Timestamp};
use gate_store::Store;
use uuid::Uuid;

use crate::fixture::{NOW, World};
use crate::parties::{begin, client, nobody_ended};

pub(super) type Error = Box<dyn std::error::Error>;

/// The tables whose rows belong to one job, besides `events`.
pub(crate) const TABLES: [&str; 8] = [
    "workflow_jobs",
    "workflow_agents",
    "workflow_threads",
    "workflow_findings",
    "workflow_actions",
    "workflow_publications",
    "workflow_items",
    "workflow_calls",
];
pub(super) const MINUTE: i64 = 60 * 1000;

/// A record, and a conversation in which jobs are created.
pub(super) struct Scene {
    pub(super) world: World,
    pub(super) store: Store,
    pub(super) session: SessionUuid,
}

impl Scene {
    pub(super) async fn new() -> Result<Self, Error> {
        let world = World::new()?;
        let store = world.open_well().await?;
        let session = begin(&store).await?;
        Ok(Self { world, store, session })
    }

    /// The gate is ended and started again.
    pub(super) async fn restart(&mut self) -> Result<(), Error> {
        self.store.close().await;
        self.store = self.world.open_well().await?;
        Ok(())
    }

    /// A job of this pull request's number, of two audits.
    pub(super) fn new_job(&self, number: u64) -> NewJob {
        NewJob {
            job_id: JobId(Uuid::now_v7()),
            session_uuid: self.session,
            pull: pull(number),
            facts: PullFacts { head: Some(commit('a')), ..PullFacts::default() },
            definition: definition(),
            workspace: "/srv/shop".to_owned(),
            local_path: Some("/srv/shop".to_owned()),
            runner: None,
            is_parked: false,
            previous: None,
            force: false,
        }
    }

    pub(super) async fn create_as(&self, by: Option<&Party>, new: NewJob, key: Option<&str>) -> Result<Acted, Fault> {
        self.create_at(by, new, key, NOW).await
    }

    pub(super) async fn create_at(
        &self,
        by: Option<&Party>,
        new: NewJob,
        key: Option<&str>,
        at: i64,
    ) -> Result<Acted, Fault> {
        let party = by.map(|party| Box::new(party.clone()));
        let (call_key, at) = (key.map(str::to_owned), Timestamp(at));
        self.store.create_job(Creating { new, party, has_ended: nobody_ended, call_key, at }).await
    }

    /// A job of the first client's.
    pub(super) async fn create(&self, number: u64) -> Result<JobId, Fault> {
        Ok(self.create_as(Some(&client("claude-code")), self.new_job(number), None).await?.job.job_id)
    }

    pub(super) async fn act(&self, by: &Actor, job: JobId, act: Act) -> Result<Acted, Fault> {
        self.act_at(by, job, act, Handed::Nothing, NOW).await
    }

    pub(super) async fn act_at(&self, by: &Actor, job: JobId, act: Act, with: Handed, at: i64) -> Result<Acted, Fault> {
        let (actor, at) = (by.clone(), Timestamp(at));
        self.store.act_on_job(Acting { job_id: job, actor, act, with, call_key: None, at }).await
    }

    pub(super) async fn find(&self, job: JobId, findings: Vec<NewFinding>) -> Result<Acted, Fault> {
        self.act_at(&run("one"), job, Act::Add, Handed::Findings(findings), NOW).await
    }

    pub(super) async fn add(&self, job: JobId, action: Action) -> Result<Acted, Fault> {
        let new = NewAction { action_id: ActionId(Uuid::now_v7()), anchor: None, action };
        self.act_at(&run("one"), job, Act::Add, Handed::Action(new), NOW).await
    }

    pub(super) async fn publish(&self, job: JobId, new: NewPublication) -> Result<Acted, Fault> {
        self.act_at(&run("one"), job, Act::Publish, Handed::Publication(Box::new(new)), NOW).await
    }

    pub(super) async fn change(
        &self,
        publication_id: PublicationId,
        answers: Option<RequestId>,
        what: PublicationChange,
    ) -> Result<PublicationActed, Fault> {
        let at = Timestamp(NOW);
        self.store.act_on_publication(PublicationActing { publication_id, answers, what, at }).await
    }

    /// Goes through the phases and the audits to the end.
    pub(super) async fn complete(&self, job: JobId) -> Result<Acted, Error> {
        let by = run("one");
        self.act(&by, job, Act::SetPhase(Phase::Initializing)).await?;
        for agent in self.read(job).await?.definition.agents {
            self.act(&by, job, Act::StartAgent(agent.name.clone())).await?;
            self.act(&by, job, ended(&agent.name)).await?;
        }
        self.act(&by, job, Act::SetPhase(Phase::Synthesizing)).await?;
        self.act(&by, job, Act::SetPhase(Phase::Publishing)).await?;
        Ok(self.act(&by, job, Act::SetPhase(Phase::Completed)).await?)
    }

    pub(super) async fn read(&self, job: JobId) -> Result<StoredJob, Error> {
        Ok(self.store.job(job).await?.ok_or("the job is gone")?)
    }

    /// The words of what happened, whose numbers have no gap.
    pub(super) async fn kinds(&self, job: JobId) -> Result<Vec<String>, Error> {
        let events = self.store.job_events(job, 0, 10_000).await?;
        let numbers: Vec<_> = events.iter().map(|event| event.n).collect();
        let expected: Vec<_> = (1..=events.len() as u64).collect();
        assert_eq!(numbers, expected, "events are numbered without a gap");
        assert_eq!(self.read(job).await?.summary.event, events.len() as u64, "the summary names the last one");
        Ok(events.into_iter().map(|event| event.kind).collect())
    }
}

pub(super) fn definition() -> Definition {
    let mut definition = built_in("review").expect("it is built in");
    definition.agents.truncate(2);
    definition
}

pub(super) fn pull(number: u64) -> Pull {
    Pull { platform: Platform::Github, host: "github.com".to_owned(), project: "owner/repo".to_owned(), number }
}

/// The commit whose name is this letter all along.
pub(super) fn commit(letter: char) -> Oid {
    Oid::try_from(letter.to_string().repeat(40)).expect("it is a name")
}

/// A run of the first client's.
pub(super) fn run(key: &str) -> Actor {
    run_of(key, "claude-code")
}

pub(super) fn run_of(key: &str, name: &str) -> Actor {
    Actor::Run { run: key.to_owned(), party: Box::new(client(name)), has_ended: nobody_ended, holder: None }
}

pub(super) fn ended(name: &str) -> Act {
    Act::CompleteAgent { name: name.to_owned(), end: AgentEnd::Success, error: None, attempt: None }
}

/// A finding that is known again by its title.
pub(super) fn finding(title: &str) -> NewFinding {
    let finding = Finding {
        title: title.to_owned(),
        body: "Look at it.".to_owned(),
        severity: Severity::Warning,
        file: Some("src/a.rs".to_owned()),
        line: Some(3),
        end_line: None,
        side: None,
        snippet: None,
        suggestion: None,
        category: None,
    };
    NewFinding {
        finding_id: FindingId(Uuid::now_v7()),
        fingerprint: finding.fingerprint(None).expect("it can be written"),
        anchor: Anchor::report(),
        agent_name: Some("ddd".to_owned()),
        finding,
    }
}

pub(super) fn reply_in(thread: &str) -> Action {
    Action::ThreadReply { thread_id: thread.to_owned(), message: "It is.".to_owned() }
}

/// What is put before the person: an item for each of these.
pub(super) fn publication(id: PublicationId, items: &[(ItemId, &str)]) -> NewPublication {
    let item = |(id, text): &(ItemId, &str)| Item {
        id: *id,
        kind: ItemKind::Finding,
        place: Place::Report {},
        text: Some((*text).to_owned()),
        heading: None,
    };
    let items = items.iter().map(item).collect();
    NewPublication { publication_id: id, head: commit('a'), event: PublishEvent::Comment, summary: None, items }
}

pub(super) fn item_id() -> ItemId {
    ItemId(Uuid::now_v7())
}

pub(super) fn publication_id() -> PublicationId {
    PublicationId(Uuid::now_v7())
}
