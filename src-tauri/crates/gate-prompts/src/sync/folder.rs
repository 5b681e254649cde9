//! The folder of fetched versions. What is served is one whole version at any moment, also after a kill or
//! a loss of power in the middle of anything. It must not know git.
//!
//! ```text
//! current                 the name of the version that is served, written beside and renamed over
//! versions/<name>/…       a version's files, renamed here once all of them are there
//! versions/<name>.json    what it is, with a digest of its files
//! work-…/                 what is being fetched; whatever is left of it goes at the next start
//! state.json              how the last try went
//! ```
//!
//! Nothing is flushed file by file, which takes seconds for thousands of them. Instead the digest is compared
//! at each start: files that a loss of power has eaten are noticed, and the version before is served.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::{Code, Fault, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

const CURRENT: &str = "current";
const VERSIONS: &str = "versions";
const STATE: &str = "state.json";
const WORK: &str = "work-";
/// Largest file of our own that is read back, in bytes.
const OWN_BYTES: u64 = 64 * 1024;

/// What a version is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The commit, whole.
    pub commit: String,
    /// Its first line, shortened.
    pub subject: String,
    /// When it was made, as it says of itself.
    pub committed_at: Option<Timestamp>,
    /// How many of its files are prompts.
    pub prompts: u32,
    /// How many files were left out for their type.
    pub ignored: u32,
    /// When it was fetched.
    pub fetched_at: Timestamp,
    /// What was asked for: [`super::Source::key`].
    pub source: String,
    /// Of its files' names and content.
    pub digest: String,
}

/// A version that is, or was, served. Its files stay while somebody holds it.
#[derive(Debug, PartialEq, Eq)]
pub struct Served {
    /// What it is.
    pub version: Version,
    path: PathBuf,
}

impl Served {
    /// The folder with its files, which nobody changes.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The folder of fetched versions. Clones are the same one.
#[derive(Debug, Clone)]
pub struct SyncedFolder {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    shown: Mutex<Shown>,
}

#[derive(Debug, Default)]
struct Shown {
    /// The newest version that is here.
    newest: Option<Arc<Served>>,
    /// The ones before, the latest last.
    old: Vec<Arc<Served>>,
    /// Whether it is served: not where no repository is set, or another one.
    hidden: bool,
}

/// The files that a gate serves from this folder, for another process that only looks: nothing is mended or
/// removed, since the gate may be fetching. Absent where there are none.
#[must_use]
pub fn served_from(folder: &Path) -> Option<PathBuf> {
    let name = own_text(&folder.join(CURRENT)).ok()?;
    let name = name.trim();
    let path = folder.join(VERSIONS).join(name);
    let is_name = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\']);
    (is_name && path.is_dir()).then_some(path)
}

impl SyncedFolder {
    /// Opens it, mends what a kill has left, and finds the version that is served: the one that was last, or
    /// the newest one whose files are all as they were. Reads every file of it.
    ///
    /// # Errors
    /// `read_only`, `disk_full` or `unreadable_file`, where the folder can't be made or read.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, Fault> {
        let folder = folder.into();
        let versions = folder.join(VERSIONS);
        private_folder(&folder).and_then(|()| private_folder(&versions)).map_err(|error| unwritable(&error))?;
        let opened = Self { inner: Arc::new(Inner { folder, shown: Mutex::default() }) };
        opened.sweep();
        let mut found = opened.whole_versions().map_err(|error| unwritable(&error))?;
        let current = own_text(&opened.path(CURRENT)).unwrap_or_default();
        // The one that is named goes first, then the newest.
        let is_named = |served: &Arc<Served>| served.path.file_name().is_some_and(|name| name == current.trim());
        found.sort_by_key(|served| (!is_named(served), std::cmp::Reverse(served.version.fetched_at)));
        let mut found =
            found.into_iter().filter(|served| digest_of(&served.path).is_ok_and(|it| it == served.version.digest));
        let (newest, old) = (found.next(), found.next());
        *opened.shown() = Shown { newest, old: old.into_iter().collect(), hidden: false };
        opened.clean();
        Ok(opened)
    }

    /// The folder with the files that are served; absent while there are none. It holds one whole version
    /// and never changes. At the next one it stays until the one after is there; [`Self::served`] keeps it longer.
    #[must_use]
    pub fn current(&self) -> Option<PathBuf> {
        self.served().map(|served| served.path.clone())
    }

    /// The version that is served. Its files stay at least as long as this is held.
    #[must_use]
    pub fn served(&self) -> Option<Arc<Served>> {
        let shown = self.shown();
        shown.newest.clone().filter(|_| !shown.hidden)
    }

    /// The newest version that is here, served or not.
    pub(super) fn newest(&self) -> Option<Arc<Served>> {
        self.shown().newest.clone()
    }

    /// Whether the version that is here is served.
    pub(super) fn hide(&self, hidden: bool) {
        self.shown().hidden = hidden;
    }

    /// An empty folder to work in, which goes when it is dropped.
    pub(super) fn work(&self) -> Result<TempDir, Fault> {
        self.sweep();
        let made = tempfile::Builder::new().prefix(WORK).tempdir_in(&self.inner.folder);
        made.map_err(|error| unwritable(&error))
    }

    /// Makes the files in `staging`, which is in `work`, the newest version. Each step is one rename; before
    /// the last of them, a kill leaves the version before, and after it this one. Whether it is served is
    /// still for [`Self::hide`]: the settings may have changed meanwhile.
    pub(super) fn publish(&self, work: &TempDir, staging: &Path, version: Version) -> Result<Arc<Served>, Fault> {
        let published = self.rename_in(work.path(), staging, version).map_err(|error| unwritable(&error))?;
        let served = Arc::new(published);
        {
            let mut shown = self.shown();
            let before = shown.newest.replace(Arc::clone(&served));
            shown.old.extend(before);
        }
        self.clean();
        Ok(served)
    }

