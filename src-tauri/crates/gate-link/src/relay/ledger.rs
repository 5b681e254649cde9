//! What the agent's client is still owed, and what a gate must be told to go on where another one
//! stopped. No sockets, no clock.

use super::envelope::{self, Key};
use super::outbox::Line;
use crate::private::PrivateNote;
use gate_core::bounds;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// The most cancelled requests that are kept, and their bytes.
const CANCELLED: usize = 64;
const CANCELLED_BYTES: usize = 1024 * 1024;
/// The most bytes of unanswered requests.
const OPEN_BYTES: usize = 4 * bounds::LINE_BYTES;
/// How many deliveries are told again to the next gate.
const DELIVERIES: usize = 64;
/// The most subscriptions that are made again.
const SETTINGS: usize = 1024;

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    initialize: Option<(Key, Line)>,
    initialized: Option<Line>,
    /// Requests whose answer is done but whose effect ends with the connection.
    settings: Vec<Setting>,
    open: VecDeque<Entry>,
    bytes: usize,
    delivered: VecDeque<Key>,
}

#[derive(Debug)]
struct Entry {
    key: Key,
    line: Line,
    kind: Kind,
    cancelled: Option<Line>,
}

impl Entry {
    fn bytes(&self) -> usize {
        self.line.len() + self.cancelled.as_ref().map_or(0, |line| line.len())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Initialize,
    ToolCall,
    /// Sets what the name says for the connection: a later one of the name takes its place.
    Set(String),
    /// Undoes that.
    Unset(String),
    Other,
}

impl Kind {
    fn of(method: &str, params: Option<&str>) -> Self {
        let subscription = || envelope::uri(params).map(|uri| format!("subscription {uri}"));
        match method {
            "initialize" => Self::Initialize,
            // A task's result is a call's, fetched later.
            "tools/call" | "tasks/get" => Self::ToolCall,
            "logging/setLevel" => Self::Set("level".to_owned()),
            "resources/subscribe" => subscription().map_or(Self::Other, Self::Set),
            "resources/unsubscribe" => subscription().map_or(Self::Other, Self::Unset),
            _ => Self::Other,
        }
    }
}

#[derive(Debug)]
struct Setting {
    name: String,
    key: Key,
    line: Line,
}

/// What became of a new request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// It is owed an answer.
    New,
    /// Its id is in use: one answer is owed already.
    Duplicate,
    /// There are too many unanswered ones.
    Full,
}

/// What to do with a response of the gate.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// It is the answer; `acknowledge` when it is delivered or not.
    Owed { acknowledge: bool },
    /// Nobody waits for it: cancelled, answered before, or never asked.
    NotOwed,
}

/// What a new gate is told after the hello.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    pub(crate) lines: Vec<Line>,
    /// Requests that are answered already: their second answers are not for the client.
    pub(crate) swallow: HashSet<Key>,
}

impl Ledger {
    pub(crate) fn open(&mut self, key: &Key, line: &Line, method: &str, params: Option<&str>) -> Opened {
        if let Some(at) = self.position(key) {
            if self.open.get(at).is_some_and(|entry| entry.cancelled.is_none()) {
                return Opened::Duplicate;
            }
            self.remove(at);
        }
        if self.open.len() >= bounds::PENDING_REQUESTS || self.bytes + line.len() > OPEN_BYTES {
            return Opened::Full;
        }
        // A client that uses an id again has another call now; its delivery is another one.
        self.delivered.retain(|delivered| delivered != key);
        let kind = Kind::of(method, params);
        if kind == Kind::Initialize {
            self.initialize = Some((key.clone(), Arc::clone(line)));
            self.initialized = None;
        }
        self.bytes += line.len();
        self.open.push_back(Entry { key: key.clone(), line: Arc::clone(line), kind, cancelled: None });
        Opened::New
    }

    /// The client said `notifications/initialized`.
    pub(crate) fn initialized(&mut self, line: &Line) {
        self.initialized = Some(Arc::clone(line));
    }

