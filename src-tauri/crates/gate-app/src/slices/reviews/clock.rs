//! What the clock does to reviews: claims end, the person hears of what nobody reviews, what nothing happens in is over.
//! While nothing is due it costs a comparison each second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::proposal::act::{Lost, SeenClaim};
use gate_core::proposal::{
    Act, Brought, Claim, Claimed, Due, DueReview, ReviewId, ReviewPlace, ReviewQuery, ReviewStatus, ReviewStore, lease,
};
use gate_core::{Code, Fault, Timestamp};
use gate_mcp::Agent;
use gate_store::Store;

use super::Reviews;
use super::pool::party_of;
use crate::next_due::NextDue;

/// What is due is looked at so many at a time.
const AT_ONCE: usize = 100;
/// How often a claim whose time is over is looked at again while its holder is seen to live, in milliseconds.
const AGAIN_MILLIS: u64 = 30 * 1000;

/// When the next thing is due, and who is seen to hold claims.
#[derive(Debug, Default)]
pub(super) struct Clock {
    next: NextDue,
    holders: Mutex<HashMap<ReviewId, Holder>>,
}

/// Who holds a claim, as it was seen last.
#[derive(Debug, Clone)]
struct Holder {
    /// The claim's token.
    token: u64,
    agent: Option<Agent>,
    /// When its connection was seen last.
    seen_at: Timestamp,
}

impl Clock {
    fn lock(&self) -> MutexGuard<'_, HashMap<ReviewId, Holder>> {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A review is claimed by a call of this agent, with this token.
    pub(super) fn holds(&self, review: ReviewId, token: Option<u64>, agent: Option<Agent>, now: Timestamp) {
        if let Some(token) = token {
            self.lock().insert(review, Holder { token, agent, seen_at: now });
        }
    }

    /// Something happened: another thing may be due next.
    pub(super) fn changed(&self) {
        self.next.changed();
    }

    /// Looks up what is due next.
    async fn look_ahead(&self, store: &Store) {
        match store.next_due().await {
            Ok(next) => self.next.is(next),
            Err(fault) => tracing::warn!(%fault, "what is due of reviews can't be looked up"),
        }
    }
}

impl Reviews {
    /// What the record has from before: nobody's time was used up while the gate was off.
    pub(super) async fn take_up(&self) -> Result<(), Fault> {
        self.store.give_claims_time(0, self.bus.now()).await?;
        self.free_claims_of_runs().await
    }

    /// What runs of the pool had claimed, which have ended with the gate before this one, is free again. It counts against
    /// nobody.
    async fn free_claims_of_runs(&self) -> Result<(), Fault> {
        for status in [ReviewStatus::Claimed, ReviewStatus::InDiscussion] {
            let query = ReviewQuery { status: Some(status), ..ReviewQuery::default() };
            let mut after = None;
            loop {
                let page = self.store.reviews(&query, after, AT_ONCE).await?;
                after = page.last().map(|last| ReviewPlace { updated_at: last.updated_at, review_id: last.review_id });
                for review in &page {
                    self.free_claim_of_run(review.review_id).await?;
                }
                if page.len() < AT_ONCE {
                    break;
                }
            }
        }
        Ok(())
    }

    async fn free_claim_of_run(&self, review_id: ReviewId) -> Result<(), Fault> {
        let Some(stored) = self.store.review(review_id).await? else { return Ok(()) };
        let holder = stored.state.claim.as_ref().map(|claim| claim.holder.as_str());
        let Some(party) = holder.and_then(party_of) else { return Ok(()) };
        let act = Act::Release(Claimed { token: Some(stored.state.token), round: None });
        let with = Brought::Reason("the gate that had started this run has ended".to_owned());
        self.store.act(self.acting(party, review_id, act, with)).await.map(drop)
    }

    /// For so many milliseconds, until now, nothing of the machine has gone on: they count for no claim, and whoever has one
    /// may not be back yet.
    pub(crate) async fn was_off(&self, millis: u64, now: Timestamp) {
        if let Err(fault) = self.store.give_claims_time(millis, now).await {
            tracing::warn!(%fault, "claims lose the time in which the machine was off");
        }
        for holder in self.clock.lock().values_mut() {
            holder.seen_at = now;
        }
        self.clock.changed();
    }

    /// Time passes.
    pub(crate) async fn pass_time(self: &Arc<Self>, now: Timestamp) {
        self.look_after_holders(now).await;
        self.look_for_reviewers(now);
        if !self.clock.next.may_be(now) {
            return;
        }
        let due = match self.store.due(now, AT_ONCE).await {
            Ok(due) => due,
            Err(fault) => {
                tracing::warn!(%fault, "what is due of reviews can't be looked up");
                self.clock.changed();
                return;
            }
        };
        let mut waits = false;
        for due in due {
            waits |= !self.is_over(due, now).await;
        }
        self.clock.look_ahead(&self.store).await;
        if waits {
            // Those whose holders live are looked at again in a while.
            self.clock.next.not_before(now.plus_millis(AGAIN_MILLIS));
        }
    }

