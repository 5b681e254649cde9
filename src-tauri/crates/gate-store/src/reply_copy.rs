//! The second copy of a committed reply, with all that makes it again from nothing: how it is read from
//! the database, compared with it, and put back into it.
//!
//! Knows what a line of the journal says, not how lines are kept.

use std::borrow::Cow;

use gate_core::{Attachment, Digest, Reply, RequestId, RequestStatus, Role, SessionStatus, Timestamp};
use sqlx::{Connection as _, SqliteConnection};

use crate::error::StoreError;
use crate::files;
use crate::journal::{AnswerCopy, AttachmentCopy, Entry, Index, Journal, ReplyCopy, RequestCopy};
use crate::json::to_json;
use crate::options::Voucher;
use crate::rows::{
    Attached, AttachmentRow, BlobRow, ConversationRow, MessageRow, Question, ReplyRow, RequestRow, Stand,
};
use crate::store::Store;

impl Store {
    /// Writes the second copy of a reply that was committed. A failure is logged: the reply itself is
    /// on disk.
    pub(crate) async fn copy_reply(&self, copy: ReplyCopy) {
        let request = copy.request.request_id;
        let written = async { copy.write(&mut *self.readers.acquire().await?, self.journal()).await };
        if let Err(error) = written.await {
            not_written(request, &error);
        }
    }

    /// As [`Store::copy_reply`], of what the database has.
    pub(crate) async fn copy_reply_again(&self, request: RequestId) {
        let read = async { ReplyCopy::read(&mut *self.readers.acquire().await?, request).await };
        match read.await {
            Ok(Some(copy)) => self.copy_reply(copy).await,
            Ok(None) => not_written(request, &StoreError::Unexpected("it has no reply".to_owned())),
            Err(error) => not_written(request, &error),
        }
    }

    /// Notes in the second copy that an agent has a reply. A failure is logged.
    pub(crate) async fn copy_delivery(&self, request_id: RequestId, at: i64) {
        if let Err(error) = self.journal().add(Entry::Delivered { request_id, at }, false).await {
            tracing::warn!(request = %request_id, %error, "the second copy could not note a delivery");
        }
    }
}

