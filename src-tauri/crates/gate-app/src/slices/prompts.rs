//! The prompts of a running gate: served to agents, shown and changed by the person, remembered version by
//! version, and kept up with their folders and their repository.

mod commands;
mod importing;
mod page;
mod port;
mod sources;
mod webhook;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_api::subjects::prompts::Event;
use gate_api::subjects::settings;
use gate_api::{PromptSyncState, PromptVersionCause};
use gate_core::prompt::kept_arguments;
use gate_core::{
    Caller, Code, Fault, GivenArgument, PromptContent, PromptFormat, PromptList, PromptOrigin, PromptVersionId,
    RenderedPrompt, RequestId, Timestamp,
};
use gate_git::child::behind;
use gate_mcp::{Change, PromptTimes};
use gate_prompts::sync::webhook::Deliveries;
use gate_prompts::sync::{PromptSync, Served, Source, SyncState};
use gate_prompts::{BUILT_IN_CHANGED, Folders, Library, PromptSet, Watch};
use gate_settings::Settings;
use gate_store::{Store, StoredPromptVersion};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, watch};

use crate::bus::Bus;
use crate::slices::settings::Configured;
use crate::work::blocking;
pub(crate) use sources::Sources;
pub use sources::folders;
use sources::{folder_of, plan_of};

/// For how long after a prompt a review counts as what came of it, in milliseconds: an hour.
const REVIEW_MILLIS: i64 = 60 * 60 * 1000;
/// Agents whose last prompt is remembered for that; the one of the oldest prompt makes room.
const AGENTS: usize = 256;

/// The prompts of a gate.
#[derive(Debug)]
pub(crate) struct Prompts {
    store: Store,
    bus: Bus,
    settings: Arc<Configured>,
    library: Arc<Library>,
    /// Absent where its folder can't be used.
    sync: Option<PromptSync>,
    /// Why nothing is fetched: the folder can't be used, or the settings name no repository that can be.
    unsynced: Mutex<Option<Fault>>,
    /// The person's folder where the settings name none.
    standard: PathBuf,
    /// The version that everyone was told of.
    told: Mutex<Arc<PromptSet>>,
    /// When the files of that version changed: those of the person's and of the repository as far as the record knows.
    times: Mutex<Arc<PromptTimes>>,
    /// The version of the repository that is read; its files stay for as long.
    held: Mutex<Option<Arc<Served>>>,
    /// Held while a prompt's file is written, so that its version says why.
    writing: tokio::sync::Mutex<()>,
    /// Something in the folders is other.
    files_changed: Arc<Notify>,
    /// Who looks at the folders.
    watch: Mutex<Option<Watch>>,
    /// Whether a prompt was used that the pages weren't told of.
    used: AtomicBool,
    /// When an agent, by its client and its workspace, last asked for a prompt.
    asked: Mutex<HashMap<(String, String), Timestamp>>,
    /// The webhooks that were acted on.
    deliveries: Mutex<Deliveries>,
}

impl Prompts {
    /// The prompts that a start has found.
    pub(crate) fn new(store: Store, bus: Bus, settings: Arc<Configured>, sources: Sources) -> Self {
        let Sources { library, sync, unsynced, standard, held } = sources;
        Self {
            store,
            bus,
            settings,
            told: Mutex::new(library.current()),
            times: Mutex::new(Arc::new(times_of(&library.current().list, Vec::new()))),
            library: Arc::new(library),
            sync,
            unsynced: Mutex::new(unsynced),
            standard,
            held: Mutex::new(held),
            writing: tokio::sync::Mutex::default(),
            files_changed: Arc::new(Notify::new()),
            watch: Mutex::default(),
            used: AtomicBool::new(false),
            asked: Mutex::default(),
            deliveries: Mutex::default(),
        }
    }

    /// Every prompt that is served now.
    pub(crate) fn current(&self) -> Arc<PromptSet> {
        self.library.current()
    }

    /// When their files changed.
    pub(crate) fn times(&self) -> Arc<PromptTimes> {
        Arc::clone(&lock(&self.times))
    }

