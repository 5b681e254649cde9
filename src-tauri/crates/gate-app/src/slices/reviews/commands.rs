//! What the person does with reviews. They decide one by the request that asks them, as they decide anything.

use std::cmp::Ordering;
use std::sync::Arc;

use gate_api::subjects::reviews::{
    ApprovedReviews, CommentReview, CountReviewParties, EndReview, GiveBackReview, Handler, ListApprovedReviews,
    ListReviewRuns, ListReviews, OpenReview, OpenReviewPatch, ReviewParties, ReviewPatchView, ReviewRuns, ReviewView,
    ReviewsPage, SettleReviewPatch, TakeReview, TakenReview,
};
use gate_api::{Done, Origin};
use gate_core::ask::at_most_bytes;
use gate_core::page::bad_cursor;
use gate_core::proposal::{
    Act, Asked, Brought, MessagePlace, NewMessage, ReviewId, ReviewPlace, ReviewQuery, ReviewStore as _, ThreadId,
    ThreadMessageId, bounds, unknown_review,
};
use gate_core::{Code, Fault, Given, Timestamp};

use super::{Reviews, view};
use crate::slices::Gate;
use crate::slices::receipts::given;

impl Handler for Gate {
    async fn reviews(&self, listed: ListReviews, _: Origin) -> Result<ReviewsPage, Fault> {
        let after = listed.cursor.as_deref().map(place).transpose()?;
        let query = ReviewQuery { status: listed.status, ..ReviewQuery::default() };
        // One more than a page has says whether there is another.
        let mut reviews = self.inner.store.reviews(&query, after, bounds::LIST_ITEMS + 1).await?;
        let goes_on = reviews.len() > bounds::LIST_ITEMS;
        reviews.truncate(bounds::LIST_ITEMS);
        let last = reviews.last().filter(|_| goes_on);
        let next = last.map(|last| format!("{}.{}", last.updated_at.0, last.review_id));
        Ok(ReviewsPage { reviews: reviews.into_iter().map(view::shown).collect(), next })
    }

    async fn review(&self, opened: OpenReview, _: Origin) -> Result<ReviewView, Fault> {
        self.inner.reviews.view(opened.review_id, opened.round).await
    }

    async fn review_patch(&self, opened: OpenReviewPatch, _: Origin) -> Result<ReviewPatchView, Fault> {
        self.inner.reviews.patch_view(opened.review_id, opened.patch_id).await
    }

    async fn take_review(&self, taken: TakeReview, origin: Origin) -> Result<TakenReview, Fault> {
        self.inner.reviews.take(taken.review_id, self.given_at(origin)).await
    }

    async fn give_back_review(&self, back: GiveBackReview, origin: Origin) -> Result<Done, Fault> {
        let given = self.given_at(origin);
        self.inner.reviews.by_person(given, back.review_id, Act::GiveBack, Brought::Nothing).await.map(|()| Done {})
    }

    async fn comment_review(&self, comment: CommentReview, origin: Origin) -> Result<Done, Fault> {
        let reviews = &self.inner.reviews;
        at_most_bytes("text", &comment.text, bounds::BODY_BYTES)?;
        if comment.text.trim().is_empty() && (comment.resolve.is_none() || comment.thread_id.is_none()) {
            return Err(Fault::new(Code::EmptyReply, "The comment is empty.", "Write something first."));
        }
        let place = match (comment.thread_id, comment.place) {
            (Some(thread), _) => MessagePlace::Thread(thread),
            (None, Some(anchor)) => MessagePlace::Lines(ThreadId(reviews.bus.new_id()), anchor),
            (None, None) => MessagePlace::Review,
        };
        if let Some(round) = comment.round {
            reviews.is_newest(comment.review_id, round).await?;
        }
        let message_id = ThreadMessageId(reviews.bus.new_id());
        let message =
            NewMessage { message_id, place, body: comment.text, resolve: comment.resolve, round: comment.round };
        reviews
            .by_person(self.given_at(origin), comment.review_id, Act::Message, Brought::Message(message))
            .await
            .map(|()| Done {})
    }

    async fn settle_review_patch(&self, settled: SettleReviewPatch, origin: Origin) -> Result<Done, Fault> {
        let (reviews, review) = (&self.inner.reviews, settled.review_id);
        let rules = reviews.rules();
        let act = match settled.accept {
            true => Act::AcceptPatch {
                need: reviews.need_of_patch(&rules, review, settled.patch_id).await?,
                approves: false,
            },
            false => Act::RejectPatch,
        };
        let with = Brought::OfPatch(Some(settled.patch_id), None);
        let acting = reviews.acting_of_person(self.given_at(origin), review, act, with);
        reviews.done_by(rules, acting).await.map(|_| Done {})
    }

