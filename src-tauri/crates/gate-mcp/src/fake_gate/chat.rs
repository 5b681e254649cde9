//! There is no person behind the tests' gate.

use async_trait::async_trait;
use gate_core::clients::Override;
use gate_core::{Ask, Attachment, AttachmentId, Code, Digest, Draft, Fault, Outcome, Owner, RequestId, SessionUuid};

use super::FakeGate;
use crate::chat::{Asked, Call, ChatPort, Look, NamedRepository, Shows};

fn no_person<T>() -> Result<T, Fault> {
    Err(Fault::internal("There is no person behind this gate."))
}

#[async_trait]
impl ChatPort for FakeGate {
    fn patience_overrides(&self) -> Vec<Override> {
        Vec::new()
    }

    fn hint(&self) -> Option<String> {
        None
    }

    fn weak(&self) -> Vec<String> {
        Vec::new()
    }

    fn is_away(&self) -> bool {
        false
    }

    async fn away(&self) {
        std::future::pending().await
    }

    async fn waited_in_vain(&self) {}

    async fn make_diff(&self, _call: &Call, _named: &NamedRepository) -> Result<Shows, Fault> {
        no_person()
    }

    async fn ask(&self, _call: Call) -> Result<Asked, Fault> {
        no_person()
    }

    async fn closed(&self, _request: RequestId) -> Result<Outcome, Fault> {
        no_person()
    }

    async fn withdraw(&self, _request: RequestId) -> Result<(), Fault> {
        no_person()
    }

    async fn gives_no_reply(&self, _request: RequestId, _call_key: String) -> Result<(), Fault> {
        no_person()
    }

    async fn question(&self, _request: RequestId) -> Result<Ask, Fault> {
        no_person()
    }

    async fn look(&self, _request: RequestId, _client: &Owner) -> Result<Look, Fault> {
        no_person()
    }

    fn linger(&self, _request: RequestId) {}

    async fn attachment(&self, _attachment: AttachmentId, _client: &Owner) -> Result<(Attachment, Vec<u8>), Fault> {
        Err(Fault::new(Code::UnknownAttachment, "There is none.", "Look again."))
    }

    async fn copy_of(&self, _session: SessionUuid, _attachment: AttachmentId) -> Option<String> {
        None
    }

    async fn attachments_like(
        &self,
        _beginning: &str,
        _most: u32,
        _client: &Owner,
    ) -> Result<(Vec<AttachmentId>, u64), Fault> {
        Ok((Vec::new(), 0))
    }

    async fn answer(&self, _request: RequestId, _shown: Digest, _draft: Draft) -> Result<(), Fault> {
        no_person()
    }

    async fn dismiss(&self, _request: RequestId) -> Result<(), Fault> {
        no_person()
    }
}
