//! Lists of reviews. A list is made of parts, each of which an index gives in the order of the list: no page of it takes
//! longer where there are more reviews that it doesn't hold.

use std::collections::{HashMap, HashSet};

use gate_core::Timestamp;
use gate_core::proposal::{
    ListedReview, Priority, ReviewId, ReviewPlace, ReviewQuery, ReviewStatus, ReviewSummary, StoredReview, bounds,
};
use sqlx::SqliteConnection;

use super::row::{ReviewRow, review_rows};
use crate::error::StoreError;
use crate::json::to_json;
use crate::store::Store;
use crate::tables::numbers::unsigned;

/// Reads the next reviews of a part, of which `$only` says what it holds. The other filters are looked at row by row.
macro_rules! next {
    ($($only:literal)+, $list:expr, $connection:expr $(, $argument:expr)*) => {
        review_rows!(
            "WHERE (p.updated_at, p.review_id) < (?1, ?2) AND p.updated_at > ?3
               AND (?4 IS NULL OR p.status = ?4)
               AND (?5 IS NULL OR p.category = ?5)
               AND (?6 IS NULL OR p.priority = ?6)
               AND (?7 IS NULL OR p.party = ?7)
               AND (?8 IS NULL OR EXISTS (SELECT 1 FROM proposal_files f WHERE f.review_id = p.review_id
                       AND (f.path = ?8 OR f.path > ?9 AND f.path < ?10))) "
            $($only)+
            " ORDER BY p.updated_at DESC, p.review_id DESC LIMIT ?11";
            $list.after_at,
            $list.after_id,
            $list.since,
            $list.status,
            $list.category,
            $list.priority,
            $list.party,
            $list.path,
            $list.below,
            $list.beyond,
            $list.limit
            $(, $argument)*
        )
        .fetch_all(&mut *$connection)
        .await
    };
}

/// How many messages a review has, when the last one was said and how it begins, and why its newest verdict is what it is.
type Said = (u64, Option<(Timestamp, String)>, Option<String>);

/// What a list holds, as statements want it.
struct List<'a> {
    after_at: i64,
    after_id: String,
    since: i64,
    status: Option<&'static str>,
    category: Option<&'a str>,
    priority: Option<&'static str>,
    party: Option<&'a str>,
    limit: i64,
    path: Option<&'a str>,
    /// What the paths below it begin with.
    below: Option<String>,
    /// What comes after all of them.
    beyond: Option<String>,
}

impl Store {
    /// At most so many reviews, the latest changed first.
    pub(super) async fn listed_reviews(
        &self,
        query: &ReviewQuery,
        after: Option<ReviewPlace>,
        limit: usize,
    ) -> Result<Vec<ReviewSummary>, StoreError> {
        let found = self.found_reviews(query, after, limit).await?;
        Ok(found.into_iter().map(|review| review.summary).collect())
    }

    /// The same with all that is known of each, and what was said in it last.
    pub(super) async fn listed_whole(
        &self,
        query: &ReviewQuery,
        limit: usize,
    ) -> Result<Vec<ListedReview>, StoreError> {
        let found = self.found_reviews(query, None, limit).await?;
        let ids: Vec<_> = found.iter().map(|review| review.summary.review_id).collect();
        let mut said = self.said_in(&ids).await?;
        let with_said = |review: StoredReview| {
            let (messages, last_message, reason) = said.remove(&review.summary.review_id).unwrap_or_default();
            ListedReview { review, messages, last_message, reason }
        };
        Ok(found.into_iter().map(with_said).collect())
    }

    /// What was said in reviews, in a few words.
    async fn said_in(&self, reviews: &[ReviewId]) -> Result<HashMap<ReviewId, Said>, StoreError> {
        let (ids, shown) = (to_json(&reviews)?, i64::try_from(bounds::MESSAGE_SHOWN_CHARS).unwrap_or(i64::MAX));
        let rows = sqlx::query!(
            r#"SELECT p.review_id,
                      (SELECT count(*) FROM thread_messages c WHERE c.review_id = p.review_id) AS "messages!: i64",
                      m.created_at AS "at?: i64", substr(m.body, 1, ?2) AS "begins?: String",
                      (SELECT v.reason FROM verdicts v
                       WHERE v.review_id = p.review_id
                         AND v.round = (SELECT max(r.round) FROM rounds r WHERE r.review_id = p.review_id)
                       ORDER BY v.n DESC LIMIT 1) AS "reason?: String"
               FROM proposals p
               LEFT JOIN thread_messages m ON m.message_id =
                   (SELECT l.message_id FROM thread_messages l WHERE l.review_id = p.review_id
                    ORDER BY l.n DESC, l.rowid DESC LIMIT 1)
               WHERE p.review_id IN (SELECT value FROM json_each(?1))"#,
            ids,
            shown,
        )
        .fetch_all(&self.readers)
        .await?;
        let said = rows.into_iter().map(|row| {
            let last = row.at.map(Timestamp).zip(row.begins);
            Ok((row.review_id.parse()?, (unsigned(row.messages), last, row.reason)))
        });
        said.collect()
    }

