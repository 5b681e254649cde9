//! Conversations out of the record and into another one.

use std::borrow::Cow;
use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_core::export::{Entry, ExportedAttachment, ExportedCheckpoint, ExportedConversation, ExportedRestore, Said};
use gate_core::{Code, Fault, NoteId, RequestId, RequestStatus, Role, SessionStatus, SessionUuid, Timestamp, Visible};
use sqlx::Connection;
use sqlx::{Sqlite, Transaction};

use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::rows::{Beginning, CheckpointRow, ConversationRow, MessageRow, Question, ReplyRow, RequestRow, RestoreRow};
use crate::store::Store;
use crate::tables::attachments;
use crate::tables::notes;
use crate::tables::progress;

/// What came of importing a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imported {
    /// It is in the record now, with so many messages.
    New(u64),
    /// The record has a conversation of this identifier, which was left as it is.
    Known,
}

impl Store {
    /// A page of all conversations' identifiers in the order in which they began.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn sessions_after(&self, after: Option<SessionUuid>, most: u32) -> Result<Vec<SessionUuid>, StoreError> {
        let after = after.map_or_else(String::new, |after| after.to_string());
        let found = sqlx::query_scalar!(
            "SELECT session_uuid FROM conversations WHERE session_uuid > ?1 ORDER BY session_uuid LIMIT ?2",
            after,
            most,
        )
        .fetch_all(&self.readers)
        .await?;
        found.iter().map(|id| id.parse().map_err(StoreError::Fault)).collect()
    }

    /// A conversation with everything that was said in it; absent when there is none.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn export(&self, session: SessionUuid) -> Result<Option<ExportedConversation>, StoreError> {
        let Some(stored) = self.session(session).await? else { return Ok(None) };
        let session_uuid = session.to_string();
        let row = sqlx::query!("SELECT capabilities, visible FROM conversations WHERE session_uuid = ?1", session_uuid)
            .fetch_one(&self.readers)
            .await?;
        let mut messages = Vec::new();
        let mut older = None;
        loop {
            let page = self.messages(session, older, true).await?;
            messages.push(page.items);
            older = page.next;
            if older.is_none() {
                break;
            }
        }
        let mut entries = Vec::new();
        let mut numbers = Vec::new();
        let restored_by = self.superseding(&session_uuid).await?;
        for message in messages.into_iter().rev().flatten() {
            numbers.push(message.message_id);
            let said = match message.role {
                Role::Agent => self.asked(message.request_id).await?,
                Role::Person if message.note => {
                    let delivered_at = self.note_delivered_at(message.request_id).await?;
                    Said::Note { text: message.text, delivered_at }
                }
                Role::Person => {
                    let delivered_at = self.delivered_at(message.request_id).await?;
                    let mut attachments = Vec::with_capacity(message.attachments.len());
                    for attachment in message.attachments {
                        let bytes = self.attachment_bytes(attachment.attachment_id).await?.unwrap_or_default();
                        attachments.push(ExportedAttachment { attachment, data: STANDARD.encode(bytes) });
                    }
                    Said::Person {
                        text: message.text,
                        decision: message.decision,
                        selected: message.selected,
                        comments: message.comments,
                        remarks: message.remarks,
                        attachments,
                        answered_from: message.answered_from.unwrap_or(gate_core::AnsweredFrom::Script),
                        assurance: message.assurance.unwrap_or_default(),
                        delivered_at,
                        permission: message.permission,
                    }
                }
            };
            entries.push(Entry {
                request_id: message.request_id,
                created_at: message.created_at,
                superseded_by: restored_by.get(&message.message_id).copied(),
                said,
            });
        }
        let entry_of = |message: i64| -> i64 {
            i64::try_from(numbers.partition_point(|number| *number <= message)).unwrap_or(i64::MAX)
        };
        let visible: Option<Visible> = row.visible.as_deref().map(from_json).transpose()?;
        Ok(Some(ExportedConversation {
            conversation: stored.conversation,
            transport: stored.transport,
            protocol_version: stored.protocol_version,
            capabilities: row.capabilities,
            entries,
            visible: visible.map(|visible| visible.renumbered(entry_of)),
            checkpoints: self.exported_checkpoints(&session_uuid, entry_of).await?,
            restores: self.exported_restores(&session_uuid, entry_of).await?,
        }))
    }

    async fn asked(&self, request: RequestId) -> Result<Said, StoreError> {
        let stored = Question::read(&self.readers, request)
            .await?
            .ok_or_else(|| StoreError::Unexpected(format!("request {request} went while it was read")))?;
        let RequestRow { ask, status, closed_at, ended, .. } = stored.row;
        Ok(Said::Agent { ask: Box::new(ask.into_owned()), status, closed_at: closed_at.map(Timestamp), ended })
    }

    async fn delivered_at(&self, request: RequestId) -> Result<Option<Timestamp>, StoreError> {
        let request_id = request.to_string();
        let at = sqlx::query_scalar!("SELECT delivered_at FROM replies WHERE request_id = ?1", request_id)
            .fetch_optional(&self.readers)
            .await?;
        Ok(at.flatten().map(Timestamp))
    }

    async fn note_delivered_at(&self, note: RequestId) -> Result<Option<Timestamp>, StoreError> {
        let note_id = note.to_string();
        let at = sqlx::query_scalar!("SELECT delivered_at FROM notes WHERE note_id = ?1", note_id)
            .fetch_optional(&self.readers)
            .await?;
        Ok(at.flatten().map(Timestamp))
    }

    async fn superseding(&self, session_uuid: &str) -> Result<HashMap<i64, gate_core::RestoreId>, StoreError> {
        let rows = sqlx::query!(
            r#"SELECT message_id, superseded_by AS "superseded_by!" FROM messages
               WHERE session_uuid = ?1 AND superseded_by IS NOT NULL"#,
            session_uuid,
        )
        .fetch_all(&self.readers)
        .await?;
        rows.into_iter().map(|row| Ok((row.message_id, row.superseded_by.parse()?))).collect()
    }

    async fn exported_checkpoints(
        &self,
        session_uuid: &str,
        entry_of: impl Fn(i64) -> i64,
    ) -> Result<Vec<ExportedCheckpoint>, StoreError> {
        let rows = CheckpointRow::of(&self.readers, session_uuid, true).await?;
        let mut exported = Vec::with_capacity(rows.len());
        for row in rows {
            let visible: Visible = from_json(&row.visible)?;
            exported.push(ExportedCheckpoint {
                after_entries: u64::try_from(entry_of(row.message_id)).unwrap_or(0),
                checkpoint: row.into_checkpoint()?,
                visible: visible.renumbered(&entry_of),
            });
        }
        Ok(exported)
    }

    async fn exported_restores(
        &self,
        session_uuid: &str,
        entry_of: impl Fn(i64) -> i64,
    ) -> Result<Vec<ExportedRestore>, StoreError> {
        let rows = RestoreRow::of(&self.readers, session_uuid).await?;
        let restores = rows.into_iter().map(|row| {
            let visible: Option<Visible> = row.visible_before.as_deref().map(from_json).transpose()?;
            Ok(ExportedRestore {
                restore_id: row.restore_id.parse()?,
                checkpoint_id: row.checkpoint_id.parse()?,
                superseded: u64::try_from(row.superseded).unwrap_or(0),
                visible_before: visible.map(|visible| visible.renumbered(&entry_of)),
                progress_before: row.progress_before.as_deref().map(from_json).transpose()?,
                restored_at: Timestamp(row.restored_at),
                undone_at: row.undone_at.map(Timestamp),
            })
        });
        restores.collect()
    }

    /// Stores a conversation of another record, whole or not at all. A request that was pending there
    /// is `expired` here, since its agent is elsewhere, and an active session is `completed`. Nothing
    /// in it is later than `now`.
    ///
    /// # Errors
    /// `invalid_input` where the conversation contradicts itself or claims identifiers of another one;
    /// `too_large` and `too_many` where it breaks a bound; or when SQLite fails.
    pub async fn import(&self, exported: &ExportedConversation, now: Timestamp) -> Result<Imported, StoreError> {
        if self.session_exists(exported.conversation.session_uuid).await? {
            return Ok(Imported::Known);
        }
        exported.check().map_err(|fault| refused(exported, &fault))?;
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        import_into(&mut tx, exported, now).await.map_err(|error| contradicting(exported, error))?;
        tx.commit().await.map_err(|error| contradicting(exported, error.into()))?;
        Ok(Imported::New(exported.entries.len() as u64))
    }
}

