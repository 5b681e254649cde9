//! Requests that the person has put off. Agents know nothing of it.

use gate_core::{RequestId, Snooze, Timestamp};

use crate::error::StoreError;
use crate::store::Store;

impl Store {
    /// Puts a pending request off. False when it isn't pending.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn snooze(&self, request: RequestId, snooze: Snooze, now: Timestamp) -> Result<bool, StoreError> {
        let (request_id, until) = (request.to_string(), snooze.until.map(|until| until.0));
        let done = sqlx::query!(
            "UPDATE review_requests SET snoozed_at = ?2, snoozed_until = ?3 WHERE request_id = ?1 AND status = 'pending'",
            request_id,
            now.0,
            until,
        )
        .execute(&mut *self.writer.acquire().await?)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Takes up a request that was put off.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn wake(&self, request: RequestId) -> Result<(), StoreError> {
        let request_id = request.to_string();
        sqlx::query!(
            "UPDATE review_requests SET snoozed_at = NULL, snoozed_until = NULL WHERE request_id = ?1",
            request_id,
        )
        .execute(&mut *self.writer.acquire().await?)
        .await?;
        Ok(())
    }

    /// The pending requests that are put off.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn snoozed(&self) -> Result<Vec<(RequestId, Snooze)>, StoreError> {
        let rows = sqlx::query!(
            "SELECT request_id, snoozed_until FROM review_requests WHERE status = 'pending' AND snoozed_at IS NOT NULL",
        )
        .fetch_all(&self.readers)
        .await?;
        rows.into_iter()
            .map(|row| Ok((row.request_id.parse()?, Snooze { until: row.snoozed_until.map(Timestamp) })))
            .collect()
    }
}
