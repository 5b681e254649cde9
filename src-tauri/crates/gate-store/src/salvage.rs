//! Reading what can still be read of a damaged database, and copying it into a sound one.
//!
//! Rows are read in the order of their tables, over damaged stretches and then from the end, and
//! taken one by one: what breaks a rule of its table stays behind.

use std::path::Path;

use gate_core::{Caller, Declared, SessionStatus, Timestamp};
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, Column as _, Connection as _, Row as _, TypeInfo as _, ValueRef as _};
use uuid::Uuid;

use crate::error::StoreError;
use crate::files;
use crate::inspect::{self, BATCH};
use crate::rows::{Beginning, ConversationRow};
use crate::table::{Column, Holds, Instead, Known, Table};
use crate::tables::TABLES;

/// How often reading goes on behind a damaged stretch before it begins from the end.
const SKIPS: u32 = 48;

/// One value of a row.
enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// Copies what can be read of `source`. Returns how many rows it changed.
///
/// # Errors
/// When `target` can't be written; that `source` can't be read is none.
pub(crate) async fn salvage(source: &Path, target: &mut SqliteConnection) -> Result<u64, StoreError> {
    let mut source = match inspect::look_into(source).await {
        Ok(source) => source,
        Err(error) => {
            tracing::warn!(%error, "nothing of the damaged file can be read");
            return Ok(0);
        }
    };
    let mut count = 0;
    let mut tx = target.begin().await?;
    for table in TABLES {
        let copied = copy(table, &mut source, &mut tx).await?;
        tracing::info!(table = table.name, rows = copied, "salvaged");
        count += copied;
    }
    tx.commit().await?;
    // A damaged file may not even be closed well.
    let _ = source.close().await;
    Ok(count)
}

/// Makes a salvaged record agree with itself: a reply needs its text and ends its request, a request
/// needs its message to be answered, and conversations know how many messages they have.
///
/// # Errors
/// When SQLite fails.
pub(crate) async fn settle(connection: &mut SqliteConnection, now: Timestamp) -> Result<(), StoreError> {
    let mut tx = connection.begin().await?;
    // A decision without its words may not mean what it meant.
    sqlx::query!(
        "DELETE FROM replies WHERE NOT EXISTS
             (SELECT 1 FROM messages m WHERE m.request_id = replies.request_id AND m.role = 'person')"
    )
    .execute(&mut *tx)
    .await?;
    // Nor is a note without its words one.
    sqlx::query!(
        "DELETE FROM notes WHERE NOT EXISTS
             (SELECT 1 FROM messages m WHERE m.request_id = notes.note_id AND m.role = 'person')"
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "UPDATE review_requests SET status = 'answered', closed_at =
             (SELECT r.answered_at FROM replies r WHERE r.request_id = review_requests.request_id)
         WHERE status <> 'answered'
           AND EXISTS (SELECT 1 FROM replies r WHERE r.request_id = review_requests.request_id)"
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "UPDATE review_requests SET status = 'expired', closed_at = coalesce(closed_at, ?1)
         WHERE (status = 'answered'
                AND NOT EXISTS (SELECT 1 FROM replies r WHERE r.request_id = review_requests.request_id)
                AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.note_id = review_requests.request_id))
            OR (status = 'pending' AND NOT EXISTS
                (SELECT 1 FROM messages m WHERE m.request_id = review_requests.request_id AND m.role = 'agent'))",
        now.0,
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "UPDATE conversations SET messages =
             (SELECT count(*) FROM messages m WHERE m.session_uuid = conversations.session_uuid)"
    )
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(())
}

/// The columns of a table of a file whose schema may be another one.
async fn columns(connection: &mut SqliteConnection, table: &str) -> Result<Vec<String>, StoreError> {
    Ok(sqlx::query_scalar("SELECT name FROM pragma_table_info(?1) ORDER BY cid")
        .bind(table)
        .fetch_all(connection)
        .await?)
}

