//! What a text would be as a prompt, before it is saved.

use std::collections::BTreeMap;

use gate_core::{Fault, Prompt, PromptFormat, PromptOrigin, PromptProblem, RenderedPrompt, Timestamp, bounds};

use crate::file::{self, Draft};
use crate::set::{PromptSet, made, render_draft};
use crate::trouble::Trouble;

/// What a text gives with these arguments, or what is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
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

/// What a text gives as the person's own prompt of this id, which may be empty, with the partials of this
/// version. It renders, and blocks.
#[must_use]
pub fn preview(
    set: &PromptSet,
    id: &str,
    format: PromptFormat,
    text: &str,
    arguments: &BTreeMap<String, String>,
    now: Timestamp,
) -> Preview {
    let id = if id.is_empty() { "new" } else { id };
    let (read, problems) = checked(set, id, format, text);
    let mut preview = Preview { prompt: None, problems, rendered: None, fault: None, argument: None };
    let Some((prompt, draft)) = read else { return preview };
    match render_draft(&prompt, &draft, &set.partials, arguments, now) {
        Ok(rendered) => preview.rendered = Some(rendered),
        Err(refused) => (preview.fault, preview.argument) = (Some(refused.fault), refused.argument),
    }
    preview.prompt = Some(prompt);
    preview
}

/// The prompt that a text makes, and what is wrong with it.
pub(crate) fn checked(
    set: &PromptSet,
    id: &str,
    format: PromptFormat,
    text: &str,
) -> (Option<(Prompt, std::sync::Arc<Draft>)>, Vec<PromptProblem>) {
    let (found, troubles) = if text.len() > bounds::PROMPT_FILE_BYTES {
        let message = format!("The text has more than {} bytes.", bounds::PROMPT_FILE_BYTES);
        (None, vec![Trouble::new(None, message, "Divide it; what is long may be an argument.")])
    } else {
        let mut read = file::read(text, format);
        let prompt = read.draft.clone().and_then(|draft| {
            let prompt = made(id, PromptOrigin::Local, format, &draft, &set.compiled, &mut read.troubles)?;
            Some((prompt, draft))
        });
        (prompt, read.troubles)
    };
    let file = format!("{id}.{}", format.extension());
    (found, troubles.iter().map(|trouble| trouble.of_file(&file, PromptOrigin::Local, false)).collect())
}
