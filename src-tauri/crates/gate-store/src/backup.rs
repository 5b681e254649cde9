//! Backups: whole copies of the database, made while it is in use and checked before they count.

use std::path::{Path, PathBuf};

use gate_core::{Code, Fault, Timestamp};
use serde::Serialize;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};

use crate::error::StoreError;
use crate::files;
use crate::filesystem::free_bytes;
use crate::inspect;
use crate::journal;
use crate::options::JournalMode;
use crate::replace;
use crate::reply_copy;
use crate::schema;
use crate::store::Store;
use crate::tables::{ReceiptsKnown, receipts};

/// How many backups from before migrations are kept.
pub const KEPT_BEFORE_MIGRATIONS: usize = 3;
/// Bytes that stay free beside a backup.
const SPARE_BYTES: u64 = 1024 * 1024;
/// How the name of a backup begins.
const PREFIX: &str = "review-gate-";
/// How a backup is called until it is complete.
const UNFINISHED: &str = "backup.unfinished";
/// The folder, beside the database, of what a restored backup replaced.
const REPLACED: &str = "replaced";

/// A backup that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BackupMade {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
}

/// A backup that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Backup {
    /// The file.
    pub path: PathBuf,
    /// When it was made, UTC to the millisecond, e.g. `20261121T034921125Z`.
    pub made: String,
    /// Its size.
    pub bytes: u64,
    /// Its newest migration; absent where it can't be read.
    pub schema: Option<i64>,
    /// The schema that it was made before, where it isn't one of the rolling backups.
    pub before: Option<i64>,
}

/// A backup that took the database's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestoreMade {
    /// The folder that the replaced files were moved to; absent where there were none.
    pub set_aside: Option<PathBuf>,
}

/// The name of a backup, read: `review-gate-MOMENT.db` or `review-gate-MOMENT-before-SCHEMA.db`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) path: PathBuf,
    made: String,
    before: Option<i64>,
}

impl Store {
    /// Makes a backup, checks it, and deletes the oldest rolling ones beyond `keep`; none with 0. The
    /// second copy of replies is emptied of what the backup holds.
    ///
    /// # Errors
    /// `disk_full`, which says how much is missing; [`StoreError::Damaged`] when the database is: the
    /// next [`Store::open`] puts it together again; or when a file can't be written.
    pub async fn backup(&self, folder: &Path, keep: usize, now: Timestamp) -> Result<BackupMade, StoreError> {
        let _one_at_a_time = self.safety.upkeep.lock().await;
        let held = self.verify_journal().await?;
        self.catch_up_with_uses().await;
        let path = unused(folder, now);
        let made = match self.safety.mode {
            JournalMode::Wal => make(&mut *self.readers.acquire().await?, folder, &path).await,
            // Without a write-ahead log a writer would wait for the backup and give up: it waits for
            // its connection instead.
            JournalMode::Rollback => make(&mut *self.writer.acquire().await?, folder, &path).await,
        };
        let bytes = match made {
            Err(StoreError::Damaged { detail, .. }) => return Err(self.note_damage(detail).await?),
            made => made?,
        };
        self.journal().drop_before(held).await?;
        if keep > 0 {
            let rolling = names(folder)?.into_iter().filter(|name| name.before.is_none());
            forget(rolling, keep);
        }
        Ok(BackupMade { path, bytes })
    }

    /// Makes sure that the database has all that the journal holds; returns the journal's length.
    async fn verify_journal(&self) -> Result<u64, StoreError> {
        let index = self.journal().index().await?;
        let mut connection = self.readers.acquire().await?;
        let compared = reply_copy::differences(&mut connection, self.journal(), &index).await;
        drop(connection);
        let detail = match compared {
            Ok(differences) if differences.replies.is_empty() => return Ok(index.length),
            Ok(differences) => format!("{} replies are missing or changed", differences.replies.len()),
            Err(error) if error.says_damaged() => error.to_string(),
            Err(error) => return Err(error),
        };
        Err(self.note_damage(detail).await?)
    }

    /// Has the next start put the record together again; returns the error that says so.
    async fn note_damage(&self, detail: String) -> Result<StoreError, StoreError> {
        self.mark_damaged(&detail).await?;
        Ok(StoreError::Damaged { path: self.safety.path.clone(), detail })
    }
}

