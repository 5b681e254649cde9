//! What is read again of one review, within an act or by itself.

use gate_core::proposal::{
    Acted, ApprovedBy, Checked, NewDiff, Party, PatchId, PatchStatus, ReviewEvent, ReviewId, ReviewRole, StoredMessage,
    StoredPatch, StoredReview, StoredRound, StoredThread, StoredVerdict, ThreadId, ThreadMessageId, Verdict, bounds,
};
use gate_core::{Digest, Timestamp};
use sqlx::SqliteConnection;

use super::row::{ReviewRow, review_rows};
use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::store::Store;
use crate::tables::numbers::{digest, signed, unsigned, word};

/// Reads one review with all that its rules look at.
pub(super) async fn review(
    connection: &mut SqliteConnection,
    review: ReviewId,
) -> Result<Option<StoredReview>, StoreError> {
    let review_id = review.to_string();
    let row = review_rows!("WHERE p.review_id = ?1"; review_id);
    row.fetch_optional(connection).await?.map(ReviewRow::stored).transpose()
}

/// What an earlier call of this key led to.
pub(super) async fn call(connection: &mut SqliteConnection, call_key: &str) -> Result<Option<Acted>, StoreError> {
    let found = sqlx::query_scalar!("SELECT result FROM broker_calls WHERE call_key = ?1", call_key);
    found.fetch_optional(connection).await?.as_deref().map(from_json).transpose()
}

/// Since when nobody has a review.
pub(super) async fn free_since(connection: &mut SqliteConnection, review: ReviewId) -> Result<Timestamp, StoreError> {
    let id = review.to_string();
    let at = sqlx::query_scalar!("SELECT free_since FROM proposals WHERE review_id = ?1", id);
    Ok(Timestamp(at.fetch_one(connection).await?))
}

/// Whose a message of this identifier is that a review has, and the thread that it is in.
pub(super) async fn message_of(
    connection: &mut SqliteConnection,
    review: ReviewId,
    message: ThreadMessageId,
) -> Result<Option<(Option<String>, Option<ThreadId>)>, StoreError> {
    let (review_id, message_id) = (review.to_string(), message.to_string());
    let found = sqlx::query!(
        "SELECT party, thread_id FROM thread_messages WHERE message_id = ?1 AND review_id = ?2",
        message_id,
        review_id
    );
    let found = found.fetch_optional(connection).await?;
    found.map(|row| Ok((row.party, row.thread_id.as_deref().map(str::parse).transpose()?))).transpose()
}

/// Whether any review has a message of one of these identifiers.
pub(super) async fn has_messages(
    connection: &mut SqliteConnection,
    messages: &[ThreadMessageId],
) -> Result<bool, StoreError> {
    let ids = to_json(&messages)?;
    let count = sqlx::query_scalar!(
        "SELECT count(*) FROM thread_messages WHERE message_id IN (SELECT value FROM json_each(?1))",
        ids,
    );
    Ok(count.fetch_one(connection).await? > 0)
}

/// Whose verdicts on a round say this.
pub(super) async fn verdicts_of(
    connection: &mut SqliteConnection,
    review: ReviewId,
    round: u32,
    verdict: Verdict,
) -> Result<Vec<Option<String>>, StoreError> {
    let (id, decision) = (review.to_string(), verdict.as_str());
    let found = sqlx::query_scalar!(
        "SELECT party FROM verdicts WHERE review_id = ?1 AND round = ?2 AND decision = ?3",
        id,
        round,
        decision,
    );
    Ok(found.fetch_all(connection).await?)
}

/// The patch that became a round, or the last one that was offered for it and turned down.
pub(super) async fn patch_of_round(
    connection: &mut SqliteConnection,
    review: ReviewId,
    round: u32,
    status: PatchStatus,
) -> Result<Option<PatchId>, StoreError> {
    let id = review.to_string();
    let found = if status == PatchStatus::Accepted {
        let found = sqlx::query_scalar!(
            r#"SELECT patch_id AS "patch_id!" FROM rounds
               WHERE review_id = ?1 AND round = ?2 AND patch_id IS NOT NULL"#,
            id,
            round,
        );
        found.fetch_optional(connection).await?
    } else {
        let found = sqlx::query_scalar!(
            "SELECT patch_id FROM counter_patches WHERE review_id = ?1 AND round = ?2 AND status = 'rejected'
             ORDER BY n DESC LIMIT 1",
            id,
            round,
        );
        found.fetch_optional(connection).await?
    };
    Ok(found.as_deref().map(str::parse).transpose()?)
}

