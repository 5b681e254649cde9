//! The shapes of the record in a window.

use gate_core::markdown::Document;
use gate_core::{
    AnsweredFrom, Assurance, Attachment, Checkpoint, Decision, Hit, LineComment, PermissionSaid, Progress, Remark,
    RequestId, RequestStatus, Restored, Role, SessionStatus, SessionUuid, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::receipts::ReceiptView;

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HistoryEntry {
    /// Its session.
    pub session_uuid: SessionUuid,
    /// The headline of its first question; empty while it has asked nothing.
    pub title: String,
    /// Where its session stands.
    pub status: SessionStatus,
    /// The agent's name as a person reads it, e.g. `Claude Code`; empty where it says none.
    pub client: String,
    /// The folder that its agent works in; empty when unknown.
    pub workspace: String,
    /// The last part of that folder.
    pub workspace_name: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When something last happened in it.
    pub updated_at: Timestamp,
    /// How many messages it has.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub messages: u64,
    /// How far its work is.
    pub progress: Option<Progress>,
    /// Where the words were found; absent where none were looked for.
    pub hit: Option<Hit>,
}

/// An agent that conversations can be narrowed down to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HistoryAgent {
    /// Its own name, as [`gate_core::ConversationQuery::client`] takes it.
    pub client: String,
    /// The name as a person reads it; two may have the same, and one that says none has an empty one.
    pub name: String,
}

/// A folder that conversations can be narrowed down to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HistoryWorkspace {
    /// The folder, as [`gate_core::ConversationQuery::workspace`] takes it.
    pub workspace: String,
    /// The folder as a person reads it.
    pub folder: String,
    /// The last part of it.
    pub name: String,
}

/// A conversation with a page of its messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ConversationView {
    /// What it is.
    pub entry: HistoryEntry,
    /// The client's own version.
    pub client_version: String,
    /// Its messages in order; only those of this page.
    pub messages: Vec<MessageView>,
    /// The cursor of the page with older messages; absent on the last.
    pub older: Option<String>,
    /// Its checkpoints, in order.
    pub checkpoints: Vec<CheckpointView>,
    /// The latest restore that holds, which can be undone.
    pub restored: Option<Restored>,
}

/// A checkpoint, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CheckpointView {
    /// What it is.
    pub checkpoint: Checkpoint,
    /// The last message before it; 0 where it came before all.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub after_message: i64,
}

/// One message of a conversation: a question with what became of it, or a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MessageView {
    /// Its place in the record; later messages have larger ones.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub message_id: i64,
    /// The question that it puts or answers; `open_request` gives it in full. Of a note: its
    /// `note_id`, which no request has.
    pub request_id: RequestId,
    /// Who said it.
    pub role: Role,
    /// Whether it is a note of the person's to the agent, which answers nothing.
    pub note: bool,
    /// What was said.
    pub text: Document,
    /// When.
    pub created_at: Timestamp,
    /// Whether the conversation was taken back to a checkpoint before it.
    pub superseded: bool,
    /// Of a question: its headline, where the agent gave one.
    pub title: Option<String>,
    /// Of a question: what became of it.
    pub status: Option<RequestStatus>,
    /// Of a question: whether it came with a diff.
    pub has_diff: bool,
    /// Of a permission question: what it says of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub permission: Option<PermissionSaid>,
    /// Of a reply: what the person decided.
    pub decision: Option<Decision>,
    /// Of a reply: the chosen options.
    pub selected: Vec<String>,
    /// Of a reply: comments on lines of the diff.
    pub comments: Vec<LineComment>,
    /// Of a reply: comments on passages of the message.
    pub remarks: Vec<Remark>,
    /// Of a reply: its files.
    pub attachments: Vec<Attachment>,
    /// Of a reply: how it was given.
    pub answered_from: Option<AnsweredFrom>,
    /// Of a reply: how sure it is that the person gave it.
    pub assurance: Option<Assurance>,
    /// Of a reply: its receipt; absent where none was written, as before there were any, and where it came from another
    /// record.
    pub receipt: Option<ReceiptView>,
    /// Of a reply: when it came from another record, where it was given; it answered nothing here.
    pub imported_at: Option<Timestamp>,
}
