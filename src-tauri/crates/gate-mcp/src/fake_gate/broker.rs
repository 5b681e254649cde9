//! A broker of the tests' own: reviews in memory, which go by gate-core's table of transitions.

mod port;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::proposal::{
    Act, By, Checked, EventKind, ListedReview, Need, Party, PatchId, PatchStatus, Priority, Review, ReviewEvent,
    ReviewId, ReviewRole, ReviewSummary, Standing, Step, StoredMessage, StoredPatch, StoredReview, StoredRound,
    StoredThread, StoredVerdict, ThreadId, ThreadMessageId,
};
use gate_core::{Assurance, Code, Digest, Fault, Owner, SessionUuid, Timestamp};
use serde_json::Map;
use tokio::sync::watch;
use uuid::Uuid;

use super::FakeGate;
use crate::answer::ReviewCaller;
use crate::broker::BrokerPort;
use crate::port::Change;
use crate::toolset::{Served, ToolsetOf};

/// The broker.
pub(crate) struct FakeBroker {
    state: Mutex<State>,
    /// How much has happened.
    happened: watch::Sender<u64>,
    away: watch::Sender<bool>,
    waiting: watch::Sender<u32>,
    gate: Arc<FakeGate>,
}

#[derive(Default)]
struct State {
    reviews: Vec<Kept>,
    /// The number of the next identifier, and the moment.
    next: u32,
    diffs: HashMap<Digest, String>,
    sessions: HashMap<String, SessionUuid>,
    /// Calls that were told apart by what they say.
    digests: Vec<Option<Digest>>,
    need: Option<Need>,
}

struct Kept {
    id: ReviewId,
    state: Review,
    intent: String,
    category: Option<String>,
    priority: Priority,
    labels: BTreeMap<String, String>,
    parent: Option<ReviewId>,
    proposer: Party,
    holder: Option<String>,
    approved: HashSet<String>,
    created: Timestamp,
    updated: Timestamp,
    rounds: Vec<StoredRound>,
    patches: Vec<StoredPatch>,
    threads: Vec<StoredThread>,
    messages: Vec<StoredMessage>,
    verdicts: Vec<StoredVerdict>,
    events: Vec<ReviewEvent>,
}

impl FakeBroker {
    pub(crate) fn new(gate: &Arc<FakeGate>) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            happened: watch::Sender::new(0),
            away: watch::Sender::new(false),
            waiting: watch::Sender::new(0),
            gate: Arc::clone(gate),
        })
    }

    /// One of its toolsets.
    pub(crate) fn served(self: &Arc<Self>, toolset: &ToolsetOf<dyn BrokerPort>) -> Arc<Served> {
        let port: Arc<dyn BrokerPort> = Arc::<Self>::clone(self);
        toolset.served(&port)
    }

    /// The person goes, or comes back.
    pub(crate) fn set_away(&self, away: bool) {
        self.away.send_replace(away);
    }

    /// What every later round needs.
    pub(crate) fn set_need(&self, need: Need) {
        self.lock().need = Some(need);
    }

    /// Resolves once so many calls wait.
    pub(crate) async fn waits(&self, count: u32) {
        let mut waiting = self.waiting.subscribe();
        waiting.wait_for(|waiting| *waiting >= count).await.expect("the broker is there");
    }

    /// How many calls wait now.
    pub(crate) fn waiting(&self) -> u32 {
        *self.waiting.borrow()
    }

    /// Resolves once no call waits.
    pub(crate) async fn waits_no_longer(&self) {
        let mut waiting = self.waiting.subscribe();
        waiting.wait_for(|waiting| *waiting == 0).await.expect("the broker is there");
    }

    /// What the calls of submit_proposal said, where that tells them apart.
    pub(crate) fn digests(&self) -> Vec<Option<Digest>> {
        self.lock().digests.clone()
    }

    /// The sessions that calls went on in.
    pub(crate) fn sessions(&self) -> Vec<SessionUuid> {
        self.lock().sessions.values().copied().collect()
    }

    /// The person does something.
    pub(crate) fn person(&self, review: ReviewId, act: &Act) {
        let mut state = self.lock();
        let by = if *act == Act::Settle { By::Gate } else { By::Person(Assurance::L1) };
        state.step(review, &by, act).expect("the person may do that");
        drop(state);
        self.tell(review);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, review: ReviewId) {
        self.happened.send_modify(|happened| *happened += 1);
        self.gate.tell(Change::Review(review));
    }

    /// Does something to a review as an agent does it, with what comes of it.
    fn act<T>(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        act: &Act,
        then: impl FnOnce(&mut Kept, &Step, Timestamp) -> T,
    ) -> Result<(ReviewSummary, T), Fault> {
        let mut state = self.lock();
        let standing = state.standing(caller, review)?;
        let by = By::Agent(caller.party.key.clone(), standing);
        let (step, at) = state.step(review, &by, act)?;
        let kept = state.kept_mut(review)?;
        if step.review.claim.is_none() {
            kept.holder = None;
        }
        let result = then(kept, &step, at);
        let summary = kept.summary();
        drop(state);
        self.tell(review);
        Ok((summary, result))
    }

    /// A message, a verdict's comment or a patch is counted with the event that tells of it.
    fn wait(&self) -> Waits<'_> {
        self.waiting.send_modify(|waiting| *waiting += 1);
        Waits(self)
    }
}

