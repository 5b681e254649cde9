//! MCP over Streamable HTTP: 2026-07-28, which has no sessions, and the initialize-era, which has.
//!
//! Who may come in, and how large a request may be, is decided before this is called.

mod late;
mod watched;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use gate_core::bounds;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{
    SessionManager as _, SessionState, SessionStore, SessionStoreError,
};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use crate::channel::{Channel, Deliveries, Exchange};
use crate::server::Server;
use crate::toolset::Served;
use crate::toolsets::{Gate, Ports, Toolset};
use watched::Watched;

/// A response's body.
pub type HttpBody = UnsyncBoxBody<Bytes, Infallible>;

/// The header that names a session (MCP 2025-03-26, "Session Management").
const SESSION_ID: &str = "mcp-session-id";
/// The header that names the protocol's revision (MCP 2025-06-18, "Protocol Version Header").
const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// The first revision without sessions. Revisions are dates, and compare as text.
const SESSIONLESS: &str = "2026-07-28";
/// A session that nobody has used for this long is taken out of memory; it comes back when its
/// client does.
const SESSION_IDLE: Duration = Duration::from_secs(10 * 60);
/// How often that is looked for.
const SWEEP: Duration = Duration::from_secs(60);

type Service<S> = StreamableHttpService<S, LocalSessionManager>;

/// MCP over HTTP for every toolset.
pub struct HttpEndpoint {
    services: Vec<(&'static str, Arc<Service<Server>>)>,
    sessions: Arc<Sessions>,
    #[cfg(feature = "conformance")]
    fixture: Option<Service<crate::conformance::Fixture>>,
}

impl HttpEndpoint {
    /// Serves this gate until `stop` is cancelled. Needs a runtime: quiet sessions are looked for.
    #[must_use]
    pub fn new(ports: Arc<dyn Ports>, stop: &CancellationToken) -> Self {
        let toolsets = Toolset::names().filter_map(Toolset::named);
        let served: Vec<_> = toolsets.map(|toolset| (toolset.name(), toolset.over(&ports))).collect();
        let gate: Arc<dyn Gate> = ports;
        Self::of(&gate, served, stop)
    }

