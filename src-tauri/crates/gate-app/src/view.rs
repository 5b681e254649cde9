//! A request in full, as a window shows it: Markdown and diff parsed to trees.

use gate_api::{RequestSummary, RequestView};
use gate_core::{Ask, Attachment, Draft, Fault, RequestId, ReviewRequest, diff, markdown};

use crate::board::summary;
use crate::gate::{Gate, unknown_request};

/// A new request up to this size is parsed where it comes in (below a millisecond) and goes out with
/// its event; windows ask for larger ones.
const SMALL_BYTES: usize = 16 * 1024;

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
        let parse = move || view(&request, summary, draft, attachments);
        tokio::task::spawn_blocking(parse).await.map_err(|error| Fault::internal(error.to_string()))?
    }

    /// A request that was just asked, where that is quickly made and a window may want it.
    pub(crate) fn view_of_new(&self, request: &ReviewRequest, summary: &RequestSummary) -> Option<Box<RequestView>> {
        if !self.inner.window || size(&request.ask) > SMALL_BYTES {
            return None;
        }
        view(request, summary.clone(), Draft::default(), Vec::new()).ok().map(Box::new)
    }
}

fn size(ask: &Ask) -> usize {
    ask.message.len() + ask.context.as_ref().map_or(0, String::len) + ask.diff.as_ref().map_or(0, String::len)
}

fn view(
    request: &ReviewRequest,
    summary: RequestSummary,
    draft: Draft,
    attachments: Vec<Attachment>,
) -> Result<RequestView, Fault> {
    let ask = &request.ask;
    Ok(RequestView {
        summary,
        status: request.status,
        message: markdown::parse(&ask.message),
        context: ask.context.as_deref().map(markdown::parse),
        options: ask.options.clone(),
        allow_multiple: ask.allow_multiple,
        diff: ask.diff.as_deref().map(diff::view).transpose()?,
        draft,
        attachments,
    })
}
