//! Permission for agents to read the copies of what people attach to their replies, which stand outside of any
//! project: how it comes in with the permission to call our tools, and goes out with it.

use std::path::Path;

use serde_json::Value;

use super::missing;
use crate::catalogue::{Client, Format};
use crate::connector::COPIES;
use crate::merge::{self, Refusal};

/// How a client's file says that its agents may read outside of a project.
enum Grant {
    /// An item of the list here.
    Item(&'static [&'static str], String),
    /// A key of the group here, which says `allow`.
    Key(&'static [&'static str], String),
}

impl Grant {
    /// That of a client that would ask before it reads there, and says so in its file; those of the others need
    /// none, or have none so narrow. <https://code.claude.com/docs/en/permissions>,
    /// <https://geminicli.com/docs/reference/configuration>, <https://opencode.ai/docs/permissions>
    fn of(client: Client, data: &Path) -> Option<Self> {
        let folder = data.join(COPIES);
        let folder = folder.to_str()?;
        match client {
            Client::ClaudeCode => Some(Self::Item(&["permissions", "allow"], format!("Read(/{folder}/**)"))),
            Client::Gemini => Some(Self::Item(&["context", "includeDirectories"], folder.to_owned())),
            Client::OpenCode => Some(Self::Key(&["permission", "external_directory"], format!("{folder}/*"))),
            Client::Cursor
            | Client::ClaudeDesktop
            | Client::VsCode
            | Client::Codex
            | Client::Windsurf
            | Client::Continue
            | Client::Cline
            | Client::Zed
            | Client::JetBrains
            | Client::Goose => None,
        }
    }

    fn at(&self) -> &'static [&'static str] {
        match self {
            Self::Item(at, _) | Self::Key(at, _) => at,
        }
    }
}

/// The text of a client's file with the permission.
pub(super) fn give(client: Client, data: &Path, text: String) -> Result<String, Refusal> {
    let given = match Grant::of(client, data) {
        Some(Grant::Item(at, item)) => merge::add(&text, at, &item, &[]),
        Some(Grant::Key(at, key)) => merge::set(Format::Json, &text, &[at, &[&key]].concat(), &"allow".into()),
        None => return Ok(text),
    };
    match given {
        // A single word for all folders is the person's.
        Err(Refusal::Shape { .. }) => Ok(text),
        given => given,
    }
}

/// The text of a client's file without the permission.
pub(super) fn take(client: Client, data: &Path, text: String) -> Result<String, Refusal> {
    match Grant::of(client, data) {
        Some(Grant::Item(at, item)) => merge::drop(&text, at, &item),
        Some(Grant::Key(at, key)) => merge::remove(Format::Json, &text, &[at, &[&key]].concat()),
        None => Ok(text),
    }
}

/// The groups that the permission needs in a client's file and that aren't there.
pub(super) fn groups(client: Client, data: &Path, whole: &Value) -> Vec<Vec<String>> {
    Grant::of(client, data).map(|grant| missing(whole, grant.at())).unwrap_or_default()
}
