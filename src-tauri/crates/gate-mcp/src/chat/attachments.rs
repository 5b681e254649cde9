//! The files of replies, as resources.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{AttachmentId, Code, Fault, Owner};

use super::ChatPort;
use crate::completion::{Found, MOST, beginning};
use crate::port::ConnectionPort;
use crate::resource::{Contents, Data, Resource, Resources, Template};
use crate::uri::{self, Query};

const TEMPLATES: &[Template] = &[Template {
    uri: "file://review-gate/attachments/{id}",
    name: "attachment",
    title: "An attachment",
    about: "A file that the person attached to a reply.",
    mime_type: None,
}];

/// All of them.
pub(super) struct Attachments(pub(super) Arc<dyn ChatPort>);

#[async_trait]
impl Resources for Attachments {
    fn templates(&self) -> &'static [Template] {
        TEMPLATES
    }

    fn at(&self, uri: &str) -> Option<Box<dyn Resource>> {
        let id = AttachmentId(uri::uuid(uri::below(uri)?.strip_prefix("attachments/")?)?);
        Some(Box::new(Attachment { id, port: Arc::clone(&self.0) }))
    }

    async fn complete(
        &self,
        client: &Owner,
        _template: &str,
        variable: &str,
        begun: &str,
    ) -> Result<Option<Found>, Fault> {
        if variable != "id" {
            return Ok(None);
        }
        let Some(beginning) = beginning(begun) else { return Ok(Some(Found::none())) };
        let (found, total) = self.0.attachments_like(&beginning, MOST, client).await?;
        Ok(Some(Found::identifiers(&found, total)))
    }
}

struct Attachment {
    id: AttachmentId,
    port: Arc<dyn ChatPort>,
}

impl Attachment {
    /// What it is, with its bytes; absent where there is none for this client.
    async fn found(&self, client: &Owner) -> Result<Option<(gate_core::Attachment, Vec<u8>)>, Fault> {
        match self.port.attachment(self.id, client).await {
            Err(fault) if fault.code == Code::UnknownAttachment => Ok(None),
            found => found.map(Some),
        }
    }
}

#[async_trait]
impl Resource for Attachment {
    fn uri(&self) -> String {
        uri::of(&format!("attachments/{}", self.id))
    }

    async fn exists(&self, client: &Owner) -> Result<bool, Fault> {
        Ok(self.found(client).await?.is_some())
    }

    async fn read(&self, _gate: &dyn ConnectionPort, client: &Owner, _query: Query) -> Result<Option<Contents>, Fault> {
        let Some((attachment, bytes)) = self.found(client).await? else { return Ok(None) };
        let data = match String::from_utf8(bytes) {
            Ok(text) if attachment.mime_type.starts_with("text/") => Data::Text(text),
            Ok(text) => Data::Bytes(text.into_bytes()),
            Err(bytes) => Data::Bytes(bytes.into_bytes()),
        };
        Ok(Some(Contents { mime_type: attachment.mime_type, data }))
    }

    /// What is attached stays as it is.
    fn may_change(&self) -> bool {
        false
    }
}
