//! Reviews as the broker's tools and resources know them.

use async_trait::async_trait;
use gate_core::clients::Override;
use gate_core::proposal::{
    Act, Brought, Claimed, Ending, ListedReview, PatchId, ReviewEvent, ReviewId, ReviewPlace, ReviewQuery, ReviewRole,
    ReviewStore as _, ReviewSummary, StoredMessage, StoredPatch, StoredRound, StoredThread, ThreadId, bounds,
};
use gate_core::{Code, Digest, Fault, Owner, SessionUuid};
use gate_mcp::{
    BrokerPort, CallerPort, ClaimGiven, ClaimWish, Closing, GivenVerdict, OfferedPatch, ReviewCaller, ReviewLook,
    ReviewRead, Said, Submission, SubmittedProposal, TokenGiven,
};

use super::Reviews;
use crate::slices::Gate;

/// Reviews that are looked through for identifiers that begin so.
const LOOKED_THROUGH: usize = 1000;

#[async_trait]
impl CallerPort for Gate {
    fn patience_overrides(&self) -> Vec<Override> {
        self.inner.connections.waiting_times()
    }

    fn given_to_token(&self, name: &str) -> TokenGiven {
        self.inner.connections.given_to_token(name)
    }

    async fn session(&self, caller: &ReviewCaller, begins: bool) -> Result<Option<SessionUuid>, Fault> {
        self.inner.conversations.session_for(&caller.whose, begins).await
    }

    fn is_away(&self) -> bool {
        self.inner.person.is_away()
    }

    async fn away(&self) {
        self.inner.person.away().await;
    }
}

#[async_trait]
impl BrokerPort for Gate {
    async fn submit(&self, caller: &ReviewCaller, proposal: SubmittedProposal) -> Result<Submission, Fault> {
        let session = self.inner.conversations.session_for(&caller.whose, true).await?;
        let session = session.ok_or_else(|| Fault::internal("a session that was begun isn't there"))?;
        self.inner.reviews.submit(caller, session, proposal).await
    }

    async fn look(&self, caller: &ReviewCaller, review: ReviewId) -> Result<ReviewLook, Fault> {
        let stored = self.inner.reviews.seen(caller, review).await?;
        let verdicts = self.inner.store.verdicts(review).await?;
        let verdict = verdicts.into_iter().rev().find(|verdict| verdict.round == stored.summary.round);
        let role = Reviews::role(caller, &stored);
        Ok(ReviewLook { review: stored.summary, intent: stored.intent, labels: stored.labels, role, verdict })
    }

    async fn read(&self, caller: &ReviewCaller, review: ReviewId, round: Option<u32>) -> Result<ReviewRead, Fault> {
        let stored = self.inner.reviews.seen(caller, review).await?;
        let role = Reviews::role(caller, &stored);
        self.inner.reviews.read_round(stored, round, role).await
    }

    async fn list(
        &self,
        caller: &ReviewCaller,
        query: ReviewQuery,
        workspace: Option<&str>,
        mine: bool,
        after: Option<ReviewPlace>,
        limit: usize,
    ) -> Result<Vec<ReviewSummary>, Fault> {
        let own = mine.then(|| caller.party.key.clone());
        let query = ReviewQuery { party: own, ..query };
        self.listed_to(&caller.whose.owner, query, workspace, after, limit).await
    }

    async fn list_whole(
        &self,
        caller: &ReviewCaller,
        query: ReviewQuery,
        limit: usize,
    ) -> Result<Vec<ListedReview>, Fault> {
        let query = self.inner.reviews.within(&caller.whose.owner, query, None).await?;
        self.inner.store.whole_reviews(&query, limit).await
    }

    async fn claim(&self, caller: &ReviewCaller, review: ReviewId) -> Result<ClaimGiven, Fault> {
        self.inner.reviews.claim(caller, review).await
    }

    async fn claim_next(&self, caller: &ReviewCaller, wish: &ClaimWish) -> Result<Option<ClaimGiven>, Fault> {
        self.inner.reviews.claim_next(caller, wish).await
    }

