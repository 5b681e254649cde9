//! Reviews of agents' proposals by other agents, as the person sees them and outranks them.

use std::collections::BTreeMap;

use gate_core::diff::DiffView;
use gate_core::markdown::Document;
use gate_core::proposal::{
    Anchor, ApprovedBy, Asked, Ending, Fits, Followed, Need, PatchId, PatchStatus, ProposedFile, ReviewId, ReviewRole,
    ReviewStatus, ReviewSummary, ThreadId, ThreadMessageId, Verdict, WasApplied,
};
use gate_core::{Decision, Digest, RequestId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::done::Done;
use crate::{commands, events};

/// Most runs of the pool on one review that are told of.
pub const RUNS_LISTED: usize = 20;
/// Most results of reviews of one list.
pub const APPROVED_LISTED: usize = 20;

commands! {
    /// A page of the reviews, the latest changed first.
    reviews: ListReviews {
        /// Only those that stand so.
        #[serde(default)]
        status: Option<ReviewStatus>,
        /// The `next` of the page before; absent for the first.
        #[serde(default)]
        cursor: Option<String>,
    } -> ReviewsPage, by Answerer, Look;

    /// A review with one of its rounds. `unknown_review` where there is none.
    review: OpenReview {
        /// Which one.
        review_id: ReviewId,
        /// Which round; the newest where it isn't said.
        #[serde(default)]
        round: Option<u32>,
    } -> ReviewView, by Answerer, Look;

    /// What a reviewer's patch would make of the base of its round. `unknown_patch` where there is none.
    review_patch: OpenReviewPatch {
        /// The review.
        review_id: ReviewId,
        /// Which patch.
        patch_id: PatchId,
    } -> ReviewPatchView, by Answerer, Look;

    /// Takes a review over: nobody else decides it, and the request that comes of it is answered like any other.
    take_review: TakeReview {
        /// Which one.
        review_id: ReviewId,
    } -> TakenReview, by Speaker, Act;

    /// Gives a review back to the agents. `wrong_state` where none of them could decide it.
    give_back_review: GiveBackReview {
        /// Which one.
        review_id: ReviewId,
    } -> Done, by Speaker, Act;

    /// Says something in a review: to all who are in it, in a thread, or on a place of its newest round.
    comment_review: CommentReview {
        /// Which one.
        review_id: ReviewId,
        /// The thread; absent for none.
        #[serde(default)]
        thread_id: Option<ThreadId>,
        /// The place on which a thread begins.
        #[serde(default)]
        place: Option<Anchor>,
        /// The round whose lines `place` is of; absent for the newest. `stale_round` where there is a newer one by now:
        /// nothing was said.
        #[serde(default)]
        round: Option<u32>,
        /// What is said, in Markdown; may be empty where a thread is only resolved.
        text: String,
        /// Whether the thread is resolved by it, or opened again.
        #[serde(default)]
        resolve: Option<bool>,
    } -> Done, by Speaker, Act;

    /// Makes a reviewer's patch the next round, or turns it down.
    settle_review_patch: SettleReviewPatch {
        /// The review.
        review_id: ReviewId,
        /// Which patch.
        patch_id: PatchId,
        /// Whether it becomes the next round.
        accept: bool,
    } -> Done, by Speaker, Act;

    /// Ends a review.
    end_review: EndReview {
        /// Which one.
        review_id: ReviewId,
        /// How; what follows from where it stands otherwise.
        #[serde(default)]
        outcome: Option<Ending>,
    } -> Done, by Speaker, Act;

    /// What the programs of the person's pool did on a review, the latest [`RUNS_LISTED`], and the last that each printed
    /// which failed: that may be whatever its user may read.
    review_runs: ListReviewRuns {
        /// Which one.
        review_id: ReviewId,
    } -> ReviewRuns, by Speaker, Look;

    /// How many parties have acted on reviews so far, or are of the pool, counted up to the most that a rule may need.
    review_parties: CountReviewParties {} -> ReviewParties, by Answerer, Look;

    /// What reviews have approved in the repository of a folder that changes some of these files, at most
    /// [`APPROVED_LISTED`]: first what changes all of them and no others, then the latest. It holds nothing of the person's
    /// but that they approved; hooks of git ask it.
    approved_reviews: ListApprovedReviews {
        /// A folder of the repository.
        folder: String,
        /// Paths from its top; of a renamed file both.
        paths: Vec<String>,
    } -> ApprovedReviews, by Anyone, Look, ts(skip);
}

events! {
    /// Something happened in a review.
    ReviewChanged {
        /// The review from then on.
        review: ReviewSummary,
    }, InWindows;
}

/// A page of reviews.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReviewsPage {
    /// The latest changed first.
    pub reviews: Vec<ReviewSummary>,
    /// Where the next page goes on; absent on the last.
    pub next: Option<String>,
}

