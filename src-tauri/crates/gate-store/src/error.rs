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
    /// A file beside the database can't be used.
    #[error("{path} can't be {done}: {source}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What was to be done with it: `read`, `written`, `moved`, `made` or `removed`.
        done: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// The search index is damaged; it is made anew, and the record is as it was.
    #[error("the search index is damaged: {0}")]
    Index(String),
    /// Stored data doesn't have the form that this program writes.
    #[error("stored data is not as expected: {0}")]
    Unexpected(String),
}

const SQLITE_ERROR: u32 = 1;
const SQLITE_READONLY: u32 = 8;
const SQLITE_IOERR: u32 = 10;
const SQLITE_CORRUPT: u32 = 11;
const SQLITE_FULL: u32 = 13;
const SQLITE_CANTOPEN: u32 = 14;
const SQLITE_CONSTRAINT: u32 = 19;
const SQLITE_MISMATCH: u32 = 20;
const SQLITE_NOTADB: u32 = 26;
/// Extended codes of input and output that mean the same as a damaged file: short read, bad checksum,
/// damaged file system.
const SQLITE_IOERR_DAMAGE: [u32; 3] = [522, 8202, 8458];

impl StoreError {
    /// SQLite's extended result code, where SQLite failed.
    fn code(&self) -> Option<u32> {
        let error = match self {
            Self::Sqlite(error) => error,
            Self::Migrate(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => error,
            _ => return None,
        };
        let sqlx::Error::Database(database) = error else { return None };
        database.code()?.parse::<u32>().ok()
    }

    /// SQLite's primary result code, where SQLite failed.
    fn primary_code(&self) -> Option<u32> {
        self.code().map(|code| code & 0xff)
    }

    /// Whether it says that the file is damaged. Applied migrations never change and
    /// text is always text, so what isn't is damage, too.
    pub(crate) fn says_damaged(&self) -> bool {
        matches!(
            self,
            Self::Damaged { .. }
                | Self::Sqlite(sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_))
                | Self::Migrate(
                    MigrateError::VersionMismatch(_) | MigrateError::VersionMissing(_) | MigrateError::Dirty(_)
                )
        ) || matches!(self.primary_code(), Some(SQLITE_CORRUPT | SQLITE_NOTADB))
            || self.code().is_some_and(|code| SQLITE_IOERR_DAMAGE.contains(&code))
    }

    /// Whether a row was refused by a rule of its table.
    pub(crate) fn says_unfit(&self) -> bool {
        matches!(self.primary_code(), Some(SQLITE_CONSTRAINT | SQLITE_MISMATCH))
    }

    /// Whether SQLite understood a statement otherwise than this program: the schema is another one.
    pub(crate) fn says_misunderstood(&self) -> bool {
        self.primary_code() == Some(SQLITE_ERROR)
    }

    /// The same as a damaged file, when it says so.
    pub(crate) fn at(self, path: &Path) -> Self {
        if matches!(self, Self::Damaged { .. }) {
            return self;
        }
        if self.says_damaged() {
            return Self::Damaged { path: path.to_owned(), detail: self.to_string() };
        }
        self
    }
}

/// What to do about a damaged record.
const RESTART: &str = "Start Review Gate again: it puts the record together from its backups and keeps the damaged \
                       file. `review-gate check` says more.";

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let message = format!("{error}.");
        match &error {
            StoreError::Fault(fault) => fault.clone(),
            StoreError::Newer { .. } => Fault::of_newer_file(message),
            StoreError::Damaged { .. } => Fault::new(Code::DatabaseDamaged, message, RESTART),
            StoreError::File { source, .. } => Fault::of_file(source.kind(), message),
            error if error.says_damaged() => Fault::new(Code::DatabaseDamaged, message, RESTART),
            StoreError::Unexpected(_) => Fault::internal(message),
            StoreError::Index(_) => {
                Fault::new(Code::Database, message, "It is made anew; look for it again in a while.")
            }
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
