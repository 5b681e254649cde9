//! What the workflow's tools and resources give, in the words that reviewers know.

use gate_core::diff::FileChange;
use gate_core::reply::Side;
use gate_core::workflow::publication::ItemResult;
use gate_core::workflow::record::{JobEvent, JobSummary};
use gate_core::workflow::{
    ActionId, ActionType, AgentStatus, Anchor, AnchorKind, Definition, FindingId, FindingState, ItemId, ItemKind,
    ItemState, JobId, JobState, JobStatus, JobType, KeptFinding, Phase, Platform, PublicationId, PublicationState,
    Severity, Thread, ThreadComment, ThreadStatus, told,
};
use gate_core::{Digest, Oid, Timestamp};
use serde_json::{Map, Value};

use super::port::{JobRead, PreviousReview, PublicationRead};
use crate::output::{ids, output, words};

words!(Phase: Initializing, AgentsRunning, Synthesizing, Publishing, Completed);
words!(AgentStatus: Pending, Running, Completed, Failed);
words!(JobStatus: Parked, Queued, Running, Interrupted, Completed, Failed, Cancelled, Superseded);
words!(JobType: Review, Followup);
words!(Platform: Github, Gitlab);
words!(Severity: Blocking, Warning, Suggestion);
words!(FindingState: New, Known, Dismissed);
words!(AnchorKind: Line, File, Report);
words!(ThreadStatus: Open, Resolved);
words!(PublicationState: Open, Approved, Sending, Held, Posted, Returned, Dropped);
words!(ItemKind: Report, Finding, Reply, Resolve, Comment, InlineComment, Label);
words!(ItemState: Open, Dropped, Posted, FellBack, Refused);
words!(ActionType: ThreadResolve, ThreadReply, PostComment, PostInlineComment, AddLabel, FetchThreads);
words!(FileChange: Modified, Added, Deleted, Renamed);
ids!(JobId, FindingId, ActionId, PublicationId, ItemId);

output! {
    of Anchor {
        kind: AnchorKind,
        file: Option<String>,
        line: Option<u32>,
        end_line as "endLine": Option<u32>,
        side: Option<Side>,
        /// Where the line that was asked for stands in no hunk, the nearest that does.
        nearest ?: Option<u32>,
    }
}

output! {
    of Thread {
        id: String,
        file: Option<String>,
        line: Option<u32>,
        status: ThreadStatus,
        body: String,
        /// The oldest first.
        comments ?: Option<Vec<ThreadComment>>,
    }
}

output! {
    of ThreadComment {
        author: Option<String>,
        body: String,
        created_at as "createdAt": Timestamp,
    }
}

output! {
    /// What `get_workflow` gives.
    pub(super) struct WorkflowView<'a> {
        job_id as "jobId": JobId,
        workflow: StepsView<'a>,
        context: ContextView<'a>,
        current_state as "currentState": StateView<'a>,
    }
}

output! {
    /// What a job goes through.
    pub(super) struct StepsView<'a> {
        phases: &'a [Phase],
        agents: Vec<AgentView<'a>>,
        instructions: String,
    }
}

output! {
    /// An agent of a workflow.
    pub(super) struct AgentView<'a> {
        name: &'a str,
        display_name as "displayName": &'a str,
        /// Equal ones may run side by side.
        order: u32,
    }
}

output! {
    /// What is reviewed.
    pub(super) struct ContextView<'a> {
        merge_request_number as "mergeRequestNumber": u64,
        project_path as "projectPath": &'a str,
        platform: Platform,
        threads: &'a [Thread],
        url: String,
        /// Null, as the commits, until the platform has answered.
        title: Option<&'a str>,
        head_sha as "headSha": Option<&'a Oid>,
        base_sha as "baseSha": Option<&'a Oid>,
        previous ?: Option<PreviousView<'a>>,
        /// Whether the threads are older than the platform's.
        stale: bool,
    }
}

output! {
    /// The review before this one.
    pub(super) struct PreviousView<'a> {
        job_id as "jobId": JobId,
        head_sha as "headSha": Option<&'a Oid>,
        findings: Vec<PreviousFinding<'a>>,
    }
}

