//! The requests that wait, and answering them.

use gate_core::{
    Ask, Assurance, Attachment, AttachmentId, Decision, Digest, Draft, Outcome, RequestId, RequestStatus,
    ReviewRequest, SessionUuid, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::done::Done;
use crate::requests::{ApprovalNeeds, RequestSummary, RequestView};
use crate::{commands, events};

commands! {
    /// One request in full, with its draft.
    open_request: OpenRequest {
        /// Which one.
        request_id: RequestId,
    } -> OpenedRequest, by Answerer, Look;

    /// A request's question as it was asked, with its digest.
    question: ReadQuestion {
        /// Of which request.
        request_id: RequestId,
    } -> Question, by Anyone, Look;

    /// Stores a reply that is being written.
    save_draft: SaveDraft {
        /// Of which request.
        request_id: RequestId,
        /// The whole draft; it replaces the one before.
        draft: Draft,
    } -> Done, by Answerer, Act;

    /// Stores a file for a draft.
    attach: Attach {
        /// For which request.
        request_id: RequestId,
        /// The file's name; folders in it are dropped.
        name: String,
        /// The bytes, base64 (RFC 4648, with padding).
        data: String,
    } -> Attached, by Answerer, Act;

    /// The bytes of an attachment.
    read_attachment: ReadAttachment {
        /// Which one.
        attachment_id: AttachmentId,
    } -> AttachedBytes, by Answerer, Look;

    /// Sends a reply, and answers after it is committed. `changed_question` where the question isn't the one that was
    /// shown: nothing is sent then. An approval that has to be surer waits for the person to confirm it, up to a minute:
    /// `not_signed` where they don't, `level_unreachable` where they can't.
    send_reply: SendReply {
        /// To which request.
        request_id: RequestId,
        /// The digest that the question had when it was shown.
        digest: Digest,
        /// The decision; absent for a reply without one.
        decision: Option<Decision>,
        /// Text, options, comments and attachments.
        draft: Draft,
    } -> Done, by Answerer, Act;

    /// The four digits that confirm a decision at a terminal, once: it has shown all of the question, and asks for them.
    begin_terminal_reply: BeginTerminalReply {
        /// To which request.
        request_id: RequestId,
        /// The digest of the question that is shown.
        digest: Digest,
    } -> TerminalDigits, by Decider, Look, ts(skip);

    /// Sends a decision that was confirmed at a terminal, and answers after it is committed. `terminal_answers_off`
    /// where the digits aren't those that were given out last, `changed_question` as of any reply.
    send_terminal_reply: SendTerminalReply {
        /// To which request.
        request_id: RequestId,
        /// The digest that the question had when it was shown.
        digest: Digest,
        /// The decision.
        decision: Decision,
        /// Text, options, comments and attachments.
        draft: Draft,
        /// The digits that were typed.
        digits: String,
    } -> Done, by Decider, Act, ts(skip);

    /// Doesn't wait any longer for the person to confirm an approval that is being sent: it ends as `not_signed`.
    cancel_signing: CancelSigning {
        /// To which request.
        request_id: RequestId,
    } -> Done, by Answerer, Act;

    /// The digits that the system's prompt shows with an approval that is just being sent from this terminal, as soon as it
    /// does. It waits for as long as nothing is asked.
    confirmation_digits: ReadConfirmationDigits {
        /// Of which request.
        request_id: RequestId,
    } -> ConfirmationDigits, by Decider, Wait, ts(skip);

    /// Takes back a reply that was sent from a window a moment ago, before the agent hears of it: the
    /// request is pending again, with its draft. `too_late` afterwards.
    undo_reply: UndoReply {
        /// To which request.
        request_id: RequestId,
    } -> OpenedRequest, by Answerer, Act;

    /// Lets the agent hear now of a reply that could still be taken back.
    send_now: SendNow {
        /// To which request.
        request_id: RequestId,
    } -> Done, by Answerer, Act;

    /// Puts a request off. Agents notice nothing.
    snooze: Snooze {
        /// Which one.
        request_id: RequestId,
        /// Until when, at most [`gate_core::bounds::PUT_OFF_DAYS`] days from now; absent for until it is
        /// taken up.
        #[serde(default)]
        until: Option<Timestamp>,
    } -> Done, by Answerer, Act;

    /// Takes up a request that was put off.
    wake: Wake {
        /// Which one.
        request_id: RequestId,
    } -> Done, by Answerer, Act;

    /// Closes a request without answering it; the agent hears `cancelled`.
    dismiss: Dismiss {
        /// Which one.
        request_id: RequestId,
    } -> Done, by Answerer, Act;

    /// Closes several requests at once without answering them: those that no call waits for and whose agents are gone.
    /// The others stay. An agent that comes back after all hears `cancelled`.
    dismiss_abandoned: DismissAbandoned {
        /// Which ones, at most [`gate_core::bounds::PENDING_REQUESTS`].
        request_ids: Vec<RequestId>,
    } -> Dismissed, by Answerer, Act;

    /// The files of the workspace that a request comes from, by name; none where the workspace is unknown.
    complete_file: CompleteFile {
        /// Of which request.
        request_id: RequestId,
        /// What is looked for; empty for the files that changed last. Cut after
        /// [`gate_core::bounds::FILE_QUERY_CHARS`].
        query: String,
    } -> FoundFiles, by Anyone, Look;

    /// The pending requests, urgent first, then oldest first, put off ones last.
    requests: ListRequests {} -> PendingRequests, by Anyone, Look, ts(skip);

    /// Asks a person from a script and waits.
    ask: AskRequest {
        /// The question.
        ask: Ask,
        /// The folder that the script runs in.
        workspace: String,
        /// How many seconds to wait; without it, until there is an answer.
        timeout_seconds: Option<u64>,
        /// Goes on waiting for an earlier request instead of asking anew.
        request_id: Option<RequestId>,
        /// Continues a session.
        session_uuid: Option<SessionUuid>,
    } -> Asked, by Local, Wait, ts(skip);
}

events! {
    /// A request is waiting for an answer.
    RequestAdded {
        /// The request.
        request: RequestSummary,
        /// The request in full, so that a window can show it at once; absent for a large one, and
        /// where the gate has no window.
        view: Option<Box<RequestView>>,
        /// Whether it was there before and its reply was taken back: nobody needs to be called to it.
        again: bool,
    }, AtAGlance;

    /// Its callers or the moment they give up changed.
    RequestChanged {
        /// The request.
        request: RequestSummary,
    }, AtAGlance;

    /// A request is no longer pending.
    RequestClosed {
        /// Which one.
        request_id: RequestId,
        /// What became of it: answered, cancelled or expired.
        status: RequestStatus,
        /// Of a reply sent from a window: until when `undo_reply` takes it back, since no agent hears of
        /// it before that. The same event again without it: from now on it can't be taken back.
        undo_until: Option<Timestamp>,
    }, AtAGlance;

    /// Several requests are no longer pending.
    RequestsClosed {
        /// Which ones.
        request_ids: Vec<RequestId>,
        /// What became of all of them: cancelled.
        status: RequestStatus,
    }, AtAGlance;

    /// The system asks the person to confirm an approval that is being sent, and shows these digits with it.
    ConfirmationAsked {
        /// Of which request.
        request_id: RequestId,
        /// Eight digits with a blank between them; where others are shown, somebody else asks.
        digits: String,
    }, InWindows;

    /// The time until which a request was put off has come; `request_changed` has told the rest.
    RequestDue {
        /// Which one.
        request_id: RequestId,
    }, AtAGlance;
}

/// A request in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OpenedRequest {
    /// The request.
    pub request: RequestView,
}

