//! Conversations, review requests, and the calls that stand for them.

use std::borrow::Cow;
use std::collections::HashMap;

use gate_core::{
    Ask, Caller, Code, Declared, Digest, Fault, Owner, PermissionEnd, QuestionGit, RequestId, RequestStatus,
    ReviewRequest, Role, SessionStatus, SessionUuid, Timestamp, bounds, changed_files,
};
use sqlx::Connection;

use super::askers;
use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::rows::{Beginning, ConversationRow, MessageRow, Question, RequestRow, request_status};
use crate::store::Store;
use crate::table::{self, Known, Table, column, identifier};

/// The table of calls.
pub(crate) const CALLS: Table = Table {
    name: "calls",
    columns: &[column("call_key"), identifier("request_id"), column("gives_reply"), column("created_at")],
    owner: table::Owner::Request,
    known: Known::Stays,
};

/// A request to be stored.
#[derive(Debug, Clone)]
pub struct NewRequest {
    /// Its identifier.
    pub request_id: RequestId,
    /// Its conversation; made when it is new.
    pub session_uuid: SessionUuid,
    /// The checked question.
    pub ask: Ask,
    /// Who asks.
    pub caller: Caller,
    /// What the client declared of itself; kept with a conversation that is new.
    pub declared: Declared,
    /// The call that asks it, so that the same call sent again finds it.
    pub call_key: String,
    /// The relay that it came through.
    pub relay: Option<String>,
    /// Whose a conversation is that is new.
    pub owner: Owner,
    /// A digest of who asks and of everything asked, so that the same question finds it.
    pub question: String,
    /// Now.
    pub now: Timestamp,
}

/// A pending question as it is found again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingQuestion {
    /// Its request.
    pub request_id: RequestId,
    /// The digest of who asks and of everything asked.
    pub question: String,
    /// A call that stands for it, if there is one.
    pub call_key: Option<String>,
    /// Whether an agent was told that it is pending.
    pub told_pending: bool,
}

/// The times of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestTimes {
    /// What became of it.
    pub status: RequestStatus,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When it was closed; absent while it is pending.
    pub closed_at: Option<Timestamp>,
}

/// How a call is remembered: what becomes of one that is known is the statement's end.
macro_rules! insert_call {
    ($call_key:expr, $request_id:expr, $now:expr, $conflict:literal) => {
        sqlx::query!(
            "INSERT INTO calls (call_key, request_id, created_at) VALUES (?1, ?2, ?3)" + $conflict,
            $call_key,
            $request_id,
            $now.0,
        )
    };
}

impl Question {
    fn into_request(self) -> ReviewRequest {
        ReviewRequest {
            request_id: self.row.request_id,
            session_uuid: self.row.session_uuid,
            status: self.row.status,
            ask: self.row.ask.into_owned(),
            caller: Caller {
                client: self.beginning.client.into_owned(),
                client_version: self.beginning.client_version.into_owned(),
                workspace: self.beginning.workspace.into_owned(),
            },
            created_at: Timestamp(self.row.created_at),
        }
    }
}

impl Store {
    /// Stores a request, its message, its conversation and its call in one transaction.
    ///
    /// # Errors
    /// `too_many` where its owner has asked [`bounds::CLIENT_PENDING_REQUESTS`] that are pending; when SQLite fails. Nothing is
    /// stored then.
    pub async fn ask(&self, new: &NewRequest) -> Result<(), StoreError> {
        let conversation = ConversationRow {
            beginning: Beginning::of(new.session_uuid, &new.caller, &new.declared, new.ask.headline(), new.now),
            status: SessionStatus::Active,
            updated_at: new.now.0,
            relay: new.relay.as_ref().map(Into::into),
            owner: Some(Cow::Borrowed(&new.owner)),
        };
        let request = RequestRow {
            request_id: new.request_id,
            session_uuid: new.session_uuid,
            status: RequestStatus::Pending,
            ask: Cow::Borrowed(&new.ask),
            created_at: new.now.0,
            closed_at: None,
            question: Some((&new.question).into()),
            snoozed_at: None,
            snoozed_until: None,
            ended: None,
        };
        let message = MessageRow {
            session_uuid: new.session_uuid,
            request_id: new.request_id,
            role: Role::Agent,
            body: (&new.ask.message).into(),
            created_at: new.now.0,
            superseded_by: None,
        };
        let request_id = new.request_id.to_string();
        let owner = new.owner.id.to_string();
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let pending = sqlx::query_scalar!(
            "SELECT count(*) FROM review_requests r JOIN conversations c ON c.session_uuid = r.session_uuid
             WHERE r.status = 'pending' AND r.round IS NULL AND c.owner = ?1",
            owner,
        )
        .fetch_one(&mut *tx)
        .await?;
        // What the gate asks of its own accord neither counts as the client's nor waits for it.
        let is_own = new.ask.round.is_none();
        if is_own && usize::try_from(pending).unwrap_or(usize::MAX) >= bounds::CLIENT_PENDING_REQUESTS {
            return Err(StoreError::Fault(Fault::new(
                Code::TooMany,
                format!("{} requests of this client are pending already.", bounds::CLIENT_PENDING_REQUESTS),
                "Wait until the person has answered some of them: a call with a `request_id` waits for its reply.",
            )));
        }
        conversation.insert_or_go_on(&mut tx).await?;
        request.insert(&mut tx).await?;
        message.insert(&mut tx).await?;
        if let Some(asker) = &new.declared.asker {
            askers::insert(&mut tx, &request_id, asker).await?;
        }
        insert_call!(new.call_key, request_id, new.now, "").execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Remembers that a call stands for an existing request. Returns when the call was first seen.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn bind_call(&self, call_key: &str, request: RequestId, now: Timestamp) -> Result<Timestamp, StoreError> {
        let request_id = request.to_string();
        insert_call!(call_key, request_id, now, " ON CONFLICT (call_key) DO UPDATE SET gives_reply = 1")
            .execute(&mut *self.writer.acquire().await?)
            .await?;
        let since = sqlx::query_scalar!("SELECT created_at FROM calls WHERE call_key = ?1", call_key)
            .fetch_one(&mut *self.writer.acquire().await?)
            .await?;
        Ok(Timestamp(since))
    }

    /// Notes, before it is given, that the result of a call is not the reply: `pending`, or an error.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn gives_no_reply(&self, call_key: &str) -> Result<(), StoreError> {
        sqlx::query!("UPDATE calls SET gives_reply = 0 WHERE call_key = ?1", call_key)
            .execute(&mut *self.writer.acquire().await?)
            .await?;
        Ok(())
    }

