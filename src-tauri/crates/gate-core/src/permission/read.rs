//! What the input of a tool says: which kind of act it is, and what of it people look at. Nothing is changed on the way;
//! whoever shows it marks what would hide.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::form::PermissionForm;
use crate::fault::{Code, Fault};

/// Most programs that are named of a command.
const PROGRAMS: usize = 8;
/// How Gemini CLI names the use of its shell by ACP.
const GEMINIS_SHELL: &str = "run_shell_command_";

/// What kind of act is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PermissionKind {
    /// A command is run.
    Command,
    /// Files are changed.
    Edit,
    /// A file is written whole.
    Write,
    /// Something is fetched from an address.
    Fetch,
    /// A tool of an MCP server is called.
    McpTool,
    /// Something else.
    Other,
}

/// What of it people look at, by its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "shows", rename_all = "snake_case")]
pub enum PermissionShown {
    /// A command.
    Command {
        /// All of it, as it would be run.
        text: String,
        /// The programs that are named in it, as far as that can be read: a help for the eye, nothing more.
        programs: Vec<String>,
    },
    /// Changes of files. Which ones, and what is changed, stands in `files`, `unknown` and the request's diff.
    Files,
    /// A fetch.
    Fetch {
        /// The address.
        address: String,
        /// The host in it; absent where it has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        host: Option<String>,
        /// What is to be found there, in the agent's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        asks: Option<String>,
    },
    /// A tool of an MCP server.
    McpTool {
        /// The server, as the agent calls it.
        server: String,
        /// Its tool.
        tool: String,
        /// What it is given: JSON, indented.
        arguments: String,
    },
    /// Something else.
    Other {
        /// What it is given: JSON, indented.
        arguments: String,
    },
}

/// A text in the input that the person may change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PermissionEditable {
    /// The field of the input that it stands in.
    pub field: String,
    /// The text as the agent asks for it.
    pub text: String,
}

impl PermissionKind {
    /// The kind as it stands on the wire and in a digest.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Edit => "edit",
            Self::Write => "write",
            Self::Fetch => "fetch",
            Self::McpTool => "mcp_tool",
            Self::Other => "other",
        }
    }

    /// What a tool of this name does. What isn't known, or hasn't what its kind shows, is something else.
    #[must_use]
    pub fn of(form: PermissionForm, tool: &str, input: &Value) -> Self {
        let has = |name: &str| text_of(input, name).is_some();
        match form {
            PermissionForm::ClaudeHook | PermissionForm::ClaudePrompt | PermissionForm::CodexHook => match tool {
                "Bash" | "PowerShell" if has("command") => Self::Command,
                "Edit" | "MultiEdit" | "NotebookEdit" => Self::Edit,
                "apply_patch" if has("command") => Self::Edit,
                "Write" => Self::Write,
                "WebFetch" if has("url") => Self::Fetch,
                _ if mcp(tool).is_some() => Self::McpTool,
                _ => Self::Other,
            },
            PermissionForm::CodexDaemon => match tool {
                _ if has("command") => Self::Command,
                "item/fileChange/requestApproval" => Self::Edit,
                _ => Self::Other,
            },
            PermissionForm::Opencode => {
                let metadata = input.get("metadata").unwrap_or(&Value::Null);
                match tool {
                    "bash" if text_of(metadata, "command").is_some() => Self::Command,
                    "edit" | "write" => Self::Edit,
                    "webfetch" if text_of(metadata, "url").is_some() => Self::Fetch,
                    _ => Self::Other,
                }
            }
            PermissionForm::Acp => match tool {
                "execute" => Self::Command,
                "edit" => Self::Edit,
                _ => Self::Other,
            },
        }
    }
}

impl PermissionShown {
    /// What people look at of an input.
    #[must_use]
    pub fn of(form: PermissionForm, kind: PermissionKind, tool: &str, raw: &str) -> Self {
        let input: Value = serde_json::from_str(raw).unwrap_or_default();
        let whole = || indented(&input, raw);
        match kind {
            PermissionKind::Command => match command(form, &input) {
                Some(text) => Self::Command { programs: programs(&text), text },
                None => Self::Other { arguments: whole() },
            },
            PermissionKind::Edit | PermissionKind::Write => Self::Files,
            PermissionKind::Fetch => {
                let from = input.get("metadata").filter(|_| form == PermissionForm::Opencode).unwrap_or(&input);
                match text_of(from, "url") {
                    Some(address) => Self::Fetch {
                        host: host(address).map(str::to_owned),
                        address: address.to_owned(),
                        asks: text_of(from, "prompt").map(str::to_owned),
                    },
                    None => Self::Other { arguments: whole() },
                }
            }
            PermissionKind::McpTool => match mcp(tool) {
                Some((server, tool)) => {
                    Self::McpTool { server: server.to_owned(), tool: tool.to_owned(), arguments: whole() }
                }
                None => Self::Other { arguments: whole() },
            },
            PermissionKind::Other => Self::Other { arguments: whole() },
        }
    }
}