    /// The folder with the person's own prompts.
    fn folder(&self, settings: &Settings) -> PathBuf {
        folder_of(settings, &self.standard)
    }

    /// How the synchronisation stands.
    fn sync_state(&self, settings: &Settings) -> PromptSyncState {
        let state = self.sync.as_ref().map_or_else(SyncState::off, PromptSync::state);
        page::sync_state(state, settings, lock(&self.unsynced).clone())
    }

    /// Reads the folders that the settings and the repository name now. It blocks.
    fn follow(&self, settings: &Settings) {
        let served = self.sync.as_ref().and_then(|sync| sync.folder().served());
        let synced = served.as_ref().map(|served| served.path().to_owned());
        self.library.set_folders(Folders { local: self.folder(settings), synced });
        // Only now nobody reads the version before.
        *lock(&self.held) = served;
    }

    /// Ends what goes on in the background.
    async fn stop(&self) {
        drop(lock(&self.watch).take());
        if let Some(sync) = &self.sync {
            sync.stop().await;
        }
    }
}

/// When the prompts of this list changed: each in the folder that it is served from, built-in ones with the program.
fn times_of(list: &PromptList, known: Vec<(String, PromptOrigin, Timestamp)>) -> PromptTimes {
    let latest = known.iter().map(|(_, _, at)| *at).chain([BUILT_IN_CHANGED]).max();
    let is_served = |id: &str, origin| list.get(id).is_some_and(|prompt| prompt.origin == origin);
    let served = known.into_iter().filter(|(id, origin, _)| is_served(id, *origin)).map(|(id, _, at)| (id, at));
    let built_in = list.prompts.iter().filter(|prompt| prompt.origin == PromptOrigin::BuiltIn);
    let built_in = built_in.map(|prompt| (prompt.id.clone(), BUILT_IN_CHANGED));
    PromptTimes { served: served.chain(built_in).collect(), latest }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Prompts {
    /// Keeps up with folders, repository and settings, until the gate stops.
    pub(crate) async fn keep(self: &Arc<Self>) {
        let mut events = self.bus.events();
        let mut sync = self.sync.as_ref().map(PromptSync::subscribe);
        // A folder that didn't answer at the start is waited for here.
        self.follow_prompts().await;
        self.remember_prompts().await;
        let files_changed = Arc::clone(&self.files_changed);
        *lock(&self.watch) = Some(self.library.watch(move || files_changed.notify_one()));
        loop {
            tokio::select! {
                () = self.files_changed.notified() => self.tell_prompts().await,
                () = changed(&mut sync) => {
                    self.follow_prompts().await;
                    self.bus.emit(Event::PromptSyncChanged { sync: self.sync_state(&self.settings.in_force()) });
                }
                event = events.recv() => match event {
                    Ok(gate_api::Event::Settings(settings::Event::SettingsChanged { .. }))
                    | Err(RecvError::Lagged(_)) => self.prompt_settings_changed().await,
                    Ok(_) => {}
                    Err(RecvError::Closed) => return,
                },
                () = self.bus.stop().cancelled() => return self.stop().await,
            }
        }
    }

    /// Does what the settings say of prompts.
    async fn prompt_settings_changed(self: &Arc<Self>) {
        let settings = self.settings.in_force();
        let (plan, fault) = plan_of(&settings);
        if let Some(sync) = &self.sync {
            sync.set(plan);
            *lock(&self.unsynced) = fault;
        }
        self.follow_prompts().await;
        self.bus.emit(Event::PromptSyncChanged { sync: self.sync_state(&settings) });
    }

    /// Reads the folders that are to be served, and tells everyone what is other.
    async fn follow_prompts(self: &Arc<Self>) {
        let prompts = Arc::clone(self);
        let reading = blocking(move || {
            prompts.follow(&prompts.settings.in_force());
            Ok(())
        });
        if let Err(fault) = reading.await {
            tracing::error!(%fault, "the prompts could not be read");
        }
        self.tell_prompts().await;
    }

    /// Tells everyone of the version that is served, where they know another one.
    async fn tell_prompts(&self) {
        let after = self.current();
        let before = std::mem::replace(&mut *lock(&self.told), Arc::clone(&after));
        if Arc::ptr_eq(&before, &after) {
            return;
        }
        self.remember_prompts().await;
        self.bus.change(Change::Prompts);
        self.bus.emit(Event::PromptsChanged);
        // Thousands of templates take a while to be let go, which would hold up calls.
        drop(behind(move || drop(before)));
    }

    /// Keeps the versions of files that are other than the newest that is known.
    async fn remember_prompts(&self) {
        let _alone = self.writing.lock().await;
        for (origin, cause) in
            [(PromptOrigin::Local, PromptVersionCause::Found), (PromptOrigin::Synced, PromptVersionCause::Synced)]
        {
            if let Err(error) = self.remember_versions(origin, cause).await {
                tracing::warn!(%error, "versions of prompts could not be kept");
            }
        }
        match self.store.prompt_times().await {
            Ok(known) => *lock(&self.times) = Arc::new(times_of(&self.current().list, known)),
            Err(error) => tracing::warn!(%error, "when prompts changed can't be read"),
        }
    }

    async fn remember_versions(&self, origin: PromptOrigin, cause: PromptVersionCause) -> Result<(), Fault> {
        let known = self.store.newest_prompt_versions(origin).await?;
        let set = self.current();
        let commit = lock(&self.held).as_ref().map(|served| served.version.commit.clone());
        let commit = commit.filter(|_| origin == PromptOrigin::Synced).unwrap_or_default();
        let ours = set.files().filter(|(_, file)| file.origin == origin && !file.text.is_empty());
        let other = ours.filter(|(id, file)| known.get(*id) != Some(&file.sha256));
        let mut versions: Vec<_> = other
            .map(|(id, file)| StoredPromptVersion {
                version_id: PromptVersionId(self.bus.new_id()),
                prompt_id: id.to_owned(),
                origin,
                format: file.format,
                cause: cause.as_str().to_owned(),
                text: file.text.to_string(),
                sha256: file.sha256.clone(),
                commit: commit.clone(),
                at: self.bus.now(),
            })
            .collect();
        // A folder that can't be read says nothing of what was deleted, and neither does a file that hides another.
        let is_gone = |id: &String| set.file(id).is_none_or(|file| file.origin < origin);
        if set.folder_fault.is_none() {
            versions.extend(known.keys().filter(|id| is_gone(id)).map(|id| self.deleted(id, origin, &commit)));
        }
        if versions.is_empty() { Ok(()) } else { Ok(self.store.add_prompt_versions(&versions).await?) }
    }

    /// A prompt with these arguments put in, for an agent: it counts as used.
    pub(crate) async fn render_prompt(
        &self,
        caller: &Caller,
        id: &str,
        arguments: &BTreeMap<String, String>,
    ) -> Result<RenderedPrompt, Fault> {
        let (set, name, given) = (self.current(), id.to_owned(), arguments.clone());
        // A template may take its whole time.
        let now = self.bus.now();
        let rendering = gate_prompts::rendering(move || {
            let rendered = set.render(&name, &given, now).map_err(|fault| fault.fault)?;
            // What was given may be long, too.
            let used = set.entry(&name).map(|entry| (entry.prompt.id.clone(), kept_arguments(&entry.prompt, &given)));
            Ok::<_, Fault>((rendered, used))
        });
        let (rendered, used) = rendering.await??;
        if let Some((prompt, kept)) = used {
            self.prompt_was_used(caller, &prompt, &kept).await;
        }
        Ok(rendered)
    }

    /// A partial as it is where nothing is given.
    ///
    /// # Errors
    /// Why it can't be rendered.
    pub(crate) async fn partial(&self, name: &'static str) -> Result<String, Fault> {
        let (set, now) = (self.current(), self.bus.now());
        let rendering = gate_prompts::rendering(move || {
            let text = format!("{{{{> {name}}}}}");
            gate_prompts::preview(&set, "", PromptFormat::Markdown, &text, &BTreeMap::new(), now)
        });
        let preview = rendering.await?;
        let texts = preview.rendered.into_iter().flat_map(|rendered| rendered.messages).filter_map(|message| {
            match message.content {
                PromptContent::Text { text } => Some(text),
                PromptContent::Resource { .. } => None,
            }
        });
        let text = texts.collect::<Vec<_>>().join("\n\n");
        if !text.trim().is_empty() {
            return Ok(text);
        }
        let why = preview.problems.into_iter().next().map(|problem| problem.message);
        Err(preview.fault.unwrap_or_else(|| {
            Fault::new(
                Code::Prompt,
                format!("The partial `{name}` gives nothing. {}", why.unwrap_or_default()),
                format!(
                    "Put right `_partials/{name}.md` in your folder of prompts, or delete it for the built-in one."
                ),
            )
        }))
    }

    /// A prompt was used. It is written with others, so that its agent needn't wait for a disk.
    async fn prompt_was_used(&self, caller: &Caller, prompt: &str, kept: &[GivenArgument]) {
        let at = self.bus.now();
        if let Err(error) = self.store.use_prompt(prompt, &caller.client, &caller.workspace, kept, at).await {
            tracing::warn!(%error, "uses of prompts could not be kept");
        }
        {
            let mut asked = lock(&self.asked);
            if asked.len() >= AGENTS {
                let oldest = asked.iter().min_by_key(|(_, at)| **at).map(|(who, _)| who.clone());
                oldest.and_then(|oldest| asked.remove(&oldest));
            }
            asked.insert((caller.client.clone(), caller.workspace.clone()), at);
        }
        self.used.store(true, Ordering::Relaxed);
    }

    /// Lets time pass over the uses: those since the last time are written, and the pages hear of them together.
    pub(crate) async fn pass_time(&self) {
        if !self.used.swap(false, Ordering::Relaxed) {
            return;
        }
        if let Err(error) = self.store.write_prompt_uses().await {
            tracing::warn!(%error, "uses of prompts could not be kept");
        }
        self.bus.emit(Event::PromptsChanged);
    }

    /// An agent asked for a review: that may be what came of a prompt.
    pub(crate) async fn review_of_prompt(&self, caller: &Caller, request: RequestId) {
        let key = (caller.client.clone(), caller.workspace.clone());
        let asked = lock(&self.asked).remove(&key);
        let since = Timestamp(self.bus.now().0.saturating_sub(REVIEW_MILLIS));
        if asked.is_none_or(|at| at < since) {
            return;
        }
        let follows = self.store.review_follows_prompt(request, &caller.client, &caller.workspace, since);
        if let Err(error) = Box::pin(follows).await {
            tracing::warn!(%error, "what came of a prompt could not be kept");
        }
    }

    /// The version that says that a file is gone.
    fn deleted(&self, id: &str, origin: PromptOrigin, commit: &str) -> StoredPromptVersion {
        StoredPromptVersion {
            version_id: PromptVersionId(self.bus.new_id()),
            prompt_id: id.to_owned(),
            origin,
            format: gate_core::PromptFormat::Yaml,
            cause: PromptVersionCause::Deleted.as_str().to_owned(),
            text: String::new(),
            sha256: String::new(),
            commit: commit.to_owned(),
            at: self.bus.now(),
        }
    }

    /// Where prompts come from now; absent for nowhere.
    fn prompts_source(&self) -> Option<Source> {
        plan_of(&self.settings.in_force()).0.map(|plan| plan.source)
    }

    /// The repository has new commits: it is looked at now, unless this delivery was there before.
    fn prompts_pushed(&self, delivery: &str) -> bool {
        let is_new = lock(&self.deliveries).is_new(delivery);
        if is_new {
            self.sync_prompts_now();
        }
        is_new
    }

    /// Has the repository looked at now.
    pub(crate) fn sync_prompts_now(&self) {
        if let Some(sync) = &self.sync {
            sync.sync_now();
        }
    }
}

/// Resolves when the synchronisation stands elsewhere; never where there is none.
async fn changed(sync: &mut Option<watch::Receiver<SyncState>>) {
    let Some(state) = sync else { return std::future::pending().await };
    if state.changed().await.is_err() {
        return std::future::pending().await;
    }
    state.borrow_and_update();
}
