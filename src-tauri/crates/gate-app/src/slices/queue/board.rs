//! The queue in memory: a mirror of the pending rows, with who waits for each of them. Rebuilt from
//! the store at start; a row is the truth, this only wakes those who watch it.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gate_api::{PermissionSummary, RequestSummary, RoundSummary};
use gate_core::clients::Transport;
use gate_core::{
    Ask, Caller, Declared, Digest, Draft, Fault, RequestId, ReviewRequest, SessionUuid, Snooze, Timestamp,
};
use gate_store::PendingQuestion;
use tokio::sync::watch;

use super::relays::Relays;
use crate::shown::workspace_name;

/// The pending requests.
#[derive(Debug, Default)]
pub(crate) struct Board {
    entries: Mutex<HashMap<RequestId, Entry>>,
    /// How many calls stand for a request, pending or answered, until the agent has their results.
    attended: Mutex<HashMap<RequestId, usize>>,
    /// See [`Board::unheld`].
    unheld: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    summary: RequestSummary,
    /// To recognise an agent that asks the same again; absent where it will find its request by its
    /// call instead.
    question: Option<QuestionKey>,
    /// The digest of what is asked, once somebody wanted to know it.
    digest: Option<Digest>,
    /// Waiting calls: their number and when each is answered `pending`; never, for an agent that
    /// looks for its request now and then.
    callers: Vec<(u64, Option<Timestamp>)>,
    next_caller: u64,
    /// Whether an agent was told `pending`: it has the request's id, and comes back with that.
    told_pending: bool,
    /// It was answered from a window a moment ago, and the reply can still be taken back: it is off
    /// the queue, and agents take it for pending.
    held: Option<Held>,
    closed: watch::Sender<bool>,
}

/// A reply that can still be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    /// Until when.
    pub(crate) until: Timestamp,
    /// What was sent.
    pub(crate) draft: Draft,
    /// Its receipt, once that is on disk.
    pub(crate) receipt: Option<Digest>,
    step: Step,
}

/// What is being done with a reply that is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It is being committed.
    Coming,
    /// It is in the record, and waits for its time.
    There,
    /// It is being taken back.
    Going,
    /// It is in the record without a receipt, and couldn't be taken back.
    Unsent,
}

impl Held {
    /// A reply that is about to be committed.
    pub(crate) fn new(draft: Draft, until: Timestamp) -> Self {
        Self { until, draft, receipt: None, step: Step::Coming }
    }
}

/// What makes two calls ask the same: a digest of who asks and of the question's digest, and the relay
/// that the first of them came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuestionKey {
    digest: String,
    relay: String,
}

impl QuestionKey {
    /// The key of a question.
    ///
    /// # Errors
    /// When no digest can be made: without a key it must not count as the same as another.
    pub(crate) fn new(caller: &Caller, declared: &Declared, ask: &Ask, call_key: &str) -> Result<Self, Fault> {
        let relay = relay_of(call_key);
        // Over HTTP the workspace may come late or never; there the token and the session tell agents
        // apart. Without a session, `http-` is followed by what is new with each request.
        let who = match declared.transport {
            Some(Transport::Http) => {
                let session = declared.session.as_deref().unwrap_or_default();
                (caller.client.as_str(), caller.client_version.as_str(), declared.token_name.as_deref(), session)
            }
            _ => (caller.client.as_str(), caller.client_version.as_str(), None, caller.workspace.as_str()),
        };
        let digest = Digest::of(&(declared.transport, who, Digest::of_question(ask)?))?;
        Ok(Self { digest: digest.to_string(), relay })
    }

    /// The key of a question from before a restart. A relay brings its calls back by itself; whoever has no
    /// call any more, as a client over HTTP, asks anew.
    pub(crate) fn restored(stored: PendingQuestion) -> Option<Self> {
        let relay = relay_of(stored.call_key.as_deref().unwrap_or_default());
        let comes_back = !relay.is_empty() && !relay.starts_with("http-");
        (!comes_back && !stored.told_pending).then_some(Self { digest: stored.question, relay })
    }

