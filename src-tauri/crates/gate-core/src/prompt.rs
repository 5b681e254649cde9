//! Prompts: parametrised templates, kept as files, served as MCP prompts.
//!
//! What is here is what every part says of them. Files, templates and where they come from are gate-prompts'.

mod used;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bounds;
use crate::fault::{Code, Fault};
use crate::ids::id;

pub use used::{GivenArgument, kept_arguments};

id!(
    /// One version of one prompt's file.
    PromptVersionId,
    "version_id"
);

/// What an argument may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ArgumentType {
    /// A text.
    #[default]
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// One of its values.
    Enum,
    /// Several texts: a JSON array, or separated by commas. With values, several of those.
    List,
}

/// What completes an argument besides its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Completes {
    /// Nothing.
    #[default]
    Nothing,
    /// Files of the agent's workspace.
    Files,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptArgument {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What a person reads; empty where the file says nothing.
    pub title: String,
    /// What it is for; empty where the file says nothing.
    pub description: String,
    /// What it may be.
    #[serde(rename = "type")]
    pub kind: ArgumentType,
    /// Whether the prompt can't be rendered without it.
    pub required: bool,
    /// What holds where it isn't given: a string, number, boolean or array of strings; null for nothing.
    #[cfg_attr(feature = "typescript", ts(type = "string | number | boolean | string[] | null"))]
    pub default: Value,
    /// What it may be, for [`ArgumentType::Enum`] and [`ArgumentType::List`]; empty where it may be anything.
    pub values: Vec<String>,
    /// What completes it.
    pub completes: Completes,
    /// Whether what it is given is a secret: it is typed unseen, and isn't kept.
    pub secret: bool,
    /// Whether the file doesn't declare it, and the template uses it.
    pub inferred: bool,
}

impl PromptArgument {
    /// An argument of this name, of which nothing is said.
    #[must_use]
    pub fn plain(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            title: String::new(),
            description: String::new(),
            kind: ArgumentType::String,
            required: false,
            default: Value::Null,
            values: Vec::new(),
            completes: Completes::Nothing,
            secret: false,
            inferred: false,
        }
    }
}

/// Where a prompt comes from. A later one hides an earlier one of the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PromptOrigin {
    /// The program itself.
    BuiltIn,
    /// A git repository.
    Synced,
    /// The person's own folder.
    Local,
}

/// How a prompt's file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PromptFormat {
    /// YAML: `.yaml`, `.yml`.
    Yaml,
    /// Markdown with front matter: `.md`.
    Markdown,
    /// JSON: `.json`.
    Json,
}

impl PromptFormat {
    /// The MIME type of its text.
    #[must_use]
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Yaml => "application/yaml",
            Self::Markdown => "text/markdown",
            Self::Json => "application/json",
        }
    }

    /// The extension of a new file, without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Yaml => "yaml",
            Self::Markdown => "md",
            Self::Json => "json",
        }
    }
}

/// A prompt as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Prompt {
    /// Its path below its folder without extension, `/` between the parts: also its MCP name.
    pub id: String,
    /// What a person reads: its title, else its name, else made from the id.
    pub title: String,
    /// What it does; empty where the file says nothing.
    pub description: String,
    /// What it belongs to; empty where the file says nothing, and the sub-folder where there is one.
    pub category: String,
    /// Its version; empty where the file says nothing.
    pub version: String,
    /// The address of its icon: `https:` or `data:image/`; empty for none.
    pub icon: String,
    /// Its arguments in the file's order, those that it doesn't declare at the end.
    pub arguments: Vec<PromptArgument>,
    /// Where it comes from.
    pub origin: PromptOrigin,
    /// How its file is written.
    pub format: PromptFormat,
}

/// Who says a message of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PromptRole {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// What a message of a prompt holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PromptContent {
    /// Text.
    Text {
        /// It.
        text: String,
    },
    /// A text that is embedded as a resource.
    Resource {
        /// Its address.
        uri: String,
        /// Its MIME type.
        mime_type: String,
        /// Its text.
        text: String,
    },
}

