//! The Model Context Protocol side of the gate, on rmcp: tools, their schemas, and connections.
//!
//! Knows the protocol and the clients; what a call means is behind the ports of the toolsets, which the
//! running gate implements. Serves MCP 2026-07-28 and the revisions with `initialize` down to 2024-11-05.

mod answer;
mod broker;
mod channel;
mod chat;
mod completion;
mod config;
#[cfg(feature = "conformance")]
pub mod conformance;
mod connection;
mod cursor;
#[cfg(test)]
mod fake_gate;
mod faults;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
mod http;
mod incoming;
mod input;
mod kept;
mod logging;
mod notes;
mod outgoing;
mod output;
mod permission;
mod port;
mod prompts;
mod record;
mod resource;
mod resources;
mod server;
mod skills;
mod subscriptions;
mod templates;
mod tool;
mod toolset;
mod toolsets;
mod uri;
mod waiting;
mod workflow;

pub use answer::{CallerPort, ReviewCaller, TokenGiven};
pub use broker::{
    BrokerPort, ClaimGiven, ClaimWish, Closing, GivenVerdict, OfferedPatch, ProposedChange, ReviewLook, ReviewRead,
    Said, SaidAt, Submission, SubmittedProposal,
};
pub use channel::{Delivered, Deliveries, Delivery};
pub use chat::{Asked, Call, ChatPort, Look, Made, NamedRepository, Shows};
pub use config::{Applies, CONFIG, ChangedSetting, ConfigEntry, ConfigPort};
pub use connection::{ConnectionInfo, serve_connection};
pub use http::{HttpBody, HttpEndpoint};
pub use permission::{PermissionCall, PermissionPort};
pub use port::{Agent, Change, ConnectionPort, Handover, LogEntry, Severity, Whose};
pub use prompts::{PromptPort, PromptTimes};
pub use record::{Context, RecordPort, Recorded, Reported, SessionDetails};
pub use toolsets::*;
pub use workflow::{
    CreatedJob, JobDiff, JobRead, JobWish, PreviousReview, PublicationRead, ThreadsRead, WorkflowPort, job_uris,
};
