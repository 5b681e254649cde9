//! Deleting: conversations that are old or too many, and files that belong to nothing any more.

use gate_core::{Code, Fault, RequestId, SessionUuid, Timestamp};

use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection};

use crate::error::StoreError;
use crate::journal::Entry;
use crate::store::Store;
use crate::tables::TABLES;

/// Milliseconds of a day.
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// After how long a file of a draft that no draft names any more is deleted, in milliseconds.
pub const LOOSE_ATTACHMENT_MILLIS: i64 = DAY_MILLIS;
/// For how long a reply that no agent has heard keeps its conversation from being deleted for its
/// size, in milliseconds.
const UNHEARD_MILLIS: i64 = 7 * DAY_MILLIS;
/// Conversations that are looked up at once.
const BATCH: i64 = 200;
/// Pages that are given back to the file system at once, and how often in one run.
const FREED_PAGES: &str = "PRAGMA incremental_vacuum(512)";
const FREED_STEPS: usize = 64;

/// What retention did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retained {
    /// Conversations that were deleted.
    pub conversations: Vec<SessionUuid>,
    /// Requests that nobody answered and that were closed as `expired`.
    pub expired: Vec<RequestId>,
    /// Files of replies and drafts that were deleted.
    pub attachments: u64,
}

impl Store {
    /// Applies the retention settings. Conversations that nothing happened to for `keep_days` are
    /// deleted unless they are active; where such a one has pending requests, those are closed as
    /// `expired` instead. Then the least recently touched ones that are neither active nor pending, and
    /// whose latest replies an agent has heard, are deleted until the record takes at most `max_bytes`. Each goes in a transaction of its own.
    ///
    /// # Errors
    /// When SQLite fails or the second copy of replies can't be written; what was deleted before that
    /// stays deleted.
    pub async fn retain(
        &self,
        keep_days: Option<u32>,
        max_bytes: Option<u64>,
        now: Timestamp,
    ) -> Result<Retained, StoreError> {
        let _one_at_a_time = self.safety.upkeep.lock().await;
        let mut retained = Retained::default();
        if let Some(days) = keep_days {
            let since = now.0.saturating_sub(i64::from(days).saturating_mul(DAY_MILLIS));
            self.retain_by_age(since, now, &mut retained).await?;
        }
        retained.attachments += self.delete_loose_attachments(now).await?;
        if let Some(bytes) = max_bytes {
            self.retain_by_size(bytes, now, &mut retained).await?;
        }
        self.shrink().await?;
        Ok(retained)
    }

    /// Deletes a conversation with everything that was said in it. Returns how many files went.
    /// Backups that were made before still hold it.
    ///
    /// # Errors
    /// `unknown_session`; `still_pending` while a request waits for a reply; when SQLite fails or the
    /// second copy of replies can't be written. Nothing is deleted then.
    pub async fn delete_conversation(&self, session: SessionUuid) -> Result<u64, StoreError> {
        let _one_at_a_time = self.safety.upkeep.lock().await;
        if !self.session_exists(session).await? {
            return Err(Fault::new(
                Code::UnknownSession,
                format!("No conversation has the id {session}."),
                "Look it up in the history; it may have been deleted before.",
            )
            .into());
        }
        match self.delete(session).await? {
            Some(files) => {
                self.shrink().await?;
                Ok(files)
            }
            None => Err(Fault::new(
                Code::StillPending,
                "The conversation has a question that waits for a reply.",
                "Answer or dismiss it first, then delete the conversation.",
            )
            .into()),
        }
    }

    async fn retain_by_age(&self, since: i64, now: Timestamp, retained: &mut Retained) -> Result<(), StoreError> {
        loop {
            let old = sqlx::query_scalar!(
                "SELECT session_uuid FROM conversations
                 WHERE updated_at < ?1 AND (status <> 'active' OR EXISTS
                     (SELECT 1 FROM review_requests r
                      WHERE r.session_uuid = conversations.session_uuid AND r.status = 'pending'))
                 ORDER BY updated_at LIMIT ?2",
                since,
                BATCH,
            )
            .fetch_all(&mut *self.writer.acquire().await?)
            .await?;
            let mut went_on = false;
            for id in old {
                let session: SessionUuid = id.parse()?;
                match self.delete(session).await {
                    Ok(Some(files)) => {
                        retained.conversations.push(session);
                        retained.attachments += files;
                    }
                    Ok(None) => retained.expired.extend(self.expire(&id, since, now).await?),
                    // The others must not wait for it.
                    Err(error) if error.says_unfit() => {
                        tracing::error!(%session, %error, "a conversation could not be deleted");
                        continue;
                    }
                    Err(error) => return Err(error),
                }
                went_on = true;
            }
            if !went_on {
                return Ok(());
            }
        }
    }

