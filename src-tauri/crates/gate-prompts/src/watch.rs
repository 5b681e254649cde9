//! Notices when the folders change: from the system's own notices, and by looking where those fail.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use gate_os::files::FileId;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::library::Library;
use crate::wake::Wake;

/// So long nothing must happen before the folders are looked at.
const CALM: Duration = Duration::from_millis(80);
/// So long that is waited for at most.
const LONGEST: Duration = Duration::from_millis(400);
/// A folder that the system doesn't watch is looked at as often.
const POLL: Duration = Duration::from_secs(2);
/// Whether a folder is there, or another one has its name, is looked at as often.
const GLANCE: Duration = Duration::from_millis(500);

/// While it lives, the folders are watched.
#[derive(Debug)]
pub struct Watch {
    wake: Sender<Wake>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.wake.send(Wake::End);
    }
}

impl Library {
    /// Watches the folders, those that don't exist yet as well, and reads them again when something in them
    /// changes; then calls `changed`, on a thread of its own, if there is a new version. Nothing is created.
    pub fn watch(self: &Arc<Self>, changed: impl Fn() + Send + Sync + 'static) -> Watch {
        let (wake, inbox) = mpsc::channel();
        *self.wake.lock().unwrap_or_else(PoisonError::into_inner) = Some(wake.clone());
        let watching = Watching {
            library: self.clone(),
            wake: wake.clone(),
            watcher: None,
            folders: Vec::new(),
            looked: Instant::now(),
            again: None,
        };
        let started =
            std::thread::Builder::new().name("prompt-watch".to_owned()).spawn(move || watching.run(&inbox, &changed));
        if let Err(error) = started {
            tracing::error!(%error, "the folders of prompts can't be watched");
        }
        Watch { wake }
    }
}

/// A folder, and which one it was when it was watched.
#[derive(Debug, Clone, PartialEq, Eq)]
struct WatchedFolder {
    folder: PathBuf,
    /// Absent while it isn't there.
    identity: Option<FileId>,
    watched: bool,
}

struct Watching {
    library: Arc<Library>,
    wake: Sender<Wake>,
    watcher: Option<RecommendedWatcher>,
    folders: Vec<WatchedFolder>,
    looked: Instant,
    /// When the folders are looked at once more: a file may come into a new folder before that is watched.
    again: Option<Instant>,
}

impl Watching {
    fn run(mut self, inbox: &Receiver<Wake>, changed: &dyn Fn()) {
        self.rewatch();
        // What changed before it was watched.
        self.look(changed);
        loop {
            match inbox.recv_timeout(GLANCE) {
                Ok(Wake::End) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(Wake::Folders) => {
                    self.rewatch();
                    self.look(changed);
                }
                Ok(Wake::Changed) => {
                    if !calm(inbox) {
                        return;
                    }
                    self.rewatch();
                    self.look(changed);
                    self.again = Some(Instant::now() + GLANCE);
                }
                Err(RecvTimeoutError::Timeout) => {
                    let moved = self.rewatch();
                    let blind = self.folders.iter().any(|folder| folder.identity.is_some() && !folder.watched);
                    let due = self.again.is_some_and(|again| Instant::now() >= again);
                    if moved || due || (blind && self.looked.elapsed() >= POLL) {
                        self.again = None;
                        self.look(changed);
                    }
                }
            }
        }
    }

    fn look(&mut self, changed: &dyn Fn()) {
        self.looked = Instant::now();
        if self.library.reload().changed {
            changed();
        }
    }

    /// Watches what is to be watched. Says whether a folder came, went or is another one.
    fn rewatch(&mut self) -> bool {
        let folders = self.library.folders();
        let wanted = [Some(folders.local), folders.synced].into_iter().flatten();
        let now: Vec<(PathBuf, Option<FileId>)> = wanted.map(|folder| (folder.clone(), identity(&folder))).collect();
        let before = self.folders.iter().map(|folder| (folder.folder.clone(), folder.identity));
        if before.eq(now.iter().cloned()) {
            return false;
        }
        // A watcher of its own for every state of things: none is left on what has gone.
        self.watcher = None;
        let wake = self.wake.clone();
        let told = move |event: notify::Result<notify::Event>| {
            // Reading a file is no change of it.
            if event.as_ref().is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
                return;
            }
            let _ = wake.send(Wake::Changed);
        };
        let mut watcher = notify::recommended_watcher(told).inspect_err(unwatched).ok();
        self.folders = now
            .into_iter()
            .map(|(folder, identity)| {
                let watched = identity.is_some()
                    && watcher.as_mut().is_some_and(|watcher| {
                        let target = gate_os::files::real_path(&folder).unwrap_or_else(|_| folder.clone());
                        watcher.watch(&target, RecursiveMode::Recursive).inspect_err(unwatched).is_ok()
                    });
                WatchedFolder { folder, identity, watched }
            })
            .collect();
        self.watcher = watcher;
        true
    }
}

fn unwatched(error: &notify::Error) {
    tracing::warn!(%error, "a folder of prompts can't be watched; it is looked at every two seconds");
}

/// Waits until nothing happens any more. False where nobody wants to know any more.
fn calm(inbox: &Receiver<Wake>) -> bool {
    let until = Instant::now() + LONGEST;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        match inbox.recv_timeout(CALM.min(left)) {
            Ok(Wake::End) | Err(RecvTimeoutError::Disconnected) => return false,
            Ok(Wake::Changed | Wake::Folders) => {}
            Err(RecvTimeoutError::Timeout) => return true,
        }
    }
    true
}

fn identity(folder: &std::path::Path) -> Option<FileId> {
    folder.is_dir().then(|| FileId::of(folder).ok()).flatten()
}
