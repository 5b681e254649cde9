//! What the protocol side needs of the running gate.

use std::any::Any;
use std::future::Future;

use gate_core::{Ask, Attachment, AttachmentId, Caller, Fault, Outcome, RequestId, SessionUuid, Timestamp};

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
    /// Names this call across reconnections: relay id and JSON-RPC id.
    pub call_key: String,
    /// For how many milliseconds the client will wait for the result.
    pub patience_millis: u64,
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
    /// Counts the caller as waiting until it is dropped.
    pub presence: Box<dyn Any + Send + Sync>,
}

/// The running gate as the protocol side sees it.
pub trait Gate: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> Timestamp;

    /// Waiting times from the settings that win over the built-in table: client name and seconds.
    fn patience_overrides(&self) -> Vec<(String, u64)>;

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

    /// What this call is about to give is not the reply: a later one still has to be delivered.
    fn gives_no_reply(&self, call_key: String) -> impl Future<Output = Result<(), Fault>> + Send;

    /// The client has the result of this call.
    fn delivered(&self, call_key: String) -> impl Future<Output = ()> + Send;

    /// An attachment with its bytes.
    fn attachment(&self, attachment: AttachmentId)
    -> impl Future<Output = Result<(Attachment, Vec<u8>), Fault>> + Send;
}
