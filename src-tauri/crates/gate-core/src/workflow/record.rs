//! What is kept of jobs: what comes in, and what is read again.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::act::{Act, Connection};
use super::action::Action;
use super::anchor::Anchor;
use super::definition::Definition;
use super::finding::{Finding, KeptFinding};
use super::job::JobState;
use super::publication::{AskedPublication, Item, ItemResult, KeptAction, PublicationDraft, Summary};
use super::pull::Pull;
use super::refusal::Refusal;
use super::step::Answer;
use super::words::{FindingState, HeldFor, JobStatus, JobType, Phase, PublicationState, PublishEvent};
use super::{ActionId, FindingId, JobId, PublicationId};
use crate::digest::Digest;
use crate::fault::Fault;
use crate::git::Oid;
use crate::ids::{RequestId, SessionUuid};
use crate::owner::Process;
use crate::proposal::Party;
use crate::timestamp::Timestamp;

/// A job as it is created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// Its identifier.
    pub job_id: JobId,
    /// The session in which the person is asked about it.
    pub session_uuid: SessionUuid,
    /// The pull request.
    pub pull: Pull,
    /// What the platform says of it, as far as that is known.
    pub facts: PullFacts,
    /// The workflow, which it keeps as it is.
    pub definition: Definition,
    /// The folder of whoever created it, or its repository: who works there sees it.
    pub workspace: String,
    /// The clone that the call names.
    pub local_path: Option<String>,
    /// The runner that is to review it; absent where whoever created it does.
    pub runner: Option<String>,
    /// Whether a runner needs the person's go.
    pub is_parked: bool,
    /// The job whose findings a follow-up looks at again.
    pub previous: Option<JobId>,
    /// Whether it is another job even where there is the same.
    pub force: bool,
}

/// What the platform says of a pull request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PullFacts {
    /// Its title.
    pub title: Option<String>,
    /// Its head.
    pub head: Option<Oid>,
    /// What it is to be merged into.
    pub base: Option<Oid>,
    /// The commit that both come from.
    pub start: Option<Oid>,
}

/// A job that is created, with whoever does so.
#[derive(Debug, Clone)]
pub struct Creating {
    /// The job.
    pub new: NewJob,
    /// The party that creates it; absent for the person.
    pub party: Option<Box<Party>>,
    /// Whether a process is no more.
    pub has_ended: fn(&Process) -> bool,
    /// Names the call across reconnections: done twice, it counts once.
    pub call_key: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// Who acts, as the store is told.
#[derive(Debug, Clone)]
pub enum Actor {
    /// A run.
    Run {
        /// What it is known by: its relay, its process, its token.
        run: String,
        /// Its party.
        party: Box<Party>,
        /// Whether a process is no more.
        has_ended: fn(&Process) -> bool,
        /// The run that has the job by the caller's knowledge, and whether that is there. Where another one has it by now,
        /// that one is taken to be there.
        holder: Option<(String, Connection)>,
    },
    /// The person.
    Person,
    /// The gate itself.
    Gate,
}

/// An act on a job, with all that belongs to it.
#[derive(Debug, Clone)]
pub struct Acting {
    /// The job.
    pub job_id: JobId,
    /// Who acts.
    pub actor: Actor,
    /// What they do. With [`Handed::Publication`] from the gate it isn't looked at.
    pub act: Act,
    /// What comes with it.
    pub with: Handed,
    /// Names the call across reconnections: done twice, it counts once. Absent for the person and the gate.
    pub call_key: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// What comes with an act.
#[derive(Debug, Clone, Default)]
pub enum Handed {
    /// Nothing.
    #[default]
    Nothing,
    /// With [`Act::Add`]: findings, each checked and placed.
    Findings(Vec<NewFinding>),
    /// With [`Act::Add`]: an action.
    Action(NewAction),
    /// With [`Act::Publish`], or from the gate for what stands in no publication when a job is completed.
    Publication(Box<NewPublication>),
}

/// A finding as it comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFinding {
    /// Its id, where it is a new one.
    pub finding_id: FindingId,
    /// By which it is known again.
    pub fingerprint: Digest,
    /// What it is put at.
    pub anchor: Anchor,
    /// The audit that it is of, by any of its names.
    pub agent_name: Option<String>,
    /// The finding.
    pub finding: Finding,
}

/// An action as it comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAction {
    /// Its id, where it is a new one.
    pub action_id: ActionId,
    /// What a comment on a line is put at.
    pub anchor: Option<Anchor>,
    /// The action.
    pub action: Action,
}

/// What is put before the person: a publication, or the next revision of the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPublication {
    /// Its id: the last one's where that is open or returned, as [`next_publication`] says, else a new one.
    pub publication_id: PublicationId,
    /// The commit that was reviewed.
    pub head: Oid,
    /// What the review says as a whole.
    pub event: PublishEvent,
    /// What the run says of the pull request as a whole; absent where nothing is.
    pub summary: Option<Summary>,
    /// The items, in the order in which they leave; one at least.
    pub items: Vec<Item>,
}

