//! What happened, numbered for each subject: a review, or a job.

use gate_core::Timestamp;
use serde_json::{Map, Value};
use sqlx::SqliteConnection;

use super::numbers::signed;
use crate::error::StoreError;
use crate::json::to_json;
use crate::store::Store;
use crate::table::{Instead, Known, Owner, Table, column, json};

/// What happened.
pub(crate) const TABLE: Table = Table {
    name: "events",
    columns: &[
        column("position"),
        column("subject"),
        column("n"),
        column("at"),
        column("party"),
        column("role"),
        column("type"),
        json::<Map<String, Value>>("data", Instead::Text("{}")),
    ],
    owner: Owner::Subject,
    known: Known::Stays,
};

/// What is told of an act.
pub(super) struct Told<'a> {
    pub(super) party: Option<&'a str>,
    pub(super) role: Option<&'a str>,
    pub(super) kind: &'a str,
    pub(super) data: Map<String, Value>,
}

/// An event as it is kept.
pub(super) struct EventRow {
    pub(super) n: i64,
    pub(super) at: i64,
    pub(super) party: Option<String>,
    pub(super) role: Option<String>,
    pub(super) kind: String,
    pub(super) data: String,
}

/// Writes the event of this number.
pub(super) async fn write(
    connection: &mut SqliteConnection,
    subject: &str,
    n: u64,
    told: Told<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (number, data) = (signed(n), to_json(&told.data)?);
    sqlx::query!(
        "INSERT INTO events (subject, n, at, party, role, type, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        subject,
        number,
        now.0,
        told.party,
        told.role,
        told.kind,
        data,
    )
    .execute(connection)
    .await?;
    Ok(())
}

impl Store {
    /// At most so many events of a subject after this one, in their order.
    pub(super) async fn events_of(&self, subject: &str, after: u64, limit: usize) -> Result<Vec<EventRow>, StoreError> {
        let (after, limit) = (signed(after), i64::try_from(limit).unwrap_or(i64::MAX));
        let rows = sqlx::query_as!(
            EventRow,
            r#"SELECT n, at, party, role, type AS "kind", data FROM events WHERE subject = ?1 AND n > ?2 ORDER BY n LIMIT ?3"#,
            subject,
            after,
            limit,
        );
        Ok(rows.fetch_all(&self.readers).await?)
    }
}
