//! The Model Context Protocol side of the gate, on rmcp: tools, their schemas, and connections.
//!
//! Knows the protocol and the clients; what a request means is behind [`Gate`], which the running
//! gate implements. Serves MCP 2026-07-28 and the revisions with `initialize` down to 2024-11-05.

mod arguments;
mod chat;
#[cfg(feature = "conformance")]
pub mod conformance;
mod connection;
mod elicit;
mod exchange;
mod handed;
mod http;
mod incoming;
mod late;
mod port;
mod schema;
mod server;
mod tasks;
mod toolset;

pub use connection::{ConnectionInfo, serve_connection};
pub use exchange::{Deliveries, Delivery};
pub use http::{HttpBody, HttpEndpoint};
pub use port::{Asked, Call, Gate, Look};
pub use toolset::{DEFAULT_TOOLSET, Toolset};
