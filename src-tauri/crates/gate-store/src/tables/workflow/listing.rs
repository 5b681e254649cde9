//! Lists of jobs. A list is made of parts, each of which an index gives in the order of the list: no page of it takes longer
//! where there are more jobs that it doesn't hold.

use std::collections::HashSet;

use gate_core::workflow::record::{JobPlace, JobQuery, JobSummary, JobsOf};
use gate_core::workflow::{JobStatus, Pull};
use sqlx::SqliteConnection;

use super::row::{JobRow, job_rows};
use crate::error::StoreError;
use crate::store::Store;
use crate::tables::numbers::signed;

/// Reads the next jobs of a part, of which `$only` says what it holds.
macro_rules! next {
    ($only:literal, $list:expr, $connection:expr $(, $argument:expr)*) => {
        job_rows!(
            "WHERE (j.updated_at, j.job_id) < (?1, ?2) " $only " ORDER BY j.updated_at DESC, j.job_id DESC LIMIT ?3";
            $list.after_at,
            $list.after_id,
            $list.limit
            $(, $argument)*
        )
        .fetch_all(&mut *$connection)
        .await
    };
}

/// What a list holds, as statements want it.
struct List {
    after_at: i64,
    after_id: String,
    limit: i64,
    status: Option<&'static str>,
}

impl Store {
    /// At most so many jobs, the latest changed first.
    pub(super) async fn listed_jobs(
        &self,
        query: &JobQuery,
        after: Option<JobPlace>,
        limit: usize,
    ) -> Result<Vec<JobSummary>, StoreError> {
        let (after_at, after_id) =
            after.map_or((i64::MAX, String::new()), |place| (place.updated_at.0, place.job_id.to_string()));
        let status = query.status.map(JobStatus::as_str);
        let list = List { after_at, after_id, limit: i64::try_from(limit).unwrap_or(i64::MAX), status };
        // All parts as they are at one moment.
        let mut reading = self.readers.begin().await?;
        let mut rows = Vec::new();
        match &query.of {
            JobsOf::All => rows.extend(list.anybodys(&mut reading).await?),
            JobsOf::Party(party) => rows.extend(list.of_party(&mut reading, party).await?),
            JobsOf::Seen { workspaces, own } => {
                for workspace in workspaces {
                    rows.extend(list.of_workspace(&mut reading, workspace).await?);
                }
                rows.extend(list.of_party(&mut reading, own).await?);
            }
            JobsOf::Pull(pull) => rows.extend(list.of_pull(&mut reading, pull).await?),
        }
        reading.rollback().await?;
        rows.sort_unstable_by(|one, other| (other.updated_at, &other.job_id).cmp(&(one.updated_at, &one.job_id)));
        let mut seen = HashSet::new();
        rows.retain(|row| seen.insert(row.job_id.clone()));
        rows.truncate(limit);
        rows.into_iter().map(JobRow::summary).collect()
    }

    /// At most so many jobs that wait for a runner, the person's first, then the oldest.
    pub(super) async fn queued_jobs(&self, limit: usize) -> Result<Vec<JobSummary>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows =
            job_rows!("WHERE j.queue_at IS NOT NULL ORDER BY j.by_person DESC, j.queue_at, j.job_id LIMIT ?1"; limit);
        rows.fetch_all(&self.readers).await?.into_iter().map(JobRow::summary).collect()
    }
}

impl List {
    async fn anybodys(&self, connection: &mut SqliteConnection) -> Result<Vec<JobRow>, StoreError> {
        Ok(match self.status {
            Some(status) => next!("AND j.status = ?4", self, connection, status)?,
            None => next!("", self, connection)?,
        })
    }

    async fn of_workspace(
        &self,
        connection: &mut SqliteConnection,
        workspace: &str,
    ) -> Result<Vec<JobRow>, StoreError> {
        Ok(match self.status {
            Some(status) => next!("AND j.workspace = ?4 AND j.status = ?5", self, connection, workspace, status)?,
            None => next!("AND j.workspace = ?4", self, connection, workspace)?,
        })
    }

    /// Those that a party created, and those whose run is, or was last, its.
    async fn of_party(&self, connection: &mut SqliteConnection, party: &str) -> Result<Vec<JobRow>, StoreError> {
        let (mut created, run) = match self.status {
            Some(status) => (
                next!("AND j.party = ?4 AND j.status = ?5", self, connection, party, status)?,
                next!("AND j.run_party = ?4 AND j.status = ?5", self, connection, party, status)?,
            ),
            None => (
                next!("AND j.party = ?4", self, connection, party)?,
                next!("AND j.run_party = ?4", self, connection, party)?,
            ),
        };
        created.extend(run);
        Ok(created)
    }

    async fn of_pull(&self, connection: &mut SqliteConnection, pull: &Pull) -> Result<Vec<JobRow>, StoreError> {
        let (number, platform) = (signed(pull.number), pull.platform.as_str());
        Ok(next!(
            "AND j.project = ?4 AND j.number = ?5 AND j.platform = ?6 AND j.host = ?7 AND (?8 IS NULL OR j.status = ?8)",
            self,
            connection,
            pull.project,
            number,
            platform,
            pull.host,
            self.status
        )?)
    }
}
