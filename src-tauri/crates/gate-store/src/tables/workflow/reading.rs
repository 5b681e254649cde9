//! What is read again of one job, within an act or by itself.

use gate_core::Timestamp;
use gate_core::git::Oid;
use gate_core::workflow::publication::KeptAction;
use gate_core::workflow::record::{Acted, JobEvent, JobSummary, StoredAction, StoredFinding, StoredJob};
use gate_core::workflow::{
    AgentState, AgentStatus, Definition, FindingState, JobId, JobState, KeptFinding, PublicationState, Thread,
    ThreadStatus,
};
use sqlx::SqliteConnection;

use super::row::{JobRow, job_rows, oid};
use crate::error::StoreError;
use crate::json::from_json;
use crate::store::Store;
use crate::tables::numbers::{digest, unsigned, word};

/// Reads a job in a few words.
pub(super) async fn summary(connection: &mut SqliteConnection, job: JobId) -> Result<Option<JobSummary>, StoreError> {
    let id = job.to_string();
    let row = job_rows!("WHERE j.job_id = ?1"; id);
    row.fetch_optional(connection).await?.map(JobRow::summary).transpose()
}

/// Reads one job with all that its rules look at.
pub(super) async fn job(connection: &mut SqliteConnection, job: JobId) -> Result<Option<StoredJob>, StoreError> {
    let Some(summary) = summary(connection, job).await? else { return Ok(None) };
    let id = job.to_string();
    let row = sqlx::query!(
        r#"SELECT state, definition, base_sha, start_sha, local_path, previous_id, threads_at,
                  (SELECT p.facts FROM parties p WHERE p.party = workflow_jobs.party) AS "party?: String",
                  (SELECT r.facts FROM parties r WHERE r.party = workflow_jobs.run_party) AS "run_party?: String"
           FROM workflow_jobs WHERE job_id = ?1"#,
        id,
    )
    .fetch_one(&mut *connection)
    .await?;
    let definition: Definition = from_json(&row.definition)?;
    let state: JobState = from_json(&row.state)?;
    let agents = agents(connection, &id, &definition).await?;
    let commit = |text: Option<String>| -> Result<Option<Oid>, StoreError> { text.map(oid).transpose() };
    Ok(Some(StoredJob {
        summary,
        state: JobState { agents, ..state },
        definition,
        party: row.party.as_deref().map(from_json).transpose()?,
        run_party: row.run_party.as_deref().map(from_json).transpose()?,
        base: commit(row.base_sha)?,
        start: commit(row.start_sha)?,
        local_path: row.local_path,
        previous: row.previous_id.as_deref().map(str::parse).transpose()?,
        threads_at: row.threads_at.map(Timestamp),
    }))
}

/// The audits of a job, in the order of its definition. One whose row is lost is as if nobody had started it.
async fn agents(
    connection: &mut SqliteConnection,
    job: &str,
    definition: &Definition,
) -> Result<Vec<AgentState>, StoreError> {
    let rows = sqlx::query!(
        r#"SELECT name, status, attempt, failures, started_at, completed_at, error, timed_out AS "timed_out!: bool",
                  late AS "late!: bool", uncounted
           FROM workflow_agents WHERE job_id = ?1 ORDER BY n"#,
        job,
    )
    .fetch_all(connection)
    .await?;
    let mut agents: Vec<_> = definition.agents.iter().map(|agent| AgentState::new(&agent.name)).collect();
    for row in rows {
        let Some(agent) = agents.iter_mut().find(|agent| agent.name == row.name) else { continue };
        *agent = AgentState {
            status: word(AgentStatus::parse(&row.status), &row.status)?,
            attempt: unsigned(row.attempt),
            failures: unsigned(row.failures),
            started_at: row.started_at.map(Timestamp),
            completed_at: row.completed_at.map(Timestamp),
            error: row.error,
            timed_out: row.timed_out,
            late: row.late,
            uncounted: unsigned(row.uncounted),
            name: row.name,
        };
    }
    Ok(agents)
}

/// What an earlier call of this key led to.
pub(super) async fn call(connection: &mut SqliteConnection, call_key: &str) -> Result<Option<Acted>, StoreError> {
    let found = sqlx::query_scalar!("SELECT result FROM workflow_calls WHERE call_key = ?1", call_key);
    found.fetch_optional(connection).await?.as_deref().map(from_json).transpose()
}

/// The word for where a publication stands; absent for none.
fn stands(word_of: Option<String>) -> Result<Option<PublicationState>, StoreError> {
    word_of.map(|text| word(PublicationState::parse(&text), &text)).transpose()
}

