//! A prompt with its arguments put in.

use std::collections::BTreeMap;

use gate_core::{
    ArgumentType, Code, Fault, Prompt, PromptContent, PromptMessage, PromptRole, RenderedPrompt, Timestamp, bounds,
};
use serde_json::{Map, Value};

use super::Entry;
use crate::file::{Draft, DraftContent};
use crate::render_fault::RenderFault;
use crate::template::{self, Partials, Stop};
use crate::values;

/// Renders a draft as the prompt that it makes.
pub(crate) fn draft(
    prompt: &Prompt,
    draft: &Draft,
    partials: &Partials,
    arguments: &BTreeMap<String, String>,
    now: Timestamp,
) -> Result<RenderedPrompt, RenderFault> {
    let values = values::of(&prompt.id, &prompt.arguments, arguments)?;
    let messages = messages(draft, partials, values, now)
        .map_err(|stop| RenderFault { fault: told(&prompt.id, stop), argument: None })?;
    Ok(RenderedPrompt { description: prompt.description.clone(), messages })
}

fn messages(
    draft: &Draft,
    partials: &Partials,
    values: Map<String, Value>,
    now: Timestamp,
) -> Result<Vec<PromptMessage>, Stop> {
    let texts = template::render(&draft.templates(), partials, Value::Object(values), now)?;
    let mut texts = texts.into_iter();
    let mut next = || texts.next().unwrap_or_default();
    let message = |message: &crate::file::DraftMessage| {
        let content = match &message.content {
            DraftContent::Text(_) => PromptContent::Text { text: trimmed(&next()) },
            DraftContent::Resource { mime_type, .. } => {
                PromptContent::Resource { uri: next().trim().to_owned(), mime_type: mime_type.clone(), text: next() }
            }
        };
        PromptMessage { role: message.role, content }
    };
    Ok(draft.messages.iter().map(message).collect())
}

/// Without the blank lines at both ends, which a file has for its own sake.
fn trimmed(text: &str) -> String {
    let text = text.trim_end();
    let blank = text.len() - text.trim_start().len();
    let line = text.get(..blank).and_then(|blank| blank.rfind('\n')).map_or(0, |at| at + 1);
    text.get(line..).unwrap_or(text).to_owned()
}

fn told(id: &str, stop: Stop) -> Fault {
    match stop {
        Stop::Time => Fault::new(
            Code::Prompt,
            format!("Rendering `{id}` took more than {} ms and was stopped.", bounds::PROMPT_RENDER_MILLIS),
            "Shorten its loops, or the lists that are given to it.",
        ),
        Stop::Size => Fault::new(
            Code::TooLarge,
            format!("`{id}` becomes longer than {} bytes with these arguments.", bounds::PROMPT_RENDERED_BYTES),
            "Give it less, or shorten its loops.",
        ),
        Stop::Depth => Fault::new(
            Code::Prompt,
            format!("Partials of `{id}` put each other in more than {} deep.", bounds::PROMPT_PARTIAL_DEPTH),
            "Look for a partial that puts in itself, directly or by another one.",
        ),
        Stop::Template { partial, line, cause } => {
            let line = line.map(|line| format!(" in line {line}")).unwrap_or_default();
            let of = match partial {
                Some(name) => format!(" of the partial `{name}`"),
                None if line.is_empty() => String::new(),
                None => " of its text".to_owned(),
            };
            let cause = cause.trim_end_matches('.');
            Fault::new(
                Code::Prompt,
                format!("`{id}` can't be rendered{line}{of}: {cause}."),
                "Mend the template, or give other arguments.",
            )
        }
        Stop::Fault(fault) => fault,
    }
}

/// The words of a prompt with each argument as `{{name}}`; as written, where that can't be rendered.
pub(super) fn instructions(entry: &Entry, partials: &Partials) -> String {
    let values = entry.prompt.arguments.iter().map(|argument| {
        let stand_in = format!("{{{{{}}}}}", argument.name);
        let value = match argument.kind {
            ArgumentType::List => Value::from(vec![stand_in]),
            _ => Value::from(stand_in),
        };
        (argument.name.clone(), value)
    });
    let text = |message: PromptMessage| {
        let text = match message.content {
            PromptContent::Text { text } => text,
            PromptContent::Resource { uri, text, .. } => format!("{uri}\n\n{text}"),
        };
        match message.role {
            PromptRole::User => text,
            PromptRole::Assistant => format!("For example, you would then say:\n\n{text}"),
        }
    };
    match messages(&entry.draft, partials, values.collect(), Timestamp(0)) {
        Ok(messages) => messages.into_iter().map(text).collect::<Vec<_>>().join("\n\n"),
        Err(_) => entry.draft.templates().iter().map(|text| text.source.trim()).collect::<Vec<_>>().join("\n\n"),
    }
}
