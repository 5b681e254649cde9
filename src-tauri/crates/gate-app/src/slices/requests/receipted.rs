//! Replies and their receipts: a reply is stored with its receipt or not at all, and an agent gets one only where it
//! fits. What wasn't given here is a draft that the person may send.

use std::collections::BTreeSet;
use std::sync::Arc;

use gate_api::subjects::conversations;
use gate_api::subjects::requests::Event;
use gate_core::{
    AnsweredFrom, Code, Decision, Digest, Draft, Fault, Reply, RequestId, RequestStatus, SessionUuid, Timestamp,
};
use gate_mcp::Change;
use gate_store::Standing;

use super::sure::Sure;
use super::{Requests, of_another_record};
use crate::slices::queue::Held;
use crate::slices::receipts::{Fit, Giving, Receipt, Receipted, Why, changed_since, not_given, not_receipted, unsent};
use crate::unknown::unknown_request;

/// For how long a reply may be held at most, in milliseconds: more than three confirmations of 140 s, the time that is left
/// for signing once more, and the setting's 30 s. Of older ones the start knows by the record that they have their receipts.
const MOST_HELD_MILLIS: i64 = 10 * 60 * 1000;

/// A reply that wasn't sent.
#[derive(Debug)]
pub(super) struct Unsent {
    /// Why.
    pub(super) fault: Fault,
    /// Whether it is in the record all the same, without its receipt: agents take its request for pending, and it becomes a
    /// draft as soon as the record can be written.
    pub(super) stays: bool,
}

/// What agents may know of a request.
#[derive(Debug)]
pub(super) enum Known {
    /// It stands so.
    So(Standing),
    /// It stands so, and its reply is less sure than it was given: what vouches for that can't be asked just now.
    Unsure(Standing),
    /// Its reply was revoked: it is closed without one.
    Revoked(Standing),
    /// Its reply is from before there were receipts: history.
    Before,
    /// Its reply, which an agent had, isn't one that was given here: nobody's.
    Foreign,
}

impl Known {
    /// Where the request stands.
    ///
    /// # Errors
    /// `unknown_request` where its reply is no result of a call here.
    pub(super) fn standing(self, request: RequestId) -> Result<Standing, Fault> {
        match self {
            Self::So(standing) | Self::Unsure(standing) | Self::Revoked(standing) => Ok(standing),
            Self::Before | Self::Foreign => Err(of_another_record(request)),
        }
    }
}

impl From<Fault> for Unsent {
    fn from(fault: Fault) -> Self {
        Self { fault, stays: false }
    }
}

impl Requests {
    /// Stores a reply, then writes its receipt. Nobody is told of it yet, and nobody reads it in between. One whose
    /// receipt can't be written is taken back: its request is pending, and what was written is its draft.
    pub(super) async fn store_with_receipt(
        &self,
        request: RequestId,
        shown: Digest,
        decision: Option<Decision>,
        draft: &Draft,
        sure: &Sure,
        held_millis: u64,
    ) -> Result<Receipted, Unsent> {
        let _coming = self.receipts.coming(request);
        let answered = self.store.answer(request, shown, decision, draft, sure.given, self.bus.now()).await;
        let reply = answered.map_err(Fault::from)?;
        let fault = match self.receipt_of(request, shown, &reply, sure, held_millis).await {
            Ok(receipted) => return Ok(receipted),
            Err(fault) => not_receipted(&fault),
        };
        match self.store.withdraw_reply(request, draft, self.bus.now()).await {
            Ok(message) => {
                if let Some(message) = message {
                    self.conversations.search.forget_message(message).await;
                }
                Err(Unsent { fault, stays: false })
            }
            Err(error) => {
                tracing::error!(%request, %error, "a reply without a receipt can't be taken back");
                self.queue.board.keep_unsent(request, draft.clone());
                self.bus.warn(unsent(request));
                Err(Unsent { fault: Fault { code: fault.code, ..unsent(request) }, stays: true })
            }
        }
    }

