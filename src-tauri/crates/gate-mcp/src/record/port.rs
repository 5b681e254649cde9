//! What the tools and the resources of the record need of the running gate.

use async_trait::async_trait;
use gate_core::{
    Checkpoint, Conversation, ConversationQuery, Fault, Found, Message, Owner, Page, Place, Progress, ProgressUpdate,
    RequestId, RestoreId, Restored, SessionStatus, SessionUuid, Timestamp,
};

use crate::port::Whose;

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

/// Conversations: how far each is, what was said in it, its checkpoints.
///
/// What is about an agent's own session fails with `ambiguous_session` where the agent has several and names
/// none, and with `unknown_session`. To a client that may not have it, a session of others is as one that isn't there.
#[async_trait]
pub trait RecordPort: Send + Sync + 'static {
    /// Stores a report of progress; begins a session where the agent has none.
    async fn report(&self, whose: Whose, update: ProgressUpdate) -> Result<Reported, Fault>;

    /// The conversation without superseded messages, the newest page first; `older` names the next.
    async fn context(&self, whose: Whose, older: Option<Place>) -> Result<Context, Fault>;

    /// Takes a snapshot; begins a session where the agent has none.
    async fn create_checkpoint(
        &self,
        whose: Whose,
        name: String,
        description: Option<String>,
    ) -> Result<(SessionUuid, Checkpoint), Fault>;

    /// The checkpoints of a session, in order.
    async fn list_checkpoints(&self, whose: Whose) -> Result<(SessionUuid, Vec<Checkpoint>), Fault>;

    /// Takes a conversation back to the checkpoint of this identifier or name.
    async fn restore(&self, whose: Whose, checkpoint: String) -> Result<Restored, Fault>;

    /// Undoes the latest restore, or this one where it is the latest.
    async fn undo_restore(&self, whose: Whose, restore: Option<RestoreId>) -> Result<Restored, Fault>;

    /// Conversations that this client is listed, the latest changed first; those that hold the words looked for, by
    /// their newest such message.
    async fn conversations(
        &self,
        query: ConversationQuery,
        after: Option<Place>,
        client: &Owner,
    ) -> Result<Page<Found>, Fault>;

    /// A page of one conversation, the newest first; absent when there is none.
    async fn conversation(
        &self,
        session: SessionUuid,
        older: Option<Place>,
        client: &Owner,
    ) -> Result<Option<Recorded>, Fault>;

    /// One session; absent when there is none.
    async fn session(&self, session: SessionUuid, client: &Owner) -> Result<Option<SessionDetails>, Fault>;

    /// A conversation's checkpoints, in order; absent when there is no such conversation.
    async fn checkpoints(&self, session: SessionUuid, client: &Owner) -> Result<Option<Vec<Checkpoint>>, Fault>;

    /// Sessions that this client is listed, whose identifier begins so: the latest begun first, and how many there
    /// are in all.
    async fn sessions_like(&self, beginning: &str, most: u32, client: &Owner)
    -> Result<(Vec<SessionUuid>, u64), Fault>;
}
