//! What a run hands in: findings and actions.

use std::collections::HashMap;

use gate_core::workflow::publication::KeptAction;
use gate_core::workflow::record::{AddedFinding, NewAction, NewFinding, StoredAction, StoredJob, known_agent};
use gate_core::workflow::{Event, EventKind, FindingState, JobId, bounds, thread};
use gate_core::{Code, Digest, Fault, Timestamp};
use serde_json::json;
use sqlx::SqliteConnection;

use super::left::Left;
use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::tables::numbers::{signed, unsigned, word};

/// Findings as they are to be written.
pub(super) struct Findings {
    /// What is said of each that came in.
    added: Vec<AddedFinding>,
    /// Those that the job hasn't yet, as columns want them.
    new: Vec<Row>,
    /// The number of the last one that it has.
    last: u64,
}

struct Row {
    added: AddedFinding,
    agent_name: Option<String>,
    finding: String,
}

/// Looks at findings before any of them is written.
pub(super) async fn findings(
    connection: &mut SqliteConnection,
    stored: &StoredJob,
    given: &[NewFinding],
) -> Result<Result<Findings, Fault>, StoreError> {
    let job = stored.summary.job_id.to_string();
    let (mut added, mut new) = (Vec::with_capacity(given.len()), Vec::new());
    let mut known: HashMap<Digest, AddedFinding> = HashMap::new();
    for finding in given {
        let agent_name = match &finding.agent_name {
            None => None,
            Some(name) => match known_agent(&stored.definition, name) {
                Ok(name) => Some(name),
                Err(fault) => return Ok(Err(fault)),
            },
        };
        let fingerprint = finding.fingerprint;
        let before = match known.get(&fingerprint) {
            Some(before) => Some(before.clone()),
            None => of_job(connection, &job, fingerprint).await?,
        };
        let one = match before {
            Some(before) => before,
            None => {
                let state = earlier(connection, stored, fingerprint).await?;
                let anchor = finding.anchor.clone();
                let one = AddedFinding { finding_id: finding.finding_id, fingerprint, state, anchor };
                new.push(Row { added: one.clone(), agent_name, finding: to_json(&finding.finding)? });
                one
            }
        };
        known.insert(fingerprint, one.clone());
        added.push(one);
    }
    let have: usize = unsigned(i64::from(stored.summary.findings));
    if have + new.len() > bounds::FINDINGS {
        return Ok(Err(too_many("findings", bounds::FINDINGS)));
    }
    let last = sqlx::query_scalar!(r#"SELECT max(n) AS "n: i64" FROM workflow_findings WHERE job_id = ?1"#, job);
    let last = unsigned(last.fetch_one(connection).await?.unwrap_or(0));
    Ok(Ok(Findings { added, new, last }))
}

/// A finding that the job has.
async fn of_job(
    connection: &mut SqliteConnection,
    job: &str,
    fingerprint: Digest,
) -> Result<Option<AddedFinding>, StoreError> {
    let text = fingerprint.to_string();
    let found = sqlx::query!(
        "SELECT finding_id, state, anchor FROM workflow_findings WHERE fingerprint = ?1 AND job_id = ?2",
        text,
        job,
    );
    let Some(row) = found.fetch_optional(connection).await? else { return Ok(None) };
    Ok(Some(AddedFinding {
        finding_id: row.finding_id.parse()?,
        fingerprint,
        state: word(FindingState::parse(&row.state), &row.state)?,
        anchor: from_json(&row.anchor)?,
    }))
}

/// Whether an earlier job of the same pull request found it, and whether the person did without it then.
async fn earlier(
    connection: &mut SqliteConnection,
    stored: &StoredJob,
    fingerprint: Digest,
) -> Result<FindingState, StoreError> {
    let pull = &stored.summary.pull;
    let (text, platform, number) = (fingerprint.to_string(), pull.platform.as_str(), signed(pull.number));
    let dropped = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM workflow_items i WHERE i.item_id = f.finding_id AND i.state = 'dropped')
                  AS "dropped!: bool"
           FROM workflow_findings f JOIN workflow_jobs j ON j.job_id = f.job_id
           WHERE f.fingerprint = ?1 AND j.platform = ?2 AND j.host = ?3 AND j.project = ?4 AND j.number = ?5
           ORDER BY f.created_at DESC LIMIT 20"#,
        text,
        platform,
        pull.host,
        pull.project,
        number,
    )
    .fetch_all(connection)
    .await?;
    Ok(match dropped.as_slice() {
        [] => FindingState::New,
        dropped if dropped.contains(&true) => FindingState::Dismissed,
        _ => FindingState::Known,
    })
}

