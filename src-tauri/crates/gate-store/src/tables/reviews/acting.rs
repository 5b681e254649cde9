//! One act on one review: read, stepped, written.

use gate_core::proposal::{
    Act, Acted, Acting, Actor, Brought, Ending, EventKind, MessagePlace, NewMessage, PatchId, Refusal, Review,
    ReviewId, ReviewRole, ReviewStatus, Step, StoredReview, ThreadId, Verdict, bounds,
};
use gate_core::{Assurance, Code, Fault, RequestId, Timestamp};
use serde_json::{Map, Value, json};
use sqlx::SqliteConnection;

use super::again::done_before;
use super::leaving::{claims, left};
use super::standing::Acts;
use super::{reading, standing, writing};
use crate::error::StoreError;
use crate::tables::numbers::signed;
use crate::tables::{events, parties};

/// Does an act. Refused, it leaves nothing but that it was, where it was a verdict.
pub(super) async fn act(
    connection: &mut SqliteConnection,
    acting: &Acting,
) -> Result<Result<Acted, Fault>, StoreError> {
    if let Some(key) = &acting.call_key
        && let Some(before) = reading::call(connection, key).await?
    {
        return Ok(Ok(Acted { happened: false, ..before }));
    }
    let Some(stored) = reading::review(connection, acting.review_id).await? else {
        return Ok(Err(unknown_review(acting.review_id)));
    };
    let acts =
        standing::of(connection, acting.review_id, &stored.state, &stored.proposer, &acting.actor, &acting.act).await?;
    if let Some(before) = done_before(connection, acting, &stored, &acts).await? {
        return Ok(Ok(before));
    }
    if acting.answers.is_some() && acting.answers != stored.request_id {
        return Ok(Err(Refusal::StaleRound(stored.state.round).fault()));
    }
    let mut act = acting.act.clone();
    if let Err(fault) = whole(connection, acting, &stored, &mut act).await? {
        return Ok(Err(fault));
    }
    let mut step = match stored.state.step(&acts.by, &act, acting.at) {
        Ok(step) => step,
        Err(refusal) => {
            if let Act::Verdict(verdict, _) = &acting.act {
                refused(connection, acting, &stored, &acts, *verdict, &refusal.fault()).await?;
            }
            return Ok(Err(refusal.fault()));
        }
    };
    if let (Some(Ending::Applied), Brought::Closed { found: Some(found), .. }) = (step.review.ending, &acting.with)
        && found.round == step.review.round
    {
        step.review.found = Some(found.found);
    }
    if let Actor::Agent { party, .. } = &acting.actor {
        parties::keep(connection, party, acting.at).await?;
    }
    write(connection, acting, &stored, &acts, step).await
}

/// Lets a review take another one's place. Gives whether what that one needed follows, and the
/// question about it that is to be withdrawn.
pub(super) async fn supersede(
    connection: &mut SqliteConnection,
    parent: ReviewId,
    by: ReviewId,
    actor: &Actor,
    now: Timestamp,
) -> Result<Result<(bool, Option<RequestId>), Fault>, StoreError> {
    let Some(stored) = reading::review(connection, parent).await? else { return Ok(Err(unknown_review(parent))) };
    let acts = standing::of(connection, parent, &stored.state, &stored.proposer, actor, &Act::Supersede).await?;
    if stored.state.status == ReviewStatus::Closed && acts.is_proposer() {
        return Ok(Ok((stored.state.sticky, None)));
    }
    let step = match stored.state.step(&acts.by, &Act::Supersede, now) {
        Ok(step) => step,
        Err(refusal) => return Ok(Err(refusal.fault())),
    };
    let follows = step.follows;
    let acting = Acting {
        review_id: parent,
        actor: actor.clone(),
        act: Act::Supersede,
        with: Brought::Reason(by.to_string()),
        answers: None,
        call_key: None,
        at: now,
    };
    Ok(write(connection, &acting, &stored, &acts, step).await?.map(|acted| (follows, acted.withdraws)))
}

