//! How many parties there are, as the settings hold it beside what rules need.

use gate_core::Fault;
use gate_core::proposal::{Party, ReviewStore as _, add_party, need};
use gate_link::has_ended;

use super::Reviews;
use super::pool::party_of_program;

/// Parties that are looked at together.
const PAGE: usize = 500;

impl Reviews {
    /// How many parties could have a part in a review: those that had one so far, and those of the pool. As many as the
    /// largest need and a proposer are enough to know.
    pub(super) async fn known_parties(&self) -> Result<u32, Fault> {
        let most = usize::try_from(need::AGENTS).unwrap_or(usize::MAX).saturating_add(1);
        let mut known: Vec<Party> = Vec::new();
        for party in self.pool_programs().into_iter().filter_map(party_of_program) {
            add_party(&mut known, party, has_ended);
        }
        let mut after = String::new();
        while known.len() < most {
            let page = self.store.parties(&after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after.clone_from(&last.key);
            // Whom nobody can tell from another decides nothing.
            for party in page.into_iter().filter(|party| !party.unseen) {
                add_party(&mut known, party, has_ended);
            }
        }
        Ok(u32::try_from(known.len().min(most)).unwrap_or(u32::MAX))
    }
}
