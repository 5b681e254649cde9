//! What reviews have approved and stand by.

use gate_core::Timestamp;
use gate_core::ask::excerpt;
use gate_core::proposal::{ApprovedBy, ApprovedResult, Ending, Need, Review, ReviewId, ReviewStatus, bounds};

use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::store::Store;
use crate::tables::numbers::{digest, unsigned};

impl Store {
    /// At most so many results of reviews of a place that change one of these files, the latest first.
    pub(super) async fn approved_results(
        &self,
        place: &str,
        paths: &[String],
        limit: usize,
    ) -> Result<Vec<ApprovedResult>, StoreError> {
        self.approved_by(Sought { place, paths, review: None }, limit).await
    }

    /// What a review has approved: its round, then patches beside it.
    pub(super) async fn approved_of_review(&self, review: ReviewId) -> Result<Vec<ApprovedResult>, StoreError> {
        let results = usize::try_from(bounds::ROUNDS).unwrap_or(usize::MAX).saturating_add(1);
        self.approved_by(Sought { place: "", paths: &[], review: Some(review) }, results).await
    }

    async fn approved_by(&self, sought: Sought<'_>, limit: usize) -> Result<Vec<ApprovedResult>, StoreError> {
        let mut found = self.approved_rounds(sought, limit).await?;
        found.extend(self.approved_patches(sought, limit).await?);
        found.sort_by_key(|result| (std::cmp::Reverse(result.updated_at), result.patch_id));
        found.truncate(limit);
        Ok(found)
    }

    async fn approved_rounds(&self, sought: Sought<'_>, limit: usize) -> Result<Vec<ApprovedResult>, StoreError> {
        let (place, review) = (sought.place, sought.review.map(|review| review.to_string()));
        let (paths, limit) = (to_json(&sought.paths)?, i64::try_from(limit).unwrap_or(i64::MAX));
        let rows = sqlx::query_as!(
            ApprovedRow,
            r#"SELECT p.review_id, p.intent, p.state, p.updated_at, r.round AS "round!", r.checked, r.diff_sha256 AS "diff_sha256!",
                      (SELECT json_extract(e.data, '$.reply.receipt') FROM events e
                       WHERE e.subject = p.review_id AND e.type = 'person_decided'
                       ORDER BY e.n DESC LIMIT 1) AS "receipt: String",
                      (SELECT json_extract(q.round, '$.manifest') FROM events e
                       JOIN review_requests q ON q.request_id = json_extract(e.data, '$.reply.request_id')
                       WHERE e.subject = p.review_id AND e.type = 'person_decided'
                       ORDER BY e.n DESC LIMIT 1) AS "manifest: String",
                      NULL AS "patch_id: String", 0 AS "approvals!: i64"
               FROM proposals p JOIN rounds r ON r.review_id = p.review_id
               WHERE p.review_id IN (SELECT f.review_id FROM proposal_files f
                                     WHERE f.place = ?1 AND f.path IN (SELECT value FROM json_each(?2))
                                     UNION ALL SELECT ?4)
                 AND r.diff_sha256 IS NOT NULL AND p.status IN ('approved', 'closed')
                 AND (p.status = 'approved' OR json_extract(p.state, '$.ending') = 'applied')
                 AND r.round = (SELECT max(newest.round) FROM rounds newest WHERE newest.review_id = p.review_id)
               ORDER BY p.updated_at DESC, p.review_id DESC LIMIT ?3"#,
            place,
            paths,
            limit,
            review,
        );
        standing(rows.fetch_all(&self.readers).await?)
    }

