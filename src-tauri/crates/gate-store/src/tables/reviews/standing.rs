//! How a caller stands to a review, by what the record knows of parties.

use gate_core::proposal::{Act, Actor, By, Party, Review, ReviewId, ReviewRole, Standing, StoredReview};
use gate_core::{Given, Process};
use sqlx::SqliteConnection;

use crate::error::StoreError;
use crate::json::from_json;
use crate::tables::parties::facts;

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
    /// Whether it goes on in the place of the proposer, which has ended.
    pub(super) is_heir: bool,
}

impl Acts {
    /// The person, or whoever speaks for them.
    pub(super) fn person(given: Given) -> Self {
        let (by, role) = (By::Person(given.assurance), Some(ReviewRole::Person));
        Self { by, party: None, author: given.author(), role, is_heir: false }
    }

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
    act: &Act,
) -> Result<Acts, StoreError> {
    let (party, has_ended) = match actor {
        Actor::Person(given) => return Ok(Acts::person(*given)),
        Actor::Gate => {
            let author = "the gate".to_owned();
            return Ok(Acts { by: By::Gate, party: None, author, role: None, is_heir: false });
        }
        Actor::Agent { party, has_ended } => (party.as_ref(), *has_ended),
    };
    let is_proposer = party.is_one_with(proposer, has_ended)
        || proposed_before(connection, review, proposer, party, has_ended).await?;
    let holder = match &state.claim {
        Some(claim) if claim.holder == party.key => true,
        Some(claim) => {
            let holder = facts(connection, &claim.holder).await?;
            holder.is_some_and(|holder| party.goes_on_for(&holder, has_ended))
        }
        None => false,
    };
    let (lost, has_lost) = lost(connection, review, state.round, party, has_ended).await?;
    let standing = Standing {
        proposer: is_proposer,
        holder,
        lost,
        has_lost,
        approved: has_approved(connection, review, state.round, party, has_ended).await?,
        reserved: match state.reserved.as_ref() {
            Some(reserved) if reserved.party == party.key => true,
            Some(reserved) => {
                facts(connection, &reserved.party).await?.is_some_and(|kept| party.is_one_with(&kept, has_ended))
            }
            None => false,
        },
        claims: if *act == Act::Claim { claims(connection, review, party, has_ended).await? } else { 0 },
        comments_only: party.comments_only(is_proposer),
    };
    let role = if is_proposer { ReviewRole::Proposer } else { ReviewRole::Reviewer };
    Ok(Acts {
        by: By::Agent(party.key.clone(), standing),
        party: Some(party.key.clone()),
        author: party.label(),
        role: Some(role),
        is_heir: is_proposer && party.key != proposer.key && party.goes_on_for(proposer, has_ended),
    })
}

/// Whether a party of whose rounds there are some is one with this one, besides the proposer. An heir may have gone on
/// in the proposer's place whom those that the proposer started are not one with.
async fn proposed_before(
    connection: &mut SqliteConnection,
    review: ReviewId,
    proposer: &Party,
    party: &Party,
    has_ended: fn(&Process) -> bool,
) -> Result<bool, StoreError> {
    let review_id = review.to_string();
    let found = sqlx::query_scalar!(
        "SELECT DISTINCT p.facts FROM rounds r JOIN parties p ON p.party = r.party
         WHERE r.review_id = ?1 AND r.patch_id IS NULL AND r.party <> ?2",
        review_id,
        proposer.key,
    )
    .fetch_all(connection)
    .await?;
    Ok(count(found.iter().map(String::as_str), party, has_ended)? > 0)
}

/// Whether a party that is known by its key is one with the proposer of a review.
pub(super) async fn has_proposed(
    connection: &mut SqliteConnection,
    stored: &StoredReview,
    party: &str,
    actor: &Actor,
) -> Result<bool, StoreError> {
    let has_ended = match actor {
        Actor::Agent { has_ended, .. } => *has_ended,
        // The person takes it as it was offered, when its author was another than the proposer.
        Actor::Person(_) | Actor::Gate => |_: &Process| false,
    };
    let Some(party) = facts(connection, party).await? else { return Ok(true) };
    Ok(party.is_one_with(&stored.proposer, has_ended)
        || proposed_before(connection, stored.summary.review_id, &stored.proposer, &party, has_ended).await?)
}

/// Whether an act that is told as this party's, or as the person's where that is absent, is the actor's own.
pub(super) async fn is_own(
    connection: &mut SqliteConnection,
    actor: &Actor,
    told: Option<&str>,
) -> Result<bool, StoreError> {
    match (actor, told) {
        (Actor::Person(_), None) => Ok(true),
        (Actor::Agent { party, .. }, Some(told)) if party.key == told => Ok(true),
        (Actor::Agent { party, has_ended, .. }, Some(told)) => {
            Ok(facts(connection, told).await?.is_some_and(|told| party.is_one_with(&told, has_ended)))
        }
        _ => Ok(false),
    }
}

/// How often a party lost the claim on a round, and whether it did on any round.
async fn lost(
    connection: &mut SqliteConnection,
    review: ReviewId,
    round: u32,
    party: &Party,
    has_ended: fn(&Process) -> bool,
) -> Result<(u32, bool), StoreError> {
    let review_id = review.to_string();
    let found = sqlx::query!(
        "SELECT c.given_round, p.facts FROM claims c JOIN parties p ON p.party = c.party
         WHERE c.review_id = ?1 AND c.lost IS NOT NULL",
        review_id,
    )
    .fetch_all(connection)
    .await?;
    let all = count(found.iter().map(|row| row.facts.as_str()), party, has_ended)?;
    let of_round = found.iter().filter(|row| row.given_round == i64::from(round));
    Ok((count(of_round.map(|row| row.facts.as_str()), party, has_ended)?, all > 0))
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
        "WITH RECURSIVE same (round) AS (
             SELECT ?2
             UNION SELECT r.carried_from FROM rounds r JOIN same ON r.round = same.round
             WHERE r.review_id = ?1 AND r.carried_from IS NOT NULL)
         SELECT p.facts FROM verdicts v JOIN parties p ON p.party = v.party
         WHERE v.review_id = ?1 AND v.round IN (SELECT round FROM same) AND v.decision = 'approved'",
        review_id,
        round,
    )
    .fetch_all(connection)
    .await?;
    Ok(count(found.iter().map(String::as_str), party, has_ended)? > 0)
}

/// How many of these are one with a party.
fn count<'a>(
    found: impl Iterator<Item = &'a str>,
    party: &Party,
    has_ended: fn(&Process) -> bool,
) -> Result<u32, StoreError> {
    let mut count = 0_u32;
    for facts in found {
        count += u32::from(party.is_one_with(&from_json(facts)?, has_ended));
    }
    Ok(count)
}

/// How many claims on other reviews a party holds.
async fn claims(
    connection: &mut SqliteConnection,
    review: ReviewId,
    party: &Party,
    has_ended: fn(&Process) -> bool,
) -> Result<u32, StoreError> {
    let review_id = review.to_string();
    let held = sqlx::query!(
        r#"SELECT p.facts, count(*) AS "held: u32" FROM claims c JOIN parties p ON p.party = c.party
           WHERE c.ended_at IS NULL AND c.review_id <> ?1 GROUP BY c.party"#,
        review_id,
    )
    .fetch_all(connection)
    .await?;
    let mut count = 0_u32;
    for row in held {
        if party.is_one_with(&from_json(&row.facts)?, has_ended) {
            count = count.saturating_add(row.held);
        }
    }
    Ok(count)
}
