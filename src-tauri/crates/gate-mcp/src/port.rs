//! What the protocol side needs of the running gate.

use std::any::Any;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use gate_core::clients::Override;
use gate_core::{
    Ask, Attachment, AttachmentId, Caller, Checkpoint, Conversation, ConversationQuery, Decision, Declared, Draft,
    Fault, Found, Message, Note, Outcome, Page, Place, Progress, ProgressUpdate, PromptList, PromptSource,
    RenderedPrompt, RequestId, RequestStatus, RestoreId, Restored, SessionStatus, SessionUuid, Timestamp,
};
use serde_json::{Map, Value};
use tokio::sync::broadcast;

/// A call of `review_gate_chat`, parsed but not yet checked against the bounds.
#[derive(Debug, Clone)]
pub struct Call {
    /// The question.
    pub ask: Ask,
    /// The session that it continues.
    pub session_uuid: Option<SessionUuid>,
    /// The earlier request that it goes on waiting for.
    pub request_id: Option<RequestId>,
    /// Who asks.
    pub caller: Caller,
    /// What the client declared of itself.
    pub declared: Declared,
    /// Names this call across reconnections: relay id and JSON-RPC id.
    pub call_key: String,
    /// Who calls, where that is known from one call to the next.
    pub agent: Option<Agent>,
    /// For how many milliseconds the client will wait for the result.
    pub patience_millis: u64,
}

/// Who calls, as the transport knows it: several conversations may come through one of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Agent {
    /// A relay, whose heart beats.
    Relay(String),
    /// A session of Streamable HTTP (the initialize-era).
    Http(String),
}

/// Whose session a call of the tools besides `review_gate_chat` is about.
#[derive(Debug, Clone)]
pub struct Whose {
    /// The session that it names. Without it, the only one that this agent has is meant.
    pub session_uuid: Option<SessionUuid>,
    /// Who calls.
    pub caller: Caller,
    /// What the client declared of itself.
    pub declared: Declared,
    /// Who calls, where that is known from one call to the next.
    pub agent: Option<Agent>,
    /// Names this call across reconnections, as in [`Call`]: done twice, it counts once.
    pub call_key: String,
}

/// A report of progress as it was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// Its session; new where the agent had none.
    pub session_uuid: SessionUuid,
    /// Where the session stands.
    pub status: SessionStatus,
    /// All of the progress.
    pub progress: Progress,
    /// What the model should be told besides the result.
    pub asides: Vec<String>,
}

/// A conversation as an agent goes on from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// What it is.
    pub conversation: Conversation,
    /// A page of its messages, in order; the page before holds older ones. Without superseded ones.
    pub messages: Page<Message>,
    /// Its checkpoints, in order.
    pub checkpoints: Vec<Checkpoint>,
    /// What the model should be told besides the result.
    pub asides: Vec<String>,
}

/// One page of a conversation's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// What it is.
    pub conversation: Conversation,
    /// Messages in order; the page before holds older ones. Superseded ones are among them.
    pub messages: Page<Message>,
}

/// A session as a resource shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionDetails {
    /// Its conversation.
    pub conversation: Conversation,
    /// How it reached the gate: `stdio` or `http`.
    pub transport: Option<String>,
    /// The protocol revision that it speaks.
    pub protocol_version: Option<String>,
    /// When its agent was last heard, or answered.
    pub spoke_at: Timestamp,
    /// Its requests that a person has not answered, the oldest first.
    pub pending: Vec<RequestId>,
}

/// Something in the record that is other than before; sent after the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A conversation began.
    Began(SessionUuid),
    /// Its messages, its progress or its status are other.
    Conversation(SessionUuid),
    /// Its checkpoints are other.
    Checkpoints(SessionUuid),
    /// The settings are other.
    Config,
    /// The prompts are other.
    Prompts,
    /// Conversations are gone, or came from elsewhere: anything may be other.
    Anything,
}

/// Where a request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// What became of it.
    pub status: RequestStatus,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When it was closed; until then, when it was asked.
    pub updated_at: Timestamp,
}

/// A request that a call stands for. While it lives, the person sees that an agent waits.
pub struct Asked {
    /// The request.
    pub request_id: RequestId,
    /// Its conversation.
    pub session_uuid: SessionUuid,
    /// Whether the agent asked for a decision.
    pub approval: bool,
    /// When the call has to be answered `pending` at the latest.
    pub until: Timestamp,
    /// What the model should be told besides the result.
    pub asides: Vec<String>,
    /// What became of the request, where that is known already.
    pub outcome: Option<Outcome>,
    /// Counts the caller as waiting until it is dropped; absent where the call only reads what an
    /// agent has had before, and leaves no trace in the record.
    pub attendance: Option<Box<dyn Any + Send + Sync>>,
}

