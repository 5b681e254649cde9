//! A folder with a log, its anchor, a clock that the test sets, and receipts to be written.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use gate_core::{AnsweredFrom, Decision, Digest, RequestId, Timestamp};
use gate_receipts::{
    Anchor, Appended, Broken, Content, Decided, Git, Head, HomeId, Level, Log, NAME, Noticed, Oid, Opened, Opening,
    RECEIPT_MILLIS, Reading, ReceiptsError, Said,
};
use tempfile::TempDir;
use uuid::Uuid;

pub(crate) const HOME: HomeId = HomeId(Uuid::from_u128(0x0193_4a51_7cde_7000_8000_0000_0000_0001));
/// 2026-11-21T03:49:21.125Z.
pub(crate) const AT: Timestamp = Timestamp(1_795_232_961_125);
/// For how long approvals are held, in milliseconds.
pub(crate) const HOLD: u64 = 5_000;

pub(crate) fn digest(text: &str) -> Digest {
    Digest::of_bytes(text.as_bytes())
}

pub(crate) fn oid(text: &str) -> Oid {
    Oid::try_from(digest(text).to_string()).expect("a digest has 64 digits")
}

pub(crate) fn request(number: u128) -> RequestId {
    RequestId(Uuid::from_u128(number))
}

/// An approval of request `number` in the window, that leads to `tree NUMBER`.
pub(crate) fn approval(number: u128, at: Timestamp) -> Decided {
    let from = at.plus_millis(HOLD);
    Decided {
        from,
        expires: Some(from.plus_millis(RECEIPT_MILLIS)),
        request: request(number),
        decision: Some(Decision::Approved),
        reply: digest(&format!("reply {number}")),
        about: digest(&format!("about {number}")),
        level: Level::L1,
        given: AnsweredFrom::Desktop,
        content: Content {
            ask: Some(digest(&format!("ask {number}"))),
            diff: Some(digest(&format!("diff {number}"))),
            manifest: None,
            git: Some(Git { base: oid("base"), tree: oid(&format!("tree {number}")) }),
        },
    }
}

#[derive(Debug, Default)]
struct Remembered {
    heads: Vec<Head>,
    undelivered: Vec<RequestId>,
    fails: bool,
}

/// An anchor that outlives the log, as a database does.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<Remembered>>);

impl Memory {
    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.0.lock().expect("no test panics while it is held")
    }

    pub(crate) fn set(&self, heads: &[Head]) {
        self.lock().heads = heads.to_vec();
    }

    pub(crate) fn wait_for(&self, requests: &[RequestId]) {
        self.lock().undelivered = requests.to_vec();
    }

    pub(crate) fn fail(&self, fails: bool) {
        self.lock().fails = fails;
    }
}

impl Anchor for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn heads(&self) -> Result<Vec<Head>, String> {
        let remembered = self.lock();
        if remembered.fails { Err("it is away".to_owned()) } else { Ok(remembered.heads.clone()) }
    }

    fn keep(&mut self, head: Head) -> Result<(), String> {
        let mut remembered = self.lock();
        if remembered.fails {
            return Err("it is away".to_owned());
        }
        remembered.heads.insert(0, head);
        remembered.heads.truncate(3);
        Ok(())
    }

    fn undelivered(&self) -> Vec<RequestId> {
        self.lock().undelivered.clone()
    }
}

/// A home with a log.
#[derive(Debug)]
pub(crate) struct World {
    folder: TempDir,
    pub(crate) anchor: Memory,
    /// Milliseconds since the test began, on both clocks.
    passed: u64,
    /// By how many milliseconds the time of day was set.
    pub(crate) set: i64,
    pub(crate) upgrade: bool,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        Self { folder, anchor: Memory::default(), passed: 0, set: 0, upgrade: false }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder().join(NAME)
    }

    /// The clocks, a second later than the last time.
    pub(crate) fn now(&mut self) -> Reading {
        self.passed += 1_000;
        let at = Timestamp(AT.plus_millis(self.passed).0 + self.set);
        Reading { at, steady: Some(Duration::from_millis(self.passed)) }
    }

    pub(crate) fn try_open(&mut self) -> Result<Opened, ReceiptsError> {
        let (anchors, now): (Vec<Box<dyn Anchor>>, _) = (vec![Box::new(self.anchor.clone())], self.now());
        Log::open(Opening { folder: self.folder().to_owned(), home: HOME, anchors, upgrade: self.upgrade, now })
    }

    pub(crate) fn open(&mut self) -> (Log, Noticed) {
        let Opened { log, noticed } = self.try_open().expect("the log can be opened");
        (log, noticed)
    }

    /// Opens the log, in which nothing is wrong.
    pub(crate) fn quietly(&mut self) -> Log {
        let (log, noticed) = self.open();
        assert_eq!(noticed, Noticed::default(), "there is nothing to notice");
        log
    }

    /// Opens the log, in which something is wrong.
    pub(crate) fn broken(&mut self) -> (Log, Broken) {
        let (log, noticed) = self.open();
        (log, noticed.broken.expect("the chain is broken"))
    }

    /// Approves a request.
    pub(crate) fn approve(&mut self, log: &mut Log, number: u128) -> Appended {
        let now = self.now();
        log.append(Said::Decided(approval(number, now.at)), now).expect("it can be written")
    }

    /// A log with so many approvals, of the requests from 1 on, which is closed again.
    pub(crate) fn with(length: u128) -> (Self, Vec<Head>) {
        let mut world = Self::new();
        let mut log = world.quietly();
        let heads = (1..=length).map(|number| world.approve(&mut log, number).head).collect();
        (world, heads)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.path()).expect("there is a log")
    }

    pub(crate) fn put(&self, bytes: &[u8]) {
        std::fs::write(self.path(), bytes).expect("the log can be written");
    }

    /// The files beside the log, but for the lock.
    pub(crate) fn set_aside(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.folder()).expect("the folder can be read");
        let names = files.map(|file| file.expect("it can be read").file_name().to_string_lossy().into_owned());
        let mut names: Vec<_> = names.filter(|name| name != NAME && name != "receipts.lock").collect();
        names.sort();
        names
    }
}

/// Where each line begins, and the end.
pub(crate) fn starts(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).collect()
}
