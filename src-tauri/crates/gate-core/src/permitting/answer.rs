//! What the person answers, and how it stands in the record: as a decision with a text and a chosen option, so that
//! receipts, copies and exports have all of it.

use serde::{Deserialize, Serialize};

use super::PermissionVerdict;
use crate::ask::{Ask, Choice, at_most_bytes, excerpt};
use crate::bounds;
use crate::fault::{Code, Fault};
use crate::permission::{Permission, PermissionRule};
use crate::reply::{Decision, Draft};

/// The option that stands for a changed input.
pub(super) const EDITED: &str = "Changed by the person, and allowed";

/// What the person answers to a permission question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum PermissionAnswer {
    /// It may, this once.
    Once,
    /// It may not.
    Deny {
        /// What the model is told, up to [`bounds::REPLY_BYTES`]; may be empty.
        #[serde(default)]
        reason: String,
    },
    /// It may, with another text in the place of [`PermissionEditable::text`](crate::permission::PermissionEditable).
    Edited {
        /// The text.
        text: String,
    },
    /// It may, and the agent keeps this rule of its own.
    Rule {
        /// The rule's id.
        id: String,
    },
}

impl Permission {
    /// The options of the request that this is asked by: what the person may choose besides yes and no.
    #[must_use]
    pub fn options(&self) -> Vec<Choice> {
        let answers = self.answers();
        let mut options: Vec<Choice> = Vec::new();
        if answers.edited {
            options.push(Choice { label: EDITED.to_owned(), description: None, recommended: false });
        }
        if answers.rule {
            options.extend(self.rules.iter().map(|rule| Choice {
                label: rule.label(),
                description: Some(excerpt(&rule.raw, bounds::OPTION_DESCRIPTION_CHARS - 1)),
                recommended: false,
            }));
        }
        options
    }

    /// A rule by its option's label.
    fn rule_of(&self, label: &str) -> Option<&PermissionRule> {
        self.rules.iter().find(|rule| label == rule.label())
    }
}

impl PermissionAnswer {
    /// Whether something is allowed by it.
    #[must_use]
    pub const fn allows(&self) -> bool {
        !matches!(self, Self::Deny { .. })
    }

    /// The answer as a reply to this question.
    ///
    /// # Errors
    /// `other_kind` where it is none of a permission; `invalid_input` where its agent doesn't take such an answer;
    /// `too_large`.
    pub fn as_reply(&self, ask: &Ask) -> Result<(Decision, Draft), Fault> {
        let permission = ask.permission.as_deref().ok_or_else(not_a_permission)?;
        let takes = permission.answers();
        let draft = Draft::default();
        Ok(match self {
            Self::Once => (Decision::Approved, draft),
            Self::Deny { reason } => {
                if !takes.reason && !reason.trim().is_empty() {
                    return Err(not_taken("a denial with a sentence"));
                }
                at_most_bytes("reason", reason, bounds::REPLY_BYTES)?;
                (Decision::ChangesRequested, Draft { text: reason.clone(), ..draft })
            }
            Self::Edited { text } => {
                let editable =
                    permission.editable().filter(|_| takes.edited).ok_or_else(|| not_taken("a changed input"))?;
                at_most_bytes("text", text, bounds::REPLY_BYTES)?;
                editable.put(&permission.input, text)?;
                (Decision::Approved, Draft { text: text.clone(), selected: vec![EDITED.to_owned()], ..draft })
            }
            Self::Rule { id } => {
                let rule = permission.rules.iter().find(|rule| takes.rule && rule.id == *id);
                let rule = rule.ok_or_else(|| not_taken("this rule"))?;
                (Decision::Approved, Draft { selected: vec![rule.label()], ..draft })
            }
        })
    }
}

impl PermissionVerdict {
    /// Checks that what is to be stored as the reply to a permission question is one of its answers, by whichever way it
    /// came. Any other question has replies of its own.
    ///
    /// # Errors
    /// `internal` where it isn't.
    pub fn check_reply(ask: &Ask, decision: Option<Decision>, draft: &Draft) -> Result<(), Fault> {
        if ask.permission.is_none() {
            return Ok(());
        }
        Self::of_answer(ask, decision, &draft.text, &draft.selected)?;
        match draft.comments.is_empty() && draft.remarks.is_empty() && draft.attachments.is_empty() {
            true => Ok(()),
            false => Err(Fault::internal("A permission's answer has comments or files.")),
        }
    }

    /// What a reply to this question says, by its decision, its text and what is chosen in it. Whatever isn't one of the
    /// question's answers is none: nothing is allowed by it.
    ///
    /// # Errors
    /// Where the reply is none that [`PermissionAnswer::as_reply`] makes.
    pub fn of_answer(ask: &Ask, decision: Option<Decision>, text: &str, selected: &[String]) -> Result<Self, Fault> {
        let permission = ask.permission.as_deref().ok_or_else(not_a_permission)?;
        let odd = || Fault::internal("A permission has a reply that is none of its answers.");
        if decision.ok_or_else(odd)? == Decision::ChangesRequested {
            let reason = Some(text.to_owned()).filter(|text| !text.trim().is_empty());
            return Ok(Self::Deny { reason });
        }
        match selected {
            [] if text.is_empty() => Ok(Self::Allow { input: None, rule: None }),
            [label] if label == EDITED => {
                let editable = permission.editable().ok_or_else(odd)?;
                Ok(Self::Allow { input: Some(editable.put(&permission.input, text)?), rule: None })
            }
            [label] if text.is_empty() => {
                let rule = permission.rule_of(label).ok_or_else(odd)?;
                Ok(Self::Allow { input: None, rule: Some(rule.raw.clone()) })
            }
            _ => Err(odd()),
        }
    }
}

/// Why an answer to a permission is none to another question.
#[must_use]
pub fn not_a_permission() -> Fault {
    Fault::new(
        Code::OtherKind,
        "This request isn't a permission question.",
        "Answer it as the kind of request that it is; nothing was sent.",
    )
}

fn not_taken(what: &str) -> Fault {
    Fault::new(
        Code::InvalidInput,
        format!("The agent that asks doesn't take {what}."),
        "Allow it once, or deny it; nothing was sent.",
    )
}
