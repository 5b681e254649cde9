//! What serving prompts needs of the running gate.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{Caller, Fault, PromptList, PromptSource, RenderedPrompt, Timestamp};

/// When prompts' files changed, as far as that is known: a file that was only just found has no time for a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptTimes {
    /// Each of those that are served, by id.
    pub served: HashMap<String, Timestamp>,
    /// Any of them, deleted ones included.
    pub latest: Option<Timestamp>,
}

/// The prompts that are served, and the files that their arguments may name.
#[async_trait]
pub trait PromptPort: Send + Sync + 'static {
    /// Every prompt that is served, as one whole version: the same `Arc` while nothing changes.
    fn prompts(&self) -> Arc<PromptList>;

    /// When their files changed.
    fn prompt_times(&self) -> Arc<PromptTimes>;

    /// A prompt with these arguments put in. It counts as used.
    ///
    /// # Errors
    /// `unknown_prompt`; `prompt` where an argument is missing or isn't what it has to be, or the prompt
    /// can't be rendered within its bounds.
    async fn prompt(
        &self,
        caller: &Caller,
        id: &str,
        arguments: &BTreeMap<String, String>,
    ) -> Result<RenderedPrompt, Fault>;

    /// The file of a prompt; absent where there is none of this id.
    fn prompt_source(&self, id: &str) -> Option<PromptSource>;

    /// The files of a caller's workspace whose names fit, the best first, and whether there are more;
    /// none where the workspace is unknown.
    async fn workspace_files(&self, caller: &Caller, like: &str) -> Result<(Vec<String>, bool), Fault>;
}
