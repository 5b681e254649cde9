//! The gate as the protocol side sees it.

use std::any::Any;

use gate_core::{Attachment, AttachmentId, Code, Fault, Outcome, RequestId, Timestamp};
use gate_mcp::{Asked, Call};

use crate::clock;
use crate::gate::Gate;

impl gate_mcp::Gate for Gate {
    fn now(&self) -> Timestamp {
        clock::now()
    }

    fn patience_overrides(&self) -> Vec<(String, u64)> {
        self.inner.settings.waiting.clone()
    }

    fn hint(&self) -> Option<String> {
        (!self.inner.window).then(|| {
            "No window can be shown where the gate runs. Tell the person that `review-gate requests` in a terminal \
             lists what is waiting for them."
                .to_owned()
        })
    }

    fn connected(&self, relay: &str) -> Box<dyn Any + Send + Sync> {
        Box::new(self.inner.relays.connect(relay))
    }

    async fn ask(&self, call: Call) -> Result<Asked, Fault> {
        Gate::ask(self, call).await
    }

    async fn closed(&self, request: RequestId) -> Result<Outcome, Fault> {
        Gate::closed(self, request).await
    }

    async fn withdraw(&self, request: RequestId) -> Result<(), Fault> {
        Gate::withdraw(self, request).await
    }

    async fn gives_no_reply(&self, call_key: String) -> Result<(), Fault> {
        Ok(self.inner.store.gives_no_reply(&call_key).await?)
    }

    async fn delivered(&self, call_key: String) {
        if let Err(error) = self.inner.store.mark_delivered(&call_key, clock::now()).await {
            tracing::warn!(%error, "a delivered reply could not be marked; it will be delivered again");
        }
    }

    async fn attachment(&self, attachment: AttachmentId) -> Result<(Attachment, Vec<u8>), Fault> {
        self.read_attachment(attachment).await
    }
}

impl Gate {
    /// An attachment with its bytes.
    pub(crate) async fn read_attachment(&self, id: AttachmentId) -> Result<(Attachment, Vec<u8>), Fault> {
        let attachment = self.inner.store.attachment(id).await?;
        let bytes = self.inner.store.attachment_bytes(id).await?;
        attachment.zip(bytes).ok_or_else(|| {
            Fault::new(Code::UnknownAttachment, format!("No attachment has the id {id}."), "Attach the file again.")
        })
    }
}
