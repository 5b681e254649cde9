//! What the review broker's tools need of the running gate.

use std::collections::BTreeMap;

use async_trait::async_trait;
use gate_core::proposal::{
    Anchor, Claimed, Ending, ListedReview, PatchId, Priority, ReviewEvent, ReviewId, ReviewPlace, ReviewQuery,
    ReviewRole, ReviewSummary, StoredMessage, StoredPatch, StoredReview, StoredRound, StoredThread, StoredVerdict,
    ThreadId, ThreadMessageId, Verdict, WasApplied,
};
use gate_core::{Digest, Fault, Owner};

use crate::answer::{CallerPort, ReviewCaller};
use crate::chat::NamedRepository;

/// A review as whoever waits for it looks at it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewLook {
    /// The review.
    pub review: ReviewSummary,
    /// What it is to do, whole.
    pub intent: String,
    /// What else its proposer says of it, by name.
    pub labels: BTreeMap<String, String>,
    /// What the caller is to it.
    pub role: ReviewRole,
    /// The newest verdict on its newest round.
    pub verdict: Option<StoredVerdict>,
}

/// What a proposal changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProposedChange {
    /// A diff as its proposer wrote it.
    Diff(String),
    /// What a repository holds; the gate makes the diff.
    Repository(NamedRepository),
    /// Nothing: it is a plan.
    Nothing,
}

/// A proposal as it is submitted.
#[derive(Debug, Clone, PartialEq)]
pub struct SubmittedProposal {
    /// What it is to do.
    pub intent: String,
    /// What it changes.
    pub change: ProposedChange,
    /// What it is to do, at length, in Markdown.
    pub description: Option<String>,
    /// The commit that the diff is to fit.
    pub base: Option<String>,
    /// Its proposer's word for its kind.
    pub category: Option<String>,
    /// How soon it wants its review.
    pub priority: Option<Priority>,
    /// What else its proposer says of it, by name.
    pub labels: BTreeMap<String, String>,
    /// The review whose next round it is.
    pub review_id: Option<ReviewId>,
    /// The round that it replaces.
    pub round: Option<u32>,
    /// The review whose place it takes.
    pub parent_id: Option<ReviewId>,
    /// Whether the work tree has it already.
    pub applied: bool,
}

/// What became of a proposal that was submitted.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
    /// The review.
    pub review: ReviewSummary,
    /// Whether its newest round has these very bytes already.
    pub unchanged: bool,
    /// Other open reviews that change a file that it does.
    pub overlaps: Vec<ReviewId>,
    /// What its proposer should know besides.
    pub warnings: Vec<String>,
    /// Calls that wait for a review to claim, and may have this one.
    pub waiting: u32,
    /// Programs of the reviewer pool that will look at it.
    pub pool: Vec<String>,
}

/// A review with what whoever reads it is given.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewRead {
    /// The review.
    pub review: StoredReview,
    /// The round that is asked for, else the newest.
    pub round: StoredRound,
    /// Its diff; empty where it has none.
    pub diff: String,
    /// Verdicts, in their order.
    pub verdicts: Vec<StoredVerdict>,
    /// What the caller is to the review.
    pub role: ReviewRole,
}

/// A claim that was given.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimGiven {
    /// The review.
    pub review: ReviewSummary,
    /// The fence: what the holder passes on with what it does.
    pub claim_token: u64,
    /// The round's diff; empty where it has none.
    pub diff: String,
    /// The round.
    pub round: StoredRound,
    /// Threads that nobody has settled, with their messages.
    pub threads: Vec<StoredThread>,
    /// All messages of these threads, in their order.
    pub messages: Vec<StoredMessage>,
}

/// Which review a call would claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClaimWish {
    /// Only in this folder's repository.
    pub workspace: Option<String>,
    /// Only of these categories; of any where there is none.
    pub categories: Vec<String>,
}

/// Where a message is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaidAt {
    /// On the review as a whole.
    Review,
    /// In a thread.
    Thread(ThreadId),
    /// On a place of the newest round.
    Lines(Anchor),
}

/// A message as an agent says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Where.
    pub at: SaidAt,
    /// What; empty where a thread is only resolved.
    pub body: String,
    /// Whether its thread is resolved, or opened again.
    pub resolve: Option<bool>,
    /// The caller's own identifier for it: said twice, it counts once.
    pub message_id: Option<ThreadMessageId>,
}

/// A verdict as an agent gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenVerdict {
    /// What it says.
    pub decision: Verdict,
    /// Why.
    pub reason: Option<String>,
    /// Comments on lines, each with its place.
    pub comments: Vec<(Anchor, String)>,
    /// What it says of the claim that it acts on.
    pub claimed: Claimed,
}

/// A patch as an agent offers it.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedPatch {
    /// The whole other diff against the round's base.
    pub diff: String,
    /// What it is to do.
    pub description: Option<String>,
    /// Whether accepting it is its author's approval.
    pub approves: bool,
    /// What it says of the claim that it acts on.
    pub claimed: Claimed,
}

/// What a close says and is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Closing {
    /// The review.
    pub review: ReviewSummary,
    /// How what was approved lies in the commit or the work tree, where it was looked for.
    pub applied: Option<WasApplied>,
}

/// Reviews of agents' proposals by other agents. What a caller may not see is `unknown_review` to it.
#[async_trait]
pub trait BrokerPort: CallerPort {
    /// Submits a proposal, or a review's next round.
    async fn submit(&self, caller: &ReviewCaller, proposal: SubmittedProposal) -> Result<Submission, Fault>;

