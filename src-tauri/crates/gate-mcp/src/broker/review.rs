//! The reviewer's tools: claiming, giving back, deciding.

use gate_core::Fault;
use gate_core::proposal::{Claimed, ReviewId, ReviewRole, StoredMessage, StoredThread};

use super::advice;
use super::answer::{Call, News, Told};
use super::port::{ClaimGiven, ClaimWish, GivenVerdict};
use super::propose;
use super::views::{Approvals, ClaimView, JudgedView, MessageView, Nothing, RoundPage, ThreadView};
use crate::answer::Wait;

/// Bytes of the messages that a claim brings; the rest is get_messages'.
const MESSAGES: usize = 8 * 1024;
/// Threads that a claim brings.
const THREADS: usize = 40;

/// `claim_review`.
pub(super) async fn claim(
    call: &Call<'_>,
    (review, wish, wait): (Option<ReviewId>, ClaimWish, Wait),
) -> Result<Told, Fault> {
    if let Some(review) = review {
        return given(call, &call.port.claim(&call.caller, review).await?, None);
    }
    if let Some(claim) = call.port.claim_next(&call.caller, &wish).await? {
        return given(call, &claim, None);
    }
    let mut changed = None;
    if wait.is_on {
        let waiting = call.port.wait_to_claim(&call.caller, &wish);
        match call.wait(wait, false, "Waiting for a review to claim.", waiting).await? {
            News::Came(claim) => return given(call, &claim, Some(true)),
            News::Nothing | News::Away => changed = Some(false),
        }
    }
    let view = ClaimView {
        claimed: false,
        claim_token: None,
        threads: Vec::new(),
        messages: Vec::new(),
        more_messages: false,
        changed,
    };
    Ok(Told::alone(&view)?.next(advice::NOTHING_TO_CLAIM))
}

/// A claim with the first page of its round and what is talked about.
fn given(call: &Call<'_>, claim: &ClaimGiven, changed: Option<bool>) -> Result<Told, Fault> {
    let ClaimGiven { review, claim_token, diff, round, threads, messages } = claim;
    let (shown, size) = shown(messages);
    let list = propose::whole(review.review_id);
    let page = RoundPage::of(call.called.gate, round, diff, (&list, 0), size)?;
    let next = advice::claimed(*claim_token, page.next_cursor.is_some());
    let view = ClaimView {
        claimed: true,
        claim_token: Some(*claim_token),
        threads: threads.iter().filter(|thread| is_of(thread, &shown)).take(THREADS).map(ThreadView::of).collect(),
        more_messages: shown.len() < messages.len(),
        messages: shown.into_iter().map(MessageView::of).collect(),
        changed,
    };
    Ok(Told::of(review, &view)?.with(&page)?.next(next))
}

fn is_of(thread: &StoredThread, messages: &[&StoredMessage]) -> bool {
    messages.iter().any(|message| message.thread_id == Some(thread.thread_id))
}

/// The first messages within their bound, and how many bytes they take.
fn shown(messages: &[StoredMessage]) -> (Vec<&StoredMessage>, usize) {
    const FIELDS: usize = 250;
    let (mut shown, mut size) = (Vec::new(), 0_usize);
    for message in messages {
        let with = size.saturating_add(message.body.len()).saturating_add(FIELDS);
        if with > MESSAGES {
            break;
        }
        size = with;
        shown.push(message);
    }
    (shown, size)
}

/// `release_review`.
pub(super) async fn release(
    call: &Call<'_>,
    (review, reason, claimed): (ReviewId, Option<String>, Claimed),
) -> Result<Told, Fault> {
    let review = call.port.release(&call.caller, review, reason, claimed).await?;
    let told = Told::of(&review, &Nothing { changed: None })?;
    Ok(told.next("It is back in the queue. Call claim_review for another one, or end your turn."))
}

/// `submit_verdict`.
pub(super) async fn judge(call: &Call<'_>, (review, verdict): (ReviewId, GivenVerdict)) -> Result<Told, Fault> {
    let review = call.port.judge(&call.caller, review, verdict).await?;
    let approvals = Approvals { have: review.approvals, need: review.need.agents, person: review.need.person };
    let told = Told::of(&review, &JudgedView { approvals })?;
    Ok(told.next(advice::next(&review, ReviewRole::Reviewer, call.port.is_away())))
}
