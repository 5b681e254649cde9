//! Opening the database: what is looked at before anything is written, then migrations, then the
//! second copy of replies. What is damaged is put together again first.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gate_core::Timestamp;
use serde::Serialize;
use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection};

use crate::backup;
use crate::error::StoreError;
use crate::files;
use crate::filesystem::{FileSystem, file_system};
use crate::inspect;
use crate::journal::{JOURNAL_BYTES, Journal};
use crate::progress::Reports;
use crate::recover::{self, Recovery};
use crate::reply_copy;
use crate::withdrawn;
use crate::writer::Writer;

/// Every migration that this program knows.
pub(crate) static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../../migrations");

/// How long a statement waits for a lock that another connection holds.
pub(crate) const BUSY: Duration = Duration::from_secs(5);
/// Connections that read.
const READERS: u32 = 4;

/// How SQLite is to keep a transaction that isn't finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JournalChoice {
    /// A write-ahead log on local file systems, a rollback journal on network ones.
    #[default]
    Auto,
    /// A write-ahead log.
    Wal,
    /// A rollback journal.
    Rollback,
}

/// How SQLite keeps a transaction that isn't finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JournalMode {
    /// In a write-ahead log.
    Wal,
    /// In a rollback journal.
    Rollback,
}

/// How a database is opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The file; made when it is missing, its folder must exist.
    pub path: PathBuf,
    /// Most pages that the file may have (SQLite's `max_page_count`), for tests of a full disk.
    pub max_pages: Option<u32>,
    /// Where SQLite keeps a transaction that isn't finished.
    pub journal: JournalChoice,
    /// The folder of the backups: one is made there before a migration, and a damaged database is
    /// put together from the newest.
    pub backups: Option<PathBuf>,
    /// Now; names what is set aside or made.
    pub now: Timestamp,
}

impl OpenOptions {
    /// Opens this file as it should be, without a folder of backups.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, now: Timestamp) -> Self {
        Self { path: path.into(), max_pages: None, journal: JournalChoice::Auto, backups: None, now }
    }
}

/// The open record. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) writer: Writer,
    pub(crate) readers: SqlitePool,
    pub(crate) reports: Reports,
    pub(crate) safety: Arc<Safety>,
}

/// What the safety of the data needs to know.
#[derive(Debug)]
pub(crate) struct Safety {
    pub(crate) path: PathBuf,
    pub(crate) journal: Journal,
    pub(crate) mode: JournalMode,
    pub(crate) file_system: FileSystem,
    /// One backup or deletion at a time: each relies on what the other changes.
    pub(crate) upkeep: tokio::sync::Mutex<()>,
}

/// An open record, and what had to be done for it.
#[derive(Debug)]
pub struct Opened {
    /// The record.
    pub store: Store,
    /// What was put together again; absent where all was well.
    pub recovery: Option<Recovery>,
}

impl Store {
    /// Opens the database, makes or migrates its tables. A damaged one is put together again from the
    /// newest backup, from what can still be read of it, and from the second copy of replies; the
    /// damaged file is kept.
    ///
    /// # Errors
    /// [`StoreError::Newer`] leaves the file as it was. Else when a file can't be read or written.
    pub async fn open(options: &OpenOptions) -> Result<Opened, StoreError> {
        let path = options.path.as_path();
        recover::finish(path, recover::DAMAGED, options.now)?;
        let mut recovery = match inspect::look(options).await? {
            Some(detail) => Some(recover::recover(options, detail).await?),
            None => None,
        };
        let opened = match Self::open_sound(options).await {
            Err(StoreError::Damaged { detail, .. }) if recovery.is_none() => {
                recovery = Some(recover::recover(options, detail).await?);
                Self::open_sound(options).await
            }
            opened => opened,
        };
        let (store, put_back) = opened?;
        if put_back > 0 {
            recover::drop_index(path)?;
            let recovery = recovery.get_or_insert_with(|| Recovery::in_place(put_back));
            recovery.replies = recovery.replies.max(put_back);
        }
        Ok(Opened { store, recovery })
    }