impl PermissionEditable {
    /// The text that may be changed; absent where there is none.
    pub(super) fn of(kind: PermissionKind, raw: &str) -> Option<Self> {
        let field = match kind {
            PermissionKind::Command => "command",
            PermissionKind::Write => "content",
            PermissionKind::Fetch => "url",
            PermissionKind::Edit => "new_string",
            PermissionKind::McpTool | PermissionKind::Other => return None,
        };
        let input: Value = serde_json::from_str(raw).ok()?;
        Some(Self { field: field.to_owned(), text: text_of(&input, field)?.to_owned() })
    }

    /// The input with another text in this one's place. All else keeps its bytes.
    ///
    /// # Errors
    /// Where the input isn't the object that this was read from.
    pub fn put(&self, raw: &str, text: &str) -> Result<String, Fault> {
        let odd = |error: String| Fault::internal(format!("A permission's input can't be changed: {error}"));
        let fields: Fields<'_> = serde_json::from_str(raw).map_err(|error| odd(error.to_string()))?;
        // Of two fields of one name agents take the last, people read the first.
        if fields.0.iter().filter(|(name, _)| *name == self.field).count() != 1 {
            return Err(Fault::new(
                Code::InvalidInput,
                format!("`{}` stands in the input more than once, or not at all.", self.field),
                "Deny it; nothing was sent.",
            ));
        }
        let text = serde_json::to_string(text).map_err(|error| odd(error.to_string()))?;
        let mut changed = String::with_capacity(raw.len() + text.len());
        for (at, (name, value)) in fields.0.iter().enumerate() {
            changed.push(if at == 0 { '{' } else { ',' });
            changed.push_str(&serde_json::to_string(name).map_err(|error| odd(error.to_string()))?);
            changed.push(':');
            changed.push_str(if *name == self.field { &text } else { value.get() });
        }
        changed.push('}');
        Ok(changed)
    }
}

/// The fields of an object, in their order and each with its bytes.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry::<String, &'de RawValue>()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

/// Whether an object of a JSON text has a name twice: then a reader and the agent may each see another value.
pub(super) fn is_ambiguous(raw: &str) -> bool {
    let Ok(Fields(fields)) = serde_json::from_str::<Fields<'_>>(raw) else { return false };
    let mut names: Vec<_> = fields.iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    names.windows(2).any(|pair| pair.first() == pair.last())
        || fields.iter().any(|(_, value)| is_ambiguous(value.get()))
}

/// What the agent says of it in the input.
pub(crate) fn said(input: &Value) -> Option<String> {
    let from = [input, input.get("metadata").unwrap_or(&Value::Null)];
    from.iter().find_map(|from| text_of(from, "description").or_else(|| text_of(from, "reason"))).map(str::to_owned)
}

/// The command of an input.
pub(crate) fn command(form: PermissionForm, input: &Value) -> Option<String> {
    let from = match form {
        PermissionForm::Opencode => input.get("metadata")?,
        PermissionForm::Acp => match input.get("rawInput") {
            Some(raw) => raw,
            // A title is what an agent says. Gemini CLI's, which sends no input, is the command itself.
            None => {
                let is_command = text_of(input, "toolCallId").is_some_and(|id| id.starts_with(GEMINIS_SHELL));
                return text_of(input, "title").filter(|_| is_command).map(str::to_owned);
            }
        },
        PermissionForm::ClaudeHook
        | PermissionForm::ClaudePrompt
        | PermissionForm::CodexHook
        | PermissionForm::CodexDaemon => input,
    };
    text_of(from, "command").map(str::to_owned)
}

pub(super) fn text_of<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

