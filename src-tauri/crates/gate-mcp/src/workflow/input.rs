//! What the workflow's tools take. What comes out is within its bounds; what it means is behind the port.

use gate_core::ask::{at_most_bytes, at_most_chars};
use gate_core::reply::Side;
use gate_core::workflow::publication::{Score, Summary};
use gate_core::workflow::{
    Act, Action, ActionFields, ActionType, AgentEnd, Finding, JobReference, JobType, PathText, Phase, PublishEvent,
    Readiness, Severity, bounds, finding,
};
use gate_core::{Code, Fault, RequestId, SessionUuid};
use serde_json::{Value, json};

use super::port::JobWish;
use crate::answer::{SESSION_INPUT as SESSION, SIDE, blank_to_none, filled, needed, takes};
use crate::input::{FLAG, Id, Kind, List, Object, TEXT, Unlisted, Whole, Word, fields, wrong_type};

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;

const PHASE: Word<Phase> = Word { all: Phase::ALL, name: Phase::as_str, read: Phase::parse };
const END: Word<AgentEnd> = Word { all: AgentEnd::ALL, name: AgentEnd::as_str, read: AgentEnd::parse };
const TYPE: Word<ActionType> = Word { all: ActionType::ALL, name: ActionType::as_str, read: ActionType::parse };
const JOB_TYPE: Word<JobType> = Word { all: JobType::ALL, name: JobType::as_str, read: JobType::parse };
const SEVERITY: Word<Severity> = Word { all: Severity::ALL, name: Severity::as_str, read: Severity::parse };
const EVENT: Word<PublishEvent> =
    Word { all: PublishEvent::ALL, name: PublishEvent::as_str, read: PublishEvent::parse };
const VERDICT: Word<Readiness> = Word { all: Readiness::ALL, name: Readiness::as_str, read: Readiness::parse };
const SINCE: Word<Since> = Word { all: &[Since::LastReview], name: |_| LAST_REVIEW, read: since };
/// The number of a line.
const LINE: Whole = Whole { least: 1, most: bounds::LINE as u64 };
/// The number of an attempt.
const ATTEMPT: Whole = Whole { least: 1, most: u32::MAX as u64 };
const LAST_REVIEW: &str = "last_review";

/// How much of a diff is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Since {
    LastReview,
}

fn since(text: &str) -> Option<Since> {
    (text == LAST_REVIEW).then_some(Since::LastReview)
}

/// A job, by its id or as review-flow names it.
#[derive(Debug, Clone, Copy)]
struct Job;

const JOB: Job = Job;

impl Kind for Job {
    type Value = JobReference;

    fn schema(&self) -> Value {
        TEXT.schema()
    }

    fn read(&self, path: &str, value: Value) -> Result<JobReference, Fault> {
        JobReference::parse(&TEXT.read(path, value)?)
    }
}

/// So many points of ten.
#[derive(Debug, Clone, Copy)]
struct Points;

impl Kind for Points {
    type Value = Score;

    fn schema(&self) -> Value {
        json!({ "type": "number", "minimum": 0, "maximum": 10 })
    }

    fn read(&self, path: &str, value: Value) -> Result<Score, Fault> {
        Score::of(value.as_f64().ok_or_else(|| wrong_type(path, "a number", &value))?)
    }
}

fields! {
    /// What `get_workflow` takes.
    pub(super) struct Reading {
        /// As create_job gave it; `github:OWNER/REPO:NUMBER` works, too. Left out where you were started for one job.
        job_id as "jobId": Option<JobReference> = JOB,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
    }
}

takes!(Reading of session_uuid => Option<JobReference>: |input| { Ok(input.job_id) });

fields! {
    /// What `set_phase` takes.
    pub(super) struct Phasing needs phase {
        job_id as "jobId": Option<JobReference> = JOB,
        phase: Option<Phase> = PHASE,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
    }
}

takes!(Phasing of session_uuid => (Option<JobReference>, Phase): |input| {
    Ok((input.job_id, needed("phase", input.phase)?))
});

fields! {
    /// What `start_agent` takes.
    pub(super) struct Starting needs agent_name as "agentName" {
        job_id as "jobId": Option<JobReference> = JOB,
        agent_name as "agentName": Option<String> = TEXT,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
    }
}

