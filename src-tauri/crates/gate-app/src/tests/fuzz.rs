//! Bodies as nobody would write them, given to the endpoint of MCP over HTTP with a gate behind it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gate_core::RequestStatus;
use gate_mcp::{Deliveries, HttpEndpoint, Toolset};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderValue, Method, Request};
use http_body_util::{BodyExt as _, Full};
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use crate::fuzzing::{Bytes as Input, Fuzz, damaged, seeds};
use crate::tests;

/// A call that is understood waits for its person; nobody has to wait here.
const PATIENCE: Duration = Duration::from_millis(50);

const TOKENS: &[&str] = &[
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
    let inputs = (heads(), damaged("http", TOKENS));
    while fuzz.goes_on() {
        fuzz.batch(&inputs, give);
    }
    for request in runtime.block_on(gate.inner.store.pending()).expect("the record can be read") {
        assert_eq!(request.status, RequestStatus::Pending, "what became a question waits for its person");
    }
    stop.cancel();
}
