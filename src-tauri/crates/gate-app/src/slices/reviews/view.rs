//! Reviews as the person is shown them: texts parsed, names with nothing in them that hides.

use std::collections::HashMap;

use gate_api::subjects::reviews::{
    ReviewMessage, ReviewPatch, ReviewPatchView, ReviewRound, ReviewThread, ReviewVerdict, ReviewView,
};
use gate_core::diff;
use gate_core::markdown::{self, visible};
use gate_core::proposal::{
    PatchId, ReviewId, ReviewStore as _, ReviewSummary, StoredMessage, StoredPatch, StoredRound, StoredVerdict,
    ThreadId, bounds, unknown_review,
};
use gate_core::{Code, Fault};

use super::Reviews;
use crate::work::blocking;

/// A review in a few words, with names as they are shown.
pub(super) fn shown(review: ReviewSummary) -> ReviewSummary {
    ReviewSummary {
        proposer: name(&review.proposer),
        holder: review.holder.as_deref().map(name),
        workspace: visible(&review.workspace),
        ..review
    }
}

/// A client's name as a person reads it.
fn name(client: &str) -> String {
    visible(&gate_core::clients::display_name(client))
}

impl Reviews {
    /// A review with one of its rounds.
    pub(super) async fn view(&self, review: ReviewId, round: Option<u32>) -> Result<ReviewView, Fault> {
        let stored = self.store.review(review).await?.ok_or_else(|| unknown_review(review))?;
        let rounds = self.store.rounds(review, 1).await?;
        let wanted = round.unwrap_or(stored.summary.round);
        let found = rounds.iter().find(|found| found.round == wanted).ok_or_else(|| {
            let message =
                format!("There is no round {wanted}: the review has the rounds 1 to {}.", stored.summary.round);
            Fault::new(Code::InvalidInput, message, "Leave it out for the newest one.")
        })?;
        let text = self.text_of(found.diff_sha256).await?;
        let diff = match text.is_empty() {
            true => None,
            false => Some(blocking(move || diff::view(&text)).await?),
        };
        let verdicts = self.store.verdicts(review).await?;
        let patches = self.store.patches(review).await?;
        let threads = self.store.threads(review).await?;
        let most = usize::try_from(bounds::MESSAGES).unwrap_or(usize::MAX);
        let messages = self.store.review_messages(review, 0, most).await?;
        let description = found.description.as_deref().map(markdown::parse);
        let mut said: HashMap<Option<ThreadId>, Vec<ReviewMessage>> = HashMap::new();
        for message in messages {
            said.entry(message.thread_id).or_default().push(said_as(message));
        }
        let threads = threads.into_iter().map(|thread| ReviewThread {
            messages: said.remove(&Some(thread.thread_id)).unwrap_or_default(),
            thread_id: thread.thread_id,
            round: thread.round,
            place: thread.anchor,
            resolved: thread.resolved,
        });
        Ok(ReviewView {
            threads: threads.collect(),
            messages: said.remove(&None).unwrap_or_default(),
            review: shown(stored.summary),
            intent: stored.intent,
            description,
            labels: stored.labels,
            round: wanted,
            rounds: rounds.into_iter().map(round_as).collect(),
            diff,
            verdicts: verdicts.into_iter().map(verdict_as).collect(),
            patches: patches.into_iter().map(patch_as).collect(),
            asked: stored.state.asked,
            request_id: stored.request_id,
        })
    }

    /// A patch of a review with what it changes.
    pub(super) async fn patch_view(&self, review: ReviewId, patch: PatchId) -> Result<ReviewPatchView, Fault> {
        let patches = self.store.patches(review).await?;
        let found = patches.into_iter().find(|found| found.patch_id == patch).ok_or_else(|| {
            let message = format!("No patch of this review has the id {patch}.");
            Fault::new(Code::UnknownPatch, message, "Open the review again; it names those that there are.")
        })?;
        let text = self.text_of(Some(found.diff_sha256)).await?;
        let diff = blocking(move || diff::view(&text)).await?;
        Ok(ReviewPatchView { patch: patch_as(found), diff })
    }
}

fn said_as(message: StoredMessage) -> ReviewMessage {
    ReviewMessage {
        message_id: message.message_id,
        role: message.role,
        author: name(&message.author),
        body: markdown::parse(&message.body),
        created_at: message.created_at,
    }
}

fn round_as(round: StoredRound) -> ReviewRound {
    ReviewRound {
        round: round.round,
        author: name(&round.author),
        fits: round.checked.fits,
        base: round.checked.base,
        warnings: round.checked.warnings,
        patch_id: round.patch_id,
        created_at: round.created_at,
    }
}

fn verdict_as(verdict: StoredVerdict) -> ReviewVerdict {
    ReviewVerdict {
        round: verdict.round,
        decision: verdict.decision,
        reason: verdict.reason.as_deref().map(markdown::parse),
        by: verdict.by,
        author: name(&verdict.author),
        created_at: verdict.created_at,
    }
}

fn patch_as(patch: StoredPatch) -> ReviewPatch {
    ReviewPatch {
        patch_id: patch.patch_id,
        round: patch.round,
        description: patch.description.as_deref().map(markdown::parse),
        approves: patch.approves,
        status: patch.status,
        author: name(&patch.author),
        created_at: patch.created_at,
    }
}
