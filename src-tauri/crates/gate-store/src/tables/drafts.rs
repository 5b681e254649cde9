//! Replies that are being written.

use gate_core::ids::unknown_request;
use gate_core::{Draft, RequestId, Timestamp};
use sqlx::SqliteExecutor;
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::store::Store;
use crate::table::{Instead, Known, Owner, Table, column, identifier, json};

/// The table of drafts.
pub(crate) const TABLE: Table = Table {
    name: "drafts",
    columns: &[identifier("request_id"), json::<Draft>("draft", Instead::Nothing), column("updated_at")],
    owner: Owner::Request,
    known: Known::Replaced { key: "request_id", when: "excluded.updated_at > drafts.updated_at" },
};

impl Store {
    /// Stores a draft in place of the one before. Drafts of closed requests are kept too.
    ///
    /// # Errors
    /// `unknown_request` when there is no such request.
    pub async fn save_draft(&self, request: RequestId, draft: &Draft, now: Timestamp) -> Result<(), StoreError> {
        if write(&mut *self.writer.acquire().await?, request, draft, now).await? {
            Ok(())
        } else {
            Err(unknown_request(request).into())
        }
    }

    /// The draft of a request; an empty one when nothing was written yet.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn draft(&self, request: RequestId) -> Result<Draft, StoreError> {
        let request_id = request.to_string();
        let draft = sqlx::query_scalar!("SELECT draft FROM drafts WHERE request_id = ?1", request_id)
            .fetch_optional(&self.readers)
            .await?;
        draft.map_or_else(|| Ok(Draft::default()), |text| from_json(&text))
    }
}

/// As [`Store::save_draft`], within a transaction or not. False when there is no such request.
pub(crate) async fn write<'c>(
    to: impl SqliteExecutor<'c>,
    request: RequestId,
    draft: &Draft,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let (request_id, draft) = (request.to_string(), to_json(draft)?);
    let done = sqlx::query!(
        "INSERT INTO drafts (request_id, draft, updated_at)
         SELECT request_id, ?2, ?3 FROM review_requests WHERE request_id = ?1
         ON CONFLICT (request_id) DO UPDATE SET draft = excluded.draft, updated_at = excluded.updated_at",
        request_id,
        draft,
        now.0,
    )
    .execute(to)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Deletes the draft of a request if it is what was sent. It is the same reply however its text is
/// written: a program that knew fewer fields has written fewer.
pub(crate) async fn delete_sent(tx: &mut SqliteConnection, request_id: &str, sent: &Draft) -> Result<(), StoreError> {
    let written = sqlx::query_scalar!("SELECT draft FROM drafts WHERE request_id = ?1", request_id)
        .fetch_optional(&mut *tx)
        .await?;
    // One that can't be read isn't known to be the same.
    if written.is_some_and(|text| from_json::<Draft>(&text).is_ok_and(|draft| draft == *sent)) {
        sqlx::query!("DELETE FROM drafts WHERE request_id = ?1", request_id).execute(tx).await?;
    }
    Ok(())
}
