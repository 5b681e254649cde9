//! How a caller stands to a job.

use gate_core::Process;
use gate_core::proposal::Party;
use gate_core::workflow::record::{Actor, StoredJob};
use gate_core::workflow::{By, Caller, Connection};

/// Whoever acts, as the rules want to know it.
pub(super) fn by(stored: &StoredJob, actor: &Actor) -> By {
    let (run, party, has_ended, holder) = match actor {
        Actor::Person => return By::Person,
        Actor::Gate => return By::Gate,
        Actor::Run { run, party, has_ended, holder } => (run, party, *has_ended, holder),
    };
    let holds = stored.state.run.as_ref().map(|run| run.key.as_str());
    let holder = match (holds, holder) {
        (None, _) => Connection::Unknown,
        (Some(holds), Some((known, connection))) if holds == known => *connection,
        _ => Connection::There,
    };
    let is_own = is_own(stored.party.as_ref(), stored.run_party.as_ref(), party, has_ended);
    By::Run(Caller { run: run.clone(), party: party.key.clone(), is_own, holder })
}

/// Whether a job is a party's: of whoever created it, or of its run.
pub(super) fn is_own(
    creator: Option<&Party>,
    run: Option<&Party>,
    party: &Party,
    has_ended: fn(&Process) -> bool,
) -> bool {
    [creator, run].into_iter().flatten().any(|other| party.is_one_with(other, has_ended))
}
