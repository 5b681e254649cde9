//! What the broker's tools call, over reviews in memory.

use async_trait::async_trait;
use gate_core::clients::Override;
use gate_core::proposal::{
    Act, AppliedAs, ApprovedBy, Claimed, Ending, ListedReview, Need, PatchId, PatchStatus, ResultApplied, Review,
    ReviewEvent, ReviewId, ReviewPlace, ReviewQuery, ReviewStatus, ReviewSummary, StoredMessage, StoredPatch,
    StoredRound, StoredThread, StoredVerdict, ThreadId, ThreadMessageId, Verdict, WasApplied,
};
use gate_core::{Code, Digest, Fault, Owner, SessionUuid};

use super::{FakeBroker, Kept, is_stranger, session_of, unknown};
use crate::answer::{CallerPort, ReviewCaller, TokenGiven};
use crate::broker::{
    BrokerPort, ClaimGiven, ClaimWish, Closing, GivenVerdict, OfferedPatch, ProposedChange, ReviewLook, ReviewRead,
    Said, SaidAt, Submission, SubmittedProposal,
};

fn kept_diff(change: &ProposedChange) -> Option<String> {
    match change {
        ProposedChange::Diff(diff) => Some(diff.clone()),
        ProposedChange::Repository(named) => Some(format!("{named:?}")),
        ProposedChange::Nothing => None,
    }
}

impl FakeBroker {
    fn keep(&self, diff: Option<String>) -> Option<Digest> {
        let diff = diff?;
        let sha256 = Digest::of_bytes(diff.as_bytes());
        self.lock().diffs.insert(sha256, diff);
        Some(sha256)
    }

    fn need(&self) -> Need {
        self.lock().need.unwrap_or(Need::AGENT)
    }

    fn diff_of(&self, round: &StoredRound) -> String {
        round.diff_sha256.and_then(|sha256| self.lock().diffs.get(&sha256).cloned()).unwrap_or_default()
    }

    fn given(&self, review: ReviewId) -> Result<ClaimGiven, Fault> {
        let state = self.lock();
        let kept = state.kept(review)?;
        let (review, claim_token) = (kept.summary(), kept.state.token);
        let round = kept.rounds.last().cloned().expect("there is a round");
        let open: Vec<_> = kept.threads.iter().filter(|thread| !thread.resolved).cloned().collect();
        let of_open = |message: &&StoredMessage| open.iter().any(|open| Some(open.thread_id) == message.thread_id);
        let messages = kept.messages.iter().filter(of_open).cloned().collect();
        drop(state);
        Ok(ClaimGiven { review, claim_token, diff: self.diff_of(&round), round, threads: open, messages })
    }

    fn open_patch(&self, review: ReviewId, patch: Option<PatchId>) -> Result<StoredPatch, Fault> {
        let state = self.lock();
        let is_it = |known: &&StoredPatch| {
            known.status == PatchStatus::Open && patch.is_none_or(|patch| patch == known.patch_id)
        };
        let found = state.kept(review)?.patches.iter().find(is_it).cloned();
        found.ok_or_else(|| Fault::new(Code::UnknownPatch, "There is none.", "Look again."))
    }

    fn found(
        &self,
        query: &ReviewQuery,
        mine: Option<&ReviewCaller>,
        after: Option<ReviewPlace>,
    ) -> Vec<ReviewSummary> {
        let state = self.lock();
        let fits = |kept: &&Kept| {
            query.status.is_none_or(|status| kept.state.status == status)
                && query.category.as_ref().is_none_or(|category| kept.category.as_ref() == Some(category))
                && query.priority.is_none_or(|priority| kept.priority == priority)
                && query.since.is_none_or(|since| kept.updated > since)
                && mine.is_none_or(|caller| kept.proposer.key == caller.party.key)
                && after.is_none_or(|after| kept.updated < after.updated_at)
        };
        let mut found: Vec<_> = state.reviews.iter().filter(fits).map(Kept::summary).collect();
        found.sort_by_key(|review| std::cmp::Reverse(review.updated_at));
        found
    }

