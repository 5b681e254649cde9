//! The row of a message. It is read in pages only, with what it belongs to.

use std::borrow::Cow;

use gate_core::{RequestId, RestoreId, Role, SessionUuid};
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::table::{Known, Owner, Table, column, identifier};

/// A row of `messages`. Its number is SQLite's.
#[derive(Debug, Clone)]
pub(crate) struct MessageRow<'a> {
    pub(crate) session_uuid: SessionUuid,
    pub(crate) request_id: RequestId,
    pub(crate) role: Role,
    pub(crate) body: Cow<'a, str>,
    pub(crate) created_at: i64,
    pub(crate) superseded_by: Option<RestoreId>,
}

macro_rules! insert {
    ($row:expr, $conflict:literal) => {{
        let MessageRow { session_uuid, request_id, role, body, created_at, superseded_by } = $row;
        let (session_uuid, request_id) = (session_uuid.to_string(), request_id.to_string());
        let (role, superseded_by) = (role.as_str(), superseded_by.map(|restore| restore.to_string()));
        sqlx::query!(
            "INSERT INTO messages (session_uuid, request_id, role, body, created_at, superseded_by)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
                + $conflict,
            session_uuid,
            request_id,
            role,
            body,
            created_at,
            superseded_by,
        )
    }};
}

impl MessageRow<'_> {
    /// Its table.
    pub(crate) const TABLE: Table = Table {
        name: "messages",
        columns: &[
            column("message_id").dispensable(),
            identifier("session_uuid"),
            identifier("request_id"),
            column("role"),
            column("body"),
            column("created_at"),
            // Not an identifier: one that can't be read must not take the message along.
            column("superseded_by").dispensable(),
        ],
        owner: Owner::Conversation,
        known: Known::Changed(
            "(message_id) DO UPDATE SET superseded_by = excluded.superseded_by
             WHERE messages.request_id = excluded.request_id AND messages.role = excluded.role
               AND messages.superseded_by IS NOT excluded.superseded_by",
        ),
    };

    /// Stores a new one. Returns its number.
    ///
    /// # Errors
    /// When SQLite fails, as it does where the request has one of this role already.
    pub(crate) async fn insert(&self, to: &mut SqliteConnection) -> Result<i64, StoreError> {
        Ok(insert!(self, "").execute(to).await?.last_insert_rowid())
    }

    /// Stores it in the place of the one that is there. What superseded that stays.
    ///
    /// # Errors
    /// When SQLite fails.
    pub(crate) async fn put_back(&self, to: &mut SqliteConnection) -> Result<(), StoreError> {
        insert!(
            self,
            " ON CONFLICT (request_id, role) DO UPDATE SET session_uuid = excluded.session_uuid,
                  body = excluded.body, created_at = excluded.created_at"
        )
        .execute(to)
        .await?;
        Ok(())
    }
}
