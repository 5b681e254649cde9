//! One act on one review: read, stepped, written.

use gate_core::proposal::{
    Act, Acted, Acting, Actor, Brought, EventKind, MessagePlace, NewMessage, PatchId, PatchStatus, Review, ReviewId,
    ReviewStatus, Step, StoredReview, ThreadId, Verdict, act::Lost, bounds,
};
use gate_core::{Code, Fault, Timestamp};
use serde_json::{Map, Value, json};
use sqlx::SqliteConnection;

use super::standing::Acts;
use super::{reading, standing, writing};
use crate::error::StoreError;
use crate::json::to_json;

/// What an act leaves besides the review's state.
#[derive(Debug, Default)]
struct Left {
    data: Map<String, Value>,
    thread_id: Option<ThreadId>,
    patch_id: Option<PatchId>,
}

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
    let acts = standing::of(connection, acting.review_id, &stored.state, &stored.proposer, &acting.actor).await?;
    if let Some(before) = done_before(connection, acting, &stored, &acts).await? {
        return Ok(Ok(before));
    }
    let mut act = acting.act.clone();
    if let Err(fault) = whole(connection, acting, &stored, &mut act).await? {
        return Ok(Err(fault));
    }
    let step = match stored.state.step(&acts.by, &act, acting.at) {
        Ok(step) => step,
        Err(refusal) => {
            if let Act::Verdict(verdict, _) = &acting.act {
                refused(connection, acting, &stored, &acts, *verdict, &refusal.fault()).await?;
            }
            return Ok(Err(refusal.fault()));
        }
    };
    if let Actor::Agent { party, .. } = &acting.actor {
        standing::keep(connection, party, acting.at).await?;
    }
    Ok(write(connection, acting, &stored, &acts, step).await?)
}

/// Lets a review take another one's place. Gives whether what that one needed follows.
pub(super) async fn supersede(
    connection: &mut SqliteConnection,
    parent: ReviewId,
    by: ReviewId,
    actor: &Actor,
    now: Timestamp,
) -> Result<Result<bool, Fault>, StoreError> {
    let Some(stored) = reading::review(connection, parent).await? else { return Ok(Err(unknown_review(parent))) };
    let acts = standing::of(connection, parent, &stored.state, &stored.proposer, actor).await?;
    if stored.state.status == ReviewStatus::Closed && acts.is_proposer() {
        return Ok(Ok(stored.state.sticky));
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
        call_key: None,
        at: now,
    };
    Ok(write(connection, &acting, &stored, &acts, step).await?.map(|_| follows))
}

/// What the same act by the same party gave the first time, where doing it again is no other act.
async fn done_before(
    connection: &mut SqliteConnection,
    acting: &Acting,
    stored: &StoredReview,
    acts: &Acts,
) -> Result<Option<Acted>, StoreError> {
    let again = match (&acting.act, &acting.with) {
        (Act::Message, Brought::Message(message)) => {
            reading::message_of(connection, acting.review_id, message.message_id).await?
        }
        (Act::Verdict(verdict, claimed), _) if claimed.round.is_none_or(|round| round == stored.state.round) => {
            let same = reading::last_verdict(connection, acting.review_id, stored.state.round).await?;
            let ended = stored.state.claim.is_none() && *verdict != Verdict::Comment;
            let is_same = same.is_some_and(|(party, decision)| party == acts.party && decision == verdict.as_str());
            (ended && is_same && acts.party.is_some()).then_some(None)
        }
        (Act::Close(ending), _) => {
            let ended = stored.state.ending.filter(|_| acts.is_proposer());
            ended.filter(|ended| ending.is_none_or(|ending| ending == *ended)).map(|_| None)
        }
        (Act::AcceptPatch { .. } | Act::RejectPatch, Brought::OfPatch(Some(patch), _)) if acts.is_proposer() => {
            let wanted = if acting.act == Act::RejectPatch { PatchStatus::Rejected } else { PatchStatus::Accepted };
            let found = reading::patch_status(connection, acting.review_id, *patch).await?;
            (found == Some(wanted)).then_some(None)
        }
        _ => None,
    };
    let Some(thread_id) = again else { return Ok(None) };
    let patch_id = match &acting.with {
        Brought::OfPatch(patch, _) => *patch,
        _ => None,
    };
    Ok(Some(Acted {
        review: stored.summary.clone(),
        happened: false,
        claim_token: None,
        thread_id,
        patch_id,
        withdraws: false,
        asks: false,
    }))
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
        Brought::Message(message) => {
            if let Err(fault) = has_room(connection, review, std::slice::from_ref(message)).await? {
                return Ok(Err(fault));
            }
            if let MessagePlace::Thread(thread) = message.place
                && !reading::has_thread(connection, review, thread).await?
            {
                return Ok(Err(unknown_thread(thread)));
            }
        }
        Brought::Judged { comments, .. } => return has_room(connection, review, comments).await,
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
            let Some((_, approves, _)) = found else { return Ok(Err(unknown_patch(*named, open.len()))) };
            if let Act::AcceptPatch { approves: of_author, .. } = act {
                *of_author = *approves;
            }
        }
        _ => {}
    }
    Ok(Ok(()))
}

