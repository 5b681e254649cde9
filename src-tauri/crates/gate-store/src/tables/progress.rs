//! How far sessions' work is: one row for each, replaced by each report.

use gate_core::{Progress, SessionUuid, Step};
use sqlx::{Connection as _, SqliteConnection};
use tokio::sync::oneshot::error::TryRecvError;

use crate::error::StoreError;
use crate::json::to_json;
use crate::store::Store;
use crate::table::{Instead, Known, Owner, Table, column, identifier, json};
use crate::writer::Report;

/// The table of progress.
pub(crate) const TABLE: Table = Table {
    name: "progress",
    columns: &[
        identifier("session_uuid"),
        column("percent"),
        column("status_message"),
        column("step_name"),
        json::<Vec<Step>>("steps", Instead::Nothing),
        column("updated_at"),
    ],
    owner: Owner::Conversation,
    known: Known::Replaced { key: "session_uuid", when: "excluded.updated_at > progress.updated_at" },
};

impl Store {
    /// Stores a session's progress in the place of what was there, together with other sessions' that are
    /// reported at the same time. It is committed when this returns.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn set_progress(&self, session: SessionUuid, progress: &Progress) -> Result<(), StoreError> {
        let mut outcome = self.reports.add(session, progress.clone());
        let mut writer = tokio::select! {
            biased;
            // Whoever has taken it along says so. Waiting for the writer as well would keep the next ones from it.
            Ok(written) = &mut outcome => return written,
            writer = self.writer.acquire() => writer?,
        };
        match outcome.try_recv() {
            Ok(outcome) => return outcome,
            Err(TryRecvError::Empty) => {}
            // Whoever had taken it along was given up in the middle.
            Err(TryRecvError::Closed) => outcome = self.reports.add(session, progress.clone()),
        }
        let waiting = self.reports.take();
        if waiting.len() > 1 && write_all(&mut writer, &waiting).await.is_ok() {
            for report in waiting {
                let _ = report.written.send(Ok(()));
            }
        } else {
            // Each by itself, so that each hears what is wrong with its own.
            for report in waiting {
                let written = write(&mut *writer, report.session, &report.progress).await;
                let _ = report.written.send(written);
            }
        }
        drop(writer);
        outcome.await.unwrap_or_else(|_| Err(sqlx::Error::PoolClosed.into()))
    }
}

async fn write_all(writer: &mut SqliteConnection, reports: &[Report]) -> Result<(), StoreError> {
    let mut tx = writer.begin_with("BEGIN IMMEDIATE").await?;
    for report in reports {
        write(&mut *tx, report.session, &report.progress).await?;
    }
    tx.commit().await?;
    Ok(())
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
