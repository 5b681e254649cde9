//! The gate as the protocol side sees it.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use gate_core::clients::Override;
use gate_core::{
    AnsweredFrom, Ask, Attachment, AttachmentId, Caller, Checkpoint, Code, ConversationQuery, Decision, Draft, Fault,
    Found, Outcome, Page, Place, ProgressUpdate, PromptList, PromptSource, RenderedPrompt, RequestId, RequestStatus,
    RestoreId, Restored, SessionUuid, Timestamp,
};
use gate_mcp::{
    Asked, Call, Change, ChangedSetting, ConfigEntry, Context, Handover, Look, Recorded, Reported, SessionDetails,
    Whose,
};
use serde_json::{Map, Value};
use tokio::sync::broadcast;

use crate::clock;
use crate::commands::Origin;
use crate::gate::{Gate, unknown_request, whole};

impl gate_mcp::Gate for Gate {
    fn now(&self) -> Timestamp {
        clock::now()
    }

    fn patience_overrides(&self) -> Vec<Override> {
        self.waiting_times()
    }

    fn hint(&self) -> Option<String> {
        (!self.is_seen()).then(|| {
            "No window can be shown where the gate runs. Tell the person that `review-gate requests` in a terminal \
             lists what is waiting for them."
                .to_owned()
        })
    }

    fn is_away(&self) -> bool {
        Gate::is_away(self)
    }

    async fn away(&self) {
        Gate::away(self).await;
    }

    async fn waited_in_vain(&self) {
        Gate::waited_in_vain(self).await;
    }

    fn notes(&self, session: SessionUuid, call_key: &str) -> Option<Handover> {
        self.hand_notes(session, call_key)
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

    async fn attachments_like(&self, beginning: &str, most: u32) -> Result<(Vec<AttachmentId>, u64), Fault> {
        Ok(self.inner.store.attachments_like(beginning, most).await?)
    }

    fn prompts(&self) -> Arc<PromptList> {
        Arc::clone(&self.inner.prompts.current().list)
    }

    async fn prompt(
        &self,
        caller: &Caller,
        id: &str,
        arguments: &BTreeMap<String, String>,
    ) -> Result<RenderedPrompt, Fault> {
        self.render_prompt(caller, id, arguments).await
    }

    fn prompt_source(&self, id: &str) -> Option<PromptSource> {
        self.inner.prompts.current().source(id)
    }

    async fn workspace_files(&self, caller: &Caller, like: &str) -> Result<(Vec<String>, bool), Fault> {
        let (files, more) = self.files_of(&caller.workspace, like).await?;
        Ok((files.into_iter().map(|file| file.path).collect(), more))
    }

    fn config(&self, keys: Option<&[String]>) -> Result<Vec<ConfigEntry>, Fault> {
        self.config_for_agents(keys)
    }

    async fn update_config(&self, whose: Whose, values: Map<String, Value>) -> Result<Vec<ChangedSetting>, Fault> {
        let gate = self.clone();
        whole(async move { gate.update_config_by_agent(whose, values).await }).await
    }

    async fn ask(&self, call: Call) -> Result<Asked, Fault> {
        let caller = call.caller.clone();
        let asked = Gate::ask(self, call).await?;
        self.review_of_prompt(&caller, asked.request_id).await;
        Ok(asked)
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
        let unknown = || unknown_request(request);
        let status = self.standing(request).await?.ok_or_else(unknown)?.status;
        let times = self.inner.store.times(request).await?.ok_or_else(unknown)?;
        let updated_at = times.closed_at.filter(|_| status != RequestStatus::Pending).unwrap_or(times.created_at);
        Ok(Look { status, created_at: times.created_at, updated_at })
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
        self.notes_arrived(call_key).await;
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
