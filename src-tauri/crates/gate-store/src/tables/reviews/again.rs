//! What was done before: the same act again gives what it gave the first time.

use gate_core::proposal::{Act, Acted, Acting, Brought, By, Ending, PatchStatus, StoredReview, Verdict};
use sqlx::SqliteConnection;

use super::reading;
use super::standing::{self, Acts};
use crate::error::StoreError;

/// What the same act by the same party gave the first time, where doing it again is no other act.
pub(super) async fn done_before(
    connection: &mut SqliteConnection,
    acting: &Acting,
    stored: &StoredReview,
    acts: &Acts,
) -> Result<Option<Acted>, StoreError> {
    let is_own = acts.is_proposer() || matches!(acts.by, By::Person(_));
    let (thread_id, patch_id) = match (&acting.act, &acting.with) {
        (Act::Message, Brought::Message(message)) => {
            let said = reading::message_of(connection, acting.review_id, message.message_id).await?;
            let Some((party, thread)) = said else { return Ok(None) };
            if !standing::is_own(connection, &acting.actor, party.as_deref()).await? {
                return Ok(None);
            }
            (thread, None)
        }
        (Act::Verdict(verdict, claimed), _)
            if *verdict != Verdict::Comment
                && claimed.round.is_none_or(|round| round == stored.state.round)
                && matches!(&acts.by, By::Agent(_, standing) if !standing.holder) =>
        {
            let given = reading::verdicts_of(connection, acting.review_id, stored.state.round, *verdict).await?;
            let mut is_same = false;
            for party in given {
                is_same |= standing::is_own(connection, &acting.actor, party.as_deref()).await?;
            }
            if !is_same {
                return Ok(None);
            }
            (None, None)
        }
        (Act::Close(wanted), _) if is_own => {
            // What was wanted of one that was never decided became another end.
            let wanted = wanted.filter(|_| matches!(stored.state.ending, Some(Ending::Applied | Ending::Abandoned)));
            if stored.state.ending.is_none() || wanted.is_some_and(|wanted| stored.state.ending != Some(wanted)) {
                return Ok(None);
            }
            (None, None)
        }
        (Act::AcceptPatch { .. } | Act::RejectPatch, Brought::OfPatch(named, _)) if is_own => {
            let wanted = if acting.act == Act::RejectPatch { PatchStatus::Rejected } else { PatchStatus::Accepted };
            let (review, round) = (acting.review_id, stored.state.round);
            let patch = match named {
                Some(named) => {
                    reading::patch_status(connection, review, *named).await?.filter(|is| *is == wanted).map(|_| *named)
                }
                None if reading::open_patches(connection, review, round).await?.is_empty() => {
                    reading::patch_of_round(connection, review, round, wanted).await?
                }
                None => None,
            };
            if patch.is_none() {
                return Ok(None);
            }
            (None, patch)
        }
        _ => return Ok(None),
    };
    Ok(Some(Acted {
        review: stored.summary.clone(),
        happened: false,
        claim_token: None,
        thread_id,
        patch_id,
        withdraws: None,
        asks: false,
    }))
}
