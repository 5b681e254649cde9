//! The audits: what begins and ends them.

use serde_json::json;

use super::{Answer, Doing, EndedAnswer, StartedAnswer};
use crate::workflow::act::Caller;
use crate::workflow::event::EventKind;
use crate::workflow::job::AgentState;
use crate::workflow::refusal::Refusal;
use crate::workflow::told;
use crate::workflow::words::{AgentEnd, AgentStatus, JobStatus, Phase};

impl Doing<'_> {
    /// The place of the audit of this name, which may be another one of its names.
    fn place(&self, name: &str) -> Result<usize, Refusal> {
        let defined = self.definition.agent(name);
        let place = defined.and_then(|defined| self.job.agents.iter().position(|agent| agent.name == defined.name));
        place.ok_or_else(|| Refusal::unknown_agent(name, self.definition))
    }

    pub(super) fn start_agent(&mut self, caller: &Caller, name: &str) -> Result<Answer, Refusal> {
        self.admit(caller)?;
        let at = self.place(name)?;
        let agent = &self.job.agents[at];
        let defined = &self.definition.agents[at];
        match agent.status {
            AgentStatus::Running => return Ok(self.started(at)),
            AgentStatus::Completed => return Err(Refusal::AgentFinished(agent.name.clone(), agent.status)),
            AgentStatus::Failed if !agent.has_tries(self.definition) => {
                return Err(Refusal::AgentFinished(agent.name.clone(), agent.status));
            }
            AgentStatus::Pending | AgentStatus::Failed => {}
        }
        if defined.phase < self.job.phase {
            return Err(Refusal::AgentPast(agent.name.clone(), defined.phase));
        }
        let before = self.job.before(self.definition, defined.order);
        if !before.is_empty() {
            let before = before.into_iter().map(str::to_owned).collect();
            return Err(Refusal::AgentOrder(agent.name.clone(), before));
        }
        if self.job.phase == Phase::Initializing {
            self.enter(Phase::AgentsRunning);
        }
        let now = self.now;
        let agent = &mut self.job.agents[at];
        *agent = AgentState {
            status: AgentStatus::Running,
            attempt: agent.attempt + 1,
            failures: agent.failures,
            started_at: Some(now),
            ..AgentState::new(&agent.name)
        };
        let told = json!({ "agentName": agent.name, "attempt": agent.attempt });
        self.tell_progress(EventKind::AgentStarted, told);
        Ok(self.started(at))
    }

    pub(super) fn complete_agent(
        &mut self,
        caller: &Caller,
        name: &str,
        end: AgentEnd,
        error: Option<&str>,
        attempt: Option<u32>,
    ) -> Result<Answer, Refusal> {
        let at = self.place(name);
        let is_said = at.as_ref().is_ok_and(|at| {
            let agent = &self.job.agents[*at];
            agent.status == end.status() && attempt.is_none_or(|attempt| attempt == agent.attempt)
        });
        if is_said && self.job.status == JobStatus::Completed {
            return Ok(self.ended(at?));
        }
        self.admit(caller)?;
        let at = at?;
        let agent = &self.job.agents[at];
        match attempt {
            Some(attempt) if attempt > agent.attempt || attempt == 0 => {
                return Err(Refusal::AgentNotStarted(agent.name.clone(), Some(attempt)));
            }
            Some(attempt) if attempt < agent.attempt => {
                return Err(Refusal::NewerAttempt(agent.name.clone(), agent.attempt));
            }
            _ => {}
        }
        match agent.status {
            // Another run may have taken over since.
            AgentStatus::Pending => Err(Refusal::AgentNotStarted(agent.name.clone(), None)),
            AgentStatus::Running => {
                self.end(at, end, error);
                Ok(self.ended(at))
            }
            status if status == end.status() => Ok(self.ended(at)),
            AgentStatus::Failed if agent.timed_out => {
                self.end(at, end, None);
                Ok(self.ended(at))
            }
            status => Err(Refusal::AgentFinished(agent.name.clone(), status)),
        }
    }

    /// Ends an audit, by its run's word.
    fn end(&mut self, at: usize, end: AgentEnd, error: Option<&str>) {
        let is_late = self.job.agents[at].timed_out;
        if end == AgentEnd::Failed {
            self.has_failed(at, error, false);
            return;
        }
        let now = self.now;
        let agent = &mut self.job.agents[at];
        *agent = AgentState {
            status: AgentStatus::Completed,
            completed_at: Some(now),
            error: None,
            timed_out: false,
            late: is_late,
            ..agent.clone()
        };
        let mut told = json!({ "agentName": agent.name, "attempt": agent.attempt });
        if is_late {
            told["late"] = json!(true);
        }
        self.tell_progress(EventKind::AgentCompleted, told);
    }

    /// An audit has failed: by its run's word, or since its time is over.
    pub(super) fn has_failed(&mut self, at: usize, error: Option<&str>, timed_out: bool) {
        let now = self.now;
        let agent = &mut self.job.agents[at];
        *agent = AgentState {
            status: AgentStatus::Failed,
            failures: agent.failures + 1,
            completed_at: Some(now),
            error: error.map(str::to_owned),
            timed_out,
            ..agent.clone()
        };
        let told =
            json!({ "agentName": agent.name, "attempt": agent.attempt, "error": agent.error, "timedOut": timed_out });
        self.tell_progress(EventKind::AgentFailed, told);
    }

    fn started(&self, at: usize) -> Answer {
        let agent = &self.job.agents[at];
        Answer::Started(StartedAnswer {
            agent_name: agent.name.clone(),
            started_at: agent.started_at.unwrap_or(self.now),
            overall_progress: self.progress(),
            phase: self.job.phase,
            attempt: agent.attempt,
        })
    }

    fn ended(&self, at: usize) -> Answer {
        let agent = &self.job.agents[at];
        Answer::Ended(EndedAnswer {
            agent_name: agent.name.clone(),
            status: agent.status,
            completed_at: agent.completed_at.unwrap_or(self.now),
            overall_progress: self.progress(),
            error: agent.error.clone(),
            next: told::next(&self.job, self.definition),
        })
    }
}
