//! Why an act is refused, and what a caller is told then.

use super::JobId;
use super::definition::Definition;
use super::words::{AgentStatus, JobStatus, Phase};
use crate::bounded::excerpt;
use crate::fault::{Code, Fault};

/// The fault of what names no job, or one that the caller may not see.
#[must_use]
pub fn unknown_job(named: Option<&str>) -> Fault {
    let which = named.map_or_else(|| "this id".to_owned(), |named| format!("{:?}", excerpt(named, 100)));
    Fault::new(
        Code::UnknownJob,
        format!("No job is {which}, or it isn't yours to see."),
        "Pass a jobId as create_job or get_workflow gave it, or github:OWNER/REPO:NUMBER or gitlab:GROUP/PROJECT:NUMBER; \
         create_job with the pull request's URL begins one.",
    )
}

/// The fault of a call that names another job than the one that its connection is for.
#[must_use]
pub fn wrong_job(own: JobId) -> Fault {
    Fault::new(
        Code::WrongJob,
        format!("This connection is for the job {own} alone."),
        "Leave jobId out, or pass that one. Another job needs a connection of its own.",
    )
}

/// Why an act is refused. Nothing has happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The phase comes later, or is over; with the phase that it is in.
    PhaseOrder(Phase, Phase),
    /// There were as many steps back as there may be, or nothing to step back for.
    NoWayBack(Phase, Phase),
    /// These audits aren't finished, which the phase needs.
    AgentsUnfinished(Phase, Vec<String>),
    /// These audits failed, without which nothing is published.
    AgentFailed(Vec<String>),
    /// These audits come before that one.
    AgentOrder(String, Vec<String>),
    /// The phase of a failed audit is over: it needs a step back.
    AgentPast(String, Phase),
    /// The audit wasn't started, or not so often.
    AgentNotStarted(String, Option<u32>),
    /// The audit has ended so.
    AgentFinished(String, AgentStatus),
    /// A newer attempt of the audit has begun.
    NewerAttempt(String, u32),
    /// There is no such audit; with the names that there are, and the nearest one.
    UnknownAgent(String, Vec<String>, Option<String>),
    /// The job has ended so.
    JobFinished(JobStatus),
    /// It waits for the person's go.
    JobParked,
    /// Another run has it.
    JobTaken,
    /// It isn't the caller's.
    NotYours,
    /// It can't be done where the job stands.
    WrongState(JobStatus),
    /// Only the person or the gate does this.
    NotForRuns,
}

/// A name of an audit that is near to what was written, of at least this likeness.
const LIKENESS: f32 = 0.6;

impl Refusal {
    pub(super) fn unknown_agent(name: &str, definition: &Definition) -> Self {
        let aliases = definition.agents.iter().flat_map(|agent| agent.aliases.iter().map(String::as_str));
        let names: Vec<&str> = definition.agents.iter().map(|agent| agent.name.as_str()).collect();
        let known: Vec<&str> = names.iter().copied().chain(aliases).collect();
        let near = similar::get_close_matches(excerpt(name, 100).to_lowercase().as_str(), &known, 1, LIKENESS);
        let near = near.first().and_then(|near| definition.agent(near)).map(|agent| agent.name.clone());
        Self::UnknownAgent(excerpt(name, 60), names.into_iter().map(str::to_owned).collect(), near)
    }

