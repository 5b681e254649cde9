//! What `review_gate_chat`, its tasks and its forms need of the gate: requests, the files of replies, and whether the
//! person is there.

use async_trait::async_trait;
use gate_core::clients::Override;
use gate_core::{
    AnsweredFrom, Ask, Attachment, AttachmentId, Digest, Draft, Fault, Outcome, Owner, RequestId, RequestKind,
    RequestStatus, SessionUuid,
};
use gate_mcp::{Asked, Call, ChatPort, Look, NamedRepository, Shows};

use crate::slices::Gate;
use crate::unknown::{unknown_attachment, unknown_request};

#[async_trait]
impl ChatPort for Gate {
    fn patience_overrides(&self) -> Vec<Override> {
        self.inner.connections.waiting_times()
    }

    fn hint(&self) -> Option<String> {
        (!self.inner.connections.is_seen()).then(|| {
            "No window can be shown where the gate runs. Tell the person that `review-gate requests` in a terminal \
             lists what is waiting for them."
                .to_owned()
        })
    }

    fn weak(&self) -> Vec<String> {
        self.weak()
    }

    fn is_away(&self) -> bool {
        self.inner.person.is_away()
    }

    async fn away(&self) {
        self.inner.person.away().await;
    }

    async fn waited_in_vain(&self) {
        self.inner.person.waited_in_vain().await;
    }

    async fn make_diff(&self, call: &Call, named: &NamedRepository) -> Result<Shows, Fault> {
        self.inner.requests.make_diff(call, named).await
    }

    async fn ask(&self, call: Call) -> Result<Asked, Fault> {
        let caller = call.caller.clone();
        let asked = self.inner.requests.ask(call).await?;
        self.inner.prompts.review_of_prompt(&caller, asked.request_id).await;
        Ok(asked)
    }

    async fn closed(&self, request: RequestId) -> Result<Outcome, Fault> {
        self.inner.requests.closed(request).await
    }

    async fn withdraw(&self, request: RequestId) -> Result<(), Fault> {
        self.inner.requests.withdraw(request).await
    }

    async fn gives_no_reply(&self, request: RequestId, call_key: String) -> Result<(), Fault> {
        self.inner.queue.board.tell_pending(request);
        Ok(self.inner.store.gives_no_reply(&call_key).await?)
    }

    async fn question(&self, request: RequestId) -> Result<Ask, Fault> {
        let stored = self.inner.store.request(request).await?;
        stored.map(|request| request.ask).ok_or_else(|| unknown_request(request))
    }

    async fn look(&self, request: RequestId, client: &Owner) -> Result<Look, Fault> {
        let unknown = || unknown_request(request);
        if !self.inner.conversations.admits_to(request, client).await? {
            return Err(unknown());
        }
        let standing =
            self.inner.requests.standing(request).await?.filter(|standing| standing.kind == RequestKind::Chat);
        let status = standing.ok_or_else(unknown)?.status;
        let times = self.inner.store.times(request).await?.ok_or_else(unknown)?;
        let updated_at = times.closed_at.filter(|_| status != RequestStatus::Pending).unwrap_or(times.created_at);
        Ok(Look { status, created_at: times.created_at, updated_at })
    }

    fn linger(&self, request: RequestId) {
        self.inner.requests.linger(request);
    }

    async fn attachment(&self, attachment: AttachmentId, client: &Owner) -> Result<(Attachment, Vec<u8>), Fault> {
        let sees = self.inner.conversations.sees_attachment(attachment, client).await?;
        if !sees || !self.inner.requests.gives(attachment).await? {
            return Err(unknown_attachment(attachment));
        }
        self.inner.requests.read_attachment(attachment).await
    }

    async fn copy_of(&self, session: SessionUuid, attachment: AttachmentId) -> Option<String> {
        let (attachment, bytes) = self.inner.requests.read_attachment(attachment).await.ok()?;
        let path = self.inner.conversations.copy_for(session, attachment, bytes).await?;
        path.into_os_string().into_string().ok()
    }

    async fn attachments_like(
        &self,
        beginning: &str,
        most: u32,
        client: &Owner,
    ) -> Result<(Vec<AttachmentId>, u64), Fault> {
        self.inner.conversations.attachments_like(client, beginning, most).await
    }

    async fn answer(&self, request: RequestId, shown: Digest, draft: Draft) -> Result<(), Fault> {
        self.inner.requests.answer(request, shown, None, &draft, AnsweredFrom::Form).await
    }

    async fn dismiss(&self, request: RequestId) -> Result<(), Fault> {
        self.inner.requests.cancel(request).await
    }
}
