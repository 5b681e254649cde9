//! The second copy of replies: a file beside the database that only grows, one line for each reply.
//!
//! A line is the first 16 hexadecimal digits of its SHA-256, a blank, and a JSON object with one
//! entry. A line that isn't what its digits say is passed over. A backup that holds what the lines
//! hold makes them needless, and they go.
//!
//! Knows the file and its form, not the database.

mod entry;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_core::{RequestId, SessionUuid};

use crate::error::StoreError;
use crate::files;
use entry::Head;
pub(crate) use entry::{AnswerCopy, AttachmentCopy, Entry, ReplyCopy, RequestCopy};

/// The file's name, in the database's folder.
pub(crate) const NAME: &str = "replies.journal";
/// Length in bytes from which on the journal asks for a backup, which empties it.
pub const JOURNAL_BYTES: u64 = 64 * 1024 * 1024;
/// Digits of a line's checksum.
const DIGITS: usize = 16;

/// Where a line stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    offset: u64,
    bytes: usize,
}

/// What the journal holds, by where it stands.
#[derive(Debug, Default)]
pub(crate) struct Index {
    replies: HashMap<RequestId, (SessionUuid, Span)>,
    /// When agents had replies.
    pub(crate) delivered: HashMap<RequestId, i64>,
    /// Requests whose replies were taken back, and that weren't answered since.
    pub(crate) withdrawn: HashSet<RequestId>,
    blobs: HashMap<String, Span>,
    /// Where conversations were last deleted.
    deleted: HashMap<SessionUuid, u64>,
    /// Lines that are whole.
    pub(crate) good: u64,
    /// Lines that are torn or damaged.
    pub(crate) bad: u64,
    /// Bytes that were read.
    pub(crate) length: u64,
    /// Whether the last line is whole.
    ends_whole: bool,
}

impl Index {
    /// The requests whose replies are to be in the database, in the order in which they were given.
    pub(crate) fn requests(&self) -> Vec<RequestId> {
        let mut found: Vec<_> = self
            .replies
            .iter()
            .filter(|(_, (session, span))| self.deleted.get(session).is_none_or(|at| *at < span.offset))
            .map(|(request, (_, span))| (span.offset, *request))
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, request)| request).collect()
    }

    /// The conversations that were deleted, and in which nothing was answered since.
    pub(crate) fn deleted_for_good(&self) -> Vec<SessionUuid> {
        let answered_after =
            |session: &SessionUuid, at: u64| self.replies.values().any(|(of, span)| of == session && span.offset > at);
        self.deleted
            .iter()
            .filter(|(session, at)| !answered_after(session, **at))
            .map(|(session, _)| *session)
            .collect()
    }

    /// Reads the file from `offset` up to `end`; a file that isn't there is empty.
    pub(crate) fn read(path: &Path, offset: u64, end: u64) -> io::Result<Self> {
        let mut index = Self { length: offset, ends_whole: true, ..Self::default() };
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(index),
            file => file?,
        };
        file.seek(SeekFrom::Start(offset))?;
        let mut lines = BufReader::new(file).take(end.saturating_sub(offset));
        let mut line = Vec::new();
        loop {
            line.clear();
            let bytes = lines.read_until(b'\n', &mut line)?;
            if bytes == 0 {
                return Ok(index);
            }
            let span = Span { offset: index.length, bytes };
            index.length += u64::try_from(bytes).unwrap_or(0);
            index.ends_whole = line.ends_with(b"\n");
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match checked(&line).and_then(|json| serde_json::from_slice(json).ok()) {
                Some(head) => index.note(head, span),
                None => index.bad += 1,
            }
        }
    }

    fn note(&mut self, head: Head, span: Span) {
        self.good += 1;
        match head {
            Head::Blob { sha256 } => {
                self.blobs.insert(sha256, span);
            }
            Head::Reply { conversation, request } => {
                self.withdrawn.remove(&request.request_id);
                self.replies.insert(request.request_id, (conversation.session_uuid, span));
            }
            Head::Delivered { request_id, at } => {
                self.delivered.insert(request_id, at);
            }
            Head::Deleted(session) => {
                self.deleted.insert(session, span.offset);
            }
            Head::Withdrawn(request) => {
                self.replies.remove(&request);
                self.withdrawn.insert(request);
            }
        }
    }
}

/// The second copy of replies. Cheap to clone; one of them writes at a time.
#[derive(Debug, Clone)]
pub(crate) struct Journal {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    length: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Open for appending; absent until something is written.
    file: Option<File>,
    /// The last line may be torn.
    torn: bool,
    /// Contents of attachments that it holds.
    blobs: HashSet<String>,
}

