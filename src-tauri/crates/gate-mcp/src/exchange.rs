//! One HTTP request and what becomes of its response: whether the client is still there, and when
//! it has what it was given.

use std::any::Any;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use crate::http::{HttpBody, Open};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use rmcp::model::RequestId;
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::server::call_key;

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

    fn add(&self, deliveries: impl IntoIterator<Item = Delivery>) {
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

    /// The result of this call has passed.
    fn passed(&self, id: &RequestId) -> Option<Delivery> {
        let mut carried = self.lock();
        let at = carried.iter().position(|(carried, _)| carried == id)?;
        Some(carried.remove(at).1)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(RequestId, Delivery)>> {
        self.carried.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn session_call_key(session: &str, id: &RequestId) -> String {
    call_key(&format!("http-{session}"), id)
}

/// A response's body, watched to its end.
pub(crate) struct Watched {
    inner: HttpBody,
    exchange: Arc<Exchange>,
    deliveries: Deliveries,
    /// Whether the body may hold the results of other exchanges: a stream that a client goes on with.
    resumed: bool,
    ended: bool,
    _open: Option<Open>,
}

impl Watched {
    pub(crate) fn new(
        inner: HttpBody,
        exchange: Arc<Exchange>,
        deliveries: Deliveries,
        resumed: bool,
        open: Option<Open>,
    ) -> Self {
        let mut watched = Self { inner, exchange, deliveries, resumed, ended: false, _open: open };
        if watched.inner.is_end_stream() {
            watched.end();
        }
        watched
    }

    fn end(&mut self) {
        self.ended = true;
    }

    /// Results that pass are with the connection; its next flush takes them out of our hands.
    fn saw(&self, data: &[u8]) {
        for id in results(data) {
            let resumed = self.exchange.session.as_deref().filter(|_| self.resumed);
            let elsewhere = || {
                let call_key = session_call_key(resumed?, &id);
                Some(Delivery { call_key, what: Delivered::Result, _attendance: None })
            };
            self.deliveries.add(self.exchange.passed(&id).or_else(elsewhere));
        }
    }
}

/// The ids of the results among server-sent events.
fn results(data: &[u8]) -> impl Iterator<Item = RequestId> {
    #[derive(Deserialize)]
    struct Envelope {
        id: RequestId,
        #[serde(rename = "result")]
        _result: IgnoredAny,
    }
    let lines = data.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"data:"));
    lines.filter_map(|line| Some(serde_json::from_slice::<Envelope>(line).ok()?.id))
}

impl Body for Watched {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(context);
        match &polled {
            Poll::Ready(None) => self.end(),
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(data) = frame.data_ref() {
                    self.saw(data);
                }
                // hyper doesn't poll again behind a frame that says it is the last.
                if self.inner.is_end_stream() {
                    self.end();
                }
            }
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if !self.ended {
            self.exchange.gone.cancel();
            let undelivered = std::mem::take(&mut *self.exchange.lock());
            drop(undelivered);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_found_among_events() {
        let events = b"id: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\nid: 2\ndata: \
            {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[]}}\n\ndata: {\"id\":8,\"error\":{}}\n\n";
        assert_eq!(results(events).collect::<Vec<_>>(), [RequestId::Number(7)], "only what holds a result");
    }
}
