//! What the platform says of pull requests, and which job one's name means.

use gate_core::Timestamp;
use gate_core::git::Oid;
use gate_core::proposal::Party;
use gate_core::workflow::record::{Asking, JobSummary, PullFacts};
use gate_core::workflow::reference::Candidate;
use gate_core::workflow::{JobId, JobStatus, JobType, PullReference, Thread, unknown_job};
use sqlx::Connection as _;

use super::{reading, standing};
use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::store::Store;
use crate::tables::numbers::{signed, word};

/// The latest jobs of a pull request, of which one is meant.
const CANDIDATES: i64 = 500;

impl Store {
    pub(super) async fn keep_pull(&self, job: JobId, facts: PullFacts) -> Result<Option<JobSummary>, StoreError> {
        let id = job.to_string();
        let commits = [&facts.head, &facts.base, &facts.start];
        let [head, base, start] = commits.map(|commit| commit.as_ref().map(Oid::as_str));
        let mut writer = self.writer.acquire().await?;
        sqlx::query!(
            "UPDATE workflow_jobs
             SET title = coalesce(?2, title), head_sha = coalesce(head_sha, ?3), base_sha = coalesce(base_sha, ?4),
                 start_sha = coalesce(start_sha, ?5), newest_sha = coalesce(?3, newest_sha)
             WHERE job_id = ?1",
            id,
            facts.title,
            head,
            base,
            start,
        )
        .execute(&mut *writer)
        .await?;
        reading::summary(&mut writer, job).await
    }

    pub(super) async fn keep_threads(
        &self,
        job: JobId,
        threads: &[Thread],
        fetched_at: Timestamp,
    ) -> Result<(), StoreError> {
        let id = job.to_string();
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin_with("BEGIN IMMEDIATE").await?;
        let known = sqlx::query!("UPDATE workflow_jobs SET threads_at = ?2 WHERE job_id = ?1", id, fetched_at.0)
            .execute(&mut *tx)
            .await?;
        if known.rows_affected() == 0 {
            return Err(unknown_job(Some(&id)).into());
        }
        sqlx::query!("DELETE FROM workflow_threads WHERE job_id = ?1", id).execute(&mut *tx).await?;
        for (n, thread) in threads.iter().enumerate() {
            let (n, status) = (signed(n as u64), thread.status.as_str());
            let comments = thread.comments.as_ref().map(to_json).transpose()?;
            sqlx::query!(
                "INSERT INTO workflow_threads (job_id, n, thread, file, line, status, body, comments)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                id,
                n,
                thread.id,
                thread.file,
                thread.line,
                status,
                thread.body,
                comments,
            )
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    pub(super) async fn meant_job(
        &self,
        reference: &PullReference,
        asking: &Asking,
    ) -> Result<Option<JobId>, StoreError> {
        let (platform, number) = (reference.platform.as_str(), signed(reference.number));
        let rows = sqlx::query!(
            r#"SELECT j.job_id, j.job_type, j.status, j.workspace, j.created_at,
                      (SELECT p.facts FROM parties p WHERE p.party = j.party) AS "party?: String",
                      (SELECT r.facts FROM parties r WHERE r.party = j.run_party) AS "run_party?: String"
               FROM workflow_jobs j
               WHERE j.project = ?1 AND j.number = ?2 AND j.platform = ?3
               ORDER BY j.updated_at DESC, j.job_id DESC LIMIT ?4"#,
            reference.project,
            number,
            platform,
            CANDIDATES,
        )
        .fetch_all(&self.readers)
        .await?;
        let (mut own, mut seen) = (Vec::new(), Vec::new());
        for row in rows {
            let creator: Option<Party> = row.party.as_deref().map(from_json).transpose()?;
            let run: Option<Party> = row.run_party.as_deref().map(from_json).transpose()?;
            let candidate = Candidate {
                job_id: row.job_id.parse()?,
                job_type: word(JobType::parse(&row.job_type), &row.job_type)?,
                is_finished: word(JobStatus::parse(&row.status), &row.status)?.is_finished(),
                created_at: Timestamp(row.created_at),
            };
            let is_own = standing::is_own(creator.as_ref(), run.as_ref(), &asking.party, asking.has_ended);
            if is_own && !candidate.is_finished {
                own.push(candidate.clone());
            }
            if is_own || asking.workspaces.contains(&row.workspace) {
                // The newest, whether it is finished or not.
                seen.push(Candidate { is_finished: true, ..candidate });
            }
        }
        Ok(reference.choose(&own).or_else(|| reference.choose(&seen)))
    }
}
