//! What a proposer does: submits, takes a patch or doesn't, closes.

use gate_core::proposal::{
    Act, Acted, Brought, Ending, Fits, Need, NewDiff, NewReview, PatchId, PatchStatus, Priority, Refusal, ReviewId,
    ReviewRole, ReviewRule, ReviewStatus, ReviewStore as _, ReviewSummary, StoredReview, bounds, unknown_review,
};
use gate_core::{Digest, Fault, SessionUuid};
use gate_link::has_ended;
use gate_mcp::{Closing, ReviewCaller, Submission, SubmittedProposal};

use std::path::Path;
use std::sync::Arc;

use super::Reviews;
use super::waiting::Offer;
use crate::work::whole;

impl Reviews {
    /// Submits a proposal, or a review's next round.
    pub(super) async fn submit(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        session: SessionUuid,
        proposal: SubmittedProposal,
    ) -> Result<Submission, Fault> {
        if caller.party.comments_only(true) {
            return Err(Refusal::CommentsOnly.fault());
        }
        if let Some(before) = self.done_before(caller).await? {
            let rounds = self.store.rounds(before.review.review_id, before.review.round).await?;
            let warnings = rounds.into_iter().next().map(|round| round.checked.warnings).unwrap_or_default();
            return self.submission(before, false, warnings).await;
        }
        let how = (proposal.base.as_deref(), proposal.applied);
        let new = match proposal.review_id {
            Some(review) => {
                let stored = self.seen(caller, review).await?;
                if let Some(unchanged) = self.unchanged(&stored, &proposal).await? {
                    return self.submission(unchanged, true, Vec::new()).await;
                }
                self.checked(caller, &proposal.change, proposal.description.clone(), how).await?
            }
            None => self.checked(caller, &proposal.change, proposal.description.clone(), how).await?,
        };
        let warnings = new.checked.warnings.clone();
        let acted = match proposal.review_id {
            Some(review) => self.next_round(caller, review, proposal, new).await?,
            None => self.begin(caller, session, proposal, new).await?,
        };
        self.submission(acted, false, warnings).await
    }

    /// What this very call has led to, where it comes again since its result was lost: it is told so, whatever has become of
    /// the review and the repository since.
    pub(super) async fn done_before(&self, caller: &ReviewCaller) -> Result<Option<Acted>, Fault> {
        let before = self.store.done_before(&caller.whose.call_key).await?;
        Ok(before.map(|before| Acted { happened: false, ..before }))
    }

    /// What a round that is submitted again with the very same bytes leads to: nothing.
    async fn unchanged(&self, stored: &StoredReview, proposal: &SubmittedProposal) -> Result<Option<Acted>, Fault> {
        let gate_mcp::ProposedChange::Diff(diff) = &proposal.change else { return Ok(None) };
        let same = stored.summary.diff_sha256 == Some(Digest::of_bytes(diff.as_bytes()));
        let stands = !matches!(stored.state.status, ReviewStatus::Rejected | ReviewStatus::Closed);
        Ok((same && stands).then(|| Acted {
            review: stored.summary.clone(),
            happened: false,
            claim_token: None,
            thread_id: None,
            patch_id: None,
            withdraws: None,
            asks: false,
        }))
    }

