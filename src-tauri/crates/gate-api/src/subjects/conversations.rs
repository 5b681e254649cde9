//! Sessions and the record of what was said.

use gate_core::export::ExportFormat;
use gate_core::{CheckpointId, ConversationQuery, NoteId, RestoreId, Restored, SessionUuid};
use serde::{Deserialize, Serialize};

use crate::done::Done;
use crate::history::{ConversationView, HistoryAgent, HistoryEntry, HistoryWorkspace};
use crate::sessions::SessionSummary;
use crate::{commands, events};

commands! {
    /// The sessions that are alive or were within the last hour.
    sessions: ListSessions {} -> Sessions, by Anyone, Look;

    /// Says that a session's work is done. `still_pending` where it has open questions.
    close_session: CloseSession {
        /// Which one.
        session_uuid: SessionUuid,
    } -> Done, by Answerer, Act;

    /// Takes back that a session's work is done.
    reopen_session: ReopenSession {
        /// Which one.
        session_uuid: SessionUuid,
    } -> Done, by Answerer, Act;

    /// Sends a note to an agent: it comes with the next result of any of its tools. `too_many` where as many as
    /// are allowed wait already.
    send_note: SendNote {
        /// To which session's agent; [`gate_core::bounds::NOTES`] may wait for it.
        session_uuid: SessionUuid,
        /// What it says, at most [`gate_core::bounds::NOTE_CHARS`] characters.
        text: String,
    } -> Done, by Answerer, Act;

    /// Takes back a note that no agent has been given yet. `too_late` afterwards.
    take_back_note: TakeBackNote {
        /// Which one.
        note_id: NoteId,
    } -> Done, by Answerer, Act;

    /// A page of the record: conversations, the latest changed first; those that hold the words looked
    /// for, by their newest such message.
    history: ReadHistory {
        /// What is looked for.
        #[serde(default)]
        query: ConversationQuery,
        /// The `next` of the page before; absent for the first.
        #[serde(default)]
        cursor: Option<String>,
    } -> HistoryPage, by Answerer, Look;

    /// What the record can be narrowed down to: agents and folders, the latest first.
    history_choices: ReadHistoryChoices {} -> HistoryChoices, by Answerer, Look;

    /// A conversation with a page of its messages, the newest page first.
    conversation: ReadConversation {
        /// Which one.
        session_uuid: SessionUuid,
        /// The `older` of the page before; absent for the newest.
        #[serde(default)]
        cursor: Option<String>,
    } -> OpenedConversation, by Answerer, Look;

    /// Takes a conversation back to a checkpoint.
    restore_checkpoint: RestoreCheckpoint {
        /// Which conversation.
        session_uuid: SessionUuid,
        /// To which checkpoint.
        checkpoint_id: CheckpointId,
    } -> RestoredConversation, by Answerer, Act;

    /// Undoes a restore, which has to be the conversation's latest.
    undo_restore: UndoRestore {
        /// Which conversation.
        session_uuid: SessionUuid,
        /// Which restore.
        restore_id: RestoreId,
    } -> RestoredConversation, by Answerer, Act;

    /// Makes a session another client's: what was asked in it, the replies and all else. `unknown_token` where no good
    /// token has the client's name.
    give_session: GiveSession {
        /// Which one.
        session_uuid: SessionUuid,
        /// The client, by the name of its token; absent for whichever agent names the session first.
        #[serde(default)]
        client: Option<String>,
    } -> Done, by Answerer, Act, ts(skip);

    /// Deletes a conversation for good. `still_pending` where it has open questions.
    delete_conversation: DeleteConversation {
        /// Which one.
        session_uuid: SessionUuid,
    } -> Done, by Answerer, Act;

    /// Writes one conversation, or all, to a new file. The page names no file; its browser fetches what is written.
    export: Export {
        /// Which one; absent for all.
        #[serde(default)]
        session_uuid: Option<SessionUuid>,
        /// How.
        format: ExportFormat,
        /// The file, an absolute path that must not exist, or a folder; absent for the person's download folder. In a
        /// folder it is called by its conversation, or by all, and the day.
        #[serde(default)]
        path: Option<String>,
    } -> Exported, by Answerer, Act;

    /// Reads a file that was exported as JSON.
    import: Import {
        /// The file, an absolute path.
        path: String,
    } -> Imported, by LocalAnswerer, Act;

    /// Makes a backup now.
    backup: BackUp {} -> BackedUp, by Anyone, Act;
}

events! {
    /// A session began, spoke, reported progress, or its status changed.
    SessionChanged {
        /// The session.
        session: SessionSummary,
    }, AtAGlance;

    /// A session is no longer in memory; the record keeps it.
    SessionForgotten {
        /// Which one.
        session_uuid: SessionUuid,
    }, AtAGlance;

    /// Conversations of the record are other than before: deleted, imported, restored.
    HistoryChanged, InWindows;
}

/// The sessions in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Sessions {
    /// Active ones first, then the latest heard.
    pub sessions: Vec<SessionSummary>,
}

/// A page of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HistoryPage {
    /// What was found on the way; there may be few, or none, and more on the next page.
    pub conversations: Vec<HistoryEntry>,
    /// The cursor of the next page; absent on the last.
    pub next: Option<String>,
    /// How many of the newest messages the search doesn't know yet; 0 nearly always.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub unindexed: u64,
}

/// What the record can be narrowed down to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HistoryChoices {
    /// At most [`gate_core::bounds::HISTORY_CHOICES`].
    pub agents: Vec<HistoryAgent>,
    /// As many.
    pub workspaces: Vec<HistoryWorkspace>,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OpenedConversation {
    /// With a page of its messages.
    pub conversation: ConversationView,
}

/// A conversation that was taken back, or not any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RestoredConversation {
    /// What came of it.
    pub restored: Restored,
}

/// The record as a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Exported {
    /// The file.
    pub path: String,
    /// How many conversations it holds.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub conversations: u64,
}

/// A file that was read into the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Imported {
    /// How many conversations are new.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub conversations: u64,
    /// How many messages they hold.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub messages: u64,
    /// How many conversations were there already, and were left as they are.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub known: u64,
    /// How many conversations were refused.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub refused: u64,
    /// Why; of the first of them only.
    pub reasons: Vec<String>,
}

/// A backup that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BackedUp {
    /// The file.
    pub path: String,
    /// Its size.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub bytes: u64,
}