async fn has_room(
    connection: &mut SqliteConnection,
    review: ReviewId,
    messages: &[NewMessage],
) -> Result<Result<(), Fault>, StoreError> {
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
    if step.withdraws {
        sqlx::query!("UPDATE proposals SET request_id = NULL WHERE review_id = ?1", id)
            .execute(&mut *connection)
            .await?;
    }
    if step.review.status == ReviewStatus::Closed {
        ended(connection, &id, step.follows, now).await?;
    }
    if acts.is_proposer() && acts.party.as_deref() != Some(stored.proposer.key.as_str()) {
        // An heir goes on as the proposer.
        sqlx::query!("UPDATE proposals SET party = ?2 WHERE review_id = ?1", id, acts.party)
            .execute(&mut *connection)
            .await?;
    }
    if let Some(kind) = step.event {
        let told = writing::Told {
            party: acts.party.as_deref(),
            role: acts.role,
            kind: kind.as_str(),
            data: with_status(left.data, &step.review),
        };
        writing::event(connection, review, number, told, now).await?;
    }
    let is_new = step.review.round > before.round;
    let round_at = if is_new { now } else { reading::round_at(connection, review).await? };
    let written = writing::State { state: &step.review, round_at, now, event: number };
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
        withdraws: step.withdraws,
        asks: step.asks,
    };
    if let Some(key) = &acting.call_key {
        writing::call(connection, key, &acted, now).await?;
    }
    Ok(Ok(acted))
}

/// Every event says where the review stands since.
fn with_status(mut data: Map<String, Value>, state: &Review) -> Map<String, Value> {
    data.insert("status".to_owned(), json!(state.status.as_str()));
    data
}