/// A question as it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Question {
    /// What is asked.
    pub ask: Ask,
    /// Its digest, which an answer to it names.
    pub digest: Digest,
}

/// A stored file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Attached {
    /// The attachment, to be named in a draft.
    pub attachment: Attachment,
}

/// The bytes of an attachment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AttachedBytes {
    /// What it is.
    pub attachment: Attachment,
    /// Its bytes, base64.
    pub data: String,
}

/// Requests that were closed without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Dismissed {
    /// Which ones.
    pub request_ids: Vec<RequestId>,
}

/// Files of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FoundFiles {
    /// The best first, at most [`gate_core::bounds::FILES_OFFERED`].
    pub files: Vec<FoundFile>,
    /// Whether there are more, or the workspace is too large to be looked through in time.
    pub more: bool,
}

/// A file of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FoundFile {
    /// Its path in the workspace, with `/` between its parts.
    pub path: String,
    /// Which of its characters were looked for: their places from 0, in order, counted in characters as
    /// `Array.from(path)` does.
    pub positions: Vec<u32>,
}

/// Pending requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingRequests {
    /// Urgent first, then oldest first, put off ones last.
    pub requests: Vec<PendingRequest>,
}

/// A pending request, and how it waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingRequest {
    /// The request.
    #[serde(flatten)]
    pub request: ReviewRequest,
    /// The digest of its question, which an answer to it names.
    pub digest: Digest,
    /// What an approval takes besides the act; absent where it takes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<ApprovalNeeds>,
    /// Whether the person has put it off; then it stands behind all others.
    pub snoozed: Option<gate_core::Snooze>,
    /// Whether a call waits for it right now. A late reply still arrives with the agent's next call.
    pub caller_waiting: bool,
    /// When the last waiting call will be answered `pending`; absent while no call waits, and where
    /// the agent waits without an end.
    pub waits_until: Option<Timestamp>,
}

/// What came of asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// As `review_gate_chat` would return it, and as `review-gate ask` prints it.
    pub outcome: Outcome,
    /// How sure a reply has to be for the asker, by the settings.
    #[serde(default)]
    pub required: Option<Assurance>,
    /// What lets others answer more easily here than a gate does by itself: flags and guards.
    #[serde(default)]
    pub weak: Vec<String>,
}

/// What the system's prompt shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmationDigits {
    /// Eight digits with a blank between them.
    pub digits: String,
}

/// What confirms a decision at a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalDigits {
    /// Four digits, to be typed once.
    pub digits: String,
    /// What an approval takes besides; absent where it takes nothing.
    #[serde(default)]
    pub needs: Option<ApprovalNeeds>,
}