    /// The same as a fault.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self {
            Self::PhaseOrder(..) | Self::NoWayBack(..) | Self::AgentsUnfinished(..) | Self::AgentFailed(_) => {
                self.of_phase()
            }
            Self::AgentOrder(..)
            | Self::AgentPast(..)
            | Self::AgentNotStarted(..)
            | Self::AgentFinished(..)
            | Self::NewerAttempt(..)
            | Self::UnknownAgent(..) => self.of_agent(),
            Self::JobFinished(_)
            | Self::JobParked
            | Self::JobTaken
            | Self::NotYours
            | Self::WrongState(_)
            | Self::NotForRuns => self.of_job(),
        }
    }

    fn of_phase(&self) -> Fault {
        match self {
            Self::AgentsUnfinished(phase, names) => Fault::new(
                Code::AgentsUnfinished,
                format!("`{}` needs these agents to be finished: {}.", phase.as_str(), listed(names)),
                "Call start_agent and complete_agent for each of them; one that can't be done ends with status `failed`.",
            ),
            Self::AgentFailed(names) => Fault::new(
                Code::AgentFailed,
                format!("Nothing is published without these agents, which failed: {}.", listed(names)),
                "Go back with set_phase `agents-running` and start them again where they have tries left; else tell the \
                 person. The findings are kept.",
            ),
            Self::PhaseOrder(now, asked) => Fault::new(
                Code::PhaseOrder,
                format!("The job is in `{}`; `{}` doesn't follow it.", now.as_str(), asked.as_str()),
                goes_on(*now),
            ),
            Self::NoWayBack(now, asked) => Fault::new(
                Code::PhaseOrder,
                format!("The job is in `{}` and can't step back to `{}`.", now.as_str(), asked.as_str()),
                format!(
                    "It may step back {} times at most, where a failed agent has tries left or the person asked for changes. \
                     {}",
                    super::bounds::STEPS_BACK,
                    goes_on(*now)
                ),
            ),
            _ => Fault::internal("A refusal of a phase was expected."),
        }
    }

    fn of_agent(&self) -> Fault {
        match self {
            Self::AgentOrder(name, before) => Fault::new(
                Code::AgentOrder,
                format!("Before `{name}` come agents that aren't finished: {}.", listed(before)),
                "Finish these first, with start_agent and complete_agent.",
            ),
            Self::AgentPast(name, phase) => Fault::new(
                Code::PhaseOrder,
                format!("`{name}` belongs to `{}`, which is over.", phase.as_str()),
                format!("Go back with set_phase `{}`, then start it again.", phase.as_str()),
            ),
            Self::AgentNotStarted(name, None) => Fault::new(
                Code::AgentNotStarted,
                format!("`{name}` wasn't started."),
                format!("Call start_agent with agentName `{name}`, do the audit, then call complete_agent."),
            ),
            Self::AgentNotStarted(name, Some(attempt)) => Fault::new(
                Code::AgentNotStarted,
                format!("There was no attempt {attempt} of `{name}`."),
                "Pass the `attempt` that start_agent gave, or leave it out.",
            ),
            Self::AgentFinished(name, status) => Fault::new(
                Code::AgentFinished,
                format!("`{name}` has ended as `{}`, and isn't started or ended otherwise any more.", status.as_str()),
                "Go on with what get_workflow says is left.",
            ),
            Self::NewerAttempt(name, attempt) => Fault::new(
                Code::AgentFinished,
                format!("That attempt of `{name}` is over; the one that counts is {attempt}."),
                "End the newest attempt, or leave `attempt` out.",
            ),
            Self::UnknownAgent(name, names, near) => Fault::new(
                Code::UnknownAgent,
                format!("This job has no agent {name:?}."),
                match near {
                    Some(near) => format!("Did you mean `{near}`? It has {}.", listed(names)),
                    None => format!("It has {}.", listed(names)),
                },
            ),
            _ => Fault::internal("A refusal of an audit was expected."),
        }
    }

    fn of_job(&self) -> Fault {
        match self {
            Self::JobFinished(status) => Fault::new(
                Code::JobFinished,
                format!("The job is over: it is {}.", status.as_str()),
                "Read it with get_workflow; create_job with `force` begins another one.",
            ),
            Self::JobParked => Fault::new(
                Code::JobParked,
                "The job waits for the person to let it be run.",
                "End your turn; they find it on the page Reviews.",
            ),
            Self::JobTaken => Fault::new(
                Code::JobTaken,
                "Another run has this job. Nothing was recorded.",
                format!(
                    "End your turn. If that run is gone for {} seconds, a call takes the job over; get_workflow says what is \
                     left then.",
                    super::bounds::GONE_MILLIS / 1000
                ),
            ),
            Self::NotYours => unknown_job(None),
            Self::WrongState(status) => Fault::new(
                Code::WrongState,
                format!("That can't be done with a job that is {}.", status.as_str()),
                "Look at the job again; it may have changed meanwhile.",
            ),
            Self::NotForRuns => {
                Fault::new(Code::RoleForbidden, "Only the person or the gate may do that.", "Ask the person.")
            }
            _ => Fault::internal("A refusal of a job was expected."),
        }
    }
}

/// What follows a phase.
fn goes_on(now: Phase) -> String {
    now.next().map_or_else(
        || "It is the last one.".to_owned(),
        |next| format!("The next one is `{}`: call set_phase with it.", next.as_str()),
    )
}

/// Names, each in backquotes.
pub(super) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}