    async fn begin(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        session_uuid: SessionUuid,
        proposal: SubmittedProposal,
        first: NewDiff,
    ) -> Result<Acted, Fault> {
        let workspace = match self.folder(caller).await? {
            Some(folder) => folder,
            None => caller.whose.caller.workspace.clone(),
        };
        let rules = self.rules();
        let category = proposal.category.as_deref();
        let need = Self::need(&rules, &caller.party.client, &first.checked, category, &workspace);
        let diff = (!first.diff.is_empty()).then(|| Digest::of_bytes(&first.diff));
        let sticky = self.store.followed(&first.checked, diff, &caller.party, self.bus.now()).await?;
        let new = NewReview {
            review_id: ReviewId(self.bus.new_id()),
            session_uuid,
            intent: proposal.intent,
            category: proposal.category,
            priority: proposal.priority.unwrap_or(Priority::Normal),
            labels: proposal.labels,
            parent_id: proposal.parent_id,
            workspace,
            first,
            need,
            sticky,
        };
        let parent = match new.parent_id {
            Some(parent) => Some((parent, self.seen(caller, parent).await?.request_id)),
            None => None,
        };
        let (reviews, party) = (Arc::clone(self), caller.party.clone());
        // Over HTTP the same call may come again under another key.
        let call_key = match &caller.digest {
            Some(digest) => format!("{}{} {digest}", bounds::OVER_HTTP, caller.party.key),
            None => caller.whose.call_key.clone(),
        };
        whole(async move {
            let acted = reviews.store.submit(new, &party, has_ended, Some(&call_key), reviews.bus.now()).await?;
            if let Some((parent, question)) = parent.filter(|_| acted.happened) {
                reviews.superseded(parent, question).await;
            }
            reviews.told(&acted).await;
            reviews.keep_in_step(&rules, &acted).await;
            Ok(acted)
        })
        .await
    }

    async fn next_round(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        review: ReviewId,
        proposal: SubmittedProposal,
        new: NewDiff,
    ) -> Result<Acted, Fault> {
        let stored = self.seen(caller, review).await?;
        let rules = self.rules();
        let diff = (!new.diff.is_empty()).then(|| Digest::of_bytes(&new.diff));
        let need = self.need_in(&rules, &stored, (&new.checked, diff), proposal.category.as_deref()).await?;
        let carries = self.same_on_another_base(&stored, &new).await?.then_some(stored.state.round);
        let act = Act::Round { replaces: proposal.round, need, carries };
        let acting = self.acting_of(caller, review, act, Brought::Round(Box::new(new)));
        self.done_by(rules, acting).await
    }

    /// Whether a next round is the same patch as the newest, on another commit, and agents have approved that.
    async fn same_on_another_base(&self, stored: &StoredReview, new: &NewDiff) -> Result<bool, Fault> {
        if !stored.state.may_carry() || new.checked.fits != Fits::Commit {
            return Ok(false);
        }
        let rounds = self.store.rounds(stored.summary.review_id, stored.state.round).await?;
        let Some(newest) = rounds
            .into_iter()
            .next()
            .filter(|round| round.checked.fits == Fits::Commit && round.checked.repository == new.checked.repository)
        else {
            return Ok(false);
        };
        let folder = Path::new(&stored.summary.workspace);
        let before = self.text_of(newest.diff_sha256).await?;
        let one = (before.as_bytes(), newest.checked.base.as_deref());
        let other = (&*new.diff, new.checked.base.as_deref());
        match self.requests.is_same_patch(folder, one, other).await {
            Ok(same) => Ok(same),
            // The commit that it was approved on may be gone: it is reviewed anew.
            Err(fault) => {
                tracing::debug!(%fault, "a next round can't be held beside the one before");
                Ok(false)
            }
        }
    }

    async fn submission(&self, acted: Acted, unchanged: bool, mut warnings: Vec<String>) -> Result<Submission, Fault> {
        let overlaps = self.store.overlaps(acted.review.review_id).await?;
        // Counted first: whoever takes it meanwhile is still among these, or has it when it is looked at.
        let waiting = match self.claimers.is_empty() {
            true => 0,
            false => self.offer_of(acted.review.review_id).await?.map_or(0, |offer| self.claimers.waiting_for(&offer)),
        };
        let review = match acted.happened {
            true => self.store.review(acted.review.review_id).await?.map_or(acted.review, |stored| stored.summary),
            false => acted.review,
        };
        if let Some(from) = self.carried_from(&review).await? {
            warnings
                .push(format!("it is the same patch as round {from} on another base: agents' approvals of that hold"));
        }
        let need = review.need;
        if need.agents > 1 {
            warnings.push(format!("its round needs {} agents of different parties", need.agents));
        }
        let waiting = if review.status == ReviewStatus::Created { waiting } else { 0 };
        let waits = review.status == ReviewStatus::Created;
        let pool =
            self.pool_programs().into_iter().filter(|_| waits).map(|program| program.name().to_owned()).collect();
        Ok(Submission { review, unchanged, overlaps, warnings, waiting, pool })
    }

