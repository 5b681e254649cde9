//! How far sessions' work is: one row for each, replaced by each report.

use gate_core::{Progress, SessionUuid};

use crate::error::StoreError;
use crate::open::Store;
use crate::requests::to_json;

impl Store {
    /// Stores a session's progress in the place of what was there.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn set_progress(&self, session: SessionUuid, progress: &Progress) -> Result<(), StoreError> {
        write(&mut *self.writer.acquire().await?, session, progress).await
    }
}

/// As [`Store::set_progress`], within a transaction or not.
pub(crate) async fn write<'c>(
    to: impl sqlx::SqliteExecutor<'c>,
    session: SessionUuid,
    progress: &Progress,
) -> Result<(), StoreError> {
    let session_uuid = session.to_string();
    let steps = to_json(&progress.steps)?;
    sqlx::query!(
        "INSERT INTO progress (session_uuid, percent, status_message, step_name, steps, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (session_uuid) DO UPDATE SET percent = excluded.percent,
             status_message = excluded.status_message, step_name = excluded.step_name, steps = excluded.steps,
             updated_at = excluded.updated_at",
        session_uuid,
        progress.progress_percent,
        progress.status_message,
        progress.step_name,
        steps,
        progress.updated_at.0,
    )
    .execute(to)
    .await?;
    Ok(())
}
