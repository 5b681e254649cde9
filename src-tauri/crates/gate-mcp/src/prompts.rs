//! The prompts as MCP serves them: their list, and each with its arguments put in.
//!
//! Where they come from and how they are rendered is behind [`PromptPort`].

pub(crate) mod complete;
mod port;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use gate_core::ask::excerpt;
use gate_core::{
    ArgumentType, Caller, Completes, Fault, Prompt, PromptArgument, PromptContent, PromptList, PromptMessage,
    PromptRole,
};
use rmcp::model::{
    ContentBlock, GetPromptRequestParams, GetPromptResult, Icon, ListPromptsResult, Prompt as Listed,
    PromptArgument as ListedArgument, PromptMessage as Told, ResourceContents, Role,
};
use serde_json::Value;

use crate::cursor;
use crate::port::ConnectionPort;

pub use port::{PromptPort, PromptTimes};

/// The list that `prompts/list` pages through.
const LIST: &str = "prompts";
/// Most prompts on a page. There are clients that read the first page only.
const PAGE: usize = 500;
/// A page ends with the prompt whose words bring it over so many bytes: one alone may have half of that.
const PAGE_BYTES: usize = 1024 * 1024;
/// Most values of an argument that its description names; completion knows all of them.
const VALUES_TOLD: usize = 20;
/// Longest default that a description says, in characters.
const DEFAULT_CHARS: usize = 100;

/// One page of all prompts.
pub(crate) struct Page<'a> {
    /// What stands on it, by id.
    pub(crate) prompts: &'a [Arc<Prompt>],
    /// The cursor of the next one; absent on the last.
    pub(crate) next: Option<String>,
}

impl<'a> Page<'a> {
    /// The page of `list` that a cursor names; the first one without. The cursor holds the id that was
    /// last, so that it goes on there after prompts came and went.
    ///
    /// # Errors
    /// `invalid_cursor`.
    pub(crate) fn of(
        gate: &dyn ConnectionPort,
        all: &'a PromptList,
        list: &str,
        cursor: Option<&str>,
    ) -> Result<Self, Fault> {
        let rest = all.prompts.get(begin(gate, all, list, cursor)?..).unwrap_or_default();
        let mut bytes = 0;
        let fits = |prompt: &&Arc<Prompt>| {
            let fits = bytes < PAGE_BYTES;
            bytes += words(prompt);
            fits
        };
        let count = rest.iter().take(PAGE).take_while(fits).count();
        let (prompts, after) = rest.split_at(count);
        let last = prompts.last().filter(|_| !after.is_empty());
        let next = last.map(|last| cursor::seal_id(gate, list, &last.id)).transpose()?;
        Ok(Self { prompts, next })
    }
}

/// At which of all prompts the page of `list` begins that a cursor names.
pub(crate) fn begin(
    gate: &dyn ConnectionPort,
    all: &PromptList,
    list: &str,
    cursor: Option<&str>,
) -> Result<usize, Fault> {
    let Some(cursor) = cursor.filter(|cursor| !cursor.is_empty()) else { return Ok(0) };
    let last = cursor::open_id(gate, list, cursor)?;
    Ok(all.prompts.partition_point(|prompt| prompt.id.as_str() <= last.as_str()))
}

/// How long everything is that a prompt says of itself, in bytes.
fn words(prompt: &Prompt) -> usize {
    let of_itself = [&prompt.id, &prompt.title, &prompt.description, &prompt.icon].map(String::len);
    let of = |argument: &PromptArgument| {
        let values: usize = argument.values.iter().map(String::len).sum();
        argument.name.len() + argument.title.len() + argument.description.len() + values
    };
    of_itself.iter().sum::<usize>() + prompt.arguments.iter().map(of).sum::<usize>()
}

/// `prompts/list`.
///
/// # Errors
/// `invalid_cursor`.
pub(crate) fn list(
    port: &dyn PromptPort,
    gate: &dyn ConnectionPort,
    cursor: Option<&str>,
) -> Result<ListPromptsResult, Fault> {
    let all = port.prompts();
    let page = Page::of(gate, &all, LIST, cursor)?;
    let mut result = ListPromptsResult::with_all_items(page.prompts.iter().map(|prompt| listed(prompt)).collect());
    result.next_cursor = page.next;
    Ok(result)
}

