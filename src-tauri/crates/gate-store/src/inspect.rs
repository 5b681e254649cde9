//! Looking at a database without changing it: whether it is sound.

use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row as _, TypeInfo as _, ValueRef as _};

use crate::error::StoreError;
use crate::files;
use crate::journal::off_the_runtime;
use crate::options::BUSY;
use crate::store::Store;
use crate::tables::TABLES;

/// Written beside the database when damage is found while it is in use.
pub(crate) const MARKER: &str = "damaged.marker";
/// Rows that are read at once.
pub(crate) const BATCH: i64 = 16;

/// Steps of SQLite's machine, or pages of a check, after which it is looked how long they took.
const STEPS_BETWEEN_LOOKS: i32 = 100;
/// How long a check works before it rests.
const WORK: Duration = Duration::from_millis(1);
/// What counts of that: a machine that slept did not work.
const LONGEST_WORK: Duration = Duration::from_millis(20);
/// How many times as long it rests.
const REST: u32 = 9;

/// How closely a record is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Every page and row: about as long as reading the file.
    Quick,
    /// Also whether indexes agree with their tables and references lead to rows: several times as
    /// long.
    Thorough,
}

impl Store {
    /// Notes that the record was found damaged while it was in use: the next [`Store::open`] checks
    /// it thoroughly and puts it together again.
    ///
    /// # Errors
    /// When the note can't be written.
    pub async fn mark_damaged(&self, detail: &str) -> Result<(), StoreError> {
        let marker = files::neighbour(&self.safety.path, MARKER);
        let detail = detail.to_owned();
        off_the_runtime(move || {
            std::fs::write(&marker, detail).map_err(files::failed("written", &marker))?;
            files::sync_file(&marker)
        })
        .await
    }

    /// Checks the record while it is in use. Damage is noted as by [`Store::mark_damaged`].
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; or when SQLite fails otherwise.
    pub async fn check_soundness(&self, depth: Depth) -> Result<(), StoreError> {
        // Of its own: those that read for agents and people are few.
        let mut connection = look_into(&self.safety.path).await?;
        rest_in_between(&mut connection).await?;
        let checked = match depth {
            Depth::Quick => quick(&mut connection).await,
            Depth::Thorough => thorough(&mut connection).await,
        };
        // What it found counts, however it closes.
        connection.close().await.ok();
        let detail = match checked {
            Ok(None) => return Ok(()),
            Ok(Some(detail)) => detail,
            Err(error) if error.says_damaged() => error.to_string(),
            Err(error) => return Err(error),
        };
        self.mark_damaged(&detail).await?;
        Err(StoreError::Damaged { path: self.safety.path.clone(), detail })
    }
}

/// Opens a database to look at it. A transaction that was cut short in a rollback journal has to be
/// taken back first, and that is a change.
pub(crate) async fn look_into(path: &Path) -> Result<SqliteConnection, StoreError> {
    let cut_short = files::with_suffix(path, "-journal").exists();
    let connection = SqliteConnectOptions::new()
        .filename(path)
        .read_only(!cut_short)
        .busy_timeout(BUSY)
        .disable_statement_logging()
        .connect()
        .await?;
    Ok(connection)
}

/// Makes what is done with a connection leave most of the time to others: a check of a large record takes
/// as long as it takes, and nobody waits for it.
#[expect(clippy::disallowed_methods, reason = "nothing is waited for: SQLite's own thread gives way")]
pub(crate) async fn rest_in_between(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let mut worked_since = Instant::now();
    connection.lock_handle().await?.set_progress_handler(STEPS_BETWEEN_LOOKS, move || {
        let worked = worked_since.elapsed();
        if worked >= WORK {
            std::thread::sleep(worked.min(LONGEST_WORK) * REST);
            worked_since = Instant::now();
        }
        true
    });
    Ok(())
}

