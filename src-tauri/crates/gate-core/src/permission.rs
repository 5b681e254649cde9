//! Questions of agents whether they may: what is asked, what may be answered, and what each agent takes as an answer.
//!
//! Knows no file, connection or hook. What an agent sends is read in `read.rs`, what an edit would do is reckoned in
//! `edit.rs` from what somebody else has read of the files. Asking and answering is in `permitting.rs`.

mod codex;
mod edit;
mod exact;
mod form;
mod hunks;
mod opencode;
mod program;
mod read;
mod rule;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::question::{Part, Parts};

pub use edit::{Change, FileFound, Prepared, prepared};
pub use form::{PermissionAnswers, PermissionForm};
pub use program::{PermissionProgram, Wanted};
pub use read::{PermissionEditable, PermissionKind, PermissionShown, programs};
pub(crate) use read::{command, said};
pub use rule::{PermissionRule, PermissionRuleKind};

/// What an agent asks to be allowed, as it is stored and shown. The headline, the diff of an edit and the rules' labels
/// stand in the question that this is part of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Permission {
    /// Whose words these are, and which answers it takes.
    pub form: PermissionForm,
    /// The agent's own name of its tool.
    pub tool: String,
    /// What kind of act it is.
    pub kind: PermissionKind,
    /// The folder in which it is to happen, as the agent says; empty when unknown.
    pub folder: String,
    /// All that the tool is to be given: JSON, byte for byte as the agent sent it, up to
    /// [`PERMISSION_INPUT_BYTES`](crate::bounds::PERMISSION_INPUT_BYTES).
    pub input: String,
    /// What the agent says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub says: Option<String>,
    /// The files that an edit names, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<PermissionFile>>", optional))]
    pub files: Vec<PermissionFile>,
    /// Why it can't be known what an edit would do; absent where the diff says it, and for what is no edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub unknown: Option<EditUnknown>,
    /// The programs that a command names, as they were found; one of which nothing can be told isn't among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<PermissionProgram>>", optional))]
    pub programs: Vec<PermissionProgram>,
    /// The rules that the agent offers to keep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<PermissionRule>>", optional))]
    pub rules: Vec<PermissionRule>,
    /// The agent's own name of its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub session: Option<String>,
    /// The agent's own name of the subagent that asks; absent for the agent itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub subagent: Option<String>,
    /// What kind of subagent that is, in the agent's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub subagent_type: Option<String>,
    /// The agent's own name of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub turn: Option<String>,
    /// The agent's own name of the tool's use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub tool_use_id: Option<String>,
}

/// A file that an edit names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PermissionFile {
    /// Its path in the agent's words.
    pub path: String,
    /// Where symbolic links lead; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub leads_to: Option<String>,
    /// Whether it lies outside of the folder, links followed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub outside: bool,
    /// Of its bytes when it was looked at; absent where there is no such file, or it can't be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub before: Option<Digest>,
}

/// Why it can't be known what an edit would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum EditUnknown {
    /// The text that it replaces isn't in the file.
    NotFound,
    /// The text that it replaces is there more than once, and one place is meant.
    Several,
    /// The file is no text.
    Binary,
    /// The file has other ends of lines than a line feed; agents differ in what they do to those.
    LineEnds,
    /// The file can't be read: no permission, a folder, a device.
    Unreadable,
    /// The file or the change is too large to be shown.
    TooLarge,
    /// It names no file, or by a path without a folder to begin at.
    NoPath,
    /// Its form isn't one that the gate knows.
    Form,
    /// It doesn't say what it changes.
    Untold,
    /// The file is there already, and it is to be a new one.
    IsThere,
    /// It would change nothing.
    Nothing,
}

impl EditUnknown {
    /// The same in a sentence, for terminals and records.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::NotFound => "What it would do can't be known: the text that it replaces isn't in the file.",
            Self::Several => "What it would do can't be known: the text that it replaces is there more than once.",
            Self::Binary => "What it would do can't be shown: the file is no text.",
            Self::LineEnds => "What it would do can't be known: the file's lines don't end with a line feed alone.",
            Self::Unreadable => "What it would do can't be known: the file can't be read.",
            Self::TooLarge => "What it would do can't be shown: the file or the change is too large.",
            Self::NoPath => "What it would do can't be known: it names no file.",
            Self::Form => "What it would do can't be known: the change has a form that isn't known.",
            Self::Untold => "What it would do can't be known: it doesn't say what it changes.",
            Self::IsThere => "What it would do can't be known: the file is there already, and it is to be a new one.",
            Self::Nothing => "It would change nothing.",
        }
    }
}

