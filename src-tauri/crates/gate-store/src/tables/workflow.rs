//! The jobs of the review workflow: what their runs hand in, what would be posted, and what happened. The rules are
//! gate-core's ([`JobState::step`](gate_core::workflow::JobState::step)); here each act is read, stepped and written in one
//! transaction, and acts that wait for the writer share its commit.
//!
//! | file | owns |
//! |---|---|
//! | `together.rs` | acts that wait for the writer |
//! | `creating.rs`, `acting.rs` | a new job, and what is done to one |
//! | `standing.rs` | how a caller stands to a job |
//! | `adding.rs`, `publishing.rs` | what comes with an act: findings and actions; a publication |
//! | `deciding.rs` | what is done to a publication |
//! | `left.rs`, `writing.rs` | what an act leaves of what came with it, and its rows |
//! | `row.rs`, `reading.rs`, `publications.rs`, `listing.rs` | what is read again |
//! | `pulls.rs` | what the platform says, and which job a pull request's name means |
//! | `due.rs` | what time and the gate have to do |

mod acting;
mod adding;
mod creating;
mod deciding;
mod due;
mod left;
mod listing;
mod publications;
mod publishing;
mod pulls;
mod reading;
mod row;
mod standing;
mod together;
mod writing;

use gate_core::workflow::publication::{Item, PublicationDraft, Summary};
use gate_core::workflow::record::{
    Acted, Acting, Asking, Creating, DueJob, JobEvent, JobPlace, JobQuery, JobSummary, OpenPublication,
    PublicationActed, PublicationActing, PullFacts, StoredAction, StoredFinding, StoredJob, StoredPublication,
};
use gate_core::workflow::{
    Action, Anchor, Definition, Finding, JobId, JobState, PublicationId, PullReference, Thread, ThreadComment,
    WorkflowStore,
};
use gate_core::{Fault, RequestId, Timestamp};

use crate::store::Store;
use crate::table::{Instead, Known, Owner, Table, column, identifier, json};

/// Jobs.
pub(crate) const JOBS: Table = Table {
    name: "workflow_jobs",
    columns: &[
        identifier("job_id"),
        identifier("session_uuid"),
        column("party").dispensable(),
        column("run_party").dispensable(),
        column("workspace"),
        column("local_path"),
        column("platform"),
        column("host"),
        column("project"),
        column("number"),
        column("title"),
        column("head_sha"),
        column("base_sha"),
        column("start_sha"),
        column("newest_sha"),
        column("workflow"),
        column("job_type"),
        column("runner"),
        column("by_person"),
        identifier("previous_id").dispensable(),
        column("status"),
        column("phase"),
        column("progress"),
        column("queue_at"),
        column("due_at"),
        column("publishes"),
        column("threads_at"),
        column("created_at"),
        column("updated_at"),
        column("event"),
        json::<JobState>("state", Instead::Nothing),
        json::<Definition>("definition", Instead::Nothing),
    ],
    owner: Owner::Conversation,
    known: Known::Replaced { key: "job_id", when: "excluded.event >= workflow_jobs.event" },
};

/// Audits.
pub(crate) const AGENTS: Table = Table {
    name: "workflow_agents",
    columns: &[
        identifier("job_id"),
        column("n"),
        column("name"),
        column("status"),
        column("attempt"),
        column("failures"),
        column("started_at"),
        column("completed_at"),
        column("error"),
        column("timed_out"),
        column("late"),
        column("uncounted"),
    ],
    owner: Owner::Job,
    known: Known::Changed(
        "(job_id, n) DO UPDATE SET status = excluded.status, attempt = excluded.attempt, failures = excluded.failures,
             started_at = excluded.started_at, completed_at = excluded.completed_at, error = excluded.error,
             timed_out = excluded.timed_out, late = excluded.late, uncounted = excluded.uncounted
         WHERE excluded.attempt >= workflow_agents.attempt",
    ),
};

/// The platform's threads.
pub(crate) const THREADS: Table = Table {
    name: "workflow_threads",
    columns: &[
        identifier("job_id"),
        column("n"),
        column("thread"),
        column("file"),
        column("line"),
        column("status"),
        column("body"),
        json::<Vec<ThreadComment>>("comments", Instead::Null),
    ],
    owner: Owner::Job,
    known: Known::Changed(
        "(job_id, n) DO UPDATE SET thread = excluded.thread, file = excluded.file, line = excluded.line,
             status = excluded.status, body = excluded.body, comments = excluded.comments",
    ),
};

/// Findings.
pub(crate) const FINDINGS: Table = Table {
    name: "workflow_findings",
    columns: &[
        identifier("finding_id"),
        identifier("job_id"),
        column("n"),
        column("fingerprint"),
        column("state"),
        column("agent_name"),
        json::<Anchor>("anchor", Instead::Nothing),
        json::<Finding>("finding", Instead::Nothing),
        column("created_at"),
    ],
    owner: Owner::Job,
    known: Known::Stays,
};

/// Actions.
pub(crate) const ACTIONS: Table = Table {
    name: "workflow_actions",
    columns: &[
        identifier("action_id"),
        identifier("job_id"),
        column("n"),
        json::<Action>("action", Instead::Nothing),
        json::<Anchor>("anchor", Instead::Null),
        column("created_at"),
    ],
    owner: Owner::Job,
    known: Known::Stays,
};

