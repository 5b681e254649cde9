//! The files of replies, as resources.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{AttachmentId, Code, Fault};

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

    async fn complete(&self, _template: &str, variable: &str, begun: &str) -> Result<Option<Found>, Fault> {
        if variable != "id" {
            return Ok(None);
        }
        let Some(beginning) = beginning(begun) else { return Ok(Some(Found::none())) };
        let (found, total) = self.0.attachments_like(&beginning, MOST).await?;
        Ok(Some(Found::identifiers(&found, total)))
    }
}

struct Attachment {
    id: AttachmentId,
    port: Arc<dyn ChatPort>,
}

#[async_trait]
impl Resource for Attachment {
    fn uri(&self) -> String {
        uri::of(&format!("attachments/{}", self.id))
    }

    async fn exists(&self) -> Result<bool, Fault> {
        Ok(self.port.attachments_like(&self.id.to_string(), 1).await?.1 > 0)
    }

    async fn read(&self, _gate: &dyn ConnectionPort, _query: Query) -> Result<Option<Contents>, Fault> {
        let (attachment, bytes) = match self.port.attachment(self.id).await {
            Err(fault) if fault.code == Code::UnknownAttachment => return Ok(None),
            found => found?,
        };
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
