//! One HTTP request and what becomes of its response: whether the client is still there, and what
//! it is given.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::call_key;

type Attendance = Box<dyn Any + Send + Sync>;

/// A result that a client was given over HTTP. The call stays counted until this is dropped.
pub struct Delivery {
    /// Which call's.
    pub call_key: String,
    /// What of it counts.
    pub what: Delivered,
    _attendance: Option<Attendance>,
}

/// What a client has when it has a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivered {
    /// All that its call asked for.
    Result,
    /// The notes that came with it: what the call asked for is still to come.
    Notes,
}

/// The results of one connection that are written and wait for the connection to be flushed.
#[derive(Clone, Default)]
pub struct Deliveries(Arc<Mutex<Vec<Delivery>>>);

impl Deliveries {
    /// Takes them: everything that was written is out of our hands now.
    #[must_use]
    pub fn take(&self) -> Vec<Delivery> {
        std::mem::take(&mut *self.lock())
    }

    pub(crate) fn add(&self, deliveries: impl IntoIterator<Item = Delivery>) {
        self.lock().extend(deliveries);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Delivery>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One HTTP request, as the handlers of its message see it.
pub(crate) struct Exchange {
    /// Names it for the session-less protocol.
    id: Uuid,
    /// The session that it belongs to, in the initialize-era.
    session: Option<String>,
    /// The client's own token, if it came with one.
    pub(crate) token_name: Option<String>,
    gone: CancellationToken,
    carried: Mutex<Vec<(RequestId, Delivery)>>,
}

impl Exchange {
    pub(crate) fn new(session: Option<String>, token_name: Option<String>) -> Self {
        let (gone, carried) = (CancellationToken::new(), Mutex::default());
        Self { id: Uuid::now_v7(), session, token_name, gone, carried }
    }

    /// Names a call of this exchange. In a session, JSON-RPC ids are unique; without one they aren't.
    pub(crate) fn call_key(&self, id: &RequestId) -> String {
        match &self.session {
            Some(session) => session_call_key(session, id),
            None => call_key(&format!("http-{}", self.id), id),
        }
    }

    /// The session of the initialize-era that it belongs to.
    pub(crate) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Whether the protocol ends a call with its connection.
    pub(crate) fn is_sessionless(&self) -> bool {
        self.session.is_none()
    }

    /// Resolves when the client has gone before it had its response.
    pub(crate) async fn gone(&self) {
        self.gone.cancelled().await;
    }

    /// The response is going to carry the result of this call.
    pub(crate) fn carries(&self, id: RequestId, what: Delivered, attendance: Option<Attendance>) {
        // With nobody to read it, the call isn't counted any longer.
        if !self.gone.is_cancelled() {
            let delivery = Delivery { call_key: self.call_key(&id), what, _attendance: attendance };
            self.lock().push((id, delivery));
        }
    }

    /// The result of this call has passed. A stream that a client goes on with, `resumed`, may hold the
    /// results of other exchanges of its session.
    pub(crate) fn passed(&self, id: &RequestId, resumed: bool) -> Option<Delivery> {
        let mut carried = self.lock();
        if let Some(at) = carried.iter().position(|(carried, _)| carried == id) {
            return Some(carried.remove(at).1);
        }
        let session = self.session.as_deref().filter(|_| resumed)?;
        Some(Delivery { call_key: session_call_key(session, id), what: Delivered::Result, _attendance: None })
    }

    /// Whether the result of any call that was carried so far has still to pass.
    pub(crate) fn is_laden(&self) -> bool {
        !self.lock().is_empty()
    }

    /// The client has gone before it had its response.
    pub(crate) fn breaks_off(&self) {
        self.gone.cancel();
        let undelivered = std::mem::take(&mut *self.lock());
        drop(undelivered);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(RequestId, Delivery)>> {
        self.carried.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn session_call_key(session: &str, id: &RequestId) -> String {
    call_key(&format!("http-{session}"), id)
}