    async fn wait_to_claim(&self, caller: &ReviewCaller, wish: &ClaimWish) -> Result<ClaimGiven, Fault> {
        self.inner.reviews.wait_to_claim(caller, wish).await
    }

    async fn release(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        reason: Option<String>,
        claimed: Claimed,
    ) -> Result<ReviewSummary, Fault> {
        self.inner.reviews.release(caller, review, reason, claimed).await.map(|acted| acted.review)
    }

    async fn judge(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        verdict: GivenVerdict,
    ) -> Result<ReviewSummary, Fault> {
        self.inner.reviews.judge(caller, review, verdict).await.map(|acted| acted.review)
    }

    async fn say(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        said: Said,
    ) -> Result<(ReviewSummary, Option<ThreadId>), Fault> {
        self.inner.reviews.say(caller, review, said).await.map(|acted| (acted.review, acted.thread_id))
    }

    async fn messages(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        after: u64,
        limit: usize,
    ) -> Result<(Vec<StoredThread>, Vec<StoredMessage>), Fault> {
        self.inner.reviews.seen(caller, review).await?;
        let threads = self.inner.reviews.threads_now(review).await?;
        let messages = self.inner.store.review_messages(review, after, limit).await?;
        Ok((threads, messages))
    }

    async fn offer_patch(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        patch: OfferedPatch,
    ) -> Result<(ReviewSummary, PatchId), Fault> {
        let acted = self.inner.reviews.offer_patch(caller, review, patch).await?;
        let patch = acted.patch_id.ok_or_else(|| Fault::internal("a patch that was offered isn't there"))?;
        Ok((acted.review, patch))
    }

    async fn patches(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
    ) -> Result<(Vec<StoredRound>, Vec<StoredPatch>), Fault> {
        self.inner.reviews.seen(caller, review).await?;
        Ok((self.inner.store.rounds(review, 1).await?, self.inner.store.patches(review).await?))
    }

    async fn diff(&self, caller: &ReviewCaller, review: ReviewId, sha256: Digest) -> Result<String, Fault> {
        let (rounds, patches) = self.patches(caller, review).await?;
        let is_its = rounds.iter().any(|round| round.diff_sha256 == Some(sha256))
            || patches.iter().any(|patch| patch.diff_sha256 == sha256);
        if is_its { self.inner.reviews.text_of(Some(sha256)).await } else { Ok(String::new()) }
    }

    async fn accept_patch(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        patch: Option<PatchId>,
        reason: Option<String>,
    ) -> Result<ReviewSummary, Fault> {
        self.inner.reviews.accept(caller, review, patch, reason).await.map(|acted| acted.review)
    }

    async fn reject_patch(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        patch: Option<PatchId>,
        reason: Option<String>,
    ) -> Result<ReviewSummary, Fault> {
        self.inner.reviews.seen(caller, review).await?;
        let with = Brought::OfPatch(patch, reason);
        self.inner.reviews.act(caller, review, Act::RejectPatch, with).await.map(|acted| acted.review)
    }

    async fn close(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        outcome: Option<Ending>,
        commit: Option<String>,
    ) -> Result<Closing, Fault> {
        self.inner.reviews.close(caller, review, outcome, commit).await
    }

