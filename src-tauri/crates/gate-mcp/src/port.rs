//! What the protocol side needs of the running gate.

use std::any::Any;
use std::future::Future;

use gate_core::clients::Override;
use gate_core::{
    Ask, Attachment, AttachmentId, Caller, Decision, Declared, Draft, Fault, Outcome, RequestId, RequestStatus,
    SessionUuid, Timestamp,
};

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
    /// For how many milliseconds the client will wait for the result.
    pub patience_millis: u64,
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
    pub notes: Vec<String>,
    /// What became of the request, where that is known already.
    pub outcome: Option<Outcome>,
    /// Counts the caller as waiting until it is dropped; absent where the call only reads what an
    /// agent has had before, and leaves no trace in the record.
    pub presence: Option<Box<dyn Any + Send + Sync>>,
}

/// The running gate as the protocol side sees it.
pub trait Gate: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> Timestamp;

    /// Waiting times from the settings that win over the built-in table.
    fn patience_overrides(&self) -> &[Override];

    /// What an agent should tell its person where no window can be shown; absent where one can.
    fn hint(&self) -> Option<String>;

    /// Counts a relay as connected until the result is dropped.
    fn connected(&self, relay: &str) -> Box<dyn Any + Send + Sync>;

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

    /// The client has the result of this call.
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