async fn copy(table: &Table, source: &mut SqliteConnection, target: &mut SqliteConnection) -> Result<u64, StoreError> {
    // A schema that can't be read has no columns.
    let given = columns(source, table.name).await.unwrap_or_default();
    if given.is_empty() {
        return Ok(0);
    }
    // Later migrations only append columns, so a name that isn't known is a damaged one in its place.
    let missing = |known: &&Column| !given.iter().any(|name| name == known.name);
    let columns: Vec<Option<&'static Column>> = given
        .iter()
        .enumerate()
        .map(|(place, name)| {
            let known = table.columns.iter().find(|known| known.name == name);
            known.or_else(|| table.columns.get(place).filter(missing))
        })
        .collect();
    let mut count = 0;
    let ascending = format!("SELECT rowid, * FROM {} NOT INDEXED WHERE rowid > ?1 ORDER BY rowid LIMIT ?2", table.name);
    let (mut last, mut skip, mut skips, mut batch) = (i64::MIN, 1_i64, 0, BATCH);
    let mut ended = false;
    while !ended && skips < SKIPS {
        match inspect::rows_from(source, &ascending, last, batch).await {
            Ok(rows) => {
                ended = rows.is_empty();
                for row in rows {
                    last = row.try_get(0).unwrap_or(last);
                    count += take(table, target, &columns, &row).await?;
                }
                if batch == BATCH {
                    skip = 1;
                }
            }
            // One by one up to the damage, then over it.
            Err(_) if batch > 1 => batch = 1,
            Err(_) => {
                last = if last == i64::MIN { 0 } else { last.saturating_add(skip) };
                skip = skip.saturating_mul(2);
                skips += 1;
                batch = 1;
            }
        }
    }
    if skips > 0 {
        let descending =
            format!("SELECT rowid, * FROM {} NOT INDEXED WHERE rowid < ?1 ORDER BY rowid DESC LIMIT ?2", table.name);
        let mut first = i64::MAX;
        while let Ok(rows) = inspect::rows_from(source, &descending, first, 1).await
            && let Some(row) = rows.first()
        {
            first = row.try_get(0).unwrap_or(i64::MIN);
            count += take(table, target, &columns, row).await?;
        }
    }
    Ok(count)
}

/// Puts one row into its table. Returns how many rows changed: 0 where it doesn't fit.
async fn take(
    table: &Table,
    target: &mut SqliteConnection,
    columns: &[Option<&'static Column>],
    row: &SqliteRow,
) -> Result<u64, StoreError> {
    let mut values = Vec::with_capacity(columns.len());
    for (place, column) in columns.iter().enumerate() {
        let Some(column) = column else { continue };
        // The row's number comes first.
        match value(row, place + 1).and_then(|value| as_written(column, value)) {
            Some(value) => values.push((*column, value)),
            None => return Ok(0),
        }
    }
    if table.name == "blobs" && !is_itself(&values) {
        return Ok(0);
    }
    let known = table.known.clause(table.columns);
    let changed = insert(table.name, &known, target, &values).await?;
    if changed > 0 {
        return Ok(changed);
    }
    if table.name == "review_requests" && begin_again(target, &values).await? {
        return Ok(1 + insert(table.name, &known, target, &values).await?);
    }
    if !table.columns.iter().any(|column| column.dispensable) {
        return Ok(0);
    }
    values.retain(|(column, _)| !column.dispensable);
    insert(table.name, &Known::Stays.clause(table.columns), target, &values).await
}

/// A value as this program would have written it into a column; absent where it can't have.
fn as_written(column: &Column, value: Value) -> Option<Value> {
    let Value::Text(text) = &value else { return Some(value) };
    match column.holds {
        Holds::Anything => Some(value),
        // A flipped bit can make a capital of a letter: it is the same identifier, but not the same key.
        Holds::Identifier => Uuid::parse_str(text).ok().map(|id| Value::Text(id.to_string())),
        Holds::Json { can_be_read, .. } if can_be_read(text) => Some(value),
        Holds::Json { instead: Instead::Nothing, .. } => None,
        Holds::Json { instead: Instead::Null, .. } => Some(Value::Null),
        Holds::Json { instead: Instead::Text(text), .. } => Some(Value::Text(text.to_owned())),
    }
}

/// The value of a row's column.
fn of<'a>(values: &'a [(&Column, Value)], wanted: &str) -> Option<&'a Value> {
    values.iter().find(|(column, _)| column.name == wanted).map(|(_, value)| value)
}

