//! A synchronisation under test, and what is served by it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use gate_core::{Code, Timestamp};
use gate_prompts::sync::{Limits, Plan, PromptSync, Secret, Source, SourceText, SyncOptions, SyncState, SyncStatus};
use tempfile::TempDir;

/// Long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// What the clock says at first.
pub(crate) const BEGINNING: i64 = 1_750_000_000_000;

pub(crate) type Files = BTreeMap<String, String>;

pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) limits: Limits,
    pub(crate) program: PathBuf,
    /// Goes on by a millisecond each time somebody looks, so that each try has a time of its own.
    pub(crate) time: Arc<AtomicI64>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            limits: Limits::default(),
            program: "git".into(),
            time: Arc::new(AtomicI64::new(BEGINNING)),
        }
    }

    pub(crate) fn start(&self, plan: Option<Plan>) -> Running {
        let time = Arc::clone(&self.time);
        let options = SyncOptions {
            folder: self.synced(),
            program: self.program.clone(),
            limits: self.limits.clone(),
            clock: Arc::new(move || Timestamp(time.fetch_add(1, Ordering::SeqCst))),
        };
        Running(PromptSync::start(options, plan).expect("the folder can be used"))
    }

    /// Where the versions are.
    pub(crate) fn synced(&self) -> PathBuf {
        self.folder.path().join("synced")
    }
}

pub(crate) struct Running(pub(crate) PromptSync);

impl Running {
    pub(crate) async fn until(&self, what: &str, holds: impl FnMut(&SyncState) -> bool) -> SyncState {
        let mut states = self.0.subscribe();
        let found = tokio::time::timeout(PATIENCE, states.wait_for(holds)).await;
        found.unwrap_or_else(|_| panic!("{what}: {:?}", self.0.state())).expect("it runs").clone()
    }

    /// The first try's end.
    pub(crate) async fn first(&self) -> SyncState {
        self.until("a first try", |state| state.tried_at.is_some() && state.status != SyncStatus::Syncing).await
    }

    /// The end of one more try.
    pub(crate) async fn again(&self) -> SyncState {
        let before = self.0.state().tried_at;
        self.0.sync_now();
        self.until("another try", |state| state.tried_at != before && state.status != SyncStatus::Syncing).await
    }

    pub(crate) fn files(&self) -> Files {
        self.0.folder().current().map(|folder| read_all(&folder)).unwrap_or_default()
    }

    /// The next try fails with these words, and what is served stays.
    pub(crate) async fn fails(&self, word: &str) -> SyncState {
        let (before, commit) = (self.files(), self.0.state().commit);
        let state = self.again().await;
        let fault = state.fault.clone().unwrap_or_else(|| panic!("it was to fail with `{word}`"));
        assert_eq!((state.status, fault.code), (SyncStatus::Error, Code::PromptSync), "{fault}");
        let text = fault.to_string();
        assert!(text.contains(word), "`{word}` is to be in: {text}");
        assert!(text.lines().count() == 1 && !text.contains('\u{1b}'), "{text:?}");
        assert_eq!(self.files(), before, "what was served still is");
        assert_eq!(state.commit, commit, "and is named");
        state
    }

    pub(crate) async fn succeeds(&self) -> SyncState {
        let state = self.again().await;
        assert_eq!((state.status, &state.fault), (SyncStatus::Success, &None));
        state
    }
}

/// The files below a folder with their texts.
pub(crate) fn read_all(folder: &Path) -> Files {
    let mut all = Files::new();
    collect(folder, folder, &mut all);
    all
}

fn collect(top: &Path, folder: &Path, all: &mut Files) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(top, &path, all);
        } else {
            let name = path.strip_prefix(top).expect("below").to_string_lossy().into_owned();
            all.insert(name, std::fs::read_to_string(&path).expect("a text"));
        }
    }
}

pub(crate) fn files(of: &[(&str, &str)]) -> Files {
    of.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

pub(crate) fn text(address: &str) -> SourceText {
    SourceText { repository: address.into(), ..SourceText::default() }
}

pub(crate) fn with_token(address: &str, token: &str) -> SourceText {
    SourceText { token: Some(Secret::new(token)), ..text(address) }
}

/// Synchronised when somebody asks.
pub(crate) fn plan(text: SourceText) -> Plan {
    Plan { source: Source::parse(text).expect("a good source"), every: None }
}
