//! The row of an attachment, and that of the bytes that it has.

use std::borrow::Cow;

use gate_core::{Attachment, AttachmentId, RequestId};
use sqlx::SqliteExecutor;
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::table::{Known, Owner, Table, column, identifier};

/// A row of `attachments`.
#[derive(Debug, Clone)]
pub(crate) struct AttachmentRow<'a> {
    pub(crate) attachment_id: AttachmentId,
    pub(crate) request_id: RequestId,
    pub(crate) sha256: Cow<'a, str>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) mime_type: Cow<'a, str>,
    /// Its place in the reply; absent while it belongs to a draft.
    pub(crate) position: Option<usize>,
    pub(crate) created_at: i64,
}

macro_rules! insert {
    ($row:expr, $conflict:literal) => {{
        let AttachmentRow { attachment_id, request_id, sha256, name, mime_type, position, created_at } = $row;
        let (attachment_id, request_id) = (attachment_id.to_string(), request_id.to_string());
        let position = position.map(number);
        sqlx::query!(
            "INSERT INTO attachments (attachment_id, request_id, sha256, name, mime_type, position, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
                + $conflict,
            attachment_id,
            request_id,
            sha256,
            name,
            mime_type,
            position,
            created_at,
        )
    }};
}

impl AttachmentRow<'_> {
    /// Its table.
    pub(crate) const TABLE: Table = Table {
        name: "attachments",
        columns: &[
            identifier("attachment_id"),
            identifier("request_id"),
            column("sha256"),
            column("name"),
            column("mime_type"),
            column("position"),
            column("created_at"),
        ],
        owner: Owner::Request,
        known: Known::Changed(
            "(attachment_id) DO UPDATE SET position = excluded.position
             WHERE attachments.position IS NULL AND excluded.position IS NOT NULL",
        ),
    };

    /// Stores a new one, whose bytes are there.
    ///
    /// # Errors
    /// When SQLite fails, as it does where there is one already.
    pub(crate) async fn insert(&self, to: &mut SqliteConnection) -> Result<(), StoreError> {
        insert!(self, "").execute(to).await?;
        Ok(())
    }

    /// Stores it in the place of the one that is there.
    ///
    /// # Errors
    /// When SQLite fails.
    pub(crate) async fn put_back(&self, to: &mut SqliteConnection) -> Result<(), StoreError> {
        insert!(
            self,
            " ON CONFLICT (attachment_id) DO UPDATE SET request_id = excluded.request_id, sha256 = excluded.sha256,
                  name = excluded.name, mime_type = excluded.mime_type, position = excluded.position,
                  created_at = excluded.created_at"
        )
        .execute(to)
        .await?;
        Ok(())
    }
}

/// An attachment with the size of its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Attached {
    pub(crate) row: AttachmentRow<'static>,
    size: u64,
}

macro_rules! attached {
    ($tail:literal, $argument:expr) => {
        sqlx::query!(
            "SELECT a.attachment_id, a.request_id, a.sha256, a.name, a.mime_type, a.position, a.created_at, b.size
             FROM attachments a JOIN blobs b ON b.sha256 = a.sha256 "
                + $tail,
            $argument,
        )
        .map(|row| -> Result<Attached, StoreError> {
            let stored = AttachmentRow {
                attachment_id: row.attachment_id.parse()?,
                request_id: row.request_id.parse()?,
                sha256: row.sha256.into(),
                name: row.name.into(),
                mime_type: row.mime_type.into(),
                position: row.position.and_then(|position| usize::try_from(position).ok()),
                created_at: row.created_at,
            };
            Ok(Attached { row: stored, size: u64::try_from(row.size).unwrap_or(0) })
        })
    };
}

impl Attached {
    /// The one with this identifier.
    ///
    /// # Errors
    /// When SQLite fails, or the row isn't one that this program writes.
    pub(crate) async fn read<'c>(from: impl SqliteExecutor<'c>, id: AttachmentId) -> Result<Option<Self>, StoreError> {
        let attachment_id = id.to_string();
        attached!("WHERE a.attachment_id = ?1", attachment_id).fetch_optional(from).await?.transpose()
    }

    /// Those of replies to these requests (a JSON array), each reply's in its order.
    ///
    /// # Errors
    /// As for [`Attached::read`].
    pub(crate) async fn of_replies<'c>(from: impl SqliteExecutor<'c>, requests: &str) -> Result<Vec<Self>, StoreError> {
        let found = attached!(
            "WHERE a.position IS NOT NULL AND a.request_id IN (SELECT value FROM json_each(?1))
             ORDER BY a.request_id, a.position",
            requests
        );
        found.fetch_all(from).await?.into_iter().collect()
    }

    /// What others see of it.
    pub(crate) fn into_attachment(self) -> Attachment {
        Attachment {
            attachment_id: self.row.attachment_id,
            name: self.row.name.into_owned(),
            mime_type: self.row.mime_type.into_owned(),
            size: self.size,
        }
    }
}

/// A row of `blobs`, but for the size of its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlobRow<'a> {
    pub(crate) sha256: &'a str,
    pub(crate) bytes: &'a [u8],
}

macro_rules! insert_blob {
    ($row:expr, $conflict:literal) => {{
        let BlobRow { sha256, bytes } = $row;
        let size = number(bytes.len());
        sqlx::query!("INSERT INTO blobs (sha256, size, bytes) VALUES (?1, ?2, ?3)" + $conflict, sha256, size, bytes)
    }};
}

impl BlobRow<'_> {
    /// Its table.
    pub(crate) const TABLE: Table = Table {
        name: "blobs",
        columns: &[column("sha256"), column("size"), column("bytes")],
        owner: Owner::Nobody,
        known: Known::Stays,
    };

    /// Stores the bytes where they aren't there.
    ///
    /// # Errors
    /// When SQLite fails.
    pub(crate) async fn insert_missing(&self, to: &mut SqliteConnection) -> Result<(), StoreError> {
        insert_blob!(self, " ON CONFLICT (sha256) DO NOTHING").execute(to).await?;
        Ok(())
    }

    /// Stores the bytes in the place of those that are there.
    ///
    /// # Errors
    /// When SQLite fails.
    pub(crate) async fn put_back(&self, to: &mut SqliteConnection) -> Result<(), StoreError> {
        insert_blob!(self, " ON CONFLICT (sha256) DO UPDATE SET size = excluded.size, bytes = excluded.bytes")
            .execute(to)
            .await?;
        Ok(())
    }
}

/// A number as SQLite has it.
fn number(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
