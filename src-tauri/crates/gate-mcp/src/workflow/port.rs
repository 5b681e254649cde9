//! What the review workflow's tools need of the running gate.

use async_trait::async_trait;
use gate_core::diff::DiffView;
use gate_core::workflow::record::{JobEvent, JobPlace, JobSummary};
use gate_core::workflow::reference::PullReference;
use gate_core::workflow::step::Answer;
use gate_core::workflow::{
    Act, Action, ActionId, Anchor, Definition, Finding, HeldFor, JobId, JobState, JobStatus, JobType, KeptFinding,
    PublicationId, PublicationState, Pull, Thread, publication,
};
use gate_core::{Digest, Fault, Oid, Outcome, Owner, RequestId, Timestamp};

use crate::answer::{CallerPort, ReviewCaller};

/// A job that is to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobWish {
    /// The pull request's address, as it was passed.
    pub url: String,
    /// The workflow's name; by default the one of its type.
    pub workflow: Option<String>,
    /// What the job is for; by default what its workflow is for.
    pub job_type: Option<JobType>,
    /// A folder of the project on this machine.
    pub local_path: Option<String>,
    /// Whether another job is created where there is one of the same already.
    pub force: bool,
}

/// A job that was created, or was there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreatedJob {
    /// The job.
    pub job_id: JobId,
    /// Where it stands.
    pub status: JobStatus,
    /// Whether this call has created it.
    pub created: bool,
}

/// A job as whoever reviews looks at it.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRead {
    /// The job.
    pub job_id: JobId,
    /// What it goes through.
    pub definition: Definition,
    /// Where it stands.
    pub state: JobState,
    /// The pull request.
    pub pull: Pull,
    /// Its title; absent until the platform has answered.
    pub title: Option<String>,
    /// The commit that is reviewed; absent until the platform has answered.
    pub head: Option<Oid>,
    /// The commit that it is compared with; absent until the platform has answered.
    pub base: Option<Oid>,
    /// Its threads on the platform.
    pub threads: Vec<Thread>,
    /// Whether the threads are older than the platform's.
    pub stale: bool,
    /// The review before this one, where there was any.
    pub previous: Option<PreviousReview>,
}

/// The review of the same pull request before this one.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviousReview {
    /// Its job.
    pub job_id: JobId,
    /// The commit that was reviewed.
    pub head: Option<Oid>,
    /// What it found.
    pub findings: Vec<KeptFinding>,
}

/// Threads of a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadsRead {
    /// The threads.
    pub threads: Vec<Thread>,
    /// When the platform told of them; absent where it never has.
    pub fetched_at: Option<Timestamp>,
    /// Whether they are older than that: the platform can't be asked now.
    pub stale: bool,
}

/// The diff that a job is about.
#[derive(Debug, Clone, PartialEq)]
pub struct JobDiff {
    /// The commit that it leads to.
    pub head: Oid,
    /// The diff.
    pub diff: DiffView,
    /// Whether something of it is missing.
    pub incomplete: bool,
}

/// What would be posted, or was.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicationRead {
    /// Its job.
    pub job_id: JobId,
    /// What the person has said of it so far.
    pub outcome: Outcome,
    /// Its id.
    pub id: PublicationId,
    /// Which version of it is meant, from 1.
    pub revision: u32,
    /// SHA-256 of its manifest.
    pub digest: Digest,
    /// Where it stands.
    pub state: PublicationState,
    /// Why it is held, where it is.
    pub held: Option<HeldFor>,
    /// What became of its items, in their order.
    pub items: Vec<publication::ItemResult>,
}

/// Reviews of pull requests in phases. A job that a caller may not see is `unknown_job` to it; what is said twice gives the
/// same answer and changes nothing.
#[async_trait]
pub trait WorkflowPort: CallerPort {
    /// The caller's job that a pull request's name means, by [`PullReference::choose`].
    async fn job_of(&self, caller: &ReviewCaller, pull: &PullReference) -> Result<JobId, Fault>;

    /// Creates a job, or finds the one of the same pull request, head, workflow and type.
    async fn create(&self, caller: &ReviewCaller, wish: JobWish) -> Result<CreatedJob, Fault>;

    /// A job with what its reviewer needs.
    async fn read(&self, caller: &ReviewCaller, job: JobId) -> Result<JobRead, Fault>;

    /// Does something to a job as its run does it.
    async fn act(&self, caller: &ReviewCaller, job: JobId, act: Act) -> Result<Answer, Fault>;

    /// The text of an agent's prompt, where it has one.
    async fn prompt(&self, caller: &ReviewCaller, job: JobId, agent: &str) -> Result<Option<String>, Fault>;

    /// Adds an action; with what a comment on a line is put at.
    async fn add_action(
        &self,
        caller: &ReviewCaller,
        job: JobId,
        action: Action,
    ) -> Result<(ActionId, Option<Anchor>), Fault>;

    /// Adds findings, of an agent where one is named; in their order.
    async fn add_findings(
        &self,
        caller: &ReviewCaller,
        job: JobId,
        agent: Option<String>,
        findings: Vec<Finding>,
    ) -> Result<Vec<KeptFinding>, Fault>;

    /// The threads; with `refresh`, as the platform has them now.
    async fn threads(&self, caller: &ReviewCaller, job: JobId, refresh: bool) -> Result<ThreadsRead, Fault>;

    /// The diff; with `since_last`, only what is new since the last review of the same pull request.
    async fn diff(&self, caller: &ReviewCaller, job: JobId, since_last: bool) -> Result<JobDiff, Fault>;

    /// Puts what is to be posted before the person. An open publication is replaced.
    async fn publish(
        &self,
        caller: &ReviewCaller,
        job: JobId,
        summary: publication::Summary,
    ) -> Result<PublicationRead, Fault>;

    /// Where what was put before the person stands; `unknown_request` for what is none of the caller's publications.
    async fn published(&self, caller: &ReviewCaller, request: RequestId) -> Result<PublicationRead, Fault>;

    /// Resolves once a publication doesn't stand so any more. Until then the run waits for a person; dropping the future only
    /// ends the waiting.
    async fn moved(&self, caller: &ReviewCaller, request: RequestId, from: PublicationState) -> Result<(), Fault>;

    /// At most so many jobs that a client is listed, the latest changed first.
    async fn jobs_for(&self, client: &Owner, after: Option<JobPlace>, limit: usize) -> Result<Vec<JobSummary>, Fault>;

    /// A job that a client may see; absent for any other.
    async fn job_for(&self, client: &Owner, job: JobId) -> Result<Option<JobRead>, Fault>;

    /// At most so many events of a job after a number, in their order; absent where the client may not see the job.
    async fn job_events_for(
        &self,
        client: &Owner,
        job: JobId,
        after: u64,
        limit: usize,
    ) -> Result<Option<Vec<JobEvent>>, Fault>;

    /// Jobs that a client is listed, whose identifier begins so: the latest changed first, and how many there are in all.
    async fn jobs_like(&self, client: &Owner, beginning: &str, most: u32) -> Result<(Vec<JobId>, u64), Fault>;
}
