//! The reviews of the broker: proposals, rounds, claims, verdicts, patches, threads, and what happened. The rules are
//! gate-core's ([`Review::step`](gate_core::proposal::Review::step)); here each act is read, stepped and written in one
//! transaction, and acts that wait for the writer share its commit.
//!
//! | file | owns |
//! |---|---|
//! | `together.rs` | acts that wait for the writer |
//! | `submitting.rs`, `acting.rs`, `claiming.rs` | what each kind of act does within it |
//! | `standing.rs` | how a caller stands to a review |
//! | `again.rs` | acts that were done before |
//! | `leaving.rs`, `writing.rs` | the rows that an act leaves |
//! | `reading.rs`, `listing.rs`, `approved.rs` | what is read again |

mod acting;
mod again;
mod approved;
mod claiming;
mod due;
mod leaving;
mod listing;
mod reading;
mod row;
mod standing;
mod submitting;
mod together;
mod writing;

use std::collections::BTreeMap;

use gate_core::Digest;
use gate_core::Fault;
use gate_core::Process;
use gate_core::RequestId;
use gate_core::Timestamp;
use gate_core::proposal::{
    Acted, Acting, ApprovedResult, Checked, DueReview, ListedReview, NewReview, NextReview, Party, Review, ReviewEvent,
    ReviewId, ReviewPlace, ReviewQuery, ReviewStore, ReviewSummary, StoredMessage, StoredPatch, StoredReview,
    StoredRound, StoredThread, StoredVerdict,
};

use crate::store::Store;
use crate::table::{Instead, Known, Owner, Table, column, identifier, json};
use together::Job;

/// For how many milliseconds what a review touched needs the person in new ones, after it ended while they were asked.
pub(crate) const FOLLOWED_MILLIS: u64 = 7 * 24 * 60 * 60 * 1000;

/// Reviews.
pub(crate) const PROPOSALS: Table = Table {
    name: "proposals",
    columns: &[
        identifier("review_id"),
        identifier("session_uuid"),
        column("party"),
        column("place"),
        column("workspace"),
        column("intent"),
        column("category"),
        column("priority"),
        json::<BTreeMap<String, String>>("labels", Instead::Text("{}")),
        identifier("parent_id").dispensable(),
        column("status"),
        json::<Review>("state", Instead::Nothing),
        column("holder"),
        column("free_since"),
        column("diff_sha256"),
        column("base"),
        column("stale"),
        identifier("request_id").dispensable(),
        column("queue_key"),
        column("due"),
        column("due_at"),
        column("followed_until"),
        column("created_at"),
        column("updated_at"),
        column("event"),
    ],
    owner: Owner::Conversation,
    known: Known::Replaced { key: "review_id", when: "excluded.event > proposals.event" },
};

/// Rounds.
pub(crate) const ROUNDS: Table = Table {
    name: "rounds",
    columns: &[
        identifier("review_id"),
        column("round"),
        column("party"),
        column("author"),
        column("diff_sha256"),
        column("description"),
        json::<Checked>("checked", Instead::Text("{\"fits\":\"unchecked\"}")),
        identifier("patch_id").dispensable(),
        column("created_at"),
        column("carried_from"),
    ],
    owner: Owner::Review,
    known: Known::Stays,
};

/// The paths that newest rounds change.
pub(crate) const FILES: Table = Table {
    name: "proposal_files",
    columns: &[identifier("review_id"), column("place"), column("path")],
    owner: Owner::Review,
    known: Known::Stays,
};

/// Claims.
pub(crate) const CLAIMS: Table = Table {
    name: "claims",
    columns: &[
        identifier("review_id"),
        column("token"),
        column("party"),
        column("given_round"),
        column("given_at"),
        column("ended_at"),
        column("lost"),
    ],
    owner: Owner::Review,
    known: Known::Changed(
        "(review_id, token) DO UPDATE SET ended_at = excluded.ended_at, lost = excluded.lost
         WHERE excluded.ended_at IS NOT NULL",
    ),
};

/// Verdicts.
pub(crate) const VERDICTS: Table = Table {
    name: "verdicts",
    columns: &[
        identifier("review_id"),
        column("n"),
        column("round"),
        column("party"),
        column("author"),
        column("decision"),
        column("reason"),
        column("created_at"),
    ],
    owner: Owner::Review,
    known: Known::Stays,
};

/// Patches.
pub(crate) const PATCHES: Table = Table {
    name: "counter_patches",
    columns: &[
        identifier("patch_id"),
        identifier("review_id"),
        column("n"),
        column("round"),
        column("party"),
        column("author"),
        column("diff_sha256"),
        column("description"),
        column("approves"),
        column("status"),
        json::<Checked>("checked", Instead::Text("{\"fits\":\"unchecked\"}")),
        column("created_at"),
    ],
    owner: Owner::Review,
    known: Known::Changed("(patch_id) DO UPDATE SET status = excluded.status WHERE excluded.status <> 'open'"),
};

/// What verdicts approved.
pub(crate) const RESULTS: Table = Table {
    name: "approved_results",
    columns: &[
        identifier("review_id"),
        column("n"),
        column("round"),
        identifier("patch_id").dispensable(),
        column("party"),
        column("created_at"),
    ],
    owner: Owner::Review,
    known: Known::Stays,
};

/// Threads.
pub(crate) const THREADS: Table = Table {
    name: "threads",
    columns: &[
        identifier("thread_id"),
        identifier("review_id"),
        column("n"),
        column("round"),
        json::<gate_core::proposal::Anchor>("anchor", Instead::Nothing),
        column("resolved"),
    ],
    owner: Owner::Review,
    known: Known::Changed("(thread_id) DO UPDATE SET resolved = excluded.resolved"),
};

