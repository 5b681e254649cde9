//! The record as agents' tools and resources know it: what a reply says is in it once that is let go, and as far as its
//! receipt says it, too.

use async_trait::async_trait;
use gate_core::search::Words;
use gate_core::{
    Checkpoint, ConversationQuery, Fault, Found, Owner, Page, Place, ProgressUpdate, RestoreId, Restored, SessionUuid,
};
use gate_mcp::{Context, RecordPort, Recorded, Reported, SessionDetails, Whose};

use crate::slices::Gate;

#[async_trait]
impl RecordPort for Gate {
    async fn report(&self, whose: Whose, update: ProgressUpdate) -> Result<Reported, Fault> {
        self.inner.conversations.report(whose, update).await
    }

    async fn context(&self, whose: Whose, older: Option<Place>) -> Result<Context, Fault> {
        let context = self.inner.conversations.context(whose, older).await?;
        Ok(Context { messages: self.inner.requests.as_agents_know(context.messages).await?, ..context })
    }

    async fn create_checkpoint(
        &self,
        whose: Whose,
        name: String,
        description: Option<String>,
    ) -> Result<(SessionUuid, Checkpoint), Fault> {
        self.inner.conversations.create_checkpoint(whose, &name, description.as_deref()).await
    }

    async fn list_checkpoints(&self, whose: Whose) -> Result<(SessionUuid, Vec<Checkpoint>), Fault> {
        self.inner.conversations.list_checkpoints(whose).await
    }

    async fn restore(&self, whose: Whose, checkpoint: String) -> Result<Restored, Fault> {
        self.inner.conversations.restore_own(whose, &checkpoint).await
    }

    async fn undo_restore(&self, whose: Whose, restore: Option<RestoreId>) -> Result<Restored, Fault> {
        self.inner.conversations.undo_own(whose, restore).await
    }

    async fn conversations(
        &self,
        query: ConversationQuery,
        after: Option<Place>,
        client: &Owner,
    ) -> Result<Page<Found>, Fault> {
        let words = query.text.as_deref().map(Words::parse).transpose()?.flatten();
        let found = self.inner.conversations.page_of(client, query, after).await?;
        self.inner.requests.as_agents_find(found, words.as_ref()).await
    }

    async fn conversation(
        &self,
        session: SessionUuid,
        older: Option<Place>,
        client: &Owner,
    ) -> Result<Option<Recorded>, Fault> {
        if !self.inner.conversations.sees(session, client).await? {
            return Ok(None);
        }
        let Some(recorded) = self.inner.conversations.conversation(session, older).await? else { return Ok(None) };
        Ok(Some(Recorded { messages: self.inner.requests.as_agents_know(recorded.messages).await?, ..recorded }))
    }

    async fn session(&self, session: SessionUuid, client: &Owner) -> Result<Option<SessionDetails>, Fault> {
        if !self.inner.conversations.sees(session, client).await? {
            return Ok(None);
        }
        self.inner.conversations.session_details(session).await
    }

    async fn checkpoints(&self, session: SessionUuid, client: &Owner) -> Result<Option<Vec<Checkpoint>>, Fault> {
        if !self.inner.conversations.sees(session, client).await? {
            return Ok(None);
        }
        let stored = self.inner.store.checkpoints(session).await?;
        Ok(Some(stored.into_iter().map(|stored| stored.checkpoint).collect()))
    }

    async fn sessions_like(
        &self,
        beginning: &str,
        most: u32,
        client: &Owner,
    ) -> Result<(Vec<SessionUuid>, u64), Fault> {
        self.inner.conversations.sessions_like(client, beginning, most).await
    }
}
