//! The phases and what leads from one to another.

use serde_json::json;

use super::{Answer, Doing, PhaseAnswer};
use crate::workflow::act::Caller;
use crate::workflow::event::EventKind;
use crate::workflow::refusal::Refusal;
use crate::workflow::words::{JobStatus, Phase};

impl Doing<'_> {
    pub(super) fn set_phase(&mut self, caller: &Caller, phase: Phase) -> Result<Answer, Refusal> {
        let is_said_again = self.job.status == JobStatus::Completed && phase == Phase::Completed;
        if !is_said_again {
            self.admit(caller)?;
            if phase != self.job.phase || !self.job.begun {
                self.leads_to(phase)?;
                self.enter(phase);
            }
        }
        Ok(Answer::Phase(PhaseAnswer { phase: self.job.phase, overall_progress: self.progress() }))
    }

    /// Whether it may be in this phase next.
    fn leads_to(&mut self, phase: Phase) -> Result<(), Refusal> {
        let now = self.job.phase;
        let unfinished = |until| {
            let names = self.job.unfinished(self.definition, until);
            names.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        match (now, phase) {
            (Phase::Initializing, Phase::Initializing | Phase::AgentsRunning)
            | (Phase::Publishing, Phase::Completed) => Ok(()),
            (Phase::AgentsRunning, Phase::Synthesizing) => match unfinished(Phase::AgentsRunning) {
                names if names.is_empty() => Ok(()),
                names => Err(Refusal::AgentsUnfinished(phase, names)),
            },
            (Phase::Synthesizing, Phase::Publishing) => {
                let names = unfinished(Phase::Completed);
                if !names.is_empty() {
                    return Err(Refusal::AgentsUnfinished(phase, names));
                }
                match self.job.blocking(self.definition) {
                    names if names.is_empty() => Ok(()),
                    names => Err(Refusal::AgentFailed(names.into_iter().map(str::to_owned).collect())),
                }
            }
            (Phase::Synthesizing | Phase::Publishing, Phase::AgentsRunning | Phase::Synthesizing) => {
                if !self.job.may_step_back(self.definition) {
                    return Err(Refusal::NoWayBack(now, phase));
                }
                self.job.steps_back += 1;
                Ok(())
            }
            _ => Err(Refusal::PhaseOrder(now, phase)),
        }
    }

    pub(super) fn enter(&mut self, phase: Phase) {
        let before = self.job.phase;
        self.job.phase = phase;
        self.job.begun = true;
        self.tell_progress(EventKind::PhaseChanged, json!({ "from": before, "phase": phase }));
        if phase == Phase::Completed {
            self.ends(JobStatus::Completed);
            self.publishes = true;
            self.tell(EventKind::Completed, json!({}));
        }
    }
}
