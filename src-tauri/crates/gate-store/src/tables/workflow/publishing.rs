//! What is put before the person: a publication, or its next revision.

use gate_core::workflow::publication::{AskedPublication, ItemResult, PublicationDraft, may_publish};
use gate_core::workflow::record::{NewPublication, PublicationSummary, StoredJob, StoredPublication, next_publication};
use gate_core::workflow::{Event, EventKind, ItemState, JobId, PublicationState};
use gate_core::{Code, Digest, Fault, Timestamp};
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::left::Left;
use super::publications;
use crate::error::StoreError;
use crate::json::to_json;
use crate::tables::numbers::signed;

/// A publication as it is to be written.
pub(super) struct Publication {
    new: NewPublication,
    digest: Digest,
    last: Option<(StoredPublication, u64)>,
}

/// Looks at a publication before it is written.
pub(super) async fn publication(
    connection: &mut SqliteConnection,
    stored: &StoredJob,
    given: &NewPublication,
) -> Result<Result<Publication, Fault>, StoreError> {
    let last = publications::last(connection, stored.summary.job_id).await?;
    let before = last.as_ref().map(|(last, _)| &last.summary);
    if let Err(fault) = may_publish(before.map(|before| before.state)) {
        return Ok(Err(fault));
    }
    let is_known = before.is_some_and(|before| before.id == given.publication_id);
    let is_next = next_publication(before, given.publication_id) == given.publication_id;
    if !is_next || is_known && before.is_some_and(|before| before.state.is_over()) {
        return Ok(Err(overtaken()));
    }
    let asked = AskedPublication {
        job_id: stored.summary.job_id,
        pull: stored.summary.pull.clone(),
        head: given.head.clone(),
        event: given.event,
        items: given.items.clone(),
    };
    let digest = match asked.manifest(&PublicationDraft::default()).and_then(|manifest| manifest.digest()) {
        Ok(digest) => digest,
        Err(fault) => return Ok(Err(fault)),
    };
    Ok(Ok(Publication { new: given.clone(), digest, last }))
}

/// Writes it. The same that is open already is that one.
pub(super) async fn write(
    connection: &mut SqliteConnection,
    job: JobId,
    planned: Publication,
    now: Timestamp,
) -> Result<Left, StoreError> {
    let Publication { new, digest, last } = planned;
    let open = last.as_ref().map(|(last, _)| last).filter(|last| last.summary.state == PublicationState::Open);
    if let Some(open) = open {
        let is_same = open.summary.digest == digest && open.asked.items == new.items && open.said == new.summary;
        if is_same {
            return Ok(Left { publication: Some(open.summary.clone()), ..Left::default() });
        }
        publications::set_state(connection, open, PublicationState::Dropped, None, now).await?;
    }
    let (before, n) = last.as_ref().map_or((None, 0), |(last, n)| (Some(&last.summary), *n));
    let revision = before.filter(|before| before.id == new.publication_id).map_or(1, |before| before.revision + 1);
    insert(connection, job, &new, revision, n + 1, digest, now).await?;
    let items = new.items.iter().map(|item| ItemResult {
        id: item.id,
        kind: item.kind,
        state: ItemState::Open,
        url: None,
        reason: None,
    });
    let state = PublicationState::Open;
    let summary =
        PublicationSummary { id: new.publication_id, revision, digest, state, held_for: None, items: items.collect() };
    let withdraws = open.and_then(|open| open.request_id);
    let events = vec![Event::new(EventKind::PublicationChanged, told(&summary))];
    Ok(Left { events, publication: Some(summary), withdraws, ..Left::default() })
}

/// What is told of a publication that stands so.
pub(super) fn told(summary: &PublicationSummary) -> Value {
    let mut told =
        json!({ "publicationId": summary.id, "revision": summary.revision, "state": summary.state.as_str() });
    if let Some(held_for) = summary.held_for {
        told["heldFor"] = json!(held_for);
    }
    told
}

async fn insert(
    connection: &mut SqliteConnection,
    job: JobId,
    new: &NewPublication,
    revision: u32,
    n: u64,
    digest: Digest,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (id, job_id, n) = (new.publication_id.to_string(), job.to_string(), signed(n));
    let (digest, head, event) = (digest.to_string(), new.head.as_str(), new.event.as_str());
    let summary = new.summary.as_ref().map(to_json).transpose()?;
    sqlx::query!(
        "INSERT INTO workflow_publications (publication_id, revision, job_id, n, state, digest, head_sha, event, summary,
                                            created_at, changed_at)
         VALUES (?1, ?2, ?3, ?4, 'open', ?5, ?6, ?7, ?8, ?9, ?9)",
        id,
        revision,
        job_id,
        n,
        digest,
        head,
        event,
        summary,
        now.0,
    )
    .execute(&mut *connection)
    .await?;
    for (n, item) in new.items.iter().enumerate() {
        let (n, item_id, json) = (signed(n as u64), item.id.to_string(), to_json(item)?);
        sqlx::query!(
            "INSERT INTO workflow_items (publication_id, revision, n, item_id, job_id, item, state)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'open')",
            id,
            revision,
            n,
            item_id,
            job_id,
            json,
        )
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

fn overtaken() -> Fault {
    Fault::new(
        Code::WrongState,
        "Another publication of this job was put before the person, or decided, meanwhile.",
        "Call publish again.",
    )
}
