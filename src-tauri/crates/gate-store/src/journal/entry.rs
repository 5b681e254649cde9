//! What a line of the journal says. Times are milliseconds since the Unix epoch.

use gate_core::{AnsweredFrom, Ask, Assurance, AttachmentId, Decision, LineComment, Remark, RequestId, SessionUuid};
use serde::{Deserialize, Serialize};

use crate::rows::Beginning;

/// One entry of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entry {
    /// The bytes of an attachment, base64, before the first reply that has it.
    Blob { sha256: String, data: String },
    /// A reply was committed.
    Reply(Box<ReplyCopy>),
    /// An agent has a reply; `at` is in milliseconds since the Unix epoch.
    Delivered { request_id: RequestId, at: i64 },
    /// A conversation is to be deleted with everything that was said in it until then.
    Deleted(SessionUuid),
    /// The person takes a reply back before an agent hears of it.
    Withdrawn(RequestId),
}

/// As much of an entry as tells what it is about.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Head {
    Blob { sha256: String },
    Reply { conversation: Session, request: Request },
    Delivered { request_id: RequestId, at: i64 },
    Deleted(SessionUuid),
    Withdrawn(RequestId),
}

#[derive(Deserialize)]
pub(super) struct Session {
    pub(super) session_uuid: SessionUuid,
}

#[derive(Deserialize)]
pub(super) struct Request {
    pub(super) request_id: RequestId,
}

/// A reply, the question that it answers, and the conversation that both belong to. Times are
/// milliseconds since the Unix epoch. What a later program adds is absent in lines of earlier ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReplyCopy {
    pub(crate) conversation: Beginning<'static>,
    pub(crate) request: RequestCopy,
    pub(crate) reply: AnswerCopy,
    pub(crate) attachments: Vec<AttachmentCopy>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RequestCopy {
    pub(crate) request_id: RequestId,
    pub(crate) ask: Ask,
    pub(crate) question: Option<String>,
    pub(crate) created_at: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AnswerCopy {
    pub(crate) decision: Option<Decision>,
    pub(crate) text: String,
    pub(crate) selected: Vec<String>,
    pub(crate) comments: Vec<LineComment>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) remarks: Vec<Remark>,
    pub(crate) answered_at: i64,
    pub(crate) answered_from: AnsweredFrom,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) assurance: Option<Assurance>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AttachmentCopy {
    pub(crate) attachment_id: AttachmentId,
    pub(crate) name: String,
    pub(crate) mime_type: String,
    pub(crate) sha256: String,
    pub(crate) created_at: i64,
}