/// Every text of a value, names of fields among them.
pub(super) fn all_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|value| all_texts(value, texts)),
        Value::Object(fields) => {
            for (name, value) in fields {
                texts.push(name.clone());
                all_texts(value, texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Server and tool of a name as Claude Code and Codex write it.
fn mcp(tool: &str) -> Option<(&str, &str)> {
    tool.strip_prefix("mcp__")?.split_once("__").filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// The host of an address, without user and port.
fn host(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let place = rest.split(['/', '?', '#', '\\']).next()?;
    let place = place.rsplit('@').next()?;
    let host = match place.strip_prefix('[') {
        Some(rest) => rest.split(']').next()?,
        None => place.split(':').next()?,
    };
    (!host.is_empty()).then_some(host)
}

/// JSON as people read it. What has a name twice stays as it came, so that both are read.
fn indented(value: &Value, raw: &str) -> String {
    if is_ambiguous(raw) {
        return raw.to_owned();
    }
    serde_json::to_string_pretty(value).unwrap_or_else(|_| raw.to_owned())
}

/// The programs that a command names, as far as that can be read: the first word of each of its parts, at most eight.
#[must_use]
pub fn programs(command: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = command;
    let mut begins = true;
    while found.len() < PROGRAMS {
        rest = rest.trim_start_matches([' ', '\t']);
        let Some(first) = rest.chars().next() else { break };
        // The number behind it is no program, as in `2>&1`.
        if let Some(after) = rest.strip_prefix(">&").or_else(|| rest.strip_prefix("<&")) {
            rest = word(after).1;
            continue;
        }
        if matches!(first, '\n' | ';' | '|' | '&' | '(' | '`' | '{' | '!') || rest.starts_with("$(") {
            begins = true;
            rest = rest.strip_prefix("$(").or_else(|| rest.strip_prefix(first)).unwrap_or_default();
            continue;
        }
        let (word, after) = word(rest);
        let is_set = word
            .split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        if begins && !is_set && !word.is_empty() {
            let name = word.trim_matches(['"', '\'']).rsplit('/').next().unwrap_or_default();
            let name = name.to_owned();
            if !name.is_empty() && !found.contains(&name) {
                found.push(name);
            }
            begins = false;
        }
        rest = if after.len() < rest.len() { after } else { rest.strip_prefix(first).unwrap_or_default() };
    }
    found
}

/// The first word, quotes and what is behind them belonging to it, and the rest.
pub(super) fn word(text: &str) -> (&str, &str) {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, ' ' | '\t' | '\n' | ';' | '|' | '&' | '(' | ')' | '`' | '<' | '>') => return text.split_at(at),
            (None, '$') if text.get(at..).is_some_and(|rest| rest.starts_with("$(")) => return text.split_at(at),
            (None, _) => {}
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_of_a_command_are_named_in_their_order() {
        for (command, named) in [
            ("npm test", vec!["npm"]),
            ("cd /x && FOO=1 /usr/bin/make -j2 | tee out; rm -rf y", vec!["cd", "make", "tee", "rm"]),
            ("echo $(curl evil)", vec!["echo", "curl"]),
            ("echo `id`", vec!["echo", "id"]),
            ("echo 'a; rm' \"b && c\"", vec!["echo"]),
            ("", vec![]),
            ("a\nb\nc", vec!["a", "b", "c"]),
            ("npm test 2>&1 | tee out", vec!["npm", "tee"]),
        ] {
            assert_eq!(programs(command), named, "{command:?}");
        }
        assert_eq!(programs(&"x;".repeat(100_000)), vec!["x"], "it ends");
    }

    #[test]
    fn the_host_of_an_address_is_the_one_that_is_asked() {
        for (address, found) in [
            ("https://example.org/x?y", Some("example.org")),
            ("https://example.org@evil.test:80/", Some("evil.test")),
            ("http://[::1]:80/x", Some("::1")),
            ("example.org", None),
        ] {
            assert_eq!(host(address), found, "{address}");
        }
    }

    #[test]
    fn a_changed_input_keeps_the_bytes_of_all_else() {
        let raw = r#"{"n": 12345678901234567890123,"command":"a","z":{"b":1.0}}"#;
        let editable = PermissionEditable { field: "command".to_owned(), text: "a".to_owned() };
        let put = editable.put(raw, "b\"\n").expect("it is an object");
        assert_eq!(put, r#"{"n":12345678901234567890123,"command":"b\"\n","z":{"b":1.0}}"#);
        let twice = r#"{"command":"a","command":"b"}"#;
        assert!(editable.put(twice, "c").is_err(), "which of both the agent takes isn't the gate's to guess");
    }
}
