//! The arguments that a file declares.

use gate_core::ask::excerpt;
use gate_core::{ArgumentType, Completes, PromptArgument, bounds};
use serde_json::Value;

use super::Reader;
use crate::tree::{Entry, Node, What};
use crate::trouble::{Spot, listed, nearest};
use crate::values;

const FIELDS: &[&str] =
    &["name", "title", "description", "type", "required", "default", "values", "completes", "secret"];
const TYPES: &[&str] = &["string", "number", "boolean", "enum", "list"];
/// What a name in a template means by itself.
const RESERVED: &[&str] = &["this", "true", "false", "null", "else", "as"];

impl Reader<'_> {
    /// A list of names or of mappings, or a mapping from names to what is said of them.
    pub(super) fn arguments(&mut self, node: &Node) -> Vec<PromptArgument> {
        let mut found: Vec<PromptArgument> = Vec::new();
        let mut take = |reader: &mut Self, at: Spot, argument: Option<PromptArgument>| {
            let Some(argument) = argument else { return };
            if found.iter().any(|other| other.name == argument.name) {
                let message = format!("The argument `{}` is declared twice.", argument.name);
                reader.error(at, message, "Remove one of the two.");
            } else if found.len() == bounds::PROMPT_ARGUMENTS {
                let message = format!("The prompt has more than {} arguments.", bounds::PROMPT_ARGUMENTS);
                reader.error(at, message, "Use a list, or divide it into several prompts.");
            } else if found.len() < bounds::PROMPT_ARGUMENTS {
                found.push(argument);
            }
        };
        match &node.what {
            What::List(items) => {
                for item in items.iter().take(bounds::PROMPT_ARGUMENTS + 1) {
                    let argument = self.listed_argument(item);
                    take(self, item.at, argument);
                }
            }
            What::Map(entries) => {
                for entry in entries.iter().take(bounds::PROMPT_ARGUMENTS + 1) {
                    let argument = self.mapped_argument(entry);
                    take(self, entry.at, argument);
                }
            }
            What::Scalar(_) => self.error(
                node.at,
                "`arguments` has to be a list, and is a single value.",
                "Write `- name: …` for each of them on a line of its own.",
            ),
        }
        found
    }

    fn listed_argument(&mut self, item: &Node) -> Option<PromptArgument> {
        match &item.what {
            What::Scalar(scalar) => self.argument_name(&scalar.text, item.at).map(|name| PromptArgument::plain(&name)),
            What::Map(entries) => {
                let Some(name) = entries.iter().find(|entry| entry.name == "name") else {
                    self.error(item.at, "This argument has no name.", "Begin it with `- name: …`.");
                    return None;
                };
                let text = name.value.text().unwrap_or_default().to_owned();
                let text = self.argument_name(&text, name.value.at)?;
                self.argument(&text, entries)
            }
            What::List(_) => {
                self.error(item.at, "An argument can't be a list.", "Begin it with `- name: …`.");
                None
            }
        }
    }

    fn mapped_argument(&mut self, entry: &Entry) -> Option<PromptArgument> {
        let name = self.argument_name(&entry.name, entry.at)?;
        match &entry.value.what {
            What::Map(entries) => {
                if let Some(other) = entries.iter().find(|field| field.name == "name") {
                    self.error(
                        other.at,
                        format!("The argument `{name}` has its name already."),
                        "Remove this one, or write the arguments as a list.",
                    );
                }
                self.argument(&name, entries)
            }
            What::Scalar(_) if entry.value.is_null() => Some(PromptArgument::plain(&name)),
            What::Scalar(_) => {
                let described = Entry { name: "description".to_owned(), ..entry.clone() };
                let description = self.text(&described, bounds::PROMPT_DESCRIPTION_CHARS)?;
                Some(PromptArgument { description, ..PromptArgument::plain(&name) })
            }
            What::List(_) => {
                self.error(
                    entry.value.at,
                    format!("What is said of `{name}` can't be a list."),
                    "Write its fields below it, e.g. `description: …`; its values go below `values:`.",
                );
                None
            }
        }
    }

    fn argument_name(&mut self, name: &str, at: Spot) -> Option<String> {
        let name = name.trim();
        let good = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        if !good {
            self.error(
                at,
                format!("`{}` can't be the name of an argument.", excerpt(name, 60)),
                "Use letters, digits, `_` and `-`, e.g. `file_path`.",
            );
            return None;
        }
        if name.chars().count() > bounds::PROMPT_TITLE_CHARS {
            let message = format!("The argument's name has more than {} characters.", bounds::PROMPT_TITLE_CHARS);
            self.error(at, message, "Shorten it; what it is for belongs in `description`.");
            return None;
        }
        if RESERVED.contains(&name) {
            let message = format!("`{name}` means something else in a template, and can't be an argument.");
            self.error(at, message, "Give it another name.");
            return None;
        }
        Some(name.to_owned())
    }

    fn argument(&mut self, name: &str, entries: &[Entry]) -> Option<PromptArgument> {
        self.known(entries, FIELDS, &[], "an argument");
        let entry = |name: &str| entries.iter().find(|entry| entry.name == name && !entry.value.is_null());
        let mut argument = PromptArgument::plain(name);
        if let Some(title) = entry("title") {
            argument.title = self.text(title, bounds::PROMPT_TITLE_CHARS)?;
        }
        if let Some(description) = entry("description") {
            argument.description = self.text(description, bounds::PROMPT_DESCRIPTION_CHARS)?;
        }
        if let Some(values) = entry("values") {
            argument.values = self.values(&values.value)?;
        }
        argument.kind = self.kind(name, entry("type"), entry("values"))?;
        if let Some(required) = entry("required") {
            argument.required = self.truth(required)?;
        }
        if let Some(secret) = entry("secret") {
            argument.secret = self.truth(secret)?;
        }
        if let Some(completes) = entry("completes") {
            if completes.value.text() != Some("files") {
                let mend = "Write `completes: files`, or remove it; what is in `values` is offered anyway.";
                self.error(completes.value.at, "The only thing that `completes` knows is `files`.", mend);
                return None;
            }
            argument.completes = Completes::Files;
        }
        if let Some(default) = entry("default") {
            argument.default = self.default(&argument, &default.value)?;
            if argument.required {
                self.hint(
                    default.at,
                    format!("`{name}` is required, so its default is never used."),
                    "Remove `required` or `default`.",
                );
            }
        }
        Some(argument)
    }

    fn truth(&mut self, entry: &Entry) -> Option<bool> {
        let truth = entry.value.truth();
        if truth.is_none() {
            let message = format!("`{}` is `true` or `false`.", entry.name);
            self.error(entry.value.at, message, format!("Write `{}: true`.", entry.name));
        }
        truth
    }

    fn kind(&mut self, name: &str, kind: Option<&Entry>, values: Option<&Entry>) -> Option<ArgumentType> {
        let found = match kind {
            None if values.is_some() => ArgumentType::Enum,
            None => ArgumentType::String,
            Some(kind) => match kind.value.text().unwrap_or_default().to_lowercase().as_str() {
                "string" | "text" => ArgumentType::String,
                "number" | "integer" | "int" | "float" => ArgumentType::Number,
                "boolean" | "bool" => ArgumentType::Boolean,
                "enum" | "choice" => ArgumentType::Enum,
                "list" | "array" => ArgumentType::List,
                other => {
                    let mend = match nearest(other, TYPES.iter().copied()) {
                        Some(near) => format!("Did you mean `{near}`?"),
                        None => format!("The types are {}.", listed(TYPES.iter().copied())),
                    };
                    let message = format!("There is no type `{}`.", excerpt(other, 60));
                    self.error(kind.value.at, message, mend);
                    return None;
                }
            },
        };
        match (found, kind, values) {
            (ArgumentType::Enum, Some(kind), None) => {
                let message = format!("`{name}` is an enum without values.");
                self.error(kind.value.at, message, "List them below `values:`, or make it a `string`.");
                None
            }
            (ArgumentType::String | ArgumentType::Number | ArgumentType::Boolean, _, Some(values)) => {
                let message = format!("`{name}` can't have values: only `enum` and `list` do.");
                self.error(values.at, message, "Write `type: enum`, or remove `values`.");
                None
            }
            _ => Some(found),
        }
    }

    fn values(&mut self, node: &Node) -> Option<Vec<String>> {
        let What::List(items) = &node.what else {
            self.error(
                node.at,
                format!("`values` has to be a list, and is {}.", node.kind()),
                "Write `values: [low, high]`.",
            );
            return None;
        };
        let mut values: Vec<String> = Vec::new();
        for item in items {
            let text = item.text().map(str::trim).filter(|text| !text.is_empty());
            let Some(text) = text else {
                self.error(item.at, "A value has to be a text that isn't empty.", "Write e.g. `- low`.");
                return None;
            };
            if text.chars().count() > bounds::PROMPT_TITLE_CHARS {
                let message = format!("A value has more than {} characters.", bounds::PROMPT_TITLE_CHARS);
                self.error(item.at, message, "Shorten it.");
                return None;
            }
            if values.iter().any(|other| other.to_lowercase() == text.to_lowercase()) {
                let message = format!("The value `{}` stands here a second time.", excerpt(text, 60));
                self.error(item.at, message, "Remove one of the two; upper and lower case count as the same.");
                return None;
            }
            if values.len() == bounds::PROMPT_VALUES {
                let message = format!("An argument has more than {} values.", bounds::PROMPT_VALUES);
                self.error(item.at, message, "Make it a `string`, and say in `description` what it may be.");
                return None;
            }
            values.push(text.to_owned());
        }
        if values.is_empty() {
            self.error(node.at, "`values` is empty.", "List at least one value, or remove it.");
            return None;
        }
        Some(values)
    }

    fn default(&mut self, argument: &PromptArgument, node: &Node) -> Option<Value> {
        let texts = match &node.what {
            What::Scalar(scalar) => Some(scalar.text.clone()),
            What::List(items) if argument.kind == ArgumentType::List => items
                .iter()
                .map(|item| item.text().map(str::to_owned))
                .collect::<Option<Vec<String>>>()
                .and_then(|items| serde_json::to_string(&items).ok()),
            What::List(_) | What::Map(_) => None,
        };
        let read = match texts {
            Some(text) if text.is_empty() => Ok(Value::Null),
            Some(text) => values::typed(argument, &text),
            None => Err(match argument.kind {
                ArgumentType::List => "It is a list of texts.".to_owned(),
                _ => "It is a single value.".to_owned(),
            }),
        };
        match read {
            Ok(value) => Some(value),
            Err(mend) => {
                let message = format!("This can't be the default of `{}`.", argument.name);
                self.error(node.at, message, mend);
                None
            }
        }
    }
}
