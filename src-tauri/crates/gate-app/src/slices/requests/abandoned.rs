//! Requests whose agents are gone, closed at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use gate_api::subjects::requests::Event;
use gate_core::{Code, Fault, RequestId, RequestStatus, bounds};

use super::Requests;
use crate::work::whole;

impl Requests {
    /// Closes without an answer those of the requests that no call waits for and whose agents are gone. Returns which.
    pub(crate) async fn dismiss_abandoned(
        self: &Arc<Self>,
        wanted: BTreeSet<RequestId>,
    ) -> Result<Vec<RequestId>, Fault> {
        if wanted.len() > bounds::PENDING_REQUESTS {
            return Err(Fault::new(
                Code::TooMany,
                format!(
                    "`request_ids` has {} entries; at most {} are allowed.",
                    wanted.len(),
                    bounds::PENDING_REQUESTS
                ),
                "Close them in several steps.",
            ));
        }
        let requests = Arc::clone(self);
        whole(async move {
            let abandoned: Vec<_> = wanted.into_iter().filter(|request| requests.is_abandoned(*request)).collect();
            let closed =
                requests.store.close_requests(&abandoned, RequestStatus::Cancelled, requests.bus.now()).await?;
            requests.finish_all(&closed, RequestStatus::Cancelled);
            Ok(closed)
        })
        .await
    }

    fn is_abandoned(&self, request: RequestId) -> bool {
        // Of a review nobody waits by a call, and its proposer may be gone: it is there all the same.
        let waits = self.summary(request).filter(|summary| !summary.caller_waiting && summary.round.is_none());
        waits.is_some_and(|summary| {
            self.conversations.sessions.is_gone(summary.session_uuid) && !self.queue.board.is_held(request)
        })
    }

    fn finish_all(&self, closed: &[RequestId], status: RequestStatus) {
        if closed.is_empty() {
            return;
        }
        let mut sessions = BTreeSet::new();
        for session in closed.iter().filter_map(|request| self.queue.board.close(*request)) {
            self.conversations.sessions.closed(session, self.bus.now());
            sessions.insert(session);
        }
        self.bus.emit(Event::RequestsClosed { request_ids: closed.to_vec(), status });
        self.conversations.search.said();
        for session in sessions {
            self.conversations.session_changed(session);
        }
    }
}
