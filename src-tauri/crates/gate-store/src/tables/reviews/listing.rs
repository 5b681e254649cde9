//! Lists of reviews.

use gate_core::Timestamp;
use gate_core::ask::excerpt;
use gate_core::proposal::{Party, Priority, Review, ReviewPlace, ReviewQuery, ReviewStatus, ReviewSummary, bounds};

use super::reading::{digest, word};
use super::writing::unsigned;
use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::store::Store;

impl Store {
    /// At most so many reviews, the latest changed first.
    pub(super) async fn listed_reviews(
        &self,
        query: &ReviewQuery,
        after: Option<ReviewPlace>,
        limit: usize,
    ) -> Result<Vec<ReviewSummary>, StoreError> {
        let status = query.status.map(ReviewStatus::as_str);
        let priority = query.priority.map(Priority::as_str);
        let places = query.places.as_ref().map(to_json).transpose()?;
        let since = query.since.map(|since| since.0);
        let (after_at, after_id) =
            after.map_or((i64::MAX, String::new()), |place| (place.updated_at.0, place.review_id.to_string()));
        let below = query.path.as_ref().map(|path| format!("{}/", path.trim_end_matches('/')));
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = sqlx::query!(
            r#"SELECT p.review_id, p.session_uuid, p.party, p.workspace, p.intent, p.category, p.priority, p.state,
                      p.diff_sha256, p.base, p.stale AS "stale!: bool", p.created_at, p.updated_at, p.event,
                      a.facts, (SELECT h.facts FROM parties h WHERE h.party = p.holder) AS holder_facts
               FROM proposals p JOIN parties a ON a.party = p.party
               WHERE (p.updated_at, p.review_id) < (?1, ?2)
                 AND (?3 IS NULL OR p.status = ?3)
                 AND (?4 IS NULL OR p.category = ?4)
                 AND (?5 IS NULL OR p.priority = ?5)
                 AND (?6 IS NULL OR p.party = ?6)
                 AND (?7 IS NULL OR p.place IN (SELECT value FROM json_each(?7)) OR p.party = ?8)
                 AND (?9 IS NULL OR p.updated_at > ?9)
                 AND (?10 IS NULL OR EXISTS (SELECT 1 FROM proposal_files f WHERE f.review_id = p.review_id
                         AND (f.path = ?10 OR substr(f.path, 1, length(?11)) = ?11)))
               ORDER BY p.updated_at DESC, p.review_id DESC LIMIT ?12"#,
            after_at,
            after_id,
            status,
            query.category,
            priority,
            query.party,
            places,
            query.own,
            since,
            query.path,
            below,
            limit,
        )
        .fetch_all(&self.readers)
        .await?;
        let reviews = rows.into_iter().map(|row| {
            let state: Review = from_json(&row.state)?;
            let holder = row.holder_facts.as_deref().map(from_json::<Party>).transpose()?;
            Ok(ReviewSummary {
                review_id: row.review_id.parse()?,
                session_uuid: row.session_uuid.parse()?,
                status: state.status,
                outcome: state.ending,
                turn: state.turn(),
                round: state.round,
                intent: excerpt(&row.intent, bounds::INTENT_SHOWN_CHARS),
                category: row.category,
                priority: word(Priority::parse(&row.priority), &row.priority)?,
                workspace: row.workspace,
                proposer: from_json::<Party>(&row.facts)?.label(),
                party: row.party,
                holder: holder.map(|holder| holder.label()),
                lease_until: state.lease_until(),
                need: state.needs(),
                approvals: state.approvals,
                approved_by: state.approved_by,
                diff_sha256: row.diff_sha256.as_deref().map(digest).transpose()?,
                base: row.base,
                stale: row.stale,
                created_at: Timestamp(row.created_at),
                updated_at: Timestamp(row.updated_at),
                event: unsigned(row.event),
            })
        });
        reviews.collect()
    }
}
