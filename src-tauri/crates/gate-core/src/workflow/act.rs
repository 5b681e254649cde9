//! What may be done to a job, and by whom.

use super::words::{AgentEnd, Phase};
use crate::timestamp::Timestamp;

/// Who acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// A run.
    Run(Caller),
    /// The person.
    Person,
    /// The gate itself: its clock, and what it sees of runs.
    Gate,
}

/// A run that calls, and how it stands to the job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// What it is known by.
    pub run: String,
    /// Its party.
    pub party: String,
    /// Whether that is the party of the job: of whoever created it, or of its run.
    pub is_own: bool,
    /// What is known of the run that has the job. Of no meaning where that is the caller.
    pub holder: Connection,
}

/// What is known of the run that has a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connection {
    /// Its relay is there.
    There,
    /// Its relay is gone since then; where that was before the gate's start, since that.
    Gone(Timestamp),
    /// It has none.
    Unknown,
}

/// Something that is done to a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Its run says which phase it is in.
    SetPhase(Phase),
    /// Its run begins an audit.
    StartAgent(String),
    /// Its run has ended an audit.
    CompleteAgent {
        /// The audit.
        name: String,
        /// How.
        end: AgentEnd,
        /// Why it failed.
        error: Option<String>,
        /// Which attempt it was, where the call says so.
        attempt: Option<u32>,
    },
    /// Its run adds something to it.
    Add,
    /// Its run puts what is to be posted before the person.
    Publish,
    /// The person lets it be run.
    Release,
    /// The person ends it.
    Cancel,
    /// The person lets this party take it over.
    HandOver(String),
    /// The person asked for changes of what it was to post.
    Return,
    /// Its run is gone.
    Lose,
    /// It can't be run; with the reason.
    Fail(String),
    /// There is a job of a newer head.
    Supersede,
    /// Time has passed: whatever is over by now ends.
    Clock,
    /// Its run waits for a person from now on, or doesn't any more.
    Wait(bool),
    /// So many milliseconds have passed in which the gate or the machine was off.
    Off(u64),
}
