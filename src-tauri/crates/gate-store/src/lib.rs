//! The record in SQLite: the only crate with SQL.
//!
//! Every write returns after it is committed and synced (`synchronous=FULL`), so a caller may tell
//! others of it; all but that of a prompt's use, which only counts. Knows nothing of queues, windows or
//! protocols.

mod backup;
mod check;
mod error;
mod exported;
mod files;
mod filesystem;
mod index;
mod inspect;
mod journal;
mod json;
mod open;
mod options;
mod recover;
mod replace;
mod reply_copy;
mod retention;
mod rows;
mod salvage;
mod schema;
mod store;
mod table;
mod tables;
mod transfer;
mod withdrawn;
mod writer;

pub use backup::{Backup, BackupMade, KEPT_BEFORE_MIGRATIONS, RestoreMade, list_backups, restore_backup};
pub use check::{
    CheckReport, CheckedBackup, Counts, JournalReport, PROBLEMS, SchemaReport, SchemaStanding, Sizes, check,
    receipts_known_in, standing,
};
pub use error::StoreError;
pub use exported::read_export;
pub use filesystem::{FileSystem, file_system, free_bytes, kind_of};
pub use index::SearchIndex;
pub use inspect::Depth;
pub use journal::JOURNAL_BYTES;
pub use open::{CHECKED_BYTES, COMPARED_BYTES, Opened};
pub use options::{JournalChoice, JournalMode, OpenOptions, Voucher};
pub use recover::Recovery;
pub use retention::{LOOSE_ATTACHMENT_MILLIS, Retained};
pub use store::Store;
pub use tables::*;
pub use transfer::Imported;
