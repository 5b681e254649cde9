//! What happens in the gate, told to a page as Server-Sent Events (HTML standard, section 9.2).

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use gate_api::Event;
use gate_api::subjects::program;
use gate_mcp::HttpBody;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response};
use http_body::{Body, Frame};
use http_body_util::BodyExt as _;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;

use crate::Door;
use crate::access::Access;
use crate::browsers::Pass;

/// Events that are written and wait for the browser to read. Behind them the gate's own queue stands,
/// and who falls behind that is told to look at the whole again.
const WRITTEN: usize = 16;
/// How often a quiet stream says that it lives.
const BEAT: Duration = Duration::from_secs(15);

/// A body of pieces that come one after the other.
pub(super) struct Pieces(mpsc::Receiver<Bytes>);

impl Pieces {
    /// The body, and where its pieces come from.
    pub(super) fn channel(held: usize) -> (mpsc::Sender<Bytes>, HttpBody) {
        let (send, pieces) = mpsc::channel(held);
        (send, Self(pieces).boxed_unsync())
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

/// Tells a page what happens from now on, until it goes, is replaced or is signed out.
pub(super) fn stream(door: &Door, pass: &Pass) -> Response<HttpBody> {
    let mut events = door.gate.events();
    let (send, body) = Pieces::channel(WRITTEN);
    let listening = Listening::begin(&door.access, pass);
    let (gate, stop) = (Arc::clone(&door.gate), door.stop.clone());
    tokio::spawn(async move {
        let mut beat = tokio::time::interval(BEAT);
        loop {
            let piece = tokio::select! {
                event = events.recv() => match event {
                    Ok(event) => data(&event),
                    Err(RecvError::Lagged(_)) => data(&program::Event::Resync.into()),
                    Err(RecvError::Closed) => return,
                },
                // The first comes at once, and with it the browser knows that the stream is open.
                _ = beat.tick() => match listening.access.browsers.is_good(&listening.pass, gate.now()) {
                    true => Bytes::from_static(b": here\n\n"),
                    false => return,
                },
                () = listening.replaced.cancelled() => {
                    // Said, so that the page doesn't take the place back at once.
                    let _ = send.try_send(Bytes::from_static(b"event: replaced\ndata: {}\n\n"));
                    return;
                }
                () = send.closed() => return,
                () = stop.cancelled() => return,
            };
            tokio::select! {
                sent = send.send(piece) => if sent.is_err() { return },
                () = stop.cancelled() => return,
            }
        }
    });
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

fn data(event: &Event) -> Bytes {
    // JSON holds no line breaks, which would end the event. Where one can't be written, all is looked at.
    let json = serde_json::to_string(event).unwrap_or_else(|_| "{\"event\":\"resync\"}".to_owned());
    Bytes::from(format!("data: {json}\n\n"))
}

/// A page that listens, while this lives.
struct Listening {
    access: Arc<Access>,
    pass: Pass,
    number: u64,
    replaced: tokio_util::sync::CancellationToken,
}

impl Listening {
    fn begin(access: &Arc<Access>, pass: &Pass) -> Self {
        let (number, replaced) = access.browsers.listen(pass);
        Self { access: Arc::clone(access), pass: pass.clone(), number, replaced }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.access.browsers.leave(self.number);
    }
}