    async fn found_reviews(
        &self,
        query: &ReviewQuery,
        after: Option<ReviewPlace>,
        limit: usize,
    ) -> Result<Vec<StoredReview>, StoreError> {
        let list = List::of(query, after, limit);
        // All parts as they are at one moment.
        let mut reading = self.readers.begin().await?;
        let mut rows = Vec::new();
        match (&query.places, &query.party) {
            (places, Some(party)) => {
                let places = places.as_ref().map(to_json).transpose()?;
                let own = query.own.as_deref();
                rows.extend(list.of_party(&mut reading, party, places.as_deref(), own).await?);
            }
            (None, None) => rows.extend(list.anywhere(&mut reading).await?),
            (Some(places), None) => {
                for place in places {
                    rows.extend(list.of_place(&mut reading, place).await?);
                }
                if let Some(own) = &query.own {
                    rows.extend(list.of_party(&mut reading, own, None, None).await?);
                }
            }
        }
        reading.rollback().await?;
        rows.sort_unstable_by(|one, other| (other.updated_at, &other.review_id).cmp(&(one.updated_at, &one.review_id)));
        let mut seen = HashSet::new();
        rows.retain(|row| seen.insert(row.review_id.clone()));
        rows.truncate(limit);
        rows.into_iter().map(ReviewRow::stored).collect()
    }
}

impl<'a> List<'a> {
    fn of(query: &'a ReviewQuery, after: Option<ReviewPlace>, limit: usize) -> Self {
        let (after_at, after_id) =
            after.map_or((i64::MAX, String::new()), |place| (place.updated_at.0, place.review_id.to_string()));
        let path = query.path.as_deref();
        let folder = path.map(|path| path.trim_end_matches('/'));
        Self {
            after_at,
            after_id,
            since: query.since.map_or(i64::MIN, |since| since.0),
            status: query.status.map(ReviewStatus::as_str),
            category: query.category.as_deref(),
            priority: query.priority.map(Priority::as_str),
            party: query.party.as_deref(),
            limit: i64::try_from(limit).unwrap_or(i64::MAX),
            path,
            below: folder.map(|folder| format!("{folder}/")),
            // The character after the slash.
            beyond: folder.map(|folder| format!("{folder}0")),
        }
    }

    async fn anywhere(&self, connection: &mut SqliteConnection) -> Result<Vec<ReviewRow>, StoreError> {
        Ok(match self.status {
            Some(_) => next!("AND p.status = ?4", self, connection)?,
            None => next!("", self, connection)?,
        })
    }

    /// Those that belong to a place, by what fewest of them have.
    async fn of_place(&self, connection: &mut SqliteConnection, place: &str) -> Result<Vec<ReviewRow>, StoreError> {
        Ok(match (self.path, self.category, self.priority, self.status) {
            // Only reviews that are open or were applied have paths: they are looked for by these, and put in order then.
            (Some(_), ..) => next!(
                "AND +p.place = ?12
                 AND p.review_id IN (SELECT f.review_id FROM proposal_files f WHERE f.place = ?12 AND f.path = ?8
                                     UNION ALL
                                     SELECT f.review_id FROM proposal_files f
                                     WHERE f.place = ?12 AND f.path > ?9 AND f.path < ?10)",
                self,
                connection,
                place
            )?,
            (None, Some(_), ..) => next!("AND p.place = ?12 AND p.category = ?5", self, connection, place)?,
            (None, None, Some(priority), _) if priority != Priority::Normal.as_str() => {
                next!("AND p.place = ?12 AND p.priority = ?6 AND p.priority <> 'normal'", self, connection, place)?
            }
            (None, None, _, Some(_)) => next!("AND p.place = ?12 AND p.status = ?4", self, connection, place)?,
            (None, None, _, None) => next!("AND p.place = ?12", self, connection, place)?,
        })
    }

    /// Those that a party proposed, by what fewest of them have; where `places` are named, only there, but for `own`'s.
    async fn of_party(
        &self,
        connection: &mut SqliteConnection,
        party: &str,
        places: Option<&str>,
        own: Option<&str>,
    ) -> Result<Vec<ReviewRow>, StoreError> {
        macro_rules! of_party {
            ($only:literal) => {
                next!(
                    $only " AND (?13 IS NULL OR p.place IN (SELECT value FROM json_each(?13)) OR p.party = ?14)",
                    self,
                    connection,
                    party,
                    places,
                    own
                )?
            };
        }
        Ok(match (self.path, self.category, self.priority, self.status) {
            (Some(_), ..) => of_party!(
                "AND +p.party = ?12
                 AND p.review_id IN (SELECT f.review_id FROM proposal_files f WHERE f.path = ?8
                                     UNION ALL
                                     SELECT f.review_id FROM proposal_files f WHERE f.path > ?9 AND f.path < ?10)"
            ),
            (None, Some(_), ..) => of_party!("AND p.party = ?12 AND p.category = ?5"),
            (None, None, Some(priority), _) if priority != Priority::Normal.as_str() => {
                of_party!("AND p.party = ?12 AND p.priority = ?6 AND p.priority <> 'normal'")
            }
            (None, None, _, Some(_)) => of_party!("AND p.party = ?12 AND p.status = ?4"),
            (None, None, _, None) => of_party!("AND p.party = ?12"),
        })
    }
}
