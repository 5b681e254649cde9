//! The rows that belong to an act, besides the review's own.

use gate_core::Timestamp;
use gate_core::proposal::{
    Act, Acting, Brought, By, MessagePlace, NewMessage, PatchId, PatchStatus, Replied, Review, ReviewId, ReviewRole,
    Step, StoredReview, ThreadId, Verdict, act::Lost,
};
use serde_json::{Map, Value, json};
use sqlx::SqliteConnection;

use super::standing::Acts;
use super::{reading, standing, writing};
use crate::error::StoreError;
use crate::json::to_json;
use crate::tables::numbers::signed;

/// What an act leaves besides the review's state.
#[derive(Debug, Default)]
pub(super) struct Left {
    pub(super) data: Map<String, Value>,
    pub(super) thread_id: Option<ThreadId>,
    pub(super) patch_id: Option<PatchId>,
}

/// Writes the rows that belong to an act, and gives what its event says.
pub(super) async fn left(
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
                for patch in own_of(connection, acting, round, results).await? {
                    result(connection, (review, round, n), acts, Some(patch), now).await?;
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
                (patch_id.to_string(), review.to_string(), signed(n), to_json(&new.checked)?);
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
            // All that were there are carried, or none.
            let carried_from = (step.review.approvals > 0).then_some(round);
            let (number, author) = (step.review.round, &*acts.author);
            let row = writing::Round { number, party, author, new, patch: None, carried_from };
            writing::round(connection, review, &stored.place, row, now).await?;
            say("round", json!(number));
            if carried_from.is_some() {
                say("carried_from", json!(carried_from));
            }
        }
        (Act::AcceptPatch { .. } | Act::RejectPatch, Brought::OfPatch(named, reason)) => {
            let open = reading::open_patches(connection, review, round).await?;
            let found = open.into_iter().find(|(patch, ..)| named.is_none_or(|named| named == *patch));
            if let Some((patch, _, author)) = found {
                let approves = step.review.approvals > 0;
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
        (Act::Decide { approved, .. }, _) => {
            let decision = if *approved { Verdict::Approved } else { Verdict::Rejected };
            say("decision", json!(decision.as_str()));
        }
        (Act::Settle, with) => {
            let Replied { given, text, said, reply } = replied(with)?;
            let person = Acts::person(*given);
            let approved = stored.state.held.is_some_and(|held| held.approved);
            let (decision, reason) = match approved {
                true => (Verdict::Approved, None),
                false => (Verdict::Rejected, text.as_deref()),
            };
            verdict_row(connection, (review, round, n), &person, decision.as_str(), reason, now).await?;
            if approved {
                result(connection, (review, round, n), &person, None, now).await?;
            }
            say("decision", json!(decision.as_str()));
            // While it could be taken back it had no receipt to be named by.
            say("reply", Value::Object(reply.clone()));
            for message in said {
                self::message(connection, (review, round, n), &person, message, now).await?;
            }
        }
        (Act::Reply, with) => {
            let Replied { given, text, said, reply } = replied(with)?;
            say("text", json!(text));
            say("reply", Value::Object(reply.clone()));
            for message in said {
                self::message(connection, (review, round, n), &Acts::person(*given), message, now).await?;
            }
        }
        (Act::Lose(lost, _), with) => {
            say("how", json!(lost));
            if let Brought::Reason(reason) = with {
                say("reason", json!(reason));
            }
        }
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

fn replied(with: &Brought) -> Result<&Replied, StoreError> {
    match with {
        Brought::Replied(replied) => Ok(replied),
        _ => Err(StoreError::Unexpected("a reply to a review without what was said".to_owned())),
    }
}

/// Of these patches those that are open in this round and the actor's own: an approval is of nobody else's.
async fn own_of(
    connection: &mut SqliteConnection,
    acting: &Acting,
    round: u32,
    patches: &[PatchId],
) -> Result<Vec<PatchId>, StoreError> {
    let mut own = Vec::new();
    for (patch, _, author) in reading::open_patches(connection, acting.review_id, round).await? {
        if patches.contains(&patch) && standing::is_own(connection, &acting.actor, Some(&author)).await? {
            own.push(patch);
        }
    }
    Ok(own)
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
    let row =
        writing::Round { number: round, party, author: &author, new: &new, patch: Some(patch), carried_from: None };
    writing::round(connection, review, place, row, now).await?;
    if approves {
        let role = Some(ReviewRole::Reviewer);
        let acts = Acts { by: By::Gate, party: Some(party.to_owned()), author, role, is_heir: false };
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
    let (review_id, n) = (review.to_string(), signed(n));
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
    let (review_id, n, patch_id) = (review.to_string(), signed(n), patch.map(|patch| patch.to_string()));
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
    let (review_id, n) = (review.to_string(), signed(n));
    let thread = match &said.place {
        MessagePlace::Review => None,
        MessagePlace::Thread(thread) => Some(*thread),
        MessagePlace::Lines(thread, anchor) => {
            let (id, anchor, round) = (thread.to_string(), to_json(anchor)?, said.round.unwrap_or(round));
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
pub(super) async fn claims(
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
            Act::Lose(Lost::Lease, _) => Some("lease"),
            Act::Lose(Lost::Gone, _) => Some("gone"),
            Act::Lose(Lost::Run, _) => Some("run"),
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
        let token = signed(after.token);
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
