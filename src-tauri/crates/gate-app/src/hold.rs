//! Replies that can still be taken back: sent from a window a moment ago, in the record, and not yet
//! told to any agent. Until their time is over, agents take the request for pending. After a restart
//! there is no such time: what is in the record counts as sent.

use std::time::Duration;

use gate_api::{Event, RequestView};
use gate_core::{
    AnsweredFrom, Code, Decision, Draft, Fault, Found, Message, Page, RequestId, RequestStatus, Role, Timestamp,
};
use gate_mcp::Change;
use gate_store::Standing;

use crate::board::Held;
use crate::clock::now;
use crate::gate::{Gate, unknown_request, whole};

impl Gate {
    /// Stores a reply that was sent from a window, and holds it back for as long as the settings say.
    pub(crate) async fn answer_from_window(
        &self,
        request: RequestId,
        decision: Option<Decision>,
        draft: &Draft,
        from: AnsweredFrom,
    ) -> Result<(), Fault> {
        let millis = u64::from(self.settings().window.undo_seconds) * 1000;
        let until = now().plus_millis(millis);
        // Before it is committed: nobody may read it in between.
        if millis == 0 || !self.inner.board.hold(request, Held::new(draft.clone(), until)) {
            return self.answer(request, decision, draft, from).await;
        }
        let (gate, draft) = (self.clone(), draft.clone());
        whole(async move {
            if let Err(error) = gate.inner.store.answer(request, decision, &draft, from, now()).await {
                gate.inner.board.unhold(request);
                return Err(error.into());
            }
            let session = gate.inner.board.held_is_there(request);
            let closed =
                Event::RequestClosed { request_id: request, status: RequestStatus::Answered, undo_until: Some(until) };
            gate.emit(closed);
            if let Some(session) = session {
                gate.inner.sessions.closed(session, now());
                gate.session_changed(session);
            }
            let later = gate.clone();
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(millis)).await;
                later.let_replies_go(until);
            });
            Ok(())
        })
        .await
    }

    /// Takes back a reply before any agent has heard of it. The request is pending again.
    pub(crate) async fn undo_reply(&self, request: RequestId) -> Result<RequestView, Fault> {
        let Some(held) = self.inner.board.seize(request) else { return Err(self.not_held(request).await?) };
        let gate = self.clone();
        let taking = whole(async move {
            let taken = gate.inner.store.withdraw_reply(request, &held.draft, now()).await;
            let message = match taken {
                Ok(Some(message)) => message,
                // Its conversation was deleted meanwhile.
                Ok(None) => {
                    gate.inner.board.held_is_there(request);
                    return Err(gate.not_held(request).await?);
                }
                Err(error) => {
                    gate.inner.board.held_is_there(request);
                    return Err(error.into());
                }
            };
            let summary = gate.inner.board.unhold(request);
            gate.forget_message(message).await;
            if let Some(summary) = summary {
                gate.inner.sessions.reopened(summary.session_uuid);
                gate.emit(Event::RequestAdded { request: summary.clone(), view: None, again: true });
                gate.session_changed(summary.session_uuid);
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
        for request in self.inner.board.held_until(now) {
            self.let_go(request);
        }
    }

    fn let_go(&self, request: RequestId) -> bool {
        let Some(session) = self.inner.board.let_go(request) else { return false };
        let closed = Event::RequestClosed { request_id: request, status: RequestStatus::Answered, undo_until: None };
        self.emit(closed);
        self.change(Change::Conversation(session));
        self.inner.said.notify_one();
        true
    }

    /// Why a reply can't be taken back.
    async fn not_held(&self, request: RequestId) -> Result<Fault, Fault> {
        let status = self.inner.store.status(request).await?;
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
            let unheld = self.inner.board.unheld();
            let standing = self.inner.store.standing(request).await?;
            let held = self.inner.board.is_held(request);
            // Read while it was taken back: what was read may be what no longer holds.
            if self.inner.board.unheld() != unheld {
                continue;
            }
            return Ok(standing.map(|standing| match held {
                true => Standing { status: RequestStatus::Pending, reply: None, ..standing },
                false => standing,
            }));
        }
    }

    /// What agents may find: no words of a reply that is held back.
    pub(crate) fn as_agents_find(&self, mut found: Page<Found>) -> Page<Found> {
        let held = self.inner.board.held();
        if !held.is_empty() {
            let sessions: Vec<_> = held.iter().filter_map(|request| self.inner.board.session_of(*request)).collect();
            // A hit doesn't say which request it belongs to; a session's earlier replies can wait as long.
            let reply = |found: &Found| {
                let said = found.hit.as_ref().is_some_and(|hit| hit.role == Role::Person);
                said && sessions.contains(&found.conversation.session_uuid)
            };
            found.items.retain(|found| !reply(found));
        }
        found
    }

    /// A page of messages as agents may know it: without replies that are held back.
    pub(crate) fn as_agents_know(&self, mut messages: Page<Message>) -> Page<Message> {
        let held = self.inner.board.held();
        if held.is_empty() {
            return messages;
        }
        messages.items.retain(|message| message.role == Role::Agent || !held.contains(&message.request_id));
        for message in messages.items.iter_mut().filter(|message| held.contains(&message.request_id)) {
            message.status = Some(RequestStatus::Pending);
        }
        messages
    }
}
