//! What every MCP connection needs of the gate, whatever its toolset.

use std::any::Any;

use async_trait::async_trait;
use gate_core::outcome::Earlier;
use gate_core::proposal::ReviewId;
use gate_core::{Code, Fault, Owner, SessionUuid, Timestamp};
use gate_mcp::{Change, ChatPort as _, ConnectionPort, Handover, LogEntry};
use tokio::sync::broadcast;

use crate::agents_log;
use crate::slices::Gate;

#[async_trait]
impl ConnectionPort for Gate {
    fn now(&self) -> Timestamp {
        self.inner.bus.now()
    }

    fn state_key(&self) -> [u8; 32] {
        self.inner.connections.access.state_key()
    }

    fn changes(&self) -> broadcast::Receiver<Change> {
        self.inner.bus.changes()
    }

    fn log(&self) -> broadcast::Receiver<LogEntry> {
        self.inner.bus.logged()
    }

    fn log_so_far(&self) -> Vec<LogEntry> {
        let warnings = self.inner.bus.warnings();
        let away = self.inner.person.is_away().then(|| agents_log::presence(true));
        let window = self.hint().map(agents_log::no_window);
        warnings.iter().map(agents_log::warning).chain(window).chain(away).collect()
    }

    async fn sees(&self, session: SessionUuid, client: &Owner) -> bool {
        self.inner.conversations.sees(session, client).await.unwrap_or_else(|fault| {
            tracing::warn!(%fault, "whose a session is can't be looked up");
            false
        })
    }

    async fn sees_review(&self, review: ReviewId, client: &Owner) -> bool {
        match self.inner.reviews.seen_by(client, review).await {
            Ok(_) => true,
            Err(fault) if fault.code == Code::UnknownReview => false,
            Err(fault) => {
                tracing::warn!(%fault, "whether a client may see a review can't be looked up");
                false
            }
        }
    }

    fn notes(&self, session: SessionUuid, call_key: &str) -> Option<Handover> {
        self.inner.conversations.hand_notes(session, call_key)
    }

    async fn earlier(&self, session: SessionUuid) -> Vec<Earlier> {
        self.inner.requests.earlier(session).await
    }

    async fn delivered(&self, call_key: String) {
        self.note_delivery(&call_key).await;
    }

    fn connected(&self, relay: &str) -> Box<dyn Any + Send + Sync> {
        Box::new(self.inner.queue.relays.connect(relay))
    }

    fn beat(&self, relay: &str) {
        self.inner.conversations.relay_beats(relay);
    }

    async fn http_session(&self, session: &str) -> Result<Option<String>, Fault> {
        Ok(self.inner.store.http_session(session, self.inner.bus.now()).await?)
    }

    async fn keep_http_session(&self, session: &str, initialize: &str) -> Result<(), Fault> {
        Ok(self.inner.store.keep_http_session(session, initialize, self.inner.bus.now()).await?)
    }

    async fn forget_http_session(&self, session: &str) -> Result<(), Fault> {
        Ok(self.inner.store.forget_http_session(session).await?)
    }
}

impl Gate {
    /// The client has the result of this call, with what came with it.
    pub(crate) async fn note_delivery(&self, call_key: &str) {
        self.inner.conversations.note_delivery(call_key).await;
        self.inner.reviews.note_delivery(call_key).await;
        self.inner.workflow.note_delivery(call_key).await;
    }
}