/// A review that the person has taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TakenReview {
    /// The request that asks them to decide it.
    pub request_id: RequestId,
}

/// A review in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReviewView {
    /// The same in a few words.
    pub review: ReviewSummary,
    /// What it is to do, whole.
    pub intent: String,
    /// What its proposer says of the round at length.
    pub description: Option<Document>,
    /// What else its proposer says of it, by name.
    pub labels: BTreeMap<String, String>,
    /// The round that is shown.
    pub round: u32,
    /// All rounds, in their order.
    pub rounds: Vec<ReviewRound>,
    /// The diff of the round that is shown; absent where it has none.
    pub diff: Option<DiffView>,
    /// What was said of rounds, in its order.
    pub verdicts: Vec<ReviewVerdict>,
    /// Patches, in their order.
    pub patches: Vec<ReviewPatch>,
    /// Threads on places, in their order.
    pub threads: Vec<ReviewThread>,
    /// What was said to all, in its order.
    pub messages: Vec<ReviewMessage>,
    /// What the person is asked; absent where they aren't.
    pub asked: Option<Asked>,
    /// The request by which they are.
    pub request_id: Option<RequestId>,
    /// What the person has decided, while they may take it back by `undo_reply` of that request.
    pub deciding: Option<Decision>,
    /// Whether a program of the person's pool has it.
    pub pool_holds: bool,
    /// How many runs of the pool on it are known, at most [`RUNS_LISTED`]; `review_runs` tells of them.
    pub runs: u32,
    /// How many of them failed.
    pub failed_runs: u32,
    /// How what was approved was found where it is said to be applied; absent where that wasn't looked at.
    pub applied: Option<WasApplied>,
    /// Other open or approved reviews of the repository that change a file that its newest round does, at most 20; none
    /// once it is closed.
    pub overlaps: Vec<ReviewSummary>,
}

/// What programs of the person's pool did on a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReviewRuns {
    /// The latest last.
    pub runs: Vec<ReviewRun>,
}

/// A run of a program of the person's pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReviewRun {
    /// The program's name.
    pub program: String,
    /// The round that it looked at.
    pub round: u32,
    /// What came of it.
    pub end: RunEnd,
    /// The code with which it ended, of one that crashed.
    pub code: Option<u8>,
    /// When it was over.
    pub ended_at: Timestamp,
    /// How many milliseconds it took; absent where it wasn't started.
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub took_millis: Option<u64>,
    /// What it cost in millionths of a US dollar, where its program tells.
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub micro_dollars: Option<u64>,
    /// Of one that failed: what the program says of it, and the last that it printed, some thousand bytes.
    pub printed: String,
}

/// What came of a run of the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// Its answer is its program's verdict.
    Answered,
    /// It was ended before it was over, or came too late: the review was another's, had a newer round, or the gate ended.
    /// That counts against nobody.
    Late,
    /// It couldn't be started.
    NotStarted,
    /// It took too long, and was ended.
    TimedOut,
    /// It printed too much, and was ended.
    TooMuchOutput,
    /// What it said is no answer.
    Unusable,
    /// It said that it failed, or was ended.
    Crashed,
    /// Its answer was refused.
    NotTaken,
}

impl RunEnd {
    /// Whether it counts against its program.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        !matches!(self, Self::Answered | Self::Late)
    }
}

