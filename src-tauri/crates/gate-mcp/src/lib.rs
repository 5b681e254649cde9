//! The Model Context Protocol side of the gate, on rmcp: tools, their schemas, and connections.
//!
//! Knows the protocol and the clients; what a request means is behind [`Gate`], which the running
//! gate implements. Serves MCP 2026-07-28 and the revisions with `initialize` down to 2024-11-05.

mod arguments;
mod chat;
mod checkpoints;
mod completion;
mod config;
#[cfg(feature = "conformance")]
pub mod conformance;
mod connection;
mod cursor;
mod elicit;
mod exchange;
#[cfg(test)]
mod faked;
mod faults;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
mod handed;
mod http;
mod incoming;
mod late;
mod notes;
mod port;
mod prompts;
mod record;
mod resources;
mod schema;
mod server;
mod skills;
mod subscriptions;
mod tasks;
mod templates;
mod toolset;
mod uri;
mod views;

pub use connection::{ConnectionInfo, serve_connection};
pub use exchange::{Delivered, Deliveries, Delivery};
pub use http::{HttpBody, HttpEndpoint};
pub use port::{
    Agent, Applies, Asked, Call, Change, ChangedSetting, ConfigEntry, Context, Gate, Handover, Look, Recorded,
    Reported, SessionDetails, Whose,
};
pub use toolset::{DEFAULT_TOOLSET, Toolset};
