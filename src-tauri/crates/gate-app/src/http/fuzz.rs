//! Bodies and heads as nobody would write them, given to the endpoint and the door.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gate_core::RequestStatus;
use gate_mcp::{Deliveries, HttpEndpoint, Toolset};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use http::{HeaderMap, HeaderValue, Method, Request};
use http_body_util::{BodyExt as _, Full};
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use super::door;
use crate::fuzzing::{Bytes as Input, Fuzz, damaged, seeds};
use crate::tests;

/// A call that is understood waits for its person; nobody has to wait here.
const PATIENCE: Duration = Duration::from_millis(50);

const BODY_TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "null",
    "-1",
    "1e999",
    "\\ud800",
    "\\u0000",
    "\u{202e}",
    "\"id\":",
    "\"method\":",
    "\"params\":",
    "\"_meta\":",
    "\"jsonrpc\":\"1.0\"",
    "tools/call",
    "resources/read",
    "tasks/cancel",
    "\"cursor\":\"x\"",
    "file://review-gate/attachments/../../token",
];

const HEAD_TOKENS: &[&str] =
    &["localhost", "127.0.0.1", "[::1]", ":", "@", "/", "..", "evil.example", "http://", "null", "Bearer ", "\t", " "];

/// Heads that a client of either era sends.
fn heads() -> impl Strategy<Value = Vec<(&'static str, &'static str)>> {
    let session = prop_oneof![Just(vec![]), Just(vec![("mcp-session-id", "nobody")])];
    let era = prop_oneof![
        Just(vec![]),
        Just(vec![("mcp-protocol-version", "2025-11-25")]),
        Just(vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")]),
        Just(vec![
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "review_gate_chat")
        ]),
    ];
    (session, era).prop_map(|(session, era)| [session, era].concat())
}

#[test]
fn fuzz_http_bodies() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let stop = CancellationToken::new();
    let (_folder, gate) = runtime.block_on(tests::gate(false)).expect("a gate");
    let endpoint = {
        let _entered = runtime.enter();
        HttpEndpoint::new(Arc::new(gate.clone()), &stop)
    };
    let give = |(head, body): (Vec<(&'static str, &'static str)>, Input)| {
        let mut request = Request::new(Full::new(Bytes::from(body.0)));
        *request.method_mut() = Method::POST;
        for (name, value) in head {
            request.headers_mut().append(name, HeaderValue::from_static(value));
        }
        let accepts = HeaderValue::from_static("application/json, text/event-stream");
        request.headers_mut().insert(ACCEPT, accepts);
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        runtime.block_on(async {
            let answering = async {
                let response = endpoint.handle(Toolset::default_one(), request, None, Deliveries::default()).await;
                let status = response.status();
                assert!(!status.is_server_error(), "nothing that comes in breaks the gate: {status}");
                let _ = response.into_body().collect().await;
            };
            let _ = tokio::time::timeout(PATIENCE, answering).await;
        });
    };
    let mut fuzz = Fuzz::new("fuzz_http_bodies");
    for seed in seeds("http") {
        give((vec![], seed));
    }
    let inputs = (heads(), damaged("http", BODY_TOKENS));
    while fuzz.goes_on() {
        fuzz.batch(&inputs, give);
    }
    for request in runtime.block_on(gate.inner.store.pending()).expect("the record can be read") {
        assert_eq!(request.status, RequestStatus::Pending, "what became a question waits for its person");
    }
    stop.cancel();
}

#[test]
fn fuzz_http_heads() {
    let value = prop::collection::vec(
        prop_oneof![prop::sample::select(HEAD_TOKENS).prop_map(str::to_owned), "\\PC{0,6}"],
        0..6,
    )
    .prop_map(|parts| parts.concat());
    let mut fuzz = Fuzz::new("fuzz_http_heads");
    while fuzz.goes_on() {
        fuzz.batch(&(value.clone(), value.clone(), value.clone()), |(host, origin, token)| {
            let mut headers = HeaderMap::new();
            for (name, value) in [(HOST, &host), (ORIGIN, &origin), (AUTHORIZATION, &token)] {
                if let Ok(value) = HeaderValue::from_str(value) {
                    headers.insert(name, value);
                }
            }
            if door::is_local_host(&headers, &[]) {
                let name = host.rsplit_once(':').map_or(host.as_str(), |(name, port)| {
                    if port.chars().all(|c| c.is_ascii_digit()) { name } else { host.as_str() }
                });
                let local = ["localhost", "127.0.0.1", "[::1]"];
                assert!(local.iter().any(|known| known.eq_ignore_ascii_case(name)), "{host:?} is not this machine");
            }
            if headers.contains_key(ORIGIN) && door::is_allowed_origin(&headers, &[]) {
                assert!(origin.eq_ignore_ascii_case(&format!("http://{host}")), "{origin:?} is not {host:?}");
            }
            if let Some(found) = door::bearer(&headers) {
                assert!(token.to_ascii_lowercase().starts_with("bearer ") && token.contains(found), "{token:?}");
            }
        });
    }
}
