//! How a database is opened.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gate_core::{Digest, Reply, RequestId, Timestamp};
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

/// What tells, beside the record, that a reply with files of these contents was given here. It may wait for a disk.
#[derive(Clone)]
pub struct Voucher(Arc<Vouches>);

/// Whether a reply to a request was given here.
type Vouches = dyn Fn(RequestId, &Reply, &[Digest]) -> bool + Send + Sync;

impl Voucher {
    /// What tells it.
    pub fn new(vouches: impl Fn(RequestId, &Reply, &[Digest]) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(vouches))
    }

    /// Whether a reply to a request was given here.
    pub(crate) fn vouches(&self, request: RequestId, reply: &Reply, contents: &[Digest]) -> bool {
        (self.0)(request, reply, contents)
    }
}

impl fmt::Debug for Voucher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Voucher")
    }
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
    /// What tells whether a reply was given here: the second copy puts no other one in the place of such a one.
    pub voucher: Option<Voucher>,
    /// Now; names what is set aside or made.
    pub now: Timestamp,
}

impl OpenOptions {
    /// Opens this file as it should be, without a folder of backups.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, now: Timestamp) -> Self {
        Self { path: path.into(), max_pages: None, journal: JournalChoice::Auto, backups: None, voucher: None, now }
    }
}