output! {
    /// What that one found.
    pub(super) struct PreviousFinding<'a> {
        finding_id as "findingId": FindingId,
        fingerprint: Digest,
        severity: Severity,
        title: &'a str,
        file: Option<&'a str>,
        line: Option<u32>,
    }
}

output! {
    /// Where a job stands.
    pub(super) struct StateView<'a> {
        phase: Phase,
        agents: Vec<ProgressView<'a>>,
        overall_progress as "overallProgress": u32 = { "maximum": 100 },
        status: JobStatus,
        last_update as "lastUpdate": Timestamp,
    }
}

output! {
    /// Where an agent stands.
    pub(super) struct ProgressView<'a> {
        name: &'a str,
        display_name as "displayName": &'a str,
        status: AgentStatus,
        started_at as "startedAt" ?: Option<Timestamp>,
        completed_at as "completedAt" ?: Option<Timestamp>,
        error ?: Option<&'a str>,
        attempt: u32,
    }
}

impl<'a> WorkflowView<'a> {
    pub(super) fn of(read: &'a JobRead) -> Self {
        let JobRead { job_id, definition, state, pull, threads, .. } = read;
        let agents = definition.agents.iter().map(|agent| AgentView {
            name: &agent.name,
            display_name: &agent.display_name,
            order: agent.order,
        });
        Self {
            job_id: *job_id,
            workflow: StepsView {
                phases: Phase::ALL,
                agents: agents.collect(),
                instructions: told::instructions(state, definition),
            },
            context: ContextView {
                merge_request_number: pull.number,
                project_path: &pull.project,
                platform: pull.platform,
                threads,
                url: pull.url(),
                title: read.title.as_deref(),
                head_sha: read.head.as_ref(),
                base_sha: read.base.as_ref(),
                previous: read.previous.as_ref().map(PreviousView::of),
                stale: read.stale,
            },
            current_state: StateView::of(state, definition),
        }
    }
}

impl<'a> PreviousView<'a> {
    fn of(PreviousReview { job_id, head, findings }: &'a PreviousReview) -> Self {
        let findings = findings.iter().map(|kept| PreviousFinding {
            finding_id: kept.finding_id,
            fingerprint: kept.fingerprint,
            severity: kept.finding.severity,
            title: &kept.finding.title,
            file: kept.anchor.file.as_deref(),
            line: kept.anchor.line,
        });
        Self { job_id: *job_id, head_sha: head.as_ref(), findings: findings.collect() }
    }
}

impl<'a> StateView<'a> {
    fn of(state: &'a JobState, definition: &'a Definition) -> Self {
        let agents = state.with_definitions(definition).map(|(agent, defined)| ProgressView {
            name: &agent.name,
            display_name: &defined.display_name,
            status: agent.status,
            started_at: agent.started_at,
            completed_at: agent.completed_at,
            error: agent.error.as_deref(),
            attempt: agent.attempt,
        });
        Self {
            phase: state.phase,
            agents: agents.collect(),
            overall_progress: state.overall_progress(definition),
            status: state.status,
            last_update: state.last_update,
        }
    }
}

output! {
    /// What `set_phase` gives.
    pub(super) struct PhaseView {
        success: bool,
        phase: Phase,
        overall_progress as "overallProgress": u32 = { "maximum": 100 },
    }
}

output! {
    /// What `start_agent` gives.
    pub(super) struct StartedView {
        success: bool,
        agent_name as "agentName": String,
        started_at as "startedAt": Timestamp,
        overall_progress as "overallProgress": u32 = { "maximum": 100 },
        phase: Phase,
        attempt: u32,
        /// What the agent is to do.
        prompt ?: Option<String>,
    }
}

output! {
    /// What `complete_agent` gives.
    pub(super) struct EndedView {
        success: bool,
        agent_name as "agentName": String,
        status: AgentStatus,
        completed_at as "completedAt": Timestamp,
        overall_progress as "overallProgress": u32 = { "maximum": 100 },
        error ?: Option<String>,
    }
}

output! {
    /// What `add_action` gives.
    pub(super) struct ActionView {
        success: bool,
        action_id as "actionId": ActionId,
        action_type as "actionType": ActionType,
        /// Of a comment on a line: where it can be put.
        anchor ?: Option<Anchor>,
    }
}

