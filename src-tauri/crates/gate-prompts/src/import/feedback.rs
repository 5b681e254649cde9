//! The prompts of mcp-feedback-enhanced: a list of `{id, name, content, …}` in its settings, or by itself.

use serde_json::Value;

use super::{Gathered, command};
use crate::bare;
use crate::trouble::Trouble;
use gate_core::PromptFormat;

pub(super) const KIND: &str = "mcp-feedback-enhanced";

/// Deepest place at which the list is looked for.
const DEPTH: usize = 4;

/// Takes the prompts that are in this text. False where it is no such file.
pub(super) fn prompts(text: &str, gathered: &mut Gathered) -> bool {
    let Ok(value) = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) else { return false };
    let Some(list) = found(&value, DEPTH) else { return false };
    for (index, prompt) in list.iter().enumerate() {
        let from = format!("prompt {}", index + 1);
        let text = |name: &str| prompt.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        let content = [text("content"), text("prompt"), text("text")].into_iter().find(|text| !text.is_empty());
        let Some(content) = content else {
            gathered.problem(&from, &Trouble::new(None, "This prompt has no text.", "Give it a `content`."));
            continue;
        };
        let name = [text("name"), text("title"), text("id")].into_iter().find(|text| !text.is_empty());
        let name = name.unwrap_or("prompt");
        let title: String = gate_core::ask::excerpt(name, 180);
        let file = format!("---\ntitle: {}\n---\n{}\n", command::quoted(&title), bare::literal(content));
        gathered.add(&name.replace('/', "_").to_lowercase(), &title, &from, file, PromptFormat::Markdown);
    }
    true
}

/// The list of prompts, wherever it is.
fn found(value: &Value, depth: usize) -> Option<&Vec<Value>> {
    let of_prompts = |list: &&Vec<Value>| {
        !list.is_empty()
            && list.iter().all(|item| item.is_object() && (item.get("content").is_some() || item.get("name").is_some()))
    };
    match value {
        Value::Array(list) => Some(list).filter(of_prompts).filter(|_| depth == DEPTH),
        Value::Object(entries) => {
            let own = entries.get("prompts").and_then(Value::as_array).filter(of_prompts);
            let below = || entries.values().find_map(|value| found(value, depth.checked_sub(1)?));
            own.or_else(|| if depth == 0 { None } else { below() })
        }
        _ => None,
    }
}
