//! What can go wrong with the database, told apart by SQLite's result codes
//! (<https://sqlite.org/rescode.html>).

use std::path::{Path, PathBuf};

use gate_core::{Code, Fault};
use sqlx::migrate::MigrateError;

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A rule of the domain was broken.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// SQLite failed.
    #[error("database: {0}")]
    Sqlite(#[from] sqlx::Error),
    /// A migration failed.
    #[error("migration: {0}")]
    Migrate(#[from] MigrateError),
    /// The file holds a newer schema than this program knows.
    #[error("{path} was written by a newer version (schema {found}, this program knows {known})")]
    Newer {
        /// The file.
        path: PathBuf,
        /// The newest migration in the file.
        found: i64,
        /// The newest migration in this program.
        known: i64,
    },
    /// The file is no sound database.
    #[error("{path} is damaged: {detail}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says of it.
        detail: String,
    },
    /// Stored data doesn't have the form that this program writes.
    #[error("stored data is not as expected: {0}")]
    Unexpected(String),
}

const SQLITE_READONLY: u32 = 8;
const SQLITE_IOERR: u32 = 10;
const SQLITE_CORRUPT: u32 = 11;
const SQLITE_FULL: u32 = 13;
const SQLITE_CANTOPEN: u32 = 14;
const SQLITE_NOTADB: u32 = 26;

impl StoreError {
    /// SQLite's primary result code, where SQLite failed.
    fn primary_code(&self) -> Option<u32> {
        let error = match self {
            Self::Sqlite(error) => error,
            Self::Migrate(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => error,
            _ => return None,
        };
        let sqlx::Error::Database(database) = error else { return None };
        database.code()?.parse::<u32>().ok().map(|code| code & 0xff)
    }

    /// Whether SQLite calls the file damaged.
    pub(crate) fn says_damaged(&self) -> bool {
        matches!(self.primary_code(), Some(SQLITE_CORRUPT | SQLITE_NOTADB))
    }

    /// The same as a damaged file, when SQLite says so.
    pub(crate) fn at(self, path: &Path) -> Self {
        if self.says_damaged() {
            return Self::Damaged { path: path.to_owned(), detail: self.to_string() };
        }
        self
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let message = format!("{error}.");
        match &error {
            StoreError::Fault(fault) => fault.clone(),
            StoreError::Newer { .. } => Fault::new(
                Code::DatabaseNewer,
                message,
                "Update Review Gate, or set REVIEW_GATE_HOME to another folder. The file was not touched.",
            ),
            StoreError::Damaged { .. } => Fault::new(
                Code::DatabaseDamaged,
                message,
                "Move the file aside and start again, or put a backup in its place. The file was not changed.",
            ),
            StoreError::Unexpected(_) => Fault::internal(message),
            StoreError::Sqlite(_) | StoreError::Migrate(_) => match error.primary_code() {
                Some(SQLITE_FULL) => Fault::new(
                    Code::DiskFull,
                    "The disk is full; nothing was stored.",
                    "Free some space and send it again; what you wrote is still here.",
                ),
                Some(SQLITE_READONLY | SQLITE_CANTOPEN) => Fault::new(
                    Code::ReadOnly,
                    format!("The database can't be written: {error}."),
                    "Make the home folder writable, or set REVIEW_GATE_HOME to a folder that is.",
                ),
                Some(SQLITE_CORRUPT | SQLITE_NOTADB) => Fault::new(
                    Code::DatabaseDamaged,
                    message,
                    "Stop the gate, move the database aside or put a backup in its place, and start again.",
                ),
                Some(SQLITE_IOERR) => Fault::new(
                    Code::Database,
                    format!("The database can't be read or written: {error}."),
                    "Check the disk and its free space, then try again.",
                ),
                _ => {
                    Fault::new(Code::Database, message, "Try again; if it happens again, report it with the log file.")
                }
            },
        }
    }
}
