//! What is told of a job afterwards.

use serde_json::{Map, Value};

use crate::wire::wire;

wire!(
    /// What happened. Four of the words are review-flow's.
    EventKind {
        /// It was created.
        Created = "job:created",
        /// The person lets it be run.
        Released = "job:released",
        /// A run has it for the first time.
        Started = "job:started",
        /// Another run has it.
        Taken = "job:taken",
        /// The person lets another party take it over.
        HandedOver = "job:handed_over",
        /// Its run is gone.
        Interrupted = "job:interrupted",
        /// Its run is there again.
        Resumed = "job:resumed",
        /// Its run has ended it.
        Completed = "job:completed",
        /// Its time was over, or it couldn't be run.
        Failed = "job:failed",
        /// The person has ended it.
        Cancelled = "job:cancelled",
        /// A job of a newer head took its place.
        Superseded = "job:superseded",
        /// It is in another phase.
        PhaseChanged = "phase:changed",
        /// An audit began.
        AgentStarted = "agent:started",
        /// An audit ended well.
        AgentCompleted = "agent:completed",
        /// An audit failed.
        AgentFailed = "agent:failed",
        /// Findings were added.
        FindingsAdded = "finding:added",
        /// An action was added.
        ActionAdded = "action:added",
        /// What would be posted stands otherwise than before.
        PublicationChanged = "publication:changed",
    }
);

/// One event of a job. Its number in the job and its moment are its keeper's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// What there is to say of it.
    pub data: Map<String, Value>,
}

impl Event {
    /// One of which there is this to say: an object, else nothing.
    #[must_use]
    pub fn new(kind: EventKind, data: Value) -> Self {
        let data = if let Value::Object(data) = data { data } else { Map::new() };
        Self { kind, data }
    }
}
