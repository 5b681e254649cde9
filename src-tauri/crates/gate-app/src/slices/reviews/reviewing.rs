//! What a reviewer does: claims, reads, says, offers patches, decides.

use std::sync::Arc;

use gate_core::proposal::{
    Act, Acted, Brought, Claimed, MessagePlace, NewDiff, NewMessage, NextReview, PatchId, PatchStatus, ReviewId,
    ReviewRole, ReviewStore as _, StoredReview, ThreadId, ThreadMessageId, Verdict, bounds,
};
use gate_core::{Code, Fault};
use gate_mcp::{ClaimGiven, ClaimWish, GivenVerdict, OfferedPatch, ReviewCaller, ReviewRead, Said, SaidAt};

use super::Reviews;
use crate::work::whole;

impl Reviews {
    /// What a caller is to a review.
    pub(super) fn role(caller: &ReviewCaller, stored: &StoredReview) -> ReviewRole {
        match caller.party.is_one_with(&stored.proposer, gate_link::has_ended) {
            true => ReviewRole::Proposer,
            false => ReviewRole::Reviewer,
        }
    }

    /// A review with one of its rounds.
    pub(super) async fn read_round(
        &self,
        stored: StoredReview,
        round: Option<u32>,
        role: ReviewRole,
    ) -> Result<ReviewRead, Fault> {
        let review = stored.summary.review_id;
        let wanted = round.unwrap_or(stored.summary.round);
        let found = self.store.rounds(review, wanted).await?.into_iter().next();
        let found = found.filter(|found| found.round == wanted).ok_or_else(|| {
            Fault::new(
                Code::InvalidInput,
                format!("`round` is {wanted}, but the review has the rounds 1 to {}.", stored.summary.round),
                "Leave it out for the newest one.",
            )
        })?;
        let diff = self.text_of(found.diff_sha256).await?;
        let verdicts = self.store.verdicts(review).await?;
        Ok(ReviewRead { review: stored, round: found, diff, verdicts, role })
    }