    /// Takes a reply back that has no receipt and couldn't be taken back when that turned out: by now there may be room.
    /// Its request is shown again.
    ///
    /// # Errors
    /// When it still can't; nothing is sent then.
    pub(super) async fn take_back_unsent(&self, request: RequestId) -> Result<(), Fault> {
        let taking = self.receipts.coming(request);
        let Some(draft) = self.queue.board.seize_unsent(request) else {
            drop(taking);
            // Another one may just be at it.
            self.receipts.landed(request).await;
            return Ok(());
        };
        match self.store.withdraw_reply(request, &draft, self.bus.now()).await {
            Ok(Some(message)) => self.conversations.search.forget_message(message).await,
            Ok(None) => {}
            Err(error) => {
                self.queue.board.keep_unsent(request, draft);
                return Err(error.into());
            }
        }
        self.bus.take_back_warnings(&[&unsent(request)]);
        if let Some(request) = self.queue.board.unhold(request) {
            let session = request.session_uuid;
            self.bus.emit(Event::RequestAdded { request, view: None, again: true });
            self.conversations.session_changed(session);
        }
        Ok(())
    }

    /// The same with all of them, as time passes.
    pub(crate) async fn take_back_all_unsent(&self) {
        for request in self.queue.board.all_unsent() {
            if let Err(fault) = self.take_back_unsent(request).await {
                tracing::debug!(%request, %fault, "a reply without a receipt can't be taken back yet");
            }
        }
    }

    async fn receipt_of(
        &self,
        request: RequestId,
        shown: Digest,
        reply: &Reply,
        sure: &Sure,
        held_millis: u64,
    ) -> Result<Receipted, Fault> {
        let asked = self.store.request(request).await?.ok_or_else(|| unknown_request(request))?;
        let giving = Giving { request: &asked, shown, reply, held_millis };
        match &sure.signer {
            Some(signer) => self.signing.give(giving, signer.as_ref(), &sure.waiting).await,
            None => self.receipts.give(giving).await,
        }
    }

    /// A reply that was to be sent waits again for the person. `held` says whether it was off the queue for that.
    pub(super) fn not_sent(&self, request: RequestId, unsent: &Unsent, held: bool) {
        if unsent.stays || !held {
            return;
        }
        let summary = self.queue.board.unhold(request);
        // It was off the queue for longer than a moment: whoever looked meanwhile doesn't have it.
        if let Some(request) = summary.filter(|_| unsent.fault.code == Code::NotSigned) {
            self.bus.emit(Event::RequestAdded { request, view: None, again: true });
        }
    }

    /// Where a request stands as agents may know it: pending, while its reply is held back, or where that isn't the one
    /// that its receipt is of.
    ///
    /// # Errors
    /// `unknown_request` where the reply is no result of a call here, and where record or receipts can't be read.
    pub(crate) async fn standing(&self, request: RequestId) -> Result<Option<Standing>, Fault> {
        match self.known(request).await? {
            None => Ok(None),
            Some(known) => known.standing(request).map(Some),
        }
    }

    /// As [`Self::known`]. What can't change any more may have been read before.
    ///
    /// # Errors
    /// Where record or receipts can't be read.
    pub(super) async fn known_again(&self, request: RequestId) -> Result<Option<Known>, Fault> {
        if let Some(standing) = self.queue.settled.get(request) {
            return Ok(Some(Known::So(standing)));
        }
        let since = self.queue.settled.before_reading();
        let known = Box::pin(self.known(request)).await?;
        // One that is less sure may be surer in a moment.
        if let Some(Known::So(standing)) = &known {
            self.queue.settled.keep(request, standing, since);
        }
        Ok(known)
    }

