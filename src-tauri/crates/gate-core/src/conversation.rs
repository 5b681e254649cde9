//! The record of a session as it is read again: what it is, its messages, its checkpoints.

use serde::{Deserialize, Serialize};

use crate::ask::at_most_chars;
use crate::assurance::{AnsweredFrom, Assurance};
use crate::bounds;
use crate::fault::{Code, Fault};
use crate::ids::{CheckpointId, RequestId, RestoreId, SessionUuid};
use crate::permitting::PermissionSaid;
use crate::progress::Progress;
use crate::reply::{Attachment, Decision, LineComment, Remark};
use crate::request::RequestStatus;
use crate::session::SessionStatus;
use crate::timestamp::Timestamp;

/// A conversation without its messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// Its session.
    pub session_uuid: SessionUuid,
    /// The headline of its first question; empty while it has asked nothing.
    pub title: String,
    /// Where its session stands.
    pub status: SessionStatus,
    /// The client's own name.
    pub client: String,
    /// The client's own version.
    pub client_version: String,
    /// The folder that its agent works in; empty when unknown.
    pub workspace: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When something last happened in it.
    pub updated_at: Timestamp,
    /// How many messages it has, superseded ones among them.
    pub messages: u64,
    /// How far its work is.
    pub progress: Option<Progress>,
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The agent, asking.
    Agent,
    /// The person, answering.
    Person,
}

impl Role {
    /// The role as it stands on the wire and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Person => "person",
        }
    }

    /// Reads what [`Self::as_str`] wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Agent, Self::Person].into_iter().find(|role| role.as_str() == text)
    }
}

/// Why what a person said isn't in a message that an agent reads again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Withheld {
    /// The person has revoked it since.
    Revoked,
    /// It isn't what the person gave here.
    NotGivenHere,
}

/// One message of a conversation: a question with what became of it, a reply, or a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its place in the record; later messages have larger ones.
    pub message_id: i64,
    /// The question that it puts or answers. Of a note: its own identifier, which no request has.
    pub request_id: RequestId,
    /// Who said it.
    pub role: Role,
    /// Whether it is a note of the person's, which answers nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub note: bool,
    /// What was said.
    pub text: String,
    /// When.
    pub created_at: Timestamp,
    /// Whether the conversation was taken back to a checkpoint before it.
    pub superseded: bool,
    /// Of a question: its headline, where the agent gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Of a question: what became of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<RequestStatus>,
    /// Of a question: whether it came with a diff.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_diff: bool,
    /// Of a reply: what the person decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// Of a reply: the chosen options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selected: Vec<String>,
    /// Of a reply: comments on lines of the diff.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<LineComment>,
    /// Of a reply: comments on passages of the message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// Of a reply: its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// Of a reply: how it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_from: Option<AnsweredFrom>,
    /// Of a reply: how sure it is that the person gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assurance: Option<Assurance>,
    /// Of a reply: when it came from another record; it was given there, and answered nothing here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_at: Option<Timestamp>,
    /// Of a permission question: what it says of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<PermissionSaid>,
    /// Of a reply that an agent reads again: why nothing of it is here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Withheld>,
}

/// A named snapshot of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Checkpoint {
    /// Its identifier.
    pub checkpoint_id: CheckpointId,
    /// Its name, unique in the conversation.
    pub name: String,
    /// What it stands for.
    pub description: Option<String>,
    /// How many messages the conversation had then, without superseded ones.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub messages: u64,
    /// How far its work was.
    pub progress: Option<Progress>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What came of taking a conversation back to a checkpoint, or of undoing that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Restored {
    /// The conversation.
    pub session_uuid: SessionUuid,
    /// The restore, to be named for undoing it.
    pub restore_id: RestoreId,
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// How many messages it marked as superseded.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub superseded: u64,
    /// The progress now.
    pub progress: Option<Progress>,
    /// When the conversation was taken back.
    pub restored_at: Timestamp,
    /// When that was undone; absent while it holds.
    pub undone_at: Option<Timestamp>,
}

/// Which messages of a conversation hold: those after one message up to and with another, in order.
/// A conversation's own list is open at its end, a checkpoint's is closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Visible(Vec<(i64, Option<i64>)>);