/// A failure of SQLite's that only the conversation can have caused, as that.
fn contradicting(exported: &ExportedConversation, error: StoreError) -> StoreError {
    let why = match &error {
        StoreError::Sqlite(sqlx::Error::Database(cause)) if cause.is_unique_violation() => {
            "it holds identifiers that the record has elsewhere"
        }
        StoreError::Sqlite(sqlx::Error::Database(cause)) if cause.is_foreign_key_violation() => {
            "it names what it doesn't hold"
        }
        StoreError::Sqlite(sqlx::Error::Database(cause)) if cause.is_check_violation() => {
            "it holds values that no record has"
        }
        _ => return error,
    };
    contradiction(exported, why).into()
}

/// A broken bound, with the conversation that breaks it.
fn refused(exported: &ExportedConversation, fault: &Fault) -> Fault {
    let session = exported.conversation.session_uuid;
    Fault::new(fault.code, format!("Conversation {session} can't be imported: {}", fault.message), &fault.mend)
}

type Tx<'c> = Transaction<'c, Sqlite>;

async fn import_into(tx: &mut Tx<'_>, exported: &ExportedConversation, now: Timestamp) -> Result<(), StoreError> {
    // Restores and the messages that they supersede point to one another's rows.
    sqlx::query("PRAGMA defer_foreign_keys = ON").execute(&mut **tx).await?;
    let conversation = &exported.conversation;
    // A time to come would stand first in every list, and never be old.
    let (created_at, updated_at) = (conversation.created_at.min(now), conversation.updated_at.min(now));
    let row = ConversationRow {
        beginning: Beginning {
            session_uuid: conversation.session_uuid,
            client: (&conversation.client).into(),
            client_version: (&conversation.client_version).into(),
            workspace: (&conversation.workspace).into(),
            title: (&conversation.title).into(),
            created_at: created_at.0,
            transport: exported.transport.as_ref().map(Into::into),
            protocol_version: exported.protocol_version.as_ref().map(Into::into),
            capabilities: exported.capabilities.as_ref().map(Into::into),
            // Tokens are this gate's own.
            token_name: None,
        },
        status: match conversation.status {
            SessionStatus::Active => SessionStatus::Completed,
            other => other,
        },
        updated_at: updated_at.0,
        relay: None,
        // So are owners.
        owner: None,
    };
    row.insert(tx).await?;
    let mut numbers = vec![0];
    for entry in &exported.entries {
        numbers.push(import_entry(tx, conversation.session_uuid, entry, now).await?);
    }
    let message_of = |entry: i64| -> i64 {
        let at = usize::try_from(entry).unwrap_or(0).min(numbers.len().saturating_sub(1));
        numbers.get(at).copied().unwrap_or(0)
    };
    let session_uuid = conversation.session_uuid.to_string();
    for stored in &exported.checkpoints {
        let checkpoint = &stored.checkpoint;
        let row = CheckpointRow {
            checkpoint_id: checkpoint.checkpoint_id.to_string(),
            session_uuid: session_uuid.clone(),
            name: checkpoint.name.clone(),
            description: checkpoint.description.clone(),
            message_id: message_of(i64::try_from(stored.after_entries).unwrap_or(i64::MAX)),
            messages: i64::try_from(checkpoint.messages).unwrap_or(i64::MAX),
            visible: to_json(&stored.visible.renumbered(message_of))?,
            progress: checkpoint.progress.as_ref().map(to_json).transpose()?,
            call_key: None,
            created_at: checkpoint.created_at.0,
        };
        row.insert(tx).await?;
    }
    for restore in &exported.restores {
        let visible = restore.visible_before.as_ref().map(|visible| to_json(&visible.renumbered(message_of)));
        let row = RestoreRow {
            restore_id: restore.restore_id.to_string(),
            session_uuid: session_uuid.clone(),
            checkpoint_id: restore.checkpoint_id.to_string(),
            superseded: i64::try_from(restore.superseded).unwrap_or(i64::MAX),
            visible_before: visible.transpose()?,
            progress_before: restore.progress_before.as_ref().map(to_json).transpose()?,
            call_key: None,
            restored_at: restore.restored_at.0,
            undone_at: restore.undone_at.map(|at| at.0),
        };
        row.insert(tx).await?;
    }
    if let Some(progress) = &conversation.progress {
        progress::write(&mut **tx, conversation.session_uuid, progress).await?;
    }
    let visible = exported.visible.as_ref().map(|visible| to_json(&visible.renumbered(message_of))).transpose()?;
    sqlx::query!(
        "UPDATE conversations SET updated_at = ?2, visible = ?3 WHERE session_uuid = ?1",
        session_uuid,
        updated_at.0,
        visible,
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Stores one entry and returns its message's number.
async fn import_entry(
    tx: &mut Tx<'_>,
    session_uuid: SessionUuid,
    entry: &Entry,
    now: Timestamp,
) -> Result<i64, StoreError> {
    let request_id = entry.request_id;
    let (role, body) = match &entry.said {
        Said::Agent { ask, status, closed_at, ended } => {
            let (status, closed_at) = match *status {
                RequestStatus::Pending => (RequestStatus::Expired, closed_at.or(Some(entry.created_at))),
                // Answered needs a reply, which `ExportedConversation::check` has looked for.
                other => (other, *closed_at),
            };
            let row = RequestRow {
                request_id,
                session_uuid,
                status,
                ask: Cow::Borrowed(ask),
                created_at: entry.created_at.0,
                closed_at: closed_at.map(|at| at.0),
                // Nobody here asks it again, and nobody has put it off.
                question: None,
                snoozed_at: None,
                snoozed_until: None,
                ended: ended.filter(|_| ask.permission.is_some() && status != RequestStatus::Answered),
            };
            row.insert(tx).await?;
            (Role::Agent, &ask.message)
        }
        Said::Person {
            text,
            decision,
            selected,
            comments,
            remarks,
            attachments,
            answered_from,
            assurance,
            delivered_at,
            permission: _,
        } => {
            let row = ReplyRow {
                request_id,
                decision: *decision,
                selected: selected.into(),
                comments: comments.into(),
                remarks: remarks.into(),
                answered_at: entry.created_at.0,
                answered_from: *answered_from,
                assurance: *assurance,
                // Nobody here waits for it, and nobody ever gets it as a reply.
                delivered_at: Some(delivered_at.unwrap_or(entry.created_at).0),
                imported_at: Some(now.0),
            };
            row.insert(tx).await?;
            for (position, attachment) in attachments.iter().enumerate() {
                import_attachment(tx, entry, position, attachment).await?;
            }
            (Role::Person, text)
        }
        Said::Note { text, delivered_at } => {
            // Nobody here waits for it.
            let delivered_at = Some(delivered_at.unwrap_or(entry.created_at));
            notes::place(tx, session_uuid, NoteId(request_id.0), entry.created_at, delivered_at, None).await?;
            (Role::Person, text)
        }
    };
    let (created_at, superseded_by) = (entry.created_at.0, entry.superseded_by);
    let message = MessageRow { session_uuid, request_id, role, body: body.into(), created_at, superseded_by };
    message.insert(tx).await
}

async fn import_attachment(
    tx: &mut Tx<'_>,
    entry: &Entry,
    position: usize,
    exported: &ExportedAttachment,
) -> Result<(), StoreError> {
    let (request, name) = (entry.request_id, &exported.attachment.name);
    let bytes = STANDARD.decode(&exported.data).map_err(|error| {
        Fault::new(
            Code::InvalidInput,
            format!("The attachment {name:?} of request {request} is not base64: {error}."),
            "Export the record again.",
        )
    })?;
    let stored = attachments::Stored {
        id: exported.attachment.attachment_id,
        request,
        name: attachments::file_name(name),
        bytes: &bytes,
        position: Some(position),
        at: entry.created_at,
    };
    stored.insert(tx).await?;
    Ok(())
}

fn contradiction(exported: &ExportedConversation, why: &str) -> Fault {
    Fault::new(
        Code::InvalidInput,
        format!("Conversation {} can't be imported: {why}.", exported.conversation.session_uuid),
        "Export it again; the other conversations in the file are not held up by it.",
    )
}