/// The backups of a folder with their sizes and schemas, the newest first.
///
/// # Errors
/// When the folder can't be read. One that isn't there has none.
pub async fn list_backups(folder: &Path) -> Result<Vec<Backup>, StoreError> {
    let mut backups = Vec::new();
    for Name { path, made, before } in names(folder)? {
        let schema = schema_of(&path).await.ok().flatten();
        backups.push(Backup { bytes: files::length(&path), path, made, schema, before });
    }
    Ok(backups)
}

/// Puts a backup in the database's place, in this program's schema; its replies are history from then on. Of the log of
/// receipts, which stays, it knows what the present record does. Nothing may use the database: the caller holds the lock.
///
/// # Errors
/// When the file is no sound record or a newer program's, when there is no room, or when a file can't
/// be written. Nothing is changed then.
pub async fn restore_backup(database: &Path, backup: &Path, now: Timestamp) -> Result<RestoreMade, StoreError> {
    if files::length(backup) == 0 {
        return Err(no_record(backup, "there is no such file, or it is empty").into());
    }
    let draft = files::with_suffix(database, ".restoring");
    files::remove_database(&draft)?;
    let copied = copy_checked(backup, &draft).await;
    if copied.is_err() {
        files::remove_database(&draft)?;
    }
    copied?;
    mark_as_restored(&draft, receipts_known_by(database).await.as_ref(), now).await?;
    files::sync_file(&draft)?;
    let journal = files::neighbour(database, journal::NAME);
    if journal.exists() {
        let folder = files::neighbour(database, REPLACED).join(now.in_names());
        files::make_folder(&folder)?;
        files::rename(&journal, &folder.join(journal::NAME))?;
        files::sync_folder(&folder)?;
    }
    files::rename(&draft, &replace::complete(database))?;
    Ok(RestoreMade { set_aside: replace::finish(database, REPLACED, now)? })
}

/// What a record that is about to be replaced knows of the log of receipts, as far as it can be read.
async fn receipts_known_by(database: &Path) -> Option<ReceiptsKnown> {
    if !database.exists() {
        return None;
    }
    let read = async {
        let mut connection = inspect::look_into(database).await?;
        let known = receipts::read(&mut connection).await?;
        connection.close().await?;
        Ok::<_, StoreError>(known)
    };
    read.await.unwrap_or_else(|error| {
        tracing::warn!(%error, "what the present record knows of the receipts can't be read");
        None
    })
}

/// Makes the replies of a record that takes another's place history: nobody here gave them, so no agent ever gets them.
async fn mark_as_restored(draft: &Path, known: Option<&ReceiptsKnown>, now: Timestamp) -> Result<(), StoreError> {
    let mut connection = SqliteConnectOptions::new().filename(draft).disable_statement_logging().connect().await?;
    schema::MIGRATIONS.run(&mut connection).await?;
    sqlx::query!(
        "UPDATE replies SET imported_at = ?1, delivered_at = coalesce(delivered_at, ?1) WHERE imported_at IS NULL",
        now.0,
    )
    .execute(&mut connection)
    .await?;
    if let Some(known) = known {
        receipts::write(&mut connection, known).await?;
    }
    connection.close().await?;
    Ok(())
}

/// Copies a database with its write-ahead log, folds that in, and looks at the result.
async fn copy_checked(backup: &Path, draft: &Path) -> Result<(), StoreError> {
    room_for(files::folder_of(draft), files::length(backup))?;
    files::copy(backup, draft)?;
    let log = files::with_suffix(backup, "-wal");
    if log.exists() {
        files::copy(&log, &files::with_suffix(draft, "-wal"))?;
    }
    let looked = async {
        let mut connection = SqliteConnectOptions::new().filename(draft).disable_statement_logging().connect().await?;
        let applied = schema::applied(&mut connection).await?;
        let newer = schema::newer(&mut connection).await?;
        let detail = if newer.is_none() { inspect::thorough(&mut connection).await? } else { None };
        connection.close().await?;
        Ok::<_, StoreError>((applied, newer, detail))
    };
    match looked.await {
        Ok((_, Some(found), _)) => Err(StoreError::Newer { path: backup.to_owned(), found, known: schema::known() }),
        Ok((_, _, Some(detail))) => Err(no_record(backup, &detail).into()),
        Ok((applied, _, _)) if applied.is_empty() => Err(no_record(backup, "it isn't a record of Review Gate").into()),
        Ok(_) => Ok(()),
        Err(error) if error.says_damaged() || error.says_misunderstood() => {
            Err(no_record(backup, &error.to_string()).into())
        }
        Err(error) => Err(error),
    }
}