output! {
    /// What `get_threads` gives.
    pub(super) struct ThreadsView<'a> {
        success: bool,
        threads: &'a [Thread],
        count: usize,
        fetched_at as "fetchedAt": Option<Timestamp>,
        /// The platform couldn't be asked.
        stale: bool,
    }
}

output! {
    /// What `create_job` gives.
    pub(super) struct CreatedView {
        success: bool,
        job_id as "jobId": JobId,
        status: JobStatus,
        /// False: there was one of the same already.
        created: bool,
    }
}

output! {
    /// What `get_diff` gives.
    pub(super) struct DiffPage<'a> {
        success: bool,
        files: Vec<FileView<'a>>,
        /// Something of the diff is missing.
        incomplete: bool,
        /// Pass it to get_diff for the next page.
        next_cursor: Option<String>,
    }
}

output! {
    /// A file of a diff, or a part of it.
    pub(super) struct FileView<'a> {
        path: &'a str,
        old_path as "oldPath" ?: Option<&'a str>,
        change: FileChange,
        /// First and last lines that findings can be put at, on a file's first part: after the change, or before it where the
        /// file is gone.
        commentable: Vec<[u32; 2]>,
        /// Each line with its numbers before and after the change.
        text: String,
    }
}

output! {
    /// What `add_findings` gives.
    pub(super) struct FindingsView<'a> {
        success: bool,
        findings: Vec<FindingView<'a>>,
    }
}

output! {
    /// A finding that was taken.
    pub(super) struct FindingView<'a> {
        finding_id as "findingId": FindingId,
        fingerprint: Digest,
        state: FindingState,
        /// What it is put at.
        anchor: &'a Anchor,
    }
}

impl<'a> FindingView<'a> {
    pub(super) fn of(kept: &'a KeptFinding) -> Self {
        let KeptFinding { finding_id, fingerprint, state, anchor, .. } = kept;
        Self { finding_id: *finding_id, fingerprint: *fingerprint, state: *state, anchor }
    }
}

output! {
    /// What `publish` gives beside what the person has said.
    pub(super) struct PublishedView<'a> {
        success: bool,
        publication: PublicationView<'a>,
    }
}

output! {
    /// What would be posted, or was.
    pub(super) struct PublicationView<'a> {
        id: PublicationId,
        revision: u32,
        /// SHA-256 of its manifest: what is approved is what is posted.
        digest: Digest,
        state: PublicationState,
        items: Vec<ItemView<'a>>,
    }
}

output! {
    /// What became of an item.
    pub(super) struct ItemView<'a> {
        id: ItemId,
        kind: ItemKind,
        state: ItemState,
        url ?: Option<&'a str>,
        reason ?: Option<&'a str>,
    }
}

impl<'a> PublicationView<'a> {
    pub(super) fn of(read: &'a PublicationRead) -> Self {
        let item = |item: &'a ItemResult| ItemView {
            id: item.id,
            kind: item.kind,
            state: item.state,
            url: item.url.as_deref(),
            reason: item.reason.as_deref(),
        };
        let items = read.items.iter().map(item).collect();
        Self { id: read.id, revision: read.revision, digest: read.digest, state: read.state, items }
    }
}

output! {
    /// A job in a list.
    pub(super) struct JobView<'a> {
        job_id as "jobId": JobId,
        job_type as "jobType": JobType,
        status: JobStatus,
        phase: Phase,
        overall_progress as "overallProgress": u32,
        title: Option<&'a str>,
        url: String,
        created_at as "createdAt": Timestamp,
        last_update as "lastUpdate": Timestamp,
    }
}

impl<'a> JobView<'a> {
    pub(super) fn of(job: &'a JobSummary) -> Self {
        Self {
            job_id: job.job_id,
            job_type: job.job_type,
            status: job.status,
            phase: job.phase,
            overall_progress: job.overall_progress,
            title: job.title.as_deref(),
            url: job.pull.url(),
            created_at: job.created_at,
            last_update: job.updated_at,
        }
    }
}

output! {
    /// Something that happened to a job.
    pub(super) struct EventView<'a> {
        n: u64,
        at: Timestamp,
        kind: &'a str,
        data ?: &'a Map<String, Value>,
    }
}

impl<'a> EventView<'a> {
    pub(super) fn of(event: &'a JobEvent) -> Self {
        Self { n: event.n, at: event.at, kind: &event.kind, data: &event.data }
    }
}
