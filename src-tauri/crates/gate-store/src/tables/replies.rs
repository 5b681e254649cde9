//! Replies: stored once, in one transaction with the end of their request.

use gate_core::ids::unknown_request;
use gate_core::{
    Ask, Code, Decision, Digest, Draft, Fault, GitTrees, Given, PermissionVerdict, Reply, RequestId, RequestKind,
    RequestStatus, Role, SessionUuid, Timestamp,
};
use sqlx::Connection;

use super::drafts;
use crate::error::StoreError;
use crate::journal::ReplyCopy;
use crate::json::to_json;
use crate::rows::{Answer, Attached, MessageRow, Question, ReplyRow, Stand};
use crate::store::Store;

/// A question of more bytes is digested off the async threads: that is a matter of milliseconds.
const LARGE_BYTES: usize = 64 * 1024;

/// A reply that no agent has heard yet, and who may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undelivered {
    /// The request.
    pub request_id: RequestId,
    /// Its conversation.
    pub session_uuid: SessionUuid,
    /// The relay that this one last spoke through.
    pub relay: Option<String>,
    /// Whether the agent was told that the request is pending.
    pub told_pending: bool,
}

/// Where a request stands, and what an agent is told with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Its conversation.
    pub session_uuid: SessionUuid,
    /// Where it stands.
    pub status: RequestStatus,
    /// Whether the agent asked for a decision.
    pub approval: bool,
    /// What kind of question it is: calls of `review_gate_chat` stand for no other.
    pub kind: RequestKind,
    /// Whether an agent has the reply.
    pub delivered: bool,
    /// The reply; present just where the status is `answered`.
    pub reply: Option<Reply>,
    /// The digest of the question that was answered; present just where the reply is.
    pub digest: Option<Digest>,
    /// What of a repository the question shows; absent where it shows none.
    pub git: Option<GitTrees>,
    /// The reply's receipt, where somebody has looked for it: the record doesn't know it.
    pub receipt: Option<Digest>,
}

/// A message of the person's, and what it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyMessage {
    /// The message.
    pub message_id: i64,
    /// The question that it answers; absent where it is a note.
    pub request_id: Option<RequestId>,
    /// When it was said.
    pub created_at: Timestamp,
}

impl Store {
    /// Stores the reply to a pending request and ends it. After this returns, the reply is on disk. `shown` is the
    /// digest of the question that it replies to, `given` where and how surely it was given.
    ///
    /// # Errors
    /// `unknown_request`, `changed_question` when what is stored asks something else, `unknown_attachment`, the rules
    /// of [`Draft::check_as_reply`], and `not_pending` when it was answered or closed before: the first answer wins,
    /// and the draft of a later one is kept.
    pub async fn answer(
        &self,
        request: RequestId,
        shown: Digest,
        decision: Option<Decision>,
        draft: &Draft,
        given: impl Into<Given>,
        now: Timestamp,
    ) -> Result<Reply, StoreError> {
        let Given { from, assurance } = given.into();
        let question = Question::read(&self.readers, request).await?.ok_or_else(|| unknown_request(request))?;
        let ask = &question.row.ask;
        if digest_of(ask).await? != shown {
            return Err(changed_question(request).into());
        }
        draft.check_as_reply(ask, decision)?;
        PermissionVerdict::check_reply(ask, decision, draft)?;
        let mut attached = Vec::with_capacity(draft.attachments.len());
        for id in &draft.attachments {
            let found = Attached::read(&self.readers, *id).await?.ok_or_else(|| {
                Fault::new(Code::UnknownAttachment, format!("No attachment has the id {id}."), "Attach the file again.")
            })?;
            attached.push(found);
        }
        let offered = ask.options.iter().map(|option| &option.label);
        let selected: Vec<String> = offered.filter(|label| draft.selected.contains(label)).cloned().collect();

        let session_uuid = question.row.session_uuid;
        let reply = ReplyRow {
            request_id: request,
            decision,
            selected: (&selected).into(),
            comments: (&draft.comments).into(),
            remarks: (&draft.remarks).into(),
            answered_at: now.0,
            answered_from: from,
            assurance,
            delivered_at: None,
            imported_at: None,
        };
        let message = MessageRow {
            session_uuid,
            request_id: request,
            role: Role::Person,
            body: (&draft.text).into(),
            created_at: now.0,
            superseded_by: None,
        };
        let (request_id, session_uuid) = (request.to_string(), session_uuid.to_string());
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let ended = sqlx::query!(
            "UPDATE review_requests SET status = 'answered', closed_at = ?2, snoozed_at = NULL, snoozed_until = NULL
             WHERE request_id = ?1 AND status = 'pending'",
            request_id,
            now.0,
        )
        .execute(&mut *tx)
        .await?;
        if ended.rows_affected() == 0 {
            return Err(not_pending(request).into());
        }
        // Behind the update nobody else writes: what is answered is what was compared.
        let answered = Question::read(&mut *tx, request).await?;
        if answered.is_none_or(|answered| answered.row.ask != question.row.ask) {
            return Err(changed_question(request).into());
        }
        reply.insert(&mut tx).await?;
        message.insert(&mut tx).await?;
        for (position, attachment) in attached.iter().enumerate() {
            let attachment_id = attachment.row.attachment_id.to_string();
            let position = i64::try_from(position).unwrap_or(i64::MAX);
            let placed = sqlx::query!(
                "UPDATE attachments SET position = ?2 WHERE attachment_id = ?1 AND request_id = ?3",
                attachment_id,
                position,
                request_id,
            )
            .execute(&mut *tx)
            .await?;
            if placed.rows_affected() == 0 {
                return Err(StoreError::Fault(Fault::new(
                    Code::UnknownAttachment,
                    format!("Attachment {attachment_id} belongs to another request."),
                    "Attach the file to this request.",
                )));
            }
        }
        // Another draft, left in a window while a terminal answered, is the person's text and stays.
        drafts::delete_sent(&mut tx, &request_id, draft).await?;
        sqlx::query!("UPDATE conversations SET updated_at = ?2 WHERE session_uuid = ?1", session_uuid, now.0)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        self.copy_reply(ReplyCopy::of(question, &reply, &draft.text, &attached)).await;
        Ok(Reply {
            decision,
            text: draft.text.clone(),
            selected,
            comments: draft.comments.clone(),
            remarks: draft.remarks.clone(),
            attachments: attached.into_iter().map(Attached::into_attachment).collect(),
            answered_at: now,
            answered_from: from,
            assurance,
            imported_at: None,
        })
    }

