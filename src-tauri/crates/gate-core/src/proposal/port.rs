//! What the broker needs of whatever keeps its reviews. SQLite does here; nothing in it is SQLite's own: no dialect, and
//! no number that counts over all reviews.
//!
//! Each act is one transaction: the review is read under a lock, [`Review::step`](super::Review::step) says what comes of
//! it, and that is written with its event, or nothing is. Where several may claim the next review, each gets another one.

use std::future::Future;

use super::record::{
    Acted, Acting, ApprovedResult, Checked, DueReview, ListedReview, NewReview, NextReview, ReviewPlace, ReviewQuery,
    ReviewSummary, StoredMessage, StoredPatch, StoredReview, StoredRound, StoredThread, StoredVerdict,
};
use super::{Party, ReviewEvent, ReviewId};
use crate::digest::Digest;
use crate::fault::Fault;
use crate::ids::RequestId;
use crate::owner::Process;
use crate::timestamp::Timestamp;

/// Whatever keeps reviews. Everything is committed when it returns.
pub trait ReviewStore: Send + Sync + 'static {
    /// Keeps a new review with its first round. Done twice with one call key, it is one review.
    ///
    /// # Errors
    /// `too_many` where the party has as many open ones as it may, the refusal to supersede its parent, and what the
    /// database says.
    fn submit(
        &self,
        new: NewReview,
        party: &Party,
        has_ended: fn(&Process) -> bool,
        call_key: Option<&str>,
        now: Timestamp,
    ) -> impl Future<Output = Result<Acted, Fault>> + Send;

    /// Does something to a review.
    ///
    /// # Errors
    /// `unknown_review`, what [`Refusal`](super::Refusal) says, the bounds of what comes with it, and what the database
    /// says.
    fn act(&self, acting: Acting) -> impl Future<Output = Result<Acted, Fault>> + Send;

    /// Claims the first review in the queue that this actor may have; absent where there is none. `acting.review_id` isn't
    /// looked at.
    ///
    /// # Errors
    /// `too_many` where the party holds as many as it may, and what the database says.
    fn claim_next(
        &self,
        acting: Acting,
        next: &NextReview,
    ) -> impl Future<Output = Result<Option<Acted>, Fault>> + Send;

    /// What an earlier call with this key led to.
    ///
    /// # Errors
    /// What the database says.
    fn done_before(&self, call_key: &str) -> impl Future<Output = Result<Option<Acted>, Fault>> + Send;

    /// Forgets what a call led to: its caller has the result.
    ///
    /// # Errors
    /// What the database says.
    fn delivered(&self, call_key: &str) -> impl Future<Output = Result<(), Fault>> + Send;

    /// A review; absent where there is none of that identifier.
    ///
    /// # Errors
    /// What the database says.
    fn review(&self, review: ReviewId) -> impl Future<Output = Result<Option<StoredReview>, Fault>> + Send;

    /// At most so many reviews, the newest first.
    ///
    /// # Errors
    /// What the database says.
    fn reviews(
        &self,
        query: &ReviewQuery,
        after: Option<ReviewPlace>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<ReviewSummary>, Fault>> + Send;

    /// At most so many reviews with all that is known of them, the newest first.
    ///
    /// # Errors
    /// What the database says.
    fn whole_reviews(
        &self,
        query: &ReviewQuery,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<ListedReview>, Fault>> + Send;

    /// The rounds of a review from this one on, in their order.
    ///
    /// # Errors
    /// What the database says.
    fn rounds(&self, review: ReviewId, from: u32) -> impl Future<Output = Result<Vec<StoredRound>, Fault>> + Send;

    /// A diff, byte for byte; absent where no review has it.
    ///
    /// # Errors
    /// What the database says.
    fn diff(&self, sha256: Digest) -> impl Future<Output = Result<Option<Vec<u8>>, Fault>> + Send;

    /// The verdicts on a review, in their order.
    ///
    /// # Errors
    /// What the database says.
    fn verdicts(&self, review: ReviewId) -> impl Future<Output = Result<Vec<StoredVerdict>, Fault>> + Send;

    /// The patches of a review, in their order.
    ///
    /// # Errors
    /// What the database says.
    fn patches(&self, review: ReviewId) -> impl Future<Output = Result<Vec<StoredPatch>, Fault>> + Send;

    /// The threads of a review, in their order.
    ///
    /// # Errors
    /// What the database says.
    fn threads(&self, review: ReviewId) -> impl Future<Output = Result<Vec<StoredThread>, Fault>> + Send;

    /// At most so many messages of a review whose event is after this one, in their order.
    ///
    /// # Errors
    /// What the database says.
    fn review_messages(
        &self,
        review: ReviewId,
        after: u64,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<StoredMessage>, Fault>> + Send;

    /// At most so many events of a review after this one, in their order.
    ///
    /// # Errors
    /// What the database says.
    fn review_events(
        &self,
        review: ReviewId,
        after: u64,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<ReviewEvent>, Fault>> + Send;

    /// At most so many results that reviews of this place have approved and that change one of these files, the latest
    /// first.
    ///
    /// # Errors
    /// What the database says.
    fn approved(
        &self,
        place: &str,
        paths: &[String],
        limit: usize,
    ) -> impl Future<Output = Result<Vec<ApprovedResult>, Fault>> + Send;

    /// What a review has approved and stands by: its newest round, then patches beside it.
    ///
    /// # Errors
    /// What the database says.
    fn approved_of(&self, review: ReviewId) -> impl Future<Output = Result<Vec<ApprovedResult>, Fault>> + Send;

    /// Other open reviews whose newest round changes a file that this one's does.
    ///
    /// # Errors
    /// What the database says.
    fn overlaps(&self, review: ReviewId) -> impl Future<Output = Result<Vec<ReviewId>, Fault>> + Send;

    /// At most so many of those that ever acted on a review, in the order of their keys, after this one. A start lists them
    /// with an empty one.
    ///
    /// # Errors
    /// What the database says.
    fn parties(&self, after: &str, limit: usize) -> impl Future<Output = Result<Vec<Party>, Fault>> + Send;

    /// Whether a change that a party proposes needs the person, since something like it did lately: a change of one of its
    /// files by the same party; the same diff, or the same contents of a file, by whoever it was.
    ///
    /// # Errors
    /// What the database says.
    fn followed(
        &self,
        checked: &Checked,
        diff: Option<Digest>,
        party: &Party,
        now: Timestamp,
    ) -> impl Future<Output = Result<bool, Fault>> + Send;

    /// The person is asked about this round of a review by this request. False where they aren't to be any more, or are by
    /// another one.
    ///
    /// # Errors
    /// What the database says.
    fn asked(
        &self,
        review: ReviewId,
        round: u32,
        request: RequestId,
    ) -> impl Future<Output = Result<bool, Fault>> + Send;

    /// They aren't any more.
    ///
    /// # Errors
    /// What the database says.
    fn asked_no_more(&self, review: ReviewId, request: RequestId) -> impl Future<Output = Result<(), Fault>> + Send;

    /// How many questions about reviews of this party stand before the person.
    ///
    /// # Errors
    /// What the database says.
    fn questions_of(&self, party: &str) -> impl Future<Output = Result<usize, Fault>> + Send;

    /// The reviews about which the person is asked, each with the request; without one where it is still to be made.
    ///
    /// # Errors
    /// What the database says.
    fn questions(&self) -> impl Future<Output = Result<Vec<(ReviewId, Option<RequestId>)>, Fault>> + Send;

    /// After so many milliseconds in which the gate or the machine was off, which aren't to count: gives each claim that
    /// much more, and two minutes at least from now on.
    ///
    /// # Errors
    /// What the database says.
    fn give_claims_time(&self, off_millis: u64, now: Timestamp) -> impl Future<Output = Result<(), Fault>> + Send;

    /// What is due by now, at most so many, the oldest first.
    ///
    /// # Errors
    /// What the database says.
    fn due(&self, now: Timestamp, limit: usize) -> impl Future<Output = Result<Vec<DueReview>, Fault>> + Send;

    /// When the next thing will be due; absent where nothing will.
    ///
    /// # Errors
    /// What the database says.
    fn next_due(&self) -> impl Future<Output = Result<Option<Timestamp>, Fault>> + Send;
}
