//! Prompts as the page shows them.

use gate_core::{
    Decision, Fault, GivenArgument, Prompt, PromptFormat, PromptOrigin, PromptProblem, PromptVersionId, RenderedPrompt,
    RequestStatus, Timestamp,
};
use serde::{Deserialize, Serialize};

/// Everything that the list of prompts shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptLibrary {
    /// The prompts that are served, by id.
    pub prompts: Vec<PromptEntry>,
    /// What is wrong with files, at most [`gate_core::prompt::PROBLEMS_TOLD`]; errors before hints.
    pub problems: Vec<PromptProblem>,
    /// The folder of the person's own prompts.
    pub folder: String,
    /// Why that folder can't be read; absent where all is well.
    pub folder_fault: Option<Fault>,
    /// How the synchronisation stands.
    pub sync: PromptSyncState,
}

/// A prompt in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptEntry {
    /// It.
    pub prompt: Prompt,
    /// Whether it hides a prompt of the same id: a synced or built-in one.
    pub hides: Option<PromptOrigin>,
    /// Whether its file is broken and an earlier version of it is served.
    pub broken: bool,
    /// How often it was asked for.
    pub uses: u32,
    /// When it was last; absent while it never was.
    pub used_at: Option<Timestamp>,
}

/// One prompt with its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptView {
    /// It, as it is served; absent where its file is broken and has no earlier version.
    pub entry: Option<PromptEntry>,
    /// Its id.
    pub id: String,
    /// The file's text as it is now.
    pub text: String,
    /// How it is written.
    pub format: PromptFormat,
    /// Which folder it is in.
    pub origin: PromptOrigin,
    /// The file's path below its folder, with its extension; empty for a built-in one.
    pub file: String,
    /// Names this text: what [`crate::subjects::prompts::SavePrompt`] gives back as `seen`.
    pub sha256: String,
    /// What is wrong with the file.
    pub problems: Vec<PromptProblem>,
    /// Who asked for it, the latest first; at most 20.
    pub used_by: Vec<PromptUse>,
    /// How often each client asked for it, the most frequent first.
    pub clients: Vec<PromptClient>,
}

/// One time that a prompt was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptUse {
    /// When.
    pub at: Timestamp,
    /// By which client, as it names itself; empty where it doesn't.
    pub client: String,
    /// With which arguments, as far as they are kept.
    pub arguments: Vec<GivenArgument>,
    /// How the next review of that agent ended; absent while it asked for none.
    pub review: Option<PromptReview>,
}

/// How a review ended that came after a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptReview {
    /// What became of the request.
    pub status: RequestStatus,
    /// The decision; absent where none was asked for or given.
    pub decision: Option<Decision>,
}

/// How often a client asked for a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptClient {
    /// The client, as it names itself; empty where it doesn't.
    pub client: String,
    /// How often.
    pub uses: u32,
}

/// What a prompt gives with these arguments, or what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptPreview {
    /// The prompt that the text makes; absent where it makes none.
    pub prompt: Option<Prompt>,
    /// What is wrong with the text.
    pub problems: Vec<PromptProblem>,
    /// What it gives; absent where it can't be rendered.
    pub rendered: Option<RenderedPrompt>,
    /// Why it can't be rendered.
    pub fault: Option<Fault>,
    /// The argument that the fault is about.
    pub argument: Option<String>,
}

/// Why a version of a prompt's file came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PromptVersionCause {
    /// It was found in the folder.
    Found,
    /// It was saved in the page or by the command line.
    Saved,
    /// It was imported.
    Imported,
    /// An earlier version was restored.
    Restored,
    /// It came from the repository.
    Synced,
    /// The file was deleted.
    Deleted,
}

