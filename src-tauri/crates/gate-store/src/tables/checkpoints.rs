//! Checkpoints of conversations, and taking a conversation back to one.

use gate_core::{
    Checkpoint, CheckpointId, Code, Fault, Progress, RestoreId, Restored, SessionUuid, Timestamp, Visible, bounds,
};
use sqlx::Connection;
use sqlx::{Sqlite, Transaction};

use super::progress;
use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::rows::{CheckpointRow, RestoreRow};
use crate::store::Store;

/// A checkpoint, and the last message before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCheckpoint {
    /// What it is.
    pub checkpoint: Checkpoint,
    /// The last message before it; 0 where there was none.
    pub after_message: i64,
}

impl RestoreRow {
    fn restored(
        &self,
        session_uuid: SessionUuid,
        checkpoint: Checkpoint,
        progress: Option<Progress>,
        undone_at: Option<Timestamp>,
    ) -> Result<Restored, StoreError> {
        Ok(Restored {
            session_uuid,
            restore_id: self.restore_id.parse()?,
            checkpoint,
            superseded: u64::try_from(self.superseded).unwrap_or(0),
            progress,
            restored_at: Timestamp(self.restored_at),
            undone_at,
        })
    }
}

/// What is done, when, and by which call: one that comes again after the gate was killed changes
/// nothing more.
#[derive(Debug, Clone, Copy)]
pub struct Doing<'a, Id> {
    /// What it is called from now on.
    pub id: Id,
    /// The call; absent for what a person does.
    pub call_key: Option<&'a str>,
    /// Now.
    pub now: Timestamp,
}

/// How a conversation stands.
struct Stand {
    visible: Visible,
    last: i64,
    progress: Option<Progress>,
}

impl Store {
    /// Takes a snapshot of a conversation. Where this very call has made it already, that is given.
    ///
    /// # Errors
    /// `name_taken`; `too_many` over [`bounds::CHECKPOINTS`]; or when SQLite fails.
    pub async fn create_checkpoint(
        &self,
        session: SessionUuid,
        name: &str,
        description: Option<&str>,
        by: &Doing<'_, CheckpointId>,
    ) -> Result<Checkpoint, StoreError> {
        let (session_uuid, now) = (session.to_string(), by.now);
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let namesake = sqlx::query!(
            "SELECT checkpoint_id, call_key FROM checkpoints WHERE session_uuid = ?1 AND name = ?2",
            session_uuid,
            name,
        )
        .fetch_optional(&mut *tx)
        .await?;
        if let Some(namesake) = namesake {
            if namesake.call_key.is_some() && namesake.call_key.as_deref() == by.call_key {
                return CheckpointRow::read(&mut tx, &namesake.checkpoint_id).await?.into_checkpoint();
            }
            return Err(name_taken(name).into());
        }
        let count = sqlx::query_scalar!("SELECT count(*) FROM checkpoints WHERE session_uuid = ?1", session_uuid)
            .fetch_one(&mut *tx)
            .await?;
        if usize::try_from(count).unwrap_or(usize::MAX) >= bounds::CHECKPOINTS {
            return Err(too_many().into());
        }
        let stand = stand(&mut tx, &session_uuid).await?;
        let messages = sqlx::query_scalar!(
            // Not by looking at each: the mark stands behind the message's text.
            r#"SELECT (SELECT count(*) FROM messages WHERE session_uuid = ?1)
                      - (SELECT count(*) FROM restores r JOIN messages m ON m.superseded_by = r.restore_id
                         WHERE r.session_uuid = ?1) AS "count!: i64""#,
            session_uuid,
        )
        .fetch_one(&mut *tx)
        .await?;
        let row = CheckpointRow {
            checkpoint_id: by.id.to_string(),
            session_uuid: session_uuid.clone(),
            name: name.to_owned(),
            description: description.map(str::to_owned),
            message_id: stand.last,
            messages,
            visible: to_json(&stand.visible.up_to(stand.last))?,
            progress: stand.progress.as_ref().map(to_json).transpose()?,
            call_key: by.call_key.map(str::to_owned),
            created_at: now.0,
        };
        row.insert(&mut tx).await?;
        touch(&mut tx, &session_uuid, now).await?;
        tx.commit().await?;
        row.into_checkpoint()
    }

