//! `review-gate check`: what state the record is in. Reads only, also while a gate runs.

use std::path::{Path, PathBuf};

use serde::Serialize;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection as _};

use crate::backup;
use crate::error::StoreError;
use crate::files;
use crate::filesystem::{FileSystem, file_system};
use crate::inspect;
use crate::journal::{self, Journal};
use crate::options::JournalMode;
use crate::reply_copy;
use crate::schema;
use crate::tables::{ReceiptsKnown, receipts};

/// Most problems of a kind that are named.
pub const PROBLEMS: usize = 100;

/// The state of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// The database.
    pub path: PathBuf,
    /// What is wrong with its pages, rows and indexes, at most [`PROBLEMS`].
    pub integrity: Vec<String>,
    /// References that lead nowhere, at most [`PROBLEMS`].
    pub references: Vec<String>,
    /// Whether damage was found while the record was in use; the next start mends it.
    pub marked_damaged: bool,
    /// Its schema.
    pub schema: SchemaReport,
    /// How SQLite keeps a transaction that isn't finished.
    pub journal_mode: JournalMode,
    /// The kind of file system that it is on.
    pub file_system: FileSystem,
    /// How large its files are.
    pub sizes: Sizes,
    /// What is in it; absent where that can't be read.
    pub counts: Option<Counts>,
    /// The second copy of replies.
    pub journal: JournalReport,
    /// The backups, the newest first.
    pub backups: Vec<CheckedBackup>,
}

/// Which schema a record has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SchemaReport {
    /// The newest migration in the file; absent where there is none.
    pub found: Option<i64>,
    /// The newest migration that this program knows.
    pub known: i64,
    /// How the two compare.
    pub standing: SchemaStanding,
    /// Backups of earlier schemas, the newest first: migrations only go forward, so an earlier program
    /// needs one of these restored.
    pub to_go_back: Vec<PathBuf>,
}

/// How a file's schema compares to the program's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaStanding {
    /// The same.
    Current,
    /// The next start migrates it.
    Older,
    /// A newer program wrote it; this one doesn't touch it.
    Newer,
    /// It can't be read.
    Unreadable,
}

/// Sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// The database file.
    pub file: u64,
    /// Its write-ahead log.
    pub wal: u64,
    /// Pages of the file that hold nothing.
    pub free: u64,
}

/// How many of each are in the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Conversations.
    pub conversations: i64,
    /// Messages.
    pub messages: i64,
    /// Review requests.
    pub requests: i64,
    /// Review requests that wait for a reply.
    pub pending: i64,
    /// Replies.
    pub replies: i64,
    /// Attachments.
    pub attachments: i64,
}

/// The second copy of replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct JournalReport {
    /// Its length.
    pub bytes: u64,
    /// Lines that are whole.
    pub good: u64,
    /// Lines that are torn or damaged.
    pub bad: u64,
    /// Replies that it has and the database lacks or has otherwise; the next start puts them back.
    /// Absent where they can't be compared.
    pub missing: Option<usize>,
}

/// A backup, and whether it can be restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedBackup {
    /// What it is.
    #[serde(flatten)]
    pub backup: backup::Backup,
    /// Why it can't be restored by this program; absent where it can.
    pub problem: Option<String>,
}

impl CheckReport {
    /// Whether nothing is wrong with the record itself.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.integrity.is_empty()
            && self.references.is_empty()
            && !self.marked_damaged
            // A file without a schema has lost it: it is made with one.
            && self.schema.found.is_some()
            && matches!(self.schema.standing, SchemaStanding::Current | SchemaStanding::Older)
            && self.journal.missing.is_none_or(|missing| missing == 0)
    }
}

/// Looks at a record and its backups. A damaged one is no error but is reported.
///
/// # Errors
/// When there is no such file, or it, its journal or the folder of backups can't be read.
pub async fn check(database: &Path, backups: &Path) -> Result<CheckReport, StoreError> {
    std::fs::metadata(database).map_err(files::failed("read", database))?;
    let journal = Journal::of(database);
    let index = journal.index().await?;
    let mut report = CheckReport {
        path: database.to_owned(),
        integrity: Vec::new(),
        references: Vec::new(),
        marked_damaged: files::neighbour(database, inspect::MARKER).exists(),
        schema: SchemaReport {
            found: None,
            known: schema::known(),
            standing: SchemaStanding::Unreadable,
            to_go_back: Vec::new(),
        },
        journal_mode: if inspect::is_wal(database) { JournalMode::Wal } else { JournalMode::Rollback },
        file_system: file_system(files::folder_of(database)),
        sizes: Sizes {
            file: files::length(database),
            wal: files::length(&files::with_suffix(database, "-wal")),
            free: 0,
        },
        counts: None,
        journal: JournalReport { bytes: index.length, good: index.good, bad: index.bad, missing: None },
        backups: Vec::new(),
    };
    match inspect::look_into(database).await {
        Ok(mut connection) => {
            look(&mut connection, &mut report, &journal, &index).await;
            // What was read is reported; that a damaged file can't be closed adds nothing.
            let _ = connection.close().await;
        }
        Err(error) => report.integrity.push(error.to_string()),
    }
    for backup in backup::list_backups(backups).await? {
        let problem = backup::problem(&backup.path).await;
        if backup.before.is_some() {
            report.schema.to_go_back.push(backup.path.clone());
        }
        report.backups.push(CheckedBackup { backup, problem });
    }
    Ok(report)
}

