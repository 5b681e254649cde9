//! The running gate: one controller that owns the store, the queue, the local socket, timers and
//! shutdown. The desktop app and `review-gate serve` both host it; it knows no window.

mod access;
mod board;
mod clock;
mod commands;
mod control;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
mod gate;
#[cfg(test)]
mod gate_tests;
mod glance;
mod history;
mod http;
pub mod logging;
mod mcp;
pub mod offline;
mod record;
#[cfg(test)]
mod record_tests;
mod relays;
mod runner;
mod sessions;
pub mod settings;
mod settled;
mod tokens;
mod transfer;
mod turns;
mod upkeep;
mod view;

pub use commands::Origin;
pub use gate::Gate;
pub use gate_mcp::{DEFAULT_TOOLSET, Toolset};
pub use glance::Glance;
pub use runner::{RunOptions, Running, Started, start};
pub use settings::Settings;
