//! What the clock does to jobs: audits and jobs that take too long fail, and a run whose relay is gone has lost its job until
//! it or another one comes. While nothing is due it costs a comparison each second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::workflow::bounds::GONE_MILLIS;
use gate_core::workflow::record::{Acting, Actor, Handed, JobPlace, JobQuery, StoredJob};
use gate_core::workflow::{Act, Connection, JobId, JobStatus, Run, WorkflowStore as _};
use gate_core::{Code, Fault, Timestamp};

use super::Workflow;
use super::seeing::relay_of;
use crate::next_due::NextDue;

/// What is due, and what is taken up, is looked at so many at a time.
const AT_ONCE: usize = 100;

/// When the next thing is due, and which runs were seen when.
#[derive(Debug)]
pub(super) struct Clock {
    next: NextDue,
    /// Since when the gate runs.
    started_at: Timestamp,
    holders: Mutex<HashMap<JobId, Holder>>,
}

/// The run that has a job by a relay, as it was seen last.
#[derive(Debug, Clone)]
struct Holder {
    run: String,
    seen_at: Timestamp,
}

impl Clock {
    /// One that has seen nobody yet.
    pub(super) fn starting(now: Timestamp) -> Self {
        Self { next: NextDue::default(), started_at: now, holders: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<JobId, Holder>> {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something happened: another thing may be due next.
    pub(super) fn changed(&self) {
        self.next.changed();
    }

    /// This run has done something in a job.
    pub(super) fn holds(&self, job: JobId, run: &str, now: Timestamp) {
        if relay_of(run).is_some() {
            self.lock().insert(job, Holder { run: run.to_owned(), seen_at: now });
        }
    }
}

impl Workflow {
    /// What the record has from before: whoever has a job may come back, and time in which the gate was off counts for none.
    pub(super) async fn take_up(&self) -> Result<(), Fault> {
        let now = self.bus.now();
        let mut last = None;
        for status in [JobStatus::Running, JobStatus::Interrupted] {
            let query = JobQuery { status: Some(status), ..JobQuery::default() };
            let mut after = None;
            loop {
                let page = self.store.jobs(&query, after, AT_ONCE).await?;
                after = page.last().map(|job| JobPlace { updated_at: job.updated_at, job_id: job.job_id });
                for job in &page {
                    last = last.max(Some(job.updated_at));
                    self.expects(job.job_id, now).await?;
                }
                if page.len() < AT_ONCE {
                    break;
                }
            }
        }
        // Nothing is kept of when the gate ended: it was on when something happened last, at least.
        let off = last.and_then(|last| u64::try_from(now.0.saturating_sub(last.0)).ok()).filter(|millis| *millis > 0);
        match off {
            Some(millis) => self.store.jobs_were_off(millis, now).await,
            None => Ok(()),
        }
    }

    /// The run that has a job may come back by its relay.
    async fn expects(&self, job: JobId, now: Timestamp) -> Result<(), Fault> {
        let stored = self.store.job(job).await?.filter(|stored| stored.state.status == JobStatus::Running);
        if let Some(run) = stored.and_then(|stored| stored.state.run) {
            self.clock.holds(job, &run.key, now);
        }
        Ok(())
    }

    /// What is known of the run that has a job.
    pub(super) fn connection(&self, job: JobId, run: &Run) -> Connection {
        let Some(relay) = relay_of(&run.key) else { return Connection::Unknown };
        if self.queue.relays.is_connected(relay) {
            return Connection::There;
        }
        let holders = self.clock.lock();
        let seen = holders.get(&job).filter(|holder| holder.run == run.key).map(|holder| holder.seen_at);
        Connection::Gone(seen.unwrap_or(self.clock.started_at).max(run.acted_at))
    }

    /// For so many milliseconds, until now, nothing of the machine has gone on.
    pub(crate) async fn was_off(&self, millis: u64, now: Timestamp) {
        if let Err(fault) = self.store.jobs_were_off(millis, now).await {
            tracing::warn!(%fault, "jobs lose the time in which the machine was off");
        }
        for holder in self.clock.lock().values_mut() {
            holder.seen_at = now;
        }
        self.clock.changed();
    }

    /// Time passes.
    pub(crate) async fn pass_time(self: &Arc<Self>, now: Timestamp) {
        self.look_after_runs(now).await;
        if !self.clock.next.may_be(now) {
            return;
        }
        let looked_up = async {
            for due in self.store.jobs_due(now, AT_ONCE).await? {
                self.act_alone(due.job_id, Act::Clock, now).await;
            }
            self.clock.next.is(self.store.next_job_due().await?);
            Ok::<_, Fault>(())
        };
        if let Err(fault) = looked_up.await {
            tracing::warn!(%fault, "what is due of jobs can't be looked up");
            self.clock.changed();
        }
    }

    /// Runs whose relays are gone have lost their jobs. They, and others of their party, may go on with them.
    async fn look_after_runs(self: &Arc<Self>, now: Timestamp) {
        let mut gone = Vec::new();
        self.clock.lock().retain(|job, holder| {
            if relay_of(&holder.run).is_some_and(|relay| self.queue.relays.is_connected(relay)) {
                holder.seen_at = now;
                return true;
            }
            let is_gone = now >= holder.seen_at.plus_millis(GONE_MILLIS);
            if is_gone {
                gone.push((*job, holder.clone()));
            }
            !is_gone
        });
        for (job, holder) in gone {
            match self.store.job(job).await {
                Ok(Some(stored)) if has_it(&stored, &holder.run) => self.act_alone(job, Act::Lose, now).await,
                // Another run has it by now, or none.
                Ok(_) => {}
                Err(fault) => {
                    tracing::warn!(%fault, %job, "whether the run of a job is gone can't be looked up");
                    self.clock.lock().entry(job).or_insert(holder);
                }
            }
        }
    }

    /// Does something to a job for the gate itself.
    async fn act_alone(self: &Arc<Self>, job_id: JobId, act: Act, at: Timestamp) {
        let acting = Acting { job_id, actor: Actor::Gate, act, with: Handed::Nothing, call_key: None, at };
        match self.done(acting).await {
            Ok(_) => {}
            Err(fault) if fault.code == Code::WrongState => {}
            Err(fault) => tracing::warn!(%fault, job = %job_id, "what is due of a job can't be done"),
        }
    }
}

/// Whether this run has the job.
fn has_it(stored: &StoredJob, run: &str) -> bool {
    stored.state.status == JobStatus::Running && stored.state.run.as_ref().is_some_and(|has| has.key == run)
}
