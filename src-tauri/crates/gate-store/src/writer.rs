//! The one connection that writes, and what waits to be written together.

use std::sync::{Arc, PoisonError};

use gate_core::{Progress, SessionUuid};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard, oneshot};

use crate::error::StoreError;

/// Who writes waits for its turn. A pool of one connection would ask it after each turn whether it still
/// answers, and keep the next writer waiting for that.
#[derive(Debug, Clone)]
pub(crate) struct Writer(Arc<Mutex<Option<SqliteConnection>>>);

impl Writer {
    /// Opens the connection.
    pub(crate) async fn open(options: &SqliteConnectOptions) -> Result<Self, StoreError> {
        Ok(Self(Arc::new(Mutex::new(Some(options.connect().await?)))))
    }

    /// The connection, for one turn.
    ///
    /// # Errors
    /// When it is closed.
    pub(crate) async fn acquire(&self) -> Result<MappedMutexGuard<'_, SqliteConnection>, StoreError> {
        MutexGuard::try_map(self.0.lock().await, Option::as_mut).map_err(|_| sqlx::Error::PoolClosed.into())
    }

    /// Closes it after the turns under way.
    pub(crate) async fn close(&self) {
        if let Some(connection) = self.0.lock().await.take()
            && let Err(error) = connection.close().await
        {
            tracing::warn!(%error, "the record was not closed well");
        }
    }
}

/// Reports that wait for the writer. Whoever has it next writes all of them in one transaction, so that
/// many agents share the wait for the disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reports(Arc<std::sync::Mutex<Vec<Report>>>);

/// A session's progress, and who waits for it to be stored.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) session: SessionUuid,
    pub(crate) progress: Progress,
    pub(crate) written: oneshot::Sender<Result<(), StoreError>>,
}

impl Reports {
    /// Adds one. What becomes of it is sent when it was written.
    pub(crate) fn add(&self, session: SessionUuid, progress: Progress) -> oneshot::Receiver<Result<(), StoreError>> {
        let (written, outcome) = oneshot::channel();
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(Report { session, progress, written });
        outcome
    }

    /// Those that somebody still waits for, in their order.
    pub(crate) fn take(&self) -> Vec<Report> {
        let mut waiting = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.retain(|report| !report.written.is_closed());
        waiting
    }
}