    /// The round whose approvals hold for the newest.
    async fn carried_from(&self, review: &ReviewSummary) -> Result<Option<u32>, Fault> {
        if review.round == 1 || review.approvals == 0 {
            return Ok(None);
        }
        let rounds = self.store.rounds(review.review_id, review.round).await?;
        Ok(rounds.into_iter().next().and_then(|round| round.carried_from))
    }

    /// What claimers are offered of a review.
    pub(super) async fn offer_of(&self, review: ReviewId) -> Result<Option<Offer>, Fault> {
        let stored = self.store.review(review).await?;
        Ok(stored.map(|stored| Offer {
            review,
            place: stored.place,
            category: stored.summary.category,
            party: stored.summary.party,
        }))
    }

    /// Offers a review to whoever waits for one.
    pub(super) async fn offer(&self, review: ReviewId) {
        // Whoever comes from now on looks at the queue first.
        if self.claimers.is_empty() {
            return;
        }
        match self.offer_of(review).await {
            Ok(Some(offer)) => self.claimers.offer(offer),
            Ok(None) => {}
            Err(fault) => tracing::warn!(%fault, %review, "a review can't be offered to whoever waits"),
        }
    }

    /// Makes a patch the next round.
    pub(super) async fn accept(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        review: ReviewId,
        patch: Option<PatchId>,
        reason: Option<String>,
    ) -> Result<Acted, Fault> {
        self.seen(caller, review).await?;
        // What is accepted is what its need was found of.
        let patch = self.meant_patch(review, patch).await?;
        let rules = self.rules();
        let need = match patch {
            Some(patch) => self.need_of_patch(&rules, review, patch).await?,
            // The act itself says that there is none.
            None => Need::AGENT,
        };
        let act = Act::AcceptPatch { need, approves: false };
        let acting = self.acting_of(caller, review, act, Brought::OfPatch(patch, reason));
        self.done_by(rules, acting).await
    }

    /// The patch that is meant: the one that is named, else the only one that is open.
    async fn meant_patch(&self, review: ReviewId, named: Option<PatchId>) -> Result<Option<PatchId>, Fault> {
        let patches = self.store.patches(review).await?;
        let mut open = patches.iter().filter(|found| found.status == PatchStatus::Open);
        let only = open.next().filter(|_| open.next().is_none());
        Ok(named.or(only.map(|found| found.patch_id)))
    }

    /// What a patch needs as a round, by these rules.
    pub(super) async fn need_of_patch(
        &self,
        rules: &[ReviewRule],
        review: ReviewId,
        patch: PatchId,
    ) -> Result<Need, Fault> {
        let stored = self.store.review(review).await?.ok_or_else(|| unknown_review(review))?;
        let patches = self.store.patches(review).await?;
        let Some(found) = patches.into_iter().find(|found| found.patch_id == patch) else {
            return Ok(stored.state.need);
        };
        self.need_in(rules, &stored, (&found.checked, Some(found.diff_sha256)), None).await
    }

    /// Ends a review.
    pub(super) async fn close(
        self: &Arc<Self>,
        caller: &ReviewCaller,
        review: ReviewId,
        outcome: Option<Ending>,
        commit: Option<String>,
    ) -> Result<Closing, Fault> {
        let stored = self.seen(caller, review).await?;
        let folder = caller.folder.as_deref();
        let is_again = self.store.done_before(&caller.whose.call_key).await?.is_some();
        let found = match !is_again && Self::role(caller, &stored) == ReviewRole::Proposer {
            true => self.found_applied(&stored, outcome, folder, commit.as_deref()).await?,
            false => None,
        };
        let with = Brought::Closed { commit, found: found.map(Box::new) };
        let acted = self.act(caller, review, Act::Close(outcome), with).await?;
        Ok(Closing { applied: self.applied_of(&acted.review).await?, review: acted.review })
    }
}
