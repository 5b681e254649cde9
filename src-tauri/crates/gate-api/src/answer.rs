//! What commands answer, and the parts of it that are not of another module.

use gate_core::{Attachment, Fault, Presence, Restored, ReviewRequest, Snippet, Timestamp};
use serde::{Deserialize, Serialize};

use crate::clients::{ClientPreview, ClientState};
use crate::command::AskResult;
use crate::doctor::{DoctorReport, Finding};
use crate::event::{RequestSummary, RequestView, SessionSummary};
use crate::history::{ConversationView, HistoryEntry};
use crate::prompts::{PromptImport, PromptLibrary, PromptPreview, PromptSyncState, PromptVersion, PromptView};
use crate::settings::{SettingDifference, SettingsView};
use crate::voice::{Microphone, SpeechModels, VoiceState};

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

/// Everything a window needs when it starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Snapshot {
    /// The program's version.
    pub version: String,
    /// Pending requests, urgent first, then oldest first, put off ones last.
    pub requests: Vec<RequestSummary>,
    /// Sessions in memory, active ones first, then the latest heard.
    pub sessions: Vec<SessionSummary>,
    /// How the person is there.
    pub presence: Presence,
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
    /// `system`, `en` or `zh-CN`.
    pub language: String,
    /// For how many seconds a reply sent from a window can be taken back, 0 to 30; 0 for not at all.
    pub undo_seconds: u8,
    /// Whether a request that comes in sounds.
    pub sounds: bool,
    /// Whether the desktop is told of a request that comes in.
    pub notifications: bool,
    /// Whether nothing moves, whatever the desktop says.
    pub reduced_motion: bool,
    /// Whether the end of what is spoken may be a command: send, approve, new line.
    pub voice_commands: bool,
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
    /// Whether the person is away: agents are told so and come back later.
    pub away: bool,
    /// Whether do-not-disturb or the quiet hours hold: only urgent requests come up.
    #[serde(default)]
    pub quiet: bool,
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
    /// The templates for replies.
    Snippets {
        /// The likeliest first.
        snippets: Vec<Snippet>,
    },
    /// The prompts.
    Prompts {
        /// All that the list shows.
        library: Box<PromptLibrary>,
    },
    /// One prompt.
    Prompt {
        /// With its file.
        prompt: Box<PromptView>,
    },
    /// What a prompt gives.
    PromptPreview {
        /// With these arguments.
        preview: Box<PromptPreview>,
    },
    /// The versions of a prompt's file.
    PromptVersions {
        /// The newest first.
        versions: Vec<PromptVersion>,
    },
    /// How the synchronisation stands.
    PromptSync {
        /// Now.
        sync: PromptSyncState,
    },
    /// What an import would make, or made.
    PromptImport {
        /// The prompts.
        import: PromptImport,
    },
    /// Files of a workspace.
    Files {
        /// The best first, at most [`gate_core::bounds::FILES_OFFERED`].
        files: Vec<FoundFile>,
        /// Whether there are more, or the workspace is too large to be looked through in time.
        more: bool,
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
    /// Every setting.
    Settings(Box<SettingsView>),
    /// What an import would change.
    SettingsPreview {
        /// Where the text differs from the file.
        differences: Vec<SettingDifference>,
        /// What is wrong with the text; with any of them it can't be imported.
        problems: Vec<Fault>,
    },
    /// The settings as a file.
    SettingsFile {
        /// Its text.
        text: String,
    },
    /// The clients that can be connected.
    Clients {
        /// In the order in which they are shown.
        clients: Vec<ClientState>,
    },
    /// What would change in a client's files.
    ClientPreview(ClientPreview),
    /// What doctor found.
    Doctor(DoctorReport),
    /// How voice is.
    Voice(VoiceState),
    /// The microphones.
    Microphones {
        /// The system's default first.
        microphones: Vec<Microphone>,
    },
    /// The speech models.
    SpeechModels(SpeechModels),
    /// Whether the person saw a request.
    #[cfg_attr(feature = "typescript", ts(skip))]
    TestRequest {
        /// What came of it.
        finding: Finding,
    },
    /// Pending requests.
    #[cfg_attr(feature = "typescript", ts(skip))]
    Requests {
        /// Urgent first, then oldest first, put off ones last.
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
    /// A link for one browser.
    #[cfg_attr(feature = "typescript", ts(skip))]
    Link {
        /// The link; it can't be read again.
        url: String,
        /// Until when it may be used.
        expires_at: Timestamp,
    },
    /// The clients' tokens.
    #[cfg_attr(feature = "typescript", ts(skip))]
    Tokens {
        /// The newest first.
        tokens: Vec<TokenEntry>,
    },
    /// The clients of the record.
    #[cfg_attr(feature = "typescript", ts(skip))]
    HeardClients {
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