/// How many parties are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReviewParties {
    /// So many, or more where it is the most that a rule may need.
    pub known: u32,
}

/// A round of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReviewRound {
    /// Its number.
    pub round: u32,
    /// Who submitted it.
    pub author: String,
    /// How its diff fits what is there.
    pub fits: Fits,
    /// The commit that it fits, or `worktree`.
    pub base: Option<String>,
    /// What whoever decides should know of it besides.
    pub warnings: Vec<String>,
    /// The patch that it was, where it was one.
    pub patch_id: Option<PatchId>,
    /// The round whose approvals by agents hold for it, too: it is the same patch on another base.
    pub carried_from: Option<u32>,
    /// When it was submitted.
    pub created_at: Timestamp,
}

/// What somebody said of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReviewVerdict {
    /// The round.
    pub round: u32,
    /// What it says.
    pub decision: Verdict,
    /// Why.
    pub reason: Option<Document>,
    /// An agent, or the person.
    pub by: ApprovedBy,
    /// Whether that agent is a program of the person's pool, by what it is and not by what it says.
    pub pool: bool,
    /// Of the person's: whether it is sure to be theirs (L1 at least); any process could have given another.
    pub sure: bool,
    /// Who.
    pub author: String,
    /// When.
    pub created_at: Timestamp,
}

/// A patch that a reviewer offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReviewPatch {
    /// Its identifier.
    pub patch_id: PatchId,
    /// The round that it is offered for.
    pub round: u32,
    /// What it is to do.
    pub description: Option<Document>,
    /// Whether accepting it is its author's approval.
    pub approves: bool,
    /// What became of it.
    pub status: PatchStatus,
    /// Who offers it.
    pub author: String,
    /// Whether that is a program of the person's pool, by what it is and not by what it says.
    pub pool: bool,
    /// When.
    pub created_at: Timestamp,
}

/// What a patch changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReviewPatchView {
    /// The patch.
    pub patch: ReviewPatch,
    /// The whole diff in place of its round's.
    pub diff: DiffView,
}

/// What is said about one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReviewThread {
    /// Its identifier.
    pub thread_id: ThreadId,
    /// The round on which it began.
    pub round: u32,
    /// The place.
    pub place: Anchor,
    /// Where it stands in the round that is shown, if that is a later one; absent for what is settled, and where too many
    /// diffs would have to be read.
    pub follows: Option<Followed>,
    /// Whether it is settled.
    pub resolved: bool,
    /// What was said, in its order.
    pub messages: Vec<ReviewMessage>,
}

/// Something said in a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReviewMessage {
    /// Its identifier.
    pub message_id: ThreadMessageId,
    /// What its author is to the review.
    pub role: ReviewRole,
    /// Who.
    pub author: String,
    /// Whether that is a program of the person's pool, by what it is and not by what it says.
    pub pool: bool,
    /// Of the person's: whether it is sure to be theirs (L1 at least); any process could have said another.
    pub sure: bool,
    /// What was said.
    pub body: Document,
    /// When.
    pub created_at: Timestamp,
}

/// What reviews have approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovedReviews {
    /// First what changes all the files that were asked about and no others, then the latest.
    pub results: Vec<ApprovedReview>,
}

/// A round that a review has approved, or a patch in its place; what it needed has approved it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovedReview {
    /// The review.
    pub review_id: ReviewId,
    /// What it is to do; cut.
    pub intent: String,
    /// The round.
    pub round: u32,
    /// The patch, where it is one that was approved beside the round.
    pub patch_id: Option<PatchId>,
    /// What the round needs.
    pub need: Need,
    /// Who made it approved.
    pub approved_by: ApprovedBy,
    /// The receipt of the person's approval.
    pub receipt: Option<Digest>,
    /// What they were shown: the manifest whose digest that receipt has.
    pub manifest: Option<String>,
    /// How its diff fits what was there.
    pub fits: Fits,
    /// The commit that it fits, or `worktree`.
    pub base: Option<String>,
    /// What becomes of each file.
    pub files: Vec<ProposedFile>,
    /// Its diff, where it changes all the files that were asked about and no others.
    pub diff: Option<String>,
}