    /// The digest, for the record.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }
}

/// Who a call came from: the first part of its key.
fn relay_of(call_key: &str) -> String {
    call_key.split(':').next().unwrap_or_default().to_owned()
}

/// A call that has come to wait: its number among the request's callers, and the request.
pub(crate) type Arrived = (u64, RequestSummary);

impl Board {
    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a pending request from before a restart, which no call waits for yet.
    pub(crate) fn restore(&self, request: &ReviewRequest, question: Option<QuestionKey>, files: usize) {
        let mut entry = Entry::new(request, question);
        entry.summary.files = files;
        self.lock().insert(request.request_id, entry);
    }

    /// Adds a new request together with the call that asks it, so that nobody sees it abandoned.
    pub(crate) fn add(&self, request: &ReviewRequest, question: QuestionKey, until: Timestamp) -> Arrived {
        let mut entry = Entry::new(request, Some(question));
        let arrived = entry.arrive(Some(until));
        self.lock().insert(request.request_id, entry);
        arrived
    }

    /// Takes a request off and wakes everyone who waits for it. Returns its session if it was there.
    pub(crate) fn close(&self, request: RequestId) -> Option<SessionUuid> {
        let entry = self.lock().remove(&request)?;
        entry.closed.send_replace(true);
        Some(entry.summary.session_uuid)
    }

    /// Resolves when the request is closed; at once when it isn't on the board.
    pub(crate) fn watch(&self, request: RequestId) -> Option<watch::Receiver<bool>> {
        self.lock().get(&request).map(|entry| entry.closed.subscribe())
    }

    /// Holds back the reply that is about to be committed. False where the request isn't on the queue.
    pub(crate) fn hold(&self, request: RequestId, held: Held) -> bool {
        let mut entries = self.lock();
        let Some(entry) = entries.get_mut(&request).filter(|entry| entry.held.is_none()) else { return false };
        entry.held = Some(held);
        true
    }

    /// Whether any reply can still be taken back, or goes out by itself later.
    pub(crate) fn holds_any(&self) -> bool {
        self.lock().values().any(|entry| entry.held.as_ref().is_some_and(|held| held.step != Step::Unsent))
    }

    /// The reply that is held back is in the record with this receipt, and is held until then. Returns the request's
    /// session.
    pub(crate) fn receipted(&self, request: RequestId, receipt: Digest, until: Timestamp) -> Option<SessionUuid> {
        let mut entries = self.lock();
        let entry = entries.get_mut(&request)?;
        let held = entry.held.as_mut()?;
        (held.receipt, held.until, held.step) = (Some(receipt), until, Step::There);
        Some(entry.summary.session_uuid)
    }

    /// The receipt of a reply that is held back, and until when; absent where it is just being stored or taken back.
    pub(crate) fn held_receipt(&self, request: RequestId) -> Option<(Digest, Timestamp)> {
        let entries = self.lock();
        let held = entries.get(&request)?.held.as_ref().filter(|held| held.step == Step::There)?;
        Some((held.receipt?, held.until))
    }

    /// The reply that was to be taken back stays in the record. Returns the request's session.
    pub(crate) fn held_is_there(&self, request: RequestId) -> Option<SessionUuid> {
        let mut entries = self.lock();
        let entry = entries.get_mut(&request)?;
        entry.held.as_mut()?.step = Step::There;
        Some(entry.summary.session_uuid)
    }

    /// A reply is in the record that has no receipt and can't be taken back now: nobody hears of it.
    pub(crate) fn keep_unsent(&self, request: RequestId, draft: Draft) {
        if let Some(entry) = self.lock().get_mut(&request) {
            entry.held = Some(Held { step: Step::Unsent, ..Held::new(draft, Timestamp(i64::MAX)) });
        }
    }

