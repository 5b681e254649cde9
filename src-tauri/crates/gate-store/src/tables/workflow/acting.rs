//! One act on one job: read, stepped, written.

use gate_core::Fault;
use gate_core::workflow::record::{Acted, Acting, Actor, Handed, StoredJob};
use gate_core::workflow::step::{Answer, Step};
use gate_core::workflow::{Event, Refusal, unknown_job};
use sqlx::SqliteConnection;

use super::left::Left;
use super::{adding, publishing, reading, standing, writing};
use crate::error::StoreError;
use crate::tables::acts::Done;
use crate::tables::parties;

/// What comes with an act, as it is to be written. All that could refuse it has been looked at.
enum Plan {
    Nothing,
    Findings(adding::Findings),
    Action(Box<adding::Action>),
    Publication(Box<publishing::Publication>),
}

/// Does an act. Refused, it leaves nothing.
pub(super) async fn act(connection: &mut SqliteConnection, acting: &Acting) -> Result<Done<Acted>, StoreError> {
    if let Some(key) = &acting.call_key {
        writing::forget_old_calls(connection, key, acting.at).await?;
        if let Some(before) = reading::call(connection, key).await? {
            return Ok(Ok(Acted { happened: false, ..before }));
        }
    }
    let Some(stored) = reading::job(connection, acting.job_id).await? else {
        return Ok(Err(unknown_job(Some(&acting.job_id.to_string()))));
    };
    let step = match step(&stored, acting) {
        Ok(step) => step,
        Err(refusal) => return Ok(Err(refusal.fault())),
    };
    let plan = match plan(connection, &stored, acting).await? {
        Ok(plan) => plan,
        Err(fault) => return Ok(Err(fault)),
    };
    write(connection, acting, &stored, step, plan).await.map(Ok)
}

/// What the act leads to. The gate's own publication is put whatever has become of the job.
fn step(stored: &StoredJob, acting: &Acting) -> Result<Step, Refusal> {
    if puts_the_rest(acting) {
        let job = stored.state.clone();
        return Ok(Step { job, answer: Answer::Done {}, events: Vec::new(), publishes: false });
    }
    let by = standing::by(stored, &acting.actor);
    stored.state.step(&stored.definition, &by, &acting.act, acting.at)
}

/// Whether the gate puts what stands in no publication into one.
fn puts_the_rest(acting: &Acting) -> bool {
    matches!((&acting.actor, &acting.with), (Actor::Gate, Handed::Publication(_)))
}

async fn plan(
    connection: &mut SqliteConnection,
    stored: &StoredJob,
    acting: &Acting,
) -> Result<Result<Plan, Fault>, StoreError> {
    match &acting.with {
        Handed::Nothing => Ok(Ok(Plan::Nothing)),
        Handed::Findings(new) => Ok(adding::findings(connection, stored, new).await?.map(Plan::Findings)),
        Handed::Action(new) => {
            let planned = adding::action(connection, stored, new, acting.at).await?;
            Ok(planned.map(|planned| Plan::Action(Box::new(planned))))
        }
        Handed::Publication(new) => {
            let planned = publishing::publication(connection, stored, new).await?;
            Ok(planned.map(|planned| Plan::Publication(Box::new(planned))))
        }
    }
}

async fn write(
    connection: &mut SqliteConnection,
    acting: &Acting,
    stored: &StoredJob,
    step: Step,
    plan: Plan,
) -> Result<Acted, StoreError> {
    let (job, now) = (acting.job_id, acting.at);
    let party = match &acting.actor {
        Actor::Run { party, .. } => {
            parties::keep(connection, party, now).await?;
            Some(party.key.as_str())
        }
        Actor::Person | Actor::Gate => None,
    };
    let left = match plan {
        Plan::Nothing => Left::default(),
        Plan::Findings(planned) => adding::write_findings(connection, job, planned, now).await?,
        Plan::Action(planned) => adding::write_action(connection, job, *planned, now).await?,
        Plan::Publication(planned) => publishing::write(connection, job, *planned, now).await?,
    };
    let told: Vec<Event> = step.events.into_iter().chain(left.events).collect();
    let happened = !told.is_empty();
    let event = writing::events(connection, job, stored.summary.event, party, told, now).await?;
    let publishes = match (step.publishes, puts_the_rest(acting)) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    };
    let has_it = step.job.run.as_ref().map(|run| run.party.as_str());
    let written = writing::State { state: &step.job, run_party: has_it, publishes, event, now };
    writing::state(connection, stored, written).await?;
    let Some(summary) = reading::summary(connection, job).await? else {
        return Err(StoreError::Unexpected("a job is gone in the middle of an act".to_owned()));
    };
    let acted = Acted {
        job: summary,
        happened,
        answer: step.answer,
        findings: left.findings,
        action: left.action,
        publication: left.publication,
        withdraws: left.withdraws,
        publishes: step.publishes,
    };
    if let Some(key) = &acting.call_key {
        writing::call(connection, key, &acted, now).await?;
    }
    Ok(acted)
}
