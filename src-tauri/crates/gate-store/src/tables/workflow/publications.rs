//! What is read again of publications, and where they stand.

use gate_core::workflow::publication::{AskedPublication, Item, ItemResult, Manifest, PublicationDraft};
use gate_core::workflow::record::{OpenPublication, PublicationSummary, StoredPublication};
use gate_core::workflow::{HeldFor, ItemState, JobId, PublicationId, PublicationState, PublishEvent};
use gate_core::{RequestId, Timestamp};
use sqlx::SqliteConnection;

use super::reading;
use super::row::oid;
use crate::error::StoreError;
use crate::json::from_json;
use crate::store::Store;
use crate::tables::numbers::{digest, unsigned, word};

/// Reads rows of `workflow_publications`: what follows the table's name, then its arguments.
macro_rules! publication_rows {
    ($rest:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            PublicationRow,
            "SELECT publication_id, revision, job_id, n, state, held_for, request_id, digest, head_sha, event, summary, draft,
                    manifest, created_at, changed_at
             FROM workflow_publications " + $rest,
            $($argument),+
        )
    };
}

/// A row of `workflow_publications`.
struct PublicationRow {
    publication_id: String,
    revision: i64,
    job_id: String,
    n: i64,
    state: String,
    held_for: Option<String>,
    request_id: Option<String>,
    digest: String,
    head_sha: String,
    event: String,
    summary: Option<String>,
    draft: Option<String>,
    manifest: Option<String>,
    created_at: i64,
    changed_at: i64,
}

impl PublicationRow {
    /// The revision with its items.
    async fn stored(self, connection: &mut SqliteConnection) -> Result<StoredPublication, StoreError> {
        let job_id: JobId = self.job_id.parse()?;
        let Some(job) = reading::summary(connection, job_id).await? else {
            return Err(StoreError::Unexpected("a publication has no job".to_owned()));
        };
        let (items, results) = items(connection, &self.publication_id, self.revision).await?;
        Ok(StoredPublication {
            summary: PublicationSummary {
                id: self.publication_id.parse()?,
                revision: unsigned(self.revision),
                digest: digest(&self.digest)?,
                state: word(PublicationState::parse(&self.state), &self.state)?,
                held_for: self.held_for.map(|text| word(HeldFor::parse(&text), &text)).transpose()?,
                items: results,
            },
            request_id: self.request_id.as_deref().map(str::parse).transpose()?,
            asked: AskedPublication {
                job_id,
                pull: job.pull,
                head: oid(self.head_sha)?,
                event: word(PublishEvent::parse(&self.event), &self.event)?,
                items,
            },
            said: self.summary.as_deref().map(from_json).transpose()?,
            draft: self.draft.as_deref().map(from_json).transpose()?,
            manifest: self.manifest,
            created_at: Timestamp(self.created_at),
            changed_at: Timestamp(self.changed_at),
        })
    }
}

/// The items of a revision, in their order, and what became of each.
async fn items(
    connection: &mut SqliteConnection,
    publication: &str,
    revision: i64,
) -> Result<(Vec<Item>, Vec<ItemResult>), StoreError> {
    let rows = sqlx::query!(
        "SELECT item, state, url, reason FROM workflow_items WHERE publication_id = ?1 AND revision = ?2 ORDER BY n",
        publication,
        revision,
    )
    .fetch_all(connection)
    .await?;
    let (mut items, mut results) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for row in rows {
        let item: Item = from_json(&row.item)?;
        let state = word(ItemState::parse(&row.state), &row.state)?;
        results.push(ItemResult { id: item.id, kind: item.kind, state, url: row.url, reason: row.reason });
        items.push(item);
    }
    Ok((items, results))
}

/// The last revision of a job's last publication, and its number in the job.
pub(super) async fn last(
    connection: &mut SqliteConnection,
    job: JobId,
) -> Result<Option<(StoredPublication, u64)>, StoreError> {
    let id = job.to_string();
    let row = publication_rows!("WHERE job_id = ?1 ORDER BY n DESC LIMIT 1", id);
    let Some(row) = row.fetch_optional(&mut *connection).await? else { return Ok(None) };
    let n = unsigned(row.n);
    Ok(Some((row.stored(connection).await?, n)))
}

/// The newest revision of a publication.
pub(super) async fn newest(
    connection: &mut SqliteConnection,
    publication: PublicationId,
) -> Result<Option<StoredPublication>, StoreError> {
    let id = publication.to_string();
    let row = publication_rows!("WHERE publication_id = ?1 ORDER BY revision DESC LIMIT 1", id);
    match row.fetch_optional(&mut *connection).await? {
        Some(row) => row.stored(connection).await.map(Some),
        None => Ok(None),
    }
}

