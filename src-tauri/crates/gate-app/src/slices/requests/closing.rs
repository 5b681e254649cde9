//! A request that is closed without an answer: by the person, or as its client took its call back. Of a permission question it is
//! kept why.

use std::sync::Arc;

use gate_core::{Code, Fault, PermissionEnd, RequestId, RequestStatus};

use super::Requests;
use crate::unknown::unknown_request;
use crate::work::whole;

impl Requests {
    /// Closes a request without an answer.
    pub(crate) async fn cancel(self: &Arc<Self>, request: RequestId) -> Result<(), Fault> {
        let ended = self.queue.board.is_permission(request).then_some(PermissionEnd::PutAside);
        self.close(request, ended, true).await
    }

    /// Closes a request without an answer; `news` says whether its agent doesn't know of it.
    pub(super) async fn close(
        self: &Arc<Self>,
        request: RequestId,
        ended: Option<PermissionEnd>,
        news: bool,
    ) -> Result<(), Fault> {
        let requests = Arc::clone(self);
        let closing = whole(async move {
            let now = requests.bus.now();
            let closed = match ended {
                Some(ended) => requests.store.close_permission(request, ended, now).await?,
                None => requests.store.close_request(request, RequestStatus::Cancelled, now).await?,
            };
            if closed {
                requests.finish(request, RequestStatus::Cancelled, news);
            }
            Ok(closed)
        });
        if closing.await? {
            return Ok(());
        }
        match self.store.status(request).await? {
            None => Err(unknown_request(request)),
            Some(status) => Err(Fault::new(
                Code::NotPending,
                format!("Request {request} is {} already.", status.as_str()),
                "Nothing was changed.",
            )),
        }
    }

    /// The client took its call back, which is no longer counted. Withdraws the request unless
    /// another call waits for it.
    pub(crate) async fn withdraw(self: &Arc<Self>, request: RequestId) -> Result<(), Fault> {
        if self.queue.board.callers(request) > 0 {
            return Ok(());
        }
        let ended = self.queue.board.is_permission(request).then_some(PermissionEnd::Gone);
        match self.close(request, ended, false).await {
            Err(fault) if fault.code == Code::NotPending => Ok(()),
            other => other,
        }
    }
}