    /// As [`Self::standing`], and why a reply is no result of a call here.
    ///
    /// # Errors
    /// Where record or receipts can't be read.
    pub(super) async fn known(&self, request: RequestId) -> Result<Option<Known>, Fault> {
        loop {
            // What is held is pending for agents, however long it takes until it is there.
            let was_held = self.queue.board.is_held(request);
            if !was_held {
                self.receipts.landed(request).await;
            }
            let unheld = self.queue.board.unheld();
            let standing = self.store.standing(request).await?;
            let held = self.queue.board.is_held(request);
            // Read while it was stored or taken back: what was read may be what doesn't hold.
            if (self.receipts.is_coming(request) && !(was_held && held)) || self.queue.board.unheld() != unheld {
                continue;
            }
            let Some(standing) = standing else { return Ok(None) };
            return match (held, &standing.reply) {
                (true, _) => Ok(Some(Known::So(pending(standing)))),
                (false, Some(reply)) if reply.imported_at.is_none() => self.as_given(request, standing).await.map(Some),
                (false, _) => Ok(Some(Known::So(standing))),
            };
        }
    }

    /// An answered request as its receipt has it.
    async fn as_given(&self, request: RequestId, standing: Standing) -> Result<Known, Fault> {
        Ok(match self.receipts.fit(request, &standing).await? {
            Fit::Given(Receipt { id, assurance, .. }) => {
                let is_less_sure = standing.reply.as_ref().is_some_and(|reply| assurance < reply.assurance);
                let reply = standing.reply.map(|reply| Reply { assurance, ..reply });
                let standing = Standing { reply, receipt: Some(id), ..standing };
                if is_less_sure { Known::Unsure(standing) } else { Known::So(standing) }
            }
            Fit::Revoked => Known::Revoked(Standing { status: RequestStatus::Cancelled, ..pending(standing) }),
            Fit::Not(Why::Before) => Known::Before,
            // An agent had it.
            Fit::Not(why) if standing.delivered => {
                if why == Why::Changed {
                    self.bus.warn(changed_since(request));
                }
                Known::Foreign
            }
            Fit::Not(why) => {
                self.disown(request, &standing, why).await?;
                Known::So(pending(standing))
            }
        })
    }

    /// Makes a reply a draft that no agent had and that wasn't given here: its request waits for the person.
    async fn disown(&self, request: RequestId, standing: &Standing, why: Why) -> Result<(), Fault> {
        let Some(reply) = &standing.reply else { return Ok(()) };
        // What the person was writing isn't lost for what another program wrote.
        let draft = match self.store.draft(request).await? {
            kept if kept != Draft::default() => kept,
            _ => draft_of(reply),
        };
        if let Some(message) = self.store.withdraw_reply(request, &draft, self.bus.now()).await? {
            self.conversations.search.forget_message(message).await;
            self.back_on_the_queue(request, standing.session_uuid).await?;
            self.bus.warn(not_given(request, why));
        }
        Ok(())
    }

    /// Shows a request again whose reply is none.
    async fn back_on_the_queue(&self, request: RequestId, session: SessionUuid) -> Result<(), Fault> {
        // One that is held counts as answered; one that is still being stored doesn't yet.
        let was_held = self.queue.board.held_receipt(request).is_some();
        let summary = match self.queue.board.unhold(request) {
            Some(summary) => {
                if was_held {
                    self.conversations.sessions.reopened(session);
                }
                Some(summary)
            }
            None => {
                let Some(stored) = self.store.request(request).await? else { return Ok(()) };
                self.queue.board.restore(&stored, None, 0);
                self.conversations.sessions.reopened(session);
                self.summary(request)
            }
        };
        if let Some(request) = summary {
            self.bus.emit(Event::RequestAdded { request, view: None, again: true });
            self.conversations.session_changed(session);
        }
        Ok(())
    }