impl PromptVersionCause {
    const ALL: [Self; 6] = [Self::Found, Self::Saved, Self::Imported, Self::Restored, Self::Synced, Self::Deleted];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Saved => "saved",
            Self::Imported => "imported",
            Self::Restored => "restored",
            Self::Synced => "synced",
            Self::Deleted => "deleted",
        }
    }

    /// The cause of this word; a word of a later version counts as found.
    #[must_use]
    pub fn of(word: &str) -> Self {
        Self::ALL.into_iter().find(|cause| cause.as_str() == word).unwrap_or(Self::Found)
    }
}

/// A version of a prompt's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptVersion {
    /// Its identifier.
    pub version_id: PromptVersionId,
    /// When it was first seen.
    pub at: Timestamp,
    /// Why.
    pub cause: PromptVersionCause,
    /// In which folder.
    pub origin: PromptOrigin,
    /// How it is written.
    pub format: PromptFormat,
    /// Its text; empty for [`PromptVersionCause::Deleted`].
    pub text: String,
    /// Names the text.
    pub sha256: String,
    /// The commit that it came with, for [`PromptVersionCause::Synced`]; else empty.
    pub commit: String,
}

/// What becomes of a prompt, by an import or by a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PromptChange {
    /// There was none of its id.
    New,
    /// It takes the place of another text.
    Changed,
    /// It is there as it is.
    Same,
    /// It isn't there any more.
    Gone,
}

/// How far a synchronisation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PromptSyncStep {
    /// The repository is asked for its newest commit.
    Asking,
    /// That is fetched.
    Fetching,
    /// Its files are read and checked.
    Reading,
}

/// Where a synchronisation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PromptSyncStatus {
    /// No repository is set.
    Off,
    /// None has been fetched yet.
    Never,
    /// It is being fetched.
    Syncing,
    /// What is served is what was there at the last look.
    Success,
    /// The last try failed; what was there before is still served.
    Error,
}

/// How the synchronisation stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptSyncState {
    /// Where it stands.
    pub status: PromptSyncStatus,
    /// How far it is, while it goes on.
    pub step: Option<PromptSyncStep>,
    /// The repository as the settings name it, without any secret; empty for none.
    pub repository: String,
    /// The branch; empty for the repository's own.
    pub branch: String,
    /// The commit that is served; empty for none.
    pub commit: String,
    /// That commit's first line; empty for none.
    pub subject: String,
    /// When that commit was made.
    pub committed_at: Option<Timestamp>,
    /// How many prompts it gave.
    pub prompts: u32,
    /// When it was last fetched with success.
    pub synced_at: Option<Timestamp>,
    /// When it was last tried.
    pub tried_at: Option<Timestamp>,
    /// When it will be tried next; absent where it is never tried by itself.
    pub next_at: Option<Timestamp>,
    /// Why the last try failed.
    pub fault: Option<Fault>,
}

/// What an import would make, or made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptImport {
    /// What the file or folder is, in words, e.g. `mcp-feedback-enhanced`.
    pub kind: String,
    /// What each prompt becomes.
    pub prompts: Vec<PromptImported>,
    /// What can't be imported, each with why.
    pub problems: Vec<PromptProblem>,
}

/// One prompt of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptImported {
    /// Its id here.
    pub id: String,
    /// What a person reads.
    pub title: String,
    /// Where it comes from, below the folder or in the file.
    pub from: String,
    /// What it does to the person's own prompt of this id, which is replaced only if they say so.
    pub change: PromptChange,
    /// Which prompt of the same id it hides: a synced or built-in one.
    pub hides: Option<PromptOrigin>,
    /// The version that was written; absent where none was.
    pub version_id: Option<PromptVersionId>,
}

/// What a commit did to a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SyncedPrompt {
    /// Its id.
    pub prompt_id: String,
    /// What became of it.
    pub change: PromptChange,
}

/// A prompt of the person's own whose file was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DeletedPrompt {
    /// Its id.
    pub prompt_id: String,
    /// When that was seen.
    pub at: Timestamp,
    /// The last version that holds a text.
    pub version_id: PromptVersionId,
}
