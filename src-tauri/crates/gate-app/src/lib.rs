//! The running gate: one controller that owns the store, the queue, the local socket, timers and
//! shutdown. The desktop app and `review-gate serve` both host it; it knows no window.

mod ambient;
mod bus;
mod commands;
mod connections;
mod control;
mod conversations;
mod doctor;
mod door;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
mod gate;
mod host;
pub mod logging;
pub mod offline;
mod person;
mod ports;
mod prompts;
mod queue;
mod requests;
mod runner;
pub mod settings;
mod shell;
mod shown;
#[cfg(test)]
mod tests;
mod unknown;
mod upkeep;
mod voice;
mod work;

pub use gate::Gate;
pub use gate_api::Origin;
pub use gate_mcp::{DEFAULT_TOOLSET, Toolset};
pub use person::{Glance, QuietFor, WaitingRequest, Working, attention};
pub use prompts::folders as prompt_folders;
pub use requests::{Notice, QuickReply};
pub use runner::{RunOptions, Running, Started, start};
pub use settings::Settings;
pub use voice::choices as voice_choices;
