//! A permission question as windows show it: in the queue and in full.

use gate_core::permission::{
    EditUnknown, Permission, PermissionAnswers, PermissionEditable, PermissionFile, PermissionForm, PermissionKind,
    PermissionProgram, PermissionRule, PermissionShown,
};
use serde::{Deserialize, Serialize};

/// What the queue shows of a permission question. Those of one session stand in one row that opens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PermissionSummary {
    /// What kind of act it is.
    pub kind: PermissionKind,
    /// The agent's own name of its tool.
    pub tool: String,
    /// Whether the agent's own prompt stands beside it, so that it may be answered there.
    pub asks_beside: bool,
}

/// A permission question in full. Its diff, headline and digest stand in the request's view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PermissionView {
    /// Whose words these are.
    pub form: PermissionForm,
    /// The agent's own name of its tool.
    pub tool: String,
    /// What kind of act it is.
    pub kind: PermissionKind,
    /// The folder in which it is to happen, as the agent says; empty when unknown.
    pub folder: String,
    /// What of it people look at.
    pub shown: PermissionShown,
    /// All that the tool is to be given: JSON, as the agent sent it.
    pub input: String,
    /// What the agent says of it; nobody has checked it.
    pub says: Option<String>,
    /// The files that an edit names.
    pub files: Vec<PermissionFile>,
    /// Why it can't be known what an edit would do.
    pub unknown: Option<EditUnknown>,
    /// The programs that a command names, as they were found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<PermissionProgram>>", optional))]
    pub programs: Vec<PermissionProgram>,
    /// The rules that the agent offers to keep.
    pub rules: Vec<PermissionRule>,
    /// The answers that its agent takes.
    pub answers: PermissionAnswers,
    /// What of the input the person may change; absent where they may change nothing.
    pub editable: Option<PermissionEditable>,
    /// Whether the agent's own prompt stands beside it.
    pub asks_beside: bool,
    /// What kind of subagent asks, in the agent's words; absent for the agent itself.
    pub subagent: Option<String>,
}

impl PermissionSummary {
    /// What the queue shows.
    #[must_use]
    pub fn of(permission: &Permission) -> Self {
        let Permission { kind, tool, form, .. } = permission;
        Self { kind: *kind, tool: tool.clone(), asks_beside: form.asks_beside() }
    }
}

impl PermissionView {
    /// All of it. Characters stay as they are: whoever shows them marks what would hide.
    #[must_use]
    pub fn of(permission: &Permission) -> Self {
        Self {
            form: permission.form,
            tool: permission.tool.clone(),
            kind: permission.kind,
            folder: permission.folder.clone(),
            shown: permission.shown(),
            input: permission.input.clone(),
            says: permission.says.clone(),
            files: permission.files.clone(),
            unknown: permission.unknown,
            programs: permission.programs.clone(),
            rules: permission.rules.clone(),
            answers: permission.answers(),
            editable: permission.editable(),
            asks_beside: permission.form.asks_beside(),
            subagent: permission.subagent_type.clone().or_else(|| permission.subagent.clone()),
        }
    }
}