fn no_record(file: &Path, why: &str) -> Fault {
    Fault::new(
        Code::UnreadableFile,
        format!("{} can't be restored: {why}.", file.display()),
        "Choose another backup. Nothing was changed.",
    )
}

/// Backs up a database of an older schema, before it is migrated.
pub(crate) async fn before_migration(database: &Path, folder: &Path, now: Timestamp) -> Result<(), StoreError> {
    let schema = schema::known();
    let path = folder.join(format!("{PREFIX}{}-before-{schema}.db", now.in_names()));
    let mut connection = inspect::look_into(database).await?;
    make(&mut connection, folder, &path).await?;
    connection.close().await?;
    forget(names(folder)?.into_iter().filter(|name| name.before.is_some()), KEPT_BEFORE_MIGRATIONS);
    Ok(())
}

/// The newest backup that is sound and that this program can read.
pub(crate) async fn newest_good(folder: &Path) -> Option<PathBuf> {
    for name in readable_names(folder) {
        match problem(&name.path).await {
            None => return Some(name.path),
            Some(problem) => tracing::warn!(path = %name.path.display(), problem, "a backup can't be used"),
        }
    }
    None
}

/// What makes a backup unfit to be restored by this program.
pub(crate) async fn problem(path: &Path) -> Option<String> {
    let look = async {
        let mut connection = open_backup(path).await?;
        let newer = schema::newer(&mut connection).await?;
        let empty = schema::applied(&mut connection).await?.is_empty();
        let detail = inspect::quick(&mut connection).await?;
        connection.close().await?;
        Ok::<_, StoreError>(match newer {
            Some(found) => Some(format!("it has the newer schema {found}")),
            None if empty => Some("it isn't a record".to_owned()),
            None => detail,
        })
    };
    look.await.unwrap_or_else(|error| Some(error.to_string()))
}

async fn schema_of(path: &Path) -> Result<Option<i64>, StoreError> {
    let mut connection = open_backup(path).await?;
    let schema = schema::applied(&mut connection).await?.into_iter().max();
    connection.close().await?;
    Ok(schema)
}

/// Opens a backup as it lies there: nobody writes to it.
async fn open_backup(path: &Path) -> Result<SqliteConnection, StoreError> {
    let options = SqliteConnectOptions::new().filename(path).read_only(true).immutable(true);
    Ok(options.disable_statement_logging().connect().await?)
}

/// The backups of a folder by their names, the newest first.
pub(crate) fn names(folder: &Path) -> Result<Vec<Name>, StoreError> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(files::failed("read", folder))?,
    };
    let mut names: Vec<Name> = entries.filter_map(|entry| parse(entry.ok()?.path())).collect();
    names.sort_by(|one, other| other.made.cmp(&one.made).then_with(|| other.path.cmp(&one.path)));
    Ok(names)
}

/// The same where a folder that can't be read must not keep the record from opening.
pub(crate) fn readable_names(folder: &Path) -> Vec<Name> {
    names(folder).unwrap_or_else(|error| {
        tracing::warn!(%error, "the folder of backups can't be read");
        Vec::new()
    })
}

fn parse(path: PathBuf) -> Option<Name> {
    let rest = path.file_name()?.to_str()?.strip_prefix(PREFIX)?.strip_suffix(".db")?;
    let (made, before) = match rest.split_once("-before-") {
        Some((made, schema)) => (made, Some(schema.parse().ok()?)),
        None => (rest, None),
    };
    let digits = made.strip_suffix('Z')?.replacen('T', "", 1);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| Name {
        made: made.to_owned(),
        before,
        path: path.clone(),
    })
}

/// A name that no backup of the folder has.
fn unused(folder: &Path, now: Timestamp) -> PathBuf {
    let mut moment = now;
    loop {
        let path = folder.join(format!("{PREFIX}{}.db", moment.in_names()));
        if !path.exists() {
            return path;
        }
        moment = moment.plus_millis(1);
    }
}

