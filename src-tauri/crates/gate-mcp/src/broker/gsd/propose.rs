//! The proposer's tools: creating a review and its next rounds, taking a counter-patch or not, ending it.

use gate_core::Fault;
use gate_core::proposal::{PatchId, PatchStatus, ReviewId, ReviewRole};

use super::input::Created;
use super::look::shown;
use super::refused::told;
use super::views::{ClosedView, CreatedView, PatchView, project};
use super::words;
use crate::broker::answer::{Call, Told};
use crate::broker::port::Closing;
use crate::broker::propose::submitted;

/// `create_review`.
pub(super) async fn create(call: &Call<'_>, created: Created) -> Result<Told, Fault> {
    let Created { proposal, mut project } = created;
    let revises = proposal.review_id;
    let submission = submitted(call, proposal).await;
    let submission = match revises {
        Some(review) => {
            let submission = told(call, review, submission).await?;
            // A next round is of the project that its review is of.
            project = self::project(&call.port.look(&call.caller, review).await?.labels).map(str::to_owned);
            submission
        }
        None => submission?,
    };
    Told::alone(&CreatedView {
        review_id: submission.review.review_id,
        status: words::standing(submission.review.status),
        revised: revises.map(|_| !submission.unchanged),
        project: project.as_deref(),
        warnings: &submission.warnings,
    })
}

/// `close_review`.
pub(super) async fn close(call: &Call<'_>, review: ReviewId) -> Result<Told, Fault> {
    let closing = call.port.close(&call.caller, review, None, None).await;
    let Closing { review, .. } = told(call, review, closing).await?;
    Told::alone(&ClosedView {
        review_id: review.review_id,
        status: words::standing(review.status),
        closed_by: ReviewRole::Proposer,
        outcome: review.outcome,
    })
}

/// `accept_counter_patch`.
pub(super) async fn accept(call: &Call<'_>, review: ReviewId) -> Result<Told, Fault> {
    let patch = open(call, review).await?;
    let accepted = call.port.accept_patch(&call.caller, review, patch, None).await;
    let accepted = told(call, review, accepted).await?;
    let standing = words::standing(accepted.status);
    Told::alone(&PatchView {
        review_id: review,
        counter_patch_status: "accepted",
        message: Some(format!("It is round {} now, which is {standing}: it is reviewed as it is.", accepted.round)),
    })
}

/// `reject_counter_patch`.
pub(super) async fn reject(call: &Call<'_>, review: ReviewId) -> Result<Told, Fault> {
    let patch = open(call, review).await?;
    let rejected = call.port.reject_patch(&call.caller, review, patch, None).await;
    told(call, review, rejected).await?;
    Told::alone(&PatchView { review_id: review, counter_patch_status: "rejected", message: None })
}

/// The open patch that is shown; absent where the one that is asked for isn't open, which the act itself says.
async fn open(call: &Call<'_>, review: ReviewId) -> Result<Option<PatchId>, Fault> {
    let round = call.port.look(&call.caller, review).await?.review.round;
    let (_, patches) = call.port.patches(&call.caller, review).await?;
    Ok(shown(&patches, round).filter(|patch| patch.status == PatchStatus::Open).map(|patch| patch.patch_id))
}
