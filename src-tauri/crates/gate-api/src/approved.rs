//! What is asked on the relays' socket beside MCP: whether something was approved. A line of JSON each way.

use gate_core::{Assurance, Fault, Oid};
use serde::{Deserialize, Serialize};

/// Whether approvals lead from one of these trees to another, each shown on what the one before it led to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskApproved {
    /// Up to [`gate_core::bounds::APPROVED_FROM`].
    pub from: Vec<Oid>,
    /// The tree.
    pub to: Oid,
    /// How sure each of them has to be.
    pub require: Assurance,
    /// Whether the protected branch has it: then they don't expire.
    pub landed: bool,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approved {
    /// They do.
    Yes,
    /// They don't: a stable word that says why.
    No(String),
    /// It can't be said.
    Fault(Fault),
}