    async fn events(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<ReviewEvent>, Fault> {
        self.inner.reviews.seen(caller, review).await?;
        self.inner.store.review_events(review, after, limit).await
    }

    async fn happened(&self, caller: &ReviewCaller, review: ReviewId, after: u64) -> Result<(), Fault> {
        self.inner.reviews.seen(caller, review).await?;
        self.inner.reviews.happened(&caller.party.key, review, after).await
    }

    async fn is_listed(
        &self,
        caller: &ReviewCaller,
        query: &ReviewQuery,
        workspace: Option<&str>,
        mine: bool,
    ) -> Result<(), Fault> {
        let mut woken = self.inner.reviews.wakes.of_anything()?;
        loop {
            let listed = self.list(caller, query.clone(), workspace, mine, None, bounds::LIST_ITEMS).await?;
            for review in listed {
                if self.inner.reviews.is_news(&caller.party.key, &review, query.since).await? {
                    return Ok(());
                }
            }
            if woken.changed().await.is_err() {
                return Err(stopping());
            }
        }
    }

    async fn listed_to(
        &self,
        client: &Owner,
        query: ReviewQuery,
        workspace: Option<&str>,
        after: Option<ReviewPlace>,
        limit: usize,
    ) -> Result<Vec<ReviewSummary>, Fault> {
        let query = self.inner.reviews.within(client, query, workspace).await?;
        self.inner.store.reviews(&query, after, limit).await
    }

    async fn shown_to(
        &self,
        client: &Owner,
        review: ReviewId,
        round: Option<u32>,
    ) -> Result<Option<ReviewRead>, Fault> {
        let stored = match self.inner.reviews.seen_by(client, review).await {
            Ok(stored) => stored,
            Err(fault) if fault.code == Code::UnknownReview => return Ok(None),
            Err(fault) => return Err(fault),
        };
        let is_own = stored.proposer.key == client.id.to_string();
        let role = if is_own { ReviewRole::Proposer } else { ReviewRole::Reviewer };
        match self.inner.reviews.read_round(stored, round, role).await {
            Ok(read) => Ok(Some(read)),
            Err(fault) if fault.code == Code::InvalidInput => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    async fn events_for(
        &self,
        client: &Owner,
        review: ReviewId,
        after: u64,
        limit: usize,
    ) -> Result<Option<Vec<ReviewEvent>>, Fault> {
        match self.inner.reviews.seen_by(client, review).await {
            Ok(_) => self.inner.store.review_events(review, after, limit).await.map(Some),
            Err(fault) if fault.code == Code::UnknownReview => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    async fn reviews_like(&self, client: &Owner, beginning: &str, most: u32) -> Result<(Vec<ReviewId>, u64), Fault> {
        let listed = self.listed_to(client, ReviewQuery::default(), None, None, LOOKED_THROUGH).await?;
        let like: Vec<_> = listed
            .into_iter()
            .map(|review| review.review_id)
            .filter(|review| review.to_string().starts_with(&beginning.to_lowercase()))
            .collect();
        let count = u64::try_from(like.len()).unwrap_or(u64::MAX);
        Ok((like.into_iter().take(usize::try_from(most).unwrap_or(usize::MAX)).collect(), count))
    }
}

impl Reviews {
    /// What is looked for, among what a client is listed.
    async fn within(&self, client: &Owner, query: ReviewQuery, workspace: Option<&str>) -> Result<ReviewQuery, Fault> {
        let places = self.places_at(client, workspace).await?;
        let own = (workspace.is_none() && client.id.has_lists()).then(|| client.id.to_string());
        Ok(ReviewQuery { places: Some(places), own, ..query })
    }

    /// Resolves when a review has an event after this one that isn't this party's own act.
    pub(super) async fn happened(&self, party: &str, review: ReviewId, after: u64) -> Result<(), Fault> {
        let mut woken = self.wakes.of(review)?;
        let _watching = self.watchers.watch(review, party);
        let mut after = after;
        loop {
            let events = self.store.review_events(review, after, bounds::LIST_ITEMS).await?;
            if events.iter().any(|event| event.party.as_deref() != Some(party)) {
                return Ok(());
            }
            match events.last() {
                // There may be more behind these.
                Some(last) => after = last.n,
                None if woken.changed().await.is_err() => return Err(stopping()),
                None => {}
            }
        }
    }

    /// Whether something happened in a review since a moment that isn't this party's own act; anything does where there is
    /// no moment.
    async fn is_news(
        &self,
        party: &str,
        review: &ReviewSummary,
        since: Option<gate_core::Timestamp>,
    ) -> Result<bool, Fault> {
        let Some(since) = since else { return Ok(true) };
        let last = review.event.saturating_sub(u64::try_from(bounds::LIST_ITEMS).unwrap_or(0));
        let events = self.store.review_events(review.review_id, last, bounds::LIST_ITEMS).await?;
        Ok(events.iter().any(|event| event.at > since && event.party.as_deref() != Some(party)))
    }
}

/// The gate stops: nobody is woken any more.
fn stopping() -> Fault {
    Fault::new(Code::ShuttingDown, "Review Gate is shutting down.", "Call again in a moment.")
}