impl Journal {
    /// The journal of a database. Nothing is read or written yet.
    pub(crate) fn of(database: &Path) -> Self {
        let path = files::neighbour(database, NAME);
        let length = AtomicU64::new(files::length(&path));
        Self { inner: Arc::new(Inner { path, length, state: Mutex::default() }) }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Its length in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.inner.length.load(Ordering::Relaxed)
    }

    /// What it holds.
    ///
    /// # Errors
    /// When the file can't be read.
    pub(crate) async fn index(&self) -> Result<Index, StoreError> {
        let journal = self.clone();
        off_the_runtime(move || {
            let mut state = journal.lock();
            let index = Index::read(journal.path(), 0, u64::MAX).map_err(files::failed("read", journal.path()))?;
            state.torn = !index.ends_whole;
            state.blobs = index.blobs.keys().cloned().collect();
            journal.inner.length.store(index.length, Ordering::Relaxed);
            Ok(index)
        })
        .await
    }

    /// The whole of a reply that the index names.
    ///
    /// # Errors
    /// When the file can't be read, or the line isn't what it was.
    pub(crate) async fn reply(&self, index: &Index, request: RequestId) -> Result<Option<ReplyCopy>, StoreError> {
        let Some(span) = index.replies.get(&request).map(|(_, span)| *span) else { return Ok(None) };
        Ok(match self.entry(span).await? {
            Some(Entry::Reply(copy)) => Some(*copy),
            _ => None,
        })
    }

    /// The bytes of an attachment, if the journal holds them.
    ///
    /// # Errors
    /// When the file can't be read.
    pub(crate) async fn blob(&self, index: &Index, sha256: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(span) = index.blobs.get(sha256).copied() else { return Ok(None) };
        let Some(Entry::Blob { data, .. }) = self.entry(span).await? else { return Ok(None) };
        let bytes = STANDARD.decode(data).ok();
        Ok(bytes.filter(|bytes| files::sha256(bytes) == sha256))
    }

    async fn entry(&self, span: Span) -> Result<Option<Entry>, StoreError> {
        let path = self.path().to_owned();
        off_the_runtime(move || {
            let read = || {
                let mut file = File::open(&path)?;
                file.seek(SeekFrom::Start(span.offset))?;
                let mut line = vec![0; span.bytes];
                file.read_exact(&mut line)?;
                Ok(line)
            };
            let line = read().map_err(files::failed("read", &path))?;
            Ok(checked(&line).and_then(|json| serde_json::from_slice(json).ok()))
        })
        .await
    }

    /// Whether it holds these bytes.
    pub(crate) fn holds(&self, sha256: &str) -> bool {
        self.lock().blobs.contains(sha256)
    }

    /// Adds the bytes of an attachment; the entry that is synced next takes them along.
    ///
    /// # Errors
    /// When the file can't be written.
    pub(crate) async fn add_blob(&self, sha256: String, bytes: Vec<u8>) -> Result<(), StoreError> {
        let journal = self.clone();
        off_the_runtime(move || {
            let entry = Entry::Blob { sha256: sha256.clone(), data: STANDARD.encode(bytes) };
            journal.append(&entry, false)?;
            journal.lock().blobs.insert(sha256);
            Ok(())
        })
        .await
    }

    /// Adds an entry. When this returns and `sync` is set, it is on disk.
    ///
    /// # Errors
    /// When the file can't be written.
    pub(crate) async fn add(&self, entry: Entry, sync: bool) -> Result<(), StoreError> {
        let journal = self.clone();
        off_the_runtime(move || journal.append(&entry, sync)).await
    }

    fn append(&self, entry: &Entry, sync: bool) -> Result<(), StoreError> {
        let json = serde_json::to_vec(entry).map_err(|error| StoreError::Unexpected(error.to_string()))?;
        let mut line = digits(&json).into_bytes();
        line.push(b' ');
        line.extend_from_slice(&json);
        line.push(b'\n');
        let mut state = self.lock();
        let written = self.write(&mut state, &line, sync);
        self.inner.length.store(files::length(self.path()), Ordering::Relaxed);
        written
    }

    fn write(&self, state: &mut State, line: &[u8], sync: bool) -> Result<(), StoreError> {
        let failed = || files::failed("written", self.path());
        let mut file = match state.file.take() {
            Some(file) => file,
            None => {
                let file = files::private().append(true).create(true).open(self.path()).map_err(failed())?;
                // The name has to be on disk as much as what the file holds.
                files::sync_folder(files::folder_of(self.path()))?;
                file
            }
        };
        if std::mem::replace(&mut state.torn, true) {
            file.write_all(b"\n").map_err(failed())?;
        }
        file.write_all(line).map_err(failed())?;
        if sync {
            file.sync_data().map_err(failed())?;
        }
        state.torn = false;
        state.file = Some(file);
        Ok(())
    }

