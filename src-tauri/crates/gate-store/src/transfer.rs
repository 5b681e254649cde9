//! Conversations out of the record and into another one.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_core::export::{Entry, ExportedAttachment, ExportedCheckpoint, ExportedConversation, ExportedRestore, Said};
use gate_core::{Code, Fault, RequestId, RequestStatus, Role, SessionStatus, SessionUuid, Timestamp, Visible};
use sqlx::Connection;
use sqlx::{Sqlite, Transaction};

use crate::checkpoints::CheckpointRow;
use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::notes;
use crate::open::Store;
use crate::progress;

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
                        delivered_at,
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
        let stored = self.request(request).await?;
        let times = self.times(request).await?;
        let (stored, times) = stored
            .zip(times)
            .ok_or_else(|| StoreError::Unexpected(format!("request {request} went while it was read")))?;
        Ok(Said::Agent { ask: Box::new(stored.ask), status: stored.status, closed_at: times.closed_at })
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
        let rows = sqlx::query_as!(
            CheckpointRow,
            "SELECT checkpoint_id, name, description, message_id, messages, visible, progress, created_at
             FROM checkpoints WHERE session_uuid = ?1 ORDER BY created_at, checkpoint_id",
            session_uuid,
        )
        .fetch_all(&self.readers)
        .await?;
        let mut exported = Vec::with_capacity(rows.len());
        for row in rows {
            let visible: Visible = from_json(&row.visible)?;
            let stored = row.into_stored()?;
            exported.push(ExportedCheckpoint {
                after_entries: u64::try_from(entry_of(stored.after_message)).unwrap_or(0),
                checkpoint: stored.checkpoint,
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
        let rows = sqlx::query!(
            "SELECT restore_id, checkpoint_id, superseded, visible_before, progress_before, restored_at, undone_at
             FROM restores WHERE session_uuid = ?1 ORDER BY restored_at, restore_id",
            session_uuid,
        )
        .fetch_all(&self.readers)
        .await?;
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
    let session_uuid = conversation.session_uuid.to_string();
    let status = match conversation.status {
        SessionStatus::Active => SessionStatus::Completed,
        other => other,
    };
    let status = status.as_str();
    // A time to come would stand first in every list, and never be old.
    let (created_at, updated_at) = (conversation.created_at.min(now), conversation.updated_at.min(now));
    sqlx::query!(
        "INSERT INTO conversations (session_uuid, client, client_version, workspace, status, created_at, updated_at,
                                    transport, protocol_version, capabilities, title)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        session_uuid,
        conversation.client,
        conversation.client_version,
        conversation.workspace,
        status,
        created_at.0,
        updated_at.0,
        exported.transport,
        exported.protocol_version,
        exported.capabilities,
        conversation.title,
    )
    .execute(&mut **tx)
    .await?;
    let mut numbers = vec![0];
    for entry in &exported.entries {
        numbers.push(import_entry(tx, &session_uuid, entry).await?);
    }
    let message_of = |entry: i64| -> i64 {
        let at = usize::try_from(entry).unwrap_or(0).min(numbers.len().saturating_sub(1));
        numbers.get(at).copied().unwrap_or(0)
    };
    for stored in &exported.checkpoints {
        let checkpoint = &stored.checkpoint;
        let checkpoint_id = checkpoint.checkpoint_id.to_string();
        let message_id = message_of(i64::try_from(stored.after_entries).unwrap_or(i64::MAX));
        let messages = i64::try_from(checkpoint.messages).unwrap_or(i64::MAX);
        let visible = to_json(&stored.visible.renumbered(message_of))?;
        let progress = checkpoint.progress.as_ref().map(to_json).transpose()?;
        sqlx::query!(
            "INSERT INTO checkpoints (checkpoint_id, session_uuid, name, description, message_id, messages, visible,
                                      progress, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            checkpoint_id,
            session_uuid,
            checkpoint.name,
            checkpoint.description,
            message_id,
            messages,
            visible,
            progress,
            checkpoint.created_at.0,
        )
        .execute(&mut **tx)
        .await?;
    }
    for restore in &exported.restores {
        import_restore(tx, &session_uuid, restore, message_of).await?;
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

async fn import_restore(
    tx: &mut Tx<'_>,
    session_uuid: &str,
    restore: &ExportedRestore,
    message_of: impl Fn(i64) -> i64,
) -> Result<(), StoreError> {
    let (restore_id, checkpoint_id) = (restore.restore_id.to_string(), restore.checkpoint_id.to_string());
    let superseded = i64::try_from(restore.superseded).unwrap_or(i64::MAX);
    let visible =
        restore.visible_before.as_ref().map(|visible| to_json(&visible.renumbered(message_of))).transpose()?;
    let progress = restore.progress_before.as_ref().map(to_json).transpose()?;
    let undone_at = restore.undone_at.map(|at| at.0);
    sqlx::query!(
        "INSERT INTO restores (restore_id, session_uuid, checkpoint_id, superseded, visible_before, progress_before,
                               restored_at, undone_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        restore_id,
        session_uuid,
        checkpoint_id,
        superseded,
        visible,
        progress,
        restore.restored_at.0,
        undone_at,
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Stores one entry and returns its message's number.
async fn import_entry(tx: &mut Tx<'_>, session_uuid: &str, entry: &Entry) -> Result<i64, StoreError> {
    let request_id = entry.request_id.to_string();
    let (role, body) = match &entry.said {
        Said::Agent { ask, status, closed_at } => {
            import_request(tx, session_uuid, &request_id, entry.created_at, ask, *status, *closed_at).await?;
            (Role::Agent, &ask.message)
        }
        Said::Person { text, .. } => {
            import_reply(tx, &request_id, entry).await?;
            (Role::Person, text)
        }
        Said::Note { text, delivered_at } => {
            // Nobody here waits for it.
            let delivered_at = Some(delivered_at.unwrap_or(entry.created_at));
            notes::place(tx, session_uuid, &request_id, entry.created_at, delivered_at).await?;
            (Role::Person, text)
        }
    };
    let role = role.as_str();
    let superseded_by = entry.superseded_by.map(|restore| restore.to_string());
    let stored = sqlx::query!(
        "INSERT INTO messages (session_uuid, request_id, role, body, created_at, superseded_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        session_uuid,
        request_id,
        role,
        body,
        entry.created_at.0,
        superseded_by,
    )
    .execute(&mut **tx)
    .await?;
    Ok(stored.last_insert_rowid())
}

async fn import_request(
    tx: &mut Tx<'_>,
    session_uuid: &str,
    request_id: &str,
    created_at: Timestamp,
    ask: &gate_core::Ask,
    status: RequestStatus,
    closed_at: Option<Timestamp>,
) -> Result<(), StoreError> {
    let (status, closed_at) = match status {
        RequestStatus::Pending => (RequestStatus::Expired, closed_at.or(Some(created_at))),
        // Answered needs a reply, which `ExportedConversation::check` has looked for.
        other => (other, closed_at),
    };
    let (status, closed_at, options) = (status.as_str(), closed_at.map(|at| at.0), to_json(&ask.options)?);
    sqlx::query!(
        "INSERT INTO review_requests (request_id, session_uuid, status, title, context, urgent, options,
                                      allow_multiple, approval, diff, created_at, closed_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        request_id,
        session_uuid,
        status,
        ask.title,
        ask.context,
        ask.urgent,
        options,
        ask.allow_multiple,
        ask.approval,
        ask.diff,
        created_at.0,
        closed_at,
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

async fn import_reply(tx: &mut Tx<'_>, request_id: &str, entry: &Entry) -> Result<(), StoreError> {
    let Said::Person { decision, selected, comments, remarks, attachments, answered_from, delivered_at, .. } =
        &entry.said
    else {
        return Ok(());
    };
    let decision = decision.map(gate_core::Decision::as_str);
    let (selected, comments, from) = (to_json(selected)?, to_json(comments)?, answered_from.as_str());
    let remarks = to_json(remarks)?;
    // Nobody here waits for it.
    let delivered_at = delivered_at.unwrap_or(entry.created_at).0;
    sqlx::query!(
        "INSERT INTO replies (request_id, decision, selected, comments, answered_at, answered_from, delivered_at,
                              remarks)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        request_id,
        decision,
        selected,
        comments,
        entry.created_at.0,
        from,
        delivered_at,
        remarks,
    )
    .execute(&mut **tx)
    .await?;
    for (position, attachment) in attachments.iter().enumerate() {
        let bytes = STANDARD.decode(&attachment.data).map_err(|error| {
            let name = &attachment.attachment.name;
            Fault::new(
                Code::InvalidInput,
                format!("The attachment {name:?} of request {request_id} is not base64: {error}."),
                "Export the record again.",
            )
        })?;
        crate::attachments::place(tx, request_id, &attachment.attachment, &bytes, position, entry.created_at).await?;
    }
    Ok(())
}

fn contradiction(exported: &ExportedConversation, why: &str) -> Fault {
    Fault::new(
        Code::InvalidInput,
        format!("Conversation {} can't be imported: {why}.", exported.conversation.session_uuid),
        "Export it again; the other conversations in the file are not held up by it.",
    )
}