/// Notes of the person's that go with a result.
pub struct Handover {
    /// The oldest first; at least one.
    pub notes: Vec<Note>,
    /// While it lives, they go with no other result. They count as delivered as the result does.
    pub carried: Box<dyn Any + Send + Sync>,
}

/// A setting that agents may see.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigEntry {
    /// Its name, e.g. `window.theme`.
    pub key: String,
    /// Its title.
    pub title: String,
    /// What it does, in a sentence or two.
    pub help: String,
    /// What holds now, or from the next start on.
    pub value: Value,
    /// What holds where nobody has set it.
    pub default: Value,
    /// What it may be.
    pub allowed: Value,
    /// Whether agents may change it.
    pub may_change: bool,
    /// When a change takes effect.
    pub applies: Applies,
}

/// When a change of a setting takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// At once.
    Now,
    /// When the gate is started the next time.
    NextStart,
}

/// A setting that an agent has changed.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedSetting {
    /// Its name.
    pub key: String,
    /// What was set before; null for nothing.
    pub from: Value,
    /// What is set now; null for nothing.
    pub to: Value,
    /// When that takes effect.
    pub applies: Applies,
    /// Whether something that wins over what is set says something else.
    pub overridden: bool,
}

/// The running gate as the protocol side sees it.
pub trait Gate: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> Timestamp;

    /// Waiting times from the settings that win over the built-in table.
    fn patience_overrides(&self) -> Vec<Override>;

    /// What an agent should tell its person where no window can be shown; absent where one can.
    fn hint(&self) -> Option<String>;

    /// Whether the person is away, so that nobody should wait for them.
    fn is_away(&self) -> bool;

    /// Resolves when the person is away; at once while they are.
    fn away(&self) -> impl Future<Output = ()> + Send;

    /// A call is answered `pending` since its client would give up.
    fn waited_in_vain(&self) -> impl Future<Output = ()> + Send;

    /// The notes that wait for the agent of a session, to go with the result of this call; absent where
    /// none do.
    fn notes(&self, session: SessionUuid, call_key: &str) -> Option<Handover>;

    /// Counts a relay as connected until the result is dropped.
    fn connected(&self, relay: &str) -> Box<dyn Any + Send + Sync>;

    /// A relay's heart beats.
    fn beat(&self, relay: &str);

    /// What changes in the record from now on. A receiver that falls behind has to assume that
    /// everything did.
    fn changes(&self) -> broadcast::Receiver<Change>;

    /// Stores a report of progress; begins a session where the agent has none.
    ///
    /// The other tools' calls fail with `ambiguous_session` where the agent has several sessions and
    /// names none, and with `unknown_session`.
    fn report(&self, whose: Whose, update: ProgressUpdate) -> impl Future<Output = Result<Reported, Fault>> + Send;

    /// The conversation without superseded messages, the newest page first; `older` names the next.
    fn context(&self, whose: Whose, older: Option<Place>) -> impl Future<Output = Result<Context, Fault>> + Send;

    /// Takes a snapshot; begins a session where the agent has none.
    fn create_checkpoint(
        &self,
        whose: Whose,
        name: String,
        description: Option<String>,
    ) -> impl Future<Output = Result<(SessionUuid, Checkpoint), Fault>> + Send;

    /// The checkpoints of a session, in order.
    fn list_checkpoints(
        &self,
        whose: Whose,
    ) -> impl Future<Output = Result<(SessionUuid, Vec<Checkpoint>), Fault>> + Send;

    /// Takes a conversation back to the checkpoint of this identifier or name.
    fn restore(&self, whose: Whose, checkpoint: String) -> impl Future<Output = Result<Restored, Fault>> + Send;

    /// Undoes the latest restore, or this one where it is the latest.
    fn undo_restore(
        &self,
        whose: Whose,
        restore: Option<RestoreId>,
    ) -> impl Future<Output = Result<Restored, Fault>> + Send;

    /// Conversations, the latest changed first; those that hold the words looked for, by their newest
    /// such message.
    fn conversations(
        &self,
        query: ConversationQuery,
        after: Option<Place>,
    ) -> impl Future<Output = Result<Page<Found>, Fault>> + Send;

    /// A page of one conversation, the newest first; absent when there is none.
    fn conversation(
        &self,
        session: SessionUuid,
        older: Option<Place>,
    ) -> impl Future<Output = Result<Option<Recorded>, Fault>> + Send;

    /// One session; absent when there is none.
    fn session(&self, session: SessionUuid) -> impl Future<Output = Result<Option<SessionDetails>, Fault>> + Send;

    /// A conversation's checkpoints, in order; absent when there is no such conversation.
    fn checkpoints(&self, session: SessionUuid) -> impl Future<Output = Result<Option<Vec<Checkpoint>>, Fault>> + Send;

    /// Sessions whose identifier begins so, the latest changed first, and how many there are in all.
    fn sessions_like(
        &self,
        beginning: &str,
        most: u32,
    ) -> impl Future<Output = Result<(Vec<SessionUuid>, u64), Fault>> + Send;

    /// Attachments whose identifier begins so, the newest first, and how many there are in all.
    fn attachments_like(
        &self,
        beginning: &str,
        most: u32,
    ) -> impl Future<Output = Result<(Vec<AttachmentId>, u64), Fault>> + Send;

    /// Every prompt that is served, as one whole version: the same `Arc` while nothing changes.
    fn prompts(&self) -> Arc<PromptList>;

    /// A prompt with these arguments put in. It counts as used.
    ///
    /// # Errors
    /// `unknown_prompt`; `prompt` where an argument is missing or isn't what it has to be, or the prompt
    /// can't be rendered within its bounds.
    fn prompt(
        &self,
        caller: &Caller,
        id: &str,
        arguments: &BTreeMap<String, String>,
    ) -> impl Future<Output = Result<RenderedPrompt, Fault>> + Send;

    /// The file of a prompt; absent where there is none of this id.
    fn prompt_source(&self, id: &str) -> Option<PromptSource>;

    /// The files of a caller's workspace whose names fit, the best first, and whether there are more;
    /// none where the workspace is unknown.
    fn workspace_files(
        &self,
        caller: &Caller,
        like: &str,
    ) -> impl Future<Output = Result<(Vec<String>, bool), Fault>> + Send;

    /// The settings of these keys that agents may see; all of them where no keys are named.
    ///
    /// # Errors
    /// `unknown_setting`, and `setting_forbidden` for one that they may not see.
    fn config(&self, keys: Option<&[String]>) -> Result<Vec<ConfigEntry>, Fault>;

    /// Changes settings, all of them or none; null for the default. The person is told.
    ///
    /// # Errors
    /// `setting_rejected`, `setting_forbidden`, `unknown_setting`, and `settings_file` where the file
    /// can't be changed.
    fn update_config(
        &self,
        whose: Whose,
        values: Map<String, Value>,
    ) -> impl Future<Output = Result<Vec<ChangedSetting>, Fault>> + Send;

    /// Stores the question, or finds the request that the call stands for already.
    fn ask(&self, call: Call) -> impl Future<Output = Result<Asked, Fault>> + Send;

    /// Waits until the request is no longer pending. Dropping the future only stops waiting.
    fn closed(&self, request: RequestId) -> impl Future<Output = Result<Outcome, Fault>> + Send;

    /// The client cancelled its call: withdraws the request unless another call waits for it.
    fn withdraw(&self, request: RequestId) -> impl Future<Output = Result<(), Fault>> + Send;

    /// What this call is about to give is not the request's reply: a later one still has to be
    /// delivered.
    fn gives_no_reply(&self, request: RequestId, call_key: String) -> impl Future<Output = Result<(), Fault>> + Send;

    /// The question as it is stored.
    fn question(&self, request: RequestId) -> impl Future<Output = Result<Ask, Fault>> + Send;

    /// The client has the result of this call, with the notes that came with it.
    fn delivered(&self, call_key: String) -> impl Future<Output = ()> + Send;

    /// Where a request stands.
    fn look(&self, request: RequestId) -> impl Future<Output = Result<Look, Fault>> + Send;

    /// Counts an agent that asks for the request now and then as waiting, for some seconds.
    fn linger(&self, request: RequestId);

    /// Takes a reply that a person gave through the client's own form.
    fn answer(
        &self,
        request: RequestId,
        decision: Option<Decision>,
        draft: Draft,
    ) -> impl Future<Output = Result<(), Fault>> + Send;

    /// Closes a request without an answer.
    fn dismiss(&self, request: RequestId) -> impl Future<Output = Result<(), Fault>> + Send;

    /// The key that what a client keeps for the gate is sealed with; the same after a restart.
    fn state_key(&self) -> [u8; 32];

    /// What an HTTP session began with, as JSON.
    fn http_session(&self, session: &str) -> impl Future<Output = Result<Option<String>, Fault>> + Send;

    /// Keeps what an HTTP session began with.
    fn keep_http_session(&self, session: &str, initialize: &str) -> impl Future<Output = Result<(), Fault>> + Send;

    /// The client has ended an HTTP session.
    fn forget_http_session(&self, session: &str) -> impl Future<Output = Result<(), Fault>> + Send;

    /// An attachment with its bytes.
    fn attachment(&self, attachment: AttachmentId)
    -> impl Future<Output = Result<(Attachment, Vec<u8>), Fault>> + Send;
}
