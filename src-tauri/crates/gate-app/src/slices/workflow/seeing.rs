//! Whose a job is: of the party that created it, or of its run's. To all others there is none of that identifier.

use gate_core::proposal::Party;
use gate_core::workflow::record::{Actor, StoredJob};
use gate_core::workflow::{JobId, WorkflowStore as _, unknown_job};
use gate_core::{Fault, Owner};
use gate_link::has_ended;
use gate_mcp::{Agent, ReviewCaller};

use super::Workflow;

/// What the names of runs begin with that come by a relay.
const RELAY: &str = "relay ";

impl Workflow {
    /// A job that a caller may see.
    ///
    /// # Errors
    /// `unknown_job` where there is none, or they may not.
    pub(super) async fn seen(&self, caller: &ReviewCaller, job: JobId) -> Result<StoredJob, Fault> {
        self.seen_if(job, |stored| is_own(stored, &caller.party)).await
    }

    /// The same of a client that reads it.
    pub(super) async fn seen_by(&self, client: &Owner, job: JobId) -> Result<StoredJob, Fault> {
        let (key, heirs) = (client.id.to_string(), client.heirs.as_ref());
        let is_theirs = |party: &Party| party.key == key || (heirs.is_some() && party.heirs.as_ref() == heirs);
        self.seen_if(job, |stored| parties(stored).any(is_theirs) || is_handed_to(stored, &key)).await
    }

    async fn seen_if(&self, job: JobId, may_see: impl FnOnce(&StoredJob) -> bool) -> Result<StoredJob, Fault> {
        let stored = self.store.job(job).await?;
        stored.filter(may_see).ok_or_else(|| unknown_job(Some(&job.to_string())))
    }

    /// Whoever calls a tool, as the store is told, with what is known of the run that has the job.
    pub(super) fn actor(&self, caller: &ReviewCaller, stored: &StoredJob) -> Actor {
        let holder =
            stored.state.run.as_ref().map(|run| (run.key.clone(), self.connection(stored.summary.job_id, run)));
        Actor::Run { run: run_of(caller), party: Box::new(caller.party.clone()), has_ended, holder }
    }
}

/// Whether a job is this party's, by one it created or a run of its.
pub(super) fn is_own(stored: &StoredJob, party: &Party) -> bool {
    parties(stored).any(|other| party.is_one_with(other, has_ended)) || is_handed_to(stored, &party.key)
}

fn parties(stored: &StoredJob) -> impl Iterator<Item = &Party> {
    [&stored.party, &stored.run_party].into_iter().flatten()
}

/// Whether the person lets this party take it over.
fn is_handed_to(stored: &StoredJob, key: &str) -> bool {
    stored.state.handed_to.as_deref() == Some(key)
}

/// What a caller's run is known by: its relay, else its process or its token.
pub(super) fn run_of(caller: &ReviewCaller) -> String {
    match &caller.whose.agent {
        Some(Agent::Relay(relay)) => format!("{RELAY}{relay}"),
        Some(Agent::Http(_)) | None => caller.party.key.clone(),
    }
}

/// The relay that a run comes by; absent where it has none.
pub(super) fn relay_of(run: &str) -> Option<&str> {
    run.strip_prefix(RELAY)
}
