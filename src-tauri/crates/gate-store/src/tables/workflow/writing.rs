//! The rows that an act leaves.

use gate_core::Timestamp;
use gate_core::proposal::bounds::OVER_HTTP;
use gate_core::workflow::record::{Acted, StoredJob};
use gate_core::workflow::{AgentState, Event, JobId, JobState, JobStatus, step};
use sqlx::SqliteConnection;

use crate::error::StoreError;
use crate::json::to_json;
use crate::tables::events::{self, Told};
use crate::tables::numbers::signed;

/// For so long a client over HTTP may call again what broke off.
const CALLED_AGAIN_MILLIS: i64 = 10 * 60 * 1000;

/// A job's state as it is written.
pub(super) struct State<'a> {
    pub(super) state: &'a JobState,
    /// The party of the run that has it from now on; absent where that stays as it is.
    pub(super) run_party: Option<&'a str>,
    /// Whether what stands in no publication is to be put into one from now on, or isn't any more; absent where that stays.
    pub(super) publishes: Option<bool>,
    /// The number of its last event.
    pub(super) event: u64,
    pub(super) now: Timestamp,
}

/// Writes where a job stands, its audits that have changed, and what is due of it.
pub(super) async fn state(
    connection: &mut SqliteConnection,
    before: &StoredJob,
    written: State<'_>,
) -> Result<(), StoreError> {
    let State { state, run_party, publishes, event, now } = written;
    let id = before.summary.job_id.to_string();
    let (status, phase, json) = (state.status.as_str(), state.phase.as_str(), without_agents(state)?);
    let progress = state.overall_progress(&before.definition);
    let due_at = step::due(state, &before.definition).map(|at| at.0);
    let queue_at = queue_at(state, before.summary.runner.as_deref(), before.summary.created_at);
    let changed_at = if event > before.summary.event { now } else { before.summary.updated_at };
    let event = signed(event);
    sqlx::query!(
        "UPDATE workflow_jobs
         SET status = ?2, phase = ?3, progress = ?4, state = ?5, due_at = ?6, queue_at = ?7,
             run_party = coalesce(?8, run_party), publishes = coalesce(?9, publishes),
             updated_at = max(updated_at, ?10), event = ?11
         WHERE job_id = ?1",
        id,
        status,
        phase,
        progress,
        json,
        due_at,
        queue_at,
        run_party,
        publishes,
        changed_at.0,
        event,
    )
    .execute(&mut *connection)
    .await?;
    for (n, agent) in state.agents.iter().enumerate() {
        if before.state.agents.get(n) != Some(agent) {
            self::agent(connection, &id, n, agent).await?;
        }
    }
    Ok(())
}

/// A job's state as its column has it: the audits have rows of their own.
pub(super) fn without_agents(state: &JobState) -> Result<String, StoreError> {
    to_json(&JobState { agents: Vec::new(), ..state.clone() })
}

/// Since when a job waits for a runner; absent where it doesn't.
pub(super) fn queue_at(state: &JobState, runner: Option<&str>, created_at: Timestamp) -> Option<i64> {
    let waits = state.status == JobStatus::Queued || state.restarts();
    runner.filter(|_| waits).map(|_| created_at.0)
}

/// Writes where an audit stands.
pub(super) async fn agent(
    connection: &mut SqliteConnection,
    job: &str,
    n: usize,
    agent: &AgentState,
) -> Result<(), StoreError> {
    let (n, status, uncounted) = (signed(n as u64), agent.status.as_str(), signed(agent.uncounted));
    let (started_at, completed_at) = (agent.started_at.map(|at| at.0), agent.completed_at.map(|at| at.0));
    sqlx::query!(
        "INSERT INTO workflow_agents (job_id, n, name, status, attempt, failures, started_at, completed_at, error, timed_out,
                                      late, uncounted)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT (job_id, n) DO UPDATE
         SET status = excluded.status, attempt = excluded.attempt, failures = excluded.failures,
             started_at = excluded.started_at, completed_at = excluded.completed_at, error = excluded.error,
             timed_out = excluded.timed_out, late = excluded.late, uncounted = excluded.uncounted",
        job,
        n,
        agent.name,
        status,
        agent.attempt,
        agent.failures,
        started_at,
        completed_at,
        agent.error,
        agent.timed_out,
        agent.late,
        uncounted,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Writes what is told of an act behind the event of this number. Gives the number of the last one.
pub(super) async fn events(
    connection: &mut SqliteConnection,
    job: JobId,
    after: u64,
    party: Option<&str>,
    told: Vec<Event>,
    now: Timestamp,
) -> Result<u64, StoreError> {
    let (subject, mut n) = (job.to_string(), after);
    for event in told {
        n += 1;
        let told = Told { party, role: None, kind: event.kind.as_str(), data: event.data };
        events::write(connection, &subject, n, told, now).await?;
    }
    Ok(n)
}

/// Remembers what a call led to.
pub(super) async fn call(
    connection: &mut SqliteConnection,
    call_key: &str,
    acted: &Acted,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (job_id, result) = (acted.job.job_id.to_string(), to_json(acted)?);
    sqlx::query!(
        "INSERT INTO workflow_calls (call_key, job_id, result, created_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO NOTHING",
        call_key,
        job_id,
        result,
        now.0,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Where this call came over HTTP, forgets what such calls led to whose time is over: nobody says that a result has arrived.
pub(super) async fn forget_old_calls(
    connection: &mut SqliteConnection,
    call_key: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    if call_key.starts_with(OVER_HTTP) {
        let before = now.0.saturating_sub(CALLED_AGAIN_MILLIS);
        sqlx::query!("DELETE FROM workflow_calls WHERE call_key GLOB 'http-*' AND created_at < ?1", before)
            .execute(connection)
            .await?;
    }
    Ok(())
}