/// Writes the rows that belong to an act, and gives what its event says.
async fn left(
    connection: &mut SqliteConnection,
    acting: &Acting,
    stored: &StoredReview,
    acts: &Acts,
    step: &Step,
    n: u64,
) -> Result<Left, StoreError> {
    let (review, now, round) = (acting.review_id, acting.at, stored.state.round);
    let mut left = Left::default();
    let mut say = |name: &str, value: Value| drop(left.data.insert(name.to_owned(), value));
    match (&acting.act, &acting.with) {
        (Act::Verdict(verdict, _), with) => {
            let (reason, comments, results) = match with {
                Brought::Judged { reason, comments, results } => {
                    (reason.as_deref(), comments.as_slice(), results.as_slice())
                }
                _ => (None, &[][..], &[][..]),
            };
            say("decision", json!(verdict.as_str()));
            say("round", json!(round));
            verdict_row(connection, (review, round, n), acts, verdict.as_str(), reason, now).await?;
            for comment in comments {
                message(connection, (review, round, n), acts, comment, now).await?;
            }
            if *verdict == Verdict::Approved {
                result(connection, (review, round, n), acts, None, now).await?;
                for patch in results {
                    result(connection, (review, round, n), acts, Some(*patch), now).await?;
                }
            }
        }
        (Act::Message, Brought::Message(said)) => {
            left.thread_id = message(connection, (review, round, n), acts, said, now).await?;
            left.data.insert("message_id".to_owned(), json!(said.message_id));
            if let Some(thread) = left.thread_id {
                left.data.insert("thread_id".to_owned(), json!(thread));
            }
        }
        (Act::OfferPatch(_), Brought::Patch { patch_id, new, approves }) => {
            let digest = writing::diff(connection, &new.diff).await?.map(|digest| digest.to_string());
            let (id, review_id, number, checked) =
                (patch_id.to_string(), review.to_string(), writing::signed(n), to_json(&new.checked)?);
            sqlx::query!(
                "INSERT INTO counter_patches (patch_id, review_id, n, round, party, author, diff_sha256, description,
                                              approves, status, checked, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'open', ?10, ?11)",
                id,
                review_id,
                number,
                round,
                acts.party,
                acts.author,
                digest,
                new.description,
                approves,
                checked,
                now.0,
            )
            .execute(&mut *connection)
            .await?;
            say("patch_id", json!(patch_id));
            left.patch_id = Some(*patch_id);
        }
        (Act::Round { .. }, Brought::Round(new)) => {
            let party = acts.party.as_deref().unwrap_or_default();
            let row = writing::Round { number: step.review.round, party, author: &acts.author, new, patch: None };
            writing::round(connection, review, &stored.place, row, now).await?;
            say("round", json!(step.review.round));
        }
        (Act::AcceptPatch { .. } | Act::RejectPatch, Brought::OfPatch(named, reason)) => {
            let open = reading::open_patches(connection, review, round).await?;
            let found = open.into_iter().find(|(patch, ..)| named.is_none_or(|named| named == *patch));
            if let Some((patch, approves, author)) = found {
                say("patch_id", json!(patch));
                left.patch_id = Some(patch);
                let accepted = acting.act != Act::RejectPatch;
                let status = if accepted { PatchStatus::Accepted } else { PatchStatus::Rejected };
                reading::set_patch_status(connection, patch, status).await?;
                if accepted {
                    accept(connection, (review, step.review.round, n), &stored.place, patch, (approves, &author), now)
                        .await?;
                    left.data.insert("round".to_owned(), json!(step.review.round));
                }
            }
            if let Some(reason) = reason {
                left.data.insert("reason".to_owned(), json!(reason));
            }
        }
        (Act::Close(_) | Act::Supersede | Act::Expire, with) => {
            say("outcome", json!(step.review.ending));
            match with {
                Brought::Closed { commit, found } => {
                    say("commit", json!(commit));
                    say("applied", json!(found));
                }
                Brought::Reason(by) => say("superseded_by", json!(by)),
                _ => {}
            }
        }
        (Act::Decide { approved, .. }, Brought::Replied { text, reply }) => {
            let decision = if *approved { Verdict::Approved } else { Verdict::Rejected };
            say("decision", json!(decision.as_str()));
            say("text", json!(text));
            say("reply", Value::Object(reply.clone()));
        }
        (Act::Settle, _) if stored.state.held.is_some_and(|held| held.approved) => {
            verdict_row(connection, (review, round, n), &person(), Verdict::Approved.as_str(), None, now).await?;
            result(connection, (review, round, n), &person(), None, now).await?;
            say("decision", json!(Verdict::Approved.as_str()));
        }
        (Act::Settle, with) => {
            let text = match with {
                Brought::Replied { text, .. } => text.as_deref(),
                _ => None,
            };
            verdict_row(connection, (review, round, n), &person(), Verdict::Rejected.as_str(), text, now).await?;
            say("decision", json!(Verdict::Rejected.as_str()));
        }
        (Act::Reply, Brought::Replied { text, reply }) => {
            say("text", json!(text));
            say("reply", Value::Object(reply.clone()));
        }
        (Act::Lose(lost), _) => say("how", json!(lost)),
        (Act::Claim, _) => {
            say("claim_token", json!(step.review.token));
            say("reviewer", json!(acts.author));
        }
        (Act::Raise(_), _) => say("need", json!(step.review.needs())),
        (_, Brought::Reason(reason)) => say("reason", json!(reason)),
        _ => {}
    }
    Ok(left)
}

/// The person, as the author of a verdict.
fn person() -> Acts {
    let (author, role) = ("the person".to_owned(), Some(gate_core::proposal::ReviewRole::Person));
    Acts { by: gate_core::proposal::By::Person, party: None, author, role }
}

async fn accept(
    connection: &mut SqliteConnection,
    (review, round, n): (ReviewId, u32, u64),
    place: &str,
    patch: PatchId,
    (approves, party): (bool, &str),
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some((new, author)) = reading::patch_as_round(connection, patch).await? else { return Ok(()) };
    let row = writing::Round { number: round, party, author: &author, new: &new, patch: Some(patch) };
    writing::round(connection, review, place, row, now).await?;
    if approves {
        let (by, role) = (gate_core::proposal::By::Gate, Some(gate_core::proposal::ReviewRole::Reviewer));
        let acts = Acts { by, party: Some(party.to_owned()), author, role };
        verdict_row(connection, (review, round, n), &acts, Verdict::Approved.as_str(), None, now).await?;
        result(connection, (review, round, n), &acts, None, now).await?;
    }
    Ok(())
}

async fn verdict_row(
    connection: &mut SqliteConnection,
    (review, round, n): (ReviewId, u32, u64),
    acts: &Acts,
    decision: &str,
    reason: Option<&str>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (review_id, n) = (review.to_string(), writing::signed(n));
    sqlx::query!(
        "INSERT INTO verdicts (review_id, n, round, party, author, decision, reason, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        review_id,
        n,
        round,
        acts.party,
        acts.author,
        decision,
        reason,
        now.0,
    )
    .execute(connection)
    .await?;
    Ok(())
}

