//! Subscriptions over HTTP, from the first request to the last trace.

use http::Method;
use serde_json::{Value, json};

use super::*;
use crate::http::web::{Web, head, message, told};
use crate::port::ConnectionPort as _;

const URI: &str = "file://review-gate/conversations";
const IN_OTHER_WORDS: &str = "file://review-gate/conversations?q=x";
const ACTIVE: &str = "file://review-gate/conversations/active";

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