/// Publications, revision by revision.
pub(crate) const PUBLICATIONS: Table = Table {
    name: "workflow_publications",
    columns: &[
        identifier("publication_id"),
        column("revision"),
        identifier("job_id"),
        column("n"),
        column("state"),
        column("held_for"),
        identifier("request_id").dispensable(),
        column("digest"),
        column("head_sha"),
        column("event"),
        json::<Summary>("summary", Instead::Null),
        json::<PublicationDraft>("draft", Instead::Null),
        column("manifest"),
        column("created_at"),
        column("changed_at"),
    ],
    owner: Owner::Job,
    known: Known::Changed(
        "(publication_id, revision) DO UPDATE SET state = excluded.state, held_for = excluded.held_for,
             request_id = excluded.request_id, digest = excluded.digest, draft = excluded.draft,
             manifest = excluded.manifest, changed_at = excluded.changed_at
         WHERE excluded.changed_at >= workflow_publications.changed_at",
    ),
};

/// What publications ask, item by item.
pub(crate) const ITEMS: Table = Table {
    name: "workflow_items",
    columns: &[
        identifier("publication_id"),
        column("revision"),
        column("n"),
        identifier("item_id"),
        identifier("job_id"),
        json::<Item>("item", Instead::Nothing),
        column("state"),
        column("url"),
        column("reason"),
    ],
    owner: Owner::Job,
    known: Known::Changed(
        "(publication_id, revision, n) DO UPDATE SET state = excluded.state, url = excluded.url, reason = excluded.reason",
    ),
};

/// What calls led to whose results have not arrived.
pub(crate) const CALLS: Table = Table {
    name: "workflow_calls",
    columns: &[
        column("call_key"),
        identifier("job_id"),
        json::<Acted>("result", Instead::Nothing),
        column("created_at"),
    ],
    owner: Owner::Job,
    known: Known::Stays,
};

impl WorkflowStore for Store {
    async fn create_job(&self, creating: Creating) -> Result<Acted, Fault> {
        self.together(creating).await
    }

    async fn act_on_job(&self, acting: Acting) -> Result<Acted, Fault> {
        self.together(acting).await
    }

    async fn job_call(&self, call_key: &str) -> Result<Option<Acted>, Fault> {
        Ok(self.stored_job_call(call_key).await?)
    }

    async fn job_call_delivered(&self, call_key: &str) -> Result<(), Fault> {
        Ok(self.forget_job_call(call_key).await?)
    }

    async fn put_pull(&self, job: JobId, facts: PullFacts) -> Result<Option<JobSummary>, Fault> {
        Ok(self.keep_pull(job, facts).await?)
    }

    async fn put_threads(&self, job: JobId, threads: &[Thread], fetched_at: Timestamp) -> Result<(), Fault> {
        Ok(self.keep_threads(job, threads, fetched_at).await?)
    }

    async fn job(&self, job: JobId) -> Result<Option<StoredJob>, Fault> {
        Ok(self.stored_job(job).await?)
    }

    async fn jobs(&self, query: &JobQuery, after: Option<JobPlace>, limit: usize) -> Result<Vec<JobSummary>, Fault> {
        Ok(self.listed_jobs(query, after, limit).await?)
    }

    async fn job_of_pull(&self, reference: &PullReference, asking: &Asking) -> Result<Option<JobId>, Fault> {
        Ok(self.meant_job(reference, asking).await?)
    }

    async fn job_threads(&self, job: JobId) -> Result<Vec<Thread>, Fault> {
        Ok(self.stored_job_threads(job).await?)
    }

    async fn job_findings(&self, job: JobId) -> Result<Vec<StoredFinding>, Fault> {
        Ok(self.stored_findings(job).await?)
    }

    async fn job_actions(&self, job: JobId) -> Result<Vec<StoredAction>, Fault> {
        Ok(self.stored_actions(job).await?)
    }

    async fn job_publications(&self, job: JobId) -> Result<Vec<StoredPublication>, Fault> {
        Ok(self.stored_publications(job).await?)
    }

    async fn publication(&self, publication: PublicationId) -> Result<Option<StoredPublication>, Fault> {
        Ok(self.stored_publication(publication).await?)
    }

    async fn publication_of(&self, request: RequestId) -> Result<Option<StoredPublication>, Fault> {
        Ok(self.stored_publication_of(request).await?)
    }

    async fn job_events(&self, job: JobId, after: u64, limit: usize) -> Result<Vec<JobEvent>, Fault> {
        Ok(self.stored_job_events(job, after, limit).await?)
    }

    async fn act_on_publication(&self, acting: PublicationActing) -> Result<PublicationActed, Fault> {
        self.together(acting).await
    }

    async fn publication_asked(
        &self,
        publication: PublicationId,
        revision: u32,
        request: RequestId,
    ) -> Result<bool, Fault> {
        Ok(self.set_publication_question(publication, revision, request).await?)
    }

    async fn open_publications(&self) -> Result<Vec<OpenPublication>, Fault> {
        Ok(self.all_open_publications().await?)
    }

    async fn jobs_to_publish(&self, limit: usize) -> Result<Vec<JobId>, Fault> {
        Ok(self.unpublished_jobs(limit).await?)
    }

    async fn nothing_to_publish(&self, job: JobId) -> Result<(), Fault> {
        Ok(self.has_nothing_to_publish(job).await?)
    }

    async fn jobs_to_run(&self, limit: usize) -> Result<Vec<JobSummary>, Fault> {
        Ok(self.queued_jobs(limit).await?)
    }

    async fn jobs_were_off(&self, off_millis: u64, now: Timestamp) -> Result<(), Fault> {
        Ok(self.leave_out_of_jobs(off_millis, now).await?)
    }

    async fn jobs_due(&self, now: Timestamp, limit: usize) -> Result<Vec<DueJob>, Fault> {
        Ok(self.due_jobs(now, limit).await?)
    }

    async fn next_job_due(&self) -> Result<Option<Timestamp>, Fault> {
        Ok(self.next_due_of_jobs().await?)
    }
}
