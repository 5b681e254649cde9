//! A gate of the tests' own, with a file for each of its ports.

pub(crate) mod broker;
mod chat;
mod config;
mod permission;
pub(crate) mod prompts;
mod record;
pub(crate) mod workflow;

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use gate_core::outcome::Earlier;
use gate_core::proposal::ReviewId;
use gate_core::{
    Caller, Checkpoint, Conversation, Fault, Note, Owner, Prompt, PromptList, SessionStatus, SessionUuid, Timestamp,
};
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::port::{Agent, Change, ConnectionPort, Handover, LogEntry, Whose};
use crate::prompts::PromptTimes;
use crate::resources::All;
use crate::server::resources_of;
use crate::toolsets::{GATE, Gate};

/// The gate.
pub(crate) struct FakeGate {
    record: Mutex<Record>,
    changes: broadcast::Sender<Change>,
    log: broadcast::Sender<LogEntry>,
}

#[derive(Default)]
struct Record {
    agents: HashMap<Option<Agent>, SessionUuid>,
    /// The latest began last.
    conversations: Vec<(Conversation, Vec<Checkpoint>)>,
    /// Whom no client may hear of.
    hidden: HashSet<SessionUuid>,
    beats: Vec<String>,
    delivered: Vec<String>,
    http_sessions: HashMap<String, String>,
    notes: HashMap<SessionUuid, Vec<Note>>,
    prompts: Arc<PromptList>,
    log_so_far: Vec<LogEntry>,
    prompt_times: Arc<PromptTimes>,
    config_changed: Option<Timestamp>,
}

impl Default for FakeGate {
    fn default() -> Self {
        Self { record: Mutex::default(), changes: broadcast::channel(16).0, log: broadcast::channel(16).0 }
    }
}

/// The resources of the gate's own endpoint, over a gate that has nothing.
pub(crate) fn resources() -> Arc<All> {
    let gate: Arc<dyn Gate> = Arc::new(FakeGate::default());
    resources_of(&GATE.served(&gate), &gate)
}

impl FakeGate {
    /// The relays whose hearts were heard.
    pub(crate) fn beats(&self) -> Vec<String> {
        self.lock().beats.clone()
    }

    /// The calls whose deliveries were noted.
    pub(crate) fn delivered(&self) -> Vec<String> {
        self.lock().delivered.clone()
    }

    /// The person sends a note to the agent of a session.
    pub(crate) fn send_note(&self, session: SessionUuid, note: Note) {
        self.lock().notes.entry(session).or_default().push(note);
    }

    /// How many connections hear of changes.
    pub(crate) fn listeners(&self) -> usize {
        self.changes.receiver_count()
    }

    /// How many connections hear of the gate's own course.
    pub(crate) fn log_listeners(&self) -> usize {
        self.log.receiver_count()
    }

    /// Something is to be known of the gate's own course.
    pub(crate) fn note(&self, entry: LogEntry) {
        let _ = self.log.send(entry);
    }

    /// Whoever comes now should know of this.
    pub(crate) fn stands(&self, entry: LogEntry) {
        self.lock().log_so_far.push(entry);
    }

    /// When files of prompts, and the settings, were changed.
    pub(crate) fn changed(&self, prompts: PromptTimes, config: Timestamp) {
        let mut record = self.lock();
        (record.prompt_times, record.config_changed) = (Arc::new(prompts), Some(config));
    }

    /// Tells of a change.
    pub(crate) fn tell(&self, change: Change) {
        let _ = self.changes.send(change);
    }

    /// Begins a conversation, and tells of it.
    pub(crate) fn begin(&self) -> SessionUuid {
        let session = self.lock().begin(&Caller::default());
        let _ = self.changes.send(Change::Began(session));
        session
    }

    /// A session is one that no client may hear of.
    pub(crate) fn hide(&self, session: SessionUuid) {
        self.lock().hidden.insert(session);
    }

    /// Serves these prompts from now on, and tells of it.
    pub(crate) fn serve(&self, mut all: Vec<Prompt>) {
        all.sort_by(|one, other| one.id.cmp(&other.id));
        self.lock().prompts = Arc::new(PromptList { prompts: all.into_iter().map(Arc::new).collect() });
        let _ = self.changes.send(Change::Prompts);
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `change` be done to the session of an agent; it is begun where there is none.
    fn with<T>(
        &self,
        whose: &Whose,
        change: impl FnOnce(&mut (Conversation, Vec<Checkpoint>)) -> T,
    ) -> (SessionUuid, T) {
        let mut record = self.lock();
        let known = whose.session_uuid.or_else(|| record.agents.get(&whose.agent).copied());
        let session = known.unwrap_or_else(|| {
            let session = record.begin(&whose.caller);
            record.agents.insert(whose.agent.clone(), session);
            let _ = self.changes.send(Change::Began(session));
            session
        });
        let found = record.conversations.iter_mut().find(|(one, _)| one.session_uuid == session);
        (session, change(found.expect("the session is known")))
    }
}

impl Record {
    fn begin(&mut self, caller: &Caller) -> SessionUuid {
        let number = self.conversations.len();
        let session_uuid = SessionUuid(Uuid::from_u128(number as u128 + 1));
        let conversation = Conversation {
            session_uuid,
            title: format!("Conversation {number}"),
            status: SessionStatus::Active,
            client: caller.client.clone(),
            client_version: caller.client_version.clone(),
            workspace: caller.workspace.clone(),
            created_at: Timestamp(0),
            updated_at: Timestamp(number as i64),
            messages: 0,
            progress: None,
        };
        self.conversations.push((conversation, Vec::new()));
        session_uuid
    }

    fn find(&self, session: SessionUuid) -> Option<&(Conversation, Vec<Checkpoint>)> {
        self.conversations.iter().find(|(one, _)| one.session_uuid == session)
    }
}

#[async_trait]
impl ConnectionPort for FakeGate {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn state_key(&self) -> [u8; 32] {
        [7; 32]
    }

    fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    fn log(&self) -> broadcast::Receiver<LogEntry> {
        self.log.subscribe()
    }

    fn log_so_far(&self) -> Vec<LogEntry> {
        self.lock().log_so_far.clone()
    }

    async fn sees(&self, session: SessionUuid, _client: &Owner) -> bool {
        !self.lock().hidden.contains(&session)
    }

    async fn sees_review(&self, _review: ReviewId, client: &Owner) -> bool {
        !broker::is_stranger(client)
    }

    fn notes(&self, session: SessionUuid, call_key: &str) -> Option<Handover> {
        let notes = self.lock().notes.remove(&session)?;
        let carried = Box::new(call_key.to_owned());
        Some(Handover { notes, carried })
    }

    async fn earlier(&self, _session: SessionUuid) -> Vec<Earlier> {
        Vec::new()
    }

    async fn delivered(&self, call_key: String) {
        self.lock().delivered.push(call_key);
    }

    fn connected(&self, _relay: &str) -> Box<dyn Any + Send + Sync> {
        Box::new(())
    }

    fn beat(&self, relay: &str) {
        self.lock().beats.push(relay.to_owned());
    }

    async fn http_session(&self, session: &str) -> Result<Option<String>, Fault> {
        Ok(self.lock().http_sessions.get(session).cloned())
    }

    async fn keep_http_session(&self, session: &str, initialize: &str) -> Result<(), Fault> {
        self.lock().http_sessions.insert(session.to_owned(), initialize.to_owned());
        Ok(())
    }

    async fn forget_http_session(&self, session: &str) -> Result<(), Fault> {
        self.lock().http_sessions.remove(session);
        Ok(())
    }
}
