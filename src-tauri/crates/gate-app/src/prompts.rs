//! The prompts of a running gate: served to agents, shown and changed by the person, remembered version by
//! version, and kept up with their folders and their repository.

mod page;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gate_api::{Event, PromptVersionCause};
use gate_core::{Caller, Fault, PromptOrigin, PromptVersionId, RenderedPrompt, RequestId, Timestamp};
use gate_link::Home;
use gate_mcp::Change;
use gate_prompts::sync::PromptSync;
use gate_prompts::{Folders, Library, PromptSet, Watch};
use gate_store::StoredPromptVersion;
use tokio::sync::{Notify, watch};
use uuid::Uuid;

use crate::clock::now;
use crate::gate::Gate;
use crate::settings::Settings;

/// For how long after a prompt a review counts as what came of it, in milliseconds: an hour.
const REVIEW_MILLIS: i64 = 60 * 60 * 1000;
/// Agents whose last prompt is remembered for that; the one of the oldest prompt makes room.
const AGENTS: usize = 256;
/// How long a start waits for the prompts' folders. A disk that hangs must not keep the gate from its agents.
const FIRST_LOOK: Duration = Duration::from_secs(2);

/// The prompts of a gate.
#[derive(Debug)]
pub(crate) struct Prompts {
    library: Arc<Library>,
    sync: PromptSync,
    /// The person's folder where the settings name none.
    standard: PathBuf,
    /// Held while a prompt's file is written, so that its version says why.
    writing: tokio::sync::Mutex<()>,
    /// Something in the folders is other.
    stirred: Arc<Notify>,
    /// Who looks at the folders.
    watch: Mutex<Option<Watch>>,
    /// When an agent, by its client and its workspace, last asked for a prompt.
    asked: Mutex<HashMap<(String, String), Timestamp>>,
}

impl Prompts {
    /// Reads what is in the folders. Waits for them only for [`FIRST_LOOK`]; what comes later is taken up then.
    pub(crate) async fn open(home: &Home, settings: &Settings) -> Self {
        let standard = home.prompts_folder();
        let sync = PromptSync::start(home.synced_prompts_folder(), now);
        let stirred = Arc::new(Notify::new());
        let library = Arc::new(Library::new(Folders {
            local: folder_of(settings, &standard),
            synced: sync.current(),
        }));
        let first = Arc::clone(&library);
        let look = tokio::task::spawn_blocking(move || first.reload());
        if tokio::time::timeout(FIRST_LOOK, look).await.is_err() {
            tracing::warn!("the prompts' folder is slow; they are taken up when it answers");
            stirred.notify_one();
        }
        Self {
            library,
            sync,
            standard,
            writing: tokio::sync::Mutex::default(),
            stirred,
            watch: Mutex::default(),
            asked: Mutex::default(),
        }
    }

    /// Every prompt that is served now.
    pub(crate) fn current(&self) -> Arc<PromptSet> {
        self.library.current()
    }

    /// The folder with the person's own prompts.
    fn folder(&self, settings: &Settings) -> PathBuf {
        folder_of(settings, &self.standard)
    }

