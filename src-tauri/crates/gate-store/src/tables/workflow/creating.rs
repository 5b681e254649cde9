//! A new job, or the same one that there is.

use gate_core::git::Oid;
use gate_core::proposal::Party;
use gate_core::workflow::record::{Acted, Creating, NewJob};
use gate_core::workflow::step::Answer;
use gate_core::workflow::{Event, EventKind, JobId, JobState, JobStatus, bounds};
use gate_core::{Code, Fault, Process};
use serde_json::json;
use sqlx::SqliteConnection;

use super::row::oid;
use super::{reading, writing};
use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::tables::acts::Done;
use crate::tables::numbers::{signed, word};
use crate::tables::parties;

pub(super) async fn create(connection: &mut SqliteConnection, creating: &Creating) -> Result<Done<Acted>, StoreError> {
    let Creating { new, party, has_ended, call_key, at } = creating;
    if let Some(key) = call_key {
        writing::forget_old_calls(connection, key, *at).await?;
        if let Some(before) = reading::call(connection, key).await? {
            return Ok(Ok(Acted { happened: false, ..before }));
        }
    }
    let party = party.as_deref();
    let (job_id, happened) = match same(connection, new, party, *has_ended).await? {
        Some(job) => (job, false),
        None => {
            if let Some(party) = party {
                if open(connection, party).await? >= i64::from(bounds::OPEN_JOBS) {
                    return Ok(Err(too_many()));
                }
                parties::keep(connection, party, *at).await?;
            }
            insert(connection, creating).await?;
            (new.job_id, true)
        }
    };
    let Some(job) = reading::summary(connection, job_id).await? else {
        return Err(StoreError::Unexpected("a job is gone in the middle of an act".to_owned()));
    };
    let acted = Acted {
        job,
        happened,
        answer: Answer::Done {},
        findings: Vec::new(),
        action: None,
        publication: None,
        withdraws: None,
        publishes: false,
    };
    if let Some(key) = call_key {
        writing::call(connection, key, &acted, *at).await?;
    }
    Ok(Ok(acted))
}

/// The newest job that this one is the same as.
async fn same(
    connection: &mut SqliteConnection,
    new: &NewJob,
    party: Option<&Party>,
    has_ended: fn(&Process) -> bool,
) -> Result<Option<JobId>, StoreError> {
    if new.force {
        return Ok(None);
    }
    let (platform, job_type) = (new.pull.platform.as_str(), new.definition.job_type.as_str());
    let number = signed(new.pull.number);
    let found = sqlx::query!(
        r#"SELECT j.job_id, j.head_sha, j.status,
                  (SELECT p.facts FROM parties p WHERE p.party = j.party) AS "party?: String"
           FROM workflow_jobs j
           WHERE j.project = ?1 AND j.number = ?2 AND j.platform = ?3 AND j.host = ?4 AND j.workflow = ?5
             AND j.job_type = ?6
           ORDER BY j.updated_at DESC, j.job_id DESC LIMIT 200"#,
        new.pull.project,
        number,
        platform,
        new.pull.host,
        new.definition.name,
        job_type,
    )
    .fetch_all(connection)
    .await?;
    for row in found {
        let status = word(JobStatus::parse(&row.status), &row.status)?;
        let head = row.head_sha.map(oid).transpose()?;
        let creator: Option<Party> = row.party.as_deref().map(from_json).transpose()?;
        let is_theirs = match (party, &creator) {
            (None, None) => true,
            (Some(party), Some(creator)) => party.is_one_with(creator, has_ended),
            _ => false,
        };
        if is_theirs && is_same_head(status, head.as_ref(), new.facts.head.as_ref()) {
            return Ok(Some(row.job_id.parse()?));
        }
    }
    Ok(None)
}

/// Whether a job that stands so is of the same head. While one of both isn't known, one that isn't finished is.
fn is_same_head(status: JobStatus, head: Option<&Oid>, new: Option<&Oid>) -> bool {
    match (head, new) {
        (Some(head), Some(new)) => head == new,
        _ => !status.is_finished(),
    }
}

/// How many jobs of a party aren't finished.
async fn open(connection: &mut SqliteConnection, party: &Party) -> Result<i64, StoreError> {
    let open = sqlx::query_scalar!(
        "SELECT count(*) FROM workflow_jobs
         WHERE party = ?1 AND status IN ('parked', 'queued', 'running', 'interrupted')",
        party.key,
    );
    Ok(open.fetch_one(connection).await?)
}

async fn insert(connection: &mut SqliteConnection, creating: &Creating) -> Result<(), StoreError> {
    let Creating { new, party, at, .. } = creating;
    let state = JobState::new(&new.definition, new.is_parked, *at);
    let party = party.as_ref().map(|party| party.key.as_str());
    let told = Event::new(
        EventKind::Created,
        json!({ "status": state.status, "workflow": new.definition.name, "url": new.pull.url() }),
    );
    let (id, session_uuid) = (new.job_id.to_string(), new.session_uuid.to_string());
    let (platform, number) = (new.pull.platform.as_str(), signed(new.pull.number));
    let commits = [&new.facts.head, &new.facts.base, &new.facts.start];
    let [head, base, start] = commits.map(|commit| commit.as_ref().map(Oid::as_str));
    let (job_type, by_person) = (new.definition.job_type.as_str(), party.is_none());
    let previous = new.previous.map(|previous| previous.to_string());
    let (status, phase) = (state.status.as_str(), state.phase.as_str());
    let queue_at = writing::queue_at(&state, new.runner.as_deref(), *at);
    let (state_json, definition) = (writing::without_agents(&state)?, to_json(&new.definition)?);
    sqlx::query!(
        "INSERT INTO workflow_jobs (job_id, session_uuid, party, workspace, local_path, platform, host, project, number,
                                    title, head_sha, base_sha, start_sha, newest_sha, workflow, job_type, runner, by_person,
                                    previous_id, status, phase, progress, queue_at, created_at, updated_at, event, state,
                                    definition)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?11, ?14, ?15, ?16, ?17, ?18, ?19, ?20, 0, ?21,
                 ?22, ?22, 1, ?23, ?24)",
        id,
        session_uuid,
        party,
        new.workspace,
        new.local_path,
        platform,
        new.pull.host,
        new.pull.project,
        number,
        new.facts.title,
        head,
        base,
        start,
        new.definition.name,
        job_type,
        new.runner,
        by_person,
        previous,
        status,
        phase,
        queue_at,
        at.0,
        state_json,
        definition,
    )
    .execute(&mut *connection)
    .await?;
    for (n, agent) in state.agents.iter().enumerate() {
        writing::agent(connection, &id, n, agent).await?;
    }
    writing::events(connection, new.job_id, 0, party, vec![told], *at).await?;
    Ok(())
}

fn too_many() -> Fault {
    Fault::new(
        Code::TooMany,
        format!("You have {} jobs that aren't finished, which is the most.", bounds::OPEN_JOBS),
        "Finish some of them, or let the person cancel them.",
    )
}
