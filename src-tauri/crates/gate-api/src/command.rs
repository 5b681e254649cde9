//! Commands that a front end gives, and what they answer.

use gate_core::export::ExportFormat;
use gate_core::{
    Ask, Attachment, AttachmentId, CheckpointId, ConversationQuery, Decision, Draft, Fault, Outcome, RequestId,
    RestoreId, Restored, ReviewRequest, SessionUuid, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::event::{RequestSummary, RequestView, SessionSummary};
use crate::history::{ConversationView, HistoryEntry};

/// A command of a front end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
    /// Everything a window needs when it starts. Answers [`Answer::Snapshot`].
    Snapshot,
    /// One request in full, with its draft. Answers [`Answer::Request`].
    OpenRequest {
        /// Which one.
        request_id: RequestId,
    },
    /// Stores a reply that is being written. Answers [`Answer::Done`].
    SaveDraft {
        /// Of which request.
        request_id: RequestId,
        /// The whole draft; it replaces the one before.
        draft: Draft,
    },
    /// Stores a file for a draft. Answers [`Answer::Attached`].
    Attach {
        /// For which request.
        request_id: RequestId,
        /// The file's name; folders in it are dropped.
        name: String,
        /// The bytes, base64 (RFC 4648, with padding).
        data: String,
    },
    /// The bytes of an attachment. Answers [`Answer::Bytes`].
    ReadAttachment {
        /// Which one.
        attachment_id: AttachmentId,
    },
    /// Sends a reply. Answers [`Answer::Done`] after it is committed.
    SendReply(SendReply),
    /// Closes a request without answering it; the agent hears `cancelled`. Answers [`Answer::Done`].
    Dismiss {
        /// Which one.
        request_id: RequestId,
    },
    /// The sessions that are alive or were within the last hour. Answers [`Answer::Sessions`].
    Sessions,
    /// Says that a session's work is done. Answers [`Answer::Done`]; `still_pending` where it has open
    /// questions.
    CloseSession {
        /// Which one.
        session_uuid: SessionUuid,
    },
    /// Takes that back. Answers [`Answer::Done`].
    ReopenSession {
        /// Which one.
        session_uuid: SessionUuid,
    },
    /// A page of the record: conversations, the latest changed first; those that hold the words looked
    /// for, by their newest such message. Answers [`Answer::History`].
    History {
        /// What is looked for.
        #[serde(default)]
        query: ConversationQuery,
        /// The `next` of the page before; absent for the first.
        #[serde(default)]
        cursor: Option<String>,
    },
    /// A conversation with a page of its messages, the newest page first. Answers
    /// [`Answer::Conversation`].
    Conversation {
        /// Which one.
        session_uuid: SessionUuid,
        /// The `older` of the page before; absent for the newest.
        #[serde(default)]
        cursor: Option<String>,
    },
    /// Takes a conversation back to a checkpoint. Answers [`Answer::Restored`].
    RestoreCheckpoint {
        /// Which conversation.
        session_uuid: SessionUuid,
        /// To which checkpoint.
        checkpoint_id: CheckpointId,
    },
    /// Undoes a restore, which has to be the conversation's latest. Answers [`Answer::Restored`].
    UndoRestore {
        /// Which conversation.
        session_uuid: SessionUuid,
        /// Which restore.
        restore_id: RestoreId,
    },
    /// Deletes a conversation for good. Answers [`Answer::Done`]; `still_pending` where it has open
    /// questions.
    DeleteConversation {
        /// Which one.
        session_uuid: SessionUuid,
    },
    /// Writes one conversation, or all, to a new file. Answers [`Answer::Exported`].
    Export {
        /// Which one; absent for all.
        #[serde(default)]
        session_uuid: Option<SessionUuid>,
        /// How.
        format: ExportFormat,
        /// The file, an absolute path that must not exist; absent for one in the person's download
        /// folder.
        #[serde(default)]
        path: Option<String>,
    },
    /// Reads a file that was exported as JSON. Answers [`Answer::Imported`].
    Import {
        /// The file, an absolute path.
        path: String,
    },
    /// Makes a backup now. Answers [`Answer::BackedUp`].
    Backup,
    /// The pending requests, urgent first, then oldest first. Answers [`Answer::Requests`].
    #[cfg_attr(feature = "typescript", ts(skip))]
    Requests,
    /// Asks a person from a script and waits. Answers [`Answer::Asked`].
    #[cfg_attr(feature = "typescript", ts(skip))]
    Ask(AskRequest),
    /// Makes a token for one client over HTTP. Answers [`Answer::Token`].
    #[cfg_attr(feature = "typescript", ts(skip))]
    CreateToken {
        /// The client's name.
        name: String,
    },
    /// Replaces the person's own token. Answers [`Answer::Token`].
    #[cfg_attr(feature = "typescript", ts(skip))]
    RotateToken,
    /// Makes a client's token worthless. Answers [`Answer::Done`].
    #[cfg_attr(feature = "typescript", ts(skip))]
    RevokeToken {
        /// The client's name.
        name: String,
    },
    /// The clients' tokens, the newest first. Answers [`Answer::Tokens`].
    #[cfg_attr(feature = "typescript", ts(skip))]
    Tokens,
    /// The clients of the record and what they declared, the latest first. Answers
    /// [`Answer::Clients`].
    #[cfg_attr(feature = "typescript", ts(skip))]
    Clients,
    /// Whether all is well. Answers [`Answer::Status`].
    #[cfg_attr(feature = "typescript", ts(skip))]
    Status,
    /// Stops the gate gently. Answers [`Answer::Done`] before it goes.
    #[cfg_attr(feature = "typescript", ts(skip))]
    Stop,
    /// Brings the window to the front where there is one. Answers [`Answer::Done`].
    #[cfg_attr(feature = "typescript", ts(skip))]
    Raise,
}