/// Holds what comes with an act against the record: patches and threads that it names are there, and there is room.
async fn whole(
    connection: &mut SqliteConnection,
    acting: &Acting,
    stored: &StoredReview,
    act: &mut Act,
) -> Result<Result<(), Fault>, StoreError> {
    let review = acting.review_id;
    match &acting.with {
        Brought::Message(message) => return may_say(connection, acting, std::slice::from_ref(message)).await,
        Brought::Judged { comments, .. } => return may_say(connection, acting, comments).await,
        Brought::Patch { .. } if reading::count_patches(connection, review).await? >= bounds::ROUNDS => {
            return Ok(Err(Fault::new(
                Code::TooMany,
                format!("A review has {} patches at most.", bounds::ROUNDS),
                "Say in words what you would change.",
            )));
        }
        Brought::OfPatch(named, _) => {
            let open = reading::open_patches(connection, review, stored.state.round).await?;
            let found = match (named, open.as_slice()) {
                (Some(named), _) => open.iter().find(|(patch, ..)| patch == named),
                (None, [only]) => Some(only),
                (None, _) => None,
            };
            let Some((_, approves, author)) = found else { return Ok(Err(unknown_patch(*named, open.len()))) };
            if let Act::AcceptPatch { approves: of_author, .. } = act {
                // Whoever can start a terminal could accept their own, and its author may have become one with the proposer.
                let is_anybodys = matches!(&acting.actor, Actor::Person(given) if given.assurance < Assurance::L1);
                *of_author = *approves
                    && !is_anybodys
                    && !standing::has_proposed(connection, stored, author, &acting.actor).await?;
            }
        }
        _ => {}
    }
    Ok(Ok(()))
}

/// Whether messages may be said: threads that they name are there, their identifiers are new, and there is room, which
/// binds agents alone.
async fn may_say(
    connection: &mut SqliteConnection,
    acting: &Acting,
    messages: &[NewMessage],
) -> Result<Result<(), Fault>, StoreError> {
    let review = acting.review_id;
    for message in messages {
        if let MessagePlace::Thread(thread) = message.place
            && !reading::has_thread(connection, review, thread).await?
        {
            return Ok(Err(unknown_thread(thread)));
        }
    }
    let mut ids: Vec<_> = messages.iter().map(|message| message.message_id).collect();
    ids.sort_unstable();
    if ids.windows(2).any(|two| two[0] == two[1]) || reading::has_messages(connection, &ids).await? {
        return Ok(Err(Fault::new(
            Code::InvalidInput,
            "Another message has this `message_id`.",
            "Make a new UUID for each message; only the same message sent again has its first one.",
        )));
    }
    if matches!(acting.actor, Actor::Person(_)) {
        return Ok(Ok(()));
    }
    let (threads, said) = reading::count_messages(connection, review).await?;
    let new = messages.iter().filter(|message| matches!(message.place, MessagePlace::Lines(..))).count();
    let most = |bound: u32| usize::try_from(bound).unwrap_or(usize::MAX);
    let full = |what: &str, bound: u32| {
        Fault::new(Code::TooMany, format!("A review has {bound} {what} at most."), "Close it, and submit a new one.")
    };
    if threads + new > most(bounds::THREADS) {
        return Ok(Err(full("threads", bounds::THREADS)));
    }
    if said + messages.len() > most(bounds::MESSAGES) {
        return Ok(Err(full("messages", bounds::MESSAGES)));
    }
    Ok(Ok(()))
}

/// Writes what an act led to.
async fn write(
    connection: &mut SqliteConnection,
    acting: &Acting,
    stored: &StoredReview,
    acts: &Acts,
    step: Step,
) -> Result<Result<Acted, Fault>, StoreError> {
    let (review, now) = (acting.review_id, acting.at);
    let before = &stored.state;
    let number = stored.summary.event + u64::from(step.event.is_some());
    let left = left(connection, acting, stored, acts, &step, number).await?;
    claims(connection, review, before, &step.review, acting).await?;
    if step.supersedes {
        reading::supersede_patches(connection, review).await?;
    }
    let id = review.to_string();
    // What a reply leads to is in one commit with that: nothing of it is done twice, and nothing is forgotten.
    let is_answered = matches!(acting.act, Act::Settle | Act::Reply);
    if step.withdraws || is_answered {
        sqlx::query!("UPDATE proposals SET request_id = NULL WHERE review_id = ?1", id)
            .execute(&mut *connection)
            .await?;
    }
    if acting.act == Act::Unfit {
        sqlx::query!("UPDATE proposals SET stale = 1 WHERE review_id = ?1", id).execute(&mut *connection).await?;
    }
    follow(connection, &id, before, &step, now).await?;
    if acts.is_heir {
        sqlx::query!("UPDATE proposals SET party = ?2 WHERE review_id = ?1", id, acts.party)
            .execute(&mut *connection)
            .await?;
    }
    if let Some(kind) = step.event {
        let told = events::Told {
            party: acts.party.as_deref(),
            role: acts.role.map(ReviewRole::as_str),
            kind: told_as(acting, kind).as_str(),
            data: with_status(left.data, &step.review),
        };
        events::write(connection, &id, number, told, now).await?;
    }
    let is_free_anew = step.review.round > before.round || before.status != ReviewStatus::Created;
    let free_since = if is_free_anew { now } else { reading::free_since(connection, review).await? };
    let changed_at = if step.event.is_some() { now } else { stored.summary.updated_at };
    let written = writing::State { state: &step.review, free_since, changed_at, now, event: number };
    writing::state(connection, review, written).await?;
    let Some(after) = reading::review(connection, review).await? else {
        return Err(StoreError::Unexpected("a review is gone in the middle of an act".to_owned()));
    };
    let holds = matches!(acting.act, Act::Claim).then_some(step.review.token);
    let acted = Acted {
        review: after.summary,
        happened: step.event.is_some(),
        claim_token: holds,
        thread_id: left.thread_id,
        patch_id: left.patch_id,
        withdraws: stored.request_id.filter(|_| step.withdraws),
        asks: step.asks,
    };
    if let Some(key) = &acting.call_key {
        writing::call(connection, key, &acted, now).await?;
    }
    Ok(Ok(acted))
}

