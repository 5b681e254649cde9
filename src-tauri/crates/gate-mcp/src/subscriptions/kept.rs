//! What an HTTP session subscribed to, kept beside what it began with: a session goes on after a
//! restart, and after it was taken out of memory.

use gate_core::{Fault, bounds};
use serde_json::{Map, Value};

use crate::port::ConnectionPort;
use crate::resource::Resource;
use crate::resources::{All, named};

/// Where in the session's kept state. rmcp reads the rest, and ignores what it doesn't know.
const FIELD: &str = "subscriptions";

/// What the session subscribed to before.
pub(super) async fn load(all: &All, gate: &dyn ConnectionPort, session: &str) -> Vec<(String, Box<dyn Resource>)> {
    let kept = match state(gate, session).await {
        Ok(kept) => kept,
        Err(fault) => {
            tracing::warn!(%fault, "a session's subscriptions can't be read");
            None
        }
    };
    let uris = kept.as_ref().and_then(|kept| kept.get(FIELD)?.as_array()).map(Vec::as_slice).unwrap_or_default();
    let resources = uris.iter().filter_map(Value::as_str).filter_map(|uri| Some((uri.to_owned(), named(all, uri)?.0)));
    resources.take(bounds::SUBSCRIPTIONS).collect()
}

/// Keeps what the session subscribes to now. Where that fails, it hears until the gate ends.
pub(super) async fn save(gate: &dyn ConnectionPort, session: &str, uris: Vec<String>) {
    let saving = async {
        let Some(mut kept) = state(gate, session).await? else { return Ok(()) };
        kept.insert(FIELD.to_owned(), uris.into());
        gate.keep_http_session(session, &Value::Object(kept).to_string()).await
    };
    if let Err(fault) = saving.await {
        tracing::warn!(%fault, "a session's subscriptions can't be kept");
    }
}

async fn state(gate: &dyn ConnectionPort, session: &str) -> Result<Option<Map<String, Value>>, Fault> {
    Ok(gate.http_session(session).await?.and_then(|kept| serde_json::from_str(&kept).ok()))
}
