//! What the record knows of receipts: how far their log went, and what of them stays home. The log itself is a file
//! beside it.

use gate_core::{Digest, RequestId, Timestamp};
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, SqliteExecutor};
use uuid::Uuid;

use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::store::Store;
use crate::table::{Instead, Known, Owner, Table, column, identifier, json};

/// The table of where the log stands, with one row.
pub(crate) const RECEIPTS: Table = Table {
    name: "receipts",
    columns: &[
        column("row"),
        identifier("home"),
        column("began"),
        json::<Vec<(u64, Digest)>>("heads", Instead::Text("[]")),
    ],
    owner: Owner::Nobody,
    known: Known::Replaced { key: "row", when: "true" },
};

/// The table of what stays home.
pub(crate) const ABOUTS: Table = Table {
    name: "abouts",
    columns: &[column("about"), identifier("request_id"), column("said")],
    owner: Owner::Request,
    known: Known::Stays,
};

/// How far a home's log of receipts went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptsKnown {
    /// The home's id, made with its log.
    pub home: Uuid,
    /// When its first log began; replies from before have no receipts.
    pub began: Timestamp,
    /// The last lines that the record knows, by number and digest, the newest first.
    pub heads: Vec<(u64, Digest)>,
}

/// What of a receipt stays home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAbout {
    /// Its digest, as the receipt has it.
    pub about: Digest,
    /// The request that was answered.
    pub request_id: RequestId,
    /// What it says, as JSON.
    pub said: String,
}

impl Store {
    /// How far the log went; absent before there was one.
    ///
    /// # Errors
    /// When SQLite fails, or the row isn't one that this program writes.
    pub async fn receipts_known(&self) -> Result<Option<ReceiptsKnown>, StoreError> {
        read(&self.readers).await
    }

    /// Remembers how far the log went, and what of its newest receipts stays home.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn remember_receipts(&self, known: &ReceiptsKnown, abouts: &[StoredAbout]) -> Result<(), StoreError> {
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        write(&mut tx, known).await?;
        for StoredAbout { about, request_id, said } in abouts {
            let (about, request_id) = (about.to_string(), request_id.to_string());
            // Its conversation may have been deleted meanwhile.
            sqlx::query!(
                "INSERT INTO abouts (about, request_id, said)
                 SELECT ?1, request_id, ?3 FROM review_requests WHERE request_id = ?2
                 ON CONFLICT (about) DO NOTHING",
                about,
                request_id,
                said,
            )
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// What stays home of a request's receipts.
    ///
    /// # Errors
    /// When SQLite fails, or a row isn't one that this program writes.
    pub async fn abouts(&self, request: RequestId) -> Result<Vec<StoredAbout>, StoreError> {
        let request_id = request.to_string();
        let rows = sqlx::query!("SELECT about, said FROM abouts WHERE request_id = ?1", request_id)
            .fetch_all(&self.readers)
            .await?;
        let stored = rows.into_iter().map(|row| {
            let about = row.about.parse().map_err(|_| StoreError::Unexpected(format!("digest {:?}", row.about)))?;
            Ok(StoredAbout { about, request_id: request, said: row.said })
        });
        stored.collect()
    }

    /// Whether anything was ever answered here.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn has_replies(&self) -> Result<bool, StoreError> {
        let found = sqlx::query_scalar!(r#"SELECT EXISTS (SELECT 1 FROM replies) AS "found!: bool""#)
            .fetch_one(&self.readers)
            .await?;
        Ok(found)
    }

    /// The requests that were answered here and whose replies no agent has, the oldest reply first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn all_undelivered(&self) -> Result<Vec<RequestId>, StoreError> {
        let found = sqlx::query_scalar!(
            "SELECT r.request_id FROM replies r
             WHERE r.delivered_at IS NULL AND r.imported_at IS NULL
               AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.note_id = r.request_id)
             ORDER BY r.answered_at",
        )
        .fetch_all(&self.readers)
        .await?;
        requests(found)
    }

    /// Those of them that were answered since `began`, and since `since` or without that of a receipt anything is
    /// remembered.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn undelivered_unsettled(
        &self,
        began: Timestamp,
        since: Timestamp,
    ) -> Result<Vec<RequestId>, StoreError> {
        let found = sqlx::query_scalar!(
            "SELECT r.request_id FROM replies r
             WHERE r.delivered_at IS NULL AND r.imported_at IS NULL
               AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.note_id = r.request_id)
               AND r.answered_at >= ?1
               AND (r.answered_at >= ?2 OR NOT EXISTS (SELECT 1 FROM abouts a WHERE a.request_id = r.request_id))
             ORDER BY r.answered_at",
            began.0,
            since.0,
        )
        .fetch_all(&self.readers)
        .await?;
        requests(found)
    }

    /// The requests that were answered here since then, whether or not an agent has their replies.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn answered_since(&self, since: Timestamp) -> Result<Vec<RequestId>, StoreError> {
        let found = sqlx::query_scalar!(
            "SELECT r.request_id FROM replies r
             WHERE r.imported_at IS NULL AND r.answered_at >= ?1
               AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.note_id = r.request_id)
             ORDER BY r.answered_at",
            since.0,
        )
        .fetch_all(&self.readers)
        .await?;
        requests(found)
    }
}

/// What a record knows of the log; absent before there was one.
///
/// # Errors
/// When SQLite fails, or the row isn't one that this program writes.
pub(crate) async fn read(from: impl SqliteExecutor<'_>) -> Result<Option<ReceiptsKnown>, StoreError> {
    let row = sqlx::query!("SELECT home, began, heads FROM receipts").fetch_optional(from).await?;
    let Some(row) = row else { return Ok(None) };
    let home =
        Uuid::parse_str(&row.home).map_err(|_| StoreError::Unexpected(format!("the receipts' home {:?}", row.home)))?;
    Ok(Some(ReceiptsKnown { home, began: Timestamp(row.began), heads: from_json(&row.heads)? }))
}

/// Makes a record know this of the log, and nothing else.
///
/// # Errors
/// When SQLite fails.
pub(crate) async fn write(to: &mut SqliteConnection, known: &ReceiptsKnown) -> Result<(), StoreError> {
    let (home, heads) = (known.home.to_string(), to_json(&known.heads)?);
    sqlx::query!(
        "INSERT INTO receipts (row, home, began, heads) VALUES (1, ?1, ?2, ?3)
             ON CONFLICT (row) DO UPDATE SET home = excluded.home, began = excluded.began, heads = excluded.heads",
        home,
        known.began.0,
        heads,
    )
    .execute(to)
    .await?;
    Ok(())
}

fn requests(found: Vec<String>) -> Result<Vec<RequestId>, StoreError> {
    found.iter().map(|id| id.parse().map_err(StoreError::Fault)).collect()
}
