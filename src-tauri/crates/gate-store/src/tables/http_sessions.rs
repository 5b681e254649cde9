//! What HTTP sessions of the initialize-era began with, so that they go on after a restart.

use gate_core::Timestamp;

use crate::error::StoreError;
use crate::store::Store;
use crate::table::{Known, Owner, Table, column};

/// The table of HTTP sessions.
pub(crate) const TABLE: Table = Table {
    name: "http_sessions",
    columns: &[column("session_id"), column("initialize"), column("created_at"), column("used_at")],
    owner: Owner::Nobody,
    known: Known::Stays,
};

impl Store {
    /// What a session began with, as JSON; notes that it is used.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn http_session(&self, session: &str, now: Timestamp) -> Result<Option<String>, StoreError> {
        let found = sqlx::query_scalar!(
            "UPDATE http_sessions SET used_at = ?2 WHERE session_id = ?1 RETURNING initialize",
            session,
            now.0,
        )
        .fetch_optional(&mut *self.writer.acquire().await?)
        .await?;
        Ok(found)
    }

    /// Keeps what a session began with.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn keep_http_session(&self, session: &str, initialize: &str, now: Timestamp) -> Result<(), StoreError> {
        sqlx::query!(
            "INSERT INTO http_sessions (session_id, initialize, created_at, used_at) VALUES (?1, ?2, ?3, ?3)
             ON CONFLICT (session_id) DO UPDATE SET initialize = excluded.initialize, used_at = excluded.used_at",
            session,
            initialize,
            now.0,
        )
        .execute(&mut *self.writer.acquire().await?)
        .await?;
        Ok(())
    }

    /// Forgets a session that its client has ended.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn forget_http_session(&self, session: &str) -> Result<(), StoreError> {
        sqlx::query!("DELETE FROM http_sessions WHERE session_id = ?1", session)
            .execute(&mut *self.writer.acquire().await?)
            .await?;
        Ok(())
    }

    /// Forgets sessions that nobody has used since then, and calls over HTTP: when a gate starts, the
    /// connections of all of them have ended with the gate before. What remains says that the agent
    /// of a pending request was told so.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn begin_http(&self, since: Timestamp) -> Result<(), StoreError> {
        sqlx::query!(
            "DELETE FROM calls WHERE call_key GLOB 'http-*' AND (gives_reply = 1 OR request_id NOT IN
                (SELECT request_id FROM review_requests WHERE status = 'pending'))"
        )
        .execute(&mut *self.writer.acquire().await?)
        .await?;
        sqlx::query!("DELETE FROM http_sessions WHERE used_at < ?1", since.0)
            .execute(&mut *self.writer.acquire().await?)
            .await?;
        Ok(())
    }
}
