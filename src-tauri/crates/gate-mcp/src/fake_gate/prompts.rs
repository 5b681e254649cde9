//! The prompts of the tests' gate.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{
    ArgumentType, Caller, Code, Completes, Fault, Prompt, PromptArgument, PromptContent, PromptFormat, PromptList,
    PromptMessage, PromptOrigin, PromptRole, PromptSource, RenderedPrompt,
};
use serde_json::json;

use super::FakeGate;
use crate::prompts::{PromptPort, PromptTimes};

/// A prompt that says little of itself.
pub(crate) fn prompt(id: &str) -> Prompt {
    Prompt {
        id: id.to_owned(),
        title: format!("Title of {id}"),
        description: String::new(),
        category: String::new(),
        version: String::new(),
        icon: String::new(),
        arguments: Vec::new(),
        origin: PromptOrigin::Local,
        format: PromptFormat::Markdown,
    }
}

/// An argument that says little of itself.
pub(crate) fn argument(name: &str, kind: ArgumentType, values: &[&str]) -> PromptArgument {
    let values = values.iter().map(|&value| value.to_owned()).collect();
    PromptArgument { kind, values, ..PromptArgument::plain(name) }
}

/// A prompt with an argument of every kind.
pub(crate) fn review() -> Prompt {
    let mut language = argument("language", ArgumentType::Enum, &["Rust", "TypeScript", "JavaScript", "Python"]);
    language.title = "Language".to_owned();
    language.description = "What the code is written in".to_owned();
    language.required = true;
    let mut depth = argument("depth", ArgumentType::Number, &[]);
    depth.default = json!(3);
    let strict = argument("strict", ArgumentType::Boolean, &[]);
    let focus = argument("focus", ArgumentType::List, &["bugs", "style", "debugging", "naming, wording"]);
    let mut file = argument("file", ArgumentType::String, &[]);
    file.completes = Completes::Files;
    let mut files = argument("files", ArgumentType::List, &[]);
    files.completes = Completes::Files;
    Prompt {
        description: "Reviews code.".to_owned(),
        category: "team".to_owned(),
        version: "2.1".to_owned(),
        icon: "data:image/svg+xml;base64,PHN2Zy8+".to_owned(),
        arguments: vec![language, depth, strict, focus, file, files],
        ..prompt("team/code_review")
    }
}

#[async_trait]
impl PromptPort for FakeGate {
    fn prompts(&self) -> Arc<PromptList> {
        Arc::clone(&self.lock().prompts)
    }

    fn prompt_times(&self) -> Arc<PromptTimes> {
        Arc::clone(&self.lock().prompt_times)
    }

    async fn prompt(
        &self,
        caller: &Caller,
        id: &str,
        arguments: &BTreeMap<String, String>,
    ) -> Result<RenderedPrompt, Fault> {
        rendered(&self.prompts(), caller, id, arguments)
    }

    fn prompt_source(&self, id: &str) -> Option<PromptSource> {
        self.prompts().get(id).map(|prompt| source(prompt))
    }

    async fn workspace_files(&self, caller: &Caller, like: &str) -> Result<(Vec<String>, bool), Fault> {
        Ok(files(caller, like))
    }
}

/// Says what it was given: as a text, and as a resource.
fn rendered(
    all: &PromptList,
    caller: &Caller,
    id: &str,
    arguments: &BTreeMap<String, String>,
) -> Result<RenderedPrompt, Fault> {
    let unknown = || Fault::new(Code::UnknownPrompt, "There is no such prompt.", "List them.");
    let prompt = all.get(id).ok_or_else(unknown)?;
    let missing = |argument: &&PromptArgument| argument.required && !arguments.contains_key(&argument.name);
    if let Some(argument) = prompt.arguments.iter().find(missing) {
        return Err(Fault::new(Code::Prompt, format!("`{}` is missing.", argument.name), "Pass it."));
    }
    let content = PromptContent::Text { text: format!("{arguments:?} for {}", caller.workspace) };
    let file = PromptContent::Resource {
        uri: "file:///docs/style.md".to_owned(),
        mime_type: "text/markdown".to_owned(),
        text: "# Style".to_owned(),
    };
    let messages = vec![
        PromptMessage { role: PromptRole::User, content },
        PromptMessage { role: PromptRole::Assistant, content: file },
    ];
    Ok(RenderedPrompt { description: prompt.description.clone(), messages })
}

/// Made of the id.
fn source(prompt: &Prompt) -> PromptSource {
    let uses: Vec<_> = prompt.arguments.iter().map(|argument| format!("{{{{{}}}}}", argument.name)).collect();
    PromptSource {
        format: prompt.format,
        text: format!("---\ntitle: {}\n---\n{}\n", prompt.title, uses.join(" ")),
        instructions: format!("Do {} with {}.", prompt.id, uses.join(" ")),
    }
}

/// Files of the one workspace that there is.
fn files(caller: &Caller, like: &str) -> (Vec<String>, bool) {
    let all = if caller.workspace == "/work" { 150 } else { 0 };
    let fit = (0..all).map(|number| format!("src/file{number}.rs")).filter(|file| file.contains(like));
    (fit.collect(), false)
}
