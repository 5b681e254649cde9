//! All prompts as one whole version: what is listed, what is rendered and what is wrong belong together.

mod assemble;
mod render;

use std::collections::BTreeMap;
use std::sync::Arc;

use gate_core::{
    Code, Fault, Prompt, PromptFormat, PromptList, PromptOrigin, PromptProblem, PromptSource, RenderedPrompt, Timestamp,
};

pub(crate) use self::assemble::{Goods, Layer, LayerFile, LayerPartial, assemble, made};
pub(crate) use self::render::draft as render_draft;
use crate::file::Draft;
use crate::render_fault::RenderFault;
use crate::template::{Compiled, Partials};
use crate::trouble::{listed, nearest};

/// Every prompt that is served, as one version that never changes.
#[derive(Debug)]
pub struct PromptSet {
    /// The prompts by id. The same `Arc` as in the version before, where nothing of it differs.
    pub list: Arc<PromptList>,
    /// Why the person's own folder can't be read; absent where all is well, and where there is none.
    pub folder_fault: Option<Fault>,
    pub(crate) entries: BTreeMap<String, Entry>,
    pub(crate) disk: BTreeMap<String, OnDisk>,
    pub(crate) partials: Partials,
    pub(crate) compiled: BTreeMap<String, Arc<Compiled>>,
    pub(crate) problems: Vec<PromptProblem>,
}

/// A prompt that is served.
#[derive(Debug, Clone)]
pub struct Entry {
    /// It, as lists show it.
    pub prompt: Arc<Prompt>,
    /// Its file's path below its folder, with its extension; empty for a built-in one.
    pub file: String,
    /// The text that is served: of a broken file, the last good one.
    pub text: Arc<str>,
    /// Names that text: SHA-256 in hexadecimal.
    pub sha256: String,
    /// Whether it hides a prompt of the same id from an earlier layer.
    pub hides: Option<PromptOrigin>,
    /// Whether its file is broken, and this is an earlier version of it.
    pub broken: bool,
    pub(crate) draft: Arc<Draft>,
}

/// A prompt's file as it is now, whether it makes a prompt or not.
#[derive(Debug, Clone)]
pub struct OnDisk {
    /// Its path below its folder, with its extension; empty for a built-in one.
    pub file: String,
    /// Which folder.
    pub origin: PromptOrigin,
    /// How it is written.
    pub format: PromptFormat,
    /// Its text; empty where it can't be read.
    pub text: Arc<str>,
    /// Names that text.
    pub sha256: String,
    /// What is wrong with it, errors first.
    pub problems: Vec<PromptProblem>,
}

impl PromptSet {
    /// The prompt of this id.
    #[must_use]
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.get(id)
    }

    /// Every prompt that is served, by id.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// The file of this id as it is now, of the layer that hides the others; also one that makes no prompt.
    #[must_use]
    pub fn file(&self, id: &str) -> Option<&OnDisk> {
        self.disk.get(id)
    }

    /// The files as they are now, each with its id, of the layer that hides the others; built-in ones among them.
    pub fn files(&self) -> impl Iterator<Item = (&str, &OnDisk)> {
        self.disk.iter().map(|(id, file)| (id.as_str(), file))
    }

    /// What is wrong with files: errors before hints, at most [`gate_core::prompt::PROBLEMS_TOLD`].
    #[must_use]
    pub fn problems(&self) -> &[PromptProblem] {
        &self.problems
    }

    /// The text of a prompt's file that is served, and its words as a skill's instructions.
    #[must_use]
    pub fn source(&self, id: &str) -> Option<PromptSource> {
        let entry = self.entries.get(id)?;
        Some(PromptSource {
            format: entry.prompt.format,
            text: entry.text.to_string(),
            instructions: render::instructions(entry, &self.partials),
        })
    }

    /// Renders a prompt with these arguments, each as text. It takes up to
    /// [`gate_core::bounds::PROMPT_RENDER_MILLIS`], and blocks.
    ///
    /// # Errors
    /// `unknown_prompt`; `prompt` for an argument that is missing, unknown or can't be what it is, for a
    /// template that can't be rendered with them or takes too long; `too_large` for an argument or a
    /// result over its bound.
    pub fn render(
        &self,
        id: &str,
        arguments: &BTreeMap<String, String>,
        now: Timestamp,
    ) -> Result<RenderedPrompt, RenderFault> {
        let entry = self.entries.get(id).ok_or_else(|| self.unknown(id))?;
        render_draft(&entry.prompt, &entry.draft, &self.partials, arguments, now)
    }

    fn unknown(&self, id: &str) -> RenderFault {
        let ids = || self.entries.keys().map(String::as_str);
        let mend = match nearest(id, ids()) {
            Some(near) => format!("Did you mean `{near}`?"),
            None if self.entries.len() > 20 => "`prompts/list` names those that there are.".to_owned(),
            None => format!("There is {}.", listed(ids())),
        };
        let message = format!("There is no prompt `{}`.", gate_core::ask::excerpt(id, 80));
        RenderFault { fault: Fault::new(Code::UnknownPrompt, message, mend), argument: None }
    }
}
