//! The next review in the queue.

use gate_core::proposal::{Act, Acted, Acting, Actor, Brought, NextReview, ReviewId};
use gate_core::{Code, Fault};
use sqlx::SqliteConnection;

use super::{acting, reading};
use crate::error::StoreError;
use crate::json::to_json;

/// Reviews that are looked at in one go for one that the caller may have.
const LOOKED_AT: i64 = 50;

/// Claims the first review in the queue that this actor may have; absent where there is none.
pub(super) async fn claim_next(
    connection: &mut SqliteConnection,
    claiming: &Acting,
    next: &NextReview,
) -> Result<Result<Option<Acted>, Fault>, StoreError> {
    if let Some(key) = &claiming.call_key
        && let Some(before) = reading::call(connection, key).await?
    {
        return Ok(Ok(Some(Acted { happened: false, ..before })));
    }
    let own = match &claiming.actor {
        Actor::Agent { party, .. } => Some(party.key.as_str()),
        Actor::Person(_) | Actor::Gate => None,
    };
    let categories = to_json(&next.categories)?;
    let (mut after_key, mut after_id) = (i64::MIN, String::new());
    loop {
        let mut found = Vec::new();
        for place in &next.places {
            let queue = sqlx::query!(
                "SELECT review_id, queue_key FROM proposals
                 WHERE status = 'created' AND place = ?3 AND (queue_key, review_id) > (?1, ?2) AND party IS NOT ?6
                   AND (json_array_length(?4) = 0 OR category IN (SELECT value FROM json_each(?4)))
                 ORDER BY queue_key, review_id LIMIT ?5",
                after_key,
                after_id,
                place,
                categories,
                LOOKED_AT,
                own,
            );
            found
                .extend(queue.fetch_all(&mut *connection).await?.into_iter().map(|row| (row.queue_key, row.review_id)));
        }
        found.sort_unstable();
        found.truncate(usize::try_from(LOOKED_AT).unwrap_or(usize::MAX));
        let Some(last) = found.last() else { return Ok(Ok(None)) };
        (after_key, after_id) = last.clone();
        for (_, review_id) in found {
            let review_id: ReviewId = review_id.parse()?;
            let acting = Acting { review_id, act: Act::Claim, with: Brought::Nothing, ..claiming.clone() };
            match acting::act(connection, &acting).await? {
                Ok(acted) => return Ok(Ok(Some(acted))),
                Err(fault) if matches!(fault.code, Code::TooMany | Code::RoleForbidden) => return Ok(Err(fault)),
                // It is the caller's own, or isn't for them: perhaps the next one is.
                Err(_) => {}
            }
        }
    }
}