    /// The requests that have such a reply.
    pub(crate) fn all_unsent(&self) -> Vec<RequestId> {
        let unsent = |entry: &&Entry| entry.held.as_ref().is_some_and(|held| held.step == Step::Unsent);
        self.lock().values().filter(unsent).map(|entry| entry.summary.request_id).collect()
    }

    /// Such a reply is to be taken back: from now on nobody else does. Returns what was written in it.
    pub(crate) fn seize_unsent(&self, request: RequestId) -> Option<Draft> {
        let mut entries = self.lock();
        let held = entries.get_mut(&request)?.held.as_mut().filter(|held| held.step == Step::Unsent)?;
        held.step = Step::Going;
        Some(held.draft.clone())
    }

    /// What was held back is to be taken back: from now on nobody lets it go.
    pub(crate) fn seize(&self, request: RequestId) -> Option<Held> {
        let mut entries = self.lock();
        let held = entries.get_mut(&request)?.held.as_mut().filter(|held| held.step == Step::There)?;
        held.step = Step::Going;
        Some(held.clone())
    }

    /// Nothing was sent after all: the request is on the queue again.
    pub(crate) fn unhold(&self, request: RequestId) -> Option<RequestSummary> {
        let mut entries = self.lock();
        let entry = entries.get_mut(&request)?;
        entry.held = None;
        entry.summary.snoozed = None;
        self.unheld.fetch_add(1, Ordering::SeqCst);
        Some(entry.refreshed())
    }

    /// How often a reply was held back and then wasn't sent. Who reads a reply while this changes has
    /// read what may not hold.
    pub(crate) fn unheld(&self) -> u64 {
        self.unheld.load(Ordering::SeqCst)
    }

    /// Whether the reply to a request is held back.
    pub(crate) fn is_held(&self, request: RequestId) -> bool {
        self.lock().get(&request).is_some_and(|entry| entry.held.is_some())
    }

    /// The session of a request that is here.
    pub(crate) fn session_of(&self, request: RequestId) -> Option<SessionUuid> {
        self.lock().get(&request).map(|entry| entry.summary.session_uuid)
    }

    /// The requests whose replies are held back.
    pub(crate) fn held(&self) -> HashSet<RequestId> {
        self.lock().values().filter(|entry| entry.held.is_some()).map(|entry| entry.summary.request_id).collect()
    }

    /// The requests whose replies were held back until now.
    pub(crate) fn held_until(&self, now: Timestamp) -> Vec<RequestId> {
        let over = |entry: &&Entry| entry.held.as_ref().is_some_and(|held| held.until <= now);
        self.lock().values().filter(over).map(|entry| entry.summary.request_id).collect()
    }

    /// Lets a reply go that is held back: takes its request off and wakes everyone who waits for it.
    /// Returns its session; absent where nothing is held back, or is just being taken back.
    pub(crate) fn let_go(&self, request: RequestId) -> Option<SessionUuid> {
        let mut entries = self.lock();
        let there = |entry: &Entry| entry.held.as_ref().is_some_and(|held| held.step == Step::There);
        if !entries.get(&request).is_some_and(there) {
            return None;
        }
        let entry = entries.remove(&request)?;
        entry.closed.send_replace(true);
        Some(entry.summary.session_uuid)
    }

    /// A session's pending requests as agents know them: with those whose replies are held back. The oldest is first,
    /// as their identifiers sort.
    pub(crate) fn as_agents_wait(&self, session: SessionUuid, mut pending: Vec<RequestId>) -> Vec<RequestId> {
        let held = self.held().into_iter().filter(|request| self.session_of(*request) == Some(session));
        pending.extend(held);
        pending.sort_unstable();
        pending.dedup();
        pending
    }

    /// Puts a request off, or takes it up again. Absent when it isn't on the queue.
    pub(crate) fn snooze(&self, request: RequestId, snooze: Option<Snooze>) -> Option<RequestSummary> {
        let mut entries = self.lock();
        let entry = entries.get_mut(&request).filter(|entry| entry.held.is_none())?;
        entry.summary.snoozed = snooze;
        Some(entry.summary.clone())
    }

