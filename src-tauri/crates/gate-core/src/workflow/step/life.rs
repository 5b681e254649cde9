//! What the person and the gate do to a job as a whole.

use serde_json::json;

use super::{Answer, Doing};
use crate::workflow::event::EventKind;
use crate::workflow::refusal::Refusal;
use crate::workflow::words::{AgentStatus, JobStatus};

impl Doing<'_> {
    pub(super) fn release(&mut self) -> Result<Answer, Refusal> {
        match self.job.status {
            JobStatus::Parked => {
                self.job.status = JobStatus::Queued;
                self.tell(EventKind::Released, json!({}));
                Ok(Answer::Done {})
            }
            status => Err(Refusal::WrongState(status)),
        }
    }

    pub(super) fn cancel(&mut self) -> Result<Answer, Refusal> {
        match self.job.status {
            JobStatus::Cancelled => Ok(Answer::Done {}),
            status if status.is_finished() => Err(Refusal::WrongState(status)),
            _ => {
                self.gives_up(JobStatus::Cancelled, EventKind::Cancelled, "The job was cancelled.");
                Ok(Answer::Done {})
            }
        }
    }

    pub(super) fn hand_over(&mut self, party: &str) -> Result<Answer, Refusal> {
        if self.job.status.is_finished() {
            return Err(Refusal::WrongState(self.job.status));
        }
        if self.job.handed_to.as_deref() != Some(party) {
            self.job.handed_to = Some(party.to_owned());
            self.tell(EventKind::HandedOver, json!({ "party": party }));
        }
        Ok(Answer::Done {})
    }

    /// What was to be posted comes back to its run. After the job's end that is a follow-up's.
    pub(super) fn ask_for_changes(&mut self) -> Result<Answer, Refusal> {
        if !matches!(self.job.status, JobStatus::Running | JobStatus::Interrupted) {
            return Err(Refusal::WrongState(self.job.status));
        }
        self.job.changes_requested = true;
        Ok(Answer::Done {})
    }

    pub(super) fn lose(&mut self) -> Result<Answer, Refusal> {
        match self.job.status {
            JobStatus::Interrupted => Ok(Answer::Done {}),
            JobStatus::Running => {
                self.stop();
                self.job.status = JobStatus::Interrupted;
                self.job.waits = false;
                self.job.losses += 1;
                self.tell(EventKind::Interrupted, json!({ "losses": self.job.losses }));
                Ok(Answer::Done {})
            }
            status => Err(Refusal::WrongState(status)),
        }
    }

    /// What waits ends; a run that is at it ends first.
    pub(super) fn supersede(&mut self) -> Result<Answer, Refusal> {
        match self.job.status {
            JobStatus::Superseded => Ok(Answer::Done {}),
            JobStatus::Parked | JobStatus::Queued | JobStatus::Interrupted => {
                self.gives_up(JobStatus::Superseded, EventKind::Superseded, "The pull request has a newer head.");
                Ok(Answer::Done {})
            }
            status => Err(Refusal::WrongState(status)),
        }
    }

    /// The job can't go on: what runs of it has failed.
    pub(super) fn fail(&mut self, reason: &str) -> Result<Answer, Refusal> {
        if self.job.status.is_finished() {
            return Err(Refusal::WrongState(self.job.status));
        }
        self.gives_up(JobStatus::Failed, EventKind::Failed, reason);
        Ok(Answer::Done {})
    }

    /// The job ends before its run has ended it. What it found stays.
    pub(super) fn gives_up(&mut self, status: JobStatus, kind: EventKind, reason: &str) {
        for at in 0..self.job.agents.len() {
            if self.job.agents[at].status == AgentStatus::Running {
                self.has_failed(at, Some(reason), false);
            }
        }
        self.ends(status);
        self.tell(kind, json!({ "reason": reason }));
    }
}
