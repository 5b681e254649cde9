//! What the front ends (desktop window, browser, terminal) and the gate say to each other: one
//! list of [`Command`]s, one union of [`Event`]s. The UI's TypeScript is generated from it
//! (`cargo xtask codegen`).

mod command;
mod event;
mod history;
mod wire;

pub use command::{
    Answer, AskRequest, AskResult, ClientEntry, Command, SendReply, Snapshot, StatusReport, TokenEntry, WindowSettings,
};
pub use event::{Event, RequestSummary, RequestView, SessionSummary};
pub use history::{CheckpointView, ConversationView, HistoryEntry, MessageView};
pub use wire::{ControlReply, ControlRequest, ControlResult};
