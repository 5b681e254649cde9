//! Commands that a front end gives.

use std::collections::BTreeMap;

use gate_core::export::ExportFormat;
use gate_core::{
    Ask, AttachmentId, CheckpointId, ConversationQuery, Decision, Draft, NoteId, Outcome, PromptFormat,
    PromptVersionId, RequestId, RestoreId, SessionUuid, SettingChangeId, SnippetId, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[cfg(doc)]
use crate::answer::Answer;
use crate::clients::ClientScope;

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
    /// Takes back a reply that was sent from a window a moment ago, before the agent hears of it: the
    /// request is pending again, with its draft. Answers [`Answer::Request`]; `too_late` afterwards.
    UndoReply {
        /// To which request.
        request_id: RequestId,
    },
    /// Lets the agent hear now of a reply that could still be taken back. Answers [`Answer::Done`].
    SendNow {
        /// To which request.
        request_id: RequestId,
    },
    /// Puts a request off. Agents notice nothing. Answers [`Answer::Done`].
    Snooze {
        /// Which one.
        request_id: RequestId,
        /// Until when, at most [`gate_core::bounds::PUT_OFF_DAYS`] days from now; absent for until it is
        /// taken up.
        #[serde(default)]
        until: Option<Timestamp>,
    },
    /// Takes up a request that was put off. Answers [`Answer::Done`].
    Wake {
        /// Which one.
        request_id: RequestId,
    },
    /// Says that the person is away, or there again. Answers [`Answer::Done`].
    SetAway {
        /// Whether they are away.
        away: bool,
    },
    /// Switches do-not-disturb. Answers [`Answer::Done`].
    SetDoNotDisturb {
        /// Whether it is on.
        on: bool,
        /// Until when, at most [`gate_core::bounds::PUT_OFF_DAYS`] days from now; absent for until it is
        /// switched off.
        #[serde(default)]
        until: Option<Timestamp>,
    },
    /// Sends a note to an agent: it comes with the next result of any of its tools. Answers
    /// [`Answer::Done`]; `too_many` where [`gate_core::bounds::NOTES`] wait already.
    SendNote {
        /// To which session's agent.
        session_uuid: SessionUuid,
        /// What it says, at most [`gate_core::bounds::NOTE_CHARS`] characters.
        text: String,
    },
    /// Takes back a note that no agent has been given yet. Answers [`Answer::Done`]; `too_late`
    /// afterwards.
    TakeBackNote {
        /// Which one.
        note_id: NoteId,
    },
    /// Closes a request without answering it; the agent hears `cancelled`. Answers [`Answer::Done`].
    Dismiss {
        /// Which one.
        request_id: RequestId,
    },
    /// The templates for replies, the likeliest first. Answers [`Answer::Snippets`].
    Snippets,
    /// Stores a template for replies. Answers [`Answer::Snippets`]; `name_taken` where another has the name.
    SaveSnippet {
        /// Which one is changed; absent for a new one.
        #[serde(default)]
        snippet_id: Option<SnippetId>,
        /// What it is called.
        name: String,
        /// What it puts into a reply.
        text: String,
    },
    /// Deletes a template for replies. Answers [`Answer::Snippets`].
    DeleteSnippet {
        /// Which one.
        snippet_id: SnippetId,
    },
    /// Counts that a template was put into a reply. Answers [`Answer::Done`].
    UseSnippet {
        /// Which one.
        snippet_id: SnippetId,
    },
    /// The prompts, what is wrong with their files, and how the synchronisation stands. Answers
    /// [`Answer::Prompts`].
    Prompts,
    /// One prompt with its file. Answers [`Answer::Prompt`]; `unknown_prompt`.
    Prompt {
        /// Its id.
        prompt_id: String,
    },
    /// What a prompt gives with these arguments. Answers [`Answer::PromptPreview`].
    PreviewPrompt {
        /// Its id; for a text that isn't saved yet, the one that it is to have, or empty.
        prompt_id: String,
        /// A text that isn't saved yet, and how it is written; absent for the prompt as it is served.
        #[serde(default)]
        unsaved: Option<UnsavedPrompt>,
        /// What is put in, each as text.
        arguments: BTreeMap<String, String>,
    },
    /// Writes a prompt's file in the person's folder. Answers [`Answer::Prompt`]; `prompt` where the text
    /// makes none, `name_taken` where there is one and `seen` is absent, `prompt_conflict` where it is not
    /// what `seen` says.
    SavePrompt {
        /// Its id.
        prompt_id: String,
        /// What to write, and how it is written.
        prompt: UnsavedPrompt,
        /// The `sha256` of the text that the person has seen; absent for a new prompt.
        #[serde(default)]
        seen: Option<String>,
    },
    /// Deletes a prompt's file in the person's folder; its versions stay. Answers [`Answer::Prompts`].
    DeletePrompt {
        /// Its id.
        prompt_id: String,
        /// The `sha256` of the text that the person has seen.
        seen: String,
    },
    /// The versions of a prompt's file, the newest first. Answers [`Answer::PromptVersions`].
    PromptVersions {
        /// Its id.
        prompt_id: String,
    },
    /// Writes an earlier version of a prompt into the person's folder. Answers [`Answer::Prompt`].
    RestorePrompt {
        /// Its id.
        prompt_id: String,
        /// Which version.
        version_id: PromptVersionId,
    },
    /// Fetches the prompts from their repository now. Answers [`Answer::PromptSync`] when it has begun;
    /// `prompt_sync` where none is set.
    SyncPrompts,
    /// What importing a file or a folder would make. Answers [`Answer::PromptImport`].
    PreviewPromptImport {
        /// The file or folder, an absolute path; `~` for the home folder.
        path: String,
    },
    /// Imports prompts: the prompt JSON of mcp-feedback-enhanced, or a folder of slash commands. Answers
    /// [`Answer::PromptImport`].
    ImportPrompts {
        /// The file or folder, an absolute path; `~` for the home folder.
        path: String,
        /// The ids to take; those of prompts that are there are replaced.
        ids: Vec<String>,
    },
    /// The files of the workspace that a request comes from, by name. Answers [`Answer::Files`]; with
    /// none where the workspace is unknown.
    CompleteFile {
        /// Of which request.
        request_id: RequestId,
        /// What is looked for; empty for the files that changed last. Cut after
        /// [`gate_core::bounds::FILE_QUERY_CHARS`].
        query: String,
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
    /// Every setting. Answers [`Answer::Settings`].
    Settings,
    /// Changes settings in the file, all of them or none. Answers [`Answer::Settings`];
    /// `setting_invalid` with what is wrong with each, `setting_conflict` where one is not what `seen`
    /// says, `settings_file` where the file can't be changed as it is.
    SaveSettings {
        /// Each setting's new value; null for what holds where nobody has set it.
        #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
        values: BTreeMap<String, Value>,
        /// The values that the person has seen; a setting that isn't named is changed whatever it is.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
        seen: BTreeMap<String, Value>,
    },
    /// Takes back the last save, whoever made it. Answers [`Answer::Settings`]; `unknown_setting` where
    /// there is none.
    UndoSettings,
    /// Takes back one change. Answers [`Answer::Settings`]; `setting_conflict` where the setting was
    /// changed again since.
    UndoSettingChange {
        /// Which one.
        change_id: SettingChangeId,
    },
    /// What importing this text would change. Answers [`Answer::SettingsPreview`].
    PreviewSettingsImport {
        /// The text of a `config.yaml`.
        text: String,
    },
    /// Takes over all settings of this text; others stay. Answers [`Answer::Settings`];
    /// `setting_invalid` where the text holds invalid ones, and nothing is changed then.
    ImportSettings {
        /// The text of a `config.yaml`.
        text: String,
    },
    /// The settings that are set, as the text of a `config.yaml`, secrets left out. Answers
    /// [`Answer::SettingsFile`].
    ExportSettings,
    /// The clients that can be connected. Answers [`Answer::Clients`].
    Clients {
        /// The project's folder whose files are looked at, too, an absolute path.
        #[serde(default)]
        project: Option<String>,
    },
    /// What connecting or disconnecting a client would change. Answers [`Answer::ClientPreview`].
    PreviewClient {
        /// Which one, by its stable name.
        client: String,
        /// For whom.
        #[serde(default)]
        scope: ClientScope,
        /// Whether it is to be connected; else disconnected.
        connect: bool,
        /// Whether its rules are to be written, too.
        #[serde(default)]
        rules: bool,
        /// Whether an entry of Review Gate V2, or another one of our name, makes place.
        #[serde(default)]
        take_over: bool,
        /// The project's folder, an absolute path.
        #[serde(default)]
        project: Option<String>,
    },
    /// Writes the gate into a client's configuration. Answers [`Answer::Clients`]; `client_file` where a
    /// file isn't what it should be, `name_taken` where another server has our name,
    /// `scripted_answers_off` where a process without a terminal asks and may not answer.
    ConnectClient {
        /// Which one, by its stable name.
        client: String,
        /// For whom.
        #[serde(default)]
        scope: ClientScope,
        /// Whether its rules are to be written, too.
        #[serde(default)]
        rules: bool,
        /// Whether an entry of Review Gate V2, or another one of our name, makes place.
        #[serde(default)]
        take_over: bool,
        /// The project's folder, an absolute path.
        #[serde(default)]
        project: Option<String>,
    },
    /// Takes the gate out of a client's configuration again, and its rules. Answers [`Answer::Clients`];
    /// fails as [`Command::ConnectClient`] does.
    DisconnectClient {
        /// Which one, by its stable name.
        client: String,
        /// For whom.
        #[serde(default)]
        scope: ClientScope,
        /// The project's folder, an absolute path.
        #[serde(default)]
        project: Option<String>,
    },
    /// Looks at the whole chain, from the program to what each client starts, and tries it. Answers
    /// [`Answer::Doctor`]; `too_many` while another look goes on. Takes up to half a minute, and with
    /// `popup` as long as the person takes, [`gate_core::bounds::TEST_REQUEST_SECONDS`] at most.
    Doctor {
        /// Whether a request is shown, too, to see whether the person sees it.
        #[serde(default)]
        popup: bool,
    },
    /// Shows the person a request that tells whether they see it, and waits. Leaves nothing in the
    /// record. Answers [`Answer::TestRequest`].
    #[cfg_attr(feature = "typescript", ts(skip))]
    TestRequest,
    /// How voice is. Answers [`Answer::Voice`].
    Voice,
    /// A page shows a request's reply box and has the person's attention: the microphone is opened where
    /// the settings say so, and the model is loaded. Holds for 15 seconds, so that the page says it again
    /// every 5. Answers [`Answer::Voice`].
    ArmVoice {
        /// The page's own mark, of at most 64 characters.
        by: String,
    },
    /// It doesn't any more. Answers [`Answer::Voice`].
    DisarmVoice {
        /// The page's own mark.
        by: String,
    },
    /// Begins to record, from half a second before now where the microphone was open. Answers
    /// [`Answer::Voice`] with the take; `no_speech_model`, `no_microphone`, `microphone_busy`,
    /// `microphone_denied` where that can't be.
    StartVoice {
        /// For which request's reply; its conversation's words help to hear right.
        request_id: RequestId,
    },
    /// Ends recording; the text follows in events. Answers [`Answer::Voice`].
    StopVoice {
        /// Which take.
        take: u32,
    },
    /// Gives a take up; nothing of it is kept. Answers [`Answer::Voice`].
    CancelVoice {
        /// Which take.
        take: u32,
    },
    /// Transcribes the last take again. Answers [`Answer::Voice`]; `no_take` where it is gone.
    RetryVoice {
        /// Which take.
        take: u32,
    },
    /// The microphones that there are. Answers [`Answer::Microphones`].
    Microphones,
    /// The speech models. Answers [`Answer::SpeechModels`].
    SpeechModels,
    /// Downloads a model, or goes on with it. Answers [`Answer::SpeechModels`] when it has begun; how it
    /// goes on comes in events. `disk_full` where the disk hasn't the room.
    DownloadModel {
        /// Its name in the catalogue.
        name: String,
    },
    /// Pauses a download; what is there stays. Answers [`Answer::SpeechModels`].
    PauseDownload {
        /// Its name in the catalogue.
        name: String,
    },
    /// Copies a model's file, or all in a folder, after checking it. Answers [`Answer::SpeechModels`];
    /// `speech_model` where it is none.
    ImportModel {
        /// The file or folder, an absolute path.
        path: String,
    },
    /// Deletes a model, or what is there of it. Answers [`Answer::SpeechModels`].
    RemoveModel {
        /// Its name.
        name: String,
    },
    /// The pending requests, urgent first, then oldest first, put off ones last. Answers
    /// [`Answer::Requests`].
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
    /// [`Answer::HeardClients`].
    #[cfg_attr(feature = "typescript", ts(skip))]
    HeardClients,
    /// Whether all is well. Answers [`Answer::Status`].
    #[cfg_attr(feature = "typescript", ts(skip))]
    Status,
    /// Makes a link that signs one browser in, once. Answers [`Answer::Link`]; `scripted_answers_off`
    /// where a process without a terminal asks and may not answer.
    #[cfg_attr(feature = "typescript", ts(skip))]
    Link,
    /// Signs every browser out. Answers [`Answer::Done`].
    #[cfg_attr(feature = "typescript", ts(skip))]
    SignOut,
    /// Stops the gate gently. Answers [`Answer::Done`] before.
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

/// A prompt's text that isn't in its file yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UnsavedPrompt {
    /// How it is written.
    pub format: PromptFormat,
    /// The text, at most [`gate_core::bounds::PROMPT_FILE_BYTES`] bytes.
    pub text: String,
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
