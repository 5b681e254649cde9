//! The gate as its door on HTTP sees it: each a line or two that lead to the slice that knows.

use async_trait::async_trait;
use gate_api::{Answer, CarriedOutBy, Command, Event, Origin};
use gate_core::{Digest, Fault, Timestamp};
use gate_door::port::{Allowed, DoorPort, NotTaken, Webhook};
use gate_mcp::Delivered;
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::slices::Gate;

#[async_trait]
impl DoorPort for Gate {
    fn now(&self) -> Timestamp {
        self.inner.bus.now()
    }

    fn new_id(&self) -> Uuid {
        self.inner.bus.new_id()
    }

    fn allowed(&self) -> Allowed {
        let settings = self.settings();
        let network = &settings.network;
        Allowed { hosts: network.allowed_hosts.clone(), origins: network.allowed_origins.clone() }
    }

    fn has_signed(&self, key: &[u8], signature: &[u8], text: &[u8]) -> bool {
        gate_receipts::is_by_point(key, signature, text)
    }

    async fn signed_in(&self, browser: Digest, origin: Origin) -> Result<(), Fault> {
        self.inner.connections.signed_in(browser, origin).await
    }

    fn token_used(&self, client: &str) {
        self.inner.connections.token_used(client);
    }

    async fn delivered(&self, call_key: &str, what: Delivered) {
        match what {
            Delivered::Result => self.note_delivery(call_key).await,
            Delivered::Notes => self.inner.conversations.notes_arrived(call_key).await,
        }
    }

    fn events(&self) -> broadcast::Receiver<Event> {
        self.inner.bus.events()
    }

    async fn carry_out(&self, command: Command, origin: Origin) -> Result<Answer, Fault> {
        // One that a script has signed in is a browser, too.
        self.permit(CarriedOutBy::<Self>::declaration(&command).who, Origin::Browser)?;
        self.execute(command, origin).await
    }

    fn expects_webhooks(&self) -> bool {
        self.inner.prompts.expects_webhooks()
    }

    fn webhook(&self, webhook: &Webhook<'_>) -> Result<&'static str, NotTaken> {
        self.inner.prompts.webhook(webhook)
    }
}