    /// The text of a diff; empty for none.
    pub(super) async fn text_of(&self, sha256: Option<gate_core::Digest>) -> Result<String, Fault> {
        let Some(sha256) = sha256 else { return Ok(String::new()) };
        let bytes = self.store.diff(sha256).await?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Claims a review, once it was looked whether it still applies.
    pub(super) async fn claim(self: &Arc<Self>, caller: &ReviewCaller, review: ReviewId) -> Result<ClaimGiven, Fault> {
        let stored = self.seen(caller, review).await?;
        if let Some(before) = self.done_before(caller).await? {
            return self.given(before).await;
        }
        self.still_fits(&stored).await?;
        let acted = self.act(caller, review, Act::Claim, Brought::Nothing).await?;
        self.clock.holds(review, acted.claim_token, caller.whose.agent.clone(), self.bus.now());
        self.given(acted).await
    }

    /// Claims the next review in the queue.
    pub(super) async fn claim_next(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        wish: &ClaimWish,
    ) -> Result<Option<ClaimGiven>, Fault> {
        let next = self.next(caller, wish).await?;
        loop {
            let acting = self.acting_of(caller, ReviewId(uuid::Uuid::nil()), Act::Claim, Brought::Nothing);
            let (reviews, wanted) = (Arc::clone(self), next.clone());
            let claimed = whole(async move {
                let claimed = reviews.store.claim_next(acting, &wanted).await?;
                if let Some(acted) = &claimed {
                    reviews.told(acted).await;
                }
                Ok(claimed)
            });
            let Some(acted) = claimed.await? else { return Ok(None) };
            let review = acted.review.review_id;
            self.clock.holds(review, acted.claim_token, caller.whose.agent.clone(), self.bus.now());
            let stored = self.store.review(review).await?.ok_or_else(|| gate_core::proposal::unknown_review(review))?;
            // One that doesn't apply any more is rejected, and the next one is looked at.
            match self.still_fits(&stored).await {
                Ok(()) => return self.given(acted).await.map(Some),
                Err(fault) if fault.code == Code::DiffConflict => {
                    self.store.delivered(&caller.whose.call_key).await?;
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    async fn next(&self, caller: &ReviewCaller, wish: &ClaimWish) -> Result<NextReview, Fault> {
        let places = self.places_at(&caller.whose.owner, wish.workspace.as_deref()).await?;
        Ok(NextReview { places, categories: wish.categories.clone() })
    }

    /// Waits for the next review, and claims it.
    pub(super) async fn wait_to_claim(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        wish: &ClaimWish,
    ) -> Result<ClaimGiven, Fault> {
        let place = self.claimers.join(self.next(caller, wish).await?, caller.party.key.clone())?;
        loop {
            // One may have come before it joined, or while it looked at another.
            if let Some(given) = self.claim_next(caller, wish).await? {
                return Ok(given);
            }
            let offer = place.offered().await;
            match self.claim(caller, offer.review).await {
                Ok(given) => {
                    place.took();
                    return Ok(given);
                }
                // Somebody was faster, or it doesn't apply any more.
                Err(fault) if matches!(fault.code, Code::AlreadyClaimed | Code::WrongState | Code::DiffConflict) => {
                    place.took();
                }
                Err(fault) if fault.code == Code::TooMany => return Err(fault),
                // It isn't for this one: the next may have it.
                Err(_) => place.pass_on(),
            }
        }
    }

    async fn given(&self, acted: Acted) -> Result<ClaimGiven, Fault> {
        let review = acted.review.review_id;
        let threads = self.threads_now(review).await?;
        let open: Vec<_> = threads.into_iter().filter(|thread| !thread.resolved).collect();
        let messages =
            self.store.review_messages(review, 0, usize::try_from(bounds::MESSAGES).unwrap_or(usize::MAX)).await?;
        let in_open = |thread: Option<ThreadId>| open.iter().any(|known| Some(known.thread_id) == thread);
        let messages = messages.into_iter().filter(|message| in_open(message.thread_id)).collect();
        let round = self.store.rounds(review, acted.review.round).await?.into_iter().next();
        let round = round.ok_or_else(|| Fault::internal("a review without a round"))?;
        let diff = self.text_of(round.diff_sha256).await?;
        Ok(ClaimGiven {
            claim_token: acted.claim_token.unwrap_or_default(),
            review: acted.review,
            diff,
            round,
            threads: open,
            messages,
        })
    }

    /// Gives a verdict. An approval of what doesn't apply any more is none: the review is rejected.
    pub(super) async fn judge(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        review: ReviewId,
        verdict: GivenVerdict,
    ) -> Result<Acted, Fault> {
        let stored = self.seen(caller, review).await?;
        if let Some(before) = self.done_before(caller).await? {
            return Ok(before);
        }
        let mut results = Vec::new();
        if verdict.decision == Verdict::Approved {
            self.still_fits(&stored).await?;
            results = self.patches_within(&stored).await?;
        }
        let comment = |(anchor, body)| NewMessage {
            message_id: ThreadMessageId(self.bus.new_id()),
            place: MessagePlace::Lines(ThreadId(self.bus.new_id()), anchor),
            body,
            resolve: None,
            round: None,
        };
        let with = Brought::Judged {
            reason: verdict.reason,
            comments: verdict.comments.into_iter().map(comment).collect(),
            results,
        };
        self.act(caller, review, Act::Verdict(verdict.decision, verdict.claimed), with).await
    }

    /// Patches of the newest round that are open and need no more than it does: the approval of it approves those of them,
    /// too, that are the approver's own, which the record tells.
    async fn patches_within(&self, stored: &StoredReview) -> Result<Vec<PatchId>, Fault> {
        let (rules, mut within) = (self.rules(), Vec::new());
        for patch in self.store.patches(stored.summary.review_id).await? {
            let is_open = patch.status == PatchStatus::Open && patch.round == stored.state.round;
            let need = self.need_in(&rules, stored, (&patch.checked, Some(patch.diff_sha256)), None).await?;
            if is_open && stored.state.needs().and(need) == stored.state.needs() {
                within.push(patch.patch_id);
            }
        }
        Ok(within)
    }

    /// Says something.
    pub(super) async fn say(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        review: ReviewId,
        said: Said,
    ) -> Result<Acted, Fault> {
        self.seen(caller, review).await?;
        let place = match said.at {
            SaidAt::Review => MessagePlace::Review,
            SaidAt::Thread(thread) => MessagePlace::Thread(thread),
            SaidAt::Lines(anchor) => MessagePlace::Lines(ThreadId(self.bus.new_id()), anchor),
        };
        let message_id = said.message_id.unwrap_or_else(|| ThreadMessageId(self.bus.new_id()));
        let message = NewMessage { message_id, place, body: said.body, resolve: said.resolve, round: None };
        self.act(caller, review, Act::Message, Brought::Message(message)).await
    }

    /// Offers a patch, held against what its round was held against.
    pub(super) async fn offer_patch(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        review: ReviewId,
        patch: OfferedPatch,
    ) -> Result<Acted, Fault> {
        let stored = self.seen(caller, review).await?;
        if let Some(before) = self.done_before(caller).await? {
            return Ok(before);
        }
        let base = stored.summary.base.as_deref().filter(|base| *base != "worktree");
        let checked = self.held(caller, &patch.diff, base, false).await?;
        let new = NewDiff { diff: patch.diff.into_bytes(), description: patch.description, checked };
        let patch_id = PatchId(self.bus.new_id());
        let with = Brought::Patch { patch_id, new: Box::new(new), approves: patch.approves };
        self.act(caller, review, Act::OfferPatch(patch.claimed), with).await
    }

    /// Gives a claim back.
    pub(super) async fn release(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        review: ReviewId,
        reason: Option<String>,
        claimed: Claimed,
    ) -> Result<Acted, Fault> {
        self.seen(caller, review).await?;
        let with = reason.map_or(Brought::Nothing, Brought::Reason);
        self.act(caller, review, Act::Release(claimed), with).await
    }

    /// Whether what a review proposes still applies. Where it doesn't, the review is rejected, with a hint to its
    /// proposer.
    ///
    /// # Errors
    /// `diff_conflict` where it doesn't.
    pub(super) async fn still_fits(self: &Arc<Self>, stored: &StoredReview) -> Result<(), Fault> {
        let review = stored.summary.review_id;
        let Some(why) = self.stale(stored).await? else { return Ok(()) };
        let rejected = self.act_alone(review, Act::Unfit, Brought::Reason(why.clone())).await;
        match rejected {
            // Where it stands elsewhere by now, the act itself says so.
            Err(fault) if fault.code == Code::WrongState => return Ok(()),
            other => drop(other?),
        }
        Err(Fault::new(
            Code::DiffConflict,
            format!("It doesn't apply any more, and was rejected: {why}."),
            "Its proposer submits it again; call claim_review without review_id for another one.",
        ))
    }

    /// In what way a review's newest round doesn't apply any more; absent where it does, or nobody can tell.
    pub(super) async fn stale(&self, stored: &StoredReview) -> Result<Option<String>, Fault> {
        let Some(round) = self.store.rounds(stored.summary.review_id, stored.summary.round).await?.into_iter().next()
        else {
            return Ok(None);
        };
        let is_checked = round.checked.tree.is_some() && !stored.summary.workspace.is_empty();
        let Some(sha256) = round.diff_sha256.filter(|_| is_checked) else { return Ok(None) };
        let Some(diff) = self.store.diff(sha256).await? else { return Ok(None) };
        let folder = std::path::PathBuf::from(&stored.summary.workspace);
        match self.requests.still_fits(&folder, &diff).await {
            Ok(crate::slices::requests::StillFits::Stands) => Ok(None),
            Ok(crate::slices::requests::StillFits::Stale(why)) => Ok(Some(why)),
            // The folder may be gone, or not be read now: that says nothing about the change.
            Err(fault) => {
                tracing::warn!(%fault, "whether a review still applies can't be told");
                Ok(None)
            }
        }
    }
}
