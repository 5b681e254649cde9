//! The gate as the protocol side sees it.

use std::any::Any;

use gate_core::clients::Override;
use gate_core::{
    AnsweredFrom, Ask, Attachment, AttachmentId, Checkpoint, Code, ConversationQuery, Decision, Draft, Fault, Found,
    Outcome, Page, Place, ProgressUpdate, RequestId, RestoreId, Restored, SessionUuid, Timestamp,
};
use gate_mcp::{Asked, Call, Change, Context, Look, Recorded, Reported, SessionDetails, Whose};
use tokio::sync::broadcast;

use crate::clock;
use crate::commands::Origin;
use crate::gate::{Gate, unknown_request};

impl gate_mcp::Gate for Gate {
    fn now(&self) -> Timestamp {
        clock::now()
    }

    fn patience_overrides(&self) -> &[Override] {
        &self.inner.settings.waiting
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

    fn beat(&self, relay: &str) {
        self.relay_beats(relay);
    }

    fn changes(&self) -> broadcast::Receiver<Change> {
        self.inner.changes.subscribe()
    }

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
        Gate::conversations(self, &query, after).await
    }

    async fn conversation(&self, session: SessionUuid, older: Option<Place>) -> Result<Option<Recorded>, Fault> {
        Gate::conversation(self, session, older).await
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

    async fn attachments_like(&self, beginning: &str, most: u32) -> Result<(Vec<AttachmentId>, u64), Fault> {
        Ok(self.inner.store.attachments_like(beginning, most).await?)
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

    async fn gives_no_reply(&self, request: RequestId, call_key: String) -> Result<(), Fault> {
        self.inner.board.tell_pending(request);
        Ok(self.inner.store.gives_no_reply(&call_key).await?)
    }

    async fn question(&self, request: RequestId) -> Result<Ask, Fault> {
        let stored = self.inner.store.request(request).await?;
        stored.map(|request| request.ask).ok_or_else(|| unknown_request(request))
    }

    async fn delivered(&self, call_key: String) {
        self.note_delivery(&call_key).await;
    }

    async fn look(&self, request: RequestId) -> Result<Look, Fault> {
        let times = self.inner.store.times(request).await?.ok_or_else(|| unknown_request(request))?;
        let updated_at = times.closed_at.unwrap_or(times.created_at);
        Ok(Look { status: times.status, created_at: times.created_at, updated_at })
    }

    fn linger(&self, request: RequestId) {
        Gate::linger(self, request);
    }

    /// What a client says its person has said can't be told from what a script says, so it counts
    /// as that: where scripts may not answer, it doesn't either.
    async fn answer(&self, request: RequestId, decision: Option<Decision>, draft: Draft) -> Result<(), Fault> {
        self.may_answer(Origin::Script)?;
        Gate::answer(self, request, decision, &draft, AnsweredFrom::Script).await
    }

    async fn dismiss(&self, request: RequestId) -> Result<(), Fault> {
        self.cancel(request).await
    }

    fn state_key(&self) -> [u8; 32] {
        self.inner.access.state_key()
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

    async fn attachment(&self, attachment: AttachmentId) -> Result<(Attachment, Vec<u8>), Fault> {
        self.read_attachment(attachment).await
    }
}

impl Gate {
    /// The client has the result of this call.
    pub(crate) async fn note_delivery(&self, call_key: &str) {
        if let Err(error) = self.inner.store.mark_delivered(call_key, clock::now()).await {
            tracing::warn!(%error, "a delivered reply could not be marked; it will be delivered again");
        }
    }

    /// An attachment with its bytes.
    pub(crate) async fn read_attachment(&self, id: AttachmentId) -> Result<(Attachment, Vec<u8>), Fault> {
        let attachment = self.inner.store.attachment(id).await?;
        let bytes = self.inner.store.attachment_bytes(id).await?;
        attachment.zip(bytes).ok_or_else(|| {
            Fault::new(Code::UnknownAttachment, format!("No attachment has the id {id}."), "Attach the file again.")
        })
    }
}
