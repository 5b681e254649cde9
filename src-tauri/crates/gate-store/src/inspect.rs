//! Looking at a database without changing it: whether it is sound, and which schema it has.

use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};

use crate::backup;
use crate::error::StoreError;
use crate::files;
use crate::journal::Journal;
use crate::open::{BUSY, MIGRATIONS, OpenOptions};
use crate::salvage;

/// Largest file, in bytes, that is checked page by page before it is opened: an agent waits for the
/// gate. Larger ones are checked by [`crate::Store::check_soundness`] while the gate runs.
pub const CHECKED_BYTES: u64 = 128 * 1024 * 1024;
/// Largest file, in bytes, whose indexes are compared with their tables before it is opened.
pub const COMPARED_BYTES: u64 = 8 * 1024 * 1024;
/// Written beside the database when damage is found while it is in use.
pub(crate) const MARKER: &str = "damaged.marker";

/// Steps of SQLite's machine, or pages of a check, after which it is looked how long they took.
const STEPS_BETWEEN_LOOKS: i32 = 100;
/// How long a check works before it rests.
const WORK: Duration = Duration::from_millis(1);
/// What counts of that: a machine that slept did not work.
const LONGEST_WORK: Duration = Duration::from_millis(20);
/// How many times as long it rests.
const REST: u32 = 9;

/// The newest schema that this program knows.
pub(crate) fn known_schema() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
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

/// What is wrong with the database that is to be opened; nothing where it is sound or new.
pub(crate) async fn look(options: &OpenOptions) -> Result<Option<String>, StoreError> {
    let path = options.path.as_path();
    if files::length(path) == 0 {
        let what = if path.exists() { "the file is empty" } else { "the file is missing" };
        let backed_up = options.backups.as_ref().is_some_and(|folder| !backup::readable_names(folder).is_empty());
        let held = Journal::of(path).index().await;
        let was_there = backed_up || held.is_ok_and(|index| !index.requests().is_empty());
        return Ok(was_there.then(|| what.to_owned()));
    }
    let marker = files::neighbour(path, MARKER);
    match verdict(path, marker.exists()).await {
        Ok(None) => {
            files::remove(&marker)?;
            Ok(None)
        }
        Ok(found) => Ok(found),
        Err(error) if error.says_damaged() || error.says_misunderstood() => Ok(Some(error.to_string())),
        Err(error) => Err(error),
    }
}

async fn verdict(path: &Path, marked: bool) -> Result<Option<String>, StoreError> {
    if let Some(detail) = bad_header(path) {
        return Ok(Some(detail));
    }
    let mut connection = look_into(path).await?;
    // First of all: a newer program's file is not this one's to judge.
    if let Some(found) = newer(&mut connection).await? {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: known_schema() });
    }
    let detail = if marked {
        thorough(&mut connection).await?
    } else if files::length(path) <= COMPARED_BYTES {
        integrity(&mut connection).await?
    } else if files::length(path) <= CHECKED_BYTES {
        quick(&mut connection).await?
    } else {
        None
    };
    connection.close().await?;
    Ok(detail)
}

/// SQLite's quick check: every page and row, not whether indexes agree with their tables.
pub(crate) async fn quick(connection: &mut SqliteConnection) -> Result<Option<String>, StoreError> {
    let verdict: String = sqlx::query_scalar("PRAGMA quick_check(1)").fetch_one(connection).await?;
    Ok((verdict != "ok").then_some(verdict))
}

/// SQLite's whole check: also whether indexes agree with their tables.
async fn integrity(connection: &mut SqliteConnection) -> Result<Option<String>, StoreError> {
    let verdict: String = sqlx::query_scalar("PRAGMA integrity_check(1)").fetch_one(connection).await?;
    Ok((verdict != "ok").then_some(verdict))
}

/// SQLite's whole check, that every reference leads to a row, and that all text can be read.
pub(crate) async fn thorough(connection: &mut SqliteConnection) -> Result<Option<String>, StoreError> {
    if let Some(detail) = integrity(connection).await? {
        return Ok(Some(detail));
    }
    match dangling(connection).await? {
        None => salvage::garbled(connection).await,
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

/// The applied migrations, in order; none where the file has none of this program's tables.
pub(crate) async fn applied(connection: &mut SqliteConnection) -> Result<Vec<i64>, StoreError> {
    let migrated: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '_sqlx_migrations'")
            .fetch_one(&mut *connection)
            .await?;
    if migrated == 0 {
        return Ok(Vec::new());
    }
    Ok(sqlx::query_scalar("SELECT version FROM _sqlx_migrations ORDER BY version").fetch_all(connection).await?)
}

/// The schema of a newer program. Such a program knows every migration that this one knows: a file
/// with an unknown one in place of a known one is damaged, not newer.
pub(crate) async fn newer(connection: &mut SqliteConnection) -> Result<Option<i64>, StoreError> {
    let applied = applied(connection).await?;
    let has_all = MIGRATIONS.iter().all(|migration| applied.contains(&migration.version));
    Ok(applied.into_iter().max().filter(|found| has_all && *found > known_schema()))
}

/// The schema of an existing database that has migrations before it.
pub(crate) async fn outdated(path: &Path) -> Result<Option<i64>, StoreError> {
    if files::length(path) == 0 {
        return Ok(None);
    }
    let mut connection = look_into(path).await?;
    let found = applied(&mut connection).await?.into_iter().max();
    connection.close().await?;
    Ok(found.filter(|found| *found < known_schema()))
}

/// What of the migrated schema isn't as this program's migrations make it. A byte that changed in it
/// would make every later statement fail, or a rule refuse what it should take.
pub(crate) async fn foreign_schema(connection: &mut SqliteConnection) -> Result<Option<String>, StoreError> {
    let mut fresh = fresh_schema().await?;
    let wanted = schema_of(&mut fresh).await?;
    fresh.close().await?;
    let found = schema_of(connection).await?;
    let differs = wanted.into_iter().find(|object| !found.contains(object));
    Ok(differs.map(|(kind, name, _)| format!("the {kind} {name} isn't as it was made")))
}

/// A database in memory as this program's migrations make it.
pub(crate) async fn fresh_schema() -> Result<SqliteConnection, StoreError> {
    let mut fresh = SqliteConnectOptions::new().in_memory(true).disable_statement_logging().connect().await?;
    MIGRATIONS.run(&mut fresh).await?;
    Ok(fresh)
}

async fn schema_of(connection: &mut SqliteConnection) -> Result<Vec<(String, String, String)>, StoreError> {
    let objects = sqlx::query_as(
        "SELECT type, name, sql FROM sqlite_schema
         WHERE sql IS NOT NULL AND name <> '_sqlx_migrations' AND name NOT LIKE 'sqlite%'",
    )
    .fetch_all(connection)
    .await?;
    Ok(objects)
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
fn bad_header(path: &Path) -> Option<String> {
    match versions(path) {
        Some((1, 1) | (2, 2)) => None,
        _ => Some("the header is damaged".to_owned()),
    }
}