fn not_written(request: RequestId, error: &StoreError) {
    tracing::warn!(%request, %error, "the second copy of a reply could not be written");
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

impl Differences {
    /// Leaves out the replies of which the database has what was given here, while the journal has something else.
    ///
    /// # Errors
    /// When SQLite fails or the journal can't be read.
    pub(crate) async fn vouched(
        mut self,
        connection: &mut SqliteConnection,
        journal: &Journal,
        index: &Index,
        voucher: Option<&Voucher>,
    ) -> Result<Self, StoreError> {
        let Some(voucher) = voucher else { return Ok(self) };
        let mut kept = Vec::with_capacity(self.replies.len());
        for request in self.replies {
            // A row that can't be read is none.
            let stored = ReplyCopy::read(connection, request).await.ok().flatten();
            let stays = match (stored, journal.reply(index, request).await?) {
                (Some(stored), Some(copy)) => {
                    let voucher = voucher.clone();
                    let asked = move || stored.is_vouched(&voucher) && !copy.is_vouched(&voucher);
                    tokio::task::spawn_blocking(asked).await.unwrap_or_default()
                }
                _ => false,
            };
            if stays {
                tracing::warn!(%request, "the second copy has another reply than was given, and isn't believed");
            } else {
                kept.push(request);
            }
        }
        self.replies = kept;
        Ok(self)
    }
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
    /// The copy of a reply to a question.
    pub(crate) fn of(question: Question, reply: &ReplyRow<'_>, text: &str, attached: &[Attached]) -> Self {
        let RequestRow {
            request_id,
            ask,
            question: digest,
            created_at,
            // An answered request of its conversation, which nobody has put off.
            session_uuid: _,
            status: _,
            closed_at: _,
            snoozed_at: _,
            snoozed_until: _,
            ended: _,
        } = question.row;
        let ReplyRow {
            request_id: _,
            decision,
            selected,
            comments,
            remarks,
            answered_at,
            answered_from,
            assurance,
            // A line of its own says that.
            delivered_at: _,
            // What was imported has no second copy.
            imported_at: _,
        } = reply;
        let attachments = attached.iter().map(|Attached { row, .. }| AttachmentCopy {
            attachment_id: row.attachment_id,
            name: row.name.clone().into_owned(),
            mime_type: row.mime_type.clone().into_owned(),
            sha256: row.sha256.clone().into_owned(),
            created_at: row.created_at,
        });
        Self {
            conversation: question.beginning,
            request: RequestCopy {
                request_id,
                ask: ask.into_owned(),
                question: digest.map(Cow::into_owned),
                created_at,
            },
            reply: AnswerCopy {
                decision: *decision,
                text: text.to_owned(),
                selected: selected.to_vec(),
                comments: comments.to_vec(),
                remarks: remarks.to_vec(),
                answered_at: *answered_at,
                answered_from: *answered_from,
                assurance: Some(*assurance),
            },
            attachments: attachments.collect(),
        }
    }

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
        let Some(question) = Question::read(&mut *connection, request).await? else { return Ok(None) };
        let Some(Stand { status: RequestStatus::Answered, answer: Some(answer), .. }) =
            Stand::read(&mut *connection, request).await?
        else {
            return Ok(None);
        };
        let attached =
            if answer.attached { Attached::of_replies(connection, &to_json(&[request])?).await? } else { Vec::new() };
        Ok(Some(Self::of(question, &answer.row, &answer.text, &attached)))
    }

    /// Whether it was given here.
    fn is_vouched(&self, voucher: &Voucher) -> bool {
        let AnswerCopy { decision, text, selected, comments, remarks, answered_at, answered_from, assurance } =
            self.reply.clone();
        let contents: Option<Vec<Digest>> =
            self.attachments.iter().map(|attachment| attachment.sha256.parse().ok()).collect();
        let attachments = self.attachments.iter().map(|attachment| Attachment {
            attachment_id: attachment.attachment_id,
            name: attachment.name.clone(),
            mime_type: attachment.mime_type.clone(),
            size: 0,
        });
        let reply = Reply {
            decision,
            text,
            selected,
            comments,
            remarks,
            attachments: attachments.collect(),
            answered_at: Timestamp(answered_at),
            answered_from,
            assurance: assurance.unwrap_or_default(),
            imported_at: None,
        };
        contents.is_some_and(|contents| voucher.vouches(self.request.request_id, &reply, &contents))
    }

    /// Whether the database has the same reply to the same question, with the same files.
    async fn is_in(
        &self,
        connection: &mut SqliteConnection,
        journal: &Journal,
        index: &Index,
    ) -> Result<bool, StoreError> {
        let mut stored = match Self::read(connection, self.request.request_id).await {
            Ok(Some(stored)) => stored,
            Ok(None) => return Ok(false),
            // Text that isn't text, JSON that isn't JSON: not the same.
            Err(StoreError::Unexpected(_) | StoreError::Fault(_)) => return Ok(false),
            Err(StoreError::Sqlite(sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_))) => return Ok(false),
            Err(error) => return Err(error),
        };
        // A line of an earlier program says nothing of it.
        if self.reply.assurance.is_none() {
            stored.reply.assurance = None;
        }
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
        let Self { conversation, request, reply, attachments } = self;
        let (request_id, session_uuid) = (request.request_id, conversation.session_uuid);
        let missing = ConversationRow {
            beginning: conversation.clone(),
            status: SessionStatus::Timeout,
            updated_at: reply.answered_at,
            relay: None,
            owner: None,
        };
        missing.insert_missing(tx).await?;
        let answered = RequestRow {
            request_id,
            session_uuid,
            status: RequestStatus::Answered,
            ask: Cow::Borrowed(&request.ask),
            created_at: request.created_at,
            closed_at: Some(reply.answered_at),
            question: request.question.as_ref().map(Into::into),
            snoozed_at: None,
            snoozed_until: None,
            ended: None,
        };
        answered.put_back(tx).await?;
        for (role, body, created_at) in
            [(Role::Agent, &request.ask.message, request.created_at), (Role::Person, &reply.text, reply.answered_at)]
        {
            let message =
                MessageRow { session_uuid, request_id, role, body: body.into(), created_at, superseded_by: None };
            message.put_back(tx).await?;
        }
        let given = ReplyRow {
            request_id,
            decision: reply.decision,
            selected: (&reply.selected).into(),
            comments: (&reply.comments).into(),
            remarks: (&reply.remarks).into(),
            answered_at: reply.answered_at,
            answered_from: reply.answered_from,
            assurance: reply.assurance.unwrap_or(reply.answered_from.assurance()),
            delivered_at: None,
            imported_at: None,
        };
        given.put_back(tx).await?;
        for (position, attachment) in attachments.iter().enumerate() {
            attachment.put_back(tx, request_id, position, journal, index).await?;
        }
        let session_uuid = session_uuid.to_string();
        sqlx::query!(
            "UPDATE conversations SET updated_at = max(updated_at, ?2),
                 messages = (SELECT count(*) FROM messages WHERE session_uuid = ?1)
             WHERE session_uuid = ?1",
            session_uuid,
            reply.answered_at,
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
        request_id: RequestId,
        position: usize,
        journal: &Journal,
        index: &Index,
    ) -> Result<(), StoreError> {
        if !self.has_bytes(tx).await? {
            let Some(bytes) = journal.blob(index, &self.sha256).await? else {
                tracing::warn!(request = %request_id, name = self.name, "an attachment's bytes are lost");
                return Ok(());
            };
            BlobRow { sha256: &self.sha256, bytes: &bytes }.put_back(tx).await?;
        }
        let row = AttachmentRow {
            attachment_id: self.attachment_id,
            request_id,
            sha256: (&self.sha256).into(),
            name: (&self.name).into(),
            mime_type: (&self.mime_type).into(),
            position: Some(position),
            created_at: self.created_at,
        };
        row.put_back(tx).await
    }
}
