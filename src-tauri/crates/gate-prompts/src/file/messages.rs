//! Prompts of several messages.

use gate_core::{PromptRole, bounds};

use super::{DraftContent, DraftMessage, Reader};
use crate::tree::{Entry, Node, What};
use crate::trouble::nearest;

impl Reader<'_> {
    pub(super) fn messages(&mut self, node: &Node) -> Option<Vec<DraftMessage>> {
        let What::List(items) = &node.what else {
            self.error(
                node.at,
                format!("`messages` has to be a list, and is {}.", node.kind()),
                "Write `- role: user` and below it `content: …` for each message.",
            );
            return None;
        };
        if items.is_empty() {
            self.error(node.at, "`messages` is empty.", "Write at least one, or use `template`.");
            return None;
        }
        if let Some(over) = items.get(bounds::PROMPT_MESSAGES) {
            let message = format!("The prompt has more than {} messages.", bounds::PROMPT_MESSAGES);
            self.error(over.at, message, "Put some of them together.");
            return None;
        }
        items.iter().map(|item| self.message(item)).collect()
    }

    fn message(&mut self, item: &Node) -> Option<DraftMessage> {
        let Some(entries) = item.entries() else {
            let message = format!("A message is a mapping, and this is {}.", item.kind());
            self.error(item.at, message, "Write `- role: user` and below it `content: …`.");
            return None;
        };
        self.known(entries, &["role", "content"], &[], "a message");
        let role = match entries.iter().find(|entry| entry.name == "role") {
            None => PromptRole::User,
            Some(entry) => match entry.value.text() {
                Some("user") => PromptRole::User,
                Some("assistant") => PromptRole::Assistant,
                Some("system") => {
                    self.error(
                        entry.value.at,
                        "A prompt's messages have no role `system`.",
                        "Write what it says at the begin of the first `user` message.",
                    );
                    return None;
                }
                _ => {
                    self.error(entry.value.at, "A role is `user` or `assistant`.", "Write `role: user`.");
                    return None;
                }
            },
        };
        let Some(content) = entries.iter().find(|entry| entry.name == "content") else {
            self.error(item.at, "This message has no content.", "Write `content: …` below its role.");
            return None;
        };
        Some(DraftMessage { role, content: self.content(&content.value)? })
    }

    fn content(&mut self, node: &Node) -> Option<DraftContent> {
        let Some(entries) = node.entries() else {
            return self.template(node, "content").map(DraftContent::Text);
        };
        let entry = |name: &str| entries.iter().find(|entry| entry.name == name);
        let kind = entry("type").map_or("text", |entry| entry.value.text().unwrap_or_default());
        match kind {
            "text" => {
                self.known(entries, &["type", "text"], &[], "a text");
                let text = self.part(node, entry("text"), "text")?;
                Some(DraftContent::Text(self.template(&text.value, "text")?))
            }
            "resource" => {
                self.known(entries, &["type", "uri", "mime_type", "text"], &[], "a resource");
                let uri = self.part(node, entry("uri"), "uri")?;
                let text = self.part(node, entry("text"), "text")?;
                let mime_type = match entry("mime_type") {
                    Some(mime_type) => self.text(mime_type, bounds::PROMPT_TITLE_CHARS)?,
                    None => "text/plain".to_owned(),
                };
                if !uri
                    .value
                    .text()
                    .is_some_and(|uri| uri.contains(':') && !uri.trim().contains([' ', '\n']) || uri.contains("{{"))
                {
                    let mend = "Write e.g. `file:///docs/style.md`.";
                    self.error(uri.value.at, "A resource's `uri` needs a scheme, and no blanks.", mend);
                    return None;
                }
                Some(DraftContent::Resource {
                    uri: self.template(&uri.value, "uri")?,
                    mime_type,
                    text: self.template(&text.value, "text")?,
                })
            }
            other => {
                let at = entry("type").map_or(node.at, |entry| entry.value.at);
                let mend = match nearest(other, ["text", "resource"]) {
                    Some(near) => format!("Did you mean `{near}`?"),
                    None => "The types are `text` and `resource`.".to_owned(),
                };
                self.error(at, format!("There is no content of type `{}`.", gate_core::ask::excerpt(other, 60)), mend);
                None
            }
        }
    }

    fn part<'n>(&mut self, node: &Node, entry: Option<&'n Entry>, name: &str) -> Option<&'n Entry> {
        if entry.is_none() {
            self.error(node.at, format!("This content has no `{name}`."), format!("Write `{name}: …` in it."));
        }
        entry
    }
}
