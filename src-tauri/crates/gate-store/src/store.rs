//! The open record: its connections, and what the safety of its data needs to know.
//!
//! Knows no table. Each subject adds its own methods.

use std::path::PathBuf;
use std::sync::Arc;

use sqlx::sqlite::SqlitePool;

use crate::filesystem::FileSystem;
use crate::journal::{JOURNAL_BYTES, Journal};
use crate::options::JournalMode;
use crate::writer::{Acts, Reports, Uses, Writer};

/// The open record. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) writer: Writer,
    pub(crate) readers: SqlitePool,
    pub(crate) reports: Reports,
    pub(crate) uses: Uses,
    pub(crate) acts: Acts,
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

impl Store {
    /// Closes every connection after what waits was written; SQLite folds the write-ahead log into the file.
    pub async fn close(&self) {
        self.catch_up_with_uses().await;
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