    fn rename_in(&self, work: &Path, staging: &Path, version: Version) -> io::Result<Served> {
        let unique = work.file_name().unwrap_or_default().to_string_lossy().replacen(WORK, "", 1);
        let name = format!("{}-{unique}", version.commit.get(..12).unwrap_or("commit"));
        let path = self.path(VERSIONS).join(&name);
        // What a try before has left under this name is in nobody's use.
        let _ = fs::remove_dir_all(&path);
        let manifest = work.join("manifest");
        write_flushed(&manifest, serde_json::to_string(&version)?.as_bytes())?;
        let pointer = work.join("pointer");
        write_flushed(&pointer, name.as_bytes())?;
        fs::rename(staging, &path)?;
        fs::rename(manifest, self.path(VERSIONS).join(format!("{name}.json")))?;
        fs::rename(pointer, self.path(CURRENT))?;
        Ok(Served { version, path })
    }

    /// What was remembered of the last try; absent where nothing was, or it can't be read.
    pub(super) fn remembered<T: for<'a> Deserialize<'a>>(&self) -> Option<T> {
        serde_json::from_str(&own_text(&self.path(STATE)).ok()?).ok()
    }

    /// Remembers how a try went. Losing it costs one more try, so that it can't be written is only logged.
    pub(super) fn remember<T: Serialize>(&self, state: &T) {
        let write = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::with_prefix_in(WORK, &self.inner.folder)?;
            file.write_all(serde_json::to_string(state)?.as_bytes())?;
            file.persist(self.path(STATE))?;
            Ok(())
        };
        if let Err(error) = write() {
            tracing::warn!(%error, "how the synchronisation of prompts went can't be written down");
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.inner.folder.join(name)
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.inner.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every version that has its files and says what it is.
    fn whole_versions(&self) -> io::Result<Vec<Arc<Served>>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(self.path(VERSIONS))?.flatten() {
            let path = entry.path();
            let manifest = path.with_added_extension("json");
            let version = own_text(&manifest).ok().and_then(|text| serde_json::from_str(&text).ok());
            if let (true, Some(version)) = (path.is_dir(), version) {
                found.push(Arc::new(Served { version, path }));
            }
        }
        Ok(found)
    }

    /// Removes what a kill has left of work.
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.inner.folder) else { return };
        let left = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(WORK));
        left.for_each(|entry| remove(&entry.path()));
    }

    /// Removes every version but the served one, the one before, and those that somebody holds.
    fn clean(&self) {
        let mut shown = self.shown();
        let latest = shown.old.len().saturating_sub(1);
        let mut index = 0;
        shown.old.retain(|served| {
            index += 1;
            index > latest || Arc::strong_count(served) > 1
        });
        let kept: Vec<PathBuf> = shown.old.iter().chain(&shown.newest).map(|served| served.path.clone()).collect();
        drop(shown);
        let Ok(entries) = fs::read_dir(self.path(VERSIONS)) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            let known = kept.iter().any(|kept| path == *kept || path == kept.with_added_extension("json"));
            if !known {
                remove(&path);
            }
        }
    }
}

/// The files of a version while they are written: each below the folder, with a digest of all of them.
#[derive(Debug)]
pub(super) struct Writing {
    folder: PathBuf,
    digest: Sha256,
}

impl Writing {
    pub(super) fn new(folder: PathBuf) -> io::Result<Self> {
        private_folder(&folder)?;
        Ok(Self { folder, digest: Sha256::new() })
    }

    /// Writes a file. They come in the order of their paths, which were checked.
    pub(super) fn add(&mut self, path: &str, content: &[u8]) -> io::Result<()> {
        let file = self.folder.join(path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::File::create_new(&file)?.write_all(content)?;
        digest_file(&mut self.digest, path, content);
        Ok(())
    }

    pub(super) fn digest(self) -> String {
        hex(&self.digest.finalize())
    }
}

fn digest_file(digest: &mut Sha256, path: &str, content: &[u8]) {
    for part in [path.as_bytes(), content] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
}

/// The digest of a version's files as they are now.
fn digest_of(folder: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    collect(folder, "", &mut files)?;
    files.sort();
    let mut digest = Sha256::new();
    for path in files {
        digest_file(&mut digest, &path, &fs::read(folder.join(&path))?);
    }
    Ok(hex(&digest.finalize()))
}

fn collect(folder: &Path, above: &str, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // What the system's own programs leave in any folder they show.
        if name.starts_with('.') {
            continue;
        }
        let path = if above.is_empty() { name } else { format!("{above}/{name}") };
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn private_folder(path: &Path) -> io::Result<()> {
    gate_os::files::create_folder(path)
}

fn write_flushed(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}

fn own_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(OWN_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

fn remove(path: &Path) {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    if let Err(error) = removed {
        tracing::debug!(%error, "what is left of a synchronisation stays until the next start");
    }
}

/// The folder can't be written or read.
pub(super) fn unwritable(error: &io::Error) -> Fault {
    let mend = "Look at the folder of synchronised prompts in the program's home, then synchronise again.";
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Fault::new(Code::DiskFull, "The disk is full.", "Make room; the prompts that were there are still served.")
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            Fault::new(Code::ReadOnly, "The folder of synchronised prompts can't be written.", mend)
        }
        kind => {
            Fault::new(Code::UnreadableFile, format!("The folder of synchronised prompts can't be used: {kind}."), mend)
        }
    }
}
