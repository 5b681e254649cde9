//! Replies that the person takes back before any agent hears of them.

use gate_core::{Draft, RequestId, Timestamp};
use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::journal::{Entry, Index, Journal, ReplyCopy};
use crate::store::Store;
use crate::tables::drafts;

impl Store {
    /// Takes back a reply that no agent has: its request is pending again, and what was said is its
    /// draft. Returns the number of the message that is gone; absent when there is no such reply, and
    /// nothing was changed.
    ///
    /// # Errors
    /// When SQLite fails or the second copy can't be written. The reply stays then.
    pub async fn withdraw_reply(
        &self,
        request: RequestId,
        draft: &Draft,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let Some(message) = take_back(&mut tx, request, now).await? else { return Ok(None) };
        drafts::write(&mut *tx, request, draft, now).await?;
        // Before it is committed: after it, the second copy would bring the reply back.
        self.journal().add(Entry::Withdrawn(request), true).await?;
        if let Err(error) = tx.commit().await {
            // The reply stands, so it needs its second copy.
            self.copy_reply_again(request).await;
            return Err(error.into());
        }
        Ok(Some(message))
    }
}

/// Takes a reply that no agent has out of a record. Returns the number of its message; absent where
/// there is no such reply.
pub(crate) async fn take_back(
    connection: &mut SqliteConnection,
    request: RequestId,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let request_id = request.to_string();
    let gone = sqlx::query!("DELETE FROM replies WHERE request_id = ?1 AND delivered_at IS NULL", request_id)
        .execute(&mut *connection)
        .await?;
    if gone.rows_affected() == 0 {
        return Ok(None);
    }
    let message = sqlx::query_scalar!(
        "DELETE FROM messages WHERE request_id = ?1 AND role = 'person' RETURNING message_id",
        request_id,
    )
    .fetch_optional(&mut *connection)
    .await?;
    sqlx::query!("UPDATE review_requests SET status = 'pending', closed_at = NULL WHERE request_id = ?1", request_id,)
        .execute(&mut *connection)
        .await?;
    sqlx::query!("UPDATE attachments SET position = NULL WHERE request_id = ?1", request_id)
        .execute(&mut *connection)
        .await?;
    sqlx::query!(
        "UPDATE conversations SET updated_at = max(updated_at, ?2),
             messages = (SELECT count(*) FROM messages m WHERE m.session_uuid = conversations.session_uuid)
         WHERE session_uuid = (SELECT session_uuid FROM review_requests WHERE request_id = ?1)",
        request_id,
        now.0,
    )
    .execute(connection)
    .await?;
    Ok(Some(message.unwrap_or(0)))
}

/// Takes out of a record that was put together again what was withdrawn since the backup that it
/// began with.
///
/// # Errors
/// When SQLite fails.
pub(crate) async fn apply(connection: &mut SqliteConnection, index: &Index, now: Timestamp) -> Result<(), StoreError> {
    for request in &index.withdrawn {
        take_back(connection, *request, now).await?;
    }
    Ok(())
}

/// Writes the second copy of replies that the journal takes for withdrawn although the record has
/// them: the gate was killed in between, so they count as sent.
///
/// # Errors
/// When SQLite fails or the journal can't be written.
pub(crate) async fn copy_again(
    connection: &mut SqliteConnection,
    journal: &Journal,
    index: &Index,
) -> Result<(), StoreError> {
    for request in &index.withdrawn {
        if let Some(copy) = ReplyCopy::read(connection, *request).await? {
            copy.write(connection, journal).await?;
        }
    }
    Ok(())
}