pub(super) async fn write_findings(
    connection: &mut SqliteConnection,
    job: JobId,
    planned: Findings,
    now: Timestamp,
) -> Result<Left, StoreError> {
    let (job_id, mut n) = (job.to_string(), planned.last);
    for row in &planned.new {
        n += 1;
        let (number, anchor) = (signed(n), to_json(&row.added.anchor)?);
        let (finding_id, fingerprint) = (row.added.finding_id.to_string(), row.added.fingerprint.to_string());
        let state = row.added.state.as_str();
        sqlx::query!(
            "INSERT INTO workflow_findings (finding_id, job_id, n, fingerprint, state, agent_name, anchor, finding, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            finding_id,
            job_id,
            number,
            fingerprint,
            state,
            row.agent_name,
            anchor,
            row.finding,
            now.0,
        )
        .execute(&mut *connection)
        .await?;
    }
    let told = json!({ "count": planned.new.len(), "findings": n });
    let events = if planned.new.is_empty() { Vec::new() } else { vec![Event::new(EventKind::FindingsAdded, told)] };
    Ok(Left { events, findings: planned.added, ..Left::default() })
}

/// An action as it is to be written.
pub(super) struct Action {
    action: StoredAction,
    /// Its number; absent where the job has it.
    n: Option<i64>,
}

/// Looks at an action before it is written.
pub(super) async fn action(
    connection: &mut SqliteConnection,
    stored: &StoredJob,
    given: &NewAction,
    now: Timestamp,
) -> Result<Result<Action, Fault>, StoreError> {
    let (job, text) = (stored.summary.job_id.to_string(), to_json(&given.action)?);
    if let Some(before) = same_action(connection, &job, &text, given).await? {
        return Ok(Ok(Action { action: before, n: None }));
    }
    if let Some(id) = given.action.thread_id().filter(|_| stored.threads_at.is_some()) {
        let known =
            sqlx::query_scalar!("SELECT count(*) FROM workflow_threads WHERE job_id = ?1 AND thread = ?2", job, id);
        if known.fetch_one(&mut *connection).await? == 0
            && let Err(fault) = thread::find(&[], id)
        {
            return Ok(Err(fault));
        }
    }
    let last = sqlx::query_scalar!(r#"SELECT max(n) AS "n: i64" FROM workflow_actions WHERE job_id = ?1"#, job);
    let last = last.fetch_one(connection).await?.unwrap_or(0);
    if unsigned::<usize>(last) >= bounds::ACTIONS {
        return Ok(Err(too_many("actions", bounds::ACTIONS)));
    }
    let kept = KeptAction { action_id: given.action_id, action: given.action.clone() };
    let action = StoredAction { kept, anchor: given.anchor.clone(), created_at: now, stands: None };
    Ok(Ok(Action { action, n: Some(last + 1) }))
}

/// The same action, word for word, that the job has.
async fn same_action(
    connection: &mut SqliteConnection,
    job: &str,
    text: &str,
    given: &NewAction,
) -> Result<Option<StoredAction>, StoreError> {
    let found = sqlx::query!(
        "SELECT action_id, anchor, created_at FROM workflow_actions WHERE job_id = ?1 AND action = ?2 ORDER BY n LIMIT 1",
        job,
        text,
    );
    let Some(row) = found.fetch_optional(connection).await? else { return Ok(None) };
    Ok(Some(StoredAction {
        kept: KeptAction { action_id: row.action_id.parse()?, action: given.action.clone() },
        anchor: row.anchor.as_deref().map(from_json).transpose()?,
        created_at: Timestamp(row.created_at),
        stands: None,
    }))
}

pub(super) async fn write_action(
    connection: &mut SqliteConnection,
    job: JobId,
    planned: Action,
    now: Timestamp,
) -> Result<Left, StoreError> {
    let Action { action, n } = planned;
    let Some(n) = n else { return Ok(Left { action: Some(action), ..Left::default() }) };
    let (job_id, action_id) = (job.to_string(), action.kept.action_id.to_string());
    let (text, anchor) = (to_json(&action.kept.action)?, action.anchor.as_ref().map(to_json).transpose()?);
    sqlx::query!(
        "INSERT INTO workflow_actions (action_id, job_id, n, action, anchor, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        action_id,
        job_id,
        n,
        text,
        anchor,
        now.0,
    )
    .execute(connection)
    .await?;
    let told = json!({ "actionId": action.kept.action_id, "actionType": action.kept.action.action_type() });
    let events = vec![Event::new(EventKind::ActionAdded, told)];
    Ok(Left { events, action: Some(action), ..Left::default() })
}

fn too_many(what: &str, bound: usize) -> Fault {
    Fault::new(
        Code::TooMany,
        format!("A job has {bound} {what} at most; none of these was taken."),
        "Leave the least of them out.",
    )
}