/// Something that is done to a publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicationActing {
    /// The publication.
    pub publication_id: PublicationId,
    /// The question that the person's word answers: where another one stands by now, or none, nothing of it is done.
    /// Absent for what answers none.
    pub answers: Option<RequestId>,
    /// What is done.
    pub what: PublicationChange,
    /// When.
    pub at: Timestamp,
}

/// What is done to a publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicationChange {
    /// The person approves it.
    Approve {
        /// What they changed of it.
        draft: PublicationDraft,
        /// The digest of the manifest that they were shown.
        digest: Digest,
    },
    /// They take that back.
    Undo,
    /// They ask for changes.
    Return,
    /// It is given up.
    Drop,
    /// Its items begin to leave, or go on.
    Send,
    /// They don't for now.
    Hold(HeldFor),
    /// What became of some of its items.
    Items(Vec<ItemResult>),
    /// All of them have left or were refused.
    Finish,
}

/// What an act led to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Acted {
    /// The job from then on.
    pub job: JobSummary,
    /// Whether anything happened that is told; not where the same had been done before.
    pub happened: bool,
    /// What the caller is answered.
    pub answer: Answer,
    /// What became of the findings that came with it, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<AddedFinding>,
    /// The action that came with it, or the same one from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<StoredAction>,
    /// The publication that came with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publication: Option<PublicationSummary>,
    /// The question to the person that is to be withdrawn.
    #[serde(skip)]
    pub withdraws: Option<RequestId>,
    /// Whether what stands in no publication is to be put into one, if there is something. It stays to be done until that is
    /// committed, or [`WorkflowStore::nothing_to_publish`](super::WorkflowStore::nothing_to_publish) is.
    #[serde(skip)]
    pub publishes: bool,
}

/// What became of a finding that came in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddedFinding {
    /// Its id: the first one's where the job has it already.
    pub finding_id: FindingId,
    /// By which it is known again.
    pub fingerprint: Digest,
    /// Whether it was there before.
    pub state: FindingState,
    /// What it is put at.
    pub anchor: Anchor,
}

/// What an act on a publication led to.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicationActed {
    /// The publication from then on.
    pub publication: PublicationSummary,
    /// Its job.
    pub job: JobSummary,
    /// Whether anything happened.
    pub happened: bool,
    /// The question to the person that is to be withdrawn, where it wasn't that one that was answered.
    pub withdraws: Option<RequestId>,
}

/// A job in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct JobSummary {
    /// Its identifier.
    pub job_id: JobId,
    /// The session in which the person is asked about it.
    pub session_uuid: SessionUuid,
    /// The pull request.
    pub pull: Pull,
    /// Its title, once the platform answered.
    pub title: Option<String>,
    /// The commit that is reviewed, once the platform answered.
    pub head: Option<Oid>,
    /// The pull request's newest commit that is known.
    pub newest: Option<Oid>,
    /// The workflow, by its name.
    pub workflow: String,
    /// What it is for.
    pub job_type: JobType,
    /// Where it stands.
    pub status: JobStatus,
    /// The phase that it is in.
    pub phase: Phase,
    /// How far it is, in percent.
    pub overall_progress: u32,
    /// The party that created it; absent for the person.
    pub party: Option<String>,
    /// The party of the run that has it, or had it last.
    pub run_party: Option<String>,
    /// Where it belongs.
    pub workspace: String,
    /// The runner that is to review it; absent where whoever created it does.
    pub runner: Option<String>,
    /// How many findings it has.
    pub findings: u32,
    /// When it was created.
    pub created_at: Timestamp,
    /// When something happened to it last.
    pub updated_at: Timestamp,
    /// The number of its last event.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub event: u64,
}

/// A job with all that its rules look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredJob {
    /// In a few words.
    pub summary: JobSummary,
    /// Where it stands.
    pub state: JobState,
    /// The workflow as it was when the job was created.
    pub definition: Definition,
    /// Whoever created it; absent for the person.
    pub party: Option<Party>,
    /// Whose run has it, or had it last.
    pub run_party: Option<Party>,
    /// What the pull request is to be merged into.
    pub base: Option<Oid>,
    /// The commit that both come from.
    pub start: Option<Oid>,
    /// The clone that the call named.
    pub local_path: Option<String>,
    /// The job whose findings it looks at again.
    pub previous: Option<JobId>,
    /// When the platform's threads were last fetched; absent where they never were.
    pub threads_at: Option<Timestamp>,
}

/// A finding, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFinding {
    /// The finding.
    pub kept: KeptFinding,
    /// When it came in.
    pub created_at: Timestamp,
    /// The state of the last publication whose newest revision has it; absent where it stands in none.
    pub stands: Option<PublicationState>,
}

/// An action, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredAction {
    /// The action.
    #[serde(flatten)]
    pub kept: KeptAction,
    /// What a comment on a line is put at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// When it came in.
    pub created_at: Timestamp,
    /// The state of the last publication whose newest revision has it; absent where it stands in none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands: Option<PublicationState>,
}

