//! A committed reply with all that makes it again from nothing: how it is read from the database,
//! and put back into it.

use gate_core::{AnsweredFrom, Ask, AttachmentId, Decision, LineComment, Remark, RequestId, SessionUuid};
use serde::{Deserialize, Serialize};
use sqlx::{Connection as _, SqliteConnection};

use crate::error::StoreError;
use crate::files;
use crate::journal::{Entry, Index, Journal};
use crate::json::{from_json, to_json};
use crate::open::Store;

/// A reply, the question that it answers, and the conversation that both belong to. Times are
/// milliseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReplyCopy {
    conversation: ConversationCopy,
    request: RequestCopy,
    reply: AnswerCopy,
    attachments: Vec<AttachmentCopy>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ConversationCopy {
    session_uuid: SessionUuid,
    client: String,
    client_version: String,
    workspace: String,
    title: String,
    created_at: i64,
    transport: Option<String>,
    protocol_version: Option<String>,
    capabilities: Option<String>,
    token_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct RequestCopy {
    request_id: RequestId,
    ask: Ask,
    question: Option<String>,
    created_at: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct AnswerCopy {
    decision: Option<Decision>,
    text: String,
    selected: Vec<String>,
    comments: Vec<LineComment>,
    /// Absent in lines of earlier programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<Remark>,
    answered_at: i64,
    answered_from: AnsweredFrom,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct AttachmentCopy {
    attachment_id: AttachmentId,
    name: String,
    mime_type: String,
    sha256: String,
    created_at: i64,
}

impl Store {
    /// Writes the second copy of a reply that was committed. A failure is logged: the reply itself is
    /// on disk.
    pub(crate) async fn copy_reply(&self, request: RequestId) {
        if let Err(error) = self.try_copy_reply(request).await {
            tracing::warn!(%request, %error, "the second copy of a reply could not be written");
        }
    }

    async fn try_copy_reply(&self, request: RequestId) -> Result<(), StoreError> {
        let mut connection = self.readers.acquire().await?;
        let Some(copy) = ReplyCopy::read(&mut connection, request).await? else {
            return Err(StoreError::Unexpected(format!("request {request} has no reply")));
        };
        copy.write(&mut connection, self.journal()).await
    }

    /// Notes in the second copy that an agent has a reply. A failure is logged.
    pub(crate) async fn copy_delivery(&self, request_id: RequestId, at: i64) {
        if let Err(error) = self.journal().add(Entry::Delivered { request_id, at }, false).await {
            tracing::warn!(request = %request_id, %error, "the second copy could not note a delivery");
        }
    }
}

/// What of the journal isn't in the database as it should be.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    /// Replies that are missing or not the same.
    pub(crate) replies: Vec<RequestId>,
    /// Replies that an agent has, although the database doesn't know that.
    deliveries: Vec<RequestId>,
}

/// Compares the database with the journal.
///
/// # Errors
/// When SQLite fails, or the journal can't be read.
pub(crate) async fn differences(
    connection: &mut SqliteConnection,
    journal: &Journal,
    index: &Index,
) -> Result<Differences, StoreError> {
    let mut found = Differences::default();
    for request in index.requests() {
        // A line that was whole a moment ago and can't be read now says nothing.
        let Some(copy) = journal.reply(index, request).await? else { continue };
        if !copy.is_in(connection, journal, index).await? {
            found.replies.push(request);
        } else if index.delivered.contains_key(&request) && !is_delivered(connection, request).await? {
            found.deliveries.push(request);
        }
    }
    Ok(found)
}

/// Makes the database hold what the journal holds, in one transaction; returns how many replies
/// were put back.
///
/// # Errors
/// When SQLite fails or the journal can't be read; nothing is changed then.
pub(crate) async fn put_back(
    connection: &mut SqliteConnection,
    journal: &Journal,
    index: &Index,
    differences: &Differences,
) -> Result<u64, StoreError> {
    if differences.replies.is_empty() && differences.deliveries.is_empty() {
        return Ok(0);
    }
    let mut tx = connection.begin().await?;
    let mut count = 0;
    for request in &differences.replies {
        let Some(copy) = journal.reply(index, *request).await? else { continue };
        copy.put_back(&mut tx, journal, index).await?;
        count += 1;
    }
    for request in differences.replies.iter().chain(&differences.deliveries) {
        let Some(at) = index.delivered.get(request) else { continue };
        let request_id = request.to_string();
        sqlx::query!(
            "UPDATE replies SET delivered_at = ?2 WHERE request_id = ?1 AND delivered_at IS NULL",
            request_id,
            at,
        )
        .execute(&mut *tx)
        .await?;
    }
    tx.commit().await?;
    Ok(count)
}

async fn is_delivered(connection: &mut SqliteConnection, request: RequestId) -> Result<bool, StoreError> {
    let request_id = request.to_string();
    let at = sqlx::query_scalar!("SELECT delivered_at FROM replies WHERE request_id = ?1", request_id)
        .fetch_optional(connection)
        .await?;
    Ok(at.flatten().is_some())
}

/// Some bytes that a row has with their right size, which listings tell.
async fn blob(connection: &mut SqliteConnection, sha256: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let bytes = sqlx::query_scalar!("SELECT bytes FROM blobs WHERE sha256 = ?1 AND size = length(bytes)", sha256)
        .fetch_optional(connection)
        .await?;
    Ok(bytes)
}

impl ReplyCopy {
    /// Writes it to the journal, after the bytes of its files.
    pub(crate) async fn write(self, connection: &mut SqliteConnection, journal: &Journal) -> Result<(), StoreError> {
        for attachment in &self.attachments {
            if !journal.holds(&attachment.sha256)
                && let Some(bytes) = blob(connection, &attachment.sha256).await?
            {
                journal.add_blob(attachment.sha256.clone(), bytes).await?;
            }
        }
        journal.add(Entry::Reply(Box::new(self)), true).await
    }

    /// The reply to a request as the database has it; absent where there is none.
    pub(crate) async fn read(
        connection: &mut SqliteConnection,
        request: RequestId,
    ) -> Result<Option<Self>, StoreError> {
        let id = request.to_string();
        let row = sqlx::query!(
            r#"SELECT c.session_uuid, c.client, c.client_version, c.workspace, c.title AS headline,
                      c.created_at AS began_at, c.transport, c.protocol_version, c.capabilities, c.token_name,
                      q.title, q.context, q.urgent, q.options, q.allow_multiple, q.approval, q.diff, q.created_at,
                      q.question, asked.body AS message, r.decision, r.selected, r.comments, r.remarks, r.answered_at,
                      r.answered_from, said.body AS text
               FROM review_requests q
               JOIN conversations c ON c.session_uuid = q.session_uuid
               JOIN messages asked ON asked.request_id = q.request_id AND asked.role = 'agent'
               JOIN messages said ON said.request_id = q.request_id AND said.role = 'person'
               JOIN replies r ON r.request_id = q.request_id
               WHERE q.request_id = ?1 AND q.status = 'answered'"#,
            id,
        )
        .fetch_optional(&mut *connection)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let attached = sqlx::query!(
            "SELECT attachment_id, name, mime_type, sha256, created_at FROM attachments
             WHERE request_id = ?1 AND position IS NOT NULL ORDER BY position",
            id,
        )
        .fetch_all(connection)
        .await?;
        let attachments = attached.into_iter().map(|row| {
            let attachment_id = row.attachment_id.parse()?;
            let (name, mime_type, sha256, created_at) = (row.name, row.mime_type, row.sha256, row.created_at);
            Ok(AttachmentCopy { attachment_id, name, mime_type, sha256, created_at })
        });
        let unexpected = |what: &str| StoreError::Unexpected(format!("{what} of request {request}"));
        Ok(Some(Self {
            conversation: ConversationCopy {
                session_uuid: row.session_uuid.parse()?,
                client: row.client,
                client_version: row.client_version,
                workspace: row.workspace,
                title: row.headline,
                created_at: row.began_at,
                transport: row.transport,
                protocol_version: row.protocol_version,
                capabilities: row.capabilities,
                token_name: row.token_name,
            },
            request: RequestCopy {
                request_id: request,
                ask: Ask {
                    message: row.message,
                    title: row.title,
                    context: row.context,
                    urgent: row.urgent != 0,
                    options: from_json(&row.options)?,
                    allow_multiple: row.allow_multiple != 0,
                    approval: row.approval != 0,
                    diff: row.diff,
                },
                question: row.question,
                created_at: row.created_at,
            },
            reply: AnswerCopy {
                decision: match row.decision.as_deref() {
                    None => None,
                    Some(text) => Some(Decision::parse(text).ok_or_else(|| unexpected("decision"))?),
                },
                text: row.text,
                selected: from_json(&row.selected)?,
                comments: from_json(&row.comments)?,
                remarks: from_json(&row.remarks)?,
                answered_at: row.answered_at,
                answered_from: AnsweredFrom::parse(&row.answered_from).ok_or_else(|| unexpected("origin"))?,
            },
            attachments: attachments.collect::<Result<_, StoreError>>()?,
        }))
    }

    /// Whether the database has the same reply to the same question, with the same files.
    async fn is_in(
        &self,
        connection: &mut SqliteConnection,
        journal: &Journal,
        index: &Index,
    ) -> Result<bool, StoreError> {
        let stored = match Self::read(connection, self.request.request_id).await {
            Ok(Some(stored)) => stored,
            Ok(None) => return Ok(false),
            // Text that isn't text, JSON that isn't JSON: not the same.
            Err(StoreError::Unexpected(_) | StoreError::Fault(_)) => return Ok(false),
            Err(StoreError::Sqlite(sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_))) => return Ok(false),
            Err(error) => return Err(error),
        };
        let same = stored.request == self.request
            && stored.reply == self.reply
            && stored.conversation.session_uuid == self.conversation.session_uuid;
        if !same {
            return Ok(false);
        }
        for attachment in &self.attachments {
            let whole = attachment.is_found(connection).await? && attachment.has_bytes(connection).await?;
            if whole && stored.attachments.contains(attachment) {
                continue;
            }
            // Bytes that are nowhere can't be put back.
            let wanted =
                attachment.has_bytes(connection).await? || journal.blob(index, &attachment.sha256).await?.is_some();
            if wanted {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn put_back(&self, tx: &mut SqliteConnection, journal: &Journal, index: &Index) -> Result<(), StoreError> {
        self.put_back_question(tx).await?;
        let (request_id, answered_at) = (self.request.request_id.to_string(), self.reply.answered_at);
        let session_uuid = self.conversation.session_uuid.to_string();
        self.put_back_message(tx, "person", &self.reply.text, answered_at).await?;
        let decision = self.reply.decision.map(Decision::as_str);
        let origin = self.reply.answered_from.as_str();
        let (selected, comments) = (to_json(&self.reply.selected)?, to_json(&self.reply.comments)?);
        let remarks = to_json(&self.reply.remarks)?;
        sqlx::query!(
            "INSERT INTO replies (request_id, decision, selected, comments, answered_at, answered_from, remarks)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (request_id) DO UPDATE SET decision = excluded.decision, selected = excluded.selected,
                 comments = excluded.comments, answered_at = excluded.answered_at,
                 answered_from = excluded.answered_from, remarks = excluded.remarks",
            request_id,
            decision,
            selected,
            comments,
            answered_at,
            origin,
            remarks,
        )
        .execute(&mut *tx)
        .await?;
        for (position, attachment) in self.attachments.iter().enumerate() {
            attachment.put_back(tx, &request_id, position, journal, index).await?;
        }
        sqlx::query!(
            "UPDATE conversations SET updated_at = max(updated_at, ?2),
                 messages = (SELECT count(*) FROM messages WHERE session_uuid = ?1)
             WHERE session_uuid = ?1",
            session_uuid,
            answered_at,
        )
        .execute(tx)
        .await?;
        Ok(())
    }

    /// The conversation where it is missing, and the question, answered.
    async fn put_back_question(&self, tx: &mut SqliteConnection) -> Result<(), StoreError> {
        let (conversation, request, ask) = (&self.conversation, &self.request, &self.request.ask);
        let (session_uuid, request_id) = (conversation.session_uuid.to_string(), request.request_id.to_string());
        sqlx::query!(
            "INSERT INTO conversations (session_uuid, client, client_version, workspace, status, created_at, updated_at,
                                        transport, protocol_version, capabilities, token_name, title)
             VALUES (?1, ?2, ?3, ?4, 'timeout', ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT (session_uuid) DO NOTHING",
            session_uuid,
            conversation.client,
            conversation.client_version,
            conversation.workspace,
            conversation.created_at,
            self.reply.answered_at,
            conversation.transport,
            conversation.protocol_version,
            conversation.capabilities,
            conversation.token_name,
            conversation.title,
        )
        .execute(&mut *tx)
        .await?;
        let options = to_json(&ask.options)?;
        sqlx::query!(
            "INSERT INTO review_requests (request_id, session_uuid, status, title, context, urgent, options,
                                          allow_multiple, approval, diff, created_at, closed_at, question)
             VALUES (?1, ?2, 'answered', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
             ON CONFLICT (request_id) DO UPDATE SET session_uuid = excluded.session_uuid, status = 'answered',
                 title = excluded.title, context = excluded.context, urgent = excluded.urgent,
                 options = excluded.options, allow_multiple = excluded.allow_multiple,
                 approval = excluded.approval, diff = excluded.diff, created_at = excluded.created_at,
                 closed_at = excluded.closed_at, question = excluded.question",
            request_id,
            session_uuid,
            ask.title,
            ask.context,
            ask.urgent,
            options,
            ask.allow_multiple,
            ask.approval,
            ask.diff,
            request.created_at,
            self.reply.answered_at,
            request.question,
        )
        .execute(&mut *tx)
        .await?;
        self.put_back_message(tx, "agent", &ask.message, request.created_at).await
    }

    async fn put_back_message(
        &self,
        tx: &mut SqliteConnection,
        role: &str,
        body: &str,
        created_at: i64,
    ) -> Result<(), StoreError> {
        let (session_uuid, request_id) =
            (self.conversation.session_uuid.to_string(), self.request.request_id.to_string());
        sqlx::query!(
            "INSERT INTO messages (session_uuid, request_id, role, body, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (request_id, role) DO UPDATE SET session_uuid = excluded.session_uuid, body = excluded.body,
                 created_at = excluded.created_at",
            session_uuid,
            request_id,
            role,
            body,
            created_at,
        )
        .execute(tx)
        .await?;
        Ok(())
    }
}

impl AttachmentCopy {
    /// Whether it is found by its identifier, as an agent looks for it: by another index than its
    /// request's.
    async fn is_found(&self, connection: &mut SqliteConnection) -> Result<bool, StoreError> {
        let id = self.attachment_id.to_string();
        let found = sqlx::query_scalar!("SELECT count(*) FROM attachments WHERE attachment_id = ?1", id)
            .fetch_one(connection)
            .await?;
        Ok(found == 1)
    }

    /// Whether the database has its bytes, as they were.
    async fn has_bytes(&self, connection: &mut SqliteConnection) -> Result<bool, StoreError> {
        let bytes = blob(connection, &self.sha256).await?;
        Ok(bytes.is_some_and(|bytes| files::sha256(&bytes) == self.sha256))
    }

    /// Puts back a file of a reply. One whose bytes are neither in the database nor in the journal is
    /// left out: the rest of the reply is worth more than its listing.
    async fn put_back(
        &self,
        tx: &mut SqliteConnection,
        request_id: &str,
        position: usize,
        journal: &Journal,
        index: &Index,
    ) -> Result<(), StoreError> {
        if !self.has_bytes(tx).await? {
            let Some(bytes) = journal.blob(index, &self.sha256).await? else {
                tracing::warn!(request = request_id, name = self.name, "an attachment's bytes are lost");
                return Ok(());
            };
            let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
            sqlx::query!(
                "INSERT INTO blobs (sha256, size, bytes) VALUES (?1, ?2, ?3)
                 ON CONFLICT (sha256) DO UPDATE SET size = excluded.size, bytes = excluded.bytes",
                self.sha256,
                size,
                bytes,
            )
            .execute(&mut *tx)
            .await?;
        }
        let attachment_id = self.attachment_id.to_string();
        let position = i64::try_from(position).unwrap_or(i64::MAX);
        sqlx::query!(
            "INSERT INTO attachments (attachment_id, request_id, sha256, name, mime_type, position, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (attachment_id) DO UPDATE SET request_id = excluded.request_id, sha256 = excluded.sha256,
                 name = excluded.name, mime_type = excluded.mime_type, position = excluded.position,
                 created_at = excluded.created_at",
            attachment_id,
            request_id,
            self.sha256,
            self.name,
            self.mime_type,
            position,
            self.created_at,
        )
        .execute(tx)
        .await?;
        Ok(())
    }
}
