//! The rules that agents offer to keep, in words. What goes back is the bytes that were offered.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::form::PermissionForm;
use crate::bounded::{at_most_bytes, excerpt};
use crate::bounds;
use crate::fault::Fault;
use crate::question::{Part, Parts};
use crate::unseen::visible;

/// What a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PermissionRuleKind {
    /// It allows what is named from now on.
    Allows,
    /// It changes how the agent asks: wide.
    Mode,
    /// It opens further folders: wide.
    Folders,
    /// Something else, shown as it is: it counts as wide.
    Other,
}

impl PermissionRuleKind {
    /// The kind as it stands on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allows => "allows",
            Self::Mode => "mode",
            Self::Folders => "folders",
            Self::Other => "other",
        }
    }
}

/// A rule that an agent offers to keep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PermissionRule {
    /// Its name in the answer: its place from 1.
    pub id: String,
    /// What it is about.
    pub kind: PermissionRuleKind,
    /// What it names: commands, tools, a mode, folders.
    pub what: Vec<String>,
    /// Where the agent keeps it, in its words, e.g. `localSettings`; absent where it doesn't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub kept: Option<String>,
    /// The rule: JSON, byte for byte as the agent offered it.
    pub raw: String,
}

impl PermissionRule {
    /// The rules of a question, in the agent's order.
    ///
    /// # Errors
    /// `too_large` for one that is longer than [`bounds::PERMISSION_RULE_BYTES`].
    pub fn all_of(form: PermissionForm, offered: &[String]) -> Result<Vec<Self>, Fault> {
        let mut rules = Vec::with_capacity(offered.len());
        for (index, raw) in offered.iter().enumerate() {
            at_most_bytes(&format!("offered[{index}]"), raw, bounds::PERMISSION_RULE_BYTES)?;
            rules.push(Self::of(form, index + 1, raw));
        }
        Ok(rules)
    }

    fn of(form: PermissionForm, place: usize, raw: &str) -> Self {
        let value: Value = serde_json::from_str(raw).unwrap_or_default();
        let (kind, what) = match form {
            PermissionForm::ClaudeHook | PermissionForm::ClaudePrompt => claude(&value),
            PermissionForm::Opencode | PermissionForm::CodexDaemon => (PermissionRuleKind::Allows, strings(&value)),
            // What an option does is in its name alone.
            PermissionForm::Acp => {
                let name = value.get("name").and_then(Value::as_str).filter(|name| !name.trim().is_empty());
                (PermissionRuleKind::Other, name.map(str::to_owned).into_iter().collect())
            }
            PermissionForm::CodexHook => (PermissionRuleKind::Other, Vec::new()),
        };
        let (kind, what) = match what.is_empty() {
            true => (PermissionRuleKind::Other, vec![excerpt(raw, 200)]),
            false => (kind, what),
        };
        let kept = match form {
            PermissionForm::ClaudeHook | PermissionForm::ClaudePrompt => {
                value.get("destination").and_then(Value::as_str).map(str::to_owned)
            }
            PermissionForm::Opencode => Some("session".to_owned()),
            PermissionForm::CodexDaemon => Some("userSettings".to_owned()),
            PermissionForm::CodexHook | PermissionForm::Acp => None,
        };
        Self { id: place.to_string(), kind, what, kept, raw: raw.to_owned() }
    }

    /// The same on a line, with what would hide made visible.
    #[must_use]
    pub fn in_words(&self) -> String {
        let what = self.what.join(", ");
        let said = match self.kind {
            PermissionRuleKind::Allows => format!("Always allow {what}"),
            PermissionRuleKind::Mode => format!("Switch to the mode {what}, in which it asks less"),
            PermissionRuleKind::Folders => format!("Open these folders, too: {what}"),
            PermissionRuleKind::Other => format!("Keep the rule {what}"),
        };
        let said = match &self.kept {
            Some(kept) => format!("{said} ({kept})"),
            None => said,
        };
        visible(&excerpt(&said, bounds::OPTION_LABEL_CHARS - 10))
    }

    /// The option that stands for it.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{}. {}", self.id, self.in_words())
    }

    pub(super) fn parts(&self) -> Parts<'_> {
        let Self { id, kind: _, what: _, kept: _, raw } = self;
        Parts(vec![Part::headed("id", "rule", id), Part::headed("raw", "the rule as it is offered", raw)])
    }
}

/// What a suggestion of Claude Code's says.
fn claude(value: &Value) -> (PermissionRuleKind, Vec<String>) {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "addRules" if text("behavior") == "allow" => {
            let rules = value.get("rules").and_then(Value::as_array).cloned().unwrap_or_default();
            let said = rules.iter().filter_map(|rule| {
                let tool = rule.get("toolName")?.as_str()?;
                let content = rule.get("ruleContent").and_then(Value::as_str);
                Some(content.map_or_else(|| tool.to_owned(), |content| format!("{tool}({content})")))
            });
            let said: Vec<_> = said.collect();
            // One that can't be said is no rule that is said.
            if said.len() == rules.len() {
                (PermissionRuleKind::Allows, said)
            } else {
                (PermissionRuleKind::Other, Vec::new())
            }
        }
        "setMode" => (PermissionRuleKind::Mode, vec![text("mode").to_owned()]),
        "addDirectories" => (PermissionRuleKind::Folders, value.get("directories").map(strings).unwrap_or_default()),
        _ => (PermissionRuleKind::Other, Vec::new()),
    }
}

fn strings(value: &Value) -> Vec<String> {
    let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<_> = all.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if texts.len() == all.len() { texts } else { Vec::new() }
}
