//! A prompt's file: what it says, as a draft of a prompt, and what is wrong with it.

pub(crate) mod arguments;
mod fields;
mod markdown;
mod messages;

use std::borrow::Cow;
use std::sync::Arc;

use gate_core::{PromptArgument, PromptFormat, PromptRole};

use crate::template::{Anchor, Compiled};
use crate::tree::{self, Node};
use crate::trouble::{Spot, Trouble};

/// What a file says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Draft {
    /// Its title, or its name; empty where it says neither.
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) category: String,
    pub(crate) version: String,
    pub(crate) icon: String,
    /// Those that it declares.
    pub(crate) arguments: Vec<PromptArgument>,
    /// At least one.
    pub(crate) messages: Vec<DraftMessage>,
}

/// A message with its templates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DraftMessage {
    pub(crate) role: PromptRole,
    pub(crate) content: DraftContent,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DraftContent {
    Text(Compiled),
    Resource { uri: Compiled, mime_type: String, text: Compiled },
}

impl Draft {
    /// Its templates, in order.
    pub(crate) fn templates(&self) -> Vec<&Compiled> {
        let mut all = Vec::new();
        for message in &self.messages {
            match &message.content {
                DraftContent::Text(text) => all.push(text),
                DraftContent::Resource { uri, text, .. } => all.extend([uri, text]),
            }
        }
        all
    }
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Read {
    /// Absent where the file makes no prompt.
    pub(crate) draft: Option<Arc<Draft>>,
    /// In the order of their places, errors before hints.
    pub(crate) troubles: Vec<Trouble>,
}

/// Reads a file. Whatever is in it, the answer is a prompt or says why there is none.
pub(crate) fn read(text: &str, format: PromptFormat) -> Read {
    let text = &*plain_lines(text);
    let mut troubles = Vec::new();
    let draft = match format {
        PromptFormat::Yaml => take(tree::yaml(text, 1), text, None, &mut troubles),
        PromptFormat::Json => take(tree::json(text), text, None, &mut troubles),
        PromptFormat::Markdown => match markdown::parts(text) {
            Ok(parts) => {
                let front = tree::yaml(&parts.front, parts.front_line);
                take(front, text, Some(Body { text: &parts.body, line: parts.body_line }), &mut troubles)
            }
            Err(trouble) => {
                troubles.push(trouble);
                None
            }
        },
    };
    let broken = troubles.iter().any(|trouble| !trouble.warning);
    troubles.sort_by_key(|trouble| (trouble.warning, trouble.at));
    Read { draft: draft.filter(|_| !broken).map(Arc::new), troubles }
}

/// Reads a partial.
pub(crate) fn read_partial(text: &str) -> (Option<Compiled>, Vec<Trouble>) {
    let text = plain_lines(text);
    let mut troubles = Vec::new();
    let compiled = Compiled::read(&text, Anchor::Lines { first: 1, file: &text }, &mut troubles);
    (compiled, troubles)
}

/// The text without a byte order mark, and with each of its lines ended by a line feed: YAML ends them by
/// a carriage return as well (YAML 1.2.2, 5.4), and all parsers are to count the same lines.
fn plain_lines(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { Cow::Borrowed(text) }
}

/// What stands below the front matter.
#[derive(Clone, Copy)]
struct Body<'a> {
    text: &'a str,
    line: u32,
}

/// What reads a file's fields, and what it has found wrong.
struct Reader<'a> {
    /// The whole file.
    text: &'a str,
    troubles: &'a mut Vec<Trouble>,
}

impl Reader<'_> {
    fn error(&mut self, at: Spot, message: impl Into<String>, mend: impl Into<String>) {
        self.troubles.push(Trouble::new(Some(at), message, mend));
    }

    fn hint(&mut self, at: Spot, message: impl Into<String>, mend: impl Into<String>) {
        self.troubles.push(Trouble::hint(Some(at), message, mend));
    }
}

fn take(root: Result<Node, Trouble>, text: &str, body: Option<Body<'_>>, troubles: &mut Vec<Trouble>) -> Option<Draft> {
    match root {
        Ok(root) => Reader { text, troubles }.prompt(&root, body),
        Err(trouble) => {
            troubles.push(trouble);
            None
        }
    }
}