    /// Patches of reviewers whose approvals are of these, too. The person's is of the round alone.
    async fn approved_patches(&self, sought: Sought<'_>, limit: usize) -> Result<Vec<ApprovedResult>, StoreError> {
        let (place, review) = (sought.place, sought.review.map(|review| review.to_string()));
        let (paths, limit) = (to_json(&sought.paths)?, i64::try_from(limit).unwrap_or(i64::MAX));
        let rows = sqlx::query_as!(
            ApprovedRow,
            r#"SELECT p.review_id, p.intent, p.state, p.updated_at, c.patch_id, c.round AS "round!", c.checked, c.diff_sha256,
                      NULL AS "receipt: String", NULL AS "manifest: String",
                      (SELECT count(DISTINCT a.party) FROM approved_results a WHERE a.patch_id = c.patch_id)
                          AS "approvals!: i64"
               FROM proposals p JOIN counter_patches c ON c.review_id = p.review_id
               WHERE c.patch_id IN (SELECT a.patch_id FROM approved_results a WHERE a.patch_id IS NOT NULL)
                 AND c.status <> 'rejected' AND p.status IN ('approved', 'closed')
                 AND (p.status = 'approved' OR json_extract(p.state, '$.ending') = 'applied')
                 AND c.round = (SELECT max(newest.round) FROM rounds newest WHERE newest.review_id = p.review_id)
                 AND (p.review_id = ?4
                      OR p.place = ?1
                         AND EXISTS (SELECT 1 FROM json_each(c.checked, '$.files') f
                                     WHERE json_extract(f.value, '$.path') IN (SELECT value FROM json_each(?2))
                                        OR json_extract(f.value, '$.old_path') IN (SELECT value FROM json_each(?2))))
               ORDER BY p.updated_at DESC, c.n DESC LIMIT ?3"#,
            place,
            paths,
            limit,
            review,
        );
        standing(rows.fetch_all(&self.readers).await?)
    }
}

/// What is looked for: files of a place, or one review.
#[derive(Clone, Copy)]
struct Sought<'a> {
    place: &'a str,
    paths: &'a [String],
    review: Option<ReviewId>,
}

/// A round, or a patch beside it, as its rows have it.
struct ApprovedRow {
    review_id: String,
    intent: String,
    state: String,
    updated_at: i64,
    round: i64,
    checked: String,
    diff_sha256: String,
    /// Of the person's latest decision.
    receipt: Option<String>,
    /// What was shown to them for it.
    manifest: Option<String>,
    patch_id: Option<String>,
    /// Of the patch.
    approvals: i64,
}

/// Those that their reviews stand by.
fn standing(rows: Vec<ApprovedRow>) -> Result<Vec<ApprovedResult>, StoreError> {
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        let Some((need, approved_by)) = stands_by(&from_json(&row.state)?) else { continue };
        let by_person = approved_by == ApprovedBy::Person;
        if row.patch_id.is_some() && (by_person || row.approvals < i64::from(need.agents)) {
            continue;
        }
        found.push(ApprovedResult {
            review_id: row.review_id.parse()?,
            intent: excerpt(&row.intent, bounds::INTENT_SHOWN_CHARS),
            round: unsigned(row.round),
            patch_id: row.patch_id.as_deref().map(str::parse).transpose()?,
            need,
            approved_by,
            receipt: row.receipt.as_deref().filter(|_| by_person).map(digest).transpose()?,
            manifest: row.manifest.filter(|_| by_person),
            diff_sha256: digest(&row.diff_sha256)?,
            checked: from_json(&row.checked)?,
            updated_at: Timestamp(row.updated_at),
        });
    }
    Ok(found)
}

/// What the newest round needed and who made it approved, where the review stands by that: it is approved, or was closed
/// as one that is applied.
fn stands_by(state: &Review) -> Option<(Need, ApprovedBy)> {
    let stands = match state.status {
        ReviewStatus::Approved => true,
        ReviewStatus::Closed => state.ending == Some(Ending::Applied),
        ReviewStatus::Created
        | ReviewStatus::Claimed
        | ReviewStatus::InDiscussion
        | ReviewStatus::AwaitingPerson
        | ReviewStatus::Rejected => false,
    };
    let (need, by) = (state.needs(), state.approved_by?);
    (stands && (by == ApprovedBy::Person || !need.person)).then_some((need, by))
}
