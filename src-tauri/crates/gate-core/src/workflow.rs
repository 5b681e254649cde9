//! The review workflow's domain: a reviewer takes a pull request through phases, the person chooses what of it is posted.
//!
//! | file | owns |
//! |---|---|
//! | `words.rs` | the words for phases, states and kinds, as they stand on the wire |
//! | `definition.rs` | what a job goes through: its audits and limits; the built-in workflows |
//! | `job.rs` | where a job stands, and how far it is |
//! | `act.rs`, `step.rs` | what may be done to a job, and what it leads to: the table of transitions |
//! | `refusal.rs` | why an act is refused |
//! | `event.rs` | what is told of a job afterwards |
//! | `told.rs` | what a run is told to do, and what is left |
//! | `reference.rs`, `pull.rs` | how a job and a pull request are named |
//! | `finding.rs`, `action.rs`, `thread.rs` | what a reviewer hands in, and what the platform has |
//! | `anchor.rs`, `path.rs` | where in a diff something is put |
//! | `disarm.rs` | text that does nothing where it is posted but be read |
//! | `publication.rs` | what would be posted: items, the person's draft, the manifest |
//! | `flow_file.rs` | review-flow's file of a job |
//! | `record.rs`, `port.rs` | what is kept of jobs, and what the workflow needs of whatever keeps them |
//! | `bounds.rs` | the bounds |

pub mod act;
pub mod action;
pub mod anchor;
pub mod bounds;
pub mod definition;
pub mod disarm;
pub mod event;
pub mod finding;
pub mod flow_file;
pub mod job;
mod path;
pub mod port;
pub mod publication;
pub mod pull;
pub mod record;
pub mod reference;
mod refusal;
pub mod step;
#[cfg(test)]
mod tests;
pub mod thread;
pub mod told;
pub mod words;

pub use act::{Act, By, Caller, Connection};
pub use action::{Action, ActionFields, ActionType};
pub use anchor::{Anchor, Placed, Point, Sought};
pub use definition::{AgentDefinition, Definition, Limits, built_in};
pub use event::{Event, EventKind};
pub use finding::{Finding, KeptFinding};
pub use job::{AgentState, JobState, Run};
pub use path::PathText;
pub use port::WorkflowStore;
pub use pull::Pull;
pub use reference::{JobReference, PullReference};
pub use refusal::{Refusal, unknown_job, wrong_job};
pub use step::{Answer, Step};
pub use thread::{Thread, ThreadComment};
pub use words::{
    AgentEnd, AgentStatus, AnchorKind, FindingState, HeldFor, ItemKind, ItemState, JobStatus, JobType, OnFailure,
    Phase, Platform, PublicationState, PublishEvent, Readiness, Severity, ThreadStatus,
};

use crate::ids::id;

id!(
    /// One review of one pull request at one head.
    JobId,
    "jobId"
);
id!(
    /// One finding of a job.
    FindingId,
    "findingId"
);
id!(
    /// One action of a job.
    ActionId,
    "actionId"
);
id!(
    /// One publication of a job; it stays the same over its revisions.
    PublicationId,
    "publicationId"
);
id!(
    /// One item of a publication: the id of the finding or of the action that it is of, or the publication's own for the
    /// report. So it is the same over revisions.
    ItemId,
    "itemId"
);
