//! The running gate: one controller that owns the store, the queue, the local socket, timers and
//! shutdown. The desktop app and `review-gate serve` both host it; it knows no window.

mod board;
mod clock;
mod commands;
mod control;
mod gate;
#[cfg(test)]
mod gate_tests;
pub mod logging;
mod mcp;
mod relays;
mod runner;
pub mod settings;
mod view;

pub use commands::Origin;
pub use gate::Gate;
pub use runner::{RunOptions, Running, Started, start};
pub use settings::Settings;
