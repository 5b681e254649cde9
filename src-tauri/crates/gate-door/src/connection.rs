//! One HTTP connection, from its first byte to its last.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use gate_core::bounds;
use gate_mcp::{Deliveries, HttpBody, Toolset};
use http::header::CONNECTION;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;

use crate::access::Bearer;
use crate::body::whole;
use crate::browsers::Pass;
use crate::port::DoorPort;
use crate::strangers::Stranger;
use crate::{Door, cors, head, page, refusal, send_at_once, webhook};

/// How long a connection may take to show a token, to sign something, or to begin to load the page.
const STRANGER_WAIT: Duration = Duration::from_secs(10);
/// How long a connection may be idle between two requests, and a head take to come.
const HEAD_WAIT: Duration = Duration::from_secs(90);
/// How long a client may take to read any of what it was sent.
const WRITE_WAIT: Duration = Duration::from_secs(60);
/// How long the word that there is no place may take.
const TURN_AWAY: Duration = Duration::from_millis(20);

/// Who is at the other end.
#[derive(Default)]
struct Visitor {
    /// Present until a token was shown, or something signed.
    stranger: Option<Stranger>,
    /// Whether it has got files of the page. Whoever loads those may take longer, and still makes room for others.
    loads: bool,
    /// The last token that was shown.
    token: Option<String>,
    /// The browser that it is, if it has signed something.
    pass: Option<Pass>,
}

impl Visitor {
    /// Whether nothing was shown, and nothing of the page asked for.
    fn is_idle(&self) -> bool {
        self.stranger.is_some() && !self.loads
    }

    /// Whether what was shown opens nothing any more.
    fn is_shut_out(&self, door: &Door) -> bool {
        self.token.as_ref().is_some_and(|token| door.access.bearer(token).is_none())
            || self.pass.as_ref().is_some_and(|pass| !door.access.browsers.is_good(pass, door.gate.now()))
    }
}

/// Serves a connection until it ends, the gate stops, or its token is worth nothing any more.
pub(crate) async fn serve(door: Arc<Door>, stream: TcpStream) {
    send_at_once(&stream);
    let port = stream.local_addr().map_or(0, |address| address.port());
    let stranger = door.strangers.arrive();
    let away = stranger.away.clone();
    let visitor = Arc::new(Mutex::new(Visitor { stranger: Some(stranger), ..Visitor::default() }));
    let deliveries = Deliveries::default();
    let io = TokioIo::new(Noted::new(stream, deliveries.clone(), Arc::clone(&door.gate)));
    let mut changes = door.access.changes();
    // Its own, or each connection would look at the same one, under its lock, whenever anything comes.
    let stop = door.stop.child_token();
    let service = {
        let (door, visitor) = (Arc::clone(&door), Arc::clone(&visitor));
        service_fn(move |request| {
            let (door, visitor, deliveries) = (Arc::clone(&door), Arc::clone(&visitor), deliveries.clone());
            async move { Ok::<_, Infallible>(respond(&door, &visitor, request, deliveries, port).await) }
        })
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT)
        .max_buf_size(bounds::HTTP_HEAD_BYTES)
        .max_headers(bounds::HTTP_HEADERS)
        .serve_connection(io, service);
    tokio::pin!(connection);
    let lock = || visitor.lock().unwrap_or_else(PoisonError::into_inner);
    let patience = tokio::time::sleep(STRANGER_WAIT);
    tokio::pin!(patience);
    let mut is_stranger = true;
    loop {
        tokio::select! {
            ended = &mut connection => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection broke");
                }
                return;
            }
            () = &mut patience, if is_stranger => {
                is_stranger = false;
                if lock().is_idle() {
                    return;
                }
            }
            () = away.cancelled() => return,
            () = stop.cancelled() => return,
            changed = changes.changed() => {
                if changed.is_err() || lock().is_shut_out(&door) {
                    return;
                }
            }
        }
    }
}

/// Says that there is no place, to whoever still listens.
pub(crate) async fn turn_away(mut stream: TcpStream) {
    let words = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let _ = tokio::time::timeout(TURN_AWAY, stream.write_all(words)).await;
}

async fn respond(
    door: &Door,
    visitor: &Mutex<Visitor>,
    request: Request<Incoming>,
    deliveries: Deliveries,
    port: u16,
) -> Response<HttpBody> {
    let allowed = door.gate.allowed();
    if !head::is_local_host(request.headers(), &allowed.hosts) {
        return last(refusal::foreign_host());
    }
    if !head::is_allowed_origin(request.headers(), &allowed.origins) {
        return last(refusal::foreign_origin());
    }
    if page::is_for_page(request.method(), request.uri().path()) {
        // In a box of its own: a call of MCP needs none of its memory.
        return Box::pin(serve_page(door, visitor, request, port)).await;
    }
    let named = head::named_origin(request.headers(), &allowed.origins);
    if let Some(named) = &named
        && *request.method() == Method::OPTIONS
    {
        return cors::preflight(named, request.headers());
    }
    let response = serve_path(door, visitor, request, deliveries).await;
    match named {
        Some(named) => cors::readable_by(&named, response),
        None => response,
    }
}