    /// Looks at the start at the replies that no agent has: those without a receipt that fits are drafts, and those that
    /// were held when the gate stopped are held for the rest of their time.
    ///
    /// # Errors
    /// When the record can't be read.
    pub(crate) async fn settle(self: &Arc<Self>) -> Result<(), Fault> {
        let since = Timestamp(self.bus.now().0.saturating_sub(MOST_HELD_MILLIS));
        let unsettled = self.store.undelivered_unsettled(self.receipts.began(), since).await?;
        self.settle_these(unsettled.into_iter().chain(self.receipts.take_orphaned()).collect()).await;
        Ok(())
    }

    /// Makes drafts of the replies that weren't delivered when the chain broke.
    pub(crate) async fn settle_orphaned(self: &Arc<Self>) {
        let orphaned = self.receipts.take_orphaned();
        if !orphaned.is_empty() {
            self.settle_these(orphaned.into_iter().collect()).await;
        }
    }

    async fn settle_these(self: &Arc<Self>, requests: BTreeSet<RequestId>) {
        for request in requests {
            if let Err(fault) = self.settle_one(request).await {
                tracing::warn!(%request, %fault, "a reply can't be held against its receipt");
                self.bus.warn(fault);
            }
        }
    }

    async fn settle_one(self: &Arc<Self>, request: RequestId) -> Result<(), Fault> {
        self.receipts.landed(request).await;
        let Some(standing) = self.store.standing(request).await? else { return Ok(()) };
        let Some(reply) = standing.reply.as_ref().filter(|_| !standing.delivered) else { return Ok(()) };
        if reply.imported_at.is_some() || self.receipts.is_coming(request) {
            return Ok(());
        }
        match self.receipts.fit(request, &standing).await? {
            Fit::Given(receipt) if receipt.held_millis > 0 && !self.queue.board.is_held(request) => {
                self.hold_again(request, draft_of(reply), receipt).await
            }
            Fit::Given(_) | Fit::Revoked | Fit::Not(Why::Before) => Ok(()),
            Fit::Not(why) => self.disown(request, &standing, why).await,
        }
    }

    /// Holds a reply back that was held when the gate stopped.
    async fn hold_again(self: &Arc<Self>, request: RequestId, draft: Draft, receipt: Receipt) -> Result<(), Fault> {
        let Some(stored) = self.store.request(request).await? else { return Ok(()) };
        let until = self.bus.now().plus_millis(receipt.held_millis);
        self.queue.board.restore(&stored, None, 0);
        self.queue.board.hold(request, Held::new(draft, until));
        self.queue.board.receipted(request, receipt.id, until);
        self.end_hold_later(request, receipt.id, receipt.held_millis);
        Ok(())
    }

    /// Revokes a receipt: from now on its reply is no agent's.
    ///
    /// # Errors
    /// `invalid_input` where there is no such receipt, and where it can't be written.
    pub(crate) async fn revoke(&self, receipt: Digest, given: AnsweredFrom) -> Result<(), Fault> {
        self.receipts.withdraw(receipt, given).await?;
        self.queue.settled.clear();
        self.bus.emit(conversations::Event::HistoryChanged);
        // Whoever reads the record reads it without that reply.
        let revoked = self.receipts.chain(move |chain| Ok(chain.receipt(receipt)?)).await?;
        if let Some(revoked) = revoked
            && let Some(asked) = self.store.request(revoked.decided.request).await?
        {
            self.bus.change(Change::Conversation(asked.session_uuid));
        }
        Ok(())
    }
}

/// A request whose reply no agent may know of.
fn pending(standing: Standing) -> Standing {
    Standing { status: RequestStatus::Pending, reply: None, digest: None, ..standing }
}

/// What was sent, to be sent again.
fn draft_of(reply: &Reply) -> Draft {
    Draft {
        text: reply.text.clone(),
        selected: reply.selected.clone(),
        comments: reply.comments.clone(),
        attachments: reply.attachments.iter().map(|file| file.attachment_id).collect(),
        remarks: reply.remarks.clone(),
    }
}
