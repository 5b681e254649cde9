//! The one connection that writes.

use std::sync::Arc;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard};

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