/// Makes the conversation of a request where it is lost: the question is worth more than who asked.
async fn begin_again(target: &mut SqliteConnection, request: &[(&Column, Value)]) -> Result<bool, StoreError> {
    let (session, at) = (of(request, "session_uuid"), of(request, "created_at"));
    let (Some(Value::Text(session)), Some(Value::Integer(at))) = (session, at) else {
        return Ok(false);
    };
    let Ok(session_uuid) = session.parse() else { return Ok(false) };
    let (caller, declared) = (Caller::default(), Declared::default());
    let lost = ConversationRow {
        beginning: Beginning::of(session_uuid, &caller, &declared, "", Timestamp(*at)),
        status: SessionStatus::Timeout,
        updated_at: *at,
        relay: None,
        owner: None,
    };
    lost.insert_missing(target).await
}

/// Whether the bytes of an attachment are those that it is called by.
fn is_itself(values: &[(&Column, Value)]) -> bool {
    match (of(values, "sha256"), of(values, "size"), of(values, "bytes")) {
        (Some(Value::Text(sha256)), Some(Value::Integer(size)), Some(Value::Bytes(bytes))) => {
            usize::try_from(*size) == Ok(bytes.len()) && files::sha256(bytes) == *sha256
        }
        _ => false,
    }
}

async fn insert(
    table: &str,
    known: &str,
    target: &mut SqliteConnection,
    values: &[(&Column, Value)],
) -> Result<u64, StoreError> {
    let names: Vec<_> = values.iter().map(|(column, _)| column.name).collect();
    let marks: Vec<_> = (1..=values.len()).map(|number| format!("?{number}")).collect();
    let statement =
        format!("INSERT INTO {table} ({}) VALUES ({}) ON CONFLICT {known}", names.join(", "), marks.join(", "));
    let mut query = sqlx::query(AssertSqlSafe(statement));
    for (_, value) in values {
        query = match value {
            Value::Null => query.bind(None::<i64>),
            Value::Integer(number) => query.bind(*number),
            Value::Real(number) => query.bind(*number),
            Value::Text(text) => query.bind(text.as_str()),
            Value::Bytes(bytes) => query.bind(bytes.as_slice()),
        };
    }
    match query.execute(target).await.map_err(StoreError::from) {
        Ok(done) => Ok(done.rows_affected()),
        Err(error) if error.says_unfit() => Ok(0),
        Err(error) => Err(error),
    }
}

/// A value as it is stored. Bytes that aren't text any more are replaced by a mark: the rest of the
/// text is worth keeping.
fn value(row: &SqliteRow, place: usize) -> Option<Value> {
    let column = row.columns().get(place)?.ordinal();
    let raw = row.try_get_raw(column).ok()?;
    if raw.is_null() {
        return Some(Value::Null);
    }
    let kind = raw.type_info().name().to_owned();
    match kind.as_str() {
        "INTEGER" => row.try_get_unchecked(column).ok().map(Value::Integer),
        "REAL" => row.try_get_unchecked(column).ok().map(Value::Real),
        "TEXT" => {
            let bytes: Vec<u8> = row.try_get_unchecked(column).ok()?;
            Some(Value::Text(String::from_utf8_lossy(&bytes).into_owned()))
        }
        "BLOB" => row.try_get_unchecked(column).ok().map(Value::Bytes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::identifier;

    #[test]
    fn an_identifier_that_a_flipped_bit_made_a_capital_of_is_itself_again() {
        let written = |text: &str| match as_written(&identifier("session_uuid"), Value::Text(text.to_owned())) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        };
        let id = "0192f3c9-e4b1-7c3d-8a5f-0123456789ab";
        let capital = id.replace('f', "F");
        assert_eq!(written(&capital).as_deref(), Some(id), "what refers to it, and its conversation, have it so");
        assert_eq!(written("0192f3c9-e4b1-7c3d-8a5f-0123456789a*"), None, "another letter is no identifier");
    }
}
