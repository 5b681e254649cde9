//! The reviewer's tools: claiming and deciding.

use gate_core::proposal::{ReviewId, ReviewStatus, Verdict, bounds};
use gate_core::{Code, Fault};

use super::input::Judged;
use super::refused::told;
use super::views::{ClaimView, JudgedView, UnfitView, project};
use super::words;
use crate::answer::ReviewCaller;
use crate::broker::answer::{Call, Told};
use crate::broker::port::{ClaimGiven, OfferedPatch};

/// `claim_review`.
pub(super) async fn claim(call: &Call<'_>, review: ReviewId) -> Result<Told, Fault> {
    let claimed = told(call, review, call.port.claim(&call.caller, review).await).await;
    let look = call.port.look(&call.caller, review).await;
    let ClaimGiven { review: claimed, claim_token, round, diff, .. } = match claimed {
        Ok(given) => given,
        // What doesn't apply any more is rejected by the claim.
        Err(fault) if fault.code == Code::DiffConflict => {
            let look = look?;
            if look.review.status != ReviewStatus::Rejected {
                return Err(fault);
            }
            return Told::alone(&UnfitView {
                review_id: review,
                status: words::standing(look.review.status),
                auto_rejected: true,
                validation_error: &fault.message,
                project: project(&look.labels),
                category: look.review.category.as_deref(),
            });
        }
        Err(fault) => return Err(fault),
    };
    let look = look?;
    let has_diff = !diff.is_empty();
    Told::alone(&ClaimView {
        review_id: review,
        status: words::standing(claimed.status),
        claimed_by: claimed.holder.as_deref(),
        claim_generation: claim_token,
        intent: &look.intent,
        project: project(&look.labels),
        category: claimed.category.as_deref(),
        description: round.description.as_deref(),
        affected_files: has_diff.then(|| words::affected(&round.checked)),
        has_diff: has_diff.then_some(true),
    })
}

/// `submit_verdict`. What is offered with it comes first: a verdict that rejects ends the claim.
pub(super) async fn judge(call: &Call<'_>, judged: Judged) -> Result<Told, Fault> {
    let Judged { review, verdict, patch } = judged;
    let has_patch = patch.is_some();
    if let Some(diff) = patch {
        let offered = OfferedPatch { diff, description: None, approves: false, claimed: verdict.claimed };
        let offered = call.port.offer_patch(&of_the_patch(&call.caller), review, offered).await;
        told(call, review, offered).await?;
    }
    let (decision, reason) = (verdict.decision, verdict.reason.clone());
    let judged = told(call, review, call.port.judge(&call.caller, review, verdict).await).await?;
    Told::alone(&JudgedView {
        review_id: review,
        status: words::standing(judged.status),
        verdict: (decision == Verdict::Comment).then(|| decision.as_str()),
        verdict_reason: reason.as_deref(),
        has_counter_patch: has_patch.then_some(true),
    })
}

/// The same caller as it offers the patch of its verdict: each of the two counts once, however often the call comes.
fn of_the_patch(caller: &ReviewCaller) -> ReviewCaller {
    let mut caller = caller.clone();
    caller.whose.call_key.push_str(bounds::WITH_PATCH);
    caller
}