/// What became of a patch of a review.
pub(super) async fn patch_status(
    connection: &mut SqliteConnection,
    review: ReviewId,
    patch: PatchId,
) -> Result<Option<PatchStatus>, StoreError> {
    let (review_id, patch_id) = (review.to_string(), patch.to_string());
    let found = sqlx::query_scalar!(
        "SELECT status FROM counter_patches WHERE patch_id = ?1 AND review_id = ?2",
        patch_id,
        review_id
    );
    Ok(found.fetch_optional(connection).await?.as_deref().and_then(PatchStatus::parse))
}

/// Says what became of a patch.
pub(super) async fn set_patch_status(
    connection: &mut SqliteConnection,
    patch: PatchId,
    status: PatchStatus,
) -> Result<(), StoreError> {
    let (patch_id, status) = (patch.to_string(), status.as_str());
    sqlx::query!("UPDATE counter_patches SET status = ?2 WHERE patch_id = ?1", patch_id, status)
        .execute(connection)
        .await?;
    Ok(())
}

/// A newer round took the place of the one that open patches were offered for.
pub(super) async fn supersede_patches(connection: &mut SqliteConnection, review: ReviewId) -> Result<(), StoreError> {
    let id = review.to_string();
    sqlx::query!("UPDATE counter_patches SET status = 'superseded' WHERE review_id = ?1 AND status = 'open'", id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Patches of a round that the proposer hasn't said anything of: each with whether it approves, and its author's party.
pub(super) async fn open_patches(
    connection: &mut SqliteConnection,
    review: ReviewId,
    round: u32,
) -> Result<Vec<(PatchId, bool, String)>, StoreError> {
    let id = review.to_string();
    let found = sqlx::query!(
        r#"SELECT patch_id, approves AS "approves!: bool", party FROM counter_patches
           WHERE review_id = ?1 AND round = ?2 AND status = 'open' ORDER BY n"#,
        id,
        round,
    );
    let found = found.fetch_all(connection).await?;
    found.into_iter().map(|row| Ok((row.patch_id.parse()?, row.approves, row.party))).collect()
}

/// A patch as the round that it becomes, and its author.
pub(super) async fn patch_as_round(
    connection: &mut SqliteConnection,
    patch: PatchId,
) -> Result<Option<(NewDiff, String)>, StoreError> {
    let id = patch.to_string();
    let row = sqlx::query!(
        "SELECT p.author, p.description, p.checked, b.bytes FROM counter_patches p
         JOIN blobs b ON b.sha256 = p.diff_sha256 WHERE p.patch_id = ?1",
        id,
    )
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let new = NewDiff { diff: row.bytes, description: row.description, checked: from_json(&row.checked)? };
    Ok(Some((new, row.author)))
}

/// How many patches a review has.
pub(super) async fn count_patches(connection: &mut SqliteConnection, review: ReviewId) -> Result<u32, StoreError> {
    let id = review.to_string();
    let count = sqlx::query_scalar!("SELECT count(*) FROM counter_patches WHERE review_id = ?1", id);
    Ok(unsigned(count.fetch_one(connection).await?))
}

/// How many threads and how many messages a review has.
pub(super) async fn count_messages(
    connection: &mut SqliteConnection,
    review: ReviewId,
) -> Result<(usize, usize), StoreError> {
    let id = review.to_string();
    let row = sqlx::query!(
        "SELECT (SELECT count(*) FROM threads WHERE review_id = ?1) AS threads,
                (SELECT count(*) FROM thread_messages WHERE review_id = ?1) AS messages",
        id,
    )
    .fetch_one(connection)
    .await?;
    Ok((unsigned(row.threads), unsigned(row.messages)))
}

/// Whether a review has this thread.
pub(super) async fn has_thread(
    connection: &mut SqliteConnection,
    review: ReviewId,
    thread: ThreadId,
) -> Result<bool, StoreError> {
    let (review_id, thread_id) = (review.to_string(), thread.to_string());
    let count = sqlx::query_scalar!(
        "SELECT count(*) FROM threads WHERE thread_id = ?1 AND review_id = ?2",
        thread_id,
        review_id
    );
    Ok(count.fetch_one(connection).await? > 0)
}

impl Store {
    pub(super) async fn stored_review(&self, id: ReviewId) -> Result<Option<StoredReview>, StoreError> {
        review(&mut *self.readers.acquire().await?, id).await
    }

    pub(super) async fn review_call(&self, call_key: &str) -> Result<Option<Acted>, StoreError> {
        call(&mut *self.readers.acquire().await?, call_key).await
    }

    pub(super) async fn forget_review_call(&self, call_key: &str) -> Result<(), StoreError> {
        // A call that did nothing has no row, and costs no write.
        if self.review_call(call_key).await?.is_none() {
            return Ok(());
        }
        let with_patch = format!("{call_key}{}", bounds::WITH_PATCH);
        sqlx::query!("DELETE FROM broker_calls WHERE call_key IN (?1, ?2)", call_key, with_patch)
            .execute(&mut *self.writer.acquire().await?)
            .await?;
        Ok(())
    }

    pub(super) async fn stored_rounds(&self, review: ReviewId, from: u32) -> Result<Vec<StoredRound>, StoreError> {
        let id = review.to_string();
        let rows = sqlx::query!(
            "SELECT round, author, diff_sha256, description, checked, patch_id, carried_from, created_at FROM rounds
             WHERE review_id = ?1 AND round >= ?2 ORDER BY round",
            id,
            from,
        )
        .fetch_all(&self.readers)
        .await?;
        let rounds = rows.into_iter().map(|row| {
            Ok(StoredRound {
                round: unsigned(row.round),
                diff_sha256: row.diff_sha256.as_deref().map(digest).transpose()?,
                description: row.description,
                checked: from_json(&row.checked)?,
                patch_id: row.patch_id.as_deref().map(str::parse).transpose()?,
                carried_from: row.carried_from.map(unsigned),
                author: row.author,
                created_at: Timestamp(row.created_at),
            })
        });
        rounds.collect()
    }

    pub(super) async fn stored_diff(&self, sha256: Digest) -> Result<Option<Vec<u8>>, StoreError> {
        let sha256 = sha256.to_string();
        let found = sqlx::query_scalar!(
            "SELECT bytes FROM blobs WHERE sha256 = ?1
               AND (EXISTS (SELECT 1 FROM rounds r WHERE r.diff_sha256 = ?1)
                    OR EXISTS (SELECT 1 FROM counter_patches p WHERE p.diff_sha256 = ?1))",
            sha256,
        );
        Ok(found.fetch_optional(&self.readers).await?)
    }

    pub(super) async fn stored_verdicts(&self, review: ReviewId) -> Result<Vec<StoredVerdict>, StoreError> {
        let id = review.to_string();
        let rows = sqlx::query!(
            "SELECT round, party, author, decision, reason, created_at FROM verdicts WHERE review_id = ?1 ORDER BY n",
            id,
        )
        .fetch_all(&self.readers)
        .await?;
        let verdicts = rows.into_iter().map(|row| {
            Ok(StoredVerdict {
                round: unsigned(row.round),
                decision: word(Verdict::parse(&row.decision), &row.decision)?,
                reason: row.reason,
                by: if row.party.is_some() { ApprovedBy::Agent } else { ApprovedBy::Person },
                author: row.author,
                created_at: Timestamp(row.created_at),
            })
        });
        verdicts.collect()
    }

    pub(super) async fn stored_patches(&self, review: ReviewId) -> Result<Vec<StoredPatch>, StoreError> {
        let id = review.to_string();
        let rows = sqlx::query!(
            r#"SELECT patch_id, round, diff_sha256, description, approves AS "approves!: bool", status, author, checked,
                      created_at
               FROM counter_patches WHERE review_id = ?1 ORDER BY n"#,
            id,
        )
        .fetch_all(&self.readers)
        .await?;
        let patches = rows.into_iter().map(|row| {
            Ok(StoredPatch {
                patch_id: row.patch_id.parse()?,
                round: unsigned(row.round),
                diff_sha256: digest(&row.diff_sha256)?,
                description: row.description,
                approves: row.approves,
                status: word(PatchStatus::parse(&row.status), &row.status)?,
                author: row.author,
                checked: from_json(&row.checked)?,
                created_at: Timestamp(row.created_at),
            })
        });
        patches.collect()
    }

    pub(super) async fn stored_threads(&self, review: ReviewId) -> Result<Vec<StoredThread>, StoreError> {
        let id = review.to_string();
        let rows = sqlx::query!(
            r#"SELECT thread_id, round, anchor, resolved AS "resolved!: bool" FROM threads WHERE review_id = ?1 ORDER BY n"#,
            id,
        )
        .fetch_all(&self.readers)
        .await?;
        let threads = rows.into_iter().map(|row| {
            Ok(StoredThread {
                thread_id: row.thread_id.parse()?,
                round: unsigned(row.round),
                anchor: from_json(&row.anchor)?,
                resolved: row.resolved,
                follows: None,
            })
        });
        threads.collect()
    }

    pub(super) async fn stored_messages(
        &self,
        review: ReviewId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<StoredMessage>, StoreError> {
        let (id, after, limit) = (review.to_string(), signed(after), i64::try_from(limit).unwrap_or(i64::MAX));
        let rows = sqlx::query!(
            "SELECT message_id, n, thread_id, role, author, body, created_at FROM thread_messages
             WHERE review_id = ?1 AND n > ?2 ORDER BY n, rowid LIMIT ?3",
            id,
            after,
            limit,
        )
        .fetch_all(&self.readers)
        .await?;
        let messages = rows.into_iter().map(|row| {
            Ok(StoredMessage {
                message_id: row.message_id.parse()?,
                thread_id: row.thread_id.as_deref().map(str::parse).transpose()?,
                role: word(ReviewRole::parse(&row.role), &row.role)?,
                author: row.author,
                body: row.body,
                created_at: Timestamp(row.created_at),
                event: unsigned(row.n),
            })
        });
        messages.collect()
    }

    pub(super) async fn stored_events(
        &self,
        review: ReviewId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<ReviewEvent>, StoreError> {
        let rows = self.events_of(&review.to_string(), after, limit).await?;
        let events = rows.into_iter().map(|row| {
            Ok(ReviewEvent {
                review_id: review,
                n: unsigned(row.n),
                at: Timestamp(row.at),
                party: row.party,
                role: row.role.as_deref().and_then(ReviewRole::parse),
                kind: row.kind,
                data: from_json(&row.data)?,
            })
        });
        events.collect()
    }

    /// Other open reviews of the same place whose newest round changes a file that this one's does.
    pub(super) async fn overlapping_reviews(&self, review: ReviewId) -> Result<Vec<ReviewId>, StoreError> {
        let id = review.to_string();
        let found = sqlx::query_scalar!(
            "SELECT DISTINCT other.review_id FROM proposal_files own
             JOIN proposal_files other ON other.place = own.place AND other.path = own.path
             JOIN proposals p ON p.review_id = other.review_id
             WHERE own.review_id = ?1 AND other.review_id <> ?1 AND p.status <> 'closed'
             ORDER BY other.review_id LIMIT 20",
            id,
        )
        .fetch_all(&self.readers)
        .await?;
        found.into_iter().map(|id| Ok(id.parse()?)).collect()
    }

    pub(super) async fn listed_parties(&self, after: &str, limit: usize) -> Result<Vec<Party>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let found =
            sqlx::query_scalar!("SELECT facts FROM parties WHERE party > ?1 ORDER BY party LIMIT ?2", after, limit,)
                .fetch_all(&self.readers)
                .await?;
        found.iter().map(|facts| from_json(facts)).collect()
    }

    /// Whether a change needs the person, since one like it did lately: one of the same party that touched one of its
    /// paths in any of its rounds, or anybody's with this very diff or with what one of its files is to hold, whatever that
    /// is called. Whoever would be the heir of that one's proposer counts as the same, whether that one has ended or not.
    pub(super) async fn is_followed(
        &self,
        checked: &Checked,
        diff: Option<Digest>,
        party: &Party,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let Some(place) = checked.repository.as_deref() else { return Ok(false) };
        let paths: Vec<_> = checked.files.iter().flat_map(|file| file.old_path.iter().chain([&file.path])).collect();
        let contents: Vec<_> = checked.files.iter().filter_map(|file| file.new.as_ref()).collect();
        let (paths, contents, diff) = (to_json(&paths)?, to_json(&contents)?, diff.map(|diff| diff.to_string()));
        let found = sqlx::query!(
            r#"WITH followed AS
                   (SELECT p.party AS proposer, r.party AS author,
                           coalesce(r.diff_sha256 = ?4, 0) OR EXISTS
                               (SELECT 1 FROM json_each(r.checked, '$.files') f
                                WHERE json_extract(f.value, '$.new') IN (SELECT value FROM json_each(?5))) AS is_same,
                           EXISTS
                               (SELECT 1 FROM json_each(r.checked, '$.files') f
                                WHERE json_extract(f.value, '$.path') IN (SELECT value FROM json_each(?3))
                                   OR json_extract(f.value, '$.old_path') IN (SELECT value FROM json_each(?3))) AS is_near
                    FROM proposals p JOIN rounds r ON r.review_id = p.review_id
                    WHERE p.place = ?1 AND p.followed_until > ?2)
               SELECT DISTINCT a.facts, f.is_same AS "is_same!: bool"
               FROM followed f JOIN parties a ON a.party = f.proposer OR a.party = f.author
               WHERE f.is_same OR f.is_near"#,
            place,
            now.0,
            paths,
            diff,
            contents,
        )
        .fetch_all(&self.readers)
        .await?;
        for row in found {
            if row.is_same || party.is_one_with(&from_json(&row.facts)?, |_| true) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
