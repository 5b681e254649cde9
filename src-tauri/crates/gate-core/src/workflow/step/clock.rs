//! What time does to a job: how long it and its audits may take, and which time counts.

use super::{Answer, Doing};
use crate::timestamp::Timestamp;
use crate::workflow::definition::Definition;
use crate::workflow::job::JobState;
use crate::workflow::refusal::Refusal;
use crate::workflow::words::{AgentStatus, JobStatus};

/// When the clock next ends something of a job; absent where it doesn't.
#[must_use]
pub fn due(job: &JobState, definition: &Definition) -> Option<Timestamp> {
    if job.status != JobStatus::Running || job.stopped_at.is_some() {
        return None;
    }
    let limits = &definition.limits;
    let agents = job.agents.iter().filter(|agent| agent.status == AgentStatus::Running);
    let agents = agents.filter_map(|agent| ends(agent.started_at, limits.agent_millis(), agent.uncounted));
    agents.chain(ends(job.started_at, limits.job_millis(), job.uncounted)).min()
}

fn ends(started_at: Option<Timestamp>, limit: u64, uncounted: u64) -> Option<Timestamp> {
    started_at.map(|started_at| started_at.plus_millis(limit).plus_millis(uncounted))
}

impl Doing<'_> {
    /// Ends what is over by now.
    pub(super) fn clock(&mut self) -> Result<Answer, Refusal> {
        if self.job.status != JobStatus::Running || self.job.stopped_at.is_some() {
            return Ok(Answer::Done {});
        }
        let limits = self.definition.limits;
        if ends(self.job.started_at, limits.job_millis(), self.job.uncounted).is_some_and(|end| end <= self.now) {
            let reason = format!("The job took longer than {} minutes.", limits.job_minutes);
            return self.fail(&reason);
        }
        for at in 0..self.job.agents.len() {
            let agent = &self.job.agents[at];
            let end = ends(agent.started_at, limits.agent_millis(), agent.uncounted);
            if agent.status == AgentStatus::Running && end.is_some_and(|end| end <= self.now) {
                let reason = format!("It took longer than {} minutes.", limits.agent_minutes);
                self.has_failed(at, Some(&reason), true);
            }
        }
        Ok(Answer::Done {})
    }

    pub(super) fn wait(&mut self, waits: bool) -> Result<Answer, Refusal> {
        if self.job.status == JobStatus::Running && self.job.waits != waits {
            if waits {
                self.stop()
            } else {
                self.resume()
            }
            self.job.waits = waits;
        }
        Ok(Answer::Done {})
    }

    /// Time in which nothing could run doesn't count, for the run that has the job neither.
    pub(super) fn was_off(&mut self, millis: u64) -> Result<Answer, Refusal> {
        if self.job.status == JobStatus::Running && self.job.stopped_at.is_none() {
            self.leaves_out(millis);
        }
        if let Some(run) = self.job.run.as_mut().filter(|_| !self.job.status.is_finished()) {
            run.acted_at = run.acted_at.plus_millis(millis).min(self.now);
        }
        Ok(Answer::Done {})
    }

    /// From now on time doesn't count.
    pub(super) fn stop(&mut self) {
        self.job.stopped_at.get_or_insert(self.now);
    }

    /// It counts again.
    pub(super) fn resume(&mut self) {
        let Some(since) = self.job.stopped_at.take() else { return };
        let now = self.now;
        let passed = |since: Timestamp| u64::try_from(now.0.saturating_sub(since.0)).unwrap_or(0);
        self.job.uncounted += passed(since);
        for agent in self.job.agents.iter_mut().filter(|agent| agent.status == AgentStatus::Running) {
            agent.uncounted += passed(agent.started_at.map_or(since, |started_at| started_at.max(since)));
        }
    }

    fn leaves_out(&mut self, millis: u64) {
        self.job.uncounted += millis;
        for agent in self.job.agents.iter_mut().filter(|agent| agent.status == AgentStatus::Running) {
            agent.uncounted += millis;
        }
    }
}