    fn read_round(
        &self,
        review: ReviewId,
        round: Option<u32>,
        role: impl Fn(&Kept) -> gate_core::proposal::ReviewRole,
    ) -> Result<ReviewRead, Fault> {
        let state = self.lock();
        let kept = state.kept(review)?;
        let index = round.unwrap_or(kept.state.round) as usize;
        let stored = index.checked_sub(1).and_then(|index| kept.rounds.get(index)).cloned();
        let round = stored.ok_or_else(|| unknown(review))?;
        let (review, verdicts, role) = (kept.stored(), kept.verdicts.clone(), role(kept));
        drop(state);
        Ok(ReviewRead { review, diff: self.diff_of(&round), round, verdicts, role })
    }
}

#[async_trait]
impl CallerPort for FakeBroker {
    fn patience_overrides(&self) -> Vec<Override> {
        Vec::new()
    }

    fn given_to_token(&self, _: &str) -> TokenGiven {
        TokenGiven::default()
    }

    async fn session(&self, caller: &ReviewCaller, begins: bool) -> Result<Option<SessionUuid>, Fault> {
        let mut state = self.lock();
        let id = state.id();
        Ok(session_of(&mut state.sessions, caller, begins, id))
    }

    fn is_away(&self) -> bool {
        *self.away.borrow()
    }

    async fn away(&self) {
        let mut away = self.away.subscribe();
        away.wait_for(|away| *away).await.expect("the broker is there");
    }
}

#[async_trait]
impl BrokerPort for FakeBroker {
    async fn submit(&self, caller: &ReviewCaller, proposal: SubmittedProposal) -> Result<Submission, Fault> {
        self.lock().digests.push(caller.digest);
        let (diff, need) = (self.keep(kept_diff(&proposal.change)), self.need());
        let done = |review, unchanged, waiting| {
            let (overlaps, warnings, pool) = (Vec::new(), Vec::new(), Vec::new());
            Ok(Submission { review, unchanged, overlaps, warnings, waiting, pool })
        };
        let waiting = self.waiting();
        if let Some(review) = proposal.review_id {
            let newest = self.lock().kept(review)?.summary();
            if newest.diff_sha256 == diff {
                return done(newest, true, waiting);
            }
            let act = Act::Round { replaces: proposal.round, need, carries: None };
            let author = caller.party.label();
            let then = |kept: &mut Kept, _: &_, _| kept.round(diff, proposal.description, None, &author);
            let (review, ()) = self.act(caller, review, &act, then)?;
            return done(review, false, waiting);
        }
        let mut state = self.lock();
        let (id, at) = (ReviewId(state.id()), state.now());
        let mut kept = Kept {
            id,
            state: Review::new(need),
            intent: proposal.intent,
            category: proposal.category,
            priority: proposal.priority.unwrap_or(gate_core::proposal::Priority::Normal),
            labels: proposal.labels,
            parent: proposal.parent_id,
            proposer: caller.party.clone(),
            holder: None,
            approved: Default::default(),
            created: at,
            updated: at,
            rounds: Vec::new(),
            patches: Vec::new(),
            threads: Vec::new(),
            messages: Vec::new(),
            verdicts: Vec::new(),
            events: Vec::new(),
        };
        let proposer = Some(gate_core::proposal::ReviewRole::Proposer);
        kept.tell(gate_core::proposal::EventKind::Submitted, at, Some(caller.party.key.clone()), proposer);
        kept.round(diff, proposal.description, None, &caller.party.label());
        let summary = kept.summary();
        state.reviews.push(kept);
        drop(state);
        self.tell(id);
        done(summary, false, waiting)
    }

    async fn look(&self, caller: &ReviewCaller, review: ReviewId) -> Result<ReviewLook, Fault> {
        let state = self.lock();
        let kept = state.kept(review)?;
        let verdict = kept.verdicts.last().filter(|verdict| verdict.round == kept.state.round).cloned();
        let (intent, labels) = (kept.intent.clone(), kept.labels.clone());
        Ok(ReviewLook { review: kept.summary(), intent, labels, role: kept.role(caller), verdict })
    }