    /// Closes the old pending requests of a conversation, which begins to age anew.
    async fn expire(&self, session: &str, since: i64, now: Timestamp) -> Result<Vec<RequestId>, StoreError> {
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let expired = sqlx::query_scalar!(
            "UPDATE review_requests SET status = 'expired', closed_at = ?3
             WHERE session_uuid = ?1 AND status = 'pending' AND created_at < ?2
               AND NOT EXISTS (SELECT 1 FROM proposals p WHERE p.request_id = review_requests.request_id)
               AND NOT EXISTS (SELECT 1 FROM workflow_publications p WHERE p.request_id = review_requests.request_id)
             RETURNING request_id",
            session,
            since,
            now.0,
        )
        .fetch_all(&mut *tx)
        .await?;
        sqlx::query!("UPDATE conversations SET updated_at = ?2 WHERE session_uuid = ?1", session, now.0)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        expired.iter().map(|id| id.parse().map_err(StoreError::Fault)).collect()
    }

    async fn retain_by_size(&self, bytes: u64, now: Timestamp, retained: &mut Retained) -> Result<(), StoreError> {
        let unheard = now.0.saturating_sub(UNHEARD_MILLIS);
        while self.used_bytes().await? > bytes {
            let oldest = sqlx::query_scalar!(
                "SELECT session_uuid FROM conversations
                 WHERE status <> 'active' AND NOT EXISTS
                     (SELECT 1 FROM review_requests r
                      WHERE r.session_uuid = conversations.session_uuid AND r.status = 'pending')
                   AND NOT EXISTS
                     (SELECT 1 FROM proposals p
                      WHERE p.session_uuid = conversations.session_uuid AND p.status <> 'closed')
                   AND NOT EXISTS
                     (SELECT 1 FROM workflow_jobs j
                      WHERE j.session_uuid = conversations.session_uuid
                        AND (j.status IN ('parked', 'queued', 'running', 'interrupted') OR EXISTS
                             (SELECT 1 FROM workflow_publications p
                              WHERE p.job_id = j.job_id AND p.state NOT IN ('posted', 'dropped'))))
                   AND NOT EXISTS
                     (SELECT 1 FROM replies a JOIN review_requests r ON r.request_id = a.request_id
                      WHERE r.session_uuid = conversations.session_uuid AND a.delivered_at IS NULL
                        AND a.answered_at > ?1)
                 ORDER BY updated_at, session_uuid LIMIT 1",
                unheard,
            )
            .fetch_optional(&mut *self.writer.acquire().await?)
            .await?;
            let Some(oldest) = oldest else { return Ok(()) };
            let session: SessionUuid = oldest.parse()?;
            let Some(files) = self.delete(session).await? else { return Ok(()) };
            retained.conversations.push(session);
            retained.attachments += files;
        }
        Ok(())
    }

    /// Bytes of the pages that hold something.
    async fn used_bytes(&self) -> Result<u64, StoreError> {
        let mut connection = self.writer.acquire().await?;
        let pages: i64 = sqlx::query_scalar("PRAGMA page_count").fetch_one(&mut *connection).await?;
        let free: i64 = sqlx::query_scalar("PRAGMA freelist_count").fetch_one(&mut *connection).await?;
        let size: i64 = sqlx::query_scalar("PRAGMA page_size").fetch_one(&mut *connection).await?;
        Ok(u64::try_from((pages - free).saturating_mul(size)).unwrap_or(0))
    }

    /// Deletes a conversation that has no pending request, and the bytes of its files that no other
    /// one has. Returns how many files it had; nothing where a request is pending.
    async fn delete(&self, session: SessionUuid) -> Result<Option<u64>, StoreError> {
        let id = session.to_string();
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let pending = sqlx::query_scalar!(
            "SELECT count(*) FROM review_requests WHERE session_uuid = ?1 AND status = 'pending'",
            id
        )
        .fetch_one(&mut *tx)
        .await?;
        if pending > 0 || open_reviews(&mut tx, &id).await? || open_jobs(&mut tx, &id).await? {
            return Ok(None);
        }
        let files = delete_from(&mut tx, session).await?;
        // Before the deletion is committed: after it, the second copy would bring the replies back.
        self.journal().add(Entry::Deleted(session), true).await?;
        tx.commit().await?;
        Ok(Some(files))
    }