    /// Does what is due. False where it is put off, since its holder is seen to live.
    async fn is_over(self: &Arc<Self>, due: DueReview, now: Timestamp) -> bool {
        let act = match due.due {
            Due::Lease => match self.claim_of(due.review_id).await {
                // Its holder has done something since it was looked up.
                Ok(Some((_, claim))) if now < lease::until(claim.acted_at, false) => return true,
                Ok(Some((token, claim))) if self.is_alive(due, (token, &claim.holder), now) => return false,
                Ok(Some((token, claim))) => Act::Lose(Lost::Lease, Some(seen(token, &claim))),
                Ok(None) => return true,
                Err(fault) => {
                    tracing::warn!(%fault, review = %due.review_id, "what is due of a review can't be done");
                    return true;
                }
            },
            Due::Unreviewed => Act::Unreviewed,
            Due::Quiet => Act::Expire,
            // What ends it is the reply itself.
            Due::Decision => return false,
        };
        match self.act_alone(due.review_id, act, Brought::Nothing).await {
            Ok(_) => {}
            Err(fault) if matches!(fault.code, Code::WrongState | Code::ClaimLost) => {}
            Err(fault) => tracing::warn!(%fault, review = %due.review_id, "what is due of a review can't be done"),
        }
        true
    }

    /// The claim on a review with its token; absent where nobody has it.
    async fn claim_of(&self, review: ReviewId) -> Result<Option<(u64, Claim)>, Fault> {
        let state = self.store.review(review).await?.map(|stored| stored.state);
        Ok(state.and_then(|state| Some((state.token, state.claim?))))
    }

    /// Whether the holder of this claim, whose time is over, is seen to live, and has some left.
    fn is_alive(&self, due: DueReview, (token, holder): (u64, &str), now: Timestamp) -> bool {
        let more = lease::ALIVE_MILLIS.saturating_sub(lease::LEASE_MILLIS);
        let holders = self.clock.lock();
        let connected = match holders
            .get(&due.review_id)
            .filter(|holder| holder.token == token)
            .and_then(|holder| holder.agent.as_ref())
        {
            Some(Agent::Relay(relay)) => self.queue.relays.is_connected(relay),
            Some(Agent::Http(_)) | None => self.watchers.has(due.review_id, holder),
        };
        (connected || self.pool.holds(due.review_id, token)) && now < due.at.plus_millis(more)
    }

    /// Claims whose holders are gone are free again after a minute.
    async fn look_after_holders(self: &Arc<Self>, now: Timestamp) {
        let mut gone = Vec::new();
        self.clock.lock().retain(|review, holder| match &holder.agent {
            Some(Agent::Relay(relay)) if self.queue.relays.is_connected(relay) => {
                holder.seen_at = now;
                true
            }
            Some(Agent::Relay(_)) if now >= holder.seen_at.plus_millis(lease::GONE_MILLIS) => {
                gone.push((*review, holder.clone()));
                false
            }
            Some(Agent::Relay(_)) => true,
            // Over HTTP there is no heart that beats: only a call that waits shows that its caller is there.
            Some(Agent::Http(_)) | None => false,
        });
        for (review, holder) in gone {
            let claim = match self.claim_of(review).await {
                // Somebody else has it by now, or nobody.
                Ok(claim) => claim.filter(|(token, _)| *token == holder.token),
                Err(fault) => {
                    tracing::warn!(%fault, %review, "a claim whose holder is gone can't be ended");
                    self.clock.lock().entry(review).or_insert(holder);
                    continue;
                }
            };
            let Some(claim) = claim else { continue };
            let (token, claim) = claim;
            if now < claim.acted_at.plus_millis(lease::GONE_MILLIS) {
                // It did something after it was seen last, and has its minute from then on.
                self.clock.lock().entry(review).or_insert(Holder { seen_at: claim.acted_at, ..holder });
                continue;
            }
            let lost = Act::Lose(Lost::Gone, Some(seen(token, &claim)));
            match self.act_alone(review, lost, Brought::Nothing).await {
                Ok(_) => {}
                Err(fault) if matches!(fault.code, Code::WrongState | Code::ClaimLost) => {}
                Err(fault) => tracing::warn!(%fault, %review, "a claim whose holder is gone can't be ended"),
            }
        }
    }
}

/// A claim as it was looked up: whatever its holder does meanwhile keeps it.
fn seen(token: u64, claim: &Claim) -> SeenClaim {
    SeenClaim { token, acted_at: Some(claim.acted_at) }
}