takes!(Starting of session_uuid => (Option<JobReference>, String): |input| {
    Ok((input.job_id, filled("agentName", input.agent_name)?))
});

fields! {
    /// What `complete_agent` takes.
    pub(super) struct Ending needs agent_name as "agentName", status {
        job_id as "jobId": Option<JobReference> = JOB,
        agent_name as "agentName": Option<String> = TEXT,
        status: Option<AgentEnd> = END,
        /// Why it failed.
        error: Option<String> = TEXT,
        /// As start_agent gave it; the newest by default.
        attempt: Option<u64> = ATTEMPT,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
    }
}

takes!(Ending of session_uuid => (Option<JobReference>, Act): |input| {
    let name = filled("agentName", input.agent_name)?;
    let end = needed("status", input.status)?;
    let error = blank_to_none(input.error).filter(|_| end == AgentEnd::Failed);
    at_most_bytes("error", error.as_deref().unwrap_or_default(), bounds::ERROR_BYTES)?;
    Ok((input.job_id, Act::CompleteAgent { name, end, error, attempt: whole(input.attempt) }))
});

fields! {
    /// What `add_action` takes.
    pub(super) struct Acting needs action_type as "type" {
        job_id as "jobId": Option<JobReference> = JOB,
        action_type as "type": Option<ActionType> = TYPE,
        /// THREAD_RESOLVE, THREAD_REPLY.
        thread_id as "threadId": Option<String> = TEXT,
        /// THREAD_REPLY; before a THREAD_RESOLVE.
        message: Option<String> = TEXT,
        /// POST_COMMENT, POST_INLINE_COMMENT.
        body: Option<String> = TEXT,
        /// POST_INLINE_COMMENT.
        file_path as "filePath": Option<String> = TEXT,
        /// After the change.
        line: Option<u64> = LINE,
        /// ADD_LABEL.
        label: Option<String> = TEXT,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
    }
}

takes!(Acting of session_uuid => (Option<JobReference>, Action): |input| {
    let action_type = needed("type", input.action_type)?;
    let fields = ActionFields {
        thread_id: input.thread_id,
        message: input.message,
        body: input.body,
        file_path: input.file_path,
        line: whole(input.line),
        label: input.label,
    };
    Ok((input.job_id, Action::read(action_type.as_str(), fields)?))
});

fields! {
    /// What `get_threads` takes.
    pub(super) struct Threads {
        job_id as "jobId": Option<JobReference> = JOB,
        /// Ask the platform now.
        refresh: bool = FLAG,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
    }
}

takes!(Threads of session_uuid => (Option<JobReference>, bool): |input| { Ok((input.job_id, input.refresh)) });

fields! {
    /// What `create_job` takes.
    pub(super) struct Creating needs url {
        /// Of the pull or merge request, as a browser has it.
        url: Option<String> = TEXT,
        /// review, followup, or one of the person's.
        workflow: Option<String> = TEXT,
        job_type as "jobType": Option<JobType> = JOB_TYPE,
        /// A clone of it.
        local_path as "localPath": Option<String> = TEXT,
        /// Another one where there is one already.
        force: bool = FLAG,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
    }
}

takes!(Creating of session_uuid => JobWish: |input| {
    let url = filled("url", input.url)?;
    at_most_chars("url", &url, bounds::URL_CHARS)?;
    at_most_chars("workflow", input.workflow.as_deref().unwrap_or_default(), bounds::NAME_CHARS)?;
    let path = gate_core::bounds::REPOSITORY_PATH_CHARS;
    at_most_chars("localPath", input.local_path.as_deref().unwrap_or_default(), path)?;
    Ok(JobWish {
        url,
        workflow: blank_to_none(input.workflow),
        job_type: input.job_type,
        local_path: blank_to_none(input.local_path),
        force: input.force,
    })
});

fields! {
    /// What `get_diff` takes.
    pub(super) struct Diffing {
        job_id as "jobId": Option<JobReference> = JOB,
        /// A file or folder.
        path: Option<String> = TEXT,
        /// Only what is new since then.
        since: Option<Since> = SINCE,
        cursor: Option<String> = TEXT,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
    }
}

/// Which page of which diff is read.
#[derive(Debug)]
pub(super) struct Diffed {
    pub(super) job: Option<JobReference>,
    pub(super) path: Option<String>,
    pub(super) since_last: bool,
    pub(super) cursor: Option<String>,
}

