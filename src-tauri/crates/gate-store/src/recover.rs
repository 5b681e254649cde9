//! Putting a damaged record together again: the newest good backup, what can still be read of the
//! damaged file, and the second copy of replies.
//!
//! The new file is made beside the old one and takes its place in one step. A recovery that is cut
//! short either never was, or is finished at the next start.

use std::path::{Path, PathBuf};

use gate_core::{Code, Fault, Timestamp};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection};

use crate::backup;
use crate::error::StoreError;
use crate::files;
use crate::inspect;
use crate::journal::Journal;
use crate::open::{MIGRATIONS, OpenOptions, Store};
use crate::reply_copy;
use crate::{retention, salvage, withdrawn};

/// The folder, beside the database, of files that were damaged.
pub(crate) const DAMAGED: &str = "damaged";
/// The full-text index beside the database. It is made anew when it is missing.
const INDEX: &str = "search.db";

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

impl Store {
    /// Notes that the record was found damaged while it was in use: the next [`Store::open`] checks
    /// it thoroughly and puts it together again.
    ///
    /// # Errors
    /// When the note can't be written.
    pub async fn mark_damaged(&self, detail: &str) -> Result<(), StoreError> {
        let marker = files::neighbour(&self.safety.path, inspect::MARKER);
        let detail = detail.to_owned();
        crate::journal::off_the_runtime(move || {
            std::fs::write(&marker, detail).map_err(files::failed("written", &marker))?;
            files::sync_file(&marker)
        })
        .await
    }

    /// Checks the record while it is in use. Damage is noted as by [`Store::mark_damaged`].
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; or when SQLite fails otherwise.
    pub async fn check_soundness(&self, depth: Depth) -> Result<(), StoreError> {
        // Of its own: those that read for agents and people are few.
        let mut connection = inspect::look_into(&self.safety.path).await?;
        inspect::rest_in_between(&mut connection).await?;
        let checked = match depth {
            Depth::Quick => inspect::quick(&mut connection).await,
            Depth::Thorough => inspect::thorough(&mut connection).await,
        };
        // What it found counts, however it closes.
        connection.close().await.ok();
        let detail = match checked {
            Ok(None) => return Ok(()),
            Ok(Some(detail)) => detail,
            Err(error) if error.says_damaged() => error.to_string(),
            Err(error) => return Err(error),
        };
        self.mark_damaged(&detail).await?;
        Err(StoreError::Damaged { path: self.safety.path.clone(), detail })
    }
}

/// How closely a record is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Every page and row: about as long as reading the file.
    Quick,
    /// Also whether indexes agree with their tables and references lead to rows: several times as
    /// long.
    Thorough,
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
    files::rename(&draft, &complete(path))?;
    let damaged = finish(path, DAMAGED, options.now)?;
    tracing::warn!(salvaged, replies, "the record was put together again");
    Ok(Recovery { detail, damaged, backup, salvaged, replies })
}

/// A new database that is complete and on disk, but not yet in its place.
pub(crate) fn complete(path: &Path) -> PathBuf {
    files::with_suffix(path, ".recovered")
}

/// Puts a complete new database in the place of the present one, which goes to a folder of its own
/// below `folder`. Does nothing where there is no new one. Returns where the present one went.
pub(crate) fn finish(path: &Path, folder: &str, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
    let complete = complete(path);
    if !complete.exists() {
        return Ok(None);
    }
    let set_aside = set_aside(path, folder, now)?;
    files::rename(&complete, path)?;
    files::sync_folder(files::folder_of(path))?;
    files::remove(&files::neighbour(path, inspect::MARKER))?;
    drop_index(path)?;
    Ok(set_aside)
}

/// Moves the database, with what SQLite keeps beside it, to a folder of its own.
fn set_aside(path: &Path, folder: &str, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
    let mut there = vec![path.to_owned()];
    there.extend(files::SIDE_FILES.iter().map(|suffix| files::with_suffix(path, suffix)));
    there.retain(|file| file.exists());
    if there.is_empty() {
        return Ok(None);
    }
    let target = files::neighbour(path, folder).join(files::stamp(now));
    files::make_folder(&target)?;
    for file in there {
        files::rename(&file, &target.join(file.file_name().unwrap_or_default()))?;
    }
    files::sync_folder(&target)?;
    Ok(Some(target))
}

/// Removes the full-text index: the record isn't the one that it was made of.
pub(crate) fn drop_index(path: &Path) -> Result<(), StoreError> {
    files::remove_database(&files::neighbour(path, INDEX))
}

/// A copy of a backup with this program's schema; absent where it can't be brought to that.
async fn begin_with(backup: &Path, draft: &Path) -> Result<Option<SqliteConnection>, StoreError> {
    files::copy(backup, draft)?;
    let mut connection = connect(draft).await?;
    let migrated = async {
        MIGRATIONS.run(&mut connection).await?;
        inspect::foreign_schema(&mut connection).await
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