/// How the schema of a record compares to this program's, without a look at its pages: quick however
/// large it is.
///
/// # Errors
/// When there is no such file, or it can't be read.
pub async fn standing(database: &Path) -> Result<SchemaStanding, StoreError> {
    let mut connection = inspect::look_into(database).await?;
    let found = schema::applied(&mut connection).await?.last().copied();
    let standing = compared(&mut connection, found).await;
    connection.close().await?;
    Ok(standing)
}

/// How far a database says that the log of receipts went; absent before there was one. Reads only; a gate may run
/// meanwhile.
///
/// # Errors
/// When there is no such file, or it can't be read.
pub async fn receipts_known_in(database: &Path) -> Result<Option<ReceiptsKnown>, StoreError> {
    let mut connection = inspect::look_into(database).await?;
    let known = receipts::read(&mut connection).await;
    connection.close().await?;
    known
}

async fn look(connection: &mut SqliteConnection, report: &mut CheckReport, journal: &Journal, index: &journal::Index) {
    match integrity(connection).await {
        Ok(problems) => report.integrity = problems,
        Err(error) => report.integrity.push(error.to_string()),
    }
    match references(connection).await {
        Ok(problems) => report.references = problems,
        Err(error) => report.references.push(error.to_string()),
    }
    if let Ok(free) = free_bytes(connection).await {
        report.sizes.free = free;
    }
    let Ok(applied) = schema::applied(connection).await else { return };
    report.schema.found = applied.last().copied();
    report.schema.standing = compared(connection, report.schema.found).await;
    report.counts = counts(connection).await.ok();
    if report.schema.standing == SchemaStanding::Current {
        let compared = reply_copy::differences(connection, journal, index).await;
        report.journal.missing = compared.ok().map(|differences| differences.replies.len());
    }
}

/// How a record's schema, whose newest migration is `found`, compares to this program's.
async fn compared(connection: &mut SqliteConnection, found: Option<i64>) -> SchemaStanding {
    let known = schema::known();
    match schema::newer(connection).await {
        Ok(Some(_)) => SchemaStanding::Newer,
        Ok(None) if found == Some(known) => SchemaStanding::Current,
        Ok(None) if found.is_none_or(|found| found < known) => SchemaStanding::Older,
        _ => SchemaStanding::Unreadable,
    }
}

async fn integrity(connection: &mut SqliteConnection) -> Result<Vec<String>, StoreError> {
    let statement = AssertSqlSafe(format!("PRAGMA integrity_check({PROBLEMS})"));
    let mut verdict: Vec<String> = sqlx::query_scalar(statement).fetch_all(connection).await?;
    verdict.retain(|line| line != "ok");
    Ok(verdict)
}

async fn references(connection: &mut SqliteConnection) -> Result<Vec<String>, StoreError> {
    let statement =
        AssertSqlSafe(format!("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT {PROBLEMS}"));
    let found: Vec<(String, Option<i64>, String)> = sqlx::query_as(statement).fetch_all(connection).await?;
    let named = |(table, row, parent): (String, Option<i64>, String)| {
        format!("row {} of {table} refers to a row of {parent} that isn't there", row.unwrap_or(0))
    };
    Ok(found.into_iter().map(named).collect())
}

async fn free_bytes(connection: &mut SqliteConnection) -> Result<u64, StoreError> {
    let free: i64 = sqlx::query_scalar("PRAGMA freelist_count").fetch_one(&mut *connection).await?;
    let size: i64 = sqlx::query_scalar("PRAGMA page_size").fetch_one(connection).await?;
    Ok(u64::try_from(free.saturating_mul(size)).unwrap_or(0))
}

/// Every schema that was ever released has these tables.
async fn counts(connection: &mut SqliteConnection) -> Result<Counts, StoreError> {
    let (conversations, messages, requests, pending, replies, attachments) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM conversations), (SELECT count(*) FROM messages),
                (SELECT count(*) FROM review_requests),
                (SELECT count(*) FROM review_requests WHERE status = 'pending'),
                (SELECT count(*) FROM replies), (SELECT count(*) FROM attachments)",
    )
    .fetch_one(connection)
    .await?;
    Ok(Counts { conversations, messages, requests, pending, replies, attachments })
}
