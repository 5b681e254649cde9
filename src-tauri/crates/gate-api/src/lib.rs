//! What the front ends (desktop window, browser, terminal) and the gate say to each other: commands and events, each
//! declared once with its subject ([`subjects`]). The UI's TypeScript and `docs/commands.md` are generated from it
//! (`cargo xtask codegen`).

mod approved;
mod clients;
mod declare;
mod doctor;
mod done;
mod history;
mod page;
mod permissions;
mod phrase;
mod prompts;
mod receipts;
mod requests;
mod sessions;
mod settings;
pub mod subjects;
mod voice;
mod wire;

pub use approved::{Approved, AskApproved};
pub use clients::{
    ClientDiff, ClientFile, ClientPermission, ClientPreview, ClientQuestions, ClientRules, ClientScope, ClientState,
};
pub use declare::{CarriedOutBy, Declaration, Kind, May, Origin, Seen, TypedCommand, Who};
pub use doctor::{DoctorReport, Finding, Level};
pub use done::Done;
pub use history::{CheckpointView, ConversationView, HistoryAgent, HistoryEntry, HistoryWorkspace, MessageView};
pub use page::page;
pub use permissions::{PermissionSummary, PermissionView};
pub use phrase::{Phrase, PhraseValue};
pub use prompts::{
    DeletedPrompt, PromptChange, PromptClient, PromptEntry, PromptImport, PromptImported, PromptLibrary, PromptPreview,
    PromptReview, PromptSyncState, PromptSyncStatus, PromptSyncStep, PromptUse, PromptVersion, PromptVersionCause,
    PromptView, SyncedPrompt,
};
pub use receipts::{ReceiptStanding, ReceiptView};
pub use requests::{ApprovalNeeds, GitView, RequestSummary, RequestView, RoundSummary};
pub use sessions::SessionSummary;
pub use settings::{
    AgentAccess, Applies, ChangedBy, Setting, SettingChange, SettingChoice, SettingDifference, SettingKind,
    SettingSection, SettingSource, SettingsView,
};
#[cfg(feature = "typescript")]
pub use subjects::typescript;
pub use subjects::{Answer, Command, Event, Handler};
pub use voice::{Microphone, ModelState, SpeechModel, SpeechModels, VoicePhase, VoiceReadiness, VoiceState, VoiceTake};
pub use wire::{ControlReply, ControlRequest, ControlResult};
