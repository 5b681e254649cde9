//! Replies that can still be taken back: sent from a window a moment ago, in the record, and not yet
//! told to any agent. Until their time is over, agents take the request for pending. After a restart
//! there is no such time: what is in the record counts as sent.

use std::sync::Arc;
use std::time::Duration;

use gate_api::RequestView;
use gate_api::subjects::requests::Event;
use gate_core::{Code, Decision, Digest, Draft, Fault, Given, RequestId, RequestStatus, Timestamp};
use gate_mcp::Change;
use gate_store::Standing;

use super::Requests;
use crate::slices::queue::Held;
use crate::unknown::unknown_request;
use crate::work::whole;

impl Requests {
    /// Stores a reply that was sent from a window, and holds it back for as long as the settings say.
    pub(crate) async fn answer_from_window(
        self: &Arc<Self>,
        request: RequestId,
        shown: Digest,
        decision: Option<Decision>,
        draft: &Draft,
        given: Given,
    ) -> Result<(), Fault> {
        let millis = u64::from(self.settings.in_force().window.undo_seconds) * 1000;
        let until = self.bus.now().plus_millis(millis);
        // Before it is committed: nobody may read it in between.
        if millis == 0 || !self.queue.board.hold(request, Held::new(draft.clone(), until)) {
            return self.answer(request, shown, decision, draft, given).await;
        }
        let (requests, draft) = (Arc::clone(self), draft.clone());
        whole(async move {
            let now = requests.bus.now();
            if let Err(error) = requests.store.answer(request, shown, decision, &draft, given, now).await {
                requests.queue.board.unhold(request);
                return Err(error.into());
            }
            let session = requests.queue.board.held_is_there(request);
            requests.unfetched.replied(session);
            let closed =
                Event::RequestClosed { request_id: request, status: RequestStatus::Answered, undo_until: Some(until) };
            requests.bus.emit(closed);
            if let Some(session) = session {
                requests.conversations.sessions.closed(session, requests.bus.now());
                requests.conversations.session_changed(session);
            }
            let later = Arc::clone(&requests);
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(millis)).await;
                later.let_replies_go(until);
            });
            Ok(())
        })
        .await
    }

    /// Takes back a reply before any agent has heard of it. The request is pending again.
    pub(crate) async fn undo_reply(self: &Arc<Self>, request: RequestId) -> Result<RequestView, Fault> {
        let Some(held) = self.queue.board.seize(request) else { return Err(self.not_held(request).await?) };
        let requests = Arc::clone(self);
        let taking = whole(async move {
            let taken = requests.store.withdraw_reply(request, &held.draft, requests.bus.now()).await;
            let message = match taken {
                Ok(Some(message)) => message,
                // Its conversation was deleted meanwhile.
                Ok(None) => {
                    requests.queue.board.held_is_there(request);
                    return Err(requests.not_held(request).await?);
                }
                Err(error) => {
                    requests.queue.board.held_is_there(request);
                    return Err(error.into());
                }
            };
            let summary = requests.queue.board.unhold(request);
            requests.conversations.search.forget_message(message).await;
            if let Some(summary) = summary {
                requests.conversations.sessions.reopened(summary.session_uuid);
                requests.bus.emit(Event::RequestAdded { request: summary.clone(), view: None, again: true });
                requests.conversations.session_changed(summary.session_uuid);
            }
            Ok(())
        });
        taking.await?;
        self.open_request(request).await
    }

    /// Lets an agent hear of a reply that could still be taken back.
    pub(crate) async fn send_now(&self, request: RequestId) -> Result<(), Fault> {
        match self.let_go(request) {
            true => Ok(()),
            false => Err(self.not_held(request).await?),
        }
    }

    /// Lets the replies go whose time is over.
    pub(crate) fn let_replies_go(&self, now: Timestamp) {
        for request in self.queue.board.held_until(now) {
            self.let_go(request);
        }
    }

    fn let_go(&self, request: RequestId) -> bool {
        let waits = self.queue.board.callers(request) > 0;
        let Some(session) = self.queue.board.let_go(request) else { return false };
        let closed = Event::RequestClosed { request_id: request, status: RequestStatus::Answered, undo_until: None };
        self.bus.emit(closed);
        self.bus.change(Change::Conversation(session));
        self.conversations.search.said();
        if !waits {
            self.tell_agent(session, request, RequestStatus::Answered);
        }
        true
    }

    /// Why a reply can't be taken back.
    async fn not_held(&self, request: RequestId) -> Result<Fault, Fault> {
        let status = self.store.status(request).await?;
        Ok(match status {
            None => unknown_request(request),
            Some(RequestStatus::Pending) => Fault::new(
                Code::InvalidInput,
                format!("Request {request} has no reply yet."),
                "It waits for one; nothing was changed.",
            ),
            Some(RequestStatus::Answered) => Fault::new(
                Code::TooLate,
                format!("The agent has been told of the reply to request {request}."),
                "Send the agent a note that corrects it, or answer its next question so.",
            ),
            Some(status @ (RequestStatus::Cancelled | RequestStatus::Expired)) => Fault::new(
                Code::NotPending,
                format!("Request {request} is {}.", status.as_str()),
                "Nothing was changed.",
            ),
        })
    }

    /// Where a request stands as agents may know it: pending, while its reply is held back.
    pub(crate) async fn standing(&self, request: RequestId) -> Result<Option<Standing>, Fault> {
        loop {
            let unheld = self.queue.board.unheld();
            let standing = self.store.standing(request).await?;
            let held = self.queue.board.is_held(request);
            // Read while it was taken back: what was read may be what no longer holds.
            if self.queue.board.unheld() != unheld {
                continue;
            }
            return Ok(standing.map(|standing| match held {
                true => Standing { status: RequestStatus::Pending, reply: None, digest: None, ..standing },
                false => standing,
            }));
        }
    }
}
