//! What every MCP connection needs of the gate, whatever its toolset.

use std::any::Any;

use async_trait::async_trait;
use gate_core::{Fault, SessionUuid, Timestamp};
use gate_mcp::{Change, ConnectionPort, Handover};
use tokio::sync::broadcast;

use crate::clock;
use crate::gate::Gate;

#[async_trait]
impl ConnectionPort for Gate {
    fn now(&self) -> Timestamp {
        clock::now()
    }

    fn state_key(&self) -> [u8; 32] {
        self.inner.access.state_key()
    }

    fn changes(&self) -> broadcast::Receiver<Change> {
        self.inner.changes.subscribe()
    }

    fn notes(&self, session: SessionUuid, call_key: &str) -> Option<Handover> {
        self.hand_notes(session, call_key)
    }

    async fn delivered(&self, call_key: String) {
        self.note_delivery(&call_key).await;
    }

    fn connected(&self, relay: &str) -> Box<dyn Any + Send + Sync> {
        Box::new(self.inner.relays.connect(relay))
    }

    fn beat(&self, relay: &str) {
        self.relay_beats(relay);
    }

    async fn http_session(&self, session: &str) -> Result<Option<String>, Fault> {
        Ok(self.inner.store.http_session(session, clock::now()).await?)
    }

    async fn keep_http_session(&self, session: &str, initialize: &str) -> Result<(), Fault> {
        Ok(self.inner.store.keep_http_session(session, initialize, clock::now()).await?)
    }

    async fn forget_http_session(&self, session: &str) -> Result<(), Fault> {
        Ok(self.inner.store.forget_http_session(session).await?)
    }
}

impl Gate {
    /// The client has the result of this call.
    pub(crate) async fn note_delivery(&self, call_key: &str) {
        if let Err(error) = self.inner.store.mark_delivered(call_key, clock::now()).await {
            tracing::warn!(%error, "a delivered reply could not be marked; it will be delivered again");
        }
        self.notes_arrived(call_key).await;
    }
}
