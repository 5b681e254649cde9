//! What the review workflow needs of whatever keeps its jobs. SQLite does here; nothing in it is SQLite's own: no dialect, and
//! no number that counts over all jobs.
//!
//! Each act is one transaction: the job is read under a lock, [`JobState::step`](super::JobState::step) says what comes of it,
//! and that is written with its events, or nothing is.

use std::future::Future;

use super::record::{
    Acted, Acting, Asking, Creating, DueJob, JobEvent, JobPlace, JobQuery, JobSummary, OpenPublication,
    PublicationActed, PublicationActing, PullFacts, StoredAction, StoredFinding, StoredJob, StoredPublication,
};
use super::{JobId, PublicationId, PullReference, Thread};
use crate::fault::Fault;
use crate::ids::RequestId;
use crate::timestamp::Timestamp;

/// Whatever keeps jobs. Everything is committed when it returns.
pub trait WorkflowStore: Send + Sync + 'static {
    /// Creates a job. Where the same party has one of the same pull request, head, workflow and type, it is that one, and
    /// nothing happens: while either head isn't known, it is one that isn't finished. With `force` it is another one, but for
    /// a call that is sent again.
    ///
    /// # Errors
    /// `too_many` where the party has [`OPEN_JOBS`](super::bounds::OPEN_JOBS) that aren't finished, and what the database says.
    fn create_job(&self, creating: Creating) -> impl Future<Output = Result<Acted, Fault>> + Send;

    /// Does something to a job, with what comes with it. A call key that was there before gives the first result. A finding
    /// that the job has, by its fingerprint, and an action that it has, word for word, are the first ones and aren't told
    /// again.
    ///
    /// # Errors
    /// `unknown_job`, what [`Refusal`](super::Refusal)'s fault says, `unknown_agent`, `unknown_thread` where the platform's
    /// threads are known, `too_many` above the bounds of findings and actions, `person_deciding` and `wrong_state` of a
    /// publication that can't be replaced now, and what the database says. Nothing has happened then.
    fn act_on_job(&self, acting: Acting) -> impl Future<Output = Result<Acted, Fault>> + Send;

    /// What an earlier call with this key led to.
    ///
    /// # Errors
    /// What the database says.
    fn job_call(&self, call_key: &str) -> impl Future<Output = Result<Option<Acted>, Fault>> + Send;

    /// Forgets what a call led to: its caller has the result.
    ///
    /// # Errors
    /// What the database says.
    fn job_call_delivered(&self, call_key: &str) -> impl Future<Output = Result<(), Fault>> + Send;

    /// Keeps what the platform says of a job's pull request. The commits that are reviewed stay as they were first told; the
    /// head is its newest one besides. Gives the job; absent where there is none of that identifier.
    ///
    /// # Errors
    /// What the database says.
    fn put_pull(&self, job: JobId, facts: PullFacts) -> impl Future<Output = Result<Option<JobSummary>, Fault>> + Send;

    /// Keeps the platform's threads as they are now, in place of those before.
    ///
    /// # Errors
    /// `unknown_job`, and what the database says.
    fn put_threads(
        &self,
        job: JobId,
        threads: &[Thread],
        fetched_at: Timestamp,
    ) -> impl Future<Output = Result<(), Fault>> + Send;

    /// A job; absent where there is none of that identifier.
    ///
    /// # Errors
    /// What the database says.
    fn job(&self, job: JobId) -> impl Future<Output = Result<Option<StoredJob>, Fault>> + Send;

    /// At most so many jobs, the latest changed first.
    ///
    /// # Errors
    /// What the database says.
    fn jobs(
        &self,
        query: &JobQuery,
        after: Option<JobPlace>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<JobSummary>, Fault>> + Send;

    /// The job that a pull request's name means to this caller: the newest of their own that isn't finished, else the newest
    /// that they see.
    ///
    /// # Errors
    /// What the database says.
    fn job_of_pull(
        &self,
        reference: &PullReference,
        asking: &Asking,
    ) -> impl Future<Output = Result<Option<JobId>, Fault>> + Send;

    /// The platform's threads of a job's pull request as they were last put.
    ///
    /// # Errors
    /// What the database says.
    fn job_threads(&self, job: JobId) -> impl Future<Output = Result<Vec<Thread>, Fault>> + Send;

    /// A job's findings, in the order in which they came.
    ///
    /// # Errors
    /// What the database says.
    fn job_findings(&self, job: JobId) -> impl Future<Output = Result<Vec<StoredFinding>, Fault>> + Send;

    /// A job's actions, in the order in which they came.
    ///
    /// # Errors
    /// What the database says.
    fn job_actions(&self, job: JobId) -> impl Future<Output = Result<Vec<StoredAction>, Fault>> + Send;

    /// A job's publications with all their revisions, in their order.
    ///
    /// # Errors
    /// What the database says.
    fn job_publications(&self, job: JobId) -> impl Future<Output = Result<Vec<StoredPublication>, Fault>> + Send;

    /// The newest revision of a publication; absent where there is none of that identifier.
    ///
    /// # Errors
    /// What the database says.
    fn publication(
        &self,
        publication: PublicationId,
    ) -> impl Future<Output = Result<Option<StoredPublication>, Fault>> + Send;

    /// The revision of a publication that this request asks about; absent where it asks about none.
    ///
    /// # Errors
    /// What the database says.
    fn publication_of(
        &self,
        request: RequestId,
    ) -> impl Future<Output = Result<Option<StoredPublication>, Fault>> + Send;

    /// At most so many events of a job after this one, in their order.
    ///
    /// # Errors
    /// What the database says.
    fn job_events(
        &self,
        job: JobId,
        after: u64,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<JobEvent>, Fault>> + Send;

    /// Does something to the newest revision of a publication. Asked for changes, its job is told while that isn't finished.
    ///
    /// # Errors
    /// `wrong_state` where there is none of that identifier, or it can't be done where it stands or where the question that
    /// it answers doesn't stand any more; `person_deciding`; `changed_question` where the digest is another than that of what
    /// would be approved; `empty_reply`, `unsafe_text` and `too_large` of the person's draft; what the database says. Nothing
    /// has happened then.
    fn act_on_publication(
        &self,
        acting: PublicationActing,
    ) -> impl Future<Output = Result<PublicationActed, Fault>> + Send;

    /// The person is asked about this revision by this request. False where they aren't to be any more, or are by another one.
    ///
    /// # Errors
    /// What the database says.
    fn publication_asked(
        &self,
        publication: PublicationId,
        revision: u32,
        request: RequestId,
    ) -> impl Future<Output = Result<bool, Fault>> + Send;

    /// The publications that wait for the person, each with the request; without one where it is still to be made.
    ///
    /// # Errors
    /// What the database says.
    fn open_publications(&self) -> impl Future<Output = Result<Vec<OpenPublication>, Fault>> + Send;

    /// At most so many jobs that are completed and of which what stands in no publication is still to be put into one.
    ///
    /// # Errors
    /// What the database says.
    fn jobs_to_publish(&self, limit: usize) -> impl Future<Output = Result<Vec<JobId>, Fault>> + Send;

    /// There is nothing of such a job that stands in none.
    ///
    /// # Errors
    /// What the database says.
    fn nothing_to_publish(&self, job: JobId) -> impl Future<Output = Result<(), Fault>> + Send;

    /// At most so many jobs that wait for a runner, in their order: the person's first, then the oldest. One whose run was
    /// lost is among them while it is to be started again.
    ///
    /// # Errors
    /// What the database says.
    fn jobs_to_run(&self, limit: usize) -> impl Future<Output = Result<Vec<JobSummary>, Fault>> + Send;

    /// After so many milliseconds in which the gate or the machine was off, which aren't to count.
    ///
    /// # Errors
    /// What the database says.
    fn jobs_were_off(&self, off_millis: u64, now: Timestamp) -> impl Future<Output = Result<(), Fault>> + Send;

    /// At most so many jobs of which time ends something by now, the oldest first: [`Act::Clock`](super::Act::Clock) does.
    ///
    /// # Errors
    /// What the database says.
    fn jobs_due(&self, now: Timestamp, limit: usize) -> impl Future<Output = Result<Vec<DueJob>, Fault>> + Send;

    /// When time ends something next; absent where nothing will be.
    ///
    /// # Errors
    /// What the database says.
    fn next_job_due(&self) -> impl Future<Output = Result<Option<Timestamp>, Fault>> + Send;
}