    /// Serves these tools, each group by its toolset's name.
    pub(crate) fn of(gate: &Arc<dyn Gate>, served: Vec<(&'static str, Arc<Served>)>, stop: &CancellationToken) -> Self {
        let mut local = LocalSessionManager::default();
        // A call may wait in silence for hours; sessions go by the rules below.
        local.session_config.keep_alive = None;
        let sessions = Arc::new(Sessions { local: Arc::new(local), seen: Mutex::default() });
        let services = served.into_iter().map(|(name, served)| {
            let server = Arc::clone(gate);
            let config = config(stop, Some(Arc::new(Kept(Arc::clone(gate)))));
            let make = move || Ok(Server::new(Arc::clone(&server), Arc::clone(&served), Channel::over_http()));
            (name, Arc::new(StreamableHttpService::new(make, Arc::clone(&sessions.local), config)))
        });
        let services = services.collect();
        tokio::spawn(sweep(Arc::downgrade(&sessions), stop.clone()));
        Self {
            services,
            sessions,
            #[cfg(feature = "conformance")]
            fixture: None,
        }
    }

    /// Serves the fixtures of the official conformance suite in the place of the gate's own tools,
    /// on the same stack.
    #[cfg(feature = "conformance")]
    #[must_use]
    pub fn with_fixture(mut self, stop: &CancellationToken) -> Self {
        let fixture = crate::conformance::Fixture::default();
        let make = move || Ok(fixture.clone());
        self.fixture = Some(StreamableHttpService::new(make, Arc::clone(&self.sessions.local), config(stop, None)));
        self
    }

    /// Answers one request for a toolset. `token_name` names the client's own token, if it has one.
    /// What the response delivers is told through `deliveries` once it is written.
    pub async fn handle(
        &self,
        toolset: &Toolset,
        mut request: Request<Full<Bytes>>,
        token_name: Option<String>,
        deliveries: Deliveries,
    ) -> Response<HttpBody> {
        let modern = header(request.headers(), PROTOCOL_VERSION).is_some_and(|version| version >= SESSIONLESS);
        // A session is nothing to the revisions without; a stray header must not name one.
        let session = header(request.headers(), SESSION_ID).filter(|_| !modern).map(str::to_owned);
        let open = match &session {
            Some(session) => self.sessions.open(session).await,
            None => None,
        };
        let exchange = Arc::new(Exchange::new(session.clone(), token_name));
        request.extensions_mut().insert(Arc::clone(&exchange));
        let (method, resumed) = (request.method().clone(), request.method() == Method::GET);
        let responding = self.respond(toolset, request);
        // A session's responses are streams from the start.
        let response = if modern { late::respond(responding).await } else { responding.await };
        let made = header(response.headers(), SESSION_ID);
        let known = made.or(session.as_deref().filter(|_| open.is_none()));
        if let Some(known) = known.filter(|_| response.status().is_success()) {
            self.sessions.begin(known).await;
        }
        if let Some(session) = session.filter(|_| method == Method::DELETE && response.status().is_success()) {
            self.sessions.forget(&session);
        }
        response.map(|body| Watched::new(body, exchange, deliveries, resumed, open).boxed_unsync())
    }

    fn respond(&self, toolset: &Toolset, request: Request<Full<Bytes>>) -> late::Responding {
        #[cfg(feature = "conformance")]
        if let Some(service) = self.fixture.clone() {
            return Box::pin(async move { service.handle(request).await.map(|body| body.boxed_unsync()) });
        }
        let Some((_, service)) = self.services.iter().find(|(name, _)| *name == toolset.name()) else {
            return Box::pin(async { status(StatusCode::NOT_FOUND) });
        };
        let service = Arc::clone(service);
        Box::pin(async move { service.handle(request).await.map(|body| body.boxed_unsync()) })
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn config(stop: &CancellationToken, store: Option<Arc<dyn SessionStore>>) -> StreamableHttpServerConfig {
    let mut config = StreamableHttpServerConfig::default()
        // Hosts and origins are checked for every path, before the token is.
        .disable_allowed_hosts()
        .with_max_request_body_bytes(bounds::HTTP_BODY_BYTES)
        .with_cancellation_token(stop.child_token());
    config.session_store = store;
    config
}

fn status(status: StatusCode) -> Response<HttpBody> {
    let mut response = Response::new(Full::default().boxed_unsync());
    *response.status_mut() = status;
    response
}

/// The sessions in memory.
struct Sessions {
    local: Arc<LocalSessionManager>,
    seen: Mutex<HashMap<String, Seen>>,
}

/// When a session was last used, and how many of its responses are being written.
struct Seen {
    last: Instant,
    open: usize,
}

impl Sessions {
    /// Counts a response of the session as being written until the result is dropped. Absent for a
    /// session that isn't in memory.
    async fn open(self: &Arc<Self>, session: &str) -> Option<Open> {
        let is_there = self.local.has_session(&session.into()).await.unwrap_or(false);
        is_there.then(|| self.count(session))
    }

    fn count(self: &Arc<Self>, session: &str) -> Open {
        let mut seen = self.lock();
        let entry = seen.entry(session.to_owned()).or_insert(Seen { last: Instant::now(), open: 0 });
        entry.open += 1;
        entry.last = Instant::now();
        Open { sessions: Arc::clone(self), session: session.to_owned() }
    }

    /// A session was made; the one that has been quiet for longest makes room for it.
    async fn begin(&self, session: &str) {
        for id in self.make_room(session) {
            self.close(&id).await;
        }
    }

    /// Adds a session, and says which ones have to go for it.
    fn make_room(&self, session: &str) -> Vec<String> {
        let mut seen = self.lock();
        seen.entry(session.to_owned()).or_insert(Seen { last: Instant::now(), open: 0 });
        let surplus = seen.len().saturating_sub(bounds::HTTP_SESSIONS);
        if surplus == 0 {
            return Vec::new();
        }
        let mut quiet: Vec<_> = seen.iter().map(|(id, seen)| (seen.open > 0, seen.last, id.clone())).collect();
        quiet.sort();
        quiet.into_iter().take(surplus).map(|(_, _, id)| id).collect()
    }

    /// Closes the sessions that nobody uses, those among them that their clients never heard of.
    async fn sweep(&self) {
        let all: Vec<_> = self.local.sessions.read().await.keys().cloned().collect();
        for id in all {
            if self.is_idle(&id) {
                self.close(&id).await;
            }
        }
        let living = self.local.sessions.read().await;
        self.lock().retain(|id, _| living.contains_key(id.as_str()));
    }

    /// Whether a session is idle; one that was never seen is looked at again later.
    fn is_idle(&self, session: &str) -> bool {
        let mut seen = self.lock();
        let seen = seen.entry(session.to_owned()).or_insert(Seen { last: Instant::now(), open: 0 });
        seen.open == 0 && seen.last.elapsed() >= SESSION_IDLE
    }

    /// Takes a session out of memory; the record keeps what it began with.
    async fn close(&self, session: &str) {
        self.forget(session);
        if let Err(error) = self.local.close_session(&session.into()).await {
            tracing::debug!(%error, "a session was gone before it was closed");
        }
    }

    fn forget(&self, session: &str) {
        self.lock().remove(session);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A response of a session that is being written.
struct Open {
    sessions: Arc<Sessions>,
    session: String,
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(seen) = self.sessions.lock().get_mut(&self.session) {
            seen.open = seen.open.saturating_sub(1);
            seen.last = Instant::now();
        }
    }
}

async fn sweep(sessions: Weak<Sessions>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(SWEEP) => {}
            () = stop.cancelled() => return,
        }
        let Some(sessions) = sessions.upgrade() else { return };
        sessions.sweep().await;
    }
}

/// What sessions began with, kept by the gate, so that they go on after a restart.
struct Kept(Arc<dyn Gate>);

#[async_trait]
impl SessionStore for Kept {
    async fn load(&self, session_id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let kept = self.0.http_session(session_id).await?;
        Ok(kept.map(|kept| serde_json::from_str(&kept)).transpose()?)
    }

    async fn store(&self, session_id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let state = serde_json::to_string(state)?;
        Ok(self.0.keep_http_session(session_id, &state).await?)
    }

    async fn delete(&self, session_id: &str) -> Result<(), SessionStoreError> {
        Ok(self.0.forget_http_session(session_id).await?)
    }
}

#[cfg(test)]
pub(crate) mod web;
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_that_was_quiet_for_longest_makes_room() {
        let sessions = Arc::new(Sessions { local: Arc::default(), seen: Mutex::default() });
        let name = |number: usize| format!("session {number}");
        for number in 0..bounds::HTTP_SESSIONS {
            assert_eq!(sessions.make_room(&name(number)), Vec::<String>::new(), "there is room for {number}");
        }
        let writing = sessions.count(&name(0));
        assert_eq!(sessions.make_room("one more"), [name(1)], "the first one is being written to, the second one goes");
        sessions.forget(&name(1));
        drop(writing);
        assert_eq!(sessions.make_room("and one more"), [name(2)], "the first one was used after that");
    }
}
