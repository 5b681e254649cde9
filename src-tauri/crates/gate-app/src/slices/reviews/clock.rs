//! What the clock does to reviews: claims end, the person hears of what nobody reviews, what nothing happens in is over.
//! While nothing is due it costs a comparison each second.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::proposal::act::Lost;
use gate_core::proposal::{Act, Brought, Due, DueReview, ReviewId, ReviewStore, lease};
use gate_core::{Code, Timestamp};
use gate_mcp::Agent;
use gate_store::Store;

use super::Reviews;

/// What is due is looked at so many at a time.
const AT_ONCE: usize = 100;
/// How often a claim whose time is over is looked at again while its holder is seen to live, in milliseconds.
const AGAIN_MILLIS: u64 = 30 * 1000;

/// When the next thing is due, and who is seen to hold claims.
#[derive(Debug)]
pub(super) struct Clock {
    /// In milliseconds since the Unix epoch; the largest number for never.
    next: AtomicI64,
    holders: Mutex<HashMap<ReviewId, Holder>>,
}

impl Default for Clock {
    fn default() -> Self {
        Self { next: AtomicI64::new(i64::MAX), holders: Mutex::default() }
    }
}

/// Who holds a claim, as it was seen last.
#[derive(Debug)]
struct Holder {
    agent: Option<Agent>,
    /// When its connection was seen last.
    seen_at: Timestamp,
}

impl Clock {
    fn lock(&self) -> MutexGuard<'_, HashMap<ReviewId, Holder>> {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A review is claimed by a call of this agent.
    pub(super) fn holds(&self, review: ReviewId, agent: Option<Agent>, now: Timestamp) {
        self.lock().insert(review, Holder { agent, seen_at: now });
    }

    /// Something happened: another thing may be due next.
    pub(super) async fn changed(&self, store: &Store) {
        match store.next_due().await {
            Ok(next) => self.next.store(next.map_or(i64::MAX, |next| next.0), Ordering::Relaxed),
            Err(fault) => tracing::warn!(%fault, "what is due of reviews can't be looked up"),
        }
    }
}

impl Reviews {
    /// What the record has from before: nobody's time was used up while the gate was off.
    pub(super) async fn take_up(&self) -> Result<(), gate_core::Fault> {
        self.store.give_claims_time(self.bus.now()).await?;
        self.clock.changed(&self.store).await;
        Ok(())
    }

    /// Time passes.
    pub(crate) async fn pass_time(self: &Arc<Self>, now: Timestamp) {
        self.look_after_holders(now).await;
        self.look_for_reviewers(now).await;
        if now.0 < self.clock.next.load(Ordering::Relaxed) {
            return;
        }
        let due = match self.store.due(now, AT_ONCE).await {
            Ok(due) => due,
            Err(fault) => {
                tracing::warn!(%fault, "what is due of reviews can't be looked up");
                return;
            }
        };
        let mut waits = false;
        for due in due {
            waits |= !self.is_over(due, now).await;
        }
        self.clock.changed(&self.store).await;
        if waits {
            // Those whose holders live are looked at again in a while.
            self.clock.next.fetch_max(now.plus_millis(AGAIN_MILLIS).0, Ordering::Relaxed);
        }
    }

    /// Does what is due. False where it is put off, since its holder is seen to live.
    async fn is_over(self: &Arc<Self>, due: DueReview, now: Timestamp) -> bool {
        let act = match due.due {
            Due::Lease if self.is_alive(due, now) => return false,
            Due::Lease => Act::Lose(Lost::Lease, None),
            Due::Unreviewed => Act::Unreviewed,
            Due::Quiet => Act::Expire,
            // What ends it is the reply itself.
            Due::Decision => return false,
        };
        match self.act_alone(due.review_id, act, Brought::Nothing).await {
            Ok(_) => {}
            Err(fault) if fault.code == Code::WrongState => {}
            Err(fault) => tracing::warn!(%fault, review = %due.review_id, "what is due of a review can't be done"),
        }
        true
    }

    /// Whether the holder of a claim whose time is over is seen to live, and has some left.
    fn is_alive(&self, due: DueReview, now: Timestamp) -> bool {
        let more = lease::ALIVE_MILLIS.saturating_sub(lease::LEASE_MILLIS);
        let holders = self.clock.lock();
        let connected = match holders.get(&due.review_id).and_then(|holder| holder.agent.as_ref()) {
            Some(Agent::Relay(relay)) => self.queue.relays.is_connected(relay),
            Some(Agent::Http(_)) | None => false,
        };
        (connected || self.pool.is_running(due.review_id)) && now < due.at.plus_millis(more)
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
                gone.push(*review);
                false
            }
            Some(Agent::Relay(_)) => true,
            // Over HTTP there is no heart that beats.
            Some(Agent::Http(_)) | None => false,
        });
        for review in gone {
            match self.act_alone(review, Act::Lose(Lost::Gone, None), Brought::Nothing).await {
                Ok(_) => {}
                Err(fault) if fault.code == Code::WrongState => {}
                Err(fault) => tracing::warn!(%fault, %review, "a claim whose holder is gone can't be ended"),
            }
        }
    }
}
