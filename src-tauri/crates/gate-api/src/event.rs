//! What the gate tells every front end, and the shapes of a request in a window.

use gate_core::diff::DiffView;
use gate_core::markdown::Document;
use gate_core::{
    Attachment, Choice, Draft, Fault, Progress, RequestId, RequestStatus, SessionStatus, SessionUuid, Timestamp,
};
use serde::{Deserialize, Serialize};

/// Something that happened in the gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A request is waiting for an answer.
    RequestAdded {
        /// The request.
        request: RequestSummary,
        /// The request in full, so that a window can show it at once; absent for a large one, and
        /// where the gate has no window.
        view: Option<Box<RequestView>>,
    },
    /// Its callers or the moment they give up changed.
    RequestChanged {
        /// The request.
        request: RequestSummary,
    },
    /// A request is no longer pending.
    RequestClosed {
        /// Which one.
        request_id: RequestId,
        /// What became of it: answered, cancelled or expired.
        status: RequestStatus,
    },
    /// A session began, spoke, reported progress, or its status changed.
    SessionChanged {
        /// The session.
        session: SessionSummary,
    },
    /// A session is no longer in memory; the record keeps it.
    SessionForgotten {
        /// Which one.
        session_uuid: SessionUuid,
    },
    /// Conversations of the record are other than before: deleted, imported, restored.
    HistoryChanged,
    /// The person should know of this: a backup failed, the record was damaged.
    Warning {
        /// What it is.
        fault: Fault,
    },
    /// Events were lost: the whole queue has to be looked at again.
    Resync,
    /// The person should see this request now.
    Raise {
        /// Which one; absent for whichever comes first.
        request_id: Option<RequestId>,
    },
}

/// A request in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RequestSummary {
    /// Its identifier.
    pub request_id: RequestId,
    /// The conversation that it belongs to.
    pub session_uuid: SessionUuid,
    /// The headline: the agent's title or the message's first line.
    pub title: String,
    /// The agent's name as a person reads it, e.g. `Claude Code`.
    pub client: String,
    /// The folder that the agent works in; empty when unknown.
    pub workspace: String,
    /// The last part of that folder.
    pub workspace_name: String,
    /// Whether it comes before everything else.
    pub urgent: bool,
    /// Whether the agent asks for a decision.
    pub approval: bool,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When the last waiting call will be answered `pending`; absent while no call waits, and where
    /// the agent waits without an end.
    pub waits_until: Option<Timestamp>,
    /// Whether a call waits for it right now. A late reply still arrives with the agent's next call.
    pub caller_waiting: bool,
}

/// A request in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RequestView {
    /// What the queue shows of it.
    pub summary: RequestSummary,
    /// Where it stands.
    pub status: RequestStatus,
    /// The agent's message.
    pub message: Document,
    /// What the agent is doing; shown folded.
    pub context: Option<Document>,
    /// The quick replies.
    pub options: Vec<Choice>,
    /// Whether several may be chosen.
    pub allow_multiple: bool,
    /// The diff.
    pub diff: Option<DiffView>,
    /// The reply so far.
    pub draft: Draft,
    /// The draft's attachments.
    pub attachments: Vec<Attachment>,
}

/// A session as the sessions page and the tray show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SessionSummary {
    /// Its identifier.
    pub session_uuid: SessionUuid,
    /// The headline of its first question; empty while it has asked nothing.
    pub title: String,
    /// The agent's name as a person reads it, e.g. `Claude Code`.
    pub client: String,
    /// The folder that the agent works in; empty when unknown.
    pub workspace: String,
    /// The last part of that folder.
    pub workspace_name: String,
    /// Where it stands.
    pub status: SessionStatus,
    /// How far its work is.
    pub progress: Option<Progress>,
    /// How many of its requests wait for the person.
    pub pending: u32,
    /// When it began.
    pub created_at: Timestamp,
    /// When its agent last spoke, or was answered.
    pub spoke_at: Timestamp,
}
