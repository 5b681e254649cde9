//! The prompts as the page shows and changes them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gate_api::subjects::prompts::{SyncedPrompts, UnsavedPrompt};
use gate_api::{
    DeletedPrompt, PromptChange, PromptClient, PromptEntry, PromptLibrary, PromptPreview, PromptReview,
    PromptSyncState, PromptSyncStatus, PromptSyncStep, PromptUse, PromptVersion, PromptVersionCause, PromptView,
    SyncedPrompt,
};
use gate_core::{Code, Fault, PromptOrigin, PromptVersionId, Timestamp};
use gate_prompts::sync::{SyncState, SyncStatus, SyncStep};
use gate_prompts::{Entry, PromptSet, Saved, Saving, Written, delete, preview, save};
use gate_settings::Settings;
use gate_store::{PromptCount, StoredPromptChange, StoredPromptVersion};

use super::Prompts;
use crate::work::blocking;

/// Uses of a prompt that its page shows.
const USES_SHOWN: u32 = 20;
/// Deleted prompts, and changes that a commit brought, that are shown.
const SHOWN: u32 = 200;

impl Prompts {
    /// All that the list shows.
    pub(crate) async fn prompts(&self) -> Result<PromptLibrary, Fault> {
        let counts = self.store.prompt_counts().await?;
        let set = self.current();
        let prompts = set.entries().map(|entry| listed(entry, counts.get(&entry.prompt.id))).collect();
        Ok(PromptLibrary {
            prompts,
            problems: set.problems().to_vec(),
            folder: self.prompts_folder().display().to_string(),
            folder_fault: set.folder_fault.clone(),
            sync: self.sync_state(&self.settings.in_force()),
        })
    }

    /// One prompt with its file.
    pub(crate) async fn prompt_view(&self, id: &str) -> Result<PromptView, Fault> {
        let set = self.current();
        let file = set.file(id).ok_or_else(|| unknown_prompt(id))?;
        let store = &self.store;
        let counts = store.prompt_counts().await?;
        let used_by = store.prompt_uses(id, USES_SHOWN).await?.into_iter().map(|used| PromptUse {
            at: used.at,
            client: used.client,
            arguments: used.arguments,
            review: used.review.map(|(status, decision)| PromptReview { status, decision }),
        });
        let clients = store.prompt_clients(id).await?.into_iter().map(|(client, uses)| PromptClient { client, uses });
        Ok(PromptView {
            entry: set.entry(id).map(|entry| listed(entry, counts.get(id))),
            id: id.to_owned(),
            text: file.text.to_string(),
            format: file.format,
            origin: file.origin,
            file: file.file.clone(),
            sha256: file.sha256.clone(),
            problems: file.problems.clone(),
            used_by: used_by.collect(),
            clients: clients.collect(),
        })
    }

    /// What a prompt gives with these arguments.
    pub(crate) async fn preview_prompt(
        &self,
        id: String,
        unsaved: Option<UnsavedPrompt>,
        arguments: BTreeMap<String, String>,
    ) -> Result<PromptPreview, Fault> {
        let (set, now) = (self.current(), self.bus.now());
        let look = move || match unsaved {
            Some(unsaved) => Ok(preview(&set, &id, unsaved.format, &unsaved.text, &arguments, now)),
            None => previewed(&set, &id, &arguments, now),
        };
        blocking(look).await.map(preview_view)
    }

    /// Writes a prompt's file in the person's folder.
    pub(crate) async fn save_prompt(
        self: &Arc<Self>,
        id: String,
        prompt: UnsavedPrompt,
        seen: Option<String>,
    ) -> Result<PromptView, Fault> {
        self.write_prompts(vec![(id.clone(), prompt, Seen::by(seen))], PromptVersionCause::Saved).await?;
        self.prompt_view(&id).await
    }

    /// Deletes a prompt's file in the person's folder; its versions stay.
    pub(crate) async fn delete_prompt(self: &Arc<Self>, id: String, seen: String) -> Result<PromptLibrary, Fault> {
        {
            let _alone = self.writing.lock().await;
            let (prompts, folder, name) = (Arc::clone(self), self.prompts_folder(), id.clone());
            blocking(move || {
                delete(&folder, &name, &seen)?;
                prompts.library.reload();
                Ok(())
            })
            .await?;
            self.store.add_prompt_versions(&[self.deleted(&id, PromptOrigin::Local, "")]).await?;
        }
        self.tell_prompts().await;
        self.prompts().await
    }

    /// The versions of a prompt's file.
    pub(crate) async fn prompt_versions(&self, id: &str) -> Result<Vec<PromptVersion>, Fault> {
        let stored = self.store.prompt_versions(id).await?;
        Ok(stored.into_iter().map(version).collect())
    }

