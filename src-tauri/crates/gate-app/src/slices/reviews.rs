//! Reviews of agents' proposals by other agents, and by the person, who outranks them. The rules are gate-core's
//! (`proposal`), the record is gate-store's; here is who calls, what they may see, who waits, what the clock does, and
//! what the person is asked.
//!
//! | file | owns |
//! |---|---|
//! | `seeing.rs` | where a caller's folders belong, and what it may see |
//! | `proposing.rs`, `reviewing.rs` | what proposers and reviewers do |
//! | `checking.rs` | whether a diff fits what is there, and what its round needs |
//! | `waiting.rs` | who waits for an event, or for a review to claim |
//! | `clock.rs` | leases, what nobody reviews, what nothing happens in |
//! | `pool.rs`, `pool/` | the person's own programs as reviewers |
//! | `asking.rs`, `words.rs` | questions to the person, and what becomes of their replies |
//! | `parties.rs` | how many parties there are |
//! | `raising.rs` | rules that changed, for the rounds that are open |
//! | `port.rs` | all of that as the tools call it |
//! | `commands.rs`, `view.rs` | and as the person does |
//! | `following.rs` | where threads of earlier rounds are at the one that is looked at |
//! | `approved.rs` | what was approved, as hooks of git ask it |
//! | `applied.rs` | whether what was approved is what is there |

mod applied;
mod approved;
mod asking;
mod checking;
mod clock;
mod commands;
mod following;
mod parties;
mod pool;
mod port;
mod proposing;
mod raising;
mod reviewing;
mod seeing;
mod view;
mod waiting;
mod words;

use std::sync::Arc;

use gate_api::subjects::reviews::Event;
use gate_core::Fault;
use gate_core::proposal::{
    Act, Acted, Acting, Actor, Anchor, Brought, MessagePlace, NewMessage, Party, ReviewId, ReviewStatus, ReviewStore,
    ThreadId, ThreadMessageId,
};
use gate_link::has_ended;
use gate_mcp::{Change, ReviewCaller};
use gate_store::Store;
use tokio::sync::Notify;

use crate::bus::Bus;
use crate::host::Host;
use crate::slices::prompts::Prompts;
use crate::slices::queue::Queue;
use crate::slices::requests::Requests;
use crate::slices::settings::Configured;
use crate::work::whole;
use asking::Unasked;
use clock::Clock;
use pool::Pool;
use seeing::Places;
use waiting::{Claimers, Wakes, Watchers};

/// The reviews of a running gate.
#[derive(Debug)]
pub(crate) struct Reviews {
    store: Store,
    bus: Bus,
    settings: Arc<Configured>,
    queue: Arc<Queue>,
    requests: Arc<Requests>,
    prompts: Arc<Prompts>,
    places: Places,
    wakes: Wakes,
    watchers: Watchers,
    claimers: Claimers,
    clock: Clock,
    pool: Pool,
    unasked: Unasked,
    /// Told where a round may need less than the rules ask for by now.
    behind: Notify,
}

impl Reviews {
    /// The reviews of the record.
    pub(crate) async fn open(
        store: Store,
        bus: Bus,
        settings: Arc<Configured>,
        queue: Arc<Queue>,
        requests: Arc<Requests>,
        prompts: Arc<Prompts>,
        host: &Host,
    ) -> Result<Self, Fault> {
        let reviews = Self {
            clock: Clock::default(),
            pool: Pool::new(host),
            store,
            bus,
            settings,
            queue,
            requests,
            prompts,
            places: Places::default(),
            wakes: Wakes::default(),
            watchers: Watchers::default(),
            claimers: Claimers::default(),
            unasked: Unasked::default(),
            behind: Notify::default(),
        };
        reviews.take_up().await?;
        Ok(reviews)
    }

    /// Does what a caller wants with a review, and tells whoever waits.
    async fn act(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        review_id: ReviewId,
        act: Act,
        with: Brought,
    ) -> Result<Acted, Fault> {
        self.done(self.acting_of(caller, review_id, act, with)).await
    }

    /// What a caller wants with a review, to be done.
    fn acting_of(&self, caller: &ReviewCaller, review_id: ReviewId, act: Act, with: Brought) -> Acting {
        Acting {
            review_id,
            actor: actor(caller),
            act,
            with,
            answers: None,
            call_key: Some(caller.whose.call_key.clone()),
            at: self.bus.now(),
        }
    }

    /// The same for the gate itself.
    async fn act_alone(self: &Arc<Self>, review_id: ReviewId, act: Act, with: Brought) -> Result<Acted, Fault> {
        let acting =
            Acting { review_id, actor: Actor::Gate, act, with, answers: None, call_key: None, at: self.bus.now() };
        self.done(acting).await
    }

    /// The client has the result of this call, which can't come again: what it led to needn't be remembered.
    pub(crate) async fn note_delivery(&self, call_key: &str) {
        if let Err(fault) = self.store.delivered(call_key).await {
            tracing::warn!(%fault, "what a call did in a review could not be forgotten");
        }
    }

    /// What this party does by the gate's doing, without a call.
    fn acting(&self, party: Party, review_id: ReviewId, act: Act, with: Brought) -> Acting {
        let actor = Actor::Agent { party: Box::new(party), has_ended };
        Acting { review_id, actor, act, with, answers: None, call_key: None, at: self.bus.now() }
    }

    /// A comment on these lines of the newest round, which begins a thread.
    fn comment(&self, anchor: Anchor, body: String) -> NewMessage {
        NewMessage {
            message_id: ThreadMessageId(self.bus.new_id()),
            place: MessagePlace::Lines(ThreadId(self.bus.new_id()), anchor),
            body,
            resolve: None,
            round: None,
        }
    }

    /// Does it, once it has begun to its end.
    async fn done(self: &Arc<Self>, acting: Acting) -> Result<Acted, Fault> {
        let reviews = Arc::clone(self);
        whole(async move {
            let acted = reviews.store.act(acting).await?;
            reviews.told(&acted).await;
            Ok(acted)
        })
        .await
    }

    /// What happened to a review is committed: tells whoever waits, and asks the person where they are to be asked.
    async fn told(self: &Arc<Self>, acted: &Acted) {
        if !acted.happened {
            return;
        }
        let review = &acted.review;
        self.wakes.wake(review.review_id);
        self.bus.change(Change::Review(review.review_id));
        self.bus.emit(Event::ReviewChanged { review: view::shown(review.clone()) });
        self.clock.changed();
        if let Some(request) = acted.withdraws {
            self.withdraw_question(review.review_id, request).await;
        }
        if acted.asks {
            self.ask_person(review.review_id).await;
        }
        if review.status == ReviewStatus::Created {
            self.offer(review.review_id).await;
        }
    }
}

/// Whoever calls a tool, as the store is told.
fn actor(caller: &ReviewCaller) -> Actor {
    Actor::Agent { party: Box::new(caller.party.clone()), has_ended }
}
