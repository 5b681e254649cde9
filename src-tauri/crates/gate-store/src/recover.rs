//! Putting a damaged record together again: the newest good backup, what can still be read of the
//! damaged file, and the second copy of replies.
//!
//! The new file is made beside the old one and takes its place in one step. A recovery that is cut
//! short either never was, or is finished at the next start.

use std::path::{Path, PathBuf};

use gate_core::{Code, Fault};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection};

use crate::backup;
use crate::error::StoreError;
use crate::files;
use crate::inspect;
use crate::journal::Journal;
use crate::options::OpenOptions;
use crate::replace;
use crate::reply_copy;
use crate::schema::{self, MIGRATIONS};
use crate::{retention, salvage, withdrawn};

/// The folder, beside the database, of files that were damaged.
pub(crate) const DAMAGED: &str = "damaged";

/// How a damaged record was put together again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// What was wrong with it.
    pub detail: String,
    /// The folder that the damaged files were moved to; absent where nothing had to be moved.
    pub damaged: Option<PathBuf>,
    /// The backup that was begun with; absent where there was no good one.
    pub backup: Option<PathBuf>,
    /// Rows that were read from the damaged file and weren't in the backup.
    pub salvaged: u64,
    /// Replies that were put back from their second copy.
    pub replies: u64,
}

impl Recovery {
    /// Replies were missing, or weren't as they had been given, in an otherwise sound database.
    pub(crate) fn in_place(replies: u64) -> Self {
        let detail = "replies were missing or changed".to_owned();
        Self { detail, damaged: None, backup: None, salvaged: 0, replies }
    }

    /// What the person is told.
    #[must_use]
    pub fn warning(&self) -> Fault {
        let mut message = format!("The record was damaged ({}).", self.detail);
        match (&self.backup, &self.damaged) {
            (Some(backup), _) => {
                let name = backup.file_name().unwrap_or_default().to_string_lossy();
                message.push_str(&format!(" It was put together again from the backup {name}"));
            }
            (None, Some(_)) => message.push_str(" No good backup was found; it was put together again"),
            (None, None) => message.push_str(" It was mended"),
        }
        if self.damaged.is_some() {
            message.push_str(&format!(" and {} of the damaged file", counted(self.salvaged, "row")));
        }
        message.push_str(&format!("; {} came from the second copy.", counted(self.replies, "reply")));
        let mend = match &self.damaged {
            Some(folder) => format!(
                "Look through the latest conversations; the damaged file is kept in {}. Check the disk if this \
                 happens again.",
                folder.display()
            ),
            None => "Look through the latest conversations. Check the disk if this happens again.".to_owned(),
        };
        Fault::new(Code::DatabaseDamaged, message, mend)
    }
}

fn counted(number: u64, what: &str) -> String {
    match (number, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        (_, None) => format!("{number} {what}s"),
    }
}

/// Puts the database together again. The damaged files are in the report's folder then.
pub(crate) async fn recover(options: &OpenOptions, detail: String) -> Result<Recovery, StoreError> {
    let path = options.path.as_path();
    tracing::warn!(path = %path.display(), detail, "the record is damaged and is put together again");
    let draft = files::with_suffix(path, ".recovering");
    files::remove_database(&draft)?;
    let backup = match &options.backups {
        Some(folder) => backup::newest_good(folder).await,
        None => None,
    };
    let mut salvaged = 0;
    let mut connection = match &backup {
        Some(backup) => match begin_with(backup, &draft).await? {
            Some(connection) => connection,
            // Its schema isn't this program's although its rows can be read: they go into a new one.
            None => {
                files::remove_database(&draft)?;
                let mut connection = connect(&draft).await?;
                MIGRATIONS.run(&mut connection).await?;
                salvage::salvage(backup, &mut connection).await?;
                connection
            }
        },
        None => {
            let mut connection = connect(&draft).await?;
            MIGRATIONS.run(&mut connection).await?;
            connection
        }
    };
    if files::length(path) > 0 {
        salvaged = salvage::salvage(path, &mut connection).await?;
    }
    salvage::settle(&mut connection, options.now).await?;
    let journal = Journal::of(path);
    let replies = match journal.index().await {
        Ok(index) => {
            // What was deleted since the backup stays so.
            for session in index.deleted_for_good() {
                retention::delete_from(&mut connection, session).await?;
            }
            withdrawn::apply(&mut connection, &index, options.now).await?;
            let differences = reply_copy::differences(&mut connection, &journal, &index).await?;
            let voucher = options.voucher.as_ref();
            let differences = differences.vouched(&mut connection, &journal, &index, voucher).await?;
            reply_copy::put_back(&mut connection, &journal, &index, &differences).await?
        }
        Err(error) => {
            tracing::warn!(%error, "the second copy of replies can't be read");
            0
        }
    };
    if let Some(detail) = inspect::thorough(&mut connection).await? {
        return Err(StoreError::Damaged { path: draft, detail });
    }
    connection.close().await?;
    files::make_private(&draft)?;
    files::sync_file(&draft)?;
    files::rename(&draft, &replace::complete(path))?;
    let damaged = replace::finish(path, DAMAGED, options.now)?;
    tracing::warn!(salvaged, replies, "the record was put together again");
    Ok(Recovery { detail, damaged, backup, salvaged, replies })
}

/// A copy of a backup with this program's schema; absent where it can't be brought to that.
async fn begin_with(backup: &Path, draft: &Path) -> Result<Option<SqliteConnection>, StoreError> {
    files::copy(backup, draft)?;
    let mut connection = connect(draft).await?;
    let migrated = async {
        MIGRATIONS.run(&mut connection).await?;
        schema::foreign_schema(&mut connection).await
    };
    match migrated.await {
        Ok(None) => Ok(Some(connection)),
        Ok(Some(detail)) => {
            tracing::warn!(detail, "the backup's schema is damaged");
            connection.close().await?;
            Ok(None)
        }
        Err(error) => {
            tracing::warn!(%error, "the backup can't be migrated");
            connection.close().await?;
            Ok(None)
        }
    }
}

/// Opens a database that nobody else uses and that is worth nothing until it is complete.
async fn connect(draft: &Path) -> Result<SqliteConnection, StoreError> {
    let connection = SqliteConnectOptions::new()
        .filename(draft)
        .create_if_missing(true)
        .auto_vacuum(sqlx::sqlite::SqliteAutoVacuum::Incremental)
        .journal_mode(SqliteJournalMode::Memory)
        .synchronous(SqliteSynchronous::Off)
        .foreign_keys(true)
        .disable_statement_logging()
        .connect()
        .await?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_says_what_happened_and_where_the_damaged_file_is() {
        let recovery = Recovery {
            detail: "page 3 is torn".to_owned(),
            damaged: Some(PathBuf::from("/d/damaged/1")),
            backup: Some(PathBuf::from("/d/backups/b.db")),
            salvaged: 1,
            replies: 2,
        };
        let fault = recovery.warning();
        assert_eq!(
            fault.message,
            "The record was damaged (page 3 is torn). It was put together again from the backup b.db and 1 row of \
             the damaged file; 2 replies came from the second copy."
        );
        assert!(fault.mend.contains("/d/damaged/1"), "the person finds the file: {}", fault.mend);
        let mended = Recovery::in_place(1).warning().message;
        assert!(mended.ends_with("It was mended; 1 reply came from the second copy."), "{mended}");
    }
}
