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

/// What names the calls of an exchange.
enum Belongs {
    /// The session that it belongs to, in the initialize-era.
    Session(String),
    /// Its own name, in the session-less protocol.
    ToNone(Uuid),
}

/// One HTTP request, as the handlers of its message see it.
pub(crate) struct Exchange {
    belongs: Belongs,
    /// The client's own token, if it came with one.
    pub(crate) token_name: Option<String>,
    gone: CancellationToken,
    carried: Mutex<Vec<(RequestId, Delivery)>>,
}

impl Exchange {
    pub(crate) fn new(session: Option<String>, token_name: Option<String>) -> Self {
        // A name is random, and the system is asked for that: only where it is needed.
        let belongs = session.map_or_else(|| Belongs::ToNone(Uuid::now_v7()), Belongs::Session);
        Self { belongs, token_name, gone: CancellationToken::new(), carried: Mutex::default() }
    }

    /// Names a call of this exchange. In a session, JSON-RPC ids are unique; without one they aren't.
    pub(crate) fn call_key(&self, id: &RequestId) -> String {
        match &self.belongs {
            Belongs::Session(session) => session_call_key(session, id),
            Belongs::ToNone(name) => call_key(&format!("http-{name}"), id),
        }
    }

    /// The session of the initialize-era that it belongs to.
    pub(crate) fn session(&self) -> Option<&str> {
        match &self.belongs {
            Belongs::Session(session) => Some(session),
            Belongs::ToNone(_) => None,
        }
    }

    /// Whether the protocol ends a call with its connection.
    pub(crate) fn is_sessionless(&self) -> bool {
        self.session().is_none()
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
        let session = self.session().filter(|_| resumed)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_named_by_its_session_or_by_its_own_request() {
        let id = RequestId::Number(7);
        let exchange = |session: Option<&str>| Exchange::new(session.map(str::to_owned), None);
        let (one, again) = (exchange(Some("a")), exchange(Some("a")));
        assert_eq!(one.call_key(&id), again.call_key(&id), "sent again in its session, it is the same call");
        assert_ne!(one.call_key(&id), exchange(Some("b")).call_key(&id));
        assert_eq!((one.session(), one.is_sessionless()), (Some("a"), false));
        let (one, other) = (exchange(None), exchange(None));
        assert_ne!(one.call_key(&id), other.call_key(&id), "without one, two requests are two calls");
        assert_eq!((one.session(), one.is_sessionless()), (None, true));
    }
}
