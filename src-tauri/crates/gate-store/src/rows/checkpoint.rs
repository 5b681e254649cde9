//! The rows of a checkpoint and of a restore.

use gate_core::{Checkpoint, Progress, Timestamp};
use sqlx::SqliteExecutor;
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::json::from_json;
use crate::table::{Instead, Known, Owner, Table, column, identifier, json};

/// A row of `checkpoints`.
#[derive(Debug, Clone)]
pub(crate) struct CheckpointRow {
    pub(crate) checkpoint_id: String,
    pub(crate) session_uuid: String,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) message_id: i64,
    pub(crate) messages: i64,
    pub(crate) visible: String,
    pub(crate) progress: Option<String>,
    pub(crate) call_key: Option<String>,
    pub(crate) created_at: i64,
}

/// Reads checkpoints, their progress with its steps where `$steps` is true.
macro_rules! checkpoints {
    ($steps:expr, $tail:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            CheckpointRow,
            r#"SELECT checkpoint_id, session_uuid, name, description, message_id, messages, visible,
                      iif(?1, progress, json_remove(progress, '$.steps')) AS "progress: String", call_key, created_at
               FROM checkpoints "#
                + $tail,
            $steps
            $(, $argument)*
        )
    };
}

impl CheckpointRow {
    /// Its table.
    pub(crate) const TABLE: Table = Table {
        name: "checkpoints",
        columns: &[
            identifier("checkpoint_id"),
            identifier("session_uuid"),
            column("name"),
            column("description"),
            column("message_id"),
            column("messages"),
            column("visible"),
            json::<Progress>("progress", Instead::Null),
            column("call_key"),
            column("created_at"),
        ],
        owner: Owner::Conversation,
        known: Known::Stays,
    };

    /// Stores a new one.
    ///
    /// # Errors
    /// When SQLite fails, as it does where the conversation has one of this name.
    pub(crate) async fn insert(&self, to: &mut SqliteConnection) -> Result<(), StoreError> {
        let Self {
            checkpoint_id,
            session_uuid,
            name,
            description,
            message_id,
            messages,
            visible,
            progress,
            call_key,
            created_at,
        } = self;
        sqlx::query!(
            "INSERT INTO checkpoints (checkpoint_id, session_uuid, name, description, message_id, messages, visible,
                                      progress, call_key, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            checkpoint_id,
            session_uuid,
            name,
            description,
            message_id,
            messages,
            visible,
            progress,
            call_key,
            created_at,
        )
        .execute(to)
        .await?;
        Ok(())
    }

    /// The one with this identifier.
    ///
    /// # Errors
    /// When SQLite fails, as it does where there is none.
    pub(crate) async fn read(from: &mut SqliteConnection, checkpoint_id: &str) -> Result<Self, StoreError> {
        Ok(checkpoints!(true, "WHERE checkpoint_id = ?2", checkpoint_id).fetch_one(from).await?)
    }

    /// The one of a conversation with this identifier or else of this name.
    ///
    /// # Errors
    /// When SQLite fails.
    pub(crate) async fn called(
        from: &mut SqliteConnection,
        session_uuid: &str,
        called: &str,
    ) -> Result<Option<Self>, StoreError> {
        let found = checkpoints!(
            true,
            "WHERE session_uuid = ?2 AND (checkpoint_id = lower(?3) OR name = ?3)
             ORDER BY checkpoint_id = lower(?3) DESC LIMIT 1",
            session_uuid,
            called
        );
        Ok(found.fetch_optional(from).await?)
    }

