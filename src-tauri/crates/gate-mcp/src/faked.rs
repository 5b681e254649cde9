//! A gate of the tests' own: a record in memory, one session an agent.

pub(crate) mod prompts;

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::clients::Override;
use gate_core::{
    Ask, Attachment, AttachmentId, Caller, Checkpoint, CheckpointId, Code, Conversation, ConversationQuery, Decision,
    Draft, Fault, Found, Message, Note, Outcome, Page, Place, Progress, ProgressUpdate, Prompt, PromptList,
    PromptSource, RenderedPrompt, RequestId, RequestStatus, RestoreId, Restored, Role, SessionStatus, SessionUuid,
    Timestamp, bounds,
};
use serde_json::{Map, Value};
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::port::{
    Agent, Asked, Call, Change, ChangedSetting, ConfigEntry, Context, Gate, Handover, Look, Recorded, Reported,
    SessionDetails, Whose,
};

/// The gate.
pub(crate) struct Faked {
    record: Mutex<Record>,
    changes: broadcast::Sender<Change>,
}

#[derive(Default)]
struct Record {
    agents: HashMap<Option<Agent>, SessionUuid>,
    /// The latest began last.
    conversations: Vec<(Conversation, Vec<Checkpoint>)>,
    beats: Vec<String>,
    delivered: Vec<String>,
    http_sessions: HashMap<String, String>,
    notes: HashMap<SessionUuid, Vec<Note>>,
    prompts: Arc<PromptList>,
}

impl Default for Faked {
    fn default() -> Self {
        Self { record: Mutex::default(), changes: broadcast::channel(16).0 }
    }
}

impl Faked {
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

