//! Requests as front ends show them: in full, Markdown and diff parsed to trees, for windows; as they were asked, for
//! terminals. Each with the digest of its question.

use gate_api::subjects::requests::{PendingRequest, Question};
use gate_api::{RequestSummary, RequestView};
use gate_core::{Ask, Asker, Code, Digest, Draft, Fault, RequestId, ReviewRequest};

use super::Requests;
use crate::slices::queue::summary;
use crate::unknown::unknown_request;
use crate::work::blocking;

/// A new request up to this size is parsed where it comes in (below a millisecond) and goes out with
/// its event; windows ask for larger ones.
const SMALL_BYTES: usize = 16 * 1024;

impl Requests {
    /// One request with its draft.
    pub(crate) async fn open_request(&self, id: RequestId) -> Result<RequestView, Fault> {
        let store = &self.store;
        let request = store.request(id).await?.ok_or_else(|| unknown_request(id))?;
        let draft = store.draft(id).await?;
        let mut attachments = Vec::with_capacity(draft.attachments.len());
        for attachment in &draft.attachments {
            attachments.extend(store.attachment(*attachment).await?);
        }
        let before = if request.ask.diff.is_some() { store.diff_before(id).await? } else { None };
        let asker = store.asker(id).await?;
        let summary = self.summary(id).unwrap_or_else(|| summary(&request));
        let needs = self.needs(&request, asker.as_ref()).await?;
        let parse = move || {
            let of = RequestView::of(&request, summary, draft, attachments, before.as_deref(), asker.as_ref());
            Ok(RequestView { needs, ..of? })
        };
        tokio::task::spawn_blocking(parse).await.map_err(|error| Fault::internal(error.to_string()))?
    }

    /// One question as it was asked.
    pub(crate) async fn question(&self, id: RequestId) -> Result<Question, Fault> {
        let request = self.store.request(id).await?.ok_or_else(|| unknown_request(id))?;
        let question = digested(request.ask).await?;
        self.queue.board.learn_digest(id, question.digest);
        Ok(question)
    }

    /// The requests of the record that are pending, and how they wait.
    pub(crate) async fn pending(&self) -> Result<Vec<PendingRequest>, Fault> {
        let mut pending = Vec::new();
        for request in self.store.pending().await? {
            match self.waits(request).await {
                Ok(waits) => pending.push(waits),
                // It was deleted meanwhile.
                Err(fault) if fault.code == Code::UnknownRequest => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(pending)
    }

    /// How a request waits that was read with the others.
    async fn waits(&self, request: ReviewRequest) -> Result<PendingRequest, Fault> {
        let id = request.request_id;
        // A digest needs context and diff as well, which lists are read without: it is made once.
        let digest = match self.queue.board.digest(id) {
            Some(digest) => digest,
            None => self.question(id).await?.digest,
        };
        let needs = self.needs_of_listed(&request).await?;
        Ok(self.as_it_waits(request, digest, needs))
    }

    /// A request that was just asked, where that is quickly made and a window may want it. Not one with
    /// a diff: that is compared with an earlier one, which the record has; nor one whose approval takes more than the act:
    /// whether that can be had is found out first.
    pub(crate) fn view_of_new(
        &self,
        request: &ReviewRequest,
        summary: &RequestSummary,
        asker: Option<&Asker>,
    ) -> Option<Box<RequestView>> {
        let is_small = request.ask.diff.is_none() && size(&request.ask) <= SMALL_BYTES;
        if !self.connections.is_seen() || !is_small || self.takes_more(request, asker) {
            return None;
        }
        RequestView::of(request, summary.clone(), Draft::default(), Vec::new(), None, asker).ok().map(Box::new)
    }
}

/// A question with its digest, which is a matter of milliseconds for a large one.
pub(super) async fn digested(ask: Ask) -> Result<Question, Fault> {
    blocking(move || Ok(Question { digest: Digest::of_question(&ask)?, ask })).await
}

fn size(ask: &Ask) -> usize {
    let asked = ask.permission.as_ref().map_or(0, |asked| asked.input.len());
    ask.message.len() + ask.context.as_ref().map_or(0, String::len) + asked
}

#[cfg(test)]
mod tests {
    use gate_api::Event;
    use gate_api::subjects::requests;
    use gate_core::diff::Since;
    use gate_core::{AnsweredFrom, Ask};
    use gate_mcp::Call;

    use super::*;
    use crate::tests::{Outcome, call, gate, reply};

    #[tokio::test]
    async fn a_diff_is_shown_with_what_is_new_since_the_one_answered_before() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let mut events = gate.events();
        let diff = |lines: &str| Some(format!("--- a/x\n+++ b/x\n@@ -1 +1,9 @@\n a\n{lines}"));
        let ask = |diff| Ask { message: "m".to_owned(), diff, ..Ask::default() };
        let first = gate.inner.requests.ask(Call { ask: ask(diff("+b\n")), ..call("relay:1", "") }).await?;
        match events.recv().await? {
            Event::Requests(requests::Event::RequestAdded { view, .. }) => {
                assert_eq!(view, None, "the window asks for it, to have it compared")
            }
            other => return Err(format!("a new request was to be announced first, not {other:?}").into()),
        }
        let said = Draft { text: "and c".to_owned(), ..Draft::default() };
        reply(&gate, first.request_id, None, &said, AnsweredFrom::Desktop).await?;
        gate.inner.store.mark_delivered("relay:1", gate.inner.bus.now()).await?;
        let session_uuid = Some(first.session_uuid);
        let second =
            gate.inner.requests.ask(Call { ask: ask(diff("+b\n+c\n")), session_uuid, ..call("relay:2", "") }).await?;
        let shown = gate.inner.requests.open_request(second.request_id).await?.diff.ok_or("it has a diff")?;
        assert_eq!(shown.files[0].since, Some(Since::Changed));
        let fresh: Vec<_> = shown.files[0].hunks[0].rows.iter().map(|row| row.fresh).collect();
        assert_eq!(fresh, [false, false, true], "only the line that wasn't there");
        Ok(())
    }
}