    /// The client no longer wants the answer. Kept with its cancellation, for a gate that dies
    /// before it has heard it.
    pub(crate) fn cancel(&mut self, key: &Key, line: &Line) {
        let Some(entry) = self.position(key).and_then(|at| self.open.get_mut(at)) else { return };
        if entry.kind == Kind::Initialize || entry.cancelled.is_some() {
            return; // MCP forbids cancelling `initialize`.
        }
        entry.cancelled = Some(Arc::clone(line));
        self.bytes += line.len();
        loop {
            let mut cancelled = self.open.iter().enumerate().filter(|(_, entry)| entry.cancelled.is_some());
            let Some((oldest, _)) = cancelled.clone().next() else { return };
            let (count, bytes) =
                cancelled.by_ref().fold((0, 0), |(count, bytes), (_, entry)| (count + 1, bytes + entry.bytes()));
            if count <= CANCELLED && bytes <= CANCELLED_BYTES {
                return;
            }
            self.remove(oldest);
        }
    }

    /// The gate answered.
    pub(crate) fn settle(&mut self, key: &Key, error: bool) -> Settled {
        let Some(entry) = self.position(key).and_then(|at| self.remove(at)) else { return Settled::NotOwed };
        if entry.cancelled.is_some() {
            return Settled::NotOwed;
        }
        match entry.kind {
            Kind::Initialize if error => self.initialize = None,
            Kind::Set(name) if !error => {
                self.settings.retain(|setting| setting.name != name);
                if self.settings.len() < SETTINGS {
                    self.settings.push(Setting { name, key: entry.key, line: entry.line });
                }
            }
            Kind::Unset(name) if !error => self.settings.retain(|setting| setting.name != name),
            Kind::ToolCall => return Settled::Owed { acknowledge: true },
            Kind::Initialize | Kind::Set(_) | Kind::Unset(_) | Kind::Other => {}
        }
        Settled::Owed { acknowledge: false }
    }

    /// The answer is with the client, whole.
    pub(crate) fn delivered(&mut self, key: Key) {
        if self.delivered.len() >= DELIVERIES {
            self.delivered.pop_front();
        }
        self.delivered.push_back(key);
    }

    /// How many answers the client waits for.
    pub(crate) fn owed(&self) -> usize {
        self.open.iter().filter(|entry| entry.cancelled.is_none()).count()
    }

    /// Gives up on every answer that the client waits for: the caller answers instead.
    pub(crate) fn give_up(&mut self) -> Vec<Key> {
        let (kept, given_up): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut self.open).into_iter().partition(|entry| entry.cancelled.is_some());
        self.bytes = kept.iter().map(Entry::bytes).sum();
        self.open = kept;
        if given_up.iter().any(|entry| entry.kind == Kind::Initialize) {
            self.initialize = None;
        }
        given_up.into_iter().map(|entry| entry.key).collect()
    }

    /// Everything that a gate must hear to go on, in order.
    pub(crate) fn replay(&self) -> Replay {
        let mut replay = Replay::default();
        if let Some((key, line)) = &self.initialize {
            replay.lines.push(Arc::clone(line));
            let answered = !self.open.iter().any(|entry| entry.kind == Kind::Initialize);
            if answered {
                replay.swallow.insert(key.clone());
            }
        }
        replay.lines.extend(self.initialized.iter().cloned());
        for setting in &self.settings {
            replay.lines.push(Arc::clone(&setting.line));
            replay.swallow.insert(setting.key.clone());
        }
        for key in &self.delivered {
            replay.lines.push(PrivateNote::Delivered { id_raw: key.to_string() }.to_line().into());
        }
        for entry in self.open.iter().filter(|entry| entry.kind != Kind::Initialize) {
            replay.lines.push(Arc::clone(&entry.line));
            replay.lines.extend(entry.cancelled.clone());
        }
        replay
    }

    fn position(&self, key: &Key) -> Option<usize> {
        self.open.iter().position(|entry| entry.key == *key)
    }

    fn remove(&mut self, at: usize) -> Option<Entry> {
        let entry = self.open.remove(at)?;
        self.bytes -= entry.bytes();
        Some(entry)
    }
}

#[cfg(test)]
mod tests;
