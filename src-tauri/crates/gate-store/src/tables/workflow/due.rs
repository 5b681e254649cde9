//! What time and the gate have to do about jobs.

use gate_core::Timestamp;
use gate_core::workflow::record::DueJob;
use gate_core::workflow::{Act, By, JobId};
use sqlx::Connection as _;

use super::{reading, writing};
use crate::error::StoreError;
use crate::store::Store;

impl Store {
    pub(super) async fn due_jobs(&self, now: Timestamp, limit: usize) -> Result<Vec<DueJob>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = sqlx::query!(
            r#"SELECT job_id, due_at AS "due_at!" FROM workflow_jobs WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2"#,
            now.0,
            limit,
        )
        .fetch_all(&self.readers)
        .await?;
        let due = rows.into_iter().map(|row| Ok(DueJob { job_id: row.job_id.parse()?, at: Timestamp(row.due_at) }));
        due.collect()
    }

    pub(super) async fn next_due_of_jobs(&self) -> Result<Option<Timestamp>, StoreError> {
        let at = sqlx::query_scalar!(
            r#"SELECT due_at AS "due_at!" FROM workflow_jobs WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1"#
        );
        Ok(at.fetch_optional(&self.readers).await?.map(Timestamp))
    }

    /// Leaves time out of all jobs that a run has or had.
    pub(super) async fn leave_out_of_jobs(&self, off_millis: u64, now: Timestamp) -> Result<(), StoreError> {
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin_with("BEGIN IMMEDIATE").await?;
        let open = sqlx::query_scalar!("SELECT job_id FROM workflow_jobs WHERE status IN ('running', 'interrupted')");
        for id in open.fetch_all(&mut *tx).await? {
            let Some(job) = reading::job(&mut tx, id.parse()?).await? else { continue };
            let step = job.state.step(&job.definition, &By::Gate, &Act::Off(off_millis), now);
            let step = step.map_err(|refusal| StoreError::Fault(refusal.fault()))?;
            let event = job.summary.event;
            let written = writing::State { state: &step.job, run_party: None, publishes: None, event, now };
            writing::state(&mut tx, &job, written).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    pub(super) async fn unpublished_jobs(&self, limit: usize) -> Result<Vec<JobId>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let found =
            sqlx::query_scalar!("SELECT job_id FROM workflow_jobs WHERE publishes = 1 ORDER BY job_id LIMIT ?1", limit);
        found.fetch_all(&self.readers).await?.into_iter().map(|id| Ok(id.parse()?)).collect()
    }

    pub(super) async fn has_nothing_to_publish(&self, job: JobId) -> Result<(), StoreError> {
        let id = job.to_string();
        sqlx::query!("UPDATE workflow_jobs SET publishes = 0 WHERE job_id = ?1", id)
            .execute(&mut *self.writer.acquire().await?)
            .await?;
        Ok(())
    }
}