    /// Writes an earlier version of a prompt into the person's folder.
    pub(crate) async fn restore_prompt(
        self: &Arc<Self>,
        id: String,
        version: PromptVersionId,
    ) -> Result<PromptView, Fault> {
        let stored = self.store.prompt_versions(&id).await?;
        let found = stored.into_iter().find(|one| one.version_id == version && !one.text.is_empty());
        let found = found.ok_or_else(|| {
            Fault::new(
                Code::UnknownPrompt,
                format!("The prompt `{id}` has no version {version} that holds a text."),
                "Look at its versions again; the oldest make room for new ones.",
            )
        })?;
        let prompt = UnsavedPrompt { format: found.format, text: found.text };
        self.write_prompts(vec![(id.clone(), prompt, Seen::Whatever)], PromptVersionCause::Restored).await?;
        self.prompt_view(&id).await
    }

    /// The person's own prompts that were deleted and aren't there again.
    pub(crate) async fn deleted_prompts(&self) -> Result<Vec<DeletedPrompt>, Fault> {
        let set = self.current();
        let is_gone = |id: &str| set.file(id).is_none_or(|file| file.origin != PromptOrigin::Local);
        let deleted = self.store.deleted_prompts(SHOWN).await?.into_iter().filter(|prompt| is_gone(&prompt.prompt_id));
        let shown = deleted.map(|stored| DeletedPrompt {
            prompt_id: stored.prompt_id,
            at: stored.at,
            version_id: stored.version_id,
        });
        Ok(shown.collect())
    }

    /// Fetches the prompts from their repository now.
    pub(crate) fn sync_prompts(&self) -> Result<PromptSyncState, Fault> {
        if self.prompts_source().is_none() {
            let unsynced = super::lock(&self.unsynced).clone();
            return Err(unsynced.unwrap_or_else(no_repository));
        }
        self.sync_prompts_now();
        Ok(self.sync_state(&self.settings.in_force()))
    }

    /// Breaks off what is being fetched.
    pub(crate) fn cancel_prompt_sync(&self) -> PromptSyncState {
        if let Some(sync) = &self.sync {
            sync.cancel();
        }
        self.sync_state(&self.settings.in_force())
    }

    /// What the commit that is served brought.
    pub(crate) async fn synced_prompts(&self) -> Result<SyncedPrompts, Fault> {
        let commit = self.sync_state(&self.settings.in_force()).commit;
        let mut changes: Vec<_> = self.store.prompts_of_commit(&commit).await?.into_iter().map(synced).collect();
        let shown = changes.len().min(SHOWN as usize);
        let more = u32::try_from(changes.split_off(shown).len()).unwrap_or(u32::MAX);
        Ok(SyncedPrompts { commit, changes, more })
    }

    /// Writes files, reads them back, and keeps their versions with why, before anyone else looks for what is new: all
    /// of them, or none. Gives the version of each prompt.
    pub(super) async fn write_prompts(
        self: &Arc<Self>,
        prompts: Vec<(String, UnsavedPrompt, Seen)>,
        cause: PromptVersionCause,
    ) -> Result<HashMap<String, PromptVersionId>, Fault> {
        let kept = {
            let _alone = self.writing.lock().await;
            if prompts.iter().any(|(_, _, seen)| matches!(seen, Seen::Whatever)) {
                // What makes room has to be known as a version first.
                self.remember_versions(PromptOrigin::Local, PromptVersionCause::Found).await?;
            }
            let (own, folder) = (Arc::clone(self), self.prompts_folder());
            let (versions, saved) = blocking(move || {
                let written = own.write_files(&folder, prompts, cause);
                own.library.reload();
                written
            })
            .await?;
            if let Err(error) = self.store.add_prompt_versions(&versions).await {
                let own = Arc::clone(self);
                blocking(move || {
                    let taken_back = saved.take_back();
                    own.library.reload();
                    taken_back
                })
                .await?;
                return Err(error.into());
            }
            versions.into_iter().map(|version| (version.prompt_id, version.version_id)).collect()
        };
        self.tell_prompts().await;
        Ok(kept)
    }

    /// Writes prompts' files, all or none, and makes their versions. It blocks.
    pub(super) fn write_files(
        &self,
        folder: &Path,
        prompts: Vec<(String, UnsavedPrompt, Seen)>,
        cause: PromptVersionCause,
    ) -> Result<(Vec<StoredPromptVersion>, Saved), Fault> {
        let set = self.library.current();
        let saving = prompts.iter().map(|(id, prompt, seen)| {
            let own = set.file(id).filter(|file| file.origin == PromptOrigin::Local);
            let seen = match seen {
                Seen::Nothing => None,
                Seen::Text(sha256) => Some(sha256.as_str()),
                Seen::Whatever => own.map(|file| file.sha256.as_str()),
            };
            Saving { id, format: prompt.format, text: &prompt.text, seen }
        });
        let saved = save(folder, &set, &saving.collect::<Vec<_>>())?;
        let version = |((id, prompt, _), written): ((_, UnsavedPrompt, _), &Written)| StoredPromptVersion {
            version_id: PromptVersionId(self.bus.new_id()),
            prompt_id: id,
            origin: PromptOrigin::Local,
            format: prompt.format,
            cause: cause.as_str().to_owned(),
            text: prompt.text,
            sha256: written.sha256.clone(),
            commit: String::new(),
            at: self.bus.now(),
        };
        let versions = prompts.into_iter().zip(&saved.written).map(version).collect();
        Ok((versions, saved))
    }