async fn result(
    connection: &mut SqliteConnection,
    (review, round, n): (ReviewId, u32, u64),
    acts: &Acts,
    patch: Option<PatchId>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (review_id, n, patch_id) = (review.to_string(), writing::signed(n), patch.map(|patch| patch.to_string()));
    sqlx::query!(
        "INSERT INTO approved_results (review_id, n, round, patch_id, party, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        review_id,
        n,
        round,
        patch_id,
        acts.party,
        now.0,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Writes a message, with its thread where it begins one. Gives the thread that it is in.
async fn message(
    connection: &mut SqliteConnection,
    (review, round, n): (ReviewId, u32, u64),
    acts: &Acts,
    said: &NewMessage,
    now: Timestamp,
) -> Result<Option<ThreadId>, StoreError> {
    let (review_id, n) = (review.to_string(), writing::signed(n));
    let thread = match &said.place {
        MessagePlace::Review => None,
        MessagePlace::Thread(thread) => Some(*thread),
        MessagePlace::Lines(thread, anchor) => {
            let (id, anchor) = (thread.to_string(), to_json(anchor)?);
            sqlx::query!(
                "INSERT INTO threads (thread_id, review_id, n, round, anchor, resolved) VALUES (?1, ?2, ?3, ?4, ?5, 0)",
                id,
                review_id,
                n,
                round,
                anchor,
            )
            .execute(&mut *connection)
            .await?;
            Some(*thread)
        }
    };
    let thread_id = thread.map(|thread| thread.to_string());
    if let Some(resolved) = said.resolve {
        sqlx::query!("UPDATE threads SET resolved = ?2 WHERE thread_id = ?1", thread_id, resolved)
            .execute(&mut *connection)
            .await?;
    }
    let (message_id, role) = (said.message_id.to_string(), acts.role.map_or("", |role| role.as_str()));
    sqlx::query!(
        "INSERT INTO thread_messages (message_id, review_id, n, thread_id, party, role, author, body, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        message_id,
        review_id,
        n,
        thread_id,
        acts.party,
        role,
        acts.author,
        said.body,
        now.0,
    )
    .execute(connection)
    .await?;
    Ok(thread)
}

/// Writes what became of the claim.
async fn claims(
    connection: &mut SqliteConnection,
    review: ReviewId,
    before: &Review,
    after: &Review,
    acting: &Acting,
) -> Result<(), StoreError> {
    let (id, now) = (review.to_string(), acting.at);
    if before.claim.is_some() && after.claim.is_none() {
        // What is given back, decided or taken by the person counts against nobody.
        let lost = match &acting.act {
            Act::Lose(Lost::Lease) => Some("lease"),
            Act::Lose(Lost::Gone) => Some("gone"),
            Act::Lose(Lost::Run) => Some("run"),
            Act::Lose(Lost::Undelivered) => Some("undelivered"),
            _ => None,
        };
        sqlx::query!(
            "UPDATE claims SET ended_at = ?2, lost = ?3 WHERE review_id = ?1 AND ended_at IS NULL",
            id,
            now.0,
            lost,
        )
        .execute(connection)
        .await?;
        return Ok(());
    }
    if let (Act::Claim, Some(claim)) = (&acting.act, &after.claim) {
        let token = writing::signed(after.token);
        sqlx::query!(
            "INSERT INTO claims (review_id, token, party, given_round, given_at) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (review_id, token) DO UPDATE SET party = excluded.party, given_round = excluded.given_round",
            id,
            token,
            claim.holder,
            claim.given_round,
            now.0,
        )
        .execute(connection)
        .await?;
    }
    Ok(())
}

/// A review is over: nothing overlaps with it, and what it touches is followed for a while where that is so.
async fn ended(
    connection: &mut SqliteConnection,
    review: &str,
    follows: bool,
    now: Timestamp,
) -> Result<(), StoreError> {
    if follows {
        let until = now.plus_millis(super::FOLLOWED_MILLIS).0;
        sqlx::query!("UPDATE proposals SET followed_until = ?2 WHERE review_id = ?1", review, until)
            .execute(connection)
            .await?;
    } else {
        sqlx::query!("DELETE FROM proposal_files WHERE review_id = ?1", review).execute(connection).await?;
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
    let n = stored.summary.event + 1;
    let data = [("decision", json!(verdict.as_str())), ("code", json!(fault.code))];
    let told = writing::Told {
        party: acts.party.as_deref(),
        role: acts.role,
        kind: EventKind::VerdictRefused.as_str(),
        data: data.map(|(name, value)| (name.to_owned(), value)).into_iter().collect(),
    };
    writing::event(connection, acting.review_id, n, told, acting.at).await?;
    let (id, n) = (acting.review_id.to_string(), writing::signed(n));
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
