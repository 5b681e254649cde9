//! What agents report and read again: progress, context, checkpoints, and the record's pages.

use gate_api::subjects::conversations::Event;
use gate_core::conversation::checked_checkpoint;
use gate_core::{
    Checkpoint, CheckpointId, Fault, Place, Progress, ProgressUpdate, RequestId, RestoreId, Restored, SessionStatus,
    SessionUuid,
};
use gate_mcp::{Change, Context, Recorded, Reported, SessionDetails, Whose};
use gate_store::Doing;

use super::Conversations;
use super::live::still_pending;
use crate::unknown::unknown_session;

impl Conversations {
    /// Stores a report of progress. Reports of one session come one after the other.
    pub(crate) async fn report(&self, whose: Whose, update: ProgressUpdate) -> Result<Reported, Fault> {
        let update = update.checked()?;
        let session = self.session_or_new(&whose).await?;
        let completed = update.completed;
        if completed && !self.pending_of(session).await?.is_empty() {
            return Err(still_pending());
        }
        let turn = self.turns.of(session);
        let turn = turn.lock().await;
        let progress = Progress::after(self.sessions.progress(session), update, self.bus.now());
        self.store.set_progress(session, &progress).await?;
        self.sessions.set_progress(session, Some(progress.clone()));
        drop(turn);
        let done = if completed { self.complete(session, true).await } else { Ok(()) };
        self.session_changed(session);
        done?;
        Ok(Reported {
            session_uuid: session,
            status: self.sessions.status(session).unwrap_or(SessionStatus::Active),
            progress,
            asides: self.sessions.take_asides(session),
        })
    }

    /// The conversation as its agent goes on from it, with its messages as they are stored.
    pub(crate) async fn context(&self, whose: Whose, older: Option<Place>) -> Result<Context, Fault> {
        let session = self.own_session(&whose).await?;
        let store = &self.store;
        let conversation = store.conversation(session).await?.ok_or_else(|| unknown_session(session))?;
        let messages = store.messages(session, older, false).await?;
        let checkpoints = store.checkpoints(session).await?.into_iter().map(|stored| stored.checkpoint).collect();
        Ok(Context { conversation, messages, checkpoints, asides: self.sessions.take_asides(session) })
    }

    /// Takes a snapshot of a session's conversation.
    pub(crate) async fn create_checkpoint(
        &self,
        whose: Whose,
        name: &str,
        description: Option<&str>,
    ) -> Result<(SessionUuid, Checkpoint), Fault> {
        let (name, description) = checked_checkpoint(name, description)?;
        let session = self.session_or_new(&whose).await?;
        let by = Doing { id: CheckpointId(self.bus.new_id()), call_key: Some(&whose.call_key), now: self.bus.now() };
        let checkpoint = self.store.create_checkpoint(session, &name, description.as_deref(), &by).await?;
        self.bus.change(Change::Checkpoints(session));
        self.session_changed(session);
        Ok((session, checkpoint))
    }

    /// The checkpoints of a session.
    pub(crate) async fn list_checkpoints(&self, whose: Whose) -> Result<(SessionUuid, Vec<Checkpoint>), Fault> {
        let session = self.own_session(&whose).await?;
        let stored = self.store.checkpoints(session).await?;
        Ok((session, stored.into_iter().map(|stored| stored.checkpoint).collect()))
    }

    /// Takes an agent's own conversation back.
    pub(crate) async fn restore_own(&self, whose: Whose, checkpoint: &str) -> Result<Restored, Fault> {
        let session = self.own_session(&whose).await?;
        self.restore_checkpoint(session, checkpoint, Some(&whose.call_key)).await
    }

    /// Undoes that.
    pub(crate) async fn undo_own(&self, whose: Whose, restore: Option<RestoreId>) -> Result<Restored, Fault> {
        let session = self.own_session(&whose).await?;
        self.undo(session, restore).await
    }

    /// Takes a conversation back to the checkpoint of this identifier or name.
    pub(crate) async fn restore_checkpoint(
        &self,
        session: SessionUuid,
        checkpoint: &str,
        call_key: Option<&str>,
    ) -> Result<Restored, Fault> {
        if !self.store.session_exists(session).await? {
            return Err(unknown_session(session));
        }
        let turn = self.turns.of(session);
        let turn = turn.lock().await;
        let by = Doing { id: RestoreId(self.bus.new_id()), call_key, now: self.bus.now() };
        let restored = self.store.restore_checkpoint(session, checkpoint, &by).await?;
        self.sessions.set_progress(session, restored.progress.clone());
        drop(turn);
        self.bus.emit(Event::HistoryChanged);
        self.session_changed(session);
        Ok(restored)
    }

    /// Undoes a conversation's latest restore.
    pub(crate) async fn undo(&self, session: SessionUuid, restore: Option<RestoreId>) -> Result<Restored, Fault> {
        let turn = self.turns.of(session);
        let turn = turn.lock().await;
        let restored = self.store.undo_restore(session, restore, self.bus.now()).await?;
        self.sessions.set_progress(session, restored.progress.clone());
        drop(turn);
        self.bus.emit(Event::HistoryChanged);
        self.session_changed(session);
        Ok(restored)
    }

    /// A page of one conversation.
    pub(crate) async fn conversation(
        &self,
        session: SessionUuid,
        older: Option<Place>,
    ) -> Result<Option<Recorded>, Fault> {
        let store = &self.store;
        let Some(conversation) = store.conversation(session).await? else { return Ok(None) };
        let messages = store.messages(session, older, true).await?;
        Ok(Some(Recorded { conversation, messages }))
    }

    /// One session.
    pub(crate) async fn session_details(&self, session: SessionUuid) -> Result<Option<SessionDetails>, Fault> {
        let Some(stored) = self.store.session(session).await? else { return Ok(None) };
        Ok(Some(SessionDetails {
            spoke_at: self.sessions.spoke_at(session).unwrap_or(stored.conversation.updated_at),
            transport: stored.transport,
            protocol_version: stored.protocol_version,
            pending: self.pending_of(session).await?,
            conversation: stored.conversation,
        }))
    }

    /// What an agent waits for in a session, and has to: a reply that is held back may be taken back yet.
    async fn pending_of(&self, session: SessionUuid) -> Result<Vec<RequestId>, Fault> {
        Ok(self.queue.board.as_agents_wait(session, self.store.pending_of(session).await?))
    }
}