impl Store {
    pub(super) async fn stored_job(&self, id: JobId) -> Result<Option<StoredJob>, StoreError> {
        // All of it as it is at one moment.
        let mut reading = self.readers.begin().await?;
        let found = job(&mut reading, id).await?;
        reading.rollback().await?;
        Ok(found)
    }

    pub(super) async fn stored_job_call(&self, call_key: &str) -> Result<Option<Acted>, StoreError> {
        call(&mut *self.readers.acquire().await?, call_key).await
    }

    pub(super) async fn forget_job_call(&self, call_key: &str) -> Result<(), StoreError> {
        // A call that did nothing has no row, and costs no write.
        if self.stored_job_call(call_key).await?.is_none() {
            return Ok(());
        }
        sqlx::query!("DELETE FROM workflow_calls WHERE call_key = ?1", call_key)
            .execute(&mut *self.writer.acquire().await?)
            .await?;
        Ok(())
    }

    pub(super) async fn stored_job_threads(&self, job: JobId) -> Result<Vec<Thread>, StoreError> {
        let id = job.to_string();
        let rows = sqlx::query!(
            "SELECT thread, file, line, status, body, comments FROM workflow_threads WHERE job_id = ?1 ORDER BY n",
            id,
        )
        .fetch_all(&self.readers)
        .await?;
        let threads = rows.into_iter().map(|row| {
            Ok(Thread {
                id: row.thread,
                file: row.file,
                line: row.line.map(unsigned),
                status: word(ThreadStatus::parse(&row.status), &row.status)?,
                body: row.body,
                comments: row.comments.as_deref().map(from_json).transpose()?,
            })
        });
        threads.collect()
    }

    pub(super) async fn stored_findings(&self, job: JobId) -> Result<Vec<StoredFinding>, StoreError> {
        let id = job.to_string();
        let rows = sqlx::query!(
            r#"SELECT f.finding_id, f.fingerprint, f.state, f.agent_name, f.anchor, f.finding, f.created_at,
                      (SELECT p.state FROM workflow_items i
                       JOIN workflow_publications p ON p.publication_id = i.publication_id AND p.revision = i.revision
                       WHERE i.item_id = f.finding_id AND NOT EXISTS
                           (SELECT 1 FROM workflow_publications n
                            WHERE n.publication_id = p.publication_id AND n.revision > p.revision)
                       ORDER BY p.n DESC LIMIT 1) AS "stands?: String"
               FROM workflow_findings f WHERE f.job_id = ?1 ORDER BY f.n"#,
            id,
        )
        .fetch_all(&self.readers)
        .await?;
        let findings = rows.into_iter().map(|row| {
            Ok(StoredFinding {
                kept: KeptFinding {
                    finding_id: row.finding_id.parse()?,
                    fingerprint: digest(&row.fingerprint)?,
                    state: word(FindingState::parse(&row.state), &row.state)?,
                    anchor: from_json(&row.anchor)?,
                    agent_name: row.agent_name,
                    finding: from_json(&row.finding)?,
                },
                created_at: Timestamp(row.created_at),
                stands: stands(row.stands)?,
            })
        });
        findings.collect()
    }

    pub(super) async fn stored_actions(&self, job: JobId) -> Result<Vec<StoredAction>, StoreError> {
        let id = job.to_string();
        let rows = sqlx::query!(
            r#"SELECT a.action_id, a.action, a.anchor, a.created_at,
                      (SELECT p.state FROM workflow_items i
                       JOIN workflow_publications p ON p.publication_id = i.publication_id AND p.revision = i.revision
                       WHERE i.item_id = a.action_id AND NOT EXISTS
                           (SELECT 1 FROM workflow_publications n
                            WHERE n.publication_id = p.publication_id AND n.revision > p.revision)
                       ORDER BY p.n DESC LIMIT 1) AS "stands?: String"
               FROM workflow_actions a WHERE a.job_id = ?1 ORDER BY a.n"#,
            id,
        )
        .fetch_all(&self.readers)
        .await?;
        let actions = rows.into_iter().map(|row| {
            Ok(StoredAction {
                kept: KeptAction { action_id: row.action_id.parse()?, action: from_json(&row.action)? },
                anchor: row.anchor.as_deref().map(from_json).transpose()?,
                created_at: Timestamp(row.created_at),
                stands: stands(row.stands)?,
            })
        });
        actions.collect()
    }

    pub(super) async fn stored_job_events(
        &self,
        job: JobId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<JobEvent>, StoreError> {
        let rows = self.events_of(&job.to_string(), after, limit).await?;
        let events = rows.into_iter().map(|row| {
            Ok(JobEvent {
                job_id: job,
                n: unsigned(row.n),
                at: Timestamp(row.at),
                party: row.party,
                kind: row.kind,
                data: from_json(&row.data)?,
            })
        });
        events.collect()
    }
}