impl Visible {
    /// All messages.
    #[must_use]
    pub fn all() -> Self {
        Self(vec![(0, None)])
    }

    /// Whether a message holds.
    #[must_use]
    pub fn holds(&self, message: i64) -> bool {
        self.0.iter().any(|(after, to)| *after < message && to.is_none_or(|to| message <= to))
    }

    /// As it stands now, when `last` is the last message: what a checkpoint keeps.
    #[must_use]
    pub fn up_to(&self, last: i64) -> Self {
        let closed = self.0.iter().map(|(after, to)| (*after, Some(to.map_or(last, |to| to.min(last)))));
        Self(closed.filter(|(after, to)| to.is_some_and(|to| *after < to)).collect())
    }

    /// What a checkpoint kept, and everything that is said after `last`.
    #[must_use]
    pub fn then_after(&self, last: i64) -> Self {
        Self(self.0.iter().copied().chain([(last, None)]).collect())
    }

    /// The same with other numbers for the messages.
    #[must_use]
    pub fn renumbered(&self, number: impl Fn(i64) -> i64) -> Self {
        Self(self.0.iter().map(|(after, to)| (number(*after), to.map(&number))).collect())
    }
}

/// Checks what a checkpoint is to be called, and returns it without blanks around it.
///
/// # Errors
/// `invalid_input` for an empty name, `too_large` over [`bounds::CHECKPOINT_NAME_CHARS`] or
/// [`bounds::CHECKPOINT_DESCRIPTION_CHARS`].
pub fn checked_checkpoint(name: &str, description: Option<&str>) -> Result<(String, Option<String>), Fault> {
    let name = name.trim();
    if name.is_empty() {
        return Err(Fault::new(Code::InvalidInput, "`name` is empty.", "Give the checkpoint a name."));
    }
    at_most_chars("name", name, bounds::CHECKPOINT_NAME_CHARS)?;
    let description = description.map(str::trim).filter(|text| !text.is_empty());
    if let Some(description) = description {
        at_most_chars("description", description, bounds::CHECKPOINT_DESCRIPTION_CHARS)?;
    }
    Ok((name.to_owned(), description.map(str::to_owned)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taking_back_hides_what_came_after_and_taking_forward_shows_it_again() {
        let first = Visible::all().up_to(3);
        let second = Visible::all().up_to(6);
        let back = first.then_after(8);
        let shown = |visible: &Visible| (1..=10).filter(|message| visible.holds(*message)).collect::<Vec<_>>();
        assert_eq!(shown(&back), [1, 2, 3, 9, 10], "what is said after the restore holds");
        assert_eq!(shown(&back.up_to(9)), [1, 2, 3, 9], "a checkpoint after it keeps that");
        assert_eq!(shown(&second.then_after(9)), [1, 2, 3, 4, 5, 6, 10], "a later checkpoint brings its own back");
        assert_eq!(shown(&Visible::all().up_to(0)), Vec::<i64>::new(), "before the first message there is none");
        assert_eq!(shown(&back.renumbered(|message| message - 1)), [1, 2, 8, 9, 10]);
    }

    #[test]
    fn a_checkpoints_bounds_are_exact_and_named() {
        let (name, description) =
            ("n".repeat(bounds::CHECKPOINT_NAME_CHARS), "d".repeat(bounds::CHECKPOINT_DESCRIPTION_CHARS));
        assert_eq!(
            checked_checkpoint(&format!(" {name} "), Some(&description)),
            Ok((name.clone(), Some(description.clone())))
        );
        assert_eq!(checked_checkpoint("n", Some("  ")), Ok(("n".to_owned(), None)), "a blank description is none");
        for (name, description, field) in [
            (" ", None, "`name`"),
            (format!("{name}x").as_str(), None, "`name`"),
            ("n", Some(format!("{description}x").as_str()), "`description`"),
        ] {
            let fault = checked_checkpoint(name, description).err();
            assert!(fault.as_ref().is_some_and(|fault| fault.message.contains(field)), "{field}: {fault:?}");
        }
    }
}