/// A message of a rendered prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptMessage {
    /// Who says it.
    pub role: PromptRole,
    /// What.
    pub content: PromptContent,
}

/// A prompt with its arguments put in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RenderedPrompt {
    /// What the prompt does.
    pub description: String,
    /// Its messages, at least one.
    pub messages: Vec<PromptMessage>,
}

/// A prompt's file, as a resource or a skill gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSource {
    /// How it is written.
    pub format: PromptFormat,
    /// Its text.
    pub text: String,
    /// The template's words with each argument as `{{name}}`, as a skill's instructions.
    pub instructions: String,
}

/// Every prompt that is served, as one whole version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PromptList {
    /// They, by id.
    pub prompts: Vec<Arc<Prompt>>,
}

impl PromptList {
    /// The prompt of this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Arc<Prompt>> {
        let found = self.prompts.binary_search_by(|prompt| prompt.id.as_str().cmp(id)).ok()?;
        self.prompts.get(found)
    }
}

/// Why a file is not served as it is, with the place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptProblem {
    /// The file's path below its folder, with its extension.
    pub file: String,
    /// Which folder.
    pub origin: PromptOrigin,
    /// The line, from 1; absent where it is about the whole file.
    pub line: Option<u32>,
    /// The column in characters, from 1.
    pub column: Option<u32>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What to do about it.
    pub mend: String,
    /// Whether the last good version of it is still served.
    pub served: bool,
    /// Whether it is only a hint: the file itself is served.
    pub warning: bool,
}

/// Checks a prompt's id: parts of letters of any script, digits, `_`, `-`, `.` and blanks, `/` between them;
/// none begins with a dot or an underscore, or ends with a dot or a blank.
///
/// # Errors
/// `invalid_input`; `too_large` over [`bounds::PROMPT_ID_CHARS`].
pub fn checked_id(id: &str) -> Result<(), Fault> {
    if id.chars().count() > bounds::PROMPT_ID_CHARS {
        return Err(Fault::new(
            Code::TooLarge,
            format!("The prompt's id has more than {} characters.", bounds::PROMPT_ID_CHARS),
            "Give it a shorter name, or fewer folders.",
        ));
    }
    let good = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '_', ' '])
            && !part.ends_with(['.', ' '])
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' '))
    };
    if id.split('/').all(good) {
        return Ok(());
    }
    Err(Fault::new(
        Code::InvalidInput,
        format!("`{}` can't be a prompt's id.", crate::ask::excerpt(id, 80)),
        "Use letters, digits, `_` and `-`, with `/` between folders, e.g. `team/code_review`.",
    ))
}

/// How many problems are told in one list.
pub const PROBLEMS_TOLD: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_leads_nowhere_but_down() {
        for good in ["code_review", "team/security/review-2", "prüfung/größe", "v1.2/a b", "检查"] {
            assert_eq!(checked_id(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "/",
            "a/",
            "/a",
            "a//b",
            "..",
            "a/../b",
            ".git/x",
            "_partials/x",
            "a\\b",
            "c:x",
            "a\0",
            "a\n",
            "x ",
            "x.",
        ] {
            assert_eq!(checked_id(bad).map_err(|fault| fault.code), Err(Code::InvalidInput), "{bad:?}");
        }
        let longest = "é".repeat(bounds::PROMPT_ID_CHARS);
        assert_eq!(checked_id(&longest), Ok(()));
        assert_eq!(checked_id(&format!("{longest}x")).map_err(|fault| fault.code), Err(Code::TooLarge));
    }

    #[test]
    fn a_prompt_is_found_by_its_id_among_many() {
        let prompt = |id: &str| {
            Arc::new(Prompt {
                id: id.into(),
                title: id.into(),
                description: String::new(),
                category: String::new(),
                version: String::new(),
                icon: String::new(),
                arguments: Vec::new(),
                origin: PromptOrigin::Local,
                format: PromptFormat::Yaml,
            })
        };
        let list = PromptList { prompts: ["a", "a/b", "b"].map(prompt).into() };
        assert_eq!(list.get("a/b").map(|found| found.id.as_str()), Some("a/b"));
        assert_eq!(list.get("c"), None);
    }
}
