//! A gate for the door's tests: it writes exports, and can do nothing else.

use async_trait::async_trait;
use gate_api::subjects::conversations::{self, Export, Exported};
use gate_api::{Answer, Command, Event, Origin};
use gate_core::{Digest, Fault, Timestamp};
use gate_mcp::Delivered;
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::port::{Allowed, DoorPort, NotTaken, Webhook};

/// What every export is called.
pub(crate) const FILE: &str = "删除-2026-11-21.json";
/// What every export holds.
pub(crate) const EXPORTED: &[u8] = b"an export";

#[derive(Debug)]
pub(crate) struct FakeGate;

#[async_trait]
impl DoorPort for FakeGate {
    fn now(&self) -> Timestamp {
        Timestamp(1_800_000_000_000)
    }

    fn new_id(&self) -> Uuid {
        Uuid::now_v7()
    }

    fn allowed(&self) -> Allowed {
        Allowed::default()
    }

    fn has_signed(&self, _: &[u8], _: &[u8], _: &[u8]) -> bool {
        false
    }

    async fn signed_in(&self, _: Digest, _: Origin) -> Result<(), Fault> {
        Ok(())
    }

    fn token_used(&self, _: &str) {}

    async fn delivered(&self, _: &str, _: Delivered) {}

    fn events(&self) -> broadcast::Receiver<Event> {
        broadcast::Sender::new(1).subscribe()
    }

    async fn carry_out(&self, command: Command, _: Origin) -> Result<Answer, Fault> {
        let Command::Conversations(conversations::Command::Export(Export { path: Some(path), .. })) = command else {
            return Err(Fault::internal("This gate only exports."));
        };
        let path = std::path::Path::new(&path).join(FILE).display().to_string();
        std::fs::write(&path, EXPORTED).map_err(|error| Fault::internal(error.to_string()))?;
        Ok(Answer::Conversations(conversations::Answer::Export(Box::new(Exported { path, conversations: 1 }))))
    }

    fn expects_webhooks(&self) -> bool {
        false
    }

    fn webhook(&self, _: &Webhook<'_>) -> Result<&'static str, NotTaken> {
        Err(NotTaken::Unexpected)
    }
}
