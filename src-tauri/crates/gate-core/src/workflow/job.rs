//! Where a job stands: all that its rules look at, and nothing that they don't.

use serde::{Deserialize, Serialize};

use super::bounds;
use super::definition::{AgentDefinition, Definition};
use super::words::{AgentStatus, JobStatus, OnFailure, Phase};
use crate::timestamp::Timestamp;

/// A job's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobState {
    /// Where it stands.
    pub status: JobStatus,
    /// The phase that it is in.
    pub phase: Phase,
    /// Whether its run has said so of any phase, or has started an audit.
    pub begun: bool,
    /// Its audits, in the order of its definition.
    pub agents: Vec<AgentState>,
    /// How often it has stepped back.
    pub steps_back: u32,
    /// Whether the person asked for changes of what it was to post, and nothing new was put before them since.
    pub changes_requested: bool,
    /// The run that writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
    /// The epoch of that run, or of the last one. It grows with each.
    pub epoch: u64,
    /// The party that the person lets take it over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed_to: Option<String>,
    /// How often its run was lost.
    pub losses: u32,
    /// When a run first had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Whether its run waits for a person.
    pub waits: bool,
    /// Since when time doesn't count; absent while it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_at: Option<Timestamp>,
    /// Milliseconds since its start that don't count, but for those since `stopped_at`.
    pub uncounted: u64,
    /// When something last happened to it.
    pub last_update: Timestamp,
}

/// An audit's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentState {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub status: AgentStatus,
    /// How often it was started.
    pub attempt: u32,
    /// How often it failed.
    pub failures: u32,
    /// When it was last started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether it failed since its time was over, and not by its run's word.
    pub timed_out: bool,
    /// Whether it ended well after its time was over.
    pub late: bool,
    /// Milliseconds since its start that don't count.
    pub uncounted: u64,
}

/// Who writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// What the run is known by: its relay, its process, its token.
    pub key: String,
    /// Its party.
    pub party: String,
    /// Its last act, moved by time in which the gate was off.
    pub acted_at: Timestamp,
}

impl AgentState {
    /// One that nobody has started.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            status: AgentStatus::Pending,
            attempt: 0,
            failures: 0,
            started_at: None,
            completed_at: None,
            error: None,
            timed_out: false,
            late: false,
            uncounted: 0,
        }
    }

    /// Whether it failed and may be started again.
    #[must_use]
    pub fn has_tries(&self, definition: &Definition) -> bool {
        self.status == AgentStatus::Failed && self.failures <= definition.limits.retries
    }
}

impl JobState {
    /// A job that was just created, which has no run.
    #[must_use]
    pub fn new(definition: &Definition, is_parked: bool, now: Timestamp) -> Self {
        Self {
            status: if is_parked { JobStatus::Parked } else { JobStatus::Queued },
            phase: Phase::Initializing,
            begun: false,
            agents: definition.agents.iter().map(|agent| AgentState::new(&agent.name)).collect(),
            steps_back: 0,
            changes_requested: false,
            run: None,
            epoch: 0,
            handed_to: None,
            losses: 0,
            started_at: None,
            ended_at: None,
            waits: false,
            stopped_at: None,
            uncounted: 0,
            last_update: now,
        }
    }

    /// `round(80·Σwᵢsᵢ/Σwᵢ + p)`: s is 1 for a finished audit and ½ for a running one, p is 0, 5, 10, 15, 20 by phase. It
    /// falls with a step back, a new attempt and another run alone.
    #[must_use]
    pub fn overall_progress(&self, definition: &Definition) -> u32 {
        let (mut halves, mut all) = (0_u32, 0_u32);
        for (agent, weight) in self.agents.iter().zip(definition.agents.iter().map(|agent| agent.weight)) {
            all += weight;
            halves += match agent.status {
                AgentStatus::Pending => 0,
                AgentStatus::Running => weight,
                AgentStatus::Completed | AgentStatus::Failed => 2 * weight,
            };
        }
        let by_phase = Phase::ALL.iter().zip([0, 5, 10, 15, 20]).find(|(phase, _)| **phase == self.phase);
        // Half a percent is rounded up, as JavaScript has it.
        (80 * halves + all) / (2 * all).max(1) + by_phase.map_or(0, |(_, percent)| percent)
    }

