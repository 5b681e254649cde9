//! A signed word of GitHub's that a repository has new commits. It carries no token: its signature says who sends it,
//! which the gate behind looks at.

use gate_core::bounds;
use gate_mcp::HttpBody;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::body::bounded;
use crate::port::{NotTaken, Webhook};
use crate::{Door, refusal};

/// Where GitHub sends it.
pub(crate) const PATH: &str = "/webhooks/github";
/// Webhooks that are read at the same time. Nobody knows who sends one before it is read.
static READERS: Semaphore = Semaphore::const_new(2);

/// Answers a webhook, as GitHub's documentation of webhooks says.
pub(crate) async fn serve(door: &Door, request: Request<Incoming>) -> Response<HttpBody> {
    if !door.gate.expects_webhooks() {
        return refusal::no_webhook();
    }
    if *request.method() != Method::POST {
        return refusal::wrong_method();
    }
    let Ok(_reader) = READERS.try_acquire() else { return refusal::busy() };
    let (head, body) = request.into_parts();
    let body = match bounded(body, bounds::WEBHOOK_BYTES).await {
        Ok(body) => body,
        Err(refusal) => return refusal,
    };
    let header = |name| word(&head.headers, name);
    let done = door.gate.webhook(&Webhook {
        event: header("x-github-event"),
        delivery: header("x-github-delivery"),
        signature: header("x-hub-signature-256"),
        body: &body,
    });
    match done {
        Ok(done) => refusal::answer(StatusCode::ACCEPTED, &json!({ "status": done })),
        Err(NotTaken::Unexpected) => refusal::no_webhook(),
        Err(NotTaken::Unsigned(fault)) => refusal::unsigned(&fault),
        Err(NotTaken::Unreadable(fault)) => refusal::fault(&fault),
    }
}

fn word<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
