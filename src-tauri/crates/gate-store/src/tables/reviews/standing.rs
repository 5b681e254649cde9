//! How a caller stands to a review, by what the record knows of parties.

use gate_core::proposal::{Actor, By, Party, Review, ReviewId, ReviewRole, Standing};
use gate_core::{Process, Timestamp};
use sqlx::SqliteConnection;

use crate::error::StoreError;
use crate::json::{from_json, to_json};

/// Whoever acts, as the rules and the rows want to know it.
#[derive(Debug)]
pub(super) struct Acts {
    pub(super) by: By,
    /// The party's key; absent for the person and the gate.
    pub(super) party: Option<String>,
    /// In a word.
    pub(super) author: String,
    /// Absent for the gate.
    pub(super) role: Option<ReviewRole>,
}

impl Acts {
    /// How the caller stands to the proposal.
    pub(super) fn is_proposer(&self) -> bool {
        self.role == Some(ReviewRole::Proposer)
    }
}

/// Reads how an actor stands to a review whose proposer is this party.
pub(super) async fn of(
    connection: &mut SqliteConnection,
    review: ReviewId,
    state: &Review,
    proposer: &Party,
    actor: &Actor,
) -> Result<Acts, StoreError> {
    let (party, comments_only, has_ended) = match actor {
        Actor::Person => {
            let (author, role) = ("the person".to_owned(), Some(ReviewRole::Person));
            return Ok(Acts { by: By::Person, party: None, author, role });
        }
        Actor::Gate => {
            return Ok(Acts { by: By::Gate, party: None, author: "the gate".to_owned(), role: None });
        }
        Actor::Agent { party, comments_only, has_ended } => (party.as_ref(), *comments_only, *has_ended),
    };
    let is_proposer = party.is_one_with(proposer, has_ended);
    let holder = match &state.claim {
        Some(claim) if claim.holder == party.key => true,
        Some(claim) => {
            let holder = facts(connection, &claim.holder).await?;
            holder.is_some_and(|holder| party.goes_on_for(&holder, has_ended))
        }
        None => false,
    };
    let standing = Standing {
        proposer: is_proposer,
        holder,
        lost: lost(connection, review, state.round, party, has_ended).await?,
        approved: has_approved(connection, review, state.round, party, has_ended).await?,
        reserved: match state.reserved.as_ref() {
            Some(reserved) if reserved.party == party.key => true,
            Some(reserved) => {
                facts(connection, &reserved.party).await?.is_some_and(|kept| party.is_one_with(&kept, has_ended))
            }
            None => false,
        },
        claims: claims(connection, review, party).await?,
        comments_only,
    };
    let role = if is_proposer { ReviewRole::Proposer } else { ReviewRole::Reviewer };
    Ok(Acts {
        by: By::Agent(party.key.clone(), standing),
        party: Some(party.key.clone()),
        author: party.label(),
        role: Some(role),
    })
}

/// How often a party lost the claim on a round.
async fn lost(
    connection: &mut SqliteConnection,
    review: ReviewId,
    round: u32,
    party: &Party,
    has_ended: fn(&Process) -> bool,
) -> Result<u32, StoreError> {
    let review_id = review.to_string();
    let found = sqlx::query_scalar!(
        "SELECT p.facts FROM claims c JOIN parties p ON p.party = c.party
         WHERE c.review_id = ?1 AND c.given_round = ?2 AND c.lost IS NOT NULL",
        review_id,
        round,
    )
    .fetch_all(connection)
    .await?;
    count(&found, party, has_ended)
}

async fn has_approved(
    connection: &mut SqliteConnection,
    review: ReviewId,
    round: u32,
    party: &Party,
    has_ended: fn(&Process) -> bool,
) -> Result<bool, StoreError> {
    let review_id = review.to_string();
    let found = sqlx::query_scalar!(
        "SELECT p.facts FROM verdicts v JOIN parties p ON p.party = v.party
         WHERE v.review_id = ?1 AND v.round = ?2 AND v.decision = 'approved'",
        review_id,
        round,
    )
    .fetch_all(connection)
    .await?;
    Ok(count(&found, party, has_ended)? > 0)
}

fn count(found: &[String], party: &Party, has_ended: fn(&Process) -> bool) -> Result<u32, StoreError> {
    let mut count = 0_u32;
    for facts in found {
        count += u32::from(party.is_one_with(&from_json(facts)?, has_ended));
    }
    Ok(count)
}

/// How many claims on other reviews a party holds.
async fn claims(connection: &mut SqliteConnection, review: ReviewId, party: &Party) -> Result<u32, StoreError> {
    let review_id = review.to_string();
    let held = sqlx::query_scalar!(
        "SELECT count(*) FROM claims WHERE party = ?1 AND ended_at IS NULL AND review_id <> ?2",
        party.key,
        review_id,
    );
    Ok(u32::try_from(held.fetch_one(connection).await?).unwrap_or(u32::MAX))
}

/// What is known of a party; absent where nothing is.
pub(super) async fn facts(connection: &mut SqliteConnection, party: &str) -> Result<Option<Party>, StoreError> {
    let found = sqlx::query_scalar!("SELECT facts FROM parties WHERE party = ?1", party);
    found.fetch_optional(connection).await?.as_deref().map(from_json).transpose()
}

/// Remembers a party.
pub(super) async fn keep(connection: &mut SqliteConnection, party: &Party, now: Timestamp) -> Result<(), StoreError> {
    let facts = to_json(party)?;
    sqlx::query!(
        "INSERT INTO parties (party, facts, seen_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (party) DO UPDATE SET facts = excluded.facts, seen_at = excluded.seen_at
         WHERE parties.facts <> excluded.facts",
        party.key,
        facts,
        now.0,
    )
    .execute(connection)
    .await?;
    Ok(())
}