/// Answers a request for the gate's page; no other page may read anything of it.
async fn serve_page(
    door: &Door,
    visitor: &Mutex<Visitor>,
    request: Request<Incoming>,
    port: u16,
) -> Response<HttpBody> {
    let lock = || visitor.lock().unwrap_or_else(PoisonError::into_inner);
    let signed = page::signer(door, &request, port);
    let is_signed = signed.is_some();
    if let Some(signed) = &signed {
        let mut visitor = lock();
        visitor.stranger = None;
        visitor.pass = Some(signed.pass.clone());
    }
    let response = page::serve(door, signed, request, port).await;
    if is_signed {
        return response;
    }
    // A browser that loads the page goes on with the same connection.
    match response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED {
        true => {
            lock().loads = true;
            response
        }
        false => last(response),
    }
}

/// Answers a request for MCP that comes from where it may.
async fn serve_path(
    door: &Door,
    visitor: &Mutex<Visitor>,
    request: Request<Incoming>,
    deliveries: Deliveries,
) -> Response<HttpBody> {
    let path = request.uri().path();
    if path == "/healthz" {
        return match *request.method() {
            Method::GET | Method::HEAD => refusal::alive(),
            _ => last(refusal::wrong_method()),
        };
    }
    if path == webhook::PATH {
        return last(Box::pin(webhook::serve(door, request)).await);
    }
    let toolset = match path.strip_prefix("/mcp") {
        Some("" | "/") => Some(Toolset::default_one()),
        // One endpoint is one toolset, or all.
        Some(name) => {
            name.strip_prefix('/').filter(|name| Toolset::names().any(|each| each == *name)).and_then(Toolset::named)
        }
        None => None,
    };
    let Some(toolset) = toolset else { return last(refusal::no_such_path()) };
    if ![Method::GET, Method::POST, Method::DELETE].contains(request.method()) {
        return last(refusal::wrong_method());
    }
    let token_name = match admit(door, visitor, &request) {
        Some(Bearer::Client(name)) => Some(name),
        Some(Bearer::Person) => None,
        None => return last(refusal::no_token()),
    };
    let (head, body) = request.into_parts();
    let body = match whole(body).await {
        Ok(body) => body,
        Err(refusal) => return last(refusal),
    };
    let request = Request::from_parts(head, Full::new(body));
    door.endpoint.handle(toolset, request, token_name, deliveries).await
}

/// Looks at the token. Whoever has shown a good one is no stranger any more.
fn admit(door: &Door, visitor: &Mutex<Visitor>, request: &Request<Incoming>) -> Option<Bearer> {
    let token = head::bearer(request.headers());
    let bearer = match token.and_then(|token| door.access.bearer(token)) {
        None if door.open_to_all => Bearer::Person,
        found => found?,
    };
    let mut visitor = visitor.lock().unwrap_or_else(PoisonError::into_inner);
    visitor.stranger = None;
    if visitor.token.as_deref() != token {
        visitor.token = token.map(str::to_owned);
        if let Bearer::Client(name) = &bearer {
            door.gate.token_used(name);
        }
    }
    Some(bearer)
}

/// The last response of a connection: whoever is refused has to come anew.
fn last(mut response: Response<HttpBody>) -> Response<HttpBody> {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// A stream that notes deliveries when all that was written has been taken by the system, and that
/// breaks when the client doesn't read for a long time.
struct Noted {
    stream: TcpStream,
    deliveries: Deliveries,
    gate: Arc<dyn DoorPort>,
    stuck: Option<Pin<Box<tokio::time::Sleep>>>,
}

impl Noted {
    fn new(stream: TcpStream, deliveries: Deliveries, gate: Arc<dyn DoorPort>) -> Self {
        Self { stream, deliveries, gate, stuck: None }
    }

    fn unless_stuck<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stuck = None;
            return written;
        }
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(tokio::time::sleep(WRITE_WAIT)));
        ready!(stuck.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Noted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Noted {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.unless_stuck(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.unless_stuck(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        // hyper flushes the stream when its own buffer is empty.
        for delivery in self.deliveries.take() {
            let gate = Arc::clone(&self.gate);
            tokio::spawn(async move {
                gate.delivered(&delivery.call_key, delivery.what).await;
                drop(delivery);
            });
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
