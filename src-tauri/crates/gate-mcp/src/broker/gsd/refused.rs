//! What can't be done, as the other broker tells it: a result with `error`, in a sentence on the cause and one on the mend,
//! by the names of its tools. The fault's code stands in `_meta`, as with every tool.

use gate_core::ask::excerpt;
use gate_core::proposal::{ReviewId, ReviewStatus};
use gate_core::{Code, Fault};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;

use super::words;
use crate::broker::answer::Call;
use crate::faults::tool_error;
use crate::tool::Called;

/// What such an error begins with, by which clients tell some of them apart, and what its caller can do.
const SAID: &[(Code, &str, &str)] = &[
    (Code::UnknownReview, "Review not found", "list_reviews has those that you see."),
    (
        Code::NotProposer,
        "Only its proposer",
        "Say what you would change with add_message, or claim it and offer a counter_patch with submit_verdict.",
    ),
    (Code::AlreadyClaimed, "Already claimed", "Take another one: list_reviews with status pending has them."),
    (Code::Reserved, "Reserved", "Take another one, or come back after that."),
    (Code::AlreadyApproved, "Already approved", "Take another one."),
    (Code::ClaimLost, "Stale claim", "claim_review again; if you get it, look at get_proposal before you decide."),
    (Code::StaleRound, "Stale round", "Read it with get_proposal, claim_review again, and decide on that one."),
    (Code::NotHolder, "Unauthorized", "claim_review with its review_id first."),
    (Code::UnknownPatch, "No pending counter-patch", "get_proposal shows the one that there is."),
    (Code::TooMany, "Too many", "Decide or close what you have first, or pass less."),
    (
        Code::DiffConflict,
        "The diff doesn't apply cleanly",
        "Rebase it, and pass it to create_review with its review_id; without one where it was never submitted.",
    ),
    (
        Code::SharedIdentity,
        "Unauthorized",
        "The person can give your client a token of its own: `review-gate token create NAME`. Reading and add_message work \
         without.",
    ),
];

/// The result of a call that was refused.
pub(super) fn result(called: &Called<'_>, fault: &Fault) -> CallToolResult {
    // Nothing is kept for a call that was refused.
    called.channel.hand(called.context, None);
    let mut fields = json!({ "error": sentence(fault) });
    if matches!(fault.code, Code::InvalidDiff | Code::DiffConflict) {
        fields["validation_error"] = json!(fault.message);
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(fields.to_string())]);
    result.meta = tool_error(fault).meta;
    result.structured_content = Some(fields);
    called.formed(result)
}

fn sentence(fault: &Fault) -> String {
    match SAID.iter().find(|(code, ..)| *code == fault.code) {
        Some((_, begins, mend)) => format!("{begins}: {} {mend}", fault.message),
        None => fault.to_string(),
    }
}

/// That there is no review which is called so.
pub(super) fn unknown(id: &str) -> Fault {
    Fault::new(
        Code::UnknownReview,
        format!("`review_id` is {:?}, which is no review's.", excerpt(id, 60)),
        "list_reviews has those that you see.",
    )
}

/// What an act came to; where it is refused since the review stands elsewhere, that is said in this toolset's words.
pub(super) async fn told<T>(call: &Call<'_>, review: ReviewId, done: Result<T, Fault>) -> Result<T, Fault> {
    let refused = match done {
        Err(fault) if fault.code == Code::WrongState => fault.code,
        done => return done,
    };
    let status = call.port.look(&call.caller, review).await?.review.status;
    let cause = format!("Invalid transition: that can't be done while the review is {}.", words::standing(status));
    Err(Fault::new(refused, cause, allowed(status)))
}

/// What agents may do where a review stands so.
fn allowed(status: ReviewStatus) -> &'static str {
    match status {
        ReviewStatus::Created => {
            "claim_review and add_message are possible now; for its proposer create_review (a next round) and close_review, too."
        }
        ReviewStatus::Claimed | ReviewStatus::InDiscussion => {
            "Whoever claimed it decides with submit_verdict; its proposer may answer with add_message, accept_counter_patch or \
             create_review (a next round)."
        }
        ReviewStatus::AwaitingPerson => "The person decides it; get_review_status with wait tells you when they have.",
        ReviewStatus::Approved | ReviewStatus::Rejected => {
            "Its proposer may submit a next round (create_review with review_id) or close_review it."
        }
        ReviewStatus::Closed => "It is over; its proposer creates a new one.",
    }
}
