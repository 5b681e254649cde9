//! What the gate tells every front end, and the shapes of a request in a window.

use gate_core::diff::DiffView;
use gate_core::markdown::Document;
use gate_core::{
    Attachment, Choice, Draft, Fault, Note, Presence, Progress, RequestId, RequestStatus, SessionStatus, SessionUuid,
    Snooze, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::commands::program::WindowSettings;
use crate::prompts::PromptSyncState;
use crate::settings::SettingChange;
use crate::voice::{SpeechModels, VoiceState};

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
        /// Whether it was there before and its reply was taken back: nobody needs to be called to it.
        again: bool,
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
        /// Of a reply sent from a window: until when `undo_reply` takes it back, since no agent hears of
        /// it before that. The same event again without it: from now on it can't be taken back.
        undo_until: Option<Timestamp>,
    },
    /// The time until which a request was put off has come; `request_changed` has told the rest.
    RequestDue {
        /// Which one.
        request_id: RequestId,
    },
    /// The person went away or came back, or quiet began or ended.
    PresenceChanged {
        /// How it is now.
        presence: Presence,
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
    /// Settings are other than before, or what is wrong with them.
    SettingsChanged {
        /// Those that the windows follow.
        settings: WindowSettings,
    },
    /// Settings were changed by somebody other than the person in a window; each of the changes can be
    /// taken back.
    SettingChanges {
        /// What was changed.
        changes: Vec<SettingChange>,
    },
    /// Voice is other than before.
    VoiceChanged {
        /// How it is now.
        voice: VoiceState,
    },
    /// How loud it is while the microphone is open, some fifteen times a second.
    VoiceLevel {
        /// The loudest of the last moment, in thousandths of full scale.
        peak: u16,
        /// How long the take has been recorded, in milliseconds; absent while none is.
        recorded_ms: Option<u32>,
    },
    /// The text of a take: replaces all text of this take that came before.
    VoiceText {
        /// Of which take.
        take: u32,
        /// What won't change any more.
        text: String,
        /// What was heard last and may still change; follows `text`.
        partial: String,
        /// Whether that is all: `partial` is empty then.
        last: bool,
    },
    /// The global key of push-to-talk went down (`true`) or up.
    VoiceKey {
        /// Whether it is down.
        down: bool,
    },
    /// Prompts, what is wrong with their files, or how often they were used, are other than before.
    PromptsChanged,
    /// The synchronisation of prompts stands elsewhere.
    PromptSyncChanged {
        /// Where.
        sync: PromptSyncState,
    },
    /// A model is being downloaded, was installed or removed.
    ModelsChanged {
        /// All of them.
        models: SpeechModels,
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
    /// How the message goes on after the headline: one line, up to 160 characters; may be empty.
    pub excerpt: String,
    /// How many options it offers.
    pub options: usize,
    /// How many files its diff changes; 0 without one.
    pub files: usize,
    /// Whether the person has put it off; then it stands behind all others and isn't counted.
    pub snoozed: Option<Snooze>,
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
    /// What the person has sent its agent that it hasn't been given yet, the oldest first.
    pub notes: Vec<Note>,
}