    /// Deletes files that were attached to a draft and taken out of it again, and bytes that belong
    /// to no file.
    async fn delete_loose_attachments(&self, now: Timestamp) -> Result<u64, StoreError> {
        let before = now.0.saturating_sub(LOOSE_ATTACHMENT_MILLIS);
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let loose = sqlx::query!(
            "DELETE FROM attachments WHERE position IS NULL AND created_at < ?1 AND NOT EXISTS
                 (SELECT 1 FROM drafts d WHERE d.request_id = attachments.request_id
                                           AND instr(d.draft, attachments.attachment_id) > 0)",
            before,
        )
        .execute(&mut *tx)
        .await?
        .rows_affected();
        sqlx::query!(
            "DELETE FROM blobs WHERE NOT EXISTS (SELECT 1 FROM attachments a WHERE a.sha256 = blobs.sha256)
             AND NOT EXISTS (SELECT 1 FROM rounds r WHERE r.diff_sha256 = blobs.sha256)
             AND NOT EXISTS (SELECT 1 FROM counter_patches p WHERE p.diff_sha256 = blobs.sha256)"
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(loose)
    }

    /// Gives free pages back to the file system, some at a time so that writers get in between.
    async fn shrink(&self) -> Result<(), StoreError> {
        for _ in 0..FREED_STEPS {
            let mut connection = self.writer.acquire().await?;
            let free: i64 = sqlx::query_scalar("PRAGMA freelist_count").fetch_one(&mut *connection).await?;
            let incremental: i64 = sqlx::query_scalar("PRAGMA auto_vacuum").fetch_one(&mut *connection).await?;
            if free == 0 || incremental != 2 {
                return Ok(());
            }
            sqlx::query(FREED_PAGES).execute(&mut *connection).await?;
        }
        Ok(())
    }
}

/// Whether a conversation has a review that isn't over.
async fn open_reviews(connection: &mut SqliteConnection, session: &str) -> Result<bool, StoreError> {
    let open =
        sqlx::query_scalar!("SELECT count(*) FROM proposals WHERE session_uuid = ?1 AND status <> 'closed'", session);
    Ok(open.fetch_one(connection).await? > 0)
}

/// Whether a conversation has a job that isn't finished, or something of one that isn't decided or hasn't left.
async fn open_jobs(connection: &mut SqliteConnection, session: &str) -> Result<bool, StoreError> {
    let open = sqlx::query_scalar!(
        "SELECT count(*) FROM workflow_jobs j
         WHERE j.session_uuid = ?1 AND (j.status IN ('parked', 'queued', 'running', 'interrupted') OR EXISTS
             (SELECT 1 FROM workflow_publications p WHERE p.job_id = j.job_id AND p.state NOT IN ('posted', 'dropped')))",
        session,
    );
    Ok(open.fetch_one(connection).await? > 0)
}

/// Deletes all rows of a conversation, and the bytes of its files that no other one has. Returns how
/// many files it had.
pub(crate) async fn delete_from(connection: &mut SqliteConnection, session: SessionUuid) -> Result<u64, StoreError> {
    let id = session.to_string();
    let contents = sqlx::query_scalar!(
        "SELECT sha256 FROM attachments
         WHERE request_id IN (SELECT request_id FROM review_requests WHERE session_uuid = ?1)",
        id
    )
    .fetch_all(&mut *connection)
    .await?;
    let diffs = sqlx::query_scalar!(
        r#"SELECT diff_sha256 AS "sha256!" FROM rounds
           WHERE review_id IN (SELECT review_id FROM proposals WHERE session_uuid = ?1) AND diff_sha256 IS NOT NULL
           UNION SELECT diff_sha256 FROM counter_patches
           WHERE review_id IN (SELECT review_id FROM proposals WHERE session_uuid = ?1)"#,
        id
    )
    .fetch_all(&mut *connection)
    .await?;
    // Those that refer to others first.
    for table in TABLES.iter().rev() {
        let Some(condition) = table.owner.condition() else { continue };
        let statement = format!("DELETE FROM {} WHERE {condition}", table.name);
        sqlx::query(AssertSqlSafe(statement)).bind(&id).execute(&mut *connection).await?;
    }
    for sha256 in contents.iter().chain(&diffs) {
        sqlx::query!(
            "DELETE FROM blobs WHERE sha256 = ?1
             AND NOT EXISTS (SELECT 1 FROM attachments a WHERE a.sha256 = blobs.sha256)
             AND NOT EXISTS (SELECT 1 FROM rounds r WHERE r.diff_sha256 = blobs.sha256)
             AND NOT EXISTS (SELECT 1 FROM counter_patches p WHERE p.diff_sha256 = blobs.sha256)",
            sha256
        )
        .execute(&mut *connection)
        .await?;
    }
    Ok(u64::try_from(contents.len()).unwrap_or(0))
}
