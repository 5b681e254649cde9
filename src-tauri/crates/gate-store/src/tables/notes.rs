//! Notes: what the person tells an agent without being asked. Each is a message of its conversation.

use std::borrow::Cow;

use gate_core::{
    AnsweredFrom, Ask, Assurance, Code, Fault, Given, Note, NoteId, RequestId, RequestStatus, Role, SessionUuid,
    Timestamp,
};
use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::json::to_json;
use crate::rows::{MessageRow, RequestRow};
use crate::store::Store;
use crate::table::{Known, Owner, Table, column, identifier};

/// The table of notes. Their messages are rows of `messages`.
pub(crate) const TABLE: Table = Table {
    name: "notes",
    columns: &[
        identifier("note_id"),
        identifier("session_uuid"),
        column("delivered_at"),
        column("given_from"),
        column("assurance"),
    ],
    owner: Owner::Conversation,
    known: Known::Changed(
        "(note_id) DO UPDATE SET delivered_at = excluded.delivered_at
         WHERE notes.delivered_at IS NULL AND excluded.delivered_at IS NOT NULL",
    ),
};

impl Store {
    /// Stores a note to a session's agent.
    ///
    /// # Errors
    /// When SQLite fails, as it does where there is no such session; nothing is stored then.
    pub async fn add_note(&self, session: SessionUuid, note: &Note) -> Result<(), StoreError> {
        let session_uuid = session.to_string();
        let message = MessageRow {
            session_uuid: session,
            request_id: RequestId(note.note_id.0),
            role: Role::Person,
            body: (&note.text).into(),
            created_at: note.created_at.0,
            superseded_by: None,
        };
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        place(&mut tx, session, note.note_id, note.created_at, None, note.given).await?;
        message.insert(&mut tx).await?;
        sqlx::query!(
            "UPDATE conversations SET updated_at = ?2 WHERE session_uuid = ?1",
            session_uuid,
            note.created_at.0,
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// The notes that no agent has, with their sessions, the oldest first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn undelivered_notes(&self) -> Result<Vec<(SessionUuid, Note)>, StoreError> {
        // CROSS: from the few notes to their messages, never from all messages to notes.
        let rows = sqlx::query!(
            "SELECT n.note_id, n.session_uuid, n.given_from, n.assurance, m.body, m.created_at
             FROM notes n CROSS JOIN messages m ON m.request_id = n.note_id
             WHERE n.delivered_at IS NULL ORDER BY m.message_id",
        )
        .fetch_all(&self.readers)
        .await?;
        let notes = rows.into_iter().map(|row| {
            let from = row.given_from.as_deref().and_then(AnsweredFrom::parse);
            let given = from.zip(row.assurance.as_deref().and_then(Assurance::parse));
            let given = given.map(|(from, assurance)| Given { from, assurance });
            let (note_id, created_at) = (row.note_id.parse()?, Timestamp(row.created_at));
            let note = Note { note_id, text: row.body, created_at, given };
            Ok((row.session_uuid.parse()?, note))
        });
        notes.collect()
    }

    /// Notes that an agent has these notes.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn notes_delivered(&self, notes: &[NoteId], now: Timestamp) -> Result<(), StoreError> {
        let notes = to_json(&notes)?;
        sqlx::query!(
            "UPDATE notes SET delivered_at = ?2
             WHERE delivered_at IS NULL AND note_id IN (SELECT value FROM json_each(?1))",
            notes,
            now.0,
        )
        .execute(&mut *self.writer.acquire().await?)
        .await?;
        Ok(())
    }

    /// Takes back a note that no agent has, and returns the number of its message.
    ///
    /// # Errors
    /// `unknown_note`, `too_late` when an agent has it; or when SQLite fails.
    pub async fn take_back_note(&self, note: NoteId, now: Timestamp) -> Result<i64, StoreError> {
        let note_id = note.to_string();
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let stored = sqlx::query!("SELECT session_uuid, delivered_at FROM notes WHERE note_id = ?1", note_id)
            .fetch_optional(&mut *tx)
            .await?;
        let Some(stored) = stored else {
            return Err(StoreError::Fault(Fault::new(
                Code::UnknownNote,
                format!("No note has the id {note}."),
                "It may have been taken back before; nothing was changed.",
            )));
        };
        if stored.delivered_at.is_some() {
            return Err(delivered(note).into());
        }
        let message = sqlx::query_scalar!("DELETE FROM messages WHERE request_id = ?1 RETURNING message_id", note_id)
            .fetch_optional(&mut *tx)
            .await?;
        sqlx::query!("DELETE FROM notes WHERE note_id = ?1", note_id).execute(&mut *tx).await?;
        sqlx::query!("DELETE FROM review_requests WHERE request_id = ?1", note_id).execute(&mut *tx).await?;
        sqlx::query!(
            "UPDATE conversations SET messages = messages - ?3, updated_at = ?2 WHERE session_uuid = ?1",
            stored.session_uuid,
            now.0,
            message.map_or(0, |_| 1),
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(message.unwrap_or(0))
    }
}

/// The fault of a note that has been given to its agent.
#[must_use]
pub fn delivered(note: NoteId) -> Fault {
    Fault::new(
        Code::TooLate,
        format!("The agent has been given the note {note}."),
        "Send another note that corrects it.",
    )
}

/// What a note's message hangs on; the message itself is the caller's.
pub(crate) async fn place(
    tx: &mut SqliteConnection,
    session_uuid: SessionUuid,
    note_id: NoteId,
    created_at: Timestamp,
    delivered_at: Option<Timestamp>,
    given: Option<Given>,
) -> Result<(), StoreError> {
    let row = RequestRow {
        request_id: RequestId(note_id.0),
        session_uuid,
        status: RequestStatus::Answered,
        ask: Cow::Owned(Ask::default()),
        created_at: created_at.0,
        closed_at: Some(created_at.0),
        question: None,
        snoozed_at: None,
        snoozed_until: None,
        ended: None,
    };
    row.insert(tx).await?;
    let (note_id, session_uuid) = (note_id.to_string(), session_uuid.to_string());
    let delivered_at = delivered_at.map(|at| at.0);
    let (from, assurance) = (given.map(|given| given.from.as_str()), given.map(|given| given.assurance.as_str()));
    sqlx::query!(
        "INSERT INTO notes (note_id, session_uuid, delivered_at, given_from, assurance) VALUES (?1, ?2, ?3, ?4, ?5)",
        note_id,
        session_uuid,
        delivered_at,
        from,
        assurance,
    )
    .execute(tx)
    .await?;
    Ok(())
}