    /// Begins a conversation, and tells of it.
    pub(crate) fn begin(&self) -> SessionUuid {
        let session = self.lock().begin(&Caller::default());
        let _ = self.changes.send(Change::Began(session));
        session
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

/// Messages of every conversation, the oldest first.
fn page(older: Option<Place>) -> Page<Message> {
    let end = match older {
        Some(Place::Message(message)) => message,
        _ => 3,
    };
    let message = |message_id| Message {
        message_id,
        request_id: RequestId(Uuid::from_u128(9)),
        role: Role::Agent,
        text: format!("message {message_id}"),
        created_at: Timestamp(message_id),
        superseded: false,
        note: false,
        title: None,
        status: Some(RequestStatus::Answered),
        has_diff: false,
        decision: None,
        selected: Vec::new(),
        comments: Vec::new(),
        remarks: Vec::new(),
        attachments: Vec::new(),
        answered_from: None,
    };
    Page { items: vec![message(end - 1)], next: (end > 2).then_some(Place::Message(end - 1)) }
}

fn no_person<T>() -> Result<T, Fault> {
    Err(Fault::internal("There is no person behind this gate."))
}

impl Gate for Faked {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn patience_overrides(&self) -> Vec<Override> {
        Vec::new()
    }

    fn config(&self, _keys: Option<&[String]>) -> Result<Vec<ConfigEntry>, Fault> {
        Ok(Vec::new())
    }

    async fn update_config(&self, _whose: Whose, _values: Map<String, Value>) -> Result<Vec<ChangedSetting>, Fault> {
        no_person()
    }

    fn hint(&self) -> Option<String> {
        None
    }

    fn is_away(&self) -> bool {
        false
    }

    async fn away(&self) {
        std::future::pending().await
    }

    async fn waited_in_vain(&self) {}

    fn notes(&self, session: SessionUuid, call_key: &str) -> Option<Handover> {
        let notes = self.lock().notes.remove(&session)?;
        let carried = Box::new(call_key.to_owned());
        Some(Handover { notes, carried })
    }

    fn connected(&self, _relay: &str) -> Box<dyn Any + Send + Sync> {
        Box::new(())
    }

    fn beat(&self, relay: &str) {
        self.lock().beats.push(relay.to_owned());
    }

    fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    async fn report(&self, whose: Whose, update: ProgressUpdate) -> Result<Reported, Fault> {
        let (session_uuid, progress) = self.with(&whose, |(conversation, _)| {
            let progress = Progress::after(conversation.progress.take(), update, Timestamp(0));
            conversation.progress = Some(progress.clone());
            progress
        });
        let _ = self.changes.send(Change::Conversation(session_uuid));
        Ok(Reported { session_uuid, status: SessionStatus::Active, progress, asides: vec!["An aside.".to_owned()] })
    }

    async fn context(&self, whose: Whose, older: Option<Place>) -> Result<Context, Fault> {
        let (_, (conversation, checkpoints)) = self.with(&whose, |found| found.clone());
        Ok(Context { conversation, messages: page(older), checkpoints, asides: Vec::new() })
    }

    async fn create_checkpoint(
        &self,
        whose: Whose,
        name: String,
        description: Option<String>,
    ) -> Result<(SessionUuid, Checkpoint), Fault> {
        let (session, checkpoint) = self.with(&whose, |(conversation, checkpoints)| {
            let checkpoint = Checkpoint {
                checkpoint_id: CheckpointId(Uuid::from_u128(checkpoints.len() as u128 + 5)),
                name,
                description,
                messages: 0,
                progress: conversation.progress.clone(),
                created_at: Timestamp(0),
            };
            checkpoints.push(checkpoint.clone());
            checkpoint
        });
        let _ = self.changes.send(Change::Checkpoints(session));
        Ok((session, checkpoint))
    }

    async fn list_checkpoints(&self, whose: Whose) -> Result<(SessionUuid, Vec<Checkpoint>), Fault> {
        Ok(self.with(&whose, |(_, checkpoints)| checkpoints.clone()))
    }

    async fn restore(&self, whose: Whose, checkpoint: String) -> Result<Restored, Fault> {
        let (session_uuid, checkpoints) = self.with(&whose, |(_, checkpoints)| checkpoints.clone());
        let found = checkpoints.into_iter().find(|known| known.name == checkpoint);
        let checkpoint = found.ok_or_else(|| Fault::new(Code::UnknownCheckpoint, "There is none.", "List them."))?;
        let (restore_id, restored_at) = (RestoreId(Uuid::from_u128(6)), Timestamp(0));
        let (superseded, progress, undone_at) = (2, None, None);
        Ok(Restored { session_uuid, restore_id, checkpoint, superseded, progress, restored_at, undone_at })
    }

    async fn undo_restore(&self, whose: Whose, _restore: Option<RestoreId>) -> Result<Restored, Fault> {
        let _ = whose;
        Err(Fault::new(Code::UnknownRestore, "Nothing was restored.", "Restore first."))
    }

    async fn conversations(&self, query: ConversationQuery, after: Option<Place>) -> Result<Page<Found>, Fault> {
        let record = self.lock();
        let fits =
            |found: &&(Conversation, Vec<Checkpoint>)| query.status.is_none_or(|status| found.0.status == status);
        let before = |found: &&(Conversation, Vec<Checkpoint>)| match after {
            Some(Place::Conversation { updated_at, .. }) => found.0.updated_at < updated_at,
            _ => true,
        };
        let mut found = record.conversations.iter().rev().filter(fits).filter(before);
        let items = found.by_ref().take(bounds::PAGE_ITEMS).map(|(conversation, _)| conversation.clone());
        let items: Vec<Found> = items.map(|conversation| Found { conversation, hit: None }).collect();
        let last = items.last().filter(|_| found.next().is_some()).map(|last| &last.conversation);
        let next =
            last.map(|last| Place::Conversation { updated_at: last.updated_at, session_uuid: last.session_uuid });
        Ok(Page { items, next })
    }

    async fn conversation(&self, session: SessionUuid, older: Option<Place>) -> Result<Option<Recorded>, Fault> {
        let record = self.lock();
        let found = record.find(session);
        Ok(found.map(|(conversation, _)| Recorded { conversation: conversation.clone(), messages: page(older) }))
    }

    async fn session(&self, session: SessionUuid) -> Result<Option<SessionDetails>, Fault> {
        let found = self.lock().find(session).map(|(conversation, _)| conversation.clone());
        Ok(found.map(|conversation| SessionDetails {
            conversation,
            transport: Some("stdio".to_owned()),
            protocol_version: None,
            spoke_at: Timestamp(0),
            pending: Vec::new(),
        }))
    }

    async fn checkpoints(&self, session: SessionUuid) -> Result<Option<Vec<Checkpoint>>, Fault> {
        Ok(self.lock().find(session).map(|(_, checkpoints)| checkpoints.clone()))
    }

    async fn sessions_like(&self, beginning: &str, most: u32) -> Result<(Vec<SessionUuid>, u64), Fault> {
        let record = self.lock();
        let all = record.conversations.iter().map(|(conversation, _)| conversation.session_uuid);
        let all: Vec<_> = all.filter(|session| session.to_string().starts_with(beginning)).collect();
        let count = all.len() as u64;
        Ok((all.into_iter().take(most as usize).collect(), count))
    }

    async fn attachments_like(&self, _beginning: &str, _most: u32) -> Result<(Vec<AttachmentId>, u64), Fault> {
        Ok((Vec::new(), 0))
    }

    fn prompts(&self) -> Arc<PromptList> {
        Arc::clone(&self.lock().prompts)
    }

    async fn prompt(
        &self,
        caller: &Caller,
        id: &str,
        arguments: &BTreeMap<String, String>,
    ) -> Result<RenderedPrompt, Fault> {
        prompts::rendered(&self.prompts(), caller, id, arguments)
    }

    fn prompt_source(&self, id: &str) -> Option<PromptSource> {
        self.prompts().get(id).map(|prompt| prompts::source(prompt))
    }

    async fn workspace_files(&self, caller: &Caller, like: &str) -> Result<(Vec<String>, bool), Fault> {
        Ok(prompts::files(caller, like))
    }

    async fn ask(&self, _call: Call) -> Result<Asked, Fault> {
        no_person()
    }

    async fn closed(&self, _request: RequestId) -> Result<Outcome, Fault> {
        no_person()
    }

    async fn withdraw(&self, _request: RequestId) -> Result<(), Fault> {
        no_person()
    }

    async fn gives_no_reply(&self, _request: RequestId, _call_key: String) -> Result<(), Fault> {
        no_person()
    }

    async fn question(&self, _request: RequestId) -> Result<Ask, Fault> {
        no_person()
    }

    async fn delivered(&self, call_key: String) {
        self.lock().delivered.push(call_key);
    }

    async fn look(&self, _request: RequestId) -> Result<Look, Fault> {
        no_person()
    }

    fn linger(&self, _request: RequestId) {}

    async fn answer(&self, _request: RequestId, _decision: Option<Decision>, _draft: Draft) -> Result<(), Fault> {
        no_person()
    }

    async fn dismiss(&self, _request: RequestId) -> Result<(), Fault> {
        no_person()
    }

    fn state_key(&self) -> [u8; 32] {
        [7; 32]
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

    async fn attachment(&self, _attachment: AttachmentId) -> Result<(Attachment, Vec<u8>), Fault> {
        Err(Fault::new(Code::UnknownAttachment, "There is none.", "Look again."))
    }
}