    /// Drops what stands before `offset`, at once or not at all. Later lines stay.
    ///
    /// # Errors
    /// When a file can't be written; the journal is as it was then.
    pub(crate) async fn drop_before(&self, offset: u64) -> Result<(), StoreError> {
        let journal = self.clone();
        off_the_runtime(move || {
            let mut state = journal.lock();
            let path = journal.path();
            if !path.exists() {
                // Somebody removed it; what comes next begins a new one.
                *state = State::default();
                return Ok(());
            }
            let beside = files::with_suffix(path, ".new");
            let tail = || {
                let mut old = File::open(path)?;
                old.seek(SeekFrom::Start(offset))?;
                let mut new = files::private().write(true).create(true).truncate(true).open(&beside)?;
                io::copy(&mut old, &mut new)?;
                new.sync_all()
            };
            tail().map_err(files::failed("written", &beside))?;
            files::rename(&beside, path)?;
            files::sync_folder(files::folder_of(path))?;
            let index = Index::read(path, 0, u64::MAX).map_err(files::failed("read", path))?;
            journal.inner.length.store(index.length, Ordering::Relaxed);
            *state = State { file: None, torn: !index.ends_whole, blobs: index.blobs.into_keys().collect() };
            Ok(())
        })
        .await
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The JSON of a line, if the line is what its digits say.
fn checked(line: &[u8]) -> Option<&[u8]> {
    let (given, rest) = line.split_at_checked(DIGITS)?;
    let json = rest.strip_prefix(b" ")?.strip_suffix(b"\n")?;
    (given == digits(json).as_bytes()).then_some(json)
}

fn digits(json: &[u8]) -> String {
    let mut digits = files::sha256(json);
    digits.truncate(DIGITS);
    digits
}

/// Runs what waits for a disk where it holds up nobody.
pub(crate) async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| StoreError::Unexpected(error.to_string()))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    fn delivered(number: u128) -> Entry {
        Entry::Delivered { request_id: RequestId(Uuid::from_u128(number)), at: 1 }
    }

    #[tokio::test]
    async fn torn_and_damaged_lines_are_passed_over_and_counted() -> Outcome {
        let folder = tempfile::tempdir()?;
        let journal = Journal::of(&folder.path().join("x.db"));
        for number in 0..4 {
            journal.add(delivered(number), true).await?;
        }
        let mut bytes = std::fs::read(journal.path())?;
        let line = bytes.len() / 4;
        bytes[line + 30] ^= 1;
        bytes.truncate(bytes.len() - 5);
        std::fs::write(journal.path(), &bytes)?;

        let again = Journal::of(&folder.path().join("x.db"));
        let index = again.index().await?;
        assert_eq!((index.good, index.bad), (2, 2), "one line is damaged, the last is torn");
        again.add(delivered(9), true).await?;
        let index = again.index().await?;
        assert_eq!((index.good, index.bad), (3, 2), "what is written after a torn line is a line of its own");
        assert_eq!(again.length(), files::length(again.path()), "the length is the file's");
        Ok(())
    }

    #[tokio::test]
    async fn dropping_keeps_what_came_later_and_goes_on_after_it() -> Outcome {
        let folder = tempfile::tempdir()?;
        let journal = Journal::of(&folder.path().join("x.db"));
        let content = b"bytes".to_vec();
        let sha256 = files::sha256(&content);
        journal.add_blob(sha256.clone(), content.clone()).await?;
        let index = journal.index().await?;
        assert_eq!(journal.blob(&index, &sha256).await?.as_ref(), Some(&content));
        let before = journal.length();
        journal.add(delivered(1), true).await?;
        journal.drop_before(before).await?;
        journal.add(delivered(2), true).await?;
        let index = journal.index().await?;
        assert_eq!((index.good, index.bad, index.delivered.len()), (2, 0, 2), "the later lines are there");
        assert!(!journal.holds(&sha256), "bytes that went are written again when a reply has them");
        Ok(())
    }

    #[tokio::test]
    async fn a_journal_that_is_a_folder_is_a_fault_and_not_a_panic() -> Outcome {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir(folder.path().join(NAME))?;
        let journal = Journal::of(&folder.path().join("x.db"));
        assert!(journal.add(delivered(1), true).await.is_err());
        assert!(journal.index().await.is_err());
        Ok(())
    }
}