    /// The requests that were put off until now.
    pub(crate) fn due(&self, now: Timestamp) -> Vec<RequestId> {
        let due = |entry: &&Entry| {
            let until = entry.summary.snoozed.and_then(|snooze| snooze.until);
            entry.held.is_none() && until.is_some_and(|until| until <= now)
        };
        self.lock().values().filter(due).map(|entry| entry.summary.request_id).collect()
    }

    /// Counts a waiting call, until then or without an end. Absent when the request isn't pending.
    pub(crate) fn arrive(&self, request: RequestId, until: Option<Timestamp>) -> Option<Arrived> {
        Some(self.lock().get_mut(&request)?.arrive(until))
    }

    /// The requests that ask exactly this and that nobody waits for, the oldest first: those of the call's own session,
    /// or, for a call without a session, of the same relay or of one that is gone.
    pub(crate) fn asked_already(
        &self,
        question: &QuestionKey,
        session: Option<SessionUuid>,
        relays: &Relays,
    ) -> Vec<RequestId> {
        let same = |entry: &&Entry| {
            let Some(asked) = &entry.question else { return false };
            let own = match session {
                Some(session) => session == entry.summary.session_uuid,
                None => asked.relay == question.relay || !relays.is_connected(&asked.relay),
            };
            let over_http = asked.relay.starts_with("http-");
            own && !(over_http && entry.told_pending) && entry.callers.is_empty() && asked.digest == question.digest
        };
        let mut found: Vec<_> = self.lock().values().filter(same).map(|entry| entry.summary.request_id).collect();
        found.sort_unstable();
        found
    }

    /// Lets a call wait for one of them. Absent where another one does by now.
    pub(crate) fn adopt(&self, request: RequestId, until: Timestamp) -> Option<Arrived> {
        let mut entries = self.lock();
        let entry = entries.get_mut(&request).filter(|entry| entry.callers.is_empty())?;
        Some(entry.arrive(Some(until)))
    }

    /// A waiting call has gone.
    pub(crate) fn leave(&self, request: RequestId, number: u64) -> Option<RequestSummary> {
        let mut entries = self.lock();
        let entry = entries.get_mut(&request)?;
        entry.callers.retain(|(caller, _)| *caller != number);
        Some(entry.refreshed())
    }

    /// An agent was told that the request is pending.
    pub(crate) fn tell_pending(&self, request: RequestId) {
        if let Some(entry) = self.lock().get_mut(&request) {
            entry.told_pending = true;
        }
    }

    /// How many calls wait for a request.
    pub(crate) fn callers(&self, request: RequestId) -> usize {
        self.lock().get(&request).map_or(0, |entry| entry.callers.len())
    }

    /// A call stands for the request from now on.
    pub(crate) fn attend(&self, request: RequestId) {
        *self.attendance().entry(request).or_default() += 1;
    }

    /// As [`Board::attend`], but only where no other call does. False where one does: the reply is on
    /// its way to an agent.
    pub(crate) fn claim(&self, request: RequestId) -> bool {
        let mut attended = self.attendance();
        let free = !attended.contains_key(&request);
        if free {
            attended.insert(request, 1);
        }
        free
    }

    /// Whether a call stands for the request: its reply is on its way.
    pub(crate) fn is_attended(&self, request: RequestId) -> bool {
        self.attendance().contains_key(&request)
    }

    /// The call no longer does: the agent has its result, or is gone.
    pub(crate) fn unattend(&self, request: RequestId) {
        let mut attended = self.attendance();
        if let Some(calls) = attended.get_mut(&request) {
            *calls -= 1;
            if *calls == 0 {
                attended.remove(&request);
            }
        }
    }