    /// A conversation's checkpoints, in order, their progress without its steps: a thousand of them
    /// would be a hundred megabytes.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn checkpoints(&self, session: SessionUuid) -> Result<Vec<StoredCheckpoint>, StoreError> {
        let session_uuid = session.to_string();
        let rows = CheckpointRow::of(&self.readers, &session_uuid, false).await?;
        let stored = rows.into_iter().map(|row| {
            let after_message = row.message_id;
            Ok(StoredCheckpoint { checkpoint: row.into_checkpoint()?, after_message })
        });
        stored.collect()
    }

    /// Takes a conversation back to the checkpoint of this identifier or name: what was said after it
    /// is marked as superseded, what it held holds again, and the progress is as it was. Where this
    /// very call has done that already and nothing was restored or undone since, it isn't done twice.
    ///
    /// # Errors
    /// `unknown_checkpoint`; or when SQLite fails.
    pub async fn restore_checkpoint(
        &self,
        session: SessionUuid,
        checkpoint: &str,
        by: &Doing<'_, RestoreId>,
    ) -> Result<Restored, StoreError> {
        let (session_uuid, restore_id, now) = (session.to_string(), by.id.to_string(), by.now);
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let row = CheckpointRow::called(&mut tx, &session_uuid, checkpoint)
            .await?
            .ok_or_else(|| unknown_checkpoint(checkpoint))?;
        let kept: Visible = from_json(&row.visible)?;
        let checkpoint = row.into_checkpoint()?;
        let stand = stand(&mut tx, &session_uuid).await?;
        let checkpoint_id = checkpoint.checkpoint_id.to_string();
        let latest = RestoreRow::latest(&mut tx, &session_uuid).await?;
        let again = |done: &RestoreRow| done.call_key.as_deref() == by.call_key && done.checkpoint_id == checkpoint_id;
        if let Some(done) = latest.filter(|done| by.call_key.is_some() && again(done)) {
            return done.restored(session, checkpoint, stand.progress, None);
        }
        let row = RestoreRow {
            restore_id: restore_id.clone(),
            session_uuid: session_uuid.clone(),
            checkpoint_id,
            superseded: 0,
            visible_before: Some(to_json(&stand.visible)?),
            progress_before: stand.progress.as_ref().map(to_json).transpose()?,
            call_key: by.call_key.map(str::to_owned),
            restored_at: now.0,
            undone_at: None,
        };
        row.insert(&mut tx).await?;
        let superseded = show(&mut tx, &session_uuid, &kept.then_after(stand.last), &restore_id).await?;
        sqlx::query!("UPDATE restores SET superseded = ?2 WHERE restore_id = ?1", restore_id, superseded)
            .execute(&mut *tx)
            .await?;
        set_progress(&mut tx, session, checkpoint.progress.as_ref()).await?;
        touch(&mut tx, &session_uuid, now).await?;
        tx.commit().await?;
        Ok(Restored {
            session_uuid: session,
            restore_id: by.id,
            progress: checkpoint.progress.clone(),
            checkpoint,
            superseded: u64::try_from(superseded).unwrap_or(0),
            restored_at: now,
            undone_at: None,
        })
    }

    /// Undoes the latest restore that holds. What was said since then holds on; progress that was
    /// reported since then stays.
    ///
    /// # Errors
    /// `unknown_restore` where there is none, or where `restore` names another one; or when SQLite
    /// fails.
    pub async fn undo_restore(
        &self,
        session: SessionUuid,
        restore: Option<RestoreId>,
        now: Timestamp,
    ) -> Result<Restored, StoreError> {
        let session_uuid = session.to_string();
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let latest = RestoreRow::latest(&mut tx, &session_uuid).await?.ok_or_else(nothing_to_undo)?;
        let id: RestoreId = latest.restore_id.parse()?;
        if restore.is_some_and(|wanted| wanted != id) {
            return Err(not_the_latest().into());
        }
        let checkpoint = CheckpointRow::read(&mut tx, &latest.checkpoint_id).await?.into_checkpoint()?;
        let before = latest.visible_before.as_deref().map(from_json).transpose()?.unwrap_or_else(Visible::all);
        show(&mut tx, &session_uuid, &before, &latest.restore_id).await?;
        let present = stand(&mut tx, &session_uuid).await?.progress;
        let progress = if present == checkpoint.progress {
            let before: Option<Progress> = latest.progress_before.as_deref().map(from_json).transpose()?;
            set_progress(&mut tx, session, before.as_ref()).await?;
            before
        } else {
            present
        };
        sqlx::query!("UPDATE restores SET undone_at = ?2 WHERE restore_id = ?1", latest.restore_id, now.0)
            .execute(&mut *tx)
            .await?;
        touch(&mut tx, &session_uuid, now).await?;
        tx.commit().await?;
        latest.restored(session, checkpoint, progress, Some(now))
    }

    /// The latest restore that holds.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn restored(&self, session: SessionUuid) -> Result<Option<Restored>, StoreError> {
        let session_uuid = session.to_string();
        let mut tx = self.readers.begin().await?;
        let Some(latest) = RestoreRow::latest(&mut tx, &session_uuid).await? else { return Ok(None) };
        let checkpoint = CheckpointRow::read(&mut tx, &latest.checkpoint_id).await?.into_checkpoint()?;
        let progress = stand(&mut tx, &session_uuid).await?.progress;
        latest.restored(session, checkpoint, progress, None).map(Some)
    }
}