    async fn read(&self, caller: &ReviewCaller, review: ReviewId, round: Option<u32>) -> Result<ReviewRead, Fault> {
        self.read_round(review, round, |kept| kept.role(caller))
    }

    async fn list(
        &self,
        caller: &ReviewCaller,
        query: ReviewQuery,
        _workspace: Option<&str>,
        mine: bool,
        after: Option<ReviewPlace>,
        limit: usize,
    ) -> Result<Vec<ReviewSummary>, Fault> {
        let mut found = self.found(&query, mine.then_some(caller), after);
        found.truncate(limit);
        Ok(found)
    }

    async fn list_whole(
        &self,
        _caller: &ReviewCaller,
        query: ReviewQuery,
        limit: usize,
    ) -> Result<Vec<ListedReview>, Fault> {
        let found = self.found(&query, None, None);
        let state = self.lock();
        let whole = |review: ReviewSummary| state.kept(review.review_id).map(Kept::listed);
        found.into_iter().take(limit).map(whole).collect()
    }

    async fn claim(&self, caller: &ReviewCaller, review: ReviewId) -> Result<ClaimGiven, Fault> {
        let holder = caller.party.label();
        self.act(caller, review, &Act::Claim, |kept, _, _| kept.holder = Some(holder))?;
        self.given(review)
    }

    async fn claim_next(&self, caller: &ReviewCaller, wish: &ClaimWish) -> Result<Option<ClaimGiven>, Fault> {
        let query = ReviewQuery { status: Some(ReviewStatus::Created), ..ReviewQuery::default() };
        for found in self.found(&query, None, None).into_iter().rev() {
            let category = found.category.unwrap_or_default();
            if wish.categories.is_empty() || wish.categories.contains(&category) {
                match self.claim(caller, found.review_id).await {
                    Ok(claim) => return Ok(Some(claim)),
                    Err(fault) if fault.code == Code::TooMany => return Err(fault),
                    Err(_) => {}
                }
            }
        }
        Ok(None)
    }

    async fn wait_to_claim(&self, caller: &ReviewCaller, wish: &ClaimWish) -> Result<ClaimGiven, Fault> {
        let _waits = self.wait();
        let mut happened = self.happened.subscribe();
        loop {
            happened.mark_unchanged();
            if let Some(claim) = self.claim_next(caller, wish).await? {
                return Ok(claim);
            }
            happened.changed().await.expect("the broker is there");
        }
    }

    async fn release(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        _reason: Option<String>,
        claimed: Claimed,
    ) -> Result<ReviewSummary, Fault> {
        self.act(caller, review, &Act::Release(claimed), |_, _, _| ()).map(|(review, ())| review)
    }

    async fn judge(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        verdict: GivenVerdict,
    ) -> Result<ReviewSummary, Fault> {
        let GivenVerdict { decision, reason, comments, claimed } = verdict;
        let (key, author) = (caller.party.key.clone(), caller.party.label());
        let threads: Vec<_> = {
            let mut state = self.lock();
            comments.into_iter().map(|comment| (ThreadId(state.id()), ThreadMessageId(state.id()), comment)).collect()
        };
        let then = |kept: &mut Kept, _: &_, at| {
            let round = kept.rounds.len() as u32;
            if decision == Verdict::Approved {
                kept.approved.insert(key);
            }
            let by = ApprovedBy::Agent;
            kept.verdicts.push(StoredVerdict { round, decision, reason, by, author: author.clone(), created_at: at });
            for (thread_id, message, (anchor, body)) in threads {
                kept.threads.push(StoredThread { thread_id, round, anchor, resolved: false, follows: None });
                kept.say(Some(thread_id), (message, body), gate_core::proposal::ReviewRole::Reviewer, &author);
            }
        };
        self.act(caller, review, &Act::Verdict(decision, claimed), then).map(|(review, ())| review)
    }

