//! What was changed in the settings, and by whom: the newest changes only.

use gate_core::{SessionUuid, SettingChangeId, Timestamp, bounds};
use sqlx::Connection;

use crate::error::StoreError;
use crate::store::Store;
use crate::table::{Known, Owner, Table, column, identifier};

/// The table of changes.
pub(crate) const TABLE: Table = Table {
    name: "setting_changes",
    columns: &[
        identifier("change_id"),
        identifier("save_id"),
        column("key"),
        column("from_value"),
        column("to_value"),
        column("changed_by"),
        column("client"),
        identifier("session_uuid"),
        column("changed_at"),
        column("undone_at"),
    ],
    owner: Owner::Nobody,
    known: Known::Changed(
        "(change_id) DO UPDATE SET undone_at = excluded.undone_at
         WHERE setting_changes.undone_at IS NULL AND excluded.undone_at IS NOT NULL",
    ),
};

/// A change of one setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSettingChange {
    /// Its identifier; later ones sort behind earlier ones.
    pub change_id: SettingChangeId,
    /// What was changed at the same time has the same.
    pub save_id: SettingChangeId,
    /// Which setting.
    pub key: String,
    /// What the file said before, as JSON.
    pub from: String,
    /// What it says since, as JSON.
    pub to: String,
    /// The word for who did it.
    pub by: String,
    /// The agent's name, where it was one.
    pub client: Option<String>,
    /// Its session.
    pub session_uuid: Option<SessionUuid>,
    /// When.
    pub at: Timestamp,
    /// When it was taken back.
    pub undone_at: Option<Timestamp>,
}

impl Store {
    /// Every change that is remembered, the newest first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn setting_changes(&self) -> Result<Vec<StoredSettingChange>, StoreError> {
        let rows = sqlx::query!(
            "SELECT change_id, save_id, key, from_value, to_value, changed_by, client, session_uuid, changed_at,
                    undone_at
             FROM setting_changes ORDER BY changed_at DESC, change_id DESC"
        )
        .fetch_all(&self.readers)
        .await?;
        let mut changes = Vec::with_capacity(rows.len());
        for row in rows {
            changes.push(StoredSettingChange {
                change_id: row.change_id.parse()?,
                save_id: row.save_id.parse()?,
                key: row.key,
                from: row.from_value,
                to: row.to_value,
                by: row.changed_by,
                client: row.client,
                session_uuid: row.session_uuid.map(|session| session.parse()).transpose()?,
                at: Timestamp(row.changed_at),
                undone_at: row.undone_at.map(Timestamp),
            });
        }
        Ok(changes)
    }

    /// Remembers changes, and forgets the oldest beyond [`bounds::SETTING_CHANGES`].
    ///
    /// # Errors
    /// When SQLite fails; none of them is remembered then.
    pub async fn add_setting_changes(&self, changes: &[StoredSettingChange]) -> Result<(), StoreError> {
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        for change in changes {
            let (change_id, save_id) = (change.change_id.to_string(), change.save_id.to_string());
            let session = change.session_uuid.map(|session| session.to_string());
            let undone_at = change.undone_at.map(|at| at.0);
            sqlx::query!(
                "INSERT INTO setting_changes (change_id, save_id, key, from_value, to_value, changed_by, client,
                                              session_uuid, changed_at, undone_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                change_id,
                save_id,
                change.key,
                change.from,
                change.to,
                change.by,
                change.client,
                session,
                change.at.0,
                undone_at,
            )
            .execute(&mut *tx)
            .await?;
        }
        let most = i64::try_from(bounds::SETTING_CHANGES).unwrap_or(i64::MAX);
        sqlx::query!(
            "DELETE FROM setting_changes WHERE change_id NOT IN
                 (SELECT change_id FROM setting_changes ORDER BY changed_at DESC, change_id DESC LIMIT ?1)",
            most,
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Notes that changes were taken back.
    ///
    /// # Errors
    /// When SQLite fails; none of them is noted then.
    pub async fn undo_setting_changes(&self, changes: &[SettingChangeId], now: Timestamp) -> Result<(), StoreError> {
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        for change in changes {
            let id = change.to_string();
            sqlx::query!("UPDATE setting_changes SET undone_at = ?2 WHERE change_id = ?1", id, now.0)
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }
}
