//! Prompts that come from elsewhere: what taking them would do, taking them, and taking that back.

use std::collections::HashMap;
use std::sync::Arc;

use gate_api::subjects::prompts::{ImportedPromptVersion, PromptFile, UnsavedPrompt};
use gate_api::{PromptChange, PromptImport, PromptImported, PromptVersionCause};
use gate_core::{Code, Fault, PromptOrigin, PromptVersionId, bounds};
use gate_prompts::{Import, ImportedPrompt, PromptSet, delete, plan, plan_files};
use gate_store::StoredPromptVersion;

use super::Prompts;
use super::page::Seen;
use crate::work::blocking;

impl Prompts {
    /// What importing a file, a folder, or files that are handed over would make.
    pub(crate) async fn preview_prompt_import(
        &self,
        path: String,
        files: Vec<PromptFile>,
    ) -> Result<PromptImport, Fault> {
        let import = blocking(move || planned(&path, files)).await?;
        Ok(import_view(&import, &self.current(), &HashMap::new()))
    }

    /// Imports prompts of these ids, all or none. What the person has already as it is isn't written again.
    pub(crate) async fn import_prompts(
        self: &Arc<Self>,
        path: String,
        files: Vec<PromptFile>,
        ids: Vec<String>,
    ) -> Result<PromptImport, Fault> {
        let import = blocking(move || planned(&path, files)).await?;
        let set = self.current();
        let is_other = |prompt: &&ImportedPrompt| change(&set, prompt) != PromptChange::Same;
        let taken = import.prompts.iter().filter(|prompt| ids.contains(&prompt.id)).filter(is_other);
        let prompts = taken.map(|prompt| {
            let unsaved = UnsavedPrompt { format: prompt.format, text: prompt.text.clone() };
            (prompt.id.clone(), unsaved, Seen::Whatever)
        });
        let written = self.write_prompts(prompts.collect(), PromptVersionCause::Imported).await?;
        Ok(import_view(&import, &set, &written))
    }

    /// Takes back what an import wrote. Gives the ids of prompts that were changed since and stay.
    pub(crate) async fn undo_prompt_import(
        self: &Arc<Self>,
        imported: Vec<ImportedPromptVersion>,
    ) -> Result<Vec<String>, Fault> {
        if imported.len() > bounds::PROMPT_IMPORTS {
            let message = format!("More than {} prompts can't be taken back at once.", bounds::PROMPT_IMPORTS);
            return Err(Fault::new(Code::TooLarge, message, "Take them back in several steps."));
        }
        let (mut undoes, mut kept) = (Vec::new(), Vec::new());
        for ImportedPromptVersion { prompt_id, version_id } in imported {
            let versions = self.store.prompt_versions(&prompt_id).await?;
            let mut own = versions.into_iter().filter(|version| version.origin == PromptOrigin::Local);
            match own.next().filter(|newest| newest.version_id == version_id) {
                Some(newest) => undoes.push(Undo { newest, before: own.next() }),
                None => kept.push(prompt_id),
            }
        }
        {
            let _alone = self.writing.lock().await;
            let own = Arc::clone(self);
            let (versions, changed, failed) = blocking(move || Ok(own.undone(undoes))).await?;
            self.store.add_prompt_versions(&versions).await?;
            failed.map_or(Ok(()), Err)?;
            kept.extend(changed);
        }
        self.tell_prompts().await;
        Ok(kept)
    }

    /// Puts back what was there before an import, and reads it. Gives the new versions, the ids of files that are other
    /// than they were imported, and what kept the rest from being put back. It blocks.
    fn undone(&self, undoes: Vec<Undo>) -> (Vec<StoredPromptVersion>, Vec<String>, Option<Fault>) {
        let folder = self.prompts_folder();
        let (mut versions, mut changed, mut failed) = (Vec::new(), Vec::new(), None);
        for Undo { newest, before } in undoes {
            let id = newest.prompt_id;
            let done = match before.filter(|before| !before.text.is_empty()) {
                Some(before) => {
                    let unsaved = UnsavedPrompt { format: before.format, text: before.text };
                    let prompt = (id.clone(), unsaved, Seen::Text(newest.sha256));
                    let written = self.write_files(&folder, vec![prompt], PromptVersionCause::Restored);
                    written.map(|(versions, _)| versions)
                }
                None => delete(&folder, &id, &newest.sha256).map(|()| vec![self.deleted(&id, PromptOrigin::Local, "")]),
            };
            match done {
                Ok(written) => versions.extend(written),
                Err(fault) if matches!(fault.code, Code::PromptConflict | Code::UnknownPrompt) => changed.push(id),
                Err(fault) => {
                    failed = Some(fault);
                    break;
                }
            }
        }
        self.library.reload();
        (versions, changed, failed)
    }
}

/// What an import did to a prompt: the version that it wrote, and the one before.
struct Undo {
    newest: StoredPromptVersion,
    before: Option<StoredPromptVersion>,
}

fn planned(path: &str, files: Vec<PromptFile>) -> Result<Import, Fault> {
    if files.is_empty() {
        return plan(path);
    }
    plan_files(files.into_iter().map(|file| (file.name, file.text)).collect())
}

/// What a prompt of an import does to the person's own one.
fn change(set: &PromptSet, prompt: &ImportedPrompt) -> PromptChange {
    match set.file(&prompt.id).filter(|file| file.origin == PromptOrigin::Local) {
        None => PromptChange::New,
        Some(file) if file.format == prompt.format && *file.text == *prompt.text => PromptChange::Same,
        Some(_) => PromptChange::Changed,
    }
}

fn import_view(import: &Import, set: &PromptSet, written: &HashMap<String, PromptVersionId>) -> PromptImport {
    let prompts = import.prompts.iter().map(|prompt| PromptImported {
        id: prompt.id.clone(),
        title: prompt.title.clone(),
        from: prompt.from.clone(),
        change: change(set, prompt),
        hides: set.file(&prompt.id).map(|file| file.origin).filter(|origin| *origin != PromptOrigin::Local),
        version_id: written.get(&prompt.id).copied(),
    });
    PromptImport { kind: import.kind.clone(), prompts: prompts.collect(), problems: import.problems.clone() }
}
