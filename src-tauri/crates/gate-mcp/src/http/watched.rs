//! A response's body, watched to its end: what of it counts as delivered, and whether the client went before.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use rmcp::model::RequestId;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{HttpBody, Open};
use crate::channel::{Deliveries, Exchange};

/// A response's body, watched to its end.
pub(super) struct Watched {
    inner: HttpBody,
    exchange: Arc<Exchange>,
    deliveries: Deliveries,
    /// Whether the body may hold the results of other exchanges: a stream that a client goes on with.
    resumed: bool,
    ended: bool,
    _open: Option<Open>,
}

impl Watched {
    pub(super) fn new(
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
        // Most responses hold nothing that would count. These need not be read again.
        if !self.resumed && !self.exchange.is_laden() {
            return;
        }
        for id in results(data) {
            self.deliveries.add(self.exchange.passed(&id, self.resumed));
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
            self.exchange.breaks_off();
        }
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt as _, Full};

    use super::*;
    use crate::channel::Delivered;

    #[tokio::test]
    async fn what_counts_is_told_once_and_what_only_reads_never() -> Result<(), Infallible> {
        let (exchange, deliveries) = (Arc::new(Exchange::new(None, None)), Deliveries::default());
        exchange.carries(RequestId::Number(7), Delivered::Result, None);
        for (id, told) in [(8, 0), (7, 1), (7, 0)] {
            let event = Full::new(Bytes::from(format!("data: {{\"id\":{id},\"result\":{{}}}}\n\n")));
            let body = Watched::new(event.boxed_unsync(), Arc::clone(&exchange), deliveries.clone(), false, None);
            body.collect().await?;
            assert_eq!(deliveries.take().len(), told, "the result of call {id}");
        }
        Ok(())
    }

    #[test]
    fn results_are_found_among_events() {
        let events = b"id: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\nid: 2\ndata: \
            {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[]}}\n\ndata: {\"id\":8,\"error\":{}}\n\n";
        assert_eq!(results(events).collect::<Vec<_>>(), [RequestId::Number(7)], "only what holds a result");
    }
}
