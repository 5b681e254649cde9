//! What every connection needs of the running gate, whatever its toolset. What the tools need is in the
//! ports of their subjects.

use std::any::Any;

use async_trait::async_trait;
use gate_core::outcome::Earlier;
use gate_core::proposal::ReviewId;
use gate_core::{Caller, Declared, Fault, Note, Owner, SessionUuid, Timestamp};
use tokio::sync::broadcast;

/// Who calls, as the transport knows it: several conversations may come through one of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Agent {
    /// A relay, whose heart beats.
    Relay(String),
    /// A session of Streamable HTTP (the initialize-era).
    Http(String),
}

/// Whose session a call of a tool besides `review_gate_chat` is about.
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
    /// Whose the session is that this begins, and who has to own the one that it names.
    pub owner: Owner,
    /// Names this call across reconnections, as in [`Call`](crate::Call): done twice, it counts once.
    pub call_key: String,
}

/// Something in the record that is other than before; sent after the commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Change {
    /// A conversation began.
    Began(SessionUuid),
    /// Its messages, its progress or its status are other.
    Conversation(SessionUuid),
    /// Its checkpoints are other.
    Checkpoints(SessionUuid),
    /// A review of a proposal has another event.
    Review(ReviewId),
    /// The prompts are other.
    Prompts,
    /// The resource of this URI reads otherwise, of whichever subject.
    Resource(String),
    /// Conversations are gone, or came from elsewhere: anything may be other.
    Anything,
}

impl Change {
    /// The session that is other than before, where it is one alone.
    pub(crate) fn session(&self) -> Option<SessionUuid> {
        match self {
            Self::Began(session) | Self::Conversation(session) | Self::Checkpoints(session) => Some(*session),
            Self::Review(_) | Self::Prompts | Self::Resource(_) | Self::Anything => None,
        }
    }

    /// The review that is other than before, where it is one.
    pub(crate) fn review(&self) -> Option<ReviewId> {
        match self {
            Self::Review(review) => Some(*review),
            _ => None,
        }
    }
}

/// How grave a [`LogEntry`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Nothing that needs anybody.
    Info,
    /// Something to know of.
    Notice,
    /// Something that isn't as it should be, and works all the same.
    Warning,
    /// Something that doesn't work.
    Error,
}

/// What agents' clients hear of the gate's own course. Never words of a person or of an agent, and no setting's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// How grave it is.
    pub severity: Severity,
    /// What it is, e.g. `database_damaged`; programs match on it.
    pub code: &'static str,
    /// The same in a sentence.
    pub message: String,
    /// Whom it concerns; absent for everybody.
    pub agent: Option<Agent>,
}

/// Notes of the person's that go with a result.
pub struct Handover {
    /// The oldest first; at least one.
    pub notes: Vec<Note>,
    /// While it lives, they go with no other result. They count as delivered as the result does.
    pub carried: Box<dyn Any + Send + Sync>,
}

/// What lies under every tool: time, the key of what is sealed, changes, notes, who is connected.
#[async_trait]
pub trait ConnectionPort: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> Timestamp;

    /// The key that what a client keeps for the gate is sealed with; the same after a restart.
    fn state_key(&self) -> [u8; 32];

    /// What changes in the record from now on. A receiver that falls behind has to assume that
    /// everything did.
    fn changes(&self) -> broadcast::Receiver<Change>;

    /// What is to be known of the gate's own course from now on.
    fn log(&self) -> broadcast::Receiver<LogEntry>;

    /// What a client should know of the gate that comes now: what is wrong with it, and how it shows requests.
    fn log_so_far(&self) -> Vec<LogEntry>;

    /// Whether this client may hear of a session.
    async fn sees(&self, session: SessionUuid, client: &Owner) -> bool;

    /// Whether this client may hear of a review. A gate that has none says no.
    async fn sees_review(&self, _review: ReviewId, _client: &Owner) -> bool {
        false
    }

    /// The notes that wait for the agent of a session, to go with the result of this call; absent where
    /// none do.
    fn notes(&self, session: SessionUuid, call_key: &str) -> Option<Handover>;

    /// The replies to earlier requests of a session that its agent hasn't fetched.
    async fn earlier(&self, session: SessionUuid) -> Vec<Earlier>;

    /// The client has the result of this call, with the notes that came with it.
    async fn delivered(&self, call_key: String);

    /// Counts a relay as connected until the result is dropped.
    fn connected(&self, relay: &str) -> Box<dyn Any + Send + Sync>;

    /// A relay's heart beats.
    fn beat(&self, relay: &str);

    /// What an HTTP session began with, as JSON.
    async fn http_session(&self, session: &str) -> Result<Option<String>, Fault>;

    /// Keeps what an HTTP session began with.
    async fn keep_http_session(&self, session: &str, initialize: &str) -> Result<(), Fault>;

    /// The client has ended an HTTP session.
    async fn forget_http_session(&self, session: &str) -> Result<(), Fault>;
}
