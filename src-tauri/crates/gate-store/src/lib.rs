//! The record in SQLite: the only crate with SQL.
//!
//! Every write returns after it is committed and synced (`synchronous=FULL`), so a caller may tell
//! others of it. Knows nothing of queues, windows or protocols.

mod attachments;
mod backup;
mod check;
mod checkpoints;
mod conversations;
mod drafts;
mod error;
mod exported;
mod files;
mod filesystem;
mod http_sessions;
mod index;
mod inspect;
mod journal;
mod json;
mod notes;
mod open;
mod options;
mod presence;
mod progress;
mod prompts;
mod recover;
mod replace;
mod replies;
mod reply_copy;
mod requests;
mod retention;
mod rows;
mod salvage;
mod schema;
mod seen;
mod setting_changes;
mod snippets;
mod snoozes;
mod store;
mod tables;
mod tokens;
mod transfer;
mod withdrawn;
mod writer;

pub use backup::{Backup, BackupMade, KEPT_BEFORE_MIGRATIONS, RestoreMade, list_backups, restore_backup};
pub use check::{
    CheckReport, CheckedBackup, Counts, JournalReport, PROBLEMS, SchemaReport, SchemaStanding, Sizes, check, standing,
};
pub use checkpoints::{Doing, StoredCheckpoint};
pub use conversations::{NewSession, StoredSession};
pub use error::StoreError;
pub use exported::read_export;
pub use filesystem::{FileSystem, file_system, free_bytes, kind_of};
pub use index::SearchIndex;
pub use inspect::Depth;
pub use journal::JOURNAL_BYTES;
pub use notes::delivered as note_is_delivered;
pub use open::{CHECKED_BYTES, COMPARED_BYTES, Opened};
pub use options::{JournalChoice, JournalMode, OpenOptions};
pub use prompts::{PromptCount, StoredPromptUse, StoredPromptVersion};
pub use recover::Recovery;
pub use replies::Standing;
pub use requests::{NewRequest, PendingQuestion, RequestTimes};
pub use retention::{LOOSE_ATTACHMENT_MILLIS, Retained};
pub use seen::SeenClient;
pub use setting_changes::StoredSettingChange;
pub use store::Store;
pub use tokens::StoredToken;
pub use transfer::Imported;