impl Permission {
    /// What it is, read from the input: for people to look at.
    #[must_use]
    pub fn shown(&self) -> PermissionShown {
        PermissionShown::of(self.form, self.kind, &self.tool, &self.input)
    }

    /// The answers that its agent takes to this question.
    #[must_use]
    pub fn answers(&self) -> PermissionAnswers {
        let takes = self.form.answers();
        PermissionAnswers {
            edited: takes.edited && self.editable().is_some(),
            rule: takes.rule && !self.rules.is_empty(),
            ..takes
        }
    }

    /// What of the input the person may change before they allow it; absent where the agent takes no changed one.
    #[must_use]
    pub fn editable(&self) -> Option<PermissionEditable> {
        if !self.form.answers().edited {
            return None;
        }
        PermissionEditable::of(self.kind, &self.input)
    }

    /// The files that it changes, as [`Self::places`] has them. Empty for what is no edit; absent where it isn't known which
    /// an edit would change.
    pub(crate) fn paths(&self) -> Option<Vec<String>> {
        if !self.kind.is_edit() {
            return Some(Vec::new());
        }
        if self.unknown == Some(EditUnknown::Form) {
            return None;
        }
        let paths = self.places();
        (!paths.is_empty()).then_some(paths)
    }

    /// Where the files lie that it names: each by its name and by where links lead, from the root on and without `.` and
    /// `..`. Where nobody knows from where a path begins, it stays as it is.
    pub(crate) fn places(&self) -> Vec<String> {
        let named = self.files.iter().flat_map(|file| [Some(&file.path), file.leads_to.as_ref()]);
        let place = |path: &String| place(&self.folder, path).unwrap_or_else(|| path.clone());
        named.flatten().map(place).collect()
    }

    /// All words in it, as the agent means them: those of the input without JSON's escapes.
    pub(crate) fn texts(&self) -> Vec<String> {
        let mut texts = vec![self.tool.clone(), self.folder.clone()];
        texts.extend(self.says.clone());
        texts.extend(self.files.iter().flat_map(|file| [Some(file.path.clone()), file.leads_to.clone()]).flatten());
        match serde_json::from_str(&self.input) {
            Ok(input) => read::all_texts(&input, &mut texts),
            Err(_) => texts.push(self.input.clone()),
        }
        texts
    }

    /// What of it counts.
    pub(crate) fn parts(&self) -> Parts<'_> {
        let Self {
            form,
            tool,
            kind,
            folder,
            input,
            says,
            files,
            unknown,
            programs,
            rules,
            session,
            subagent,
            subagent_type,
            turn,
            tool_use_id,
        } = self;
        let optional =
            |name, heading, text: &'_ Option<String>| text.clone().map(|text| Part::headed(name, heading, text));
        let parts = [
            Some(Part::headed("form", "asked by", form.as_str())),
            Some(Part::headed("tool", "tool", tool)),
            Some(Part::headed("kind", "kind", kind.as_str())),
            Some(Part::headed("folder", "folder", folder)),
            Some(Part::headed("input", "all that it is given", input)),
            optional("says", "it says", says),
            Some(Part::each("files", files.iter().map(PermissionFile::parts))),
            unknown.map(|why| Part::headed("unknown", "what it would do", why.in_words())),
            // Most have none, and keep the digest that they had.
            (!programs.is_empty()).then(|| Part::each("programs", programs.iter().map(PermissionProgram::parts))),
            Some(Part::each("rules", rules.iter().map(PermissionRule::parts))),
            optional("session", "session", session),
            optional("subagent", "subagent", subagent),
            optional("subagent_type", "kind of subagent", subagent_type),
            optional("turn", "turn", turn),
            optional("tool_use_id", "use", tool_use_id),
        ];
        Parts(parts.into_iter().flatten().collect())
    }
}

/// A path from the root on, without `.`, `..`, doubled slashes and blanks around it, by its words alone; absent where
/// nobody knows from where it begins.
fn place(folder: &str, path: &str) -> Option<String> {
    let path = path.trim();
    let folder = if path.starts_with('/') { "/" } else { folder };
    if !folder.starts_with('/') {
        return None;
    }
    let mut parts = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Some(format!("/{}", parts.join("/")))
}

impl PermissionFile {
    fn parts(&self) -> Parts<'_> {
        let Self { path, leads_to, outside, before } = self;
        let parts = [
            Some(Part::headed("path", "file", path)),
            leads_to.as_deref().map(|path| Part::headed("leads_to", "the file leads to", path)),
            Some(Part::mark("outside", "of the file", "outside of the folder", *outside)),
            before.map(|digest| Part::headed("before", "digest of the file", digest.to_string())),
        ];
        Parts(parts.into_iter().flatten().collect())
    }
}
