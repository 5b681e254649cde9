//! What the agents' own tools do with an edit, as plainly as can be, and what they ask: Claude Code 2.1.197's `Edit`, `MultiEdit` and
//! `Write`, and a whole text by ACP. Codex's and opencode's are in `patch.rs` and `opencode.rs`. They share nothing with what the
//! gate reckons. What a tool finds by likeness isn't in here: `Unsaid`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gate_core::PermissionQuestion;
use serde_json::json;

use super::{Held, opencode, patch};

/// What a tool does.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// Files hold this then.
    Writes(Held),
    /// Nothing: it refuses.
    Refuses,
    /// What isn't in its rules here.
    Unsaid,
}

/// A use of a tool.
#[derive(Debug, Clone)]
pub(super) enum Call {
    Edit {
        path: String,
        old: String,
        new: String,
        all: bool,
    },
    MultiEdit {
        path: String,
        edits: Vec<(String, String)>,
    },
    Write {
        path: String,
        content: String,
    },
    Patch(String),
    Opencode(opencode::Call),
    Told {
        path: String,
        old: Option<String>,
        new: String,
    },
    /// Something that no rule here is about.
    Odd {
        form: &'static str,
        tool: &'static str,
        input: String,
    },
}

impl Call {
    /// What the agent asks; absent where its tool refuses before.
    pub(super) fn question(&self, folder: &Path) -> Option<PermissionQuestion> {
        let (form, tool, input) = match self {
            Self::Edit { path, old, new, all } => {
                let input = json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": all});
                ("claude_hook", "Edit", input.to_string())
            }
            Self::MultiEdit { path, edits } => {
                let edits = edits.iter().map(|(old, new)| json!({"old_string": old, "new_string": new}));
                let edits: Vec<_> = edits.collect();
                ("claude_prompt", "MultiEdit", json!({"file_path": path, "edits": edits}).to_string())
            }
            Self::Write { path, content } => {
                ("claude_prompt", "Write", json!({"file_path": path, "content": content}).to_string())
            }
            Self::Patch(patch) => ("codex_hook", "apply_patch", json!({ "command": patch }).to_string()),
            Self::Opencode(call) => ("opencode", "edit", call.input(folder)?),
            Self::Told { path, old, new } => {
                let diff = json!({"type": "diff", "path": folder.join(path), "oldText": old, "newText": new});
                ("acp", "edit", json!({"toolCallId": "t", "kind": "edit", "content": [diff]}).to_string())
            }
            Self::Odd { form, tool, input } => (*form, *tool, input.clone()),
        };
        let question = json!({"form": form, "tool": tool, "input": input, "folder": folder});
        Some(serde_json::from_value(question).expect("it is a question"))
    }

    /// What its tool does to the files that are there.
    pub(super) fn does(&self, folder: &Path) -> Does {
        let place = |path: &str| real(&folder.join(path));
        match self {
            Self::Edit { path, old, new, all } => claudes(&place(path), &[(old, new, *all)]),
            Self::MultiEdit { path, edits } => {
                let edits: Vec<_> = edits.iter().map(|(old, new)| (old.as_str(), new.as_str(), false)).collect();
                claudes(&place(path), &edits)
            }
            Self::Write { path, content } => writes(place(path), content),
            Self::Patch(text) => patch::does(text, folder),
            Self::Opencode(call) => call.does(folder),
            Self::Told { path, old, new } => match (fs::read_to_string(place(path)), old) {
                (Ok(before), Some(old)) if before == *old => writes(place(path), new),
                (Err(_), None) => writes(place(path), new),
                (Err(_), Some(old)) if old.is_empty() => writes(place(path), new),
                _ => Does::Unsaid,
            },
            Self::Odd { .. } => Does::Unsaid,
        }
    }
}

/// Where a path leads, links followed, whether anything is there or not.
pub(super) fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(above), Some(name)) => real(above).join(name),
        (Some(above), None) if path.ends_with("..") => real(above).parent().map(Path::to_owned).unwrap_or_default(),
        _ => path.to_owned(),
    }
}

pub(super) fn writes(place: PathBuf, text: &str) -> Does {
    Does::Writes(BTreeMap::from([(place, Some(text.as_bytes().to_vec()))]))
}

/// As JavaScript's `trim` has it.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}'))
}

/// `Edit` and `MultiEdit`: it reads lines without their carriage returns, and writes them all with one where most have one.
fn claudes(place: &Path, edits: &[(&str, &str, bool)]) -> Does {
    let bytes = fs::read(place);
    let Ok(raw) = bytes.as_ref().map_or(Ok(""), |bytes| std::str::from_utf8(bytes)) else { return Does::Unsaid };
    let head: String = raw.chars().take(4096).collect();
    let with = head.matches("\r\n").count();
    let returns = with > head.matches('\n').count() - with;
    let before = raw.replace("\r\n", "\n");
    let mut text = before.clone();
    let mut brought: Vec<&str> = Vec::new();
    for (old, new, all) in edits {
        let sought = old.trim_end_matches('\n');
        if old == new || (!sought.is_empty() && brought.iter().any(|text| text.contains(sought))) {
            return Does::Refuses;
        }
        if old.is_empty() {
            if !is_blank(&text) {
                return Does::Refuses;
            }
            text = (*new).to_owned();
        } else {
            let found = text.matches(old).count();
            if found == 0 {
                return if bytes.is_ok() { Does::Unsaid } else { Does::Refuses };
            }
            if found > 1 && !all {
                return Does::Refuses;
            }
            let line = format!("{old}\n");
            let takes =
                if new.is_empty() && !old.ends_with('\n') && text.contains(&line) { line.as_str() } else { old };
            text = text.split(takes).collect::<Vec<_>>().join(new);
        }
        brought.push(new);
    }
    if text == before && bytes.is_ok() {
        return Does::Refuses;
    }
    writes(place.to_owned(), &if returns { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text })
}