    fn attendance(&self) -> MutexGuard<'_, HashMap<RequestId, usize>> {
        self.attended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One pending request.
    pub(crate) fn get(&self, request: RequestId) -> Option<RequestSummary> {
        self.lock().get(&request).map(|entry| entry.summary.clone())
    }

    /// The digest of a pending request's question, where it is known.
    pub(crate) fn digest(&self, request: RequestId) -> Option<Digest> {
        self.lock().get(&request)?.digest
    }

    /// From now on the digest of a pending request's question is known.
    pub(crate) fn learn_digest(&self, request: RequestId, digest: Digest) {
        if let Some(entry) = self.lock().get_mut(&request) {
            entry.digest = Some(digest);
        }
    }

    /// The pending requests: urgent ones first, then the oldest; those that are put off behind them.
    pub(crate) fn all(&self) -> Vec<RequestSummary> {
        let entries = self.lock();
        let waiting = entries.values().filter(|entry| entry.held.is_none());
        let mut all: Vec<_> = waiting.map(|entry| entry.summary.clone()).collect();
        drop(entries);
        all.sort_by_key(|summary| (summary.snoozed.is_some(), !summary.urgent, summary.created_at, summary.request_id));
        all
    }

    /// The permission questions that wait for an answer.
    pub(crate) fn permissions(&self) -> Vec<RequestId> {
        let asks = |entry: &&Entry| entry.held.is_none() && entry.summary.permission.is_some();
        self.lock().values().filter(asks).map(|entry| entry.summary.request_id).collect()
    }

    /// Whether a request is a permission question that is here.
    pub(crate) fn is_permission(&self, request: RequestId) -> bool {
        self.lock().get(&request).is_some_and(|entry| entry.summary.permission.is_some())
    }

    /// How many of a session are pending.
    pub(crate) fn pending_of(&self, session: SessionUuid) -> usize {
        let own = |entry: &&Entry| entry.held.is_none() && entry.summary.session_uuid == session;
        self.lock().values().filter(own).count()
    }

    /// How many are pending.
    pub(crate) fn len(&self) -> usize {
        self.lock().values().filter(|entry| entry.held.is_none()).count()
    }
}

impl Entry {
    fn new(request: &ReviewRequest, question: Option<QuestionKey>) -> Self {
        let closed = watch::Sender::new(false);
        let summary = summary(request);
        Self {
            summary,
            question,
            digest: None,
            callers: Vec::new(),
            next_caller: 0,
            told_pending: false,
            held: None,
            closed,
        }
    }

    fn arrive(&mut self, until: Option<Timestamp>) -> Arrived {
        let number = self.next_caller;
        self.next_caller += 1;
        self.callers.push((number, until));
        (number, self.refreshed())
    }

    fn refreshed(&mut self) -> RequestSummary {
        let endless = self.callers.iter().any(|(_, until)| until.is_none());
        self.summary.waits_until = self.callers.iter().filter_map(|(_, until)| *until).max().filter(|_| !endless);
        self.summary.caller_waiting = !self.callers.is_empty();
        self.summary.clone()
    }
}

/// What the queue shows of a request.
pub(crate) fn summary(request: &ReviewRequest) -> RequestSummary {
    let workspace = &request.caller.workspace;
    RequestSummary {
        request_id: request.request_id,
        session_uuid: request.session_uuid,
        title: request.ask.headline(),
        client: gate_core::markdown::visible(&gate_core::clients::display_name(&request.caller.client)),
        workspace: gate_core::markdown::visible(workspace),
        workspace_name: workspace_name(workspace),
        urgent: request.ask.urgent,
        approval: request.ask.approval,
        created_at: request.created_at,
        waits_until: None,
        caller_waiting: false,
        snoozed: None,
        excerpt: request.ask.beginning(),
        options: request.ask.options.len(),
        files: request.ask.changed_files(),
        permission: request.ask.permission.as_deref().map(PermissionSummary::of),
        round: request.ask.round.as_deref().map(RoundSummary::of),
    }
}