/// The word for what happened: a message without words that settles its thread is told as that.
fn told_as(acting: &Acting, kind: EventKind) -> EventKind {
    match &acting.with {
        Brought::Message(said) if said.body.is_empty() && said.resolve.is_some() => EventKind::Resolved,
        _ => kind,
    }
}

/// Every event says where the review stands since.
fn with_status(mut data: Map<String, Value>, state: &Review) -> Map<String, Value> {
    data.insert("status".to_owned(), json!(state.status.as_str()));
    data
}

/// What needed the person is followed for a while, until they approved it. A review that is over overlaps with nothing.
async fn follow(
    connection: &mut SqliteConnection,
    review: &str,
    before: &Review,
    step: &Step,
    now: Timestamp,
) -> Result<(), StoreError> {
    // What was applied is still looked for, by whoever commits it.
    if step.review.status == ReviewStatus::Closed && step.review.ending != Some(Ending::Applied) {
        sqlx::query!("DELETE FROM proposal_files WHERE review_id = ?1", review).execute(&mut *connection).await?;
    }
    let is_approved = before.sticky && !step.review.sticky;
    if step.follows || is_approved {
        let until = step.follows.then(|| now.plus_millis(super::FOLLOWED_MILLIS).0);
        sqlx::query!("UPDATE proposals SET followed_until = ?2 WHERE review_id = ?1", review, until)
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Remembers a verdict that was refused.
async fn refused(
    connection: &mut SqliteConnection,
    acting: &Acting,
    stored: &StoredReview,
    acts: &Acts,
    verdict: Verdict,
    fault: &Fault,
) -> Result<(), StoreError> {
    let (id, n) = (acting.review_id.to_string(), stored.summary.event + 1);
    let data = [("decision", json!(verdict.as_str())), ("code", json!(fault.code))];
    let told = events::Told {
        party: acts.party.as_deref(),
        role: acts.role.map(ReviewRole::as_str),
        kind: EventKind::VerdictRefused.as_str(),
        data: data.map(|(name, value)| (name.to_owned(), value)).into_iter().collect(),
    };
    events::write(connection, &id, n, told, acting.at).await?;
    let n = signed(n);
    sqlx::query!("UPDATE proposals SET event = ?2 WHERE review_id = ?1", id, n).execute(connection).await?;
    Ok(())
}

/// The fault of an identifier that no review has, or whose review the caller may not see.
pub(super) fn unknown_review(review: ReviewId) -> Fault {
    gate_core::proposal::unknown_review(review)
}

fn unknown_thread(thread: ThreadId) -> Fault {
    Fault::new(
        Code::UnknownThread,
        format!("No thread of this review has the id {thread}."),
        "Pass a thread_id that get_messages gave, or file and line to begin one.",
    )
}

fn unknown_patch(named: Option<PatchId>, open: usize) -> Fault {
    let message = match named {
        Some(patch) => format!("No open patch of this review's newest round has the id {patch}."),
        None if open == 0 => "No patch of this review's newest round is open.".to_owned(),
        None => format!("{open} patches of this review are open."),
    };
    Fault::new(Code::UnknownPatch, message, "Look at them with get_patch, and pass the patch_id of one that is open.")
}
