//! Opening the database: checks before anything is written, then migrations.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection};

use crate::error::StoreError;

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../../migrations");

/// How long a statement waits for a lock that another connection holds.
const BUSY: Duration = Duration::from_secs(5);
/// Largest file that is checked page by page before it is opened: an agent waits for the gate.
const CHECKED_BYTES: u64 = 128 * 1024 * 1024;
/// Connections that read.
const READERS: u32 = 4;

/// How a database is opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The file; made when it is missing, its folder must exist.
    pub path: PathBuf,
    /// Most pages that the file may have (SQLite's `max_page_count`), for tests of a full disk.
    pub max_pages: Option<u32>,
}

/// The open record. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) writer: SqlitePool,
    pub(crate) readers: SqlitePool,
}

impl Store {
    /// Opens the database, makes or migrates its tables.
    ///
    /// # Errors
    /// [`StoreError::Newer`] and [`StoreError::Damaged`] leave the file as it was.
    pub async fn open(options: &OpenOptions) -> Result<Self, StoreError> {
        let path = options.path.as_path();
        if path.exists() {
            inspect(path).await.map_err(|error| error.at(path))?;
        }
        let base = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY)
            .disable_statement_logging();
        let write = match options.max_pages {
            Some(pages) => base.clone().pragma("max_page_count", pages.to_string()),
            None => base.clone(),
        };
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            // A file doesn't hang up; asking it first would double the way of every statement.
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(write)
            .await
            .map_err(|error| StoreError::from(error).at(path))?;
        MIGRATIONS.run(&writer).await.map_err(|error| StoreError::from(error).at(path))?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .min_connections(1)
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(base)
            .await
            .map_err(|error| StoreError::from(error).at(path))?;
        Ok(Self { writer, readers })
    }

    /// Closes every connection; SQLite folds the write-ahead log into the file.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// Looks at an existing file without writing to it: is it sound, and is its schema known?
async fn inspect(path: &Path) -> Result<(), StoreError> {
    let mut connection = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .busy_timeout(BUSY)
        .disable_statement_logging()
        .connect()
        .await?;
    if std::fs::metadata(path).is_ok_and(|file| file.len() <= CHECKED_BYTES) {
        let verdict: String = sqlx::query_scalar("PRAGMA quick_check(1)").fetch_one(&mut connection).await?;
        if verdict != "ok" {
            return Err(StoreError::Damaged { path: path.to_owned(), detail: verdict });
        }
    }
    let migrated: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '_sqlx_migrations'")
            .fetch_one(&mut connection)
            .await?;
    if migrated == 1 {
        let found: Option<i64> =
            sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations").fetch_one(&mut connection).await?;
        let known = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0);
        if let Some(found) = found.filter(|found| *found > known) {
            return Err(StoreError::Newer { path: path.to_owned(), found, known });
        }
    }
    connection.close().await?;
    Ok(())
}
