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
mod http;
pub mod logging;
mod mcp;
mod relays;
mod runner;
pub mod settings;
mod settled;
mod tokens;
mod view;

pub use commands::Origin;
pub use gate::Gate;
pub use gate_mcp::{DEFAULT_TOOLSET, Toolset};
pub use runner::{RunOptions, Running, Started, start};
pub use settings::Settings;
