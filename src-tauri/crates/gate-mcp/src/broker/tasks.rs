//! Tasks (SEP-2663): a call that would wait doesn't block where its client takes a task in the place of a result. A task is
//! its review, which outlives the gate: it works until it is its caller's turn. Ending it ends nothing but the waiting.

use gate_core::proposal::{ReviewId, ReviewRole, ReviewStatus, Turn};
use gate_core::{Code, Fault};
use rmcp::model::{DetailedTask, ErrorData, GetTaskResult, Task, TaskPayload, TaskStatus};
use serde_json::Value;

use super::advice;
use super::answer::{Call, Told};
use super::port::{BrokerPort, ReviewLook};
use super::views::{Reviewers, StatusView, SubmittedView, VerdictView};
use crate::tool::Called;

/// How often a client should ask for its task, in milliseconds.
const POLL_MILLIS: u64 = 1000;

/// Whether there is something to wait for: it isn't the caller's turn, and it isn't a person's who is away.
pub(super) fn waits(look: &ReviewLook, is_away: bool) -> bool {
    let is_in_vain = look.review.turn == Turn::Person && is_away;
    !is_done(look) && !is_in_vain
}

fn is_done(look: &ReviewLook) -> bool {
    match look.role {
        ReviewRole::Proposer => matches!(look.review.turn, Turn::Proposer | Turn::Nobody),
        ReviewRole::Reviewer | ReviewRole::Person => match look.review.status {
            ReviewStatus::InDiscussion => look.review.turn == Turn::Reviewer,
            status => status != ReviewStatus::AwaitingPerson,
        },
    }
}

/// The task that stands for a review.
pub(super) fn task(look: &ReviewLook) -> Task {
    let review = &look.review;
    let says = match review.status {
        ReviewStatus::Created => "Waiting for a reviewer.",
        ReviewStatus::Claimed | ReviewStatus::InDiscussion => "Being reviewed.",
        ReviewStatus::AwaitingPerson => "Waiting for the person.",
        ReviewStatus::Approved => "Approved.",
        ReviewStatus::Rejected => "Rejected.",
        ReviewStatus::Closed => "Closed.",
    };
    let (created, updated) = (review.created_at.to_string(), review.updated_at.to_string());
    Task::new(review.review_id.to_string(), TaskStatus::Working, created, updated)
        .with_status_message(says)
        .with_poll_interval_ms(POLL_MILLIS)
}

/// A task, with its result where it has one and that `is_read`; absent where no review that the caller sees has this
/// identifier.
pub(super) async fn get(
    port: &dyn BrokerPort,
    called: &Called<'_>,
    task_id: &str,
    is_read: bool,
) -> Result<Option<GetTaskResult>, ErrorData> {
    let Ok(review) = task_id.parse::<ReviewId>() else { return Ok(None) };
    let found = async {
        let call = Call::looking(port, called).await?;
        let look = port.look(&call.caller, review).await?;
        // What comes with a result, such as notes, goes to whoever reads it.
        if !is_done(&look) || !is_read {
            return Ok(GetTaskResult::new(DetailedTask::new(task(&look), TaskPayload::Working)));
        }
        let result = serde_json::to_value(call.given(told(&look, port.is_away())?).await?);
        match result {
            Ok(Value::Object(result)) => {
                Ok(GetTaskResult::new(DetailedTask::new(task(&look), TaskPayload::Completed { result })))
            }
            Ok(_) => Err(Fault::internal("a result is an object")),
            Err(error) => Err(Fault::internal(error.to_string())),
        }
    };
    match found.await {
        Ok(found) => Ok(Some(found)),
        Err(fault) if fault.code == Code::UnknownReview => Ok(None),
        Err(fault) => Err(ErrorData::invalid_params(fault.to_string(), None)),
    }
}

/// What a task's call would have given, be it the one that submitted the proposal or one that looked at it.
fn told(look: &ReviewLook, is_away: bool) -> Result<Told, Fault> {
    let status = StatusView {
        changed: true,
        events: Vec::new(),
        more: false,
        verdict: look.verdict.as_ref().map(VerdictView::shown),
    };
    let submitted = SubmittedView {
        unchanged: false,
        overlaps: &[],
        warnings: &[],
        reviewers: Reviewers { waiting: 0, pool: &[] },
        changed: Some(true),
        verdict: look.verdict.as_ref().map(VerdictView::shown),
    };
    let told = Told::of(&look.review, &status)?.with(&submitted)?;
    Ok(told.next(advice::next(&look.review, look.role, is_away)))
}
