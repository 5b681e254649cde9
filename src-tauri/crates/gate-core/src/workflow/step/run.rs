//! One run writes: which one, and when another one takes over.

use serde_json::json;

use super::Doing;
use crate::workflow::act::{Caller, Connection};
use crate::workflow::bounds::GONE_MILLIS;
use crate::workflow::event::EventKind;
use crate::workflow::job::Run;
use crate::workflow::refusal::Refusal;
use crate::workflow::words::{AgentStatus, JobStatus};

impl Doing<'_> {
    /// Lets a run write: it has the job, or gets it.
    pub(super) fn admit(&mut self, caller: &Caller) -> Result<(), Refusal> {
        match self.job.status {
            JobStatus::Parked => Err(Refusal::JobParked),
            status if status.is_finished() => Err(Refusal::JobFinished(status)),
            _ => match self.job.run.clone() {
                Some(run) if run.key == caller.run => {
                    self.comes_back();
                    self.has(caller);
                    Ok(())
                }
                Some(run) => self.take_over(&run, caller),
                None if self.is_let(caller) => {
                    self.begin(caller);
                    Ok(())
                }
                None => Err(Refusal::NotYours),
            },
        }
    }

    /// Whether it is the job's party, or one that the person lets.
    fn is_let(&self, caller: &Caller) -> bool {
        caller.is_own || self.is_handed_to(caller)
    }

    fn is_handed_to(&self, caller: &Caller) -> bool {
        self.job.handed_to.as_deref() == Some(caller.party.as_str())
    }

    fn has(&mut self, caller: &Caller) {
        let acted_at = self.now;
        self.job.run = Some(Run { key: caller.run.clone(), party: caller.party.clone(), acted_at });
    }

    fn begin(&mut self, caller: &Caller) {
        self.comes_back();
        self.job.status = JobStatus::Running;
        self.job.started_at.get_or_insert(self.now);
        self.job.epoch += 1;
        self.job.handed_to = None;
        self.has(caller);
        self.tell(EventKind::Started, json!({ "epoch": self.job.epoch }));
    }

    fn take_over(&mut self, run: &Run, caller: &Caller) -> Result<(), Refusal> {
        if !self.is_let(caller) {
            return Err(Refusal::NotYours);
        }
        if !self.is_handed_to(caller) && !self.is_gone(run, caller.holder) {
            return Err(Refusal::JobTaken);
        }
        self.resume();
        self.job.status = JobStatus::Running;
        self.job.waits = false;
        let mut again = Vec::new();
        for agent in self.job.agents.iter_mut().filter(|agent| agent.status == AgentStatus::Running) {
            agent.status = AgentStatus::Pending;
            agent.started_at = None;
            again.push(agent.name.clone());
        }
        self.job.epoch += 1;
        self.job.handed_to = None;
        self.has(caller);
        self.tell_progress(EventKind::Taken, json!({ "epoch": self.job.epoch, "again": again }));
        Ok(())
    }

    fn is_gone(&self, run: &Run, holder: Connection) -> bool {
        let passed = |since: i64| u64::try_from(self.now.0.saturating_sub(since)).unwrap_or(0);
        match holder {
            _ if self.job.status == JobStatus::Interrupted => true,
            Connection::There => false,
            Connection::Gone(since) => passed(since.0) >= GONE_MILLIS,
            // It may be at work without a word, or wait for a person.
            Connection::Unknown => !self.job.waits && passed(run.acted_at.0) > self.definition.limits.agent_millis(),
        }
    }

    /// The run that was taken for gone is there.
    fn comes_back(&mut self) {
        if self.job.status == JobStatus::Interrupted {
            self.resume();
            self.job.status = JobStatus::Running;
            self.tell(EventKind::Resumed, json!({}));
        }
    }
}