    /// What a call that stands for a request needs to know of it: where it stands, and its reply.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn standing(&self, request: RequestId) -> Result<Option<Standing>, StoreError> {
        let Some(stand) = Stand::read(&self.readers, request).await? else { return Ok(None) };
        let Stand { session_uuid, status, approval, kind, git, answer } = stand;
        let delivered = answer.as_ref().is_some_and(|answer| answer.row.delivered_at.is_some());
        let reply = match answer {
            None => None,
            Some(Answer { row, text, attached }) => Some(Reply {
                decision: row.decision,
                text,
                selected: row.selected.into_owned(),
                comments: row.comments.into_owned(),
                remarks: row.remarks.into_owned(),
                attachments: if attached { self.reply_attachments(request).await? } else { Vec::new() },
                answered_at: Timestamp(row.answered_at),
                answered_from: row.answered_from,
                assurance: row.assurance,
                imported_at: row.imported_at.map(Timestamp),
            }),
        };
        let digest = match &reply {
            None => None,
            Some(_) => self.digest(request).await?,
        };
        Ok(Some(Standing { session_uuid, status, approval, kind, delivered, reply, digest, git, receipt: None }))
    }

    /// What these messages of the person's answer; those that are gone are left out.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn answered_by(&self, messages: &[i64]) -> Result<Vec<ReplyMessage>, StoreError> {
        let messages = to_json(&messages)?;
        let found = sqlx::query!(
            r#"SELECT m.message_id, m.request_id, m.created_at,
                      EXISTS (SELECT 1 FROM notes n WHERE n.note_id = m.request_id) AS "note!: bool"
               FROM json_each(?1) wanted JOIN messages m ON m.message_id = wanted.value
               WHERE m.role = 'person'"#,
            messages,
        )
        .fetch_all(&self.readers)
        .await?;
        let found = found.into_iter().map(|row| {
            let request_id = (!row.note).then(|| row.request_id.parse().map_err(StoreError::Fault)).transpose()?;
            Ok(ReplyMessage { message_id: row.message_id, request_id, created_at: Timestamp(row.created_at) })
        });
        found.collect()
    }

    /// The digest of a request's question; absent where there is none, as for a note.
    ///
    /// # Errors
    /// When SQLite fails.
    async fn digest(&self, request: RequestId) -> Result<Option<Digest>, StoreError> {
        match Question::read(&self.readers, request).await? {
            Some(question) => digest_of(&question.row.ask).await.map(Some),
            None => Ok(None),
        }
    }

    /// The requests of a conversation whose replies no agent has heard yet, the oldest reply first. Those that ask for a
    /// permission aren't among them: nobody fetches an answer to these later.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn undelivered(&self, session: SessionUuid) -> Result<Vec<(RequestId, Timestamp)>, StoreError> {
        let session_uuid = session.to_string();
        let found = sqlx::query!(
            "SELECT q.request_id, r.answered_at FROM review_requests q JOIN replies r ON r.request_id = q.request_id
             WHERE q.session_uuid = ?1 AND r.delivered_at IS NULL AND q.permission IS NULL AND q.round IS NULL
             ORDER BY r.answered_at",
            session_uuid,
        )
        .fetch_all(&self.readers)
        .await?;
        let row = |id: &str, at| Ok((id.parse().map_err(StoreError::Fault)?, Timestamp(at)));
        found.iter().map(|found| row(&found.request_id, found.answered_at)).collect()
    }

    /// The requests that asked exactly this and whose replies, given since then, no agent has heard
    /// yet, the oldest reply first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn undelivered_to(&self, question: &str, since: Timestamp) -> Result<Vec<Undelivered>, StoreError> {
        let found = sqlx::query!(
            r#"SELECT q.request_id, q.session_uuid, s.relay,
                      EXISTS (SELECT 1 FROM calls c WHERE c.request_id = q.request_id AND c.gives_reply = 0)
                          AS "told_pending!: bool"
               FROM review_requests q
               JOIN replies r ON r.request_id = q.request_id
               JOIN conversations s ON s.session_uuid = q.session_uuid
               WHERE q.question = ?1 AND r.delivered_at IS NULL AND r.answered_at >= ?2
               ORDER BY r.answered_at"#,
            question,
            since.0,
        )
        .fetch_all(&self.readers)
        .await?;
        let undelivered = found.into_iter().map(|found| {
            Ok(Undelivered {
                request_id: found.request_id.parse().map_err(StoreError::Fault)?,
                session_uuid: found.session_uuid.parse().map_err(StoreError::Fault)?,
                relay: found.relay,
                told_pending: found.told_pending,
            })
        });
        undelivered.collect()
    }

    /// Notes that the agent has the result of this call. The call is forgotten: its name may come
    /// again for another question. Where the result was the reply, that is delivered now.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn mark_delivered(&self, call_key: &str, now: Timestamp) -> Result<(), StoreError> {
        // A call that only read has no row, and costs no write.
        let Some(request) = self.request_of_call(call_key).await? else { return Ok(()) };
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let delivered = sqlx::query!(
            "UPDATE replies SET delivered_at = ?2
             WHERE delivered_at IS NULL
               AND request_id = (SELECT request_id FROM calls WHERE call_key = ?1 AND gives_reply = 1)",
            call_key,
            now.0,
        )
        .execute(&mut *tx)
        .await?;
        // Calls over HTTP are never sent again under their keys; those that broke off go with this one.
        sqlx::query!(
            "DELETE FROM calls WHERE call_key = ?1
                OR (call_key GLOB 'http-*'
                    AND request_id = (SELECT request_id FROM calls WHERE call_key = ?1 AND gives_reply = 1))",
            call_key,
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        if delivered.rows_affected() > 0 {
            self.copy_delivery(request, now.0).await;
        }
        Ok(())
    }
}

async fn digest_of(ask: &Ask) -> Result<Digest, StoreError> {
    let asked = ask.permission.as_ref().map(|asked| &asked.input);
    let texts = [Some(&ask.message), ask.context.as_ref(), ask.diff.as_ref(), asked];
    if texts.into_iter().flatten().map(String::len).sum::<usize>() <= LARGE_BYTES {
        return Ok(Digest::of_question(ask)?);
    }
    let ask = ask.clone();
    let made = tokio::task::spawn_blocking(move || Digest::of_question(&ask)).await;
    Ok(made.map_err(|error| Fault::internal(error.to_string()))??)
}

fn changed_question(request: RequestId) -> Fault {
    Fault::new(
        Code::ChangedQuestion,
        format!("This isn't the question that was shown: request {request} asks something else now."),
        "Look at it again, and answer what it asks now. Nothing was sent; a draft is as it was.",
    )
}

fn not_pending(request: RequestId) -> Fault {
    Fault::new(
        Code::NotPending,
        format!(
            "Request {request} is no longer {}: it was answered, withdrawn or closed before.",
            RequestStatus::Pending.as_str()
        ),
        "Nothing was changed; what you wrote is kept as a draft.",
    )
}