/// Messages.
pub(crate) const MESSAGES: Table = Table {
    name: "thread_messages",
    columns: &[
        identifier("message_id"),
        identifier("review_id"),
        column("n"),
        identifier("thread_id").dispensable(),
        column("party"),
        column("role"),
        column("author"),
        column("body"),
        column("created_at"),
    ],
    owner: Owner::Review,
    known: Known::Stays,
};

/// What calls led to whose results have not arrived.
pub(crate) const CALLS: Table = Table {
    name: "broker_calls",
    columns: &[
        column("call_key"),
        identifier("review_id"),
        json::<Acted>("result", Instead::Nothing),
        column("created_at"),
    ],
    owner: Owner::Review,
    known: Known::Stays,
};

impl ReviewStore for Store {
    async fn submit(
        &self,
        new: NewReview,
        party: &Party,
        has_ended: fn(&Process) -> bool,
        call_key: Option<&str>,
        now: Timestamp,
    ) -> Result<Acted, Fault> {
        let (party, call_key) = (party.clone(), call_key.map(str::to_owned));
        let submitted = submitting::Submitting { new, party, has_ended, call_key, now };
        self.together(Job::Submit(Box::new(submitted))).await?.ok_or_else(unfinished)
    }

    async fn act(&self, acting: Acting) -> Result<Acted, Fault> {
        self.together(Job::Act(Box::new(acting))).await?.ok_or_else(unfinished)
    }

    async fn claim_next(&self, acting: Acting, next: &NextReview) -> Result<Option<Acted>, Fault> {
        self.together(Job::Next(Box::new((acting, next.clone())))).await
    }

    async fn done_before(&self, call_key: &str) -> Result<Option<Acted>, Fault> {
        Ok(self.review_call(call_key).await?)
    }

    async fn delivered(&self, call_key: &str) -> Result<(), Fault> {
        Ok(self.forget_review_call(call_key).await?)
    }

    async fn review(&self, review: ReviewId) -> Result<Option<StoredReview>, Fault> {
        Ok(self.stored_review(review).await?)
    }

    async fn reviews(
        &self,
        query: &ReviewQuery,
        after: Option<ReviewPlace>,
        limit: usize,
    ) -> Result<Vec<ReviewSummary>, Fault> {
        Ok(self.listed_reviews(query, after, limit).await?)
    }

    async fn whole_reviews(&self, query: &ReviewQuery, limit: usize) -> Result<Vec<ListedReview>, Fault> {
        Ok(self.listed_whole(query, limit).await?)
    }

    async fn rounds(&self, review: ReviewId, from: u32) -> Result<Vec<StoredRound>, Fault> {
        Ok(self.stored_rounds(review, from).await?)
    }

    async fn diff(&self, sha256: Digest) -> Result<Option<Vec<u8>>, Fault> {
        Ok(self.stored_diff(sha256).await?)
    }

    async fn verdicts(&self, review: ReviewId) -> Result<Vec<StoredVerdict>, Fault> {
        Ok(self.stored_verdicts(review).await?)
    }

    async fn patches(&self, review: ReviewId) -> Result<Vec<StoredPatch>, Fault> {
        Ok(self.stored_patches(review).await?)
    }

    async fn threads(&self, review: ReviewId) -> Result<Vec<StoredThread>, Fault> {
        Ok(self.stored_threads(review).await?)
    }

    async fn review_messages(&self, review: ReviewId, after: u64, limit: usize) -> Result<Vec<StoredMessage>, Fault> {
        Ok(self.stored_messages(review, after, limit).await?)
    }

    async fn review_events(&self, review: ReviewId, after: u64, limit: usize) -> Result<Vec<ReviewEvent>, Fault> {
        Ok(self.stored_events(review, after, limit).await?)
    }

    async fn approved(&self, place: &str, paths: &[String], limit: usize) -> Result<Vec<ApprovedResult>, Fault> {
        Ok(self.approved_results(place, paths, limit).await?)
    }

    async fn approved_of(&self, review: ReviewId) -> Result<Vec<ApprovedResult>, Fault> {
        Ok(self.approved_of_review(review).await?)
    }

    async fn overlaps(&self, review: ReviewId) -> Result<Vec<ReviewId>, Fault> {
        Ok(self.overlapping_reviews(review).await?)
    }

    async fn parties(&self, after: &str, limit: usize) -> Result<Vec<Party>, Fault> {
        Ok(self.listed_parties(after, limit).await?)
    }

    async fn followed(
        &self,
        checked: &Checked,
        diff: Option<Digest>,
        party: &Party,
        now: Timestamp,
    ) -> Result<bool, Fault> {
        Ok(self.is_followed(checked, diff, party, now).await?)
    }

    async fn asked(&self, review: ReviewId, round: u32, request: RequestId) -> Result<bool, Fault> {
        Ok(self.set_question(review, round, request).await?)
    }

    async fn asked_no_more(&self, review: ReviewId, request: RequestId) -> Result<(), Fault> {
        Ok(self.unset_question(review, request).await?)
    }

    async fn questions_of(&self, party: &str) -> Result<usize, Fault> {
        Ok(self.count_questions(party).await?)
    }

    async fn questions(&self) -> Result<Vec<(ReviewId, Option<RequestId>)>, Fault> {
        Ok(self.open_questions().await?)
    }

    async fn give_claims_time(&self, off_millis: u64, now: Timestamp) -> Result<(), Fault> {
        Ok(self.put_off_leases(off_millis, now).await?)
    }

    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<DueReview>, Fault> {
        Ok(self.due_reviews(now, limit).await?)
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, Fault> {
        Ok(self.next_due_review().await?)
    }
}

/// An act is either done or refused.
fn unfinished() -> Fault {
    Fault::internal("an act on a review came to nothing")
}
