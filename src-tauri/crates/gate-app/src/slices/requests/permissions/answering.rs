//! What the person answers, and how a question ends without that.

use std::sync::Arc;

use gate_api::subjects::permissions::Event;
use gate_core::{
    Code, Digest, Fault, Given, PermissionAnswer, PermissionAsk, PermissionEnd, RequestId, RequestStatus, ReviewRequest,
};

use super::files::are_as_asked;
use super::{End, Requests};
use crate::unknown::unknown_request;
use crate::work::blocking;

impl Requests {
    /// Answers a permission question. Nothing holds it back: its agent waits.
    ///
    /// # Errors
    /// `other_kind`, `not_pending`, `changed_question`, and as of any reply.
    pub(crate) async fn answer_permission(
        self: &Arc<Self>,
        request: RequestId,
        shown: Digest,
        answer: &PermissionAnswer,
        given: Given,
    ) -> Result<(), Fault> {
        let asked = self.store.request(request).await?.ok_or_else(|| unknown_request(request))?;
        let (decision, draft) = answer.as_reply(&asked.ask)?;
        if asked.status == RequestStatus::Pending && self.queue.board.callers(request) == 0 {
            self.end_permission(request, PermissionAsk::Gone).await?;
            return Err(nobody_waits(request));
        }
        if answer.allows() && asked.status == RequestStatus::Pending && !files_are_as_asked(&asked).await? {
            self.permissions.end(request, End::Anew);
            self.close(request, Some(PermissionEnd::Anew), false).await?;
            return Err(Fault::new(
                Code::ChangedQuestion,
                format!("A file has changed since request {request} was shown."),
                "Look at what the edit would do now, and answer that; nothing was allowed.",
            ));
        }
        self.answer(request, shown, Some(decision), &draft, given).await
    }

    /// Closes a question without an answer: its agent asks at its own prompt. False where it is answered by now, or closed.
    pub(super) async fn end_permission(
        self: &Arc<Self>,
        request: RequestId,
        why: PermissionAsk,
    ) -> Result<bool, Fault> {
        if self.queue.board.is_held(request) {
            return Ok(false);
        }
        let ended = self.permissions.end(request, End::Ask(why));
        self.bus.emit(Event::PermissionOver { request_id: request, why });
        match self.close(request, Some(ended.recorded()), false).await {
            Ok(()) => Ok(true),
            Err(fault) if fault.code == Code::NotPending => {
                self.permissions.goes_on(request);
                Ok(false)
            }
            Err(fault) => Err(fault),
        }
    }

    /// Closes the questions that nobody waits for: whoever asked is gone, or was cut off with the gate before this one.
    pub(crate) async fn end_permissions_unasked(self: &Arc<Self>, why: PermissionAsk) {
        for request in self.queue.board.permissions() {
            if self.queue.board.callers(request) == 0
                && let Err(fault) = self.end_permission(request, why).await
            {
                tracing::warn!(%request, %fault, "a permission question that nobody waits for can't be closed");
            }
        }
    }

    /// Refuses what answers another kind of request.
    pub(crate) fn is_no_permission(&self, request: RequestId) -> Result<(), Fault> {
        match self.queue.board.is_permission(request) {
            false => Ok(()),
            true => Err(Fault::new(
                Code::OtherKind,
                format!("Request {request} asks for a permission, which no reply gives."),
                "Allow or deny it where it is shown as that; nothing was sent.",
            )),
        }
    }
}

/// Whether the files of an edit are those of its diff.
pub(super) async fn files_are_as_asked(asked: &ReviewRequest) -> Result<bool, Fault> {
    let Some(permission) = asked.ask.permission.clone().filter(|asked| asked.kind.is_edit()) else { return Ok(true) };
    let diff = asked.ask.diff.clone();
    blocking(move || Ok(are_as_asked(&permission, diff.as_deref()))).await
}

fn nobody_waits(request: RequestId) -> Fault {
    Fault::new(
        Code::NotPending,
        format!("Nobody waits for request {request} any more."),
        "The agent asks again if it still wants to; nothing was allowed.",
    )
}