    /// The request that a call stands for.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn request_of_call(&self, call_key: &str) -> Result<Option<RequestId>, StoreError> {
        let found = sqlx::query_scalar!("SELECT request_id FROM calls WHERE call_key = ?1", call_key)
            .fetch_optional(&self.readers)
            .await?;
        found.map(|id| id.parse().map_err(StoreError::Fault)).transpose()
    }

    /// The digests of the pending questions, and a call that stands for each.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn pending_questions(&self) -> Result<Vec<PendingQuestion>, StoreError> {
        let rows = sqlx::query!(
            r#"SELECT r.request_id, r.question AS "question!",
                      (SELECT c.call_key FROM calls c WHERE c.request_id = r.request_id LIMIT 1) AS "call_key: String",
                      EXISTS (SELECT 1 FROM calls c WHERE c.request_id = r.request_id AND c.gives_reply = 0)
                      AS "told_pending!: bool"
               FROM review_requests r WHERE r.status = 'pending' AND r.question IS NOT NULL"#,
        )
        .fetch_all(&self.readers)
        .await?;
        let questions = rows.into_iter().map(|row| {
            let request_id = row.request_id.parse()?;
            let (question, call_key, told_pending) = (row.question, row.call_key, row.told_pending);
            Ok(PendingQuestion { request_id, question, call_key, told_pending })
        });
        questions.collect()
    }

    /// When a request was asked and closed, and what became of it.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn times(&self, request: RequestId) -> Result<Option<RequestTimes>, StoreError> {
        let request_id = request.to_string();
        let row =
            sqlx::query!("SELECT status, created_at, closed_at FROM review_requests WHERE request_id = ?1", request_id)
                .fetch_optional(&self.readers)
                .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(RequestTimes {
            status: request_status(&row.status)?,
            created_at: Timestamp(row.created_at),
            closed_at: row.closed_at.map(Timestamp),
        }))
    }

    /// One request.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn request(&self, request: RequestId) -> Result<Option<ReviewRequest>, StoreError> {
        Ok(Question::read(&self.readers, request).await?.map(Question::into_request))
    }

    /// The diff that the person answered last in a request's conversation, before that was asked;
    /// absent where there is none.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn diff_before(&self, request: RequestId) -> Result<Option<String>, StoreError> {
        let request_id = request.to_string();
        let diff = sqlx::query_scalar!(
            "SELECT earlier.diff FROM review_requests q
             JOIN review_requests earlier ON earlier.session_uuid = q.session_uuid
             WHERE q.request_id = ?1 AND earlier.diff IS NOT NULL AND earlier.status = 'answered'
               AND q.permission IS NULL AND earlier.permission IS NULL AND q.round IS NULL AND earlier.round IS NULL
               AND (earlier.created_at, earlier.request_id) < (q.created_at, q.request_id)
             ORDER BY earlier.created_at DESC, earlier.request_id DESC LIMIT 1",
            request_id,
        )
        .fetch_optional(&self.readers)
        .await?;
        Ok(diff.flatten())
    }

    /// Where a request stands.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn status(&self, request: RequestId) -> Result<Option<RequestStatus>, StoreError> {
        let request_id = request.to_string();
        let status = sqlx::query_scalar!("SELECT status FROM review_requests WHERE request_id = ?1", request_id)
            .fetch_optional(&self.readers)
            .await?;
        Ok(status.as_deref().and_then(RequestStatus::parse))
    }

    /// The manifests of what questions show of repositories that are pending, or were answered since then.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn manifests_since(&self, since: Timestamp) -> Result<Vec<Digest>, StoreError> {
        let stored = sqlx::query_scalar!(
            r#"SELECT git AS "git!: String" FROM review_requests
               WHERE git IS NOT NULL AND (status = 'pending' OR (status = 'answered' AND closed_at >= ?1))"#,
            since.0,
        )
        .fetch_all(&self.readers)
        .await?;
        stored.iter().map(|git| Ok(from_json::<QuestionGit>(git)?.manifest)).collect()
    }

    /// The pending requests without their diffs and contexts: urgent ones first, then the oldest.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn pending(&self) -> Result<Vec<ReviewRequest>, StoreError> {
        let pending = Question::pending(&self.readers).await?;
        Ok(pending.into_iter().map(Question::into_request).collect())
    }

    /// How many files the diff of each pending request changes. Those without a diff are left out.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn pending_files(&self) -> Result<HashMap<RequestId, usize>, StoreError> {
        let with_diff =
            sqlx::query_scalar!("SELECT request_id FROM review_requests WHERE status = 'pending' AND diff IS NOT NULL");
        let mut files = HashMap::new();
        // One at a time: each may have megabytes.
        for id in with_diff.fetch_all(&self.readers).await? {
            let diff = sqlx::query_scalar!("SELECT diff FROM review_requests WHERE request_id = ?1", id);
            let diff = diff.fetch_optional(&self.readers).await?.flatten();
            files.insert(id.parse().map_err(StoreError::Fault)?, diff.as_deref().map_or(0, changed_files));
        }
        Ok(files)
    }

    /// How many requests are pending.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn pending_count(&self) -> Result<usize, StoreError> {
        let count = sqlx::query_scalar!("SELECT count(*) FROM review_requests WHERE status = 'pending'")
            .fetch_one(&self.readers)
            .await?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// Whether a conversation is known.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn session_exists(&self, session: SessionUuid) -> Result<bool, StoreError> {
        let session_uuid = session.to_string();
        let found = sqlx::query_scalar!("SELECT count(*) FROM conversations WHERE session_uuid = ?1", session_uuid)
            .fetch_one(&self.readers)
            .await?;
        Ok(found > 0)
    }

    /// Closes a pending request without an answer. False when it was no longer pending.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn close_request(
        &self,
        request: RequestId,
        status: RequestStatus,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.closed(request, status, None, now).await
    }

    /// Closes a pending permission question without an answer, and keeps why. False when it was no longer pending.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn close_permission(
        &self,
        request: RequestId,
        ended: PermissionEnd,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.closed(request, RequestStatus::Cancelled, Some(ended), now).await
    }

    async fn closed(
        &self,
        request: RequestId,
        status: RequestStatus,
        ended: Option<PermissionEnd>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let (request_id, status) = (request.to_string(), status.as_str());
        let ended = ended.map(PermissionEnd::as_str);
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let done = sqlx::query!(
            "UPDATE review_requests SET status = ?2, closed_at = ?3, ended = ?4
             WHERE request_id = ?1 AND status = 'pending'",
            request_id,
            status,
            now.0,
            ended,
        )
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        sqlx::query!(
            "UPDATE conversations SET updated_at = ?2
             WHERE session_uuid = (SELECT session_uuid FROM review_requests WHERE request_id = ?1)",
            request_id,
            now.0,
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Closes those of the requests that are pending, without answers and all or none. Returns which.
    ///
    /// # Errors
    /// When SQLite fails; nothing is closed then.
    pub async fn close_requests(
        &self,
        requests: &[RequestId],
        status: RequestStatus,
        now: Timestamp,
    ) -> Result<Vec<RequestId>, StoreError> {
        let (wanted, status) = (to_json(&requests)?, status.as_str());
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let closed = sqlx::query_scalar!(
            "UPDATE review_requests SET status = ?2, closed_at = ?3
             WHERE status = 'pending' AND request_id IN (SELECT value FROM json_each(?1)) RETURNING request_id",
            wanted,
            status,
            now.0,
        )
        .fetch_all(&mut *tx)
        .await?;
        let closed_json = to_json(&closed)?;
        sqlx::query!(
            "UPDATE conversations SET updated_at = ?2
             WHERE session_uuid IN (SELECT session_uuid FROM review_requests
                                    WHERE request_id IN (SELECT value FROM json_each(?1)))",
            closed_json,
            now.0,
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        closed.iter().map(|id| id.parse().map_err(StoreError::Fault)).collect()
    }
}