    /// Opens a database that has been looked at. Returns how many replies were put back.
    async fn open_sound(options: &OpenOptions) -> Result<(Self, u64), StoreError> {
        let path = options.path.as_path();
        let file_system = file_system(files::folder_of(path));
        let mode = match (options.journal, file_system) {
            (JournalChoice::Wal, _) | (JournalChoice::Auto, FileSystem::Local) => JournalMode::Wal,
            (JournalChoice::Rollback, _) | (JournalChoice::Auto, FileSystem::Network) => JournalMode::Rollback,
        };
        if mode == JournalMode::Rollback && inspect::is_wal(path) {
            leave_wal(path).await.map_err(|error| error.at(path))?;
        }
        if let Some(folder) = &options.backups
            && let Some(found) = inspect::outdated(path).await.map_err(|error| error.at(path))?
        {
            tracing::info!(found, "backing up before the schema is changed");
            backup::before_migration(path, folder, options.now).await?;
        }
        let base = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(match mode {
                JournalMode::Wal => SqliteJournalMode::Wal,
                JournalMode::Rollback => SqliteJournalMode::Delete,
            })
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY)
            .disable_statement_logging();
        // Only the writer: this pragma writes, and another connection's write breaks its transactions.
        let write = base.clone().auto_vacuum(SqliteAutoVacuum::Incremental);
        let write = match options.max_pages {
            Some(pages) => write.pragma("max_page_count", pages.to_string()),
            None => write,
        };
        // A file doesn't hang up; asking it first would double the way of every statement.
        let pool = || SqlitePoolOptions::new().test_before_acquire(false).idle_timeout(None).max_lifetime(None);
        let writer = Writer::open(&write).await.map_err(|error| error.at(path))?;
        let journal = Journal::of(path);
        let put_back = match make_whole(&writer, path, &journal).await {
            Ok(put_back) => put_back,
            Err(error) => {
                writer.close().await;
                if error.says_misunderstood() {
                    // No statement of this program fails on a schema that it made.
                    return Err(StoreError::Damaged { path: path.to_owned(), detail: error.to_string() });
                }
                return Err(error.at(path));
            }
        };
        let readers = pool()
            .max_connections(READERS)
            .min_connections(1)
            .connect_with(base)
            .await
            .map_err(|error| StoreError::from(error).at(path))?;
        let upkeep = tokio::sync::Mutex::new(());
        let safety = Arc::new(Safety { path: path.to_owned(), journal, mode, file_system, upkeep });
        let store = Self { writer, readers, reports: Reports::default(), safety };
        match store.try_reading().await {
            Ok(()) => Ok((store, put_back)),
            Err(error) => {
                store.close().await;
                Err(error.at(path))
            }
        }
    }

    /// Reads what a gate needs first. What this program can't have written is damage.
    async fn try_reading(&self) -> Result<(), StoreError> {
        let read = async {
            self.pending().await?;
            self.pending_questions().await?;
            Ok(())
        };
        read.await.map_err(|error: StoreError| match error {
            StoreError::Unexpected(detail) => StoreError::Damaged { path: self.safety.path.clone(), detail },
            StoreError::Fault(fault) => StoreError::Damaged { path: self.safety.path.clone(), detail: fault.message },
            error => error,
        })
    }

    /// Closes every connection; SQLite folds the write-ahead log into the file.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    /// How SQLite keeps a transaction that isn't finished.
    #[must_use]
    pub fn journal_mode(&self) -> JournalMode {
        self.safety.mode
    }

    /// The kind of file system that the database is on.
    #[must_use]
    pub fn file_system(&self) -> FileSystem {
        self.safety.file_system
    }

    /// Whether the second copy of replies has grown so large that it should be made needless by
    /// [`Store::backup`].
    #[must_use]
    pub fn wants_backup(&self) -> bool {
        self.journal().length() >= JOURNAL_BYTES
    }

    /// The second copy of replies.
    pub(crate) fn journal(&self) -> &Journal {
        &self.safety.journal
    }
}

/// Migrates the schema and puts back what the second copy of replies has and the database lacks.
async fn make_whole(writer: &Writer, path: &Path, journal: &Journal) -> Result<u64, StoreError> {
    let mut connection = writer.acquire().await?;
    MIGRATIONS.run(&mut *connection).await?;
    if let Some(detail) = inspect::foreign_schema(&mut connection).await? {
        return Err(StoreError::Damaged { path: path.to_owned(), detail });
    }
    let index = match journal.index().await {
        Ok(index) => index,
        Err(error) => {
            tracing::warn!(%error, "the second copy of replies can't be read");
            return Ok(0);
        }
    };
    if index.bad > 0 {
        tracing::warn!(lines = index.bad, "damaged lines in the second copy of replies were passed over");
    }
    withdrawn::copy_again(&mut connection, journal, &index).await?;
    let differences = reply_copy::differences(&mut connection, journal, &index).await?;
    if differences.replies.is_empty() {
        return reply_copy::put_back(&mut connection, journal, &index, &differences).await;
    }
    // Replies that can't be found may still be there, behind a damaged index.
    if let Some(detail) = inspect::thorough(&mut connection).await? {
        return Err(StoreError::Damaged { path: path.to_owned(), detail });
    }
    reply_copy::put_back(&mut connection, journal, &index, &differences).await
}

/// Folds the write-ahead log into the file and gives it up, without shared memory: that may not work
/// where the file is now.
async fn leave_wal(path: &Path) -> Result<(), StoreError> {
    let connection: SqliteConnection = SqliteConnectOptions::new()
        .filename(path)
        .locking_mode(sqlx::sqlite::SqliteLockingMode::Exclusive)
        .journal_mode(SqliteJournalMode::Delete)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY)
        .disable_statement_logging()
        .connect()
        .await?;
    connection.close().await?;
    Ok(())
}
