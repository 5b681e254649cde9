//! What the front ends (desktop window, browser, terminal) and the gate say to each other: commands, each declared
//! once ([`mod@commands`]), and one union of [`Event`]s. The UI's TypeScript and `docs/commands.md` are generated from it
//! (`cargo xtask codegen`).

mod clients;
pub mod commands;
mod declare;
mod doctor;
mod done;
mod event;
mod history;
mod page;
mod phrase;
mod prompts;
mod settings;
mod voice;
mod wire;

pub use clients::{ClientDiff, ClientFile, ClientPreview, ClientRules, ClientScope, ClientState};
#[cfg(feature = "typescript")]
pub use commands::typescript;
pub use commands::{Answer, Command, Handler};
pub use declare::{CarriedOutBy, Declaration, Kind, May, Origin, TypedCommand, Who};
pub use doctor::{DoctorReport, Finding, Level};
pub use done::Done;
pub use event::{Event, RequestSummary, RequestView, SessionSummary};
pub use history::{CheckpointView, ConversationView, HistoryEntry, MessageView};
pub use page::page;
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
