//! What connecting clients has written, so that disconnecting them gives back the same bytes. One file in the
//! gate's data folder, and beside it the files as they were.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gate_core::{Code, Fault};
use serde::{Deserialize, Serialize};

use crate::catalogue::Scope;
use crate::files::{digest, failed};

const FILE: &str = "clients.json";
const LOCK: &str = "clients.lock";
/// The folder of the backups, in the gate's data folder.
const BACKUPS: &str = "client-backups";
/// Backups that are kept besides those that are needed for disconnecting.
const SPARE_BACKUPS: usize = 50;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It lists the client's servers.
    Config,
    /// It holds rules for the client's agents.
    Rules,
    /// It says what the client's agents may do without asking, or where they ask.
    Permission,
}

/// One file that we have written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) client: String,
    pub(crate) scope: Scope,
    pub(crate) kind: Kind,
    pub(crate) path: PathBuf,
    /// The SHA-256 of the file from before; absent where there was none.
    pub(crate) before: Option<String>,
    /// The SHA-256 of the file as we left it.
    pub(crate) after: String,
    /// Whether nobody else wrote it between our own changes, so that `before` is what is given back.
    pub(crate) exact: bool,
    /// The groups that weren't there, each as its path.
    #[serde(default)]
    pub(crate) groups: Vec<Vec<String>>,
    /// The folders that weren't there, the outermost first.
    #[serde(default)]
    pub(crate) folders: Vec<PathBuf>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Content {
    version: u32,
    records: Vec<Record>,
}

/// The version of the file's shape.
const VERSION: u32 = 1;

/// The open ledger. While it is open no other process changes it.
pub(crate) struct Ledger {
    folder: PathBuf,
    pub(crate) records: Vec<Record>,
    _lock: Option<fs::File>,
}

impl Ledger {
    /// Reads it without keeping others from it.
    ///
    /// # Errors
    /// `unreadable_file` if it can't be read.
    pub(crate) fn look(folder: &Path) -> Result<Self, Fault> {
        let file = folder.join(FILE);
        let records = match fs::read(&file) {
            Ok(bytes) => {
                let content: Content =
                    serde_json::from_slice(&bytes).map_err(|error| unreadable(&file, &error.to_string()))?;
                if content.version > VERSION {
                    return Err(unreadable(&file, "a newer version wrote it"));
                }
                content.records
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(failed("read", &file, &error)),
        };
        Ok(Self { folder: folder.to_owned(), records, _lock: None })
    }

    /// Reads it and keeps others from changing it.
    ///
    /// # Errors
    /// A fault if it can't be read, or its folder can't be written.
    pub(crate) fn open(folder: &Path) -> Result<Self, Fault> {
        make_private(folder)?;
        let path = folder.join(LOCK);
        let lock = fs::File::options().create(true).truncate(false).write(true).open(&path);
        let lock = lock.and_then(|file| file.lock().map(|()| file)).map_err(|error| failed("lock", &path, &error))?;
        Ok(Self { _lock: Some(lock), ..Self::look(folder)? })
    }

    /// Stores the records.
    pub(crate) fn save(&self) -> Result<(), Fault> {
        let file = self.folder.join(FILE);
        let content = Content { version: VERSION, records: self.records.clone() };
        let text = serde_json::to_vec_pretty(&content).map_err(|error| Fault::internal(error.to_string()))?;
        write_private(&file, &text)?;
        self.drop_old_backups();
        Ok(())
    }

    pub(crate) fn find(&self, client: &str, scope: Scope, kind: Kind, path: &Path) -> Option<&Record> {
        self.records.iter().find(|record| {
            record.client == client && record.scope == scope && record.kind == kind && record.path == path
        })
    }

    /// Whether the same file was written for another client or scope, too: whoever goes last gives it back.
    pub(crate) fn is_shared(&self, record: Option<&Record>, path: &Path, kind: Kind) -> bool {
        self.records.iter().any(|other| other.path == path && other.kind == kind && Some(other) != record)
    }

    /// The file from before, where nobody else has changed what we left. Outer `None`: it can't be given back.
    pub(crate) fn given_back(&self, record: Option<&Record>, path: &Path, now: &[u8]) -> Option<Option<Vec<u8>>> {
        let record = record.filter(|record| record.exact && record.after == digest(now))?;
        match &record.before {
            None => Some(None),
            Some(before) => self.kept(path, before).map(Some),
        }
    }

    /// Keeps the bytes of a file; where.
    pub(crate) fn back_up(&self, path: &Path, bytes: &[u8]) -> Result<PathBuf, Fault> {
        let folder = self.folder.join(BACKUPS);
        make_private(&folder)?;
        let backup = self.backup(path, &digest(bytes));
        if fs::read(&backup).ok().as_deref() != Some(bytes) {
            write_private(&backup, bytes)?;
        }
        Ok(backup)
    }

    /// Where the backup of a file with this digest is.
    pub(crate) fn backup(&self, path: &Path, digest: &str) -> PathBuf {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.folder.join(BACKUPS).join(format!(
            "{}-{}",
            digest.get(..16).unwrap_or(digest),
            name.trim_start_matches('.')
        ))
    }

    /// The file from before, if it is kept unharmed.
    pub(crate) fn kept(&self, path: &Path, wanted: &str) -> Option<Vec<u8>> {
        let bytes = fs::read(self.backup(path, wanted)).ok()?;
        (digest(&bytes) == wanted).then_some(bytes)
    }

    fn drop_old_backups(&self) {
        let needed: Vec<PathBuf> = self
            .records
            .iter()
            .filter_map(|record| Some(self.backup(&record.path, record.before.as_deref()?)))
            .collect();
        let Ok(all) = fs::read_dir(self.folder.join(BACKUPS)) else { return };
        let mut spare: Vec<_> = all
            .flatten()
            .filter(|entry| !needed.contains(&entry.path()))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        spare.sort();
        let surplus = spare.len().saturating_sub(SPARE_BACKUPS);
        for (_, path) in spare.into_iter().take(surplus) {
            // One that can't be deleted is tried again the next time.
            let _ = fs::remove_file(path);
        }
    }
}

fn unreadable(file: &Path, why: &str) -> Fault {
    Fault::new(
        Code::UnreadableFile,
        format!("{} can't be read: {why}.", file.display()),
        "Move it away; clients can then be disconnected, but their files aren't given back as they were.",
    )
}

/// A folder that only this user may enter: configurations may hold secrets.
pub(crate) fn make_private(folder: &Path) -> Result<(), Fault> {
    gate_os::files::create_folder(folder).map_err(|error| failed("make", folder, &error))
}

/// A file that only this user may read, replaced as a whole.
fn write_private(file: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut new| {
        new.write_all(bytes)?;
        new.as_file().sync_all()?;
        new.persist(file)?;
        Ok(())
    });
    written.map_err(|error| failed("write", file, &error))
}