type Tx<'c> = Transaction<'c, Sqlite>;

async fn stand(tx: &mut Tx<'_>, session_uuid: &str) -> Result<Stand, StoreError> {
    let row = sqlx::query!(
        r#"SELECT c.visible, coalesce((SELECT max(m.message_id) FROM messages m
                                       WHERE m.session_uuid = c.session_uuid), 0) AS "last!: i64",
                  p.percent AS "percent?", p.status_message, p.step_name, p.steps AS "steps?",
                  p.updated_at AS "reported_at?"
           FROM conversations c LEFT JOIN progress p ON p.session_uuid = c.session_uuid
           WHERE c.session_uuid = ?1"#,
        session_uuid,
    )
    .fetch_one(&mut **tx)
    .await?;
    let progress = match (row.steps, row.reported_at) {
        (Some(steps), Some(reported_at)) => Some(Progress {
            progress_percent: row.percent.and_then(|percent| u8::try_from(percent).ok()),
            status_message: row.status_message,
            step_name: row.step_name,
            steps: from_json(&steps)?,
            updated_at: Timestamp(reported_at),
        }),
        _ => None,
    };
    let visible = row.visible.as_deref().map(from_json).transpose()?.unwrap_or_else(Visible::all);
    Ok(Stand { visible, last: row.last, progress })
}

/// Makes just these messages hold. Returns how many hold no longer.
async fn show(tx: &mut Tx<'_>, session_uuid: &str, visible: &Visible, restore: &str) -> Result<i64, StoreError> {
    let spans = to_json(visible)?;
    sqlx::query!("UPDATE conversations SET visible = ?2 WHERE session_uuid = ?1", session_uuid, spans)
        .execute(&mut **tx)
        .await?;
    sqlx::query!(
        "UPDATE messages SET superseded_by = NULL
         WHERE session_uuid = ?1 AND superseded_by IS NOT NULL
           AND EXISTS (SELECT 1 FROM json_each(?2) span
                       WHERE message_id > span.value ->> 0
                         AND (span.value ->> 1 IS NULL OR message_id <= span.value ->> 1))",
        session_uuid,
        spans,
    )
    .execute(&mut **tx)
    .await?;
    let hidden = sqlx::query!(
        "UPDATE messages SET superseded_by = ?3
         WHERE session_uuid = ?1 AND superseded_by IS NULL
           AND NOT EXISTS (SELECT 1 FROM json_each(?2) span
                           WHERE message_id > span.value ->> 0
                             AND (span.value ->> 1 IS NULL OR message_id <= span.value ->> 1))",
        session_uuid,
        spans,
        restore,
    )
    .execute(&mut **tx)
    .await?;
    Ok(i64::try_from(hidden.rows_affected()).unwrap_or(i64::MAX))
}

async fn set_progress(tx: &mut Tx<'_>, session: SessionUuid, to: Option<&Progress>) -> Result<(), StoreError> {
    if let Some(to) = to {
        return progress::write(&mut **tx, session, to).await;
    }
    let session_uuid = session.to_string();
    sqlx::query!("DELETE FROM progress WHERE session_uuid = ?1", session_uuid).execute(&mut **tx).await?;
    Ok(())
}

async fn touch(tx: &mut Tx<'_>, session_uuid: &str, now: Timestamp) -> Result<(), StoreError> {
    sqlx::query!("UPDATE conversations SET updated_at = ?2 WHERE session_uuid = ?1", session_uuid, now.0)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

fn name_taken(name: &str) -> Fault {
    Fault::new(
        Code::NameTaken,
        format!("This conversation has a checkpoint named {name:?} already."),
        "Choose another name; review_gate_list_checkpoints lists those that are there.",
    )
}

fn too_many() -> Fault {
    Fault::new(
        Code::TooMany,
        format!("This conversation has {} checkpoints, and may not have more.", bounds::CHECKPOINTS),
        "Go on without another one, or begin a new session.",
    )
}

fn unknown_checkpoint(checkpoint: &str) -> Fault {
    Fault::new(
        Code::UnknownCheckpoint,
        format!("This conversation has no checkpoint {:?}.", gate_core::ask::excerpt(checkpoint, 60)),
        "Pass the id or the name of one that review_gate_list_checkpoints lists.",
    )
}

fn nothing_to_undo() -> Fault {
    Fault::new(
        Code::UnknownRestore,
        "This conversation was not taken back to a checkpoint, or that was undone.",
        "Nothing was changed.",
    )
}

fn not_the_latest() -> Fault {
    Fault::new(
        Code::UnknownRestore,
        "Only the latest restore of this conversation can be undone, and this is not it.",
        "Undo the later one first; without `restore_id` the latest one is undone.",
    )
}
