//! What is due of reviews, and by which request the person is asked about one.

use gate_core::proposal::{DueReview, Review, ReviewId, lease};
use gate_core::{RequestId, Timestamp};
use sqlx::Connection as _;

use super::writing;
use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::store::Store;

impl Store {
    pub(super) async fn due_reviews(&self, now: Timestamp, limit: usize) -> Result<Vec<DueReview>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = sqlx::query!(
            r#"SELECT review_id, due AS "due!", due_at AS "due_at!" FROM proposals WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2"#,
            now.0,
            limit,
        )
        .fetch_all(&self.readers)
        .await?;
        let due = rows.into_iter().map(|row| {
            let due = writing::read_due(&row.due)?;
            Ok(DueReview { review_id: row.review_id.parse()?, due, at: Timestamp(row.due_at) })
        });
        due.collect()
    }

    /// The person is asked about this round of a review by this request. False where they aren't to be any more, or are by
    /// another one.
    pub(super) async fn set_question(
        &self,
        review: ReviewId,
        round: u32,
        request: RequestId,
    ) -> Result<bool, StoreError> {
        let (review_id, request_id) = (review.to_string(), request.to_string());
        let set = sqlx::query!(
            "UPDATE proposals SET request_id = ?3
             WHERE review_id = ?1 AND (request_id IS NULL OR request_id = ?3)
               AND json_extract(state, '$.round') = ?2 AND json_extract(state, '$.asked') IS NOT NULL",
            review_id,
            round,
            request_id,
        )
        .execute(&mut *self.writer.acquire().await?)
        .await?;
        Ok(set.rows_affected() == 1)
    }

    /// How many questions about reviews of this party stand before the person.
    pub(super) async fn count_questions(&self, party: &str) -> Result<usize, StoreError> {
        let open = sqlx::query_scalar!(
            r#"SELECT count(*) AS "open: i64" FROM proposals WHERE request_id IS NOT NULL AND +party = ?1"#,
            party,
        );
        Ok(usize::try_from(open.fetch_one(&self.readers).await?).unwrap_or_default())
    }

    /// They aren't any more.
    pub(super) async fn unset_question(&self, review: ReviewId, request: RequestId) -> Result<(), StoreError> {
        let (review_id, request_id) = (review.to_string(), request.to_string());
        sqlx::query!(
            "UPDATE proposals SET request_id = NULL WHERE review_id = ?1 AND request_id = ?2",
            review_id,
            request_id
        )
        .execute(&mut *self.writer.acquire().await?)
        .await?;
        Ok(())
    }

    /// The reviews about which the person is asked, or is to be.
    pub(super) async fn open_questions(&self) -> Result<Vec<(ReviewId, Option<RequestId>)>, StoreError> {
        let rows = sqlx::query!(
            r#"SELECT review_id AS "review_id!", request_id FROM proposals WHERE request_id IS NOT NULL
               UNION ALL
               SELECT review_id, NULL AS request_id FROM proposals
               WHERE status IN ('awaiting_person', 'created') AND request_id IS NULL
                 AND json_extract(state, '$.asked') IN ('decision', 'unreviewed')"#
        )
        .fetch_all(&self.readers)
        .await?;
        let open = rows
            .into_iter()
            .map(|row| Ok((row.review_id.parse()?, row.request_id.as_deref().map(str::parse).transpose()?)));
        open.collect()
    }

    /// Moves the last act of each claim's holder by so many milliseconds, and further where the claim would end within two
    /// minutes from now.
    pub(super) async fn put_off_leases(&self, off_millis: u64, now: Timestamp) -> Result<(), StoreError> {
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin_with("BEGIN IMMEDIATE").await?;
        let held = sqlx::query!("SELECT review_id, state FROM proposals WHERE due = 'lease' AND due_at IS NOT NULL");
        let held = held.fetch_all(&mut *tx).await?;
        for row in held {
            let mut state: Review = from_json(&row.state)?;
            let Some(claim) = &mut state.claim else { continue };
            claim.acted_at = claim.acted_at.max(lease::moved(claim.acted_at, off_millis, now));
            let (until, json) = (lease::until(claim.acted_at, false).0, to_json(&state)?);
            sqlx::query!(
                "UPDATE proposals SET state = ?2, due_at = max(due_at, ?3) WHERE review_id = ?1",
                row.review_id,
                json,
                until,
            )
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    pub(super) async fn next_due_review(&self) -> Result<Option<Timestamp>, StoreError> {
        let at = sqlx::query_scalar!(
            r#"SELECT due_at AS "due_at!" FROM proposals WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1"#
        );
        Ok(at.fetch_optional(&self.readers).await?.map(Timestamp))
    }
}
