//! What is done to a publication: by the person, and as its items leave.

use gate_core::workflow::publication::{ItemResult, PublicationAct, PublicationDraft};
use gate_core::workflow::record::{
    PublicationActed, PublicationActing, PublicationChange, StoredJob, StoredPublication,
};
use gate_core::workflow::{Act, By, Event, EventKind, HeldFor, ItemState, JobStatus, PublicationState};
use gate_core::{Code, Digest, Fault};
use sqlx::SqliteConnection;

use super::publications::{set_item, set_manifest, set_state};
use super::publishing::told;
use super::{publications, reading, writing};
use crate::error::StoreError;
use crate::json::to_json;
use crate::tables::acts::Done;

/// Does something to the newest revision of a publication. Refused, it leaves nothing.
pub(super) async fn act(
    connection: &mut SqliteConnection,
    acting: &PublicationActing,
) -> Result<Done<PublicationActed>, StoreError> {
    let Some(stored) = publications::newest(connection, acting.publication_id).await? else {
        return Ok(Err(wrong("There is no such publication.")));
    };
    let Some(job) = reading::job(connection, stored.asked.job_id).await? else {
        return Err(StoreError::Unexpected("a publication has no job".to_owned()));
    };
    if acting.answers.is_some() && acting.answers != stored.request_id {
        return Ok(Err(wrong("The question that this answers doesn't stand any more.")));
    }
    if is_done(&stored, &acting.what) {
        let (publication, job) = (stored.summary, job.summary);
        return Ok(Ok(PublicationActed { publication, job, happened: false, withdraws: None }));
    }
    let next = match next(&stored, &acting.what) {
        Ok(next) => next,
        Err(fault) => return Ok(Err(fault)),
    };
    if let PublicationChange::Approve { draft, digest } = &acting.what
        && let Err(fault) = approve(connection, &stored, draft, *digest).await?
    {
        return Ok(Err(fault));
    }
    match &acting.what {
        PublicationChange::Undo => take_back(connection, &stored).await?,
        PublicationChange::Items(results) => {
            for result in results {
                set_item(connection, &stored, result).await?;
            }
        }
        _ => {}
    }
    write(connection, acting, &stored, &job, next).await.map(Ok)
}

/// Whether it stands so already. What became of items is said as often as it changes.
fn is_done(stored: &StoredPublication, what: &PublicationChange) -> bool {
    let (state, held_for) = (stored.summary.state, stored.summary.held_for);
    match what {
        PublicationChange::Drop => state == PublicationState::Dropped,
        PublicationChange::Return => state == PublicationState::Returned,
        PublicationChange::Send => state == PublicationState::Sending,
        PublicationChange::Finish => state == PublicationState::Posted,
        PublicationChange::Hold(cause) => state == PublicationState::Held && held_for == Some(*cause),
        PublicationChange::Approve { digest, .. } => {
            state == PublicationState::Approved && stored.summary.digest == *digest
        }
        PublicationChange::Items(results) => results.iter().all(|result| stored.summary.items.contains(result)),
        PublicationChange::Undo => false,
    }
}

/// Where it stands then, and why it doesn't leave.
fn next(stored: &StoredPublication, what: &PublicationChange) -> Result<(PublicationState, Option<HeldFor>), Fault> {
    let state = stored.summary.state;
    let kept = |result: &&ItemResult| result.state != ItemState::Dropped;
    let act = match what {
        PublicationChange::Approve { .. } => PublicationAct::Approve,
        PublicationChange::Undo => PublicationAct::Undo,
        PublicationChange::Return => PublicationAct::Return,
        PublicationChange::Drop => PublicationAct::Drop,
        PublicationChange::Send => PublicationAct::Send,
        PublicationChange::Hold(cause) => {
            // Another cause by now.
            let next =
                if state == PublicationState::Held { state } else { state.after(PublicationAct::Hold(*cause))? };
            return Ok((next, Some(*cause)));
        }
        PublicationChange::Items(results) => {
            let is_kept = |result: &ItemResult| {
                let known = stored.summary.items.iter().filter(kept).any(|known| known.id == result.id);
                known && result.state != ItemState::Dropped
            };
            if state != PublicationState::Sending || !results.iter().all(is_kept) {
                return Err(wrong("Only what is kept of a publication that leaves comes to something."));
            }
            return Ok((state, None));
        }
        PublicationChange::Finish => {
            if stored.summary.items.iter().any(|result| result.state == ItemState::Open) {
                return Err(wrong("Not all of its items have left or were refused."));
            }
            PublicationAct::Finish
        }
    };
    state.after(act).map(|next| (next, None))
}

