//! What asking the person needs of the running gate.

use std::any::Any;

use async_trait::async_trait;
use gate_core::clients::Override;
use gate_core::{
    Ask, Attachment, AttachmentId, Caller, Declared, Digest, Draft, Fault, Outcome, Owner, QuestionGit, RequestId,
    RequestStatus, SessionUuid, Timestamp,
};

use crate::port::Agent;

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
    /// Whose the session is that this begins, and who has to own what it names.
    pub owner: Owner,
    /// For how many milliseconds the client will wait for the result.
    pub patience_millis: u64,
}

/// What a call names of a repository, in place of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRepository {
    /// A folder of it: absolute, or relative to where the caller works.
    pub path: String,
    /// `worktree`, `staged`, a commit or a range; by default `worktree`.
    pub what: Option<String>,
    /// The commit that it is compared with, in the place of the default.
    pub base: Option<String>,
    /// The folder that the caller's relay works in, by the kernel's word; absent where it names none.
    pub folder: Option<String>,
}

/// What a call shows that names a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shows {
    /// This diff.
    New(Box<Made>),
    /// What the request shows that it stands for already.
    Request(RequestId),
}

impl Shows {
    /// Makes a call ask about that. One that stands for a request names it: whatever becomes of its key meanwhile, it opens
    /// no question that shows less.
    pub fn put_into(self, call: &mut Call) {
        match self {
            Self::New(made) => (call.ask.diff, call.ask.git) = (Some(made.diff), Some(Box::new(made.git))),
            Self::Request(request) => call.request_id = Some(request),
        }
    }
}

/// A diff that the gate has made of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The diff, as git writes it.
    pub diff: String,
    /// What git holds of it.
    pub git: QuestionGit,
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

/// Requests, and the person who answers them.
#[async_trait]
pub trait ChatPort: Send + Sync + 'static {
    /// Waiting times from the settings that win over the built-in table.
    fn patience_overrides(&self) -> Vec<Override>;

    /// What an agent should tell its person where no window can be shown; absent where one can.
    fn hint(&self) -> Option<String>;

    /// What lets others than the person answer more easily than a gate does by itself, each in a few words.
    fn weak(&self) -> Vec<String>;

    /// Whether the person is away, so that nobody should wait for them.
    fn is_away(&self) -> bool;

    /// Resolves when the person is away; at once while they are.
    async fn away(&self);

    /// A call is answered `pending` since its client would give up.
    async fn waited_in_vain(&self);

    /// Makes the diff that a call names a repository for, unless the call stands for a request already. Nothing is asked
    /// yet: whoever drops the future ends the work, and leaves nothing behind.
    async fn make_diff(&self, call: &Call, named: &NamedRepository) -> Result<Shows, Fault>;

    /// Stores the question, or finds the request that the call stands for already.
    async fn ask(&self, call: Call) -> Result<Asked, Fault>;

    /// Waits until the request is no longer pending. Dropping the future only stops waiting.
    async fn closed(&self, request: RequestId) -> Result<Outcome, Fault>;

    /// The client cancelled its call: withdraws the request unless another call waits for it.
    async fn withdraw(&self, request: RequestId) -> Result<(), Fault>;

    /// What this call is about to give is not the request's reply: a later one still has to be
    /// delivered.
    async fn gives_no_reply(&self, request: RequestId, call_key: String) -> Result<(), Fault>;

    /// The question as it is stored.
    async fn question(&self, request: RequestId) -> Result<Ask, Fault>;

    /// Where a request of this client's stands; `unknown_request` for any other.
    async fn look(&self, request: RequestId, client: &Owner) -> Result<Look, Fault>;

    /// Counts an agent that asks for the request now and then as waiting, for some seconds.
    fn linger(&self, request: RequestId);

    /// An attachment with its bytes, where this client may read it; `unknown_attachment` for any other.
    async fn attachment(&self, attachment: AttachmentId, client: &Owner) -> Result<(Attachment, Vec<u8>), Fault>;

    /// Where an agent on this machine may read an attachment: a private copy that is gone with its session. Absent
    /// where none could be made.
    async fn copy_of(&self, session: SessionUuid, attachment: AttachmentId) -> Option<String>;

    /// Attachments that this client is listed, whose identifier begins so: the newest first, and how many there
    /// are in all.
    async fn attachments_like(
        &self,
        beginning: &str,
        most: u32,
        client: &Owner,
    ) -> Result<(Vec<AttachmentId>, u64), Fault>;

    /// Takes what came through the client's own form, which showed the question of this digest. It decides nothing:
    /// nobody can tell who has filled the form in.
    async fn answer(&self, request: RequestId, shown: Digest, draft: Draft) -> Result<(), Fault>;

    /// Closes a request without an answer.
    async fn dismiss(&self, request: RequestId) -> Result<(), Fault>;
}