/// A reply as it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SendReply {
    /// To which request.
    pub request_id: RequestId,
    /// The decision; absent for a reply without one.
    pub decision: Option<Decision>,
    /// Text, options, comments and attachments.
    pub draft: Draft,
}

/// What `review-gate ask` asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskRequest {
    /// The question.
    pub ask: Ask,
    /// The folder that the script runs in.
    pub workspace: String,
    /// How many seconds to wait; without it, until there is an answer.
    pub timeout_seconds: Option<u64>,
    /// Goes on waiting for an earlier request instead of asking anew.
    pub request_id: Option<RequestId>,
    /// Continues a session.
    pub session_uuid: Option<SessionUuid>,
}

/// What `review-gate ask` prints.
pub type AskResult = Outcome;

/// What a command answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// It is done, and committed where it changed something.
    Done,
    /// What a window needs when it starts.
    Snapshot(Snapshot),
    /// A request in full.
    Request {
        /// The request.
        request: Box<RequestView>,
    },
    /// A stored file.
    Attached {
        /// The attachment, to be named in a draft.
        attachment: Attachment,
    },
    /// The bytes of an attachment.
    Bytes {
        /// What it is.
        attachment: Attachment,
        /// Its bytes, base64.
        data: String,
    },
    /// The sessions in memory.
    Sessions {
        /// Active ones first, then the latest heard.
        sessions: Vec<SessionSummary>,
    },
    /// A page of the record.
    History {
        /// What was found.
        conversations: Vec<HistoryEntry>,
        /// The cursor of the next page; absent on the last.
        next: Option<String>,
        /// How many of the newest messages the search doesn't know yet; 0 nearly always.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        unindexed: u64,
    },
    /// A conversation.
    Conversation {
        /// With a page of its messages.
        conversation: Box<ConversationView>,
    },
    /// A conversation was taken back, or that was undone.
    Restored {
        /// What came of it.
        restored: Restored,
    },
    /// The record was written to a file.
    Exported {
        /// The file.
        path: String,
        /// How many conversations it holds.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        conversations: u64,
    },
    /// A file was read into the record.
    Imported {
        /// How many conversations are new.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        conversations: u64,
        /// How many messages they hold.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        messages: u64,
        /// How many conversations were there already, and were left as they are.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        known: u64,
        /// How many conversations were refused.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        refused: u64,
        /// Why; of the first of them only.
        reasons: Vec<String>,
    },
    /// A backup was made.
    BackedUp {
        /// The file.
        path: String,
        /// Its size.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        bytes: u64,
    },
    /// Pending requests.
    #[cfg_attr(feature = "typescript", ts(skip))]
    Requests {
        /// Urgent first, then oldest first.
        requests: Vec<ReviewRequest>,
    },
    /// What came of asking.
    #[cfg_attr(feature = "typescript", ts(skip))]
    Asked {
        /// As `review_gate_chat` would return it.
        outcome: AskResult,
    },
    /// A new token; it can't be read again.
    #[cfg_attr(feature = "typescript", ts(skip))]
    Token {
        /// The token.
        token: String,
    },
    /// The clients' tokens.
    #[cfg_attr(feature = "typescript", ts(skip))]
    Tokens {
        /// The newest first.
        tokens: Vec<TokenEntry>,
    },
    /// The clients of the record.
    #[cfg_attr(feature = "typescript", ts(skip))]
    Clients {
        /// The latest first.
        clients: Vec<ClientEntry>,
    },
    /// How the gate is.
    #[cfg_attr(feature = "typescript", ts(skip))]
    Status {
        /// The report.
        status: StatusReport,
    },
}