/// SQLite's quick check: every page and row, not whether indexes agree with their tables.
pub(crate) async fn quick(connection: &mut SqliteConnection) -> Result<Option<String>, StoreError> {
    let verdict: String = sqlx::query_scalar("PRAGMA quick_check(1)").fetch_one(connection).await?;
    Ok((verdict != "ok").then_some(verdict))
}

/// SQLite's whole check: also whether indexes agree with their tables.
pub(crate) async fn integrity(connection: &mut SqliteConnection) -> Result<Option<String>, StoreError> {
    let verdict: String = sqlx::query_scalar("PRAGMA integrity_check(1)").fetch_one(connection).await?;
    Ok((verdict != "ok").then_some(verdict))
}

/// SQLite's whole check, that every reference leads to a row, and that all text can be read.
pub(crate) async fn thorough(connection: &mut SqliteConnection) -> Result<Option<String>, StoreError> {
    if let Some(detail) = integrity(connection).await? {
        return Ok(Some(detail));
    }
    match dangling(connection).await? {
        None => garbled(connection).await,
        found => Ok(found),
    }
}

/// A reference that leads nowhere.
pub(crate) async fn dangling(connection: &mut SqliteConnection) -> Result<Option<String>, StoreError> {
    let found: Option<(String, String)> =
        sqlx::query_as("SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT 1")
            .fetch_optional(connection)
            .await?;
    Ok(found.map(|(table, parent)| format!("a row of {table} refers to a row of {parent} that isn't there")))
}

/// A table with text that isn't text, which SQLite doesn't look at.
///
/// # Errors
/// When SQLite fails otherwise.
async fn garbled(connection: &mut SqliteConnection) -> Result<Option<String>, StoreError> {
    for table in TABLES.iter().filter(|table| table.name != "blobs") {
        let statement =
            format!("SELECT rowid, * FROM {} NOT INDEXED WHERE rowid > ?1 ORDER BY rowid LIMIT ?2", table.name);
        let mut last = i64::MIN;
        loop {
            let rows = match rows_from(connection, &statement, last, BATCH).await {
                // A table that a migration hasn't made yet.
                Err(error) if error.says_misunderstood() => break,
                rows => rows?,
            };
            let Some(end) = rows.last() else { break };
            last = end.try_get(0)?;
            let is_garbled = |row: &SqliteRow| {
                (0..row.len()).any(|place| {
                    let is_text = row.try_get_raw(place).is_ok_and(|raw| raw.type_info().name() == "TEXT");
                    is_text && row.try_get_unchecked::<String, _>(place).is_err()
                })
            };
            if rows.iter().any(is_garbled) {
                return Ok(Some(format!("a row of {} holds text that isn't text", table.name)));
            }
        }
    }
    Ok(None)
}

/// The rows of a table that a statement reads from the row of this number on, at most so many.
///
/// # Errors
/// When SQLite fails.
pub(crate) async fn rows_from(
    source: &mut SqliteConnection,
    statement: &str,
    from: i64,
    most: i64,
) -> Result<Vec<SqliteRow>, StoreError> {
    let statement = AssertSqlSafe(statement.to_owned());
    Ok(sqlx::query(statement).bind(from).bind(most).fetch_all(source).await?)
}

/// The two bytes of the header that say whether there is a write-ahead log
/// (<https://sqlite.org/fileformat.html>).
fn versions(path: &Path) -> Option<(u8, u8)> {
    let mut header = [0; 20];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut header)).ok()?;
    let [.., write, read] = header;
    Some((write, read))
}

/// Whether the file has a write-ahead log.
pub(crate) fn is_wal(path: &Path) -> bool {
    versions(path) == Some((2, 2))
}

/// Damage of the header that SQLite doesn't take for damage.
pub(crate) fn bad_header(path: &Path) -> Option<String> {
    match versions(path) {
        Some((1, 1) | (2, 2)) => None,
        _ => Some("the header is damaged".to_owned()),
    }
}