    pub(super) fn prompts_folder(&self) -> PathBuf {
        self.folder(&self.settings.in_force())
    }
}

/// What of a prompt's file was seen before it is written.
pub(super) enum Seen {
    /// Nothing: there is to be none.
    Nothing,
    /// The text of this name.
    Text(String),
    /// Whatever is there makes room; its version stays.
    Whatever,
}

impl Seen {
    fn by(sha256: Option<String>) -> Self {
        sha256.map_or(Self::Nothing, Self::Text)
    }
}

fn synced(change: StoredPromptChange) -> SyncedPrompt {
    let StoredPromptChange { prompt_id, before, after } = change;
    let change = match (before, after) {
        (false, _) => PromptChange::New,
        (true, true) => PromptChange::Changed,
        (true, false) => PromptChange::Gone,
    };
    SyncedPrompt { prompt_id, change }
}

fn no_repository() -> Fault {
    Fault::new(
        Code::PromptSync,
        "No repository is set to fetch prompts from.",
        "Name one under Settings, Prompts, in the window or on a signed-in page.",
    )
}

fn unknown_prompt(id: &str) -> Fault {
    Fault::new(
        Code::UnknownPrompt,
        format!("No prompt has the id `{id}`."),
        "It may have been deleted or renamed; look at the list again.",
    )
}

fn listed(entry: &Entry, count: Option<&PromptCount>) -> PromptEntry {
    PromptEntry {
        prompt: (*entry.prompt).clone(),
        hides: entry.hides,
        broken: entry.broken,
        uses: count.map_or(0, |count| count.uses),
        used_at: count.map(|count| count.used_at),
    }
}

fn previewed(
    set: &PromptSet,
    id: &str,
    arguments: &BTreeMap<String, String>,
    now: Timestamp,
) -> Result<gate_prompts::Preview, Fault> {
    let entry = set.entry(id).ok_or_else(|| unknown_prompt(id))?;
    let (rendered, fault, argument) = match set.render(id, arguments, now) {
        Ok(rendered) => (Some(rendered), None, None),
        Err(fault) => (None, Some(fault.fault), fault.argument),
    };
    Ok(gate_prompts::Preview { prompt: Some((*entry.prompt).clone()), problems: Vec::new(), rendered, fault, argument })
}

fn preview_view(preview: gate_prompts::Preview) -> PromptPreview {
    PromptPreview {
        prompt: preview.prompt,
        problems: preview.problems,
        rendered: preview.rendered,
        fault: preview.fault,
        argument: preview.argument,
    }
}

fn version(stored: StoredPromptVersion) -> PromptVersion {
    PromptVersion {
        version_id: stored.version_id,
        at: stored.at,
        cause: PromptVersionCause::of(&stored.cause),
        origin: stored.origin,
        format: stored.format,
        text: stored.text,
        sha256: stored.sha256,
        commit: stored.commit,
    }
}

/// How the synchronisation stands, as the page shows it. `unsynced` says why nothing is fetched at all.
pub(super) fn sync_state(state: SyncState, settings: &Settings, unsynced: Option<Fault>) -> PromptSyncState {
    let shown = PromptSyncState {
        status: match state.status {
            SyncStatus::Off => PromptSyncStatus::Off,
            SyncStatus::Never => PromptSyncStatus::Never,
            SyncStatus::Syncing => PromptSyncStatus::Syncing,
            SyncStatus::Success => PromptSyncStatus::Success,
            SyncStatus::Error => PromptSyncStatus::Error,
        },
        step: state.step.map(|step| match step {
            SyncStep::Asking => PromptSyncStep::Asking,
            SyncStep::Fetching => PromptSyncStep::Fetching,
            SyncStep::Reading => PromptSyncStep::Reading,
        }),
        repository: state.repository,
        branch: state.branch,
        commit: state.commit,
        subject: state.subject,
        committed_at: state.committed_at,
        prompts: state.prompts,
        synced_at: state.synced_at,
        tried_at: state.tried_at,
        next_at: state.next_at,
        fault: state.fault,
    };
    match unsynced {
        // What can't be read as a repository may hold a secret; its fault says what is wrong without it.
        Some(fault) if !settings.prompts.repository.trim().is_empty() => {
            PromptSyncState { status: PromptSyncStatus::Error, fault: Some(fault), next_at: None, ..shown }
        }
        _ => shown,
    }
}