    async fn end_review(&self, ended: EndReview, origin: Origin) -> Result<Done, Fault> {
        let (reviews, review, given) = (&self.inner.reviews, ended.review_id, self.given_at(origin));
        let stored = reviews.store.review(review).await?.ok_or_else(|| unknown_review(review))?;
        let found = reviews.found_applied(&stored, ended.outcome, None, None).await?;
        let with = Brought::Closed { commit: None, found: found.map(Box::new) };
        reviews.by_person(given, review, Act::Close(ended.outcome), with).await.map(|()| Done {})
    }

    async fn review_runs(&self, listed: ListReviewRuns, _: Origin) -> Result<ReviewRuns, Fault> {
        self.inner.reviews.runs(listed.review_id).await.map(|runs| ReviewRuns { runs })
    }

    async fn review_parties(&self, _: CountReviewParties, _: Origin) -> Result<ReviewParties, Fault> {
        self.inner.reviews.known_parties().await.map(|known| ReviewParties { known })
    }

    async fn approved_reviews(&self, asked: ListApprovedReviews, _: Origin) -> Result<ApprovedReviews, Fault> {
        self.inner.reviews.approved(&asked.folder, &asked.paths).await
    }
}

impl Gate {
    /// How what is done from there is given.
    fn given_at(&self, origin: Origin) -> Given {
        self.inner.receipts.as_seen(given(origin).into())
    }
}

impl Reviews {
    /// Whether a round is the newest.
    ///
    /// # Errors
    /// `stale_round` where it isn't, `invalid_input` where there is none of that number yet.
    async fn is_newest(&self, review: ReviewId, round: u32) -> Result<(), Fault> {
        let stored = self.store.review(review).await?.ok_or_else(|| unknown_review(review))?;
        let newest = stored.summary.round;
        match round.cmp(&newest) {
            Ordering::Equal => Ok(()),
            Ordering::Less => Err(Fault::new(
                Code::StaleRound,
                format!(
                    "This was written on round {round}, and the newest is round {newest} by now. Nothing was said."
                ),
                "Look at the newest round, and say it there if it still holds.",
            )),
            Ordering::Greater => Err(Fault::new(
                Code::InvalidInput,
                format!("There is no round {round}: the newest is round {newest}."),
                "Leave it out for the newest one.",
            )),
        }
    }

    /// The person takes a review over. Gives the request that asks them to decide it.
    async fn take(self: &Arc<Self>, review: ReviewId, given: Given) -> Result<TakenReview, Fault> {
        let stored = self.store.review(review).await?.ok_or_else(|| unknown_review(review))?;
        if stored.state.held.is_some() {
            return Err(Fault::new(
                Code::PersonDeciding,
                "You have decided this; it becomes good in a moment.",
                "Take your reply back where you gave it to decide anew.",
            ));
        }
        // They may be asked already, but by nobody's taking it, or by somebody's who is less sure to be them.
        let is_theirs = stored.state.asked == Some(Asked::Decision) && stored.state.taken >= Some(given.assurance);
        if !is_theirs {
            self.by_person(given, review, Act::Take, Brought::Nothing).await?;
        }
        let stored = self.store.review(review).await?.ok_or_else(|| unknown_review(review))?;
        if stored.request_id.is_none() {
            // What they were to be asked they have put aside.
            self.ask_again(review).await;
        }
        let stored = self.store.review(review).await?.ok_or_else(|| unknown_review(review))?;
        let request_id = stored.request_id.ok_or_else(|| {
            Fault::new(
                Code::WrongState,
                "The review can't be asked about now.",
                "Open it again: it may have been decided meanwhile.",
            )
        })?;
        Ok(TakenReview { request_id })
    }
}

/// Reads where a list goes on.
fn place(cursor: &str) -> Result<ReviewPlace, Fault> {
    let (updated_at, review_id) = cursor.split_once('.').ok_or_else(bad_cursor)?;
    Ok(ReviewPlace {
        updated_at: Timestamp(updated_at.parse().map_err(|_| bad_cursor())?),
        review_id: review_id.parse().map_err(|_| bad_cursor())?,
    })
}
