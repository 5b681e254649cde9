//! How a database is opened.

use std::path::PathBuf;
use std::time::Duration;

use gate_core::Timestamp;
use serde::Serialize;

/// How long a statement waits for a lock that another connection holds.
pub(crate) const BUSY: Duration = Duration::from_secs(5);

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