/// What the person changed makes the manifest anew: it is what they were shown, or nothing is approved.
async fn approve(
    connection: &mut SqliteConnection,
    stored: &StoredPublication,
    draft: &PublicationDraft,
    shown: Digest,
) -> Result<Result<(), Fault>, StoreError> {
    let manifest = match stored.asked.manifest(draft) {
        Ok(manifest) => manifest,
        Err(fault) => return Ok(Err(fault)),
    };
    if manifest.digest()? != shown {
        return Ok(Err(Fault::new(
            Code::ChangedQuestion,
            "What would be posted is something else than what was shown.",
            "Look at it again, then approve it.",
        )));
    }
    set_manifest(connection, stored, Some((&to_json(draft)?, &manifest))).await?;
    for known in stored.summary.items.iter().filter(|known| draft.dropped.contains(&known.id)) {
        set_item(connection, stored, &ItemResult { state: ItemState::Dropped, ..known.clone() }).await?;
    }
    Ok(Ok(()))
}

async fn take_back(connection: &mut SqliteConnection, stored: &StoredPublication) -> Result<(), StoreError> {
    set_manifest(connection, stored, None).await?;
    for known in stored.summary.items.iter().filter(|known| known.state == ItemState::Dropped) {
        set_item(connection, stored, &ItemResult { state: ItemState::Open, ..known.clone() }).await?;
    }
    Ok(())
}

async fn write(
    connection: &mut SqliteConnection,
    acting: &PublicationActing,
    stored: &StoredPublication,
    job: &StoredJob,
    (state, held_for): (PublicationState, Option<HeldFor>),
) -> Result<PublicationActed, StoreError> {
    let now = acting.at;
    set_state(connection, stored, state, held_for, now).await?;
    let Some(after) = publications::newest(connection, acting.publication_id).await? else {
        return Err(StoreError::Unexpected("a publication is gone in the middle of an act".to_owned()));
    };
    let mut events = vec![Event::new(EventKind::PublicationChanged, told(&after.summary))];
    let mut job_state = job.state.clone();
    // After the job's end that is a follow-up's.
    let is_at_it = matches!(job_state.status, JobStatus::Running | JobStatus::Interrupted);
    if acting.what == PublicationChange::Return && is_at_it {
        let step = job_state.step(&job.definition, &By::Person, &Act::Return, now);
        let step = step.map_err(|refusal| StoreError::Fault(refusal.fault()))?;
        events.extend(step.events);
        job_state = step.job;
    }
    let event = writing::events(connection, job.summary.job_id, job.summary.event, None, events, now).await?;
    let written = writing::State { state: &job_state, run_party: None, publishes: None, event, now };
    writing::state(connection, job, written).await?;
    let Some(summary) = reading::summary(connection, job.summary.job_id).await? else {
        return Err(StoreError::Unexpected("a job is gone in the middle of an act".to_owned()));
    };
    let was_open = stored.summary.state == PublicationState::Open;
    let withdraws = stored.request_id.filter(|_| was_open && acting.answers.is_none());
    Ok(PublicationActed { publication: after.summary, job: summary, happened: true, withdraws })
}

fn wrong(message: &str) -> Fault {
    Fault::new(Code::WrongState, message, "Look at the publication again; it may have changed meanwhile.")
}