    /// Those of a conversation, in order; their progress has its steps where `with_steps` is true.
    ///
    /// # Errors
    /// When SQLite fails.
    pub(crate) async fn of<'c>(
        from: impl SqliteExecutor<'c>,
        session_uuid: &str,
        with_steps: bool,
    ) -> Result<Vec<Self>, StoreError> {
        let found =
            checkpoints!(with_steps, "WHERE session_uuid = ?2 ORDER BY created_at, checkpoint_id", session_uuid);
        Ok(found.fetch_all(from).await?)
    }

    /// What others see of it.
    ///
    /// # Errors
    /// When the row isn't one that this program writes.
    pub(crate) fn into_checkpoint(self) -> Result<Checkpoint, StoreError> {
        Ok(Checkpoint {
            checkpoint_id: self.checkpoint_id.parse()?,
            name: self.name,
            description: self.description,
            messages: u64::try_from(self.messages).unwrap_or(0),
            progress: self.progress.as_deref().map(from_json).transpose()?,
            created_at: Timestamp(self.created_at),
        })
    }
}

/// A row of `restores`.
#[derive(Debug, Clone)]
pub(crate) struct RestoreRow {
    pub(crate) restore_id: String,
    pub(crate) session_uuid: String,
    pub(crate) checkpoint_id: String,
    pub(crate) superseded: i64,
    pub(crate) visible_before: Option<String>,
    pub(crate) progress_before: Option<String>,
    pub(crate) call_key: Option<String>,
    pub(crate) restored_at: i64,
    pub(crate) undone_at: Option<i64>,
}

macro_rules! restores {
    ($tail:literal, $argument:expr) => {
        sqlx::query_as!(
            RestoreRow,
            "SELECT restore_id, session_uuid, checkpoint_id, superseded, visible_before, progress_before, call_key,
                    restored_at, undone_at
             FROM restores "
                + $tail,
            $argument,
        )
    };
}

impl RestoreRow {
    /// Its table.
    pub(crate) const TABLE: Table = Table {
        name: "restores",
        columns: &[
            identifier("restore_id"),
            identifier("session_uuid"),
            identifier("checkpoint_id"),
            column("superseded"),
            column("visible_before"),
            json::<Progress>("progress_before", Instead::Null),
            column("call_key"),
            column("restored_at"),
            column("undone_at"),
        ],
        owner: Owner::Conversation,
        known: Known::Changed(
            "(restore_id) DO UPDATE SET undone_at = excluded.undone_at
             WHERE restores.undone_at IS NULL AND excluded.undone_at IS NOT NULL",
        ),
    };

    /// Stores a new one.
    ///
    /// # Errors
    /// When SQLite fails, as it does where there is one already.
    pub(crate) async fn insert(&self, to: &mut SqliteConnection) -> Result<(), StoreError> {
        let Self {
            restore_id,
            session_uuid,
            checkpoint_id,
            superseded,
            visible_before,
            progress_before,
            call_key,
            restored_at,
            undone_at,
        } = self;
        sqlx::query!(
            "INSERT INTO restores (restore_id, session_uuid, checkpoint_id, superseded, visible_before,
                                   progress_before, call_key, restored_at, undone_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            restore_id,
            session_uuid,
            checkpoint_id,
            superseded,
            visible_before,
            progress_before,
            call_key,
            restored_at,
            undone_at,
        )
        .execute(to)
        .await?;
        Ok(())
    }

    /// The latest of a conversation that holds.
    ///
    /// # Errors
    /// When SQLite fails.
    pub(crate) async fn latest(from: &mut SqliteConnection, session_uuid: &str) -> Result<Option<Self>, StoreError> {
        let found = restores!(
            "WHERE session_uuid = ?1 AND undone_at IS NULL ORDER BY restored_at DESC, restore_id DESC LIMIT 1",
            session_uuid
        );
        Ok(found.fetch_optional(from).await?)
    }

    /// Those of a conversation, in order.
    ///
    /// # Errors
    /// When SQLite fails.
    pub(crate) async fn of<'c>(from: impl SqliteExecutor<'c>, session_uuid: &str) -> Result<Vec<Self>, StoreError> {
        let found = restores!("WHERE session_uuid = ?1 ORDER BY restored_at, restore_id", session_uuid);
        Ok(found.fetch_all(from).await?)
    }
}