fn listed(prompt: &Prompt) -> Listed {
    let arguments: Vec<_> = prompt.arguments.iter().map(listed_argument).collect();
    let arguments = Some(arguments).filter(|arguments| !arguments.is_empty());
    let listed = Listed::new(prompt.id.as_str(), nonempty(&prompt.description), arguments);
    let listed = if prompt.title.is_empty() { listed } else { listed.with_title(prompt.title.as_str()) };
    if prompt.icon.is_empty() { listed } else { listed.with_icons(vec![icon(&prompt.icon)]) }
}

fn icon(address: &str) -> Icon {
    let icon = Icon::new(address);
    let mime_type = address.strip_prefix("data:").and_then(|data| data.split([';', ',']).next());
    match mime_type.filter(|mime_type| !mime_type.is_empty()) {
        Some(mime_type) => icon.with_mime_type(mime_type),
        None => icon,
    }
}

fn listed_argument(argument: &PromptArgument) -> ListedArgument {
    let listed = ListedArgument::new(argument.name.as_str()).with_required(argument.required);
    let listed = match nonempty(&argument.title) {
        Some(title) => listed.with_title(title),
        None => listed,
    };
    match nonempty(&described(argument)) {
        Some(description) => listed.with_description(description),
        None => listed,
    }
}

/// What an argument is for and what it may be, in words: MCP has no types for arguments.
pub(crate) fn described(argument: &PromptArgument) -> String {
    let mut sentences = Vec::new();
    let own = argument.description.trim();
    if !own.is_empty() {
        let ends = own.ends_with(['.', '!', '?', ':', '。', '！', '？']);
        sentences.push(if ends { own.to_owned() } else { format!("{own}.") });
    }
    let files = argument.completes == Completes::Files;
    let values = named(&argument.values);
    match argument.kind {
        ArgumentType::String if files => sentences.push("A file of the workspace.".to_owned()),
        ArgumentType::String => {}
        ArgumentType::Number => sentences.push("A number.".to_owned()),
        ArgumentType::Boolean => sentences.push("`true` or `false`.".to_owned()),
        ArgumentType::Enum => sentences.push(format!("One of: {values}.")),
        ArgumentType::List => {
            let what = if files { "files of the workspace" } else { "texts" };
            let of = if values.is_empty() { String::new() } else { format!(", of: {values}") };
            sentences.push(format!("Several {what}, separated by commas or as a JSON array{of}."));
        }
    }
    if let Some(default) = text(&argument.default).filter(|default| !default.is_empty()) {
        sentences.push(format!("Without it: {}.", excerpt(&default, DEFAULT_CHARS)));
    }
    sentences.join(" ")
}

fn named(values: &[String]) -> String {
    let told = values.get(..VALUES_TOLD).unwrap_or(values).join(", ");
    match values.len().saturating_sub(VALUES_TOLD) {
        0 => told,
        more => format!("{told} and {more} more"),
    }
}

/// `prompts/get`. Values that aren't strings are taken as the JSON that they are written as; null is none.
///
/// # Errors
/// As [`PromptPort::prompt`].
pub(crate) async fn get(
    port: &dyn PromptPort,
    caller: &Caller,
    request: GetPromptRequestParams,
) -> Result<GetPromptResult, Fault> {
    let given = request.arguments.unwrap_or_default();
    let arguments: BTreeMap<String, String> =
        given.into_iter().filter_map(|(name, value)| Some((name, text(&value)?))).collect();
    let rendered = port.prompt(caller, &request.name, &arguments).await?;
    let result = GetPromptResult::new(rendered.messages.into_iter().map(told).collect());
    Ok(match nonempty(&rendered.description) {
        Some(description) => result.with_description(description),
        None => result,
    })
}

fn told(message: PromptMessage) -> Told {
    let role = match message.role {
        PromptRole::User => Role::User,
        PromptRole::Assistant => Role::Assistant,
    };
    let content = match message.content {
        PromptContent::Text { text } => ContentBlock::text(text),
        PromptContent::Resource { uri, mime_type, text } => {
            ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(mime_type))
        }
    };
    Told::new(role, content)
}

/// A value as the text that it stands for; absent for null.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn nonempty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