/// Says where a revision stands.
pub(super) async fn set_state(
    connection: &mut SqliteConnection,
    stored: &StoredPublication,
    state: PublicationState,
    held_for: Option<HeldFor>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (id, revision) = (stored.summary.id.to_string(), stored.summary.revision);
    let (state, held_for) = (state.as_str(), held_for.map(HeldFor::as_str));
    sqlx::query!(
        "UPDATE workflow_publications SET state = ?3, held_for = ?4, changed_at = ?5
         WHERE publication_id = ?1 AND revision = ?2",
        id,
        revision,
        state,
        held_for,
        now.0,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Says what the person changed and what their approval lets out; absent where they took it back.
pub(super) async fn set_manifest(
    connection: &mut SqliteConnection,
    stored: &StoredPublication,
    approved: Option<(&str, &Manifest)>,
) -> Result<(), StoreError> {
    let (id, revision) = (stored.summary.id.to_string(), stored.summary.revision);
    let draft = approved.map(|(draft, _)| draft);
    let manifest = approved.map(|(_, manifest)| manifest.json()).transpose()?;
    let digest = match approved {
        Some((_, manifest)) => manifest.digest()?,
        None => stored.asked.manifest(&PublicationDraft::default())?.digest()?,
    };
    let digest = digest.to_string();
    sqlx::query!(
        "UPDATE workflow_publications SET draft = ?3, manifest = ?4, digest = ?5
         WHERE publication_id = ?1 AND revision = ?2",
        id,
        revision,
        draft,
        manifest,
        digest,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Says what became of an item.
pub(super) async fn set_item(
    connection: &mut SqliteConnection,
    stored: &StoredPublication,
    result: &ItemResult,
) -> Result<(), StoreError> {
    let (id, revision) = (stored.summary.id.to_string(), stored.summary.revision);
    let (item_id, state) = (result.id.to_string(), result.state.as_str());
    sqlx::query!(
        "UPDATE workflow_items SET state = ?4, url = ?5, reason = ?6
         WHERE publication_id = ?1 AND revision = ?2 AND item_id = ?3",
        id,
        revision,
        item_id,
        state,
        result.url,
        result.reason,
    )
    .execute(connection)
    .await?;
    Ok(())
}

impl Store {
    pub(super) async fn stored_publications(&self, job: JobId) -> Result<Vec<StoredPublication>, StoreError> {
        let id = job.to_string();
        let mut reading = self.readers.begin().await?;
        let rows = publication_rows!("WHERE job_id = ?1 ORDER BY n", id).fetch_all(&mut *reading).await?;
        let mut all = Vec::with_capacity(rows.len());
        for row in rows {
            all.push(row.stored(&mut reading).await?);
        }
        reading.rollback().await?;
        Ok(all)
    }

    pub(super) async fn stored_publication(
        &self,
        publication: PublicationId,
    ) -> Result<Option<StoredPublication>, StoreError> {
        let mut reading = self.readers.begin().await?;
        let found = newest(&mut reading, publication).await?;
        reading.rollback().await?;
        Ok(found)
    }

    pub(super) async fn stored_publication_of(
        &self,
        request: RequestId,
    ) -> Result<Option<StoredPublication>, StoreError> {
        let id = request.to_string();
        let mut reading = self.readers.begin().await?;
        let row = publication_rows!("WHERE request_id = ?1", id).fetch_optional(&mut *reading).await?;
        let found = match row {
            Some(row) => Some(row.stored(&mut reading).await?),
            None => None,
        };
        reading.rollback().await?;
        Ok(found)
    }

    pub(super) async fn set_publication_question(
        &self,
        publication: PublicationId,
        revision: u32,
        request: RequestId,
    ) -> Result<bool, StoreError> {
        let (id, request_id) = (publication.to_string(), request.to_string());
        let set = sqlx::query!(
            "UPDATE workflow_publications SET request_id = ?3
             WHERE publication_id = ?1 AND revision = ?2 AND state = 'open'
               AND (request_id IS NULL OR request_id = ?3)",
            id,
            revision,
            request_id,
        )
        .execute(&mut *self.writer.acquire().await?)
        .await?;
        Ok(set.rows_affected() == 1)
    }

    pub(super) async fn all_open_publications(&self) -> Result<Vec<OpenPublication>, StoreError> {
        let rows = sqlx::query!(
            "SELECT job_id, publication_id, revision, request_id FROM workflow_publications WHERE state = 'open'"
        )
        .fetch_all(&self.readers)
        .await?;
        let open = rows.into_iter().map(|row| {
            Ok(OpenPublication {
                job_id: row.job_id.parse()?,
                publication_id: row.publication_id.parse()?,
                revision: unsigned(row.revision),
                request_id: row.request_id.as_deref().map(str::parse).transpose()?,
            })
        });
        open.collect()
    }
}