    async fn say(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        said: Said,
    ) -> Result<(ReviewSummary, Option<ThreadId>), Fault> {
        let (new_thread, new_message) = {
            let mut state = self.lock();
            (ThreadId(state.id()), ThreadMessageId(state.id()))
        };
        let message = said.message_id.unwrap_or(new_message);
        let before = self.lock().kept(review)?.messages.iter().find(|known| known.message_id == message).cloned();
        if let Some(before) = before {
            return Ok((self.lock().kept(review)?.summary(), before.thread_id));
        }
        let then = |kept: &mut Kept, _: &_, _| {
            let (role, round) = (kept.role(caller), kept.rounds.len() as u32);
            let thread = match said.at {
                SaidAt::Review => None,
                SaidAt::Thread(thread) => Some(thread),
                SaidAt::Lines(anchor) => {
                    kept.threads.push(StoredThread {
                        thread_id: new_thread,
                        round,
                        anchor,
                        resolved: false,
                        follows: None,
                    });
                    Some(new_thread)
                }
            };
            if let (Some(resolved), Some(thread)) = (said.resolve, thread) {
                let mut threads = kept.threads.iter_mut();
                threads.find(|known| known.thread_id == thread).expect("the thread is known").resolved = resolved;
            }
            if !said.body.is_empty() {
                kept.say(thread, (message, said.body), role, &caller.party.label());
            }
            thread
        };
        self.act(caller, review, &Act::Message, then)
    }

    async fn messages(
        &self,
        _caller: &ReviewCaller,
        review: ReviewId,
        after: u64,
        limit: usize,
    ) -> Result<(Vec<StoredThread>, Vec<StoredMessage>), Fault> {
        let state = self.lock();
        let kept = state.kept(review)?;
        let messages = kept.messages.iter().filter(|message| message.event > after).take(limit);
        Ok((kept.threads.clone(), messages.cloned().collect()))
    }

    async fn offer_patch(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        patch: OfferedPatch,
    ) -> Result<(ReviewSummary, PatchId), Fault> {
        let sha256 = self.keep(Some(patch.diff)).expect("there is one");
        let patch_id = PatchId(self.lock().id());
        let then = |kept: &mut Kept, _: &_, at| {
            kept.patches.push(StoredPatch {
                patch_id,
                round: kept.rounds.len() as u32,
                diff_sha256: sha256,
                description: patch.description,
                approves: patch.approves,
                status: PatchStatus::Open,
                author: caller.party.label(),
                checked: Default::default(),
                created_at: at,
            });
            patch_id
        };
        self.act(caller, review, &Act::OfferPatch(patch.claimed), then)
    }

    async fn patches(
        &self,
        _caller: &ReviewCaller,
        review: ReviewId,
    ) -> Result<(Vec<StoredRound>, Vec<StoredPatch>), Fault> {
        let state = self.lock();
        let kept = state.kept(review)?;
        Ok((kept.rounds.clone(), kept.patches.clone()))
    }

    async fn diff(&self, _caller: &ReviewCaller, _review: ReviewId, sha256: Digest) -> Result<String, Fault> {
        Ok(self.lock().diffs.get(&sha256).cloned().expect("it is kept"))
    }

    async fn accept_patch(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        patch: Option<PatchId>,
        _reason: Option<String>,
    ) -> Result<ReviewSummary, Fault> {
        let patch = self.open_patch(review, patch)?;
        let act = Act::AcceptPatch { need: self.need(), approves: patch.approves };
        let then = |kept: &mut Kept, _: &_, _| {
            let mut known = kept.patches.iter_mut().filter(|known| known.patch_id == patch.patch_id);
            known.next().expect("it is open").status = PatchStatus::Accepted;
            kept.round(Some(patch.diff_sha256), patch.description.clone(), Some(patch.patch_id), &patch.author);
        };
        self.act(caller, review, &act, then).map(|(review, ())| review)
    }

