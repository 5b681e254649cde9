//! Subscriptions over HTTP, from the first request to the last trace.

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::channel::Deliveries;
use crate::fake_gate::FakeGate;
use crate::http::{HttpBody, HttpEndpoint};
use crate::port::ConnectionPort as _;
use crate::toolsets::{GATE, Gate, Toolset};

/// A generous limit for what has to come.
const LIMIT: Duration = Duration::from_secs(20);
const URI: &str = "file://review-gate/conversations";
const IN_OTHER_WORDS: &str = "file://review-gate/conversations?q=x";
const ACTIVE: &str = "file://review-gate/conversations/active";

struct Web {
    endpoint: HttpEndpoint,
    gate: Arc<FakeGate>,
    _stop: DropGuard,
}

impl Web {
    fn of(gate: Arc<FakeGate>) -> Self {
        let stop = CancellationToken::new();
        let as_gate: Arc<dyn Gate> = Arc::<FakeGate>::clone(&gate);
        let served = vec![(GATE.name, GATE.served(&as_gate))];
        Self { endpoint: HttpEndpoint::of(&as_gate, served, &stop), gate, _stop: stop.drop_guard() }
    }

    fn new() -> Self {
        Self::of(Arc::default())
    }

    /// Begins a session of the initialize-era.
    async fn session(&self) -> String {
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
    async fn ask(&self, session: &str, method: &str, params: Value) {
        let answer = self.send(Method::POST, &head(session), message(2, method, params)).await;
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        assert!(String::from_utf8_lossy(&body).contains("\"result\""), "{body:?}");
    }

    async fn send(&self, method: Method, head: &[(&str, &str)], body: Value) -> Response<HttpBody> {
        let mut request = Request::builder().method(method).uri("/mcp").header("host", "localhost");
        request = request.header("accept", "application/json, text/event-stream");
        request = request.header("content-type", "application/json");
        for (name, value) in head {
            request = request.header(*name, *value);
        }
        let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
        let request = request.body(Full::new(body)).unwrap();
        self.endpoint.handle(Toolset::default_one(), request, None, Deliveries::default()).await
    }

    /// Nothing that a connection began outlives it.
    async fn nobody_listens(&self) {
        let ending = async {
            while self.gate.listeners() > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(LIMIT, ending).await.expect("the last task ends");
    }
}

fn head(session: &str) -> [(&str, &str); 2] {
    [("mcp-session-id", session), ("mcp-protocol-version", "2025-11-25")]
}

fn message(id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Reads a stream of events until a message of this method came.
async fn told(body: &mut HttpBody, method: &str) -> Value {
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

#[tokio::test]
async fn a_session_hears_until_it_is_deleted() {
    let web = Web::new();
    let session = web.session().await;
    let head = head(&session);
    let mut stream = web.send(Method::GET, &head, Value::Null).await.into_body();
    web.ask(&session, "resources/subscribe", json!({"uri": URI})).await;
    web.gate.begin();
    assert_eq!(told(&mut stream, "notifications/resources/updated").await["params"]["uri"], URI);
    told(&mut stream, "notifications/resources/list_changed").await;
    web.gate.serve(Vec::new());
    told(&mut stream, "notifications/prompts/list_changed").await;
    assert_eq!(web.gate.listeners(), 1);
    let ended = web.send(Method::DELETE, &head, Value::Null).await;
    assert!(ended.status().is_success(), "{}", ended.status());
    web.nobody_listens().await;
}

#[tokio::test]
async fn a_session_goes_on_hearing_after_a_restart() {
    let web = Web::new();
    let session = web.session().await;
    for uri in [URI, ACTIVE] {
        web.ask(&session, "resources/subscribe", json!({ "uri": uri })).await;
    }
    web.ask(&session, "resources/unsubscribe", json!({ "uri": URI })).await;
    let gate = Arc::clone(&web.gate);
    drop(web);
    let kept = gate.http_session(&session).await.unwrap().unwrap();
    let kept: Value = serde_json::from_str(&kept).unwrap();
    assert_eq!(kept["subscriptions"], json!([ACTIVE]), "what it has left");

    let web = Web::of(gate);
    web.nobody_listens().await;
    // Its first request brings the session back.
    web.ask(&session, "resources/subscribe", json!({ "uri": URI })).await;
    let mut stream = web.send(Method::GET, &head(&session), Value::Null).await.into_body();
    web.gate.begin();
    let mut heard = Vec::new();
    for _ in 0..2 {
        let told = told(&mut stream, "notifications/resources/updated").await;
        heard.push(told["params"]["uri"].as_str().unwrap().to_owned());
    }
    heard.sort();
    assert_eq!(heard, [URI, ACTIVE], "what it subscribed to before and after");
}

#[tokio::test]
async fn a_session_that_comes_back_need_not_subscribe_again() {
    let web = Web::new();
    let session = web.session().await;
    web.ask(&session, "resources/subscribe", json!({ "uri": IN_OTHER_WORDS })).await;
    let gate = Arc::clone(&web.gate);
    drop(web);
    let web = Web::of(gate);
    let mut stream = web.send(Method::GET, &head(&session), Value::Null).await.into_body();
    let beginning = async {
        loop {
            web.gate.begin();
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        told = told(&mut stream, "notifications/resources/updated") => {
            assert_eq!(told["params"]["uri"], IN_OTHER_WORDS, "as the client wrote it before");
        }
        () = beginning => {}
    }
}

#[tokio::test]
async fn a_request_without_a_session_hears_until_its_connection_ends() {
    let web = Web::new();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"notifications": {"resourceSubscriptions": [URI]}, "_meta": meta});
    let head = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "subscriptions/listen")];
    let listening = web.send(Method::POST, &head, message(1, "subscriptions/listen", params)).await;
    let mut stream = listening.into_body();
    told(&mut stream, "notifications/subscriptions/acknowledged").await;
    for _ in 0..3 {
        web.gate.begin();
        assert_eq!(told(&mut stream, "notifications/resources/updated").await["params"]["uri"], URI);
    }
    drop(stream);
    web.nobody_listens().await;
}