    /// Ends what goes on in the background.
    pub(crate) async fn stop(&self) {
        drop(self.watch.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.sync.stop().await;
    }
}

/// The folders that a gate of this home reads prompts from.
#[must_use]
pub fn folders(home: &Home, settings: &Settings) -> Folders {
    Folders {
        local: folder_of(settings, &home.prompts_folder()),
        synced: gate_prompts::sync::current(&home.synced_prompts_folder()),
    }
}

/// The folder with the person's own prompts: what the settings say, `~` for the home folder.
fn folder_of(settings: &Settings, standard: &Path) -> PathBuf {
    let named = settings.prompts.folder.trim();
    if named.is_empty() { standard.to_owned() } else { expanded(named) }
}

/// A path that a person wrote, with `~` as their home folder.
pub(crate) fn expanded(path: &str) -> PathBuf {
    let home = || dirs::home_dir().unwrap_or_default();
    match path.strip_prefix('~') {
        Some("") => home(),
        Some(rest) if rest.starts_with('/') => home().join(rest.trim_start_matches('/')),
        _ => PathBuf::from(path),
    }
}

impl Gate {
    /// Keeps up with folders, repository and settings, until the gate stops.
    pub(crate) async fn keep_prompts(self) {
        let prompts = &self.inner.prompts;
        self.follow_prompt_settings();
        self.remember_prompts().await;
        let mut sync = prompts.sync.subscribe();
        let mut events = self.events();
        loop {
            tokio::select! {
                () = prompts.stirred.notified() => self.take_up_prompts().await,
                changed = sync.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    self.prompt_sync_changed(&mut sync).await;
                }
                event = events.recv() => match event {
                    Ok(Event::SettingsChanged { .. }) | Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {
                        self.follow_prompt_settings();
                    }
                    Ok(_) => {}
                    Err(tokio::sync::broadcast::error::RecvError::Closed) => return,
                },
                () = self.inner.stop.cancelled() => return prompts.stop().await,
            }
        }
    }

    /// Does what the settings say of prompts.
    fn follow_prompt_settings(&self) {
        let (settings, prompts) = (self.settings(), &self.inner.prompts);
        prompts.sync.set(page::source_of(&settings));
        prompts.library.set_folders(Folders { local: prompts.folder(&settings), synced: prompts.sync.current() });
        let stirred = Arc::clone(&prompts.stirred);
        let watch = prompts.library.watch(move || stirred.notify_one());
        *prompts.watch.lock().unwrap_or_else(PoisonError::into_inner) = Some(watch);
        prompts.stirred.notify_one();
    }

    async fn prompt_sync_changed(&self, sync: &mut watch::Receiver<gate_prompts::sync::SyncState>) {
        let state = sync.borrow_and_update().clone();
        let prompts = &self.inner.prompts;
        let folders = Folders { local: prompts.folder(&self.settings()), synced: prompts.sync.current() };
        if prompts.library.set_folders(folders) {
            self.take_up_prompts().await;
        }
        self.emit(Event::PromptSyncChanged { sync: page::sync_state(state) });
    }

    /// Reads the folders again, and tells everyone what is other.
    pub(crate) async fn take_up_prompts(&self) {
        let library = Arc::clone(&self.inner.prompts.library);
        let before = library.current();
        let read = tokio::task::spawn_blocking(move || library.reload()).await;
        if let Err(error) = read {
            tracing::error!(%error, "the prompts could not be read");
            return;
        }
        let after = self.inner.prompts.current();
        if Arc::ptr_eq(&before, &after) {
            return;
        }
        self.remember_prompts().await;
        if !Arc::ptr_eq(&before.list(), &after.list()) {
            self.change(Change::Prompts);
        }
        self.emit(Event::PromptsChanged);
    }

    /// Keeps the versions of files that are other than the newest that is known.
    async fn remember_prompts(&self) {
        let _alone = self.inner.prompts.writing.lock().await;
        for (origin, cause) in
            [(PromptOrigin::Local, PromptVersionCause::Found), (PromptOrigin::Synced, PromptVersionCause::Synced)]
        {
            if let Err(error) = self.remember_versions(origin, cause).await {
                tracing::warn!(%error, "versions of prompts could not be kept");
            }
        }
    }

