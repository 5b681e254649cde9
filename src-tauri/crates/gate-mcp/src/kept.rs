//! What is kept of an HTTP session beside what it began with: a session goes on after a restart, and after it was
//! taken out of memory. What can't be kept holds until the gate ends.

use gate_core::Fault;
use serde_json::{Map, Value};

use crate::port::ConnectionPort;

/// What is kept of the session of one connection, field by field. rmcp reads the rest, and ignores what it doesn't
/// know.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Each change is made of what was kept before it.
    changing: tokio::sync::Mutex<()>,
}

impl Kept {
    /// A field of the session.
    pub(crate) async fn load(&self, gate: &dyn ConnectionPort, session: &str, field: &str) -> Option<Value> {
        let kept = state(gate, session).await.unwrap_or_else(|fault| {
            tracing::warn!(%fault, field, "what is kept of a session can't be read");
            None
        });
        kept?.remove(field)
    }

    /// Keeps a field of the session.
    pub(crate) async fn save(&self, gate: &dyn ConnectionPort, session: &str, field: &str, value: Value) {
        let _alone = self.changing.lock().await;
        let saving = async {
            let Some(mut kept) = state(gate, session).await? else { return Ok(()) };
            kept.insert(field.to_owned(), value);
            gate.keep_http_session(session, &Value::Object(kept).to_string()).await
        };
        if let Err(fault) = saving.await {
            tracing::warn!(%fault, field, "a session's state can't be kept");
        }
    }
}

async fn state(gate: &dyn ConnectionPort, session: &str) -> Result<Option<Map<String, Value>>, Fault> {
    Ok(gate.http_session(session).await?.and_then(|kept| serde_json::from_str(&kept).ok()))
}