/// A call that waits.
struct Waits<'a>(&'a FakeBroker);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.waiting.send_modify(|waiting| *waiting -= 1);
    }
}

impl State {
    fn id(&mut self) -> Uuid {
        self.next += 1;
        Uuid::from_u128(u128::from(self.next))
    }

    fn now(&mut self) -> Timestamp {
        self.next += 1;
        Timestamp(i64::from(self.next))
    }

    fn kept(&self, review: ReviewId) -> Result<&Kept, Fault> {
        self.reviews.iter().find(|kept| kept.id == review).ok_or_else(|| unknown(review))
    }

    fn kept_mut(&mut self, review: ReviewId) -> Result<&mut Kept, Fault> {
        self.reviews.iter_mut().find(|kept| kept.id == review).ok_or_else(|| unknown(review))
    }

    fn standing(&self, caller: &ReviewCaller, review: ReviewId) -> Result<Standing, Fault> {
        let (kept, key) = (self.kept(review)?, &caller.party.key);
        let holds = |kept: &&Kept| kept.state.claim.as_ref().is_some_and(|claim| claim.holder == *key);
        let others = self.reviews.iter().filter(|other| other.id != review).filter(holds).count();
        let proposer = caller.party.is_one_with(&kept.proposer, |_| false);
        Ok(Standing {
            proposer,
            holder: holds(&kept),
            approved: kept.approved.contains(key),
            reserved: kept.state.reserved.as_ref().is_some_and(|kept| kept.party == *key),
            claims: u32::try_from(others).unwrap_or(u32::MAX),
            comments_only: caller.party.comments_only(proposer),
            ..Standing::default()
        })
    }

    fn step(&mut self, review: ReviewId, by: &By, act: &Act) -> Result<(Step, Timestamp), Fault> {
        let at = self.now();
        let kept = self.kept_mut(review)?;
        let step = kept.state.step(by, act, at).map_err(|refusal| refusal.fault())?;
        let role = match by {
            By::Agent(_, standing) if standing.proposer => Some(ReviewRole::Proposer),
            By::Agent(..) => Some(ReviewRole::Reviewer),
            By::Person(_) => Some(ReviewRole::Person),
            By::Gate => None,
        };
        let party = match by {
            By::Agent(party, _) => Some(party.clone()),
            By::Person(_) | By::Gate => None,
        };
        kept.state = step.review.clone();
        if let Some(kind) = step.event {
            kept.tell(kind, at, party, role);
        }
        if step.supersedes {
            let open = |patch: &&mut StoredPatch| patch.status == PatchStatus::Open;
            kept.patches.iter_mut().filter(open).for_each(|patch| patch.status = PatchStatus::Superseded);
        }
        Ok((step, at))
    }
}

impl Kept {
    fn tell(&mut self, kind: EventKind, at: Timestamp, party: Option<String>, role: Option<ReviewRole>) {
        self.updated = at;
        let n = self.events.len() as u64 + 1;
        let kind = kind.as_str().to_owned();
        let data = Map::from_iter([("status".to_owned(), self.state.status.as_str().into())]);
        self.events.push(ReviewEvent { review_id: self.id, n, at, party, role, kind, data });
    }

