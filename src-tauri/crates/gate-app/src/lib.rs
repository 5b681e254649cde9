//! The running gate: one controller that owns the store, the queue, the local socket, timers and
//! shutdown. The desktop app and `review-gate serve` both host it; it knows no window.

mod access;
pub mod attention;
mod board;
mod browsers;
mod chat;
mod clients;
mod clock;
mod commands;
mod config;
mod control;
mod doctor;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
mod gate;
mod glance;
mod history;
mod hold;
mod http;
mod link;
pub mod logging;
mod mcp;
mod notes;
mod notice;
pub mod offline;
mod presence;
mod prompts;
mod put_off;
mod quiet;
mod record;
mod relays;
mod runner;
mod sessions;
pub mod settings;
mod settled;
#[cfg(test)]
mod tests;
mod tokens;
mod transfer;
mod turns;
mod upkeep;
mod view;
mod voice;
mod workspace;

pub use commands::Origin;
pub use gate::Gate;
pub use gate_mcp::{DEFAULT_TOOLSET, Toolset};
pub use glance::{Glance, WaitingRequest, Working};
pub use notice::{Notice, QuickReply};
pub use prompts::folders as prompt_folders;
pub use quiet::QuietFor;
pub use runner::{RunOptions, Running, Started, start};
pub use settings::Settings;
pub use voice::choices as voice_choices;
