//! The fields of a prompt.

use gate_core::{PromptRole, bounds};

use super::{Body, Draft, DraftContent, DraftMessage, Reader};
use crate::file::markdown::OF_COMMANDS;
use crate::template::{Anchor, Compiled};
use crate::tree::{Entry, Node, What};
use crate::trouble::{listed, nearest};

const FIELDS: &[&str] =
    &["name", "title", "description", "category", "arguments", "template", "content", "messages", "version", "icon"];

impl Reader<'_> {
    pub(super) fn prompt(mut self, root: &Node, body: Option<Body<'_>>) -> Option<Draft> {
        let entries = match (&root.what, body) {
            (What::Map(entries), _) => entries.as_slice(),
            (_, Some(_)) if root.is_null() => &[],
            _ if root.is_null() => {
                self.error(root.at, "The file is empty.", "Give it at least a `template`.");
                return None;
            }
            _ => {
                self.error(
                    root.at,
                    format!("A prompt is a mapping of fields, and this is {}.", root.kind()),
                    "Begin with e.g. `title: …`, and put the text below `template: |`.",
                );
                return None;
            }
        };
        let also: &[&str] = if body.is_some() { OF_COMMANDS } else { &[] };
        self.known(entries, FIELDS, also, "a prompt");
        let entry = |name: &str| entries.iter().find(|entry| entry.name == name && !entry.value.is_null());
        let mut short =
            |name: &str| entry(name).and_then(|entry| self.text(entry, bounds::PROMPT_TITLE_CHARS)).unwrap_or_default();
        let (name, title) = (short("name"), short("title"));
        let (category, version) = (short("category"), short("version"));
        let description = entry("description")
            .and_then(|entry| self.text(entry, bounds::PROMPT_DESCRIPTION_CHARS))
            .unwrap_or_default();
        let icon = entry("icon").and_then(|entry| self.icon(entry)).unwrap_or_default();
        let arguments = entry("arguments").map(|entry| self.arguments(&entry.value)).unwrap_or_default();
        let messages = self.said(root, &entry, body)?;
        let title = if title.is_empty() { name } else { title };
        Some(Draft { title, description, category, version, icon, arguments, messages })
    }

    /// What the prompt says: exactly one of `template`, `content`, `messages` and the body.
    fn said<'n>(
        &mut self,
        root: &Node,
        entry: &impl Fn(&str) -> Option<&'n Entry>,
        body: Option<Body<'_>>,
    ) -> Option<Vec<DraftMessage>> {
        let given: Vec<&Entry> = ["template", "content", "messages"].into_iter().filter_map(entry).collect();
        if let Some(body) = body {
            if let Some(first) = given.first() {
                let message =
                    format!("In Markdown the text below the front matter is the template, not `{}`.", first.name);
                self.error(first.at, message, "Move it there, or make the file a `.yaml`.");
                return None;
            }
            let at = crate::trouble::Spot { line: body.line, column: 1 };
            if body.text.trim().is_empty() {
                self.error(at, "The prompt has no text.", "Write it below the front matter.");
                return None;
            }
            let anchor = Anchor::Lines { first: body.line, file: self.text };
            let text = Compiled::read(body.text, anchor, self.troubles)?;
            return Some(vec![DraftMessage { role: PromptRole::User, content: DraftContent::Text(text) }]);
        }
        match given.as_slice() {
            [] => {
                self.error(
                    root.at,
                    "The prompt has no text: `template` and `messages` are missing.",
                    "Put the text below `template: |`, indented.",
                );
                None
            }
            [one] if one.name == "messages" => self.messages(&one.value),
            [one] => {
                let text = self.template(&one.value, &one.name)?;
                Some(vec![DraftMessage { role: PromptRole::User, content: DraftContent::Text(text) }])
            }
            [first, second, ..] => {
                self.error(
                    second.at,
                    format!("A prompt has `{}` or `{}`, not both.", first.name, second.name),
                    "Remove one of them.",
                );
                None
            }
        }
    }

    /// A text with Handlebars in it.
    pub(super) fn template(&mut self, node: &Node, name: &str) -> Option<Compiled> {
        let What::Scalar(scalar) = &node.what else {
            let mend = if matches!(node.what, What::Map(_)) && name == "template" {
                "Put it in quotes, or below a `|`: YAML takes `{{` for the begin of a mapping."
            } else {
                "Write the text below a `|`, indented."
            };
            self.error(node.at, format!("`{name}` has to be a text, and is {}.", node.kind()), mend);
            return None;
        };
        if scalar.text.trim().is_empty() {
            self.error(node.at, format!("`{name}` is empty."), "Write what the agent is to do.");
            return None;
        }
        let anchor = match scalar.first_line {
            Some(first) => Anchor::Lines { first, file: self.text },
            None => Anchor::At(node.at),
        };
        Compiled::read(&scalar.text, anchor, self.troubles)
    }

    /// Tells of entries that nobody knows; they change nothing.
    pub(super) fn known(&mut self, entries: &[Entry], known: &[&str], also: &[&str], of: &str) {
        for entry in entries {
            let name = entry.name.as_str();
            if known.contains(&name) || also.contains(&name) {
                continue;
            }
            let mend = match (nearest(name, known.iter().copied()), name) {
                (Some(near), _) => format!("Did you mean `{near}`?"),
                (None, "prompt" | "text" | "body") if known.contains(&"template") => "Did you mean `template`?".into(),
                (None, "args" | "parameters" | "params" | "inputs") if known.contains(&"arguments") => {
                    "Did you mean `arguments`?".into()
                }
                (None, "options" | "choices" | "enum" | "items") if known.contains(&"values") => {
                    "Did you mean `values`?".into()
                }
                _ => format!("It is ignored. The fields are {}.", listed(known.iter().copied())),
            };
            let short = gate_core::ask::excerpt(name, 60);
            self.hint(entry.at, format!("`{short}` is no field of {of}."), mend);
        }
    }

    /// A text of at most so many characters on as many lines as it likes; blank edges are cut.
    pub(super) fn text(&mut self, entry: &Entry, chars: usize) -> Option<String> {
        let Some(text) = entry.value.text() else {
            let message = format!("`{}` has to be a text, and is {}.", entry.name, entry.value.kind());
            self.error(entry.value.at, message, "Put a text with brackets or `: ` in it in quotes.");
            return None;
        };
        let text = text.trim();
        if text.chars().count() > chars {
            let message = format!("`{}` has more than {chars} characters.", entry.name);
            self.error(entry.value.at, message, "Shorten it; what the agent is to read belongs in the template.");
            return None;
        }
        if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
            let message = format!("`{}` holds a control character.", entry.name);
            self.error(entry.value.at, message, "Remove it.");
            return None;
        }
        Some(text.to_owned())
    }

    fn icon(&mut self, entry: &Entry) -> Option<String> {
        let icon = entry.value.text().unwrap_or_default().trim().to_owned();
        if icon.len() > bounds::PROMPT_ICON_BYTES {
            let message = format!("The icon has more than {} bytes.", bounds::PROMPT_ICON_BYTES);
            self.error(entry.value.at, message, "Use a smaller picture, or the `https:` address of one.");
            return None;
        }
        let good = (icon.starts_with("https://") || icon.starts_with("data:image/"))
            && !icon.chars().any(|c| c.is_whitespace() || c.is_control() || matches!(c, '"' | '<' | '>'));
        if !good {
            let mend = "Give an address that begins with `https://` or `data:image/`.";
            self.error(entry.value.at, "This can't be the icon of a prompt.", mend);
            return None;
        }
        Some(icon)
    }
}
