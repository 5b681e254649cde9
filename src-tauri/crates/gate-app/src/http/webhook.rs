//! A signed word of GitHub's that the prompts' repository has new commits. It carries no token: its signature says
//! who sends it, and all that it can do is to have the repository looked at now.

use gate_core::bounds;
use gate_mcp::HttpBody;
use gate_prompts::sync::Secret;
use gate_prompts::sync::webhook::{Webhook, read, verify};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use serde_json::json;
use tokio::sync::Semaphore;

use super::body::bounded;
use super::{Site, refusal};

/// Where GitHub sends it.
pub(super) const PATH: &str = "/webhooks/github";
/// Webhooks that are read at the same time. Nobody knows who sends one before it is read.
static READERS: Semaphore = Semaphore::const_new(2);

/// Answers a webhook, as GitHub's documentation of webhooks says: the signature first, then what it is.
pub(super) async fn serve(site: &Site, request: Request<Incoming>) -> Response<HttpBody> {
    let settings = site.gate.settings();
    let secret = Secret::new(settings.prompts.webhook_secret.trim());
    let (false, Some(source)) = (secret.expose().is_empty(), site.gate.inner.prompts.prompts_source()) else {
        return refusal::no_webhook();
    };
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
    if let Err(fault) = verify(&secret, &body, Some(header("x-hub-signature-256"))) {
        return refusal::unsigned(&fault);
    }
    let done = match read(header("x-github-event"), &body, &source) {
        Ok(Webhook::Ping) => "pong",
        Ok(Webhook::Push { matches: true }) => {
            match site.gate.inner.prompts.prompts_pushed(header("x-github-delivery")) {
                true => "syncing",
                false => "known already",
            }
        }
        Ok(Webhook::Push { matches: false }) => "not the branch that is served",
        Ok(Webhook::Other) => "nothing to do",
        Err(fault) => return refusal::fault(&fault),
    };
    refusal::answer(StatusCode::ACCEPTED, &json!({ "status": done }))
}

fn word<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