    async fn remember_versions(&self, origin: PromptOrigin, cause: PromptVersionCause) -> Result<(), Fault> {
        let known = self.inner.store.newest_prompt_versions(origin).await?;
        let set = self.inner.prompts.current();
        let commit = match origin {
            PromptOrigin::Synced => self.inner.prompts.sync.state().commit,
            _ => String::new(),
        };
        let mut versions = Vec::new();
        for file in set.files(origin) {
            if known.get(&file.id) != Some(&file.sha256) {
                versions.push(StoredPromptVersion {
                    version_id: PromptVersionId(Uuid::now_v7()),
                    prompt_id: file.id.clone(),
                    origin,
                    format: file.format,
                    cause: cause.as_str().to_owned(),
                    text: file.text.to_string(),
                    sha256: file.sha256.clone(),
                    commit: commit.clone(),
                    at: now(),
                });
            }
        }
        // A folder that can't be read says nothing of what was deleted.
        if set.is_readable(origin) {
            for id in known.keys().filter(|id| set.file_in(origin, id).is_none()) {
                versions.push(deleted(id, origin, &commit));
            }
        }
        if versions.is_empty() { Ok(()) } else { Ok(self.inner.store.add_prompt_versions(&versions).await?) }
    }

    /// A prompt with these arguments put in, for an agent: it counts as used.
    pub(crate) async fn render_prompt(
        &self,
        caller: &Caller,
        id: &str,
        arguments: &BTreeMap<String, String>,
    ) -> Result<RenderedPrompt, Fault> {
        let (set, name, arguments) = (self.inner.prompts.current(), id.to_owned(), arguments.clone());
        // A template may take its whole time.
        let rendering = tokio::task::spawn_blocking(move || set.render(&name, &arguments, now()));
        let rendered = rendering.await.map_err(|error| Fault::internal(error.to_string()))?;
        let rendered = rendered.map_err(|fault| fault.fault)?;
        let gate = self.clone();
        let (caller, id) = (caller.clone(), id.to_owned());
        // Nobody waits for the record of it.
        tokio::spawn(async move { gate.prompt_was_used(&caller, &id).await });
        Ok(rendered)
    }

    async fn prompt_was_used(&self, caller: &Caller, id: &str) {
        let at = now();
        if let Err(error) = self.inner.store.use_prompt(id, &caller.client, &caller.workspace, at).await {
            tracing::warn!(%error, "that a prompt was used could not be kept");
            return;
        }
        {
            let mut asked = self.inner.prompts.asked.lock().unwrap_or_else(PoisonError::into_inner);
            if asked.len() >= AGENTS {
                let oldest = asked.iter().min_by_key(|(_, at)| **at).map(|(who, _)| who.clone());
                oldest.and_then(|oldest| asked.remove(&oldest));
            }
            asked.insert((caller.client.clone(), caller.workspace.clone()), at);
        }
        self.emit(Event::PromptsChanged);
    }

    /// An agent asked for a review: that may be what came of a prompt.
    pub(crate) async fn review_of_prompt(&self, caller: &Caller, request: RequestId) {
        let key = (caller.client.clone(), caller.workspace.clone());
        let asked = self.inner.prompts.asked.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        let since = Timestamp(now().0.saturating_sub(REVIEW_MILLIS));
        if asked.is_none_or(|at| at < since) {
            return;
        }
        let store = &self.inner.store;
        if let Err(error) = store.review_follows_prompt(request, &caller.client, &caller.workspace, since).await {
            tracing::warn!(%error, "what came of a prompt could not be kept");
        }
    }

    /// Where prompts come from now; absent for nowhere.
    pub(crate) fn prompts_source(&self) -> Option<gate_prompts::sync::Source> {
        page::source_of(&self.settings())?.0.ok()
    }

    /// A push to the repository: it is looked at now.
    pub(crate) fn sync_prompts_now(&self) {
        self.inner.prompts.sync.sync_now();
    }
}

/// The version that says that a file is gone.
fn deleted(id: &str, origin: PromptOrigin, commit: &str) -> StoredPromptVersion {
    StoredPromptVersion {
        version_id: PromptVersionId(Uuid::now_v7()),
        prompt_id: id.to_owned(),
        origin,
        format: gate_core::PromptFormat::Yaml,
        cause: PromptVersionCause::Deleted.as_str().to_owned(),
        text: String::new(),
        sha256: String::new(),
        commit: commit.to_owned(),
        at: now(),
    }
}
