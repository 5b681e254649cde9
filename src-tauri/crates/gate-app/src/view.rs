//! A request in full, as a window shows it: Markdown and diff parsed off the async threads.

use gate_api::RequestView;
use gate_core::{Fault, RequestId, diff, markdown};

use crate::board::summary;
use crate::gate::{Gate, unknown_request};

impl Gate {
    /// One request with its draft.
    pub(crate) async fn open_request(&self, id: RequestId) -> Result<RequestView, Fault> {
        let store = &self.inner.store;
        let request = store.request(id).await?.ok_or_else(|| unknown_request(id))?;
        let draft = store.draft(id).await?;
        let mut attachments = Vec::with_capacity(draft.attachments.len());
        for attachment in &draft.attachments {
            attachments.extend(store.attachment(*attachment).await?);
        }
        let summary = self.summary(id).unwrap_or_else(|| summary(&request));
        let parse = move || -> Result<RequestView, Fault> {
            Ok(RequestView {
                summary,
                status: request.status,
                message: markdown::parse(&request.ask.message),
                context: request.ask.context.as_deref().map(markdown::parse),
                options: request.ask.options,
                allow_multiple: request.ask.allow_multiple,
                diff: request.ask.diff.as_deref().map(diff::view).transpose()?,
                draft,
                attachments,
            })
        };
        tokio::task::spawn_blocking(parse).await.map_err(|error| Fault::internal(error.to_string()))?
    }
}
