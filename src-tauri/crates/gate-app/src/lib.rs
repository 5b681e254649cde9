//! The running gate: one controller that owns the store, the queue, the local socket, timers and
//! shutdown. The desktop app and `review-gate serve` both host it; it knows no window.

mod agents_log;
mod ambient;
pub mod approved_change;
mod bus;
mod commands;
mod control;
mod door;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
mod host;
mod link_page;
pub mod logging;
mod mcp;
mod memory;
mod next_due;
pub mod offline;
mod program;
mod recent;
mod runner;
mod shell;
mod shown;
mod slices;
mod sockets;
#[cfg(test)]
mod tests;
mod unknown;
mod upkeep;
mod verifying;
mod work;

pub use ambient::local_offset;
pub use gate_api::Origin;
pub use gate_mcp::{DEFAULT_TOOLSET, Toolset};
pub use gate_settings::Settings;
pub use host::Allows;
pub use link_page::LinkPage;
pub use memory::Memory;
pub use runner::{RunOptions, Running, Started, start};
pub use slices::Gate;
pub use slices::person::{Glance, QuietFor, WaitingRequest, Working, attention};
pub use slices::prompts::folders as prompt_folders;
pub use slices::requests::{Notice, QuickReply};
pub use slices::settings::may_change;
pub use slices::voice::choices as voice_choices;
