//! The prompts as the page shows and changes them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gate_api::subjects::prompts::UnsavedPrompt;
use gate_api::{
    PromptClient, PromptEntry, PromptImport, PromptImported, PromptLibrary, PromptPreview, PromptReview,
    PromptSyncState, PromptSyncStatus, PromptUse, PromptVersion, PromptVersionCause, PromptView,
};
use gate_core::{Code, Fault, PromptOrigin, PromptVersionId, Timestamp};
use gate_prompts::sync::{SyncState, SyncStatus};
use gate_prompts::{Entry, Import, PromptSet, delete, plan, preview, save};
use gate_settings::Settings;
use gate_store::{PromptCount, StoredPromptVersion};

use super::Prompts;
use crate::work::blocking;

/// Uses of a prompt that its page shows.
const USES_SHOWN: u32 = 20;

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

    /// Fetches the prompts from their repository now.
    pub(crate) fn sync_prompts(&self) -> Result<PromptSyncState, Fault> {
        if self.prompts_source().is_none() {
            let unsynced = super::lock(&self.unsynced).clone();
            return Err(unsynced.unwrap_or_else(no_repository));
        }
        self.sync_prompts_now();
        Ok(self.sync_state(&self.settings.in_force()))
    }

    /// What importing a file or a folder would make.
    pub(crate) async fn preview_prompt_import(&self, path: String) -> Result<PromptImport, Fault> {
        let import = blocking(move || plan(&path)).await?;
        let set = self.current();
        Ok(import_view(&import, &set, &[]))
    }

    /// Imports prompts of these ids.
    pub(crate) async fn import_prompts(
        self: &Arc<Self>,
        path: String,
        ids: Vec<String>,
    ) -> Result<PromptImport, Fault> {
        let import = blocking(move || plan(&path)).await?;
        let view = import_view(&import, &self.current(), &ids);
        let taken = import.prompts.into_iter().filter(|prompt| ids.contains(&prompt.id));
        let prompts = taken.map(|prompt| {
            let unsaved = UnsavedPrompt { format: prompt.format, text: prompt.text };
            (prompt.id, unsaved, Seen::Whatever)
        });
        self.write_prompts(prompts.collect(), PromptVersionCause::Imported).await?;
        Ok(view)
    }

    /// Writes files, reads them back, and keeps their versions with why, before anyone else looks for what is new.
    /// What was written before one can't be stays.
    async fn write_prompts(
        self: &Arc<Self>,
        prompts: Vec<(String, UnsavedPrompt, Seen)>,
        cause: PromptVersionCause,
    ) -> Result<(), Fault> {
        {
            let _alone = self.writing.lock().await;
            let (own, folder) = (Arc::clone(self), self.prompts_folder());
            let (versions, written) = blocking(move || {
                let mut versions = Vec::new();
                let written = prompts.into_iter().try_for_each(|(id, prompt, seen)| {
                    versions.push(own.write_prompt(&folder, id, prompt, &seen, cause)?);
                    Ok::<_, Fault>(())
                });
                own.library.reload();
                Ok((versions, written))
            })
            .await?;
            self.store.add_prompt_versions(&versions).await?;
            written?;
        }
        self.tell_prompts().await;
        Ok(())
    }

    /// Writes one prompt's file. It blocks.
    fn write_prompt(
        &self,
        folder: &Path,
        id: String,
        prompt: UnsavedPrompt,
        seen: &Seen,
        cause: PromptVersionCause,
    ) -> Result<StoredPromptVersion, Fault> {
        let set = self.library.current();
        let own = set.file(&id).filter(|file| file.origin == PromptOrigin::Local);
        let seen = match seen {
            Seen::Nothing => None,
            Seen::Text(sha256) => Some(sha256.as_str()),
            Seen::Whatever => own.map(|file| file.sha256.as_str()),
        };
        let written = save(folder, &set, &id, prompt.format, &prompt.text, seen).map_err(|(fault, _)| fault)?;
        Ok(StoredPromptVersion {
            version_id: PromptVersionId(self.bus.new_id()),
            prompt_id: id,
            origin: PromptOrigin::Local,
            format: prompt.format,
            cause: cause.as_str().to_owned(),
            text: prompt.text,
            sha256: written.sha256,
            commit: String::new(),
            at: self.bus.now(),
        })
    }

    fn prompts_folder(&self) -> PathBuf {
        self.folder(&self.settings.in_force())
    }
}

/// What of a prompt's file was seen before it is written.
enum Seen {
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

fn no_repository() -> Fault {
    Fault::new(
        Code::PromptSync,
        "No repository is set to fetch prompts from.",
        "Name one under Settings, Prompts, or with `review-gate config set prompts.repository owner/repo`.",
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

fn import_view(import: &Import, set: &PromptSet, taken: &[String]) -> PromptImport {
    let prompts = import.prompts.iter().map(|prompt| PromptImported {
        id: prompt.id.clone(),
        title: prompt.title.clone(),
        from: prompt.from.clone(),
        exists: set.file(&prompt.id).is_some_and(|file| file.origin == PromptOrigin::Local),
        written: taken.contains(&prompt.id),
    });
    PromptImport { kind: import.kind.clone(), prompts: prompts.collect(), problems: import.problems.clone() }
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