takes!(Diffing of session_uuid => Diffed: |input| {
    let path = blank_to_none(input.path);
    if let Some(path) = &path {
        PathText(path.trim_end_matches('/')).check("path")?;
    }
    let (since_last, cursor) = (input.since.is_some(), blank_to_none(input.cursor));
    Ok(Diffed { job: input.job_id, path, since_last, cursor })
});

fields! {
    /// What `add_findings` takes.
    pub(super) struct Finds needs findings {
        job_id as "jobId": Option<JobReference> = JOB,
        findings: Vec<Found> = List::bounded(Object::<Found>::new(), bounds::FINDINGS_AT_ONCE),
        /// Whose they are.
        agent_name as "agentName": Option<String> = TEXT,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
    }
}

fields! {
    /// A finding.
    pub(super) struct Found needs title, body, severity {
        /// On one line.
        title: Option<String> = TEXT.at_most(bounds::TITLE_CHARS),
        /// Markdown.
        body: Option<String> = TEXT,
        severity: Option<Severity> = SEVERITY,
        /// As the diff names it.
        file: Option<String> = TEXT,
        line: Option<u64> = LINE,
        end_line as "endLine": Option<u64> = LINE,
        side: Option<Side> = SIDE,
        /// The lines themselves: they win over their numbers.
        snippet: Option<String> = TEXT,
        /// What could stand in their place.
        suggestion: Option<String> = TEXT,
        category: Option<String> = TEXT.at_most(bounds::CATEGORY_CHARS),
    }
}

/// What was found, and by which agent.
#[derive(Debug)]
pub(super) struct HandedIn {
    pub(super) job: Option<JobReference>,
    pub(super) agent: Option<String>,
    pub(super) findings: Vec<Finding>,
}

takes!(Finds of session_uuid => HandedIn: |input| {
    let findings = input.findings.into_iter().enumerate().map(|(at, found)| found.read(at)).collect::<Result<Vec<_>, _>>()?;
    finding::check(&findings)?;
    Ok(HandedIn { job: input.job_id, agent: blank_to_none(input.agent_name), findings })
});

impl Found {
    fn read(self, at: usize) -> Result<Finding, Fault> {
        let field = |name: &str| format!("findings[{at}].{name}");
        Ok(Finding {
            title: needed(&field("title"), self.title)?,
            body: needed(&field("body"), self.body)?,
            severity: needed(&field("severity"), self.severity)?,
            file: blank_to_none(self.file),
            line: whole(self.line),
            end_line: whole(self.end_line),
            side: self.side,
            snippet: blank_to_none(self.snippet),
            suggestion: self.suggestion,
            category: blank_to_none(self.category),
        })
    }
}

fields! {
    /// What `publish` takes.
    pub(super) struct Publishing {
        job_id as "jobId": Option<JobReference> = JOB,
        /// The report, in Markdown.
        summary: Option<String> = TEXT,
        event: Option<PublishEvent> = EVENT,
        score: Option<Score> = Points,
        verdict: Option<Readiness> = VERDICT,
        /// Of an earlier result, in place of all else: where it stands now.
        request_id: Option<RequestId> = Id::<RequestId>::new(),
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
    }
}

/// What is put before the person, or was.
#[derive(Debug)]
pub(super) enum Published {
    New(Summary),
    Request(RequestId),
}

takes!(Publishing of session_uuid => (Option<JobReference>, Published): |input| {
    let summary = blank_to_none(input.summary);
    let published = match (input.request_id, summary) {
        (Some(_), Some(_)) => return Err(Fault::new(
            Code::InvalidInput,
            "`request_id` and `summary` are of two calls.",
            "Pass `request_id` alone to hear of what you have put before the person, or `summary` to put something new before \
             them.",
        )),
        (Some(request), None) => Published::Request(request),
        (None, summary) => {
            let summary = needed("summary", summary)?;
            at_most_bytes("summary", &summary, bounds::SUMMARY_BYTES)?;
            let event = input.event.unwrap_or(PublishEvent::Comment);
            Published::New(Summary { summary, event, score: input.score, verdict: input.verdict })
        }
    };
    Ok((input.job_id, published))
});

/// A number that its kind has held against its bound.
fn whole(number: Option<u64>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number).ok())
}
