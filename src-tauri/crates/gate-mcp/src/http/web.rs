//! A client over HTTP, for tests.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{HttpBody, HttpEndpoint};
use crate::channel::Deliveries;
use crate::fake_gate::FakeGate;
use crate::toolset::Served;
use crate::toolsets::{GATE, Gate, Toolset};

/// A generous limit for what has to come.
const LIMIT: Duration = Duration::from_secs(20);

/// A gate's HTTP, and whoever speaks to it.
pub(crate) struct Web {
    endpoint: HttpEndpoint,
    pub(crate) gate: Arc<FakeGate>,
    /// The name of the token that its clients come with.
    token: Option<String>,
    _stop: DropGuard,
}

impl Web {
    pub(crate) fn of(gate: Arc<FakeGate>) -> Self {
        let as_gate: Arc<dyn Gate> = Arc::<FakeGate>::clone(&gate);
        let served = GATE.served(&as_gate);
        Self::serving(gate, served, None)
    }

    /// Serves these tools in the place of the gate's own, to clients with a token of this name.
    pub(crate) fn serving(gate: Arc<FakeGate>, served: Arc<Served>, token: Option<&str>) -> Self {
        let stop = CancellationToken::new();
        let as_gate: Arc<dyn Gate> = Arc::<FakeGate>::clone(&gate);
        let endpoint = HttpEndpoint::of(&as_gate, vec![(GATE.name, served)], &stop);
        Self { endpoint, gate, token: token.map(str::to_owned), _stop: stop.drop_guard() }
    }

    pub(crate) fn new() -> Self {
        Self::of(Arc::default())
    }

    /// Begins a session of the initialize-era.
    pub(crate) async fn session(&self) -> String {
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        });
        let begun = self.send(Method::POST, &[], message(1, "initialize", params)).await;
        let session = begun.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        begun.into_body().collect().await.unwrap();
        let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.send(Method::POST, &head(&session), note).await.status(), 202);
        session
    }

    /// Sends a request in a session, and waits for its answer.
    pub(crate) async fn ask(&self, session: &str, method: &str, params: Value) {
        let answer = self.send(Method::POST, &head(session), message(2, method, params)).await;
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        assert!(String::from_utf8_lossy(&body).contains("\"result\""), "{body:?}");
    }

    pub(crate) async fn send(&self, method: Method, head: &[(&str, &str)], body: Value) -> Response<HttpBody> {
        let mut request = Request::builder().method(method).uri("/mcp").header("host", "localhost");
        request = request.header("accept", "application/json, text/event-stream");
        request = request.header("content-type", "application/json");
        for (name, value) in head {
            request = request.header(*name, *value);
        }
        let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
        let request = request.body(Full::new(body)).unwrap();
        self.endpoint.handle(Toolset::default_one(), request, self.token.clone(), Deliveries::default()).await
    }

    /// Nothing that a connection began outlives it.
    pub(crate) async fn nobody_listens(&self) {
        let ending = async {
            while self.gate.listeners() + self.gate.log_listeners() > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(LIMIT, ending).await.expect("the last task ends");
    }
}

pub(crate) fn head(session: &str) -> [(&str, &str); 2] {
    [("mcp-session-id", session), ("mcp-protocol-version", "2025-11-25")]
}

pub(crate) fn message(id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Reads a stream of events until a message of this method came.
pub(crate) async fn told(body: &mut HttpBody, method: &str) -> Value {
    let reading = async {
        loop {
            let frame = body.frame().await.expect("the stream goes on").unwrap();
            let data = frame.into_data().unwrap_or_default();
            let text = String::from_utf8_lossy(&data).into_owned();
            let mut messages = text.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data:")?).ok());
            if let Some(message) = messages.find(|message: &Value| message["method"] == method) {
                return message;
            }
        }
    };
    tokio::time::timeout(LIMIT, reading).await.unwrap_or_else(|_| panic!("no {method}"))
}
