//! A job as its row has it.

use gate_core::Timestamp;
use gate_core::git::Oid;
use gate_core::workflow::record::JobSummary;
use gate_core::workflow::{JobStatus, JobType, Phase, Platform, Pull};

use crate::error::StoreError;
use crate::tables::numbers::{unsigned, word};

/// Reads what rows of `workflow_jobs` say in a few words: what follows the table's name, in parts, then its arguments.
macro_rules! job_rows {
    ($($part:literal)+; $($argument:expr),+) => {
        sqlx::query_as!(
            $crate::tables::workflow::row::JobRow,
            r#"SELECT j.job_id, j.session_uuid, j.party, j.run_party, j.workspace, j.platform, j.host, j.project, j.number,
                      j.title, j.head_sha, j.newest_sha, j.workflow, j.job_type, j.runner, j.status, j.phase, j.progress,
                      j.created_at, j.updated_at, j.event,
                      (SELECT count(*) FROM workflow_findings f WHERE f.job_id = j.job_id) AS "findings!: i64"
               FROM workflow_jobs j "# $(+ $part)+,
            $($argument),+
        )
    };
}
pub(super) use job_rows;

/// A row of `workflow_jobs` without what only its rules look at.
#[derive(Debug)]
pub(super) struct JobRow {
    pub(super) job_id: String,
    pub(super) session_uuid: String,
    pub(super) party: Option<String>,
    pub(super) run_party: Option<String>,
    pub(super) workspace: String,
    pub(super) platform: String,
    pub(super) host: String,
    pub(super) project: String,
    pub(super) number: i64,
    pub(super) title: Option<String>,
    pub(super) head_sha: Option<String>,
    pub(super) newest_sha: Option<String>,
    pub(super) workflow: String,
    pub(super) job_type: String,
    pub(super) runner: Option<String>,
    pub(super) status: String,
    pub(super) phase: String,
    pub(super) progress: i64,
    pub(super) created_at: i64,
    pub(super) updated_at: i64,
    pub(super) event: i64,
    pub(super) findings: i64,
}

impl JobRow {
    /// The job in a few words.
    ///
    /// # Errors
    /// Where something in the row can't be read.
    pub(super) fn summary(self) -> Result<JobSummary, StoreError> {
        Ok(JobSummary {
            job_id: self.job_id.parse()?,
            session_uuid: self.session_uuid.parse()?,
            pull: Pull {
                platform: word(Platform::parse(&self.platform), &self.platform)?,
                host: self.host,
                project: self.project,
                number: unsigned(self.number),
            },
            title: self.title,
            head: self.head_sha.map(oid).transpose()?,
            newest: self.newest_sha.map(oid).transpose()?,
            workflow: self.workflow,
            job_type: word(JobType::parse(&self.job_type), &self.job_type)?,
            status: word(JobStatus::parse(&self.status), &self.status)?,
            phase: word(Phase::parse(&self.phase), &self.phase)?,
            overall_progress: unsigned(self.progress),
            party: self.party,
            run_party: self.run_party,
            workspace: self.workspace,
            runner: self.runner,
            findings: unsigned(self.findings),
            created_at: Timestamp(self.created_at),
            updated_at: Timestamp(self.updated_at),
            event: unsigned(self.event),
        })
    }
}

/// Reads the name of a commit.
pub(super) fn oid(text: String) -> Result<Oid, StoreError> {
    Oid::try_from(text).map_err(StoreError::Unexpected)
}
