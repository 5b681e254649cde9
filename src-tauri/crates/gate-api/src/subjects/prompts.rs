//! The prompts.

use std::collections::BTreeMap;

use gate_core::{PromptFormat, PromptVersionId};
use serde::{Deserialize, Serialize};

use crate::prompts::{
    DeletedPrompt, PromptImport, PromptLibrary, PromptPreview, PromptSyncState, PromptVersion, PromptView, SyncedPrompt,
};
use crate::{commands, events};

commands! {
    /// The prompts, what is wrong with their files, and how the synchronisation stands.
    prompts: ListPrompts {} -> Prompts, by Anyone, Look;

    /// One prompt with its file. `unknown_prompt`.
    prompt: OpenPrompt {
        /// Its id.
        prompt_id: String,
    } -> OpenedPrompt, by Anyone, Look;

    /// What a prompt gives with these arguments.
    preview_prompt: PreviewPrompt {
        /// Its id; for a text that isn't saved yet, the one that it is to have, or empty.
        prompt_id: String,
        /// A text that isn't saved yet, and how it is written; absent for the prompt as it is served.
        #[serde(default)]
        unsaved: Option<UnsavedPrompt>,
        /// What is put in, each as text.
        arguments: BTreeMap<String, String>,
    } -> PreviewedPrompt, by Anyone, Look;

    /// Writes a prompt's file in the person's folder. `prompt` where the text makes none, `name_taken` where there
    /// is one and `seen` is absent, `prompt_conflict` where it is not what `seen` says.
    save_prompt: SavePrompt {
        /// Its id.
        prompt_id: String,
        /// What to write, and how it is written.
        prompt: UnsavedPrompt,
        /// The `sha256` of the text that the person has seen; absent for a new prompt.
        #[serde(default)]
        seen: Option<String>,
    } -> OpenedPrompt, by Answerer, Act;

    /// Deletes a prompt's file in the person's folder; its versions stay.
    delete_prompt: DeletePrompt {
        /// Its id.
        prompt_id: String,
        /// The `sha256` of the text that the person has seen.
        seen: String,
    } -> Prompts, by Answerer, Act;

    /// The versions of a prompt's file, the newest first.
    prompt_versions: ListPromptVersions {
        /// Its id.
        prompt_id: String,
    } -> PromptVersions, by Anyone, Look;

    /// Writes an earlier version of a prompt into the person's folder.
    restore_prompt: RestorePrompt {
        /// Its id.
        prompt_id: String,
        /// Which version.
        version_id: PromptVersionId,
    } -> OpenedPrompt, by Answerer, Act;

    /// The person's own prompts whose files were deleted, the latest first; at most 200.
    deleted_prompts: ListDeletedPrompts {} -> DeletedPrompts, by Anyone, Look;

    /// Fetches the prompts from their repository now, and answers when that has begun. `prompt_sync` where none is
    /// set.
    sync_prompts: SyncPrompts {} -> PromptSync, by Anyone, Act;

    /// Breaks off what is being fetched. What was served before still is.
    cancel_prompt_sync: CancelPromptSync {} -> PromptSync, by Anyone, Act;

    /// What the commit that is served did to the prompts that come from the repository.
    synced_prompts: ListSyncedPrompts {} -> SyncedPrompts, by Anyone, Look;

    /// What importing a file, a folder, or files that are handed over would make.
    preview_prompt_import: PreviewPromptImport {
        /// The file or folder, an absolute path; `~` for the home folder. Empty where files are handed over.
        path: String,
        /// The files themselves, in the place of a path.
        #[serde(default)]
        files: Vec<PromptFile>,
    } -> PromptImportPlan, by Anyone, Look;

    /// Imports prompts: the prompt JSON of mcp-feedback-enhanced, or a folder of slash commands.
    import_prompts: ImportPrompts {
        /// The file or folder, an absolute path; `~` for the home folder. Empty where files are handed over.
        path: String,
        /// The files themselves, in the place of a path.
        #[serde(default)]
        files: Vec<PromptFile>,
        /// The ids to take; those of prompts that are there are replaced.
        ids: Vec<String>,
    } -> PromptImportPlan, by Answerer, Act;

    /// Takes back what an import wrote: what was replaced is there again, what was new is gone. A prompt that was
    /// changed since stays as it is.
    undo_prompt_import: UndoPromptImport {
        /// What it wrote, at most [`gate_core::bounds::PROMPT_IMPORTS`].
        imported: Vec<ImportedPromptVersion>,
    } -> UndonePromptImport, by Answerer, Act;
}

events! {
    /// Prompts, what is wrong with their files, or how often they were used, are other than before.
    PromptsChanged, InWindows;

    /// The synchronisation of prompts stands elsewhere.
    PromptSyncChanged {
        /// Where.
        sync: PromptSyncState,
    }, InWindows;
}

/// A prompt's text that isn't in its file yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UnsavedPrompt {
    /// How it is written.
    pub format: PromptFormat,
    /// The text, at most [`gate_core::bounds::PROMPT_FILE_BYTES`] bytes.
    pub text: String,
}

/// A file that prompts are imported from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptFile {
    /// Its name with its extension, which says what it is.
    pub name: String,
    /// Its text; of all files together at most [`gate_core::bounds::PROMPT_IMPORT_BYTES`] bytes.
    pub text: String,
}

/// A version that an import wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ImportedPromptVersion {
    /// Of which prompt.
    pub prompt_id: String,
    /// Which version.
    pub version_id: PromptVersionId,
}

/// What is left of an import that was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UndonePromptImport {
    /// The ids of prompts that were changed since and stay.
    pub kept: Vec<String>,
}

/// The person's own prompts that were deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DeletedPrompts {
    /// The latest first.
    pub deleted: Vec<DeletedPrompt>,
}

/// What a commit brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SyncedPrompts {
    /// The commit; empty for none.
    pub commit: String,
    /// What it did to each prompt, by id; at most 200.
    pub changes: Vec<SyncedPrompt>,
    /// How many more there are.
    pub more: u32,
}

/// The prompts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Prompts {
    /// All that the list shows.
    pub library: PromptLibrary,
}

/// One prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OpenedPrompt {
    /// With its file.
    pub prompt: PromptView,
}

/// What a prompt gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PreviewedPrompt {
    /// With these arguments.
    pub preview: PromptPreview,
}

/// The versions of a prompt's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptVersions {
    /// The newest first.
    pub versions: Vec<PromptVersion>,
}

/// How the synchronisation stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptSync {
    /// Now.
    pub sync: PromptSyncState,
}

/// What an import would make, or made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptImportPlan {
    /// The prompts.
    pub import: PromptImport,
}
