//! The queue in memory: a mirror of the pending rows, with who waits for each of them. Rebuilt from
//! the store at start; a row is the truth, this only wakes those who watch it.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gate_api::RequestSummary;
use gate_core::{RequestId, ReviewRequest, Timestamp};
use tokio::sync::watch;

/// The pending requests.
#[derive(Debug, Default)]
pub(crate) struct Board {
    entries: Mutex<HashMap<RequestId, Entry>>,
    /// How many calls stand for a request, pending or answered, until the agent has their results.
    attended: Mutex<HashMap<RequestId, usize>>,
}

#[derive(Debug)]
struct Entry {
    summary: RequestSummary,
    /// The question's identity, to recognise an agent that asks the same thing again.
    request: Fingerprint,
    /// Waiting calls: their number and when each is answered `pending`.
    callers: Vec<(u64, Timestamp)>,
    next_caller: u64,
    closed: watch::Sender<bool>,
}

/// What makes two questions the same: who asks and everything asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    client: String,
    workspace: String,
    ask: gate_core::Ask,
}

impl Fingerprint {
    pub(crate) fn new(caller: &gate_core::Caller, ask: &gate_core::Ask) -> Self {
        Self { client: caller.client.clone(), workspace: caller.workspace.clone(), ask: ask.clone() }
    }
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a pending request.
    pub(crate) fn add(&self, request: &ReviewRequest) -> RequestSummary {
        let summary = summary(request);
        let entry = Entry {
            summary: summary.clone(),
            request: Fingerprint::new(&request.caller, &request.ask),
            callers: Vec::new(),
            next_caller: 0,
            closed: watch::Sender::new(false),
        };
        self.lock().insert(request.request_id, entry);
        summary
    }

    /// Takes a request off and wakes everyone who waits for it.
    pub(crate) fn close(&self, request: RequestId) {
        if let Some(entry) = self.lock().remove(&request) {
            entry.closed.send_replace(true);
        }
    }

    /// Resolves when the request is closed; at once when it isn't on the board.
    pub(crate) fn watch(&self, request: RequestId) -> Option<watch::Receiver<bool>> {
        self.lock().get(&request).map(|entry| entry.closed.subscribe())
    }

    /// Counts a waiting call. Absent when the request isn't pending.
    pub(crate) fn arrive(&self, request: RequestId, until: Timestamp) -> Option<(u64, RequestSummary)> {
        let mut entries = self.lock();
        let entry = entries.get_mut(&request)?;
        let number = entry.next_caller;
        entry.next_caller += 1;
        entry.callers.push((number, until));
        Some((number, entry.refreshed()))
    }

    /// A waiting call has gone.
    pub(crate) fn leave(&self, request: RequestId, number: u64) -> Option<RequestSummary> {
        let mut entries = self.lock();
        let entry = entries.get_mut(&request)?;
        entry.callers.retain(|(caller, _)| *caller != number);
        Some(entry.refreshed())
    }

    /// How many calls wait for a request.
    pub(crate) fn callers(&self, request: RequestId) -> usize {
        self.lock().get(&request).map_or(0, |entry| entry.callers.len())
    }

    /// A call stands for the request from now on.
    pub(crate) fn attend(&self, request: RequestId) {
        *self.attendance().entry(request).or_default() += 1;
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

    /// The requests that calls stand for: their replies are on the way to an agent.
    pub(crate) fn attended(&self) -> HashSet<RequestId> {
        self.attendance().keys().copied().collect()
    }

    fn attendance(&self) -> MutexGuard<'_, HashMap<RequestId, usize>> {
        self.attended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One pending request.
    pub(crate) fn get(&self, request: RequestId) -> Option<RequestSummary> {
        self.lock().get(&request).map(|entry| entry.summary.clone())
    }

    /// The pending requests: urgent ones first, then the oldest.
    pub(crate) fn all(&self) -> Vec<RequestSummary> {
        let mut all: Vec<_> = self.lock().values().map(|entry| entry.summary.clone()).collect();
        all.sort_by_key(|summary| (!summary.urgent, summary.created_at, summary.request_id));
        all
    }

    /// How many are pending.
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// The oldest request that nobody waits for and that asks exactly this.
    pub(crate) fn abandoned(&self, wanted: &Fingerprint) -> Option<RequestId> {
        let entries = self.lock();
        let same = entries.values().filter(|entry| entry.callers.is_empty() && &entry.request == wanted);
        same.map(|entry| entry.summary.request_id).min()
    }
}

impl Entry {
    fn refreshed(&mut self) -> RequestSummary {
        self.summary.waits_until = self.callers.iter().map(|(_, until)| *until).max();
        self.summary.caller_waiting = !self.callers.is_empty();
        self.summary.clone()
    }
}

/// What the queue shows of a request.
pub(crate) fn summary(request: &ReviewRequest) -> RequestSummary {
    let workspace = &request.caller.workspace;
    let name = workspace.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
    RequestSummary {
        request_id: request.request_id,
        session_uuid: request.session_uuid,
        title: gate_core::markdown::visible(&request.ask.headline()),
        client: gate_core::markdown::visible(&gate_core::clients::display_name(&request.caller.client)),
        workspace: gate_core::markdown::visible(workspace),
        workspace_name: gate_core::markdown::visible(name),
        urgent: request.ask.urgent,
        approval: request.ask.approval,
        created_at: request.created_at,
        waits_until: None,
        caller_waiting: false,
    }
}