/// Deletes what comes after the newest `keep`. What can't be deleted is logged.
fn forget(newest_first: impl Iterator<Item = Name>, keep: usize) {
    for name in newest_first.skip(keep) {
        if let Err(error) = files::remove(&name.path) {
            tracing::warn!(%error, "an old backup can't be deleted");
        }
    }
}

/// Writes a whole copy of the connection's database to `path`, on disk and checked. Returns its size.
async fn make(connection: &mut SqliteConnection, folder: &Path, path: &Path) -> Result<u64, StoreError> {
    files::make_folder(folder)?;
    let pages: i64 = sqlx::query_scalar("PRAGMA page_count").fetch_one(&mut *connection).await?;
    let free: i64 = sqlx::query_scalar("PRAGMA freelist_count").fetch_one(&mut *connection).await?;
    let size: i64 = sqlx::query_scalar("PRAGMA page_size").fetch_one(&mut *connection).await?;
    room_for(folder, u64::try_from((pages - free).saturating_mul(size)).unwrap_or(0))?;
    let draft = folder.join(UNFINISHED);
    files::remove_database(&draft)?;
    let written = write(connection, &draft).await;
    if written.is_err() {
        files::remove_database(&draft)?;
    }
    written.map_err(|error| error.at(path))?;
    files::rename(&draft, path)?;
    files::sync_folder(folder)?;
    Ok(files::length(path))
}

async fn write(connection: &mut SqliteConnection, draft: &Path) -> Result<(), StoreError> {
    let Some(target) = draft.to_str() else {
        return Err(StoreError::Unexpected(format!("the path {} isn't Unicode", draft.display())));
    };
    // An empty file of this mode is taken as it is.
    files::private().write(true).create_new(true).open(draft).map_err(files::failed("written", draft))?;
    sqlx::query("VACUUM INTO ?1").bind(target).execute(connection).await?;
    let mut copy = open_backup(draft).await?;
    let detail = match inspect::quick(&mut copy).await? {
        None => inspect::dangling(&mut copy).await?,
        found => found,
    };
    copy.close().await?;
    if let Some(detail) = detail {
        return Err(StoreError::Damaged { path: draft.to_owned(), detail });
    }
    files::sync_file(draft)
}

/// Whether a folder has room for so many bytes.
fn room_for(folder: &Path, bytes: u64) -> Result<(), StoreError> {
    let wanted = bytes.saturating_add(SPARE_BYTES);
    enough(folder, wanted, free_bytes(folder)).map_err(StoreError::from)
}

fn enough(folder: &Path, wanted: u64, free: Option<u64>) -> Result<(), Fault> {
    let missing = wanted.saturating_sub(free.unwrap_or(u64::MAX));
    if missing == 0 {
        return Ok(());
    }
    Err(Fault::new(
        Code::DiskFull,
        format!("There is no room for a copy of the record in {}: {missing} bytes are missing.", folder.display()),
        format!("Free {} MB, or choose a folder on another disk, then try again.", missing.div_ceil(1_000_000)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_says_how_much_is_missing() {
        let folder = Path::new("/backups");
        assert_eq!(enough(folder, 10, Some(10)), Ok(()), "just enough is enough");
        assert_eq!(enough(folder, 10, None), Ok(()), "what can't be told is tried");
        let fault = enough(folder, 3_000_000, Some(1_500_000)).err();
        let (message, mend) = fault.map(|fault| (fault.message, fault.mend)).unwrap_or_default();
        assert_eq!(message, "There is no room for a copy of the record in /backups: 1500000 bytes are missing.");
        assert!(mend.starts_with("Free 2 MB"), "{mend}");
    }

    #[test]
    fn only_backups_are_taken_for_backups() {
        let before = |name: &str| parse(PathBuf::from(name)).map(|name| name.before);
        assert_eq!(before("review-gate-20261121T034921125Z.db"), Some(None));
        assert_eq!(before("review-gate-20261121T034921125Z-before-20261121210000.db"), Some(Some(20_261_121_210_000)));
        for other in ["review-gate.db", "review-gate-mine.db", "review-gate-20261121T034921125Z.db-wal", "notes.txt"] {
            assert_eq!(before(other), None, "{other} is somebody's own file and is never deleted");
        }
    }
}
