//! The review workflow's tools and resources: a reviewer takes a pull request through phases, the person chooses what of it
//! is posted. What a call means is behind the port.
//!
//! | file | owns |
//! |---|---|
//! | `input.rs` | what the tools take, within its bounds |
//! | `views.rs` | what they give |
//! | `answer.rs` | what their results begin with, and the job that a call means |
//! | `advice.rs` | what the caller is told to do next |
//! | `run.rs`, `hand_in.rs`, `diff.rs`, `publish.rs` | the bodies |
//! | `resources.rs` | the resources |

mod advice;
mod answer;
mod diff;
mod hand_in;
mod input;
mod port;
mod publish;
mod resources;
mod run;
#[cfg(test)]
mod tests;
mod views;

use std::sync::Arc;

use gate_core::Outcome;

use crate::answer::{Alone, Both, act};
use crate::tool::Tool;
use crate::toolset::Subject;
use resources::Jobs;
use views::{
    ActionView, CreatedView, DiffPage, EndedView, FindingsView, PhaseView, PublishedView, StartedView, ThreadsView,
    WorkflowView,
};

pub use port::{CreatedJob, JobDiff, JobRead, JobWish, PreviousReview, PublicationRead, ThreadsRead, WorkflowPort};
pub use resources::job_uris;

/// All of it.
pub(crate) static SUBJECT: Subject<dyn WorkflowPort> =
    Subject { tools: TOOLS, resources: &[|port| Arc::new(Jobs(port))] };

/// The tools. The first six have the names and results of review-flow's, whose reviewers call them.
const TOOLS: &[Tool<dyn WorkflowPort>] = &[
    act!(
        "get_workflow", "workflow", "See what to review",
        "What is reviewed, by which agents, in which order, and where the job stands. Call it first.",
        READS, Reads, input::Reading => Alone<WorkflowView<'static>>, run::workflow
    ),
    act!(
        "set_phase", "workflow", "Enter a phase",
        "Say which phase the review is in.",
        SETS, Decides, input::Phasing => Alone<PhaseView>, run::set_phase
    ),
    act!(
        "start_agent", "workflow", "Start an agent",
        "Begin an audit of the workflow, before you do it. May give its prompt.",
        SETS, Decides, input::Starting => Alone<StartedView>, run::start
    ),
    act!(
        "complete_agent", "workflow", "End an agent",
        "End an audit that you have started.",
        SETS, Decides, input::Ending => Alone<EndedView>, run::complete
    ),
    act!(
        "add_action", "findings", "Add an action",
        "Reply in a thread, settle it, comment, or label: done on the platform if the person approves it.",
        SETS, Decides, input::Acting => Alone<ActionView>, hand_in::action
    ),
    act!(
        "get_threads", "workflow", "Read the threads",
        "The threads of the pull request.",
        FETCHES, Reads, input::Threads => Alone<ThreadsView<'static>>, hand_in::threads
    ),
    act!(
        "create_job", "workflow", "Begin a review",
        "Begin the review of a pull or merge request, to do it yourself.",
        WRITES, Decides, input::Creating => Alone<CreatedView>, run::create
    ),
    act!(
        "get_diff", "workflow", "Read the diff",
        "The diff in pages, each line with its numbers before and after.",
        FETCHES, Reads, input::Diffing => Alone<DiffPage<'static>>, diff::diff
    ),
    act!(
        "add_findings", "findings", "Hand in findings",
        "Hand in what you found; tells where each can be put.",
        SETS, Decides, input::Finds => Alone<FindingsView<'static>>, hand_in::findings
    ),
    act!(
        "publish", "findings", "Ask what to post",
        "Put the report, the findings and the actions before the person, who chooses what is posted, and wait. With \
         request_id: what became of it.",
        WRITES, Decides, input::Publishing => Alone<Both<Outcome, PublishedView<'static>>>, publish::publish
    ),
];