/// Everything a window needs when it starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Snapshot {
    /// The program's version.
    pub version: String,
    /// Pending requests, urgent first, then oldest first.
    pub requests: Vec<RequestSummary>,
    /// Sessions in memory, active ones first, then the latest heard.
    pub sessions: Vec<SessionSummary>,
    /// Settings that the window follows.
    pub settings: WindowSettings,
    /// Faults in the settings file that the person should know of.
    pub warnings: Vec<Fault>,
    /// The path of the command line program, for the snippet that connects an agent.
    pub command_path: String,
}

/// Settings that the window follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WindowSettings {
    /// `system`, `light` or `dark`.
    pub theme: String,
    /// Size of running text in pixels, 11 to 24.
    pub font_size: u8,
    /// Whether the window stays above others.
    pub always_on_top: bool,
}

/// How the gate is; what `review-gate status --json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusReport {
    /// Always true: a gate that doesn't run can't say so.
    pub running: bool,
    /// Its process.
    pub pid: u32,
    /// The program's version.
    pub version: String,
    /// Number of pending requests.
    pub pending: usize,
    /// Its home folder.
    pub home: String,
    /// Whether it has a window.
    pub window: bool,
    /// Where HTTP is served, e.g. `http://127.0.0.1:8321`; absent where it isn't.
    pub http: Option<String>,
}

/// A client's token, without the token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenEntry {
    /// The client's name.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When a connection last showed it; absent while none has.
    pub used_at: Option<Timestamp>,
    /// When it was revoked; absent while it is good.
    pub revoked_at: Option<Timestamp>,
}

/// A client of the record, and what it declared of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientEntry {
    /// Its own name; empty when it gave none.
    pub client: String,
    /// Its own version.
    pub version: String,
    /// `stdio` or `http`; absent for `review-gate ask`.
    pub transport: Option<String>,
    /// The protocol revision that it spoke.
    pub protocol_version: Option<String>,
    /// The capabilities that it declared.
    pub capabilities: serde_json::Value,
    /// The name of its own token.
    pub token_name: Option<String>,
    /// How many conversations it began.
    pub conversations: i64,
    /// When it last spoke or was answered.
    pub last_at: Timestamp,
    /// For how many seconds a call of it waits before it is answered `pending`.
    pub waits_seconds: u64,
}