    /// Its audits, each with its definition.
    pub fn with_definitions<'a>(
        &'a self,
        definition: &'a Definition,
    ) -> impl Iterator<Item = (&'a AgentState, &'a AgentDefinition)> {
        self.agents.iter().zip(&definition.agents)
    }

    /// Audits that aren't finished and have to be by the end of this phase.
    #[must_use]
    pub fn unfinished<'a>(&'a self, definition: &'a Definition, until: Phase) -> Vec<&'a str> {
        let open = self.with_definitions(definition);
        let open = open.filter(|(agent, defined)| !agent.status.is_finished() && defined.phase <= until);
        open.map(|(agent, _)| agent.name.as_str()).collect()
    }

    /// Audits that failed and without which nothing is published.
    #[must_use]
    pub fn blocking<'a>(&'a self, definition: &'a Definition) -> Vec<&'a str> {
        let failed = self.with_definitions(definition);
        let failed = failed
            .filter(|(agent, defined)| agent.status == AgentStatus::Failed && defined.on_failure == OnFailure::Block);
        failed.map(|(agent, _)| agent.name.as_str()).collect()
    }

    /// Unfinished audits of a lower order than this one.
    #[must_use]
    pub fn before<'a>(&'a self, definition: &'a Definition, order: u32) -> Vec<&'a str> {
        let open = self.with_definitions(definition);
        let open = open.filter(|(agent, defined)| !agent.status.is_finished() && defined.order < order);
        open.map(|(agent, _)| agent.name.as_str()).collect()
    }

    /// Audits that can be started now for the first time, or after another run was at them.
    #[must_use]
    pub fn startable<'a>(&'a self, definition: &'a Definition) -> Vec<&'a str> {
        let pending = self.with_definitions(definition).filter(|(agent, defined)| {
            agent.status == AgentStatus::Pending && self.before(definition, defined.order).is_empty()
        });
        pending.map(|(agent, _)| agent.name.as_str()).collect()
    }

    /// Whether it may step back to an earlier phase.
    #[must_use]
    pub fn may_step_back(&self, definition: &Definition) -> bool {
        let again = self.changes_requested || self.agents.iter().any(|agent| agent.has_tries(definition));
        again && self.steps_back < bounds::STEPS_BACK
    }

    /// Whether it is started again by itself after its run was lost.
    #[must_use]
    pub fn restarts(&self) -> bool {
        self.status == JobStatus::Interrupted && self.losses <= bounds::RESTARTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflow::definition::built_in;

    fn with(statuses: &[AgentStatus], phase: Phase, weights: &[u32]) -> u32 {
        let mut definition = built_in("review").expect("it is built in");
        definition.agents.truncate(statuses.len());
        for (agent, weight) in definition.agents.iter_mut().zip(weights) {
            agent.weight = *weight;
        }
        let mut job = JobState::new(&definition, false, Timestamp(0));
        job.phase = phase;
        for (agent, status) in job.agents.iter_mut().zip(statuses) {
            agent.status = *status;
        }
        job.overall_progress(&definition)
    }

    #[test]
    fn progress_is_what_review_flow_counts() {
        use AgentStatus::{Completed, Failed, Pending, Running};
        let phase = Phase::AgentsRunning;
        assert_eq!(with(&[Completed, Completed, Pending, Pending], phase, &[]), 45, "two of four");
        assert_eq!(with(&[Running, Pending], phase, &[]), 25, "one of two that runs");
        assert_eq!(with(&[Completed, Failed, Pending, Pending], phase, &[]), 45, "a failed one counts");
        assert_eq!(with(&[Pending; 4], Phase::Initializing, &[]), 0);
        assert_eq!(with(&[Completed; 4], Phase::Completed, &[]), 100);
        assert_eq!(with(&[Completed; 3], Phase::Publishing, &[]), 95);
        assert_eq!(with(&[Completed, Pending, Pending], phase, &[]), 32, "26.67 and five");
        assert_eq!(with(&[Running, Pending, Pending, Pending, Pending, Pending, Pending, Pending], phase, &[]), 10);
        assert_eq!(with(&[Running, Pending], phase, &[1, 63]), 6, "0.625 is one");
        assert_eq!(with(&[Running, Pending], phase, &[1, 79]), 6, "half of one is one");
        assert_eq!(with(&[Running, Pending], phase, &[1, 80]), 5, "less isn't");
        assert_eq!(with(&[Completed, Pending], phase, &[3, 1]), 65, "by their weights");
    }
}
