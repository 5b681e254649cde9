//! The record as agents' tools and resources know it: what a reply says is in it once that is let go.

use async_trait::async_trait;
use gate_core::{
    Attachment, AttachmentId, Checkpoint, Code, ConversationQuery, Fault, Found, Page, Place, ProgressUpdate,
    RestoreId, Restored, SessionUuid,
};
use gate_mcp::{Context, RecordPort, Recorded, Reported, SessionDetails, Whose};

use crate::gate::Gate;

#[async_trait]
impl RecordPort for Gate {
    async fn report(&self, whose: Whose, update: ProgressUpdate) -> Result<Reported, Fault> {
        Gate::report(self, whose, update).await
    }

    async fn context(&self, whose: Whose, older: Option<Place>) -> Result<Context, Fault> {
        Gate::context(self, whose, older).await
    }

    async fn create_checkpoint(
        &self,
        whose: Whose,
        name: String,
        description: Option<String>,
    ) -> Result<(SessionUuid, Checkpoint), Fault> {
        Gate::create_checkpoint(self, whose, &name, description.as_deref()).await
    }

    async fn list_checkpoints(&self, whose: Whose) -> Result<(SessionUuid, Vec<Checkpoint>), Fault> {
        Gate::list_checkpoints(self, whose).await
    }

    async fn restore(&self, whose: Whose, checkpoint: String) -> Result<Restored, Fault> {
        self.restore_own(whose, &checkpoint).await
    }

    async fn undo_restore(&self, whose: Whose, restore: Option<RestoreId>) -> Result<Restored, Fault> {
        self.undo_own(whose, restore).await
    }

    async fn conversations(&self, query: ConversationQuery, after: Option<Place>) -> Result<Page<Found>, Fault> {
        let found = Gate::conversations(self, &query, after).await?;
        Ok(self.as_agents_find(found))
    }

    async fn conversation(&self, session: SessionUuid, older: Option<Place>) -> Result<Option<Recorded>, Fault> {
        let recorded = Gate::conversation(self, session, older).await?;
        Ok(recorded.map(|recorded| Recorded { messages: self.as_agents_know(recorded.messages), ..recorded }))
    }

    async fn session(&self, session: SessionUuid) -> Result<Option<SessionDetails>, Fault> {
        self.session_details(session).await
    }

    async fn checkpoints(&self, session: SessionUuid) -> Result<Option<Vec<Checkpoint>>, Fault> {
        if !self.inner.store.session_exists(session).await? {
            return Ok(None);
        }
        let stored = self.inner.store.checkpoints(session).await?;
        Ok(Some(stored.into_iter().map(|stored| stored.checkpoint).collect()))
    }

    async fn sessions_like(&self, beginning: &str, most: u32) -> Result<(Vec<SessionUuid>, u64), Fault> {
        Ok(self.inner.store.sessions_like(beginning, most).await?)
    }

    async fn attachment(&self, attachment: AttachmentId) -> Result<(Attachment, Vec<u8>), Fault> {
        self.read_attachment(attachment).await
    }

    async fn attachments_like(&self, beginning: &str, most: u32) -> Result<(Vec<AttachmentId>, u64), Fault> {
        Ok(self.inner.store.attachments_like(beginning, most).await?)
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
