//! Opening the database: what is looked at before anything is written, then migrations, then the
//! second copy of replies. What is damaged is put together again first.

use std::path::Path;
use std::sync::Arc;

use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection};

use crate::backup;
use crate::error::StoreError;
use crate::files;
use crate::filesystem::{FileSystem, file_system};
use crate::inspect;
use crate::journal::Journal;
use crate::options::{BUSY, JournalChoice, JournalMode, OpenOptions, Voucher};
use crate::recover::{self, Recovery};
use crate::replace;
use crate::reply_copy;
use crate::schema::{self, MIGRATIONS};
use crate::store::{Safety, Store};
use crate::withdrawn;
use crate::writer::{Acts, Reports, Uses, Writer};

/// Largest file, in bytes, that is checked page by page before it is opened: an agent waits for the
/// gate. Larger ones are checked by [`crate::Store::check_soundness`] while the gate runs.
pub const CHECKED_BYTES: u64 = 128 * 1024 * 1024;
/// Largest file, in bytes, whose indexes are compared with their tables before it is opened.
pub const COMPARED_BYTES: u64 = 8 * 1024 * 1024;
/// Connections that read.
const READERS: u32 = 4;

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
        replace::finish(path, recover::DAMAGED, options.now)?;
        let mut recovery = match look(options).await? {
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
            replace::drop_index(path)?;
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
            && let Some(found) = outdated(path).await.map_err(|error| error.at(path))?
        {
            tracing::info!(found, "backing up before the schema is changed");
            backup::before_migration(path, folder, options.now).await?;
        }
        files::keep_to_owner(path);
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
        let put_back = match make_whole(&writer, path, &journal, options.voucher.as_ref()).await {
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
        let (reports, uses, acts) = (Reports::default(), Uses::default(), Acts::default());
        let store = Self { writer, readers, reports, uses, acts, safety };
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
}

/// What is wrong with the database that is to be opened; nothing where it is sound or new.
async fn look(options: &OpenOptions) -> Result<Option<String>, StoreError> {
    let path = options.path.as_path();
    if files::length(path) == 0 {
        let what = if path.exists() { "the file is empty" } else { "the file is missing" };
        let backed_up = options.backups.as_ref().is_some_and(|folder| !backup::readable_names(folder).is_empty());
        let held = Journal::of(path).index().await;
        let was_there = backed_up || held.is_ok_and(|index| !index.requests().is_empty());
        return Ok(was_there.then(|| what.to_owned()));
    }
    let marker = files::neighbour(path, inspect::MARKER);
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
    if let Some(detail) = inspect::bad_header(path) {
        return Ok(Some(detail));
    }
    let mut connection = inspect::look_into(path).await?;
    // First of all: a newer program's file is not this one's to judge.
    if let Some(found) = schema::newer(&mut connection).await? {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: schema::known() });
    }
    let detail = if marked {
        inspect::thorough(&mut connection).await?
    } else if files::length(path) <= COMPARED_BYTES {
        inspect::integrity(&mut connection).await?
    } else if files::length(path) <= CHECKED_BYTES {
        inspect::quick(&mut connection).await?
    } else {
        None
    };
    connection.close().await?;
    Ok(detail)
}

/// The schema of an existing database that has migrations before it.
async fn outdated(path: &Path) -> Result<Option<i64>, StoreError> {
    if files::length(path) == 0 {
        return Ok(None);
    }
    let mut connection = inspect::look_into(path).await?;
    let found = schema::applied(&mut connection).await?.into_iter().max();
    connection.close().await?;
    Ok(found.filter(|found| *found < schema::known()))
}

/// Migrates the schema and puts back what the second copy of replies has and the database lacks.
async fn make_whole(
    writer: &Writer,
    path: &Path,
    journal: &Journal,
    voucher: Option<&Voucher>,
) -> Result<u64, StoreError> {
    let mut connection = writer.acquire().await?;
    MIGRATIONS.run(&mut *connection).await?;
    if let Some(detail) = schema::foreign_schema(&mut connection).await? {
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
    let differences = differences.vouched(&mut connection, journal, &index, voucher).await?;
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
