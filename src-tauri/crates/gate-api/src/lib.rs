//! What the front ends (desktop window, browser, terminal) and the gate say to each other: one
//! list of [`Command`]s, one union of [`Event`]s. The UI's TypeScript is generated from it
//! (`cargo xtask codegen`).

mod answer;
mod clients;
mod command;
mod doctor;
mod event;
mod history;
mod phrase;
mod prompts;
mod settings;
mod voice;
mod wire;

pub use answer::{Answer, ClientEntry, FoundFile, Snapshot, StatusReport, TokenEntry, WindowSettings};
pub use clients::{ClientDiff, ClientFile, ClientPreview, ClientRules, ClientScope, ClientState};
pub use command::{AskRequest, AskResult, Command, SendReply, UnsavedPrompt};
pub use doctor::{DoctorReport, Finding, Level};
pub use event::{Event, RequestSummary, RequestView, SessionSummary};
pub use history::{CheckpointView, ConversationView, HistoryEntry, MessageView};
pub use phrase::Phrase;
pub use prompts::{
    PromptClient, PromptEntry, PromptImport, PromptImported, PromptLibrary, PromptPreview, PromptReview,
    PromptSyncState, PromptSyncStatus, PromptUse, PromptVersion, PromptVersionCause, PromptView,
};
pub use settings::{
    AgentAccess, Applies, ChangedBy, Setting, SettingChange, SettingChoice, SettingDifference, SettingKind,
    SettingSection, SettingSource, SettingsView,
};
pub use voice::{Microphone, ModelState, SpeechModel, SpeechModels, VoicePhase, VoiceReadiness, VoiceState, VoiceTake};
pub use wire::{ControlReply, ControlRequest, ControlResult};
