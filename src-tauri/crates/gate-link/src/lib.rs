//! The way from a process to the gate: where the gate's folders are, the lock that makes it the
//! only one, the local socket and who may use it, starting the gate, and the stdio relay.
//!
//! Small on purpose, because one relay runs for every agent: it knows the JSON-RPC envelope
//! (`id`, `method`, `params`) and nothing of MCP's messages, SQL or windows. Whole messages are
//! never parsed into trees.

mod connect;
mod control;
mod env;
mod error;
mod folder;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
mod hello;
mod home;
mod lineage;
mod lines;
mod lock;
mod private;
mod relay;
mod socket;
mod start;
mod stdio;

pub use connect::connect;
pub use control::ControlConnection;
pub use env::Env;
pub use error::LinkError;
pub use gate_os::process::is_in_foreground;
pub use hello::{ControlHello, HELLO_BYTES, Hello, PROTOCOL, RelayHello, Role, VerifyHello, read_hello};
pub use home::{Home, PlatformFolders, Socket};
pub use lineage::{has_ended, this_process};
pub use lines::{LineReader, Read};
pub use lock::GateLock;
pub use private::{PRIVATE_PREFIX, PrivateNote, private};
pub use relay::{RelayOptions, Timing, run};
pub use socket::{GateListener, Peer, listen};
pub use start::{RELAY, StartCommand, StartPlan, Starter, begin_anew, connect_or_start};
pub use stdio::{stdin, stdout};
