//! What a run is told of its job: the steps that it takes, and what of them is left.

use super::definition::Definition;
use super::job::JobState;
use super::refusal::listed;
use super::words::{AgentStatus, JobStatus, Phase};

/// The steps of a review, in their order.
const STEPS: &str = "\
Call the tools in this order:
1. get_workflow (this one): what the review is about, and its agents
2. set_phase(\"initializing\"): the review begins
3. set_phase(\"agents-running\"): before the first audit
4. For each agent in workflow.agents, in this order:
   a. start_agent(agentName), before its audit
   b. do the audit, and hand in what you find with add_findings
   c. complete_agent(agentName, status), after it
5. set_phase(\"synthesizing\"): when the audits are done and the report is written
6. set_phase(\"publishing\"): when the report is put before the person; publish shows it to them
7. set_phase(\"completed\"): at the end

add_action replies in a thread, settles it, comments or labels; get_threads tells how the threads stand. Nothing is posted \
before the person has approved it.";

/// What a run is to do: all steps, or where some are done, what is left.
#[must_use]
pub fn instructions(job: &JobState, definition: &Definition) -> String {
    let steps = definition.instructions.as_deref().unwrap_or(STEPS);
    let late = definition.agents.iter().filter(|agent| agent.phase == Phase::Synthesizing);
    let late: Vec<_> = late.map(|agent| agent.name.as_str()).collect();
    let mut told = steps.trim_end().to_owned();
    if !late.is_empty() {
        told.push_str(&format!(
            "\n\nThese agents may run in `synthesizing`, and are finished before `publishing`: {}.",
            listed(&late)
        ));
    }
    if job.begun || job.status.is_finished() {
        told.push('\n');
        for (status, says) in [
            (AgentStatus::Completed, "Done"),
            (AgentStatus::Running, "Running"),
            (AgentStatus::Failed, "Failed"),
            (AgentStatus::Pending, "Not started"),
        ] {
            let names = job.agents.iter().filter(|agent| agent.status == status);
            let names: Vec<_> = names.map(|agent| agent.name.as_str()).collect();
            if !names.is_empty() {
                told.push_str(&format!("\n{says}: {}.", listed(&names)));
            }
        }
        told.push_str(&format!("\nWhat is left now: {}", next(job, definition)));
    }
    told
}

/// What comes next.
#[must_use]
pub fn next(job: &JobState, definition: &Definition) -> String {
    match job.status {
        JobStatus::Parked => return "nothing, until the person lets the job be run.".to_owned(),
        JobStatus::Completed | JobStatus::Failed | JobStatus::Cancelled | JobStatus::Superseded => {
            return format!("nothing: the job is {}.", job.status.as_str());
        }
        JobStatus::Queued | JobStatus::Running | JobStatus::Interrupted => {}
    }
    let changes =
        if job.changes_requested { "The person asked for changes: see to them, then publish again. " } else { "" };
    format!("{changes}{}", of_phase(job, definition))
}

fn of_phase(job: &JobState, definition: &Definition) -> String {
    let phase = if job.phase == Phase::Initializing { Phase::AgentsRunning } else { job.phase };
    let (needed, then) = match phase {
        Phase::Initializing | Phase::AgentsRunning => (Phase::AgentsRunning, "set_phase(\"synthesizing\")"),
        Phase::Synthesizing => (Phase::Synthesizing, "set_phase(\"publishing\")"),
        Phase::Publishing | Phase::Completed => return "set_phase(\"completed\").".to_owned(),
    };
    let unfinished = job.unfinished(definition, needed);
    if unfinished.is_empty() {
        return format!("{}{then}.", again(job, definition));
    }
    let running = job.agents.iter().filter(|agent| agent.status == AgentStatus::Running);
    let running: Vec<_> = running.map(|agent| format!("complete_agent(\"{}\", status)", agent.name)).collect();
    let startable = job.startable(definition).into_iter().filter(|name| unfinished.contains(name));
    let startable: Vec<_> = startable.map(|name| format!("start_agent(\"{name}\")")).collect();
    let calls = [running, startable].concat().join(", ");
    let rest = unfinished.len();
    format!("{calls}; {rest} of the agents that {then} needs aren't finished.")
}

/// What can be done about audits that failed.
fn again(job: &JobState, definition: &Definition) -> String {
    let blocking = job.blocking(definition);
    let tries = job.with_definitions(definition).filter(|(agent, _)| agent.has_tries(definition));
    let here: Vec<_> =
        tries.filter(|(_, defined)| defined.phase >= job.phase).map(|(agent, _)| agent.name.as_str()).collect();
    if !here.is_empty() {
        return format!("{} failed and may be started again with start_agent; or ", listed(&here));
    }
    if blocking.is_empty() || job.phase < Phase::Synthesizing {
        return String::new();
    }
    let way = if job.may_step_back(definition) { "set_phase(\"agents-running\") goes back" } else { "tell the person" };
    format!("{} failed, without which nothing is published: {way}; ", listed(&blocking))
}
