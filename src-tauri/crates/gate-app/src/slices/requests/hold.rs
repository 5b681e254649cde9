//! Replies that can still be taken back: sent from a window a moment ago, in the record and with a receipt, and not yet
//! told to any agent. Until their time is over, agents take the request for pending. After a restart they are held for
//! the rest of it, which the receipt says.

use std::sync::Arc;
use std::time::Duration;

use gate_api::RequestView;
use gate_api::subjects::requests::Event;
use gate_core::{AnsweredFrom, Code, Decision, Digest, Draft, Fault, Given, RequestId, RequestStatus, Timestamp};
use gate_mcp::Change;

use super::{NEVER, Requests};
use crate::slices::queue::Held;
use crate::unknown::unknown_request;
use crate::work::whole;

/// When it is tried again to end a hold.
const AGAIN: Duration = Duration::from_secs(1);

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
        let waiting = self.signing.waiting(request);
        self.take_back_unsent(request).await?;
        let sure = self.sure(request, decision, draft, given, waiting).await?;
        let millis = u64::from(self.settings.in_force().window.undo_seconds) * 1000;
        let until = if sure.signer.is_some() { NEVER } else { self.bus.now().plus_millis(millis) };
        // Before it is committed: nobody may read it in between.
        if millis == 0 || !self.queue.board.hold(request, Held::new(draft.clone(), until)) {
            return self.answer_unless_cancelled(request, shown, decision, draft, given, sure.waiting).await;
        }
        let (requests, draft) = (Arc::clone(self), draft.clone());
        whole(async move {
            let stored = requests.store_with_receipt(request, shown, decision, &draft, &sure, millis).await;
            let receipted = match stored {
                Ok(receipted) => receipted,
                Err(unsent) => {
                    requests.not_sent(request, &unsent, true);
                    return Err(unsent.fault);
                }
            };
            let until = receipted.until;
            let session = requests.queue.board.receipted(request, receipted.receipt, receipted.from);
            requests.unfetched.replied(session);
            let closed =
                Event::RequestClosed { request_id: request, status: RequestStatus::Answered, undo_until: Some(until) };
            requests.bus.emit(closed);
            if let Some(session) = session {
                requests.conversations.sessions.closed(session, requests.bus.now());
                requests.conversations.session_changed(session);
            }
            requests.end_hold_later(request, receipted.receipt, millis);
            Ok(())
        })
        .await
    }

    /// Takes back a reply before any agent has heard of it. The request is pending again.
    pub(crate) async fn undo_reply(
        self: &Arc<Self>,
        request: RequestId,
        given: AnsweredFrom,
    ) -> Result<RequestView, Fault> {
        let Some(held) = self.queue.board.seize(request) else { return Err(self.not_held(request).await?) };
        let requests = Arc::clone(self);
        let taking = whole(async move {
            // The receipt first: a kill in between leaves a reply that is a draft at the next start.
            if let Some(receipt) = held.receipt
                && let Err(fault) = requests.receipts.withdraw(receipt, given).await
            {
                requests.queue.board.held_is_there(request);
                return Err(fault);
            }
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
        match self.queue.board.held_receipt(request) {
            Some((receipt, _)) if self.end_hold(request, receipt).await? => Ok(()),
            _ => Err(self.not_held(request).await?),
        }
    }

    /// Lets the replies go whose time is over. One that can't go is tried again with the next.
    pub(crate) async fn let_replies_go(&self, now: Timestamp) {
        for request in self.queue.board.held_until(now) {
            let Some((receipt, _)) = self.queue.board.held_receipt(request) else { continue };
            if let Err(fault) = self.end_hold(request, receipt).await {
                tracing::warn!(%request, %fault, "a reply is held for longer than it should be");
            }
        }
    }

    /// Lets a reply go after so many milliseconds, whatever the clock says by then.
    pub(super) fn end_hold_later(self: &Arc<Self>, request: RequestId, receipt: Digest, millis: u64) {
        // What only waits keeps no gate.
        let later = Arc::downgrade(self);
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(millis)).await;
            while let Some(requests) = later.upgrade() {
                match requests.end_hold(request, receipt).await {
                    Ok(_) => return,
                    Err(fault) => tracing::warn!(%request, %fault, "a reply is held for longer than it should be"),
                }
                drop(requests);
                tokio::time::sleep(AGAIN).await;
            }
        });
    }

    /// Ends the hold of a reply with this receipt, with a line that says so where its time isn't over by the clock. False
    /// where it isn't held any more.
    async fn end_hold(&self, request: RequestId, receipt: Digest) -> Result<bool, Fault> {
        let Some((_, until)) = self.queue.board.held_receipt(request).filter(|(held, _)| *held == receipt) else {
            return Ok(false);
        };
        if self.bus.now() < until {
            self.receipts.release(receipt).await?;
        }
        Ok(self.let_go(request))
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
}