/// A publication in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PublicationSummary {
    /// Its id, the same over revisions.
    pub id: PublicationId,
    /// Which revision it is, from 1.
    pub revision: u32,
    /// SHA-256 of the manifest: of the one that the person approved, else of one that keeps all of it.
    pub digest: Digest,
    /// Where it stands.
    pub state: PublicationState,
    /// Why it doesn't leave, while it is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub held_for: Option<HeldFor>,
    /// What became of its items.
    pub items: Vec<ItemResult>,
}

/// A revision of a publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPublication {
    /// In a few words.
    pub summary: PublicationSummary,
    /// The question to the person that it is, or was.
    pub request_id: Option<RequestId>,
    /// What the person is asked.
    pub asked: AskedPublication,
    /// What the run said of the pull request as a whole.
    pub said: Option<Summary>,
    /// What the person changed of it, once they approved it.
    pub draft: Option<PublicationDraft>,
    /// What their approval lets out, to the byte.
    pub manifest: Option<String>,
    /// When it was put before the person.
    pub created_at: Timestamp,
    /// When it changed last.
    pub changed_at: Timestamp,
}

/// A publication that waits for the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenPublication {
    /// Its job.
    pub job_id: JobId,
    /// The publication.
    pub publication_id: PublicationId,
    /// Its revision.
    pub revision: u32,
    /// The question about it; absent where it is still to be asked.
    pub request_id: Option<RequestId>,
}

/// One event of a job, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobEvent {
    /// The job.
    pub job_id: JobId,
    /// Its number in the job, from 1.
    pub n: u64,
    /// When it happened.
    pub at: Timestamp,
    /// Whose act it was: a party's key; absent for the person and the gate.
    pub party: Option<String>,
    /// What happened, by its word ([`EventKind`](super::EventKind)).
    pub kind: String,
    /// What there is to say of it.
    pub data: Map<String, Value>,
}

/// Which jobs are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobQuery {
    /// Where they stand.
    pub status: Option<JobStatus>,
    /// Whose they are.
    pub of: JobsOf,
}

/// Whose jobs are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum JobsOf {
    /// Anybody's.
    #[default]
    All,
    /// Those that this party created or whose run is, or was last, its.
    Party(String),
    /// Those that belong to one of these places, and those of a party.
    Seen {
        /// The places.
        workspaces: Vec<String>,
        /// The party.
        own: String,
    },
    /// Those of a pull request.
    Pull(Pull),
}

/// Where a list of jobs goes on: they are ordered by when something happened last, the newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobPlace {
    /// When something happened to the last one.
    pub updated_at: Timestamp,
    /// The last one.
    pub job_id: JobId,
}

/// Who asks which job a pull request's name means.
#[derive(Debug, Clone)]
pub struct Asking {
    /// Their party.
    pub party: Box<Party>,
    /// Whether a process is no more.
    pub has_ended: fn(&Process) -> bool,
    /// The places whose jobs they see beside their own.
    pub workspaces: Vec<String>,
}

/// A job that time ends something of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueJob {
    /// The job.
    pub job_id: JobId,
    /// When it was, or is.
    pub at: Timestamp,
}

/// What the next publication of a job would have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loose {
    /// Findings.
    pub findings: Vec<KeptFinding>,
    /// Actions.
    pub actions: Vec<KeptAction>,
    /// Whether there is something among them that stands in no publication yet and would be posted.
    pub has_new: bool,
}

impl Loose {
    /// Of these: what stands in no publication, and what the next revision of one that is open or returned has again.
    #[must_use]
    pub fn of(findings: Vec<StoredFinding>, actions: Vec<StoredAction>) -> Self {
        let is_loose = |stands: Option<PublicationState>| {
            stands.is_none_or(|state| matches!(state, PublicationState::Open | PublicationState::Returned))
        };
        let new_finding = |it: &StoredFinding| it.stands.is_none() && it.kept.state != FindingState::Dismissed;
        let new_action = |it: &StoredAction| it.stands.is_none() && it.kept.action != Action::FetchThreads {};
        let has_new = findings.iter().any(new_finding) || actions.iter().any(new_action);
        let findings = findings.into_iter().filter(|it| is_loose(it.stands)).map(|it| it.kept).collect();
        let actions = actions.into_iter().filter(|it| is_loose(it.stands)).map(|it| it.kept).collect();
        Self { findings, actions, has_new }
    }
}

/// The id that the next publication has after this last one: the same where it is the next revision of that, else a new one.
#[must_use]
pub fn next_publication(last: Option<&PublicationSummary>, new: PublicationId) -> PublicationId {
    last.filter(|last| !last.state.is_over()).map_or(new, |last| last.id)
}

/// The name that an audit of this definition has, which may be called by another one of its names.
///
/// # Errors
/// `unknown_agent`, with the nearest name.
pub fn known_agent(definition: &Definition, name: &str) -> Result<String, Fault> {
    let found = definition.agent(name).map(|agent| agent.name.clone());
    found.ok_or_else(|| Refusal::unknown_agent(name, definition).fault())
}