    fn round(&mut self, diff: Option<Digest>, description: Option<String>, patch: Option<PatchId>, author: &str) {
        let round = self.rounds.len() as u32 + 1;
        self.approved.clear();
        self.rounds.push(StoredRound {
            round,
            diff_sha256: diff,
            description,
            checked: Checked::default(),
            patch_id: patch,
            carried_from: None,
            author: author.to_owned(),
            created_at: self.updated,
        });
    }

    fn summary(&self) -> ReviewSummary {
        ReviewSummary {
            review_id: self.id,
            session_uuid: SessionUuid(Uuid::from_u128(99)),
            status: self.state.status,
            outcome: self.state.ending,
            turn: self.state.turn(),
            round: self.state.round,
            intent: self.intent.chars().take(gate_core::proposal::bounds::INTENT_SHOWN_CHARS).collect(),
            category: self.category.clone(),
            priority: self.priority,
            workspace: "/work".to_owned(),
            proposer: self.proposer.label(),
            party: self.proposer.key.clone(),
            holder: self.holder.clone(),
            lease_until: self.state.lease_until(),
            need: self.state.needs(),
            approvals: self.state.approvals,
            approved_by: self.state.approved_by,
            found: self.state.found,
            diff_sha256: self.rounds.last().and_then(|round| round.diff_sha256),
            base: None,
            stale: false,
            created_at: self.created,
            updated_at: self.updated,
            event: self.events.len() as u64,
        }
    }

    fn stored(&self) -> StoredReview {
        StoredReview {
            summary: self.summary(),
            state: self.state.clone(),
            proposer: self.proposer.clone(),
            place: "/work".to_owned(),
            intent: self.intent.clone(),
            labels: self.labels.clone(),
            parent_id: self.parent,
            request_id: None,
        }
    }

    fn listed(&self) -> ListedReview {
        let shown = |message: &StoredMessage| {
            let begins = message.body.chars().take(gate_core::proposal::bounds::MESSAGE_SHOWN_CHARS).collect();
            (message.created_at, begins)
        };
        let newest = self.verdicts.last().filter(|verdict| verdict.round == self.state.round);
        ListedReview {
            review: self.stored(),
            messages: self.messages.len() as u64,
            last_message: self.messages.last().map(shown),
            reason: newest.and_then(|verdict| verdict.reason.clone()),
        }
    }

    fn role(&self, caller: &ReviewCaller) -> ReviewRole {
        match caller.party.is_one_with(&self.proposer, |_| false) {
            true => ReviewRole::Proposer,
            false => ReviewRole::Reviewer,
        }
    }

    /// Whether something happened after an event that isn't this party's act.
    fn has_news(&self, party: &str, after: u64) -> bool {
        self.events.iter().any(|event| event.n > after && event.party.as_deref() != Some(party))
    }

    fn say(&mut self, thread: Option<ThreadId>, said: (ThreadMessageId, String), role: ReviewRole, author: &str) {
        self.messages.push(StoredMessage {
            message_id: said.0,
            thread_id: thread,
            role,
            author: author.to_owned(),
            body: said.1,
            created_at: self.updated,
            event: self.events.len() as u64,
        });
    }
}

fn unknown(review: ReviewId) -> Fault {
    Fault::new(Code::UnknownReview, format!("There is no review {review}."), "List them with list_reviews.")
}

/// The session of a caller, as it is named or known; where there is none, a new one of this id if one `begins`.
pub(crate) fn session_of(
    sessions: &mut HashMap<String, SessionUuid>,
    caller: &ReviewCaller,
    begins: bool,
    id: Uuid,
) -> Option<SessionUuid> {
    let known = caller.whose.session_uuid.or_else(|| sessions.get(&caller.party.key).copied());
    if known.is_none() && begins {
        sessions.insert(caller.party.key.clone(), SessionUuid(id));
        return Some(SessionUuid(id));
    }
    known
}

/// Whom this double shows nothing.
pub(crate) fn is_stranger(client: &Owner) -> bool {
    client.id == gate_core::OwnerId::SharedToken
}