    async fn reject_patch(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        patch: Option<PatchId>,
        _reason: Option<String>,
    ) -> Result<ReviewSummary, Fault> {
        let patch = self.open_patch(review, patch)?;
        let then = |kept: &mut Kept, _: &_, _| {
            let mut known = kept.patches.iter_mut().filter(|known| known.patch_id == patch.patch_id);
            known.next().expect("it is open").status = PatchStatus::Rejected;
        };
        self.act(caller, review, &Act::RejectPatch, then).map(|(review, ())| review)
    }

    async fn close(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        outcome: Option<Ending>,
        commit: Option<String>,
    ) -> Result<Closing, Fault> {
        let (review, ()) = self.act(caller, review, &Act::Close(outcome), |_, _, _| ())?;
        let exact = ResultApplied { patch_id: None, found: AppliedAs::Exact, paths: Vec::new(), extra: Vec::new() };
        let applied = commit.map(|commit| WasApplied {
            found: exact.found,
            round: review.round,
            commit: Some(commit),
            results: vec![exact],
        });
        Ok(Closing { review, applied })
    }

    async fn events(
        &self,
        _caller: &ReviewCaller,
        review: ReviewId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<ReviewEvent>, Fault> {
        let state = self.lock();
        Ok(state.kept(review)?.events.iter().filter(|event| event.n > after).take(limit).cloned().collect())
    }

    async fn happened(&self, caller: &ReviewCaller, review: ReviewId, after: u64) -> Result<(), Fault> {
        let _waits = self.wait();
        let mut happened = self.happened.subscribe();
        loop {
            happened.mark_unchanged();
            if self.lock().kept(review)?.has_news(&caller.party.key, after) {
                return Ok(());
            }
            happened.changed().await.expect("the broker is there");
        }
    }

    async fn is_listed(
        &self,
        caller: &ReviewCaller,
        query: &ReviewQuery,
        _workspace: Option<&str>,
        mine: bool,
    ) -> Result<(), Fault> {
        let _waits = self.wait();
        let mut happened = self.happened.subscribe();
        loop {
            happened.mark_unchanged();
            if !self.found(query, mine.then_some(caller), None).is_empty() {
                return Ok(());
            }
            happened.changed().await.expect("the broker is there");
        }
    }

    async fn listed_to(
        &self,
        client: &Owner,
        query: ReviewQuery,
        _workspace: Option<&str>,
        after: Option<ReviewPlace>,
        limit: usize,
    ) -> Result<Vec<ReviewSummary>, Fault> {
        let mut found = if is_stranger(client) { Vec::new() } else { self.found(&query, None, after) };
        found.truncate(limit);
        Ok(found)
    }

    async fn shown_to(
        &self,
        client: &Owner,
        review: ReviewId,
        round: Option<u32>,
    ) -> Result<Option<ReviewRead>, Fault> {
        if is_stranger(client) {
            return Ok(None);
        }
        Ok(self.read_round(review, round, |_| gate_core::proposal::ReviewRole::Reviewer).ok())
    }

    async fn events_for(
        &self,
        client: &Owner,
        review: ReviewId,
        after: u64,
        limit: usize,
    ) -> Result<Option<Vec<ReviewEvent>>, Fault> {
        let state = self.lock();
        let kept = state.kept(review).ok().filter(|_| !is_stranger(client));
        Ok(kept.map(|kept| kept.events.iter().filter(|event| event.n > after).take(limit).cloned().collect()))
    }

    async fn reviews_like(&self, client: &Owner, beginning: &str, most: u32) -> Result<(Vec<ReviewId>, u64), Fault> {
        let state = self.lock();
        let all = state.reviews.iter().map(|kept| kept.id).filter(|_| !is_stranger(client));
        let all: Vec<_> = all.filter(|review| review.to_string().starts_with(beginning)).collect();
        let count = all.len() as u64;
        Ok((all.into_iter().take(most as usize).collect(), count))
    }
}