    /// A review in a few words.
    async fn look(&self, caller: &ReviewCaller, review: ReviewId) -> Result<ReviewLook, Fault>;

    /// A review with one of its rounds.
    async fn read(&self, caller: &ReviewCaller, review: ReviewId, round: Option<u32>) -> Result<ReviewRead, Fault>;

    /// At most so many reviews that the caller is listed; the place of the last one is where the next page goes on.
    /// `workspace` narrows it to that folder's repository, `mine` to the caller's own.
    async fn list(
        &self,
        caller: &ReviewCaller,
        query: ReviewQuery,
        workspace: Option<&str>,
        mine: bool,
        after: Option<ReviewPlace>,
        limit: usize,
    ) -> Result<Vec<ReviewSummary>, Fault>;

    /// At most so many reviews that the caller is listed, with all that is known of each, the latest changed first.
    async fn list_whole(
        &self,
        caller: &ReviewCaller,
        query: ReviewQuery,
        limit: usize,
    ) -> Result<Vec<ListedReview>, Fault>;

    /// Claims a review.
    async fn claim(&self, caller: &ReviewCaller, review: ReviewId) -> Result<ClaimGiven, Fault>;

    /// Claims the next one in the queue; absent where there is none.
    async fn claim_next(&self, caller: &ReviewCaller, wish: &ClaimWish) -> Result<Option<ClaimGiven>, Fault>;

    /// Waits for the next one and claims it. Whoever waits longest is given one first; dropping the future ends the wait.
    async fn wait_to_claim(&self, caller: &ReviewCaller, wish: &ClaimWish) -> Result<ClaimGiven, Fault>;

    /// Gives a claim back.
    async fn release(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        reason: Option<String>,
        claimed: Claimed,
    ) -> Result<ReviewSummary, Fault>;

    /// Gives a verdict.
    async fn judge(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        verdict: GivenVerdict,
    ) -> Result<ReviewSummary, Fault>;

    /// Says something. Gives the thread, where it is in one.
    async fn say(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        said: Said,
    ) -> Result<(ReviewSummary, Option<ThreadId>), Fault>;

    /// The threads of a review, and at most so many of its messages after an event.
    async fn messages(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        after: u64,
        limit: usize,
    ) -> Result<(Vec<StoredThread>, Vec<StoredMessage>), Fault>;

    /// Offers a patch.
    async fn offer_patch(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        patch: OfferedPatch,
    ) -> Result<(ReviewSummary, PatchId), Fault>;

    /// The rounds and the patches of a review.
    async fn patches(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
    ) -> Result<(Vec<StoredRound>, Vec<StoredPatch>), Fault>;

    /// A diff of a review.
    async fn diff(&self, caller: &ReviewCaller, review: ReviewId, sha256: Digest) -> Result<String, Fault>;

    /// Makes a patch the next round; without an id, the only open one.
    async fn accept_patch(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        patch: Option<PatchId>,
        reason: Option<String>,
    ) -> Result<ReviewSummary, Fault>;

    /// Turns a patch down; without an id, the only open one.
    async fn reject_patch(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        patch: Option<PatchId>,
        reason: Option<String>,
    ) -> Result<ReviewSummary, Fault>;

    /// Ends a review.
    async fn close(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        outcome: Option<Ending>,
        commit: Option<String>,
    ) -> Result<Closing, Fault>;

    /// At most so many events of a review after one of them, in their order.
    async fn events(
        &self,
        caller: &ReviewCaller,
        review: ReviewId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<ReviewEvent>, Fault>;

    /// Resolves when a review has an event after this one that isn't the caller's own act; at once where it has. Dropping
    /// the future ends the wait. `too_many` where as many calls wait as may.
    async fn happened(&self, caller: &ReviewCaller, review: ReviewId, after: u64) -> Result<(), Fault>;

    /// Resolves when [`list`](Self::list) would give a review; at once where it does. One in which only the caller did
    /// something since the query's moment doesn't count. Dropping the future ends the wait. `too_many` as above.
    async fn is_listed(
        &self,
        caller: &ReviewCaller,
        query: &ReviewQuery,
        workspace: Option<&str>,
        mine: bool,
    ) -> Result<(), Fault>;

    /// Reviews that are listed to a client, as [`list`](Self::list) has them: what it sees follows from whose it is and
    /// from the folder that its owner works in.
    async fn listed_to(
        &self,
        client: &Owner,
        query: ReviewQuery,
        workspace: Option<&str>,
        after: Option<ReviewPlace>,
        limit: usize,
    ) -> Result<Vec<ReviewSummary>, Fault>;

    /// A review with one of its rounds, as a client reads it; absent where there is none for it.
    async fn shown_to(&self, client: &Owner, review: ReviewId, round: Option<u32>)
    -> Result<Option<ReviewRead>, Fault>;

    /// At most so many events of a review after one of them; absent where there is no such review for a client.
    async fn events_for(
        &self,
        client: &Owner,
        review: ReviewId,
        after: u64,
        limit: usize,
    ) -> Result<Option<Vec<ReviewEvent>>, Fault>;

    /// Reviews that are listed to a client whose identifier begins so: the newest first, and how many there are in all.
    async fn reviews_like(&self, client: &Owner, beginning: &str, most: u32) -> Result<(Vec<ReviewId>, u64), Fault>;
}
