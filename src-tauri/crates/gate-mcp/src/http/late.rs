//! A response that takes long: the client hears at once that it is on its way, and then something
//! every few seconds, so that neither it nor anything between gives up on a silent connection.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response};
use http_body::{Body, Frame};
use http_body_util::BodyExt as _;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::HttpBody;

/// How long a response may take before its stream is opened without it.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a stream that is open says something.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

pub(super) type Responding = Pin<Box<dyn Future<Output = Response<HttpBody>> + Send>>;

/// Answers with the response, or, where that takes long, with a stream that it will come in.
pub(super) async fn respond(mut responding: Responding) -> Response<HttpBody> {
    if let Ok(response) = tokio::time::timeout(PATIENCE, &mut responding).await {
        return response;
    }
    let mut alive = interval(KEEP_ALIVE);
    alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut response = Response::new(Late { alive, state: State::Waiting(responding) }.boxed_unsync());
    response.headers_mut().insert(CONTENT_TYPE, EVENT_STREAM);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

struct Late {
    alive: Interval,
    state: State,
}

enum State {
    Waiting(Responding),
    /// The response's own events.
    Streaming(HttpBody),
    /// The response is one JSON message: it becomes one event.
    Collecting(HttpBody, Vec<u8>),
    Done,
}

impl Body for Late {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        loop {
            let this = &mut *self;
            match &mut this.state {
                State::Waiting(responding) => {
                    let Poll::Ready(response) = responding.as_mut().poll(context) else {
                        ready!(this.alive.poll_tick(context));
                        return Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b": waiting\n\n")))));
                    };
                    let events = response.headers().get(CONTENT_TYPE) == Some(&EVENT_STREAM);
                    let body = response.into_body();
                    this.state = if events { State::Streaming(body) } else { State::Collecting(body, Vec::new()) };
                }
                State::Streaming(body) => return Pin::new(body).poll_frame(context),
                State::Collecting(body, collected) => match ready!(Pin::new(body).poll_frame(context)) {
                    Some(Ok(frame)) => collected.extend_from_slice(&frame.into_data().unwrap_or_default()),
                    Some(Err(_)) | None => {
                        let event = event_of(collected);
                        this.state = State::Done;
                        return Poll::Ready(Some(Ok(Frame::data(event))));
                    }
                },
                State::Done => return Poll::Ready(None),
            }
        }
    }
}

/// One message as one event: JSON holds no line breaks outside of its strings' escapes.
fn event_of(message: &[u8]) -> Bytes {
    let mut event = b"data: ".to_vec();
    event.extend(message.iter().filter(|byte| !matches!(byte, b'\n' | b'\r')));
    event.extend_from_slice(b"\n\n");
    event.into()
}

#[cfg(test)]
mod tests {
    use http_body_util::Full;

    use super::*;

    async fn late(content_type: &'static str, body: &'static str) -> Result<(HeaderValue, String), Infallible> {
        let responding: Responding = Box::pin(async move {
            tokio::time::sleep(PATIENCE + KEEP_ALIVE + KEEP_ALIVE / 2).await;
            let mut response = Response::new(Full::from(body).boxed_unsync());
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
            response
        });
        let response = respond(responding).await;
        let kind = response.headers().get(CONTENT_TYPE).cloned().unwrap_or(EVENT_STREAM);
        let body = response.into_body().collect().await?.to_bytes();
        Ok((kind, String::from_utf8_lossy(&body).into_owned()))
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_response_comes_in_a_stream_that_is_kept_alive() -> Result<(), Infallible> {
        let (kind, body) = late("application/json", "{\"id\":1,\n\"result\":{}}").await?;
        assert_eq!(kind, EVENT_STREAM);
        assert_eq!(body, ": waiting\n\n: waiting\n\ndata: {\"id\":1,\"result\":{}}\n\n", "JSON becomes an event");
        let (_, body) = late("text/event-stream", "data: {}\n\n").await?;
        assert_eq!(body, ": waiting\n\n: waiting\n\ndata: {}\n\n", "events stay as they are");
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn a_quick_response_is_left_as_it_is() {
        let response = respond(Box::pin(async { Response::new(Full::from("x").boxed_unsync()) })).await;
        assert!(response.headers().is_empty(), "nothing was added");
    }
}
