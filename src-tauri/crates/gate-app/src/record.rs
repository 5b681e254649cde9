//! What agents report and read again: progress, context, checkpoints, and the record's pages.

mod port;

use std::sync::atomic::Ordering;

use gate_api::Event;
use gate_core::conversation::checked_checkpoint;
use gate_core::search::Words;
use gate_core::{
    Checkpoint, CheckpointId, Code, ConversationQuery, Fault, Found, Page, Place, Progress, ProgressUpdate, RestoreId,
    Restored, SessionStatus, SessionUuid,
};
use gate_mcp::{Agent, Change, Context, Recorded, Reported, SessionDetails, Whose};
use gate_store::{Doing, NewSession, SearchIndex};
use uuid::Uuid;

use crate::clock::now;
use crate::gate::{Gate, unknown_session};
use crate::sessions::Telling;

/// Messages that a search brings into the index itself; more are left to the background.
const FEW: u64 = 500;

impl Gate {
    /// Stores a report of progress. Reports of one session come one after the other.
    pub(crate) async fn report(&self, whose: Whose, update: ProgressUpdate) -> Result<Reported, Fault> {
        let update = update.checked()?;
        let session = self.session_or_new(&whose).await?;
        let completed = update.completed;
        if completed && !self.inner.store.pending_of(session).await?.is_empty() {
            return Err(still_pending());
        }
        let turn = self.inner.turns.of(session);
        let turn = turn.lock().await;
        let progress = Progress::after(self.inner.sessions.progress(session), update, now());
        self.inner.store.set_progress(session, &progress).await?;
        self.inner.sessions.set_progress(session, Some(progress.clone()));
        drop(turn);
        let done = if completed { self.complete(session, true).await } else { Ok(()) };
        self.session_changed(session);
        done?;
        Ok(Reported {
            session_uuid: session,
            status: self.inner.sessions.status(session).unwrap_or(SessionStatus::Active),
            progress,
            asides: self.inner.sessions.take_asides(session),
        })
    }

    /// The conversation as its agent goes on from it.
    pub(crate) async fn context(&self, whose: Whose, older: Option<Place>) -> Result<Context, Fault> {
        let session = self.own_session(&whose).await?;
        let store = &self.inner.store;
        let conversation = store.conversation(session).await?.ok_or_else(|| unknown_session(session))?;
        let messages = store.messages(session, older, false).await?;
        let checkpoints = store.checkpoints(session).await?.into_iter().map(|stored| stored.checkpoint).collect();
        let messages = self.as_agents_know(messages);
        Ok(Context { conversation, messages, checkpoints, asides: self.inner.sessions.take_asides(session) })
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
        let by = Doing { id: CheckpointId(Uuid::now_v7()), call_key: Some(&whose.call_key), now: now() };
        let checkpoint = self.inner.store.create_checkpoint(session, &name, description.as_deref(), &by).await?;
        self.change(Change::Checkpoints(session));
        self.session_changed(session);
        Ok((session, checkpoint))
    }

    /// The checkpoints of a session.
    pub(crate) async fn list_checkpoints(&self, whose: Whose) -> Result<(SessionUuid, Vec<Checkpoint>), Fault> {
        let session = self.own_session(&whose).await?;
        let stored = self.inner.store.checkpoints(session).await?;
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
        if !self.inner.store.session_exists(session).await? {
            return Err(unknown_session(session));
        }
        let turn = self.inner.turns.of(session);
        let turn = turn.lock().await;
        let by = Doing { id: RestoreId(Uuid::now_v7()), call_key, now: now() };
        let restored = self.inner.store.restore_checkpoint(session, checkpoint, &by).await?;
        self.inner.sessions.set_progress(session, restored.progress.clone());
        drop(turn);
        self.emit(Event::HistoryChanged);
        self.session_changed(session);
        Ok(restored)
    }

    /// Undoes a conversation's latest restore.
    pub(crate) async fn undo(&self, session: SessionUuid, restore: Option<RestoreId>) -> Result<Restored, Fault> {
        let turn = self.inner.turns.of(session);
        let turn = turn.lock().await;
        let restored = self.inner.store.undo_restore(session, restore, now()).await?;
        self.inner.sessions.set_progress(session, restored.progress.clone());
        drop(turn);
        self.emit(Event::HistoryChanged);
        self.session_changed(session);
        Ok(restored)
    }

    /// A page of conversations.
    pub(crate) async fn conversations(
        &self,
        query: &ConversationQuery,
        after: Option<Place>,
    ) -> Result<Page<Found>, Fault> {
        if let Some(text) = query.text.as_deref().filter(|text| !text.trim().is_empty()) {
            let Some(words) = Words::parse(text)? else { return Ok(Page { items: Vec::new(), next: None }) };
            let index = self.index().await?;
            // What was just said is found at once.
            if (1..=FEW).contains(&index.missing().await?) {
                index.catch_up().await?;
            }
            let found = index.find(&words, query, after).await?;
            if index.missing().await? > 0 {
                self.inner.said.notify_one();
            }
            return Ok(found);
        }
        let page = self.inner.store.conversations(query, after).await?;
        let items = page.items.into_iter().map(|conversation| Found { conversation, hit: None }).collect();
        Ok(Page { items, next: page.next })
    }

    /// The search index.
    pub(crate) async fn index(&self) -> Result<&SearchIndex, Fault> {
        let open = || SearchIndex::open(&self.inner.store, &self.inner.index_file);
        self.inner.index.get_or_try_init(open).await.map_err(|error| {
            let fault = Fault::from(error);
            Fault::new(fault.code, format!("Search doesn't work: {}", fault.message), fault.mend)
        })
    }

    /// A page of one conversation.
    pub(crate) async fn conversation(
        &self,
        session: SessionUuid,
        older: Option<Place>,
    ) -> Result<Option<Recorded>, Fault> {
        let store = &self.inner.store;
        let Some(conversation) = store.conversation(session).await? else { return Ok(None) };
        let messages = store.messages(session, older, true).await?;
        Ok(Some(Recorded { conversation, messages }))
    }

    /// One session.
    pub(crate) async fn session_details(&self, session: SessionUuid) -> Result<Option<SessionDetails>, Fault> {
        let Some(stored) = self.inner.store.session(session).await? else { return Ok(None) };
        Ok(Some(SessionDetails {
            spoke_at: self.inner.sessions.spoke_at(session).unwrap_or(stored.conversation.updated_at),
            transport: stored.transport,
            protocol_version: stored.protocol_version,
            pending: self.inner.store.pending_of(session).await?,
            conversation: stored.conversation,
        }))
    }

    /// A session's work is done, or isn't after all.
    pub(crate) async fn complete(&self, session: SessionUuid, completed: bool) -> Result<(), Fault> {
        let status = if completed { SessionStatus::Completed } else { SessionStatus::Active };
        let stored = self.inner.store.session(session).await?.ok_or_else(|| unknown_session(session))?;
        let pending = self.inner.store.pending_of(session).await?.len();
        if completed && pending > 0 {
            return Err(still_pending());
        }
        if !self.inner.sessions.complete(session, completed, now()) && !completed {
            let agent = stored.relay.map(Agent::Relay);
            self.inner.sessions.take_in(&stored.conversation, agent, counted(pending), now());
        }
        self.write_status(session, status, None).await?;
        self.session_changed(session);
        Ok(())
    }

    /// Stores where a session stands in memory at the moment of writing, `status` where it isn't there:
    /// whatever happens at the same time, the record ends up with what memory has.
    async fn write_status(
        &self,
        session: SessionUuid,
        status: SessionStatus,
        relay: Option<&str>,
    ) -> Result<(), Fault> {
        let turn = self.inner.turns.of(session);
        let _turn = turn.lock().await;
        let status = self.inner.sessions.status(session).unwrap_or(status);
        Ok(self.inner.store.set_session_status(session, status, relay).await?)
    }

    /// Deletes a conversation for good.
    pub(crate) async fn delete_conversation(&self, session: SessionUuid) -> Result<(), Fault> {
        self.inner.store.delete_conversation(session).await?;
        self.inner.sessions.notes.forget(session);
        self.forgotten(session);
        self.conversations_deleted();
        Ok(())
    }

    /// The session that a call is about; a new one where its agent has none.
    async fn session_or_new(&self, whose: &Whose) -> Result<SessionUuid, Fault> {
        // Two first calls at once are of one session.
        let _alone = match whose.session_uuid {
            Some(_) => None,
            None => Some(self.inner.beginning.lock().await),
        };
        let known = match whose.session_uuid {
            Some(session) => Some(session),
            None => self.inner.sessions.only_one_of(whose.agent.as_ref(), true)?,
        };
        if let Some(session) = known {
            self.spoke(session, whose.agent.as_ref()).await?;
            return Ok(session);
        }
        let session = SessionUuid(Uuid::now_v7());
        let new = NewSession {
            session_uuid: session,
            caller: whose.caller.clone(),
            declared: whose.declared.clone(),
            relay: relay_of(whose.agent.as_ref()),
            now: now(),
        };
        self.inner.store.begin_session(&new).await?;
        self.inner.sessions.begin(session, &whose.caller, whose.agent.clone(), new.now);
        self.change(Change::Began(session));
        Ok(session)
    }

    /// The session that a call is about, which has to be there.
    async fn own_session(&self, whose: &Whose) -> Result<SessionUuid, Fault> {
        let known = match whose.session_uuid {
            Some(session) => Some(session),
            None => self.inner.sessions.only_one_of(whose.agent.as_ref(), false)?,
        };
        let session = known.ok_or_else(|| {
            Fault::new(
                Code::UnknownSession,
                "This call names no `session_uuid`, and no session of yours is known by this connection.",
                "Pass the `session_uuid` of an earlier result; review_gate_chat and review_gate_update_progress begin one.",
            )
        })?;
        self.spoke(session, whose.agent.as_ref()).await?;
        Ok(session)
    }

    /// A session of the record speaks: it is active from now on.
    pub(crate) async fn spoke(&self, session: SessionUuid, agent: Option<&Agent>) -> Result<(), Fault> {
        let woke = match self.inner.sessions.speak(session, agent, now()) {
            Some(spoke) => spoke.woke,
            None => {
                let stored = self.inner.store.session(session).await?.ok_or_else(|| unknown_session(session))?;
                let agent = agent.cloned().or(stored.relay.map(Agent::Relay));
                // The board is looked at and the session taken in at once, so that no answer comes in
                // between.
                let pending = self.inner.board.pending_of(session);
                self.inner.sessions.take_in(&stored.conversation, agent, counted(pending), now());
                stored.conversation.status != SessionStatus::Active
            }
        };
        if woke {
            let relay = relay_of(agent);
            self.write_status(session, SessionStatus::Active, relay.as_deref()).await?;
        }
        Ok(())
    }

    /// A relay's heart beats.
    pub(crate) fn relay_beats(&self, relay: &str) {
        let woken = self.inner.sessions.beat(relay, now());
        if woken.is_empty() {
            return;
        }
        let gate = self.clone();
        tokio::spawn(async move {
            for session in woken {
                gate.store_status(session, SessionStatus::Active).await;
            }
        });
    }

    /// Lets time pass over the sessions.
    pub(crate) async fn pass_time(&self, now: gate_core::Timestamp) {
        let (changed, over) = self.inner.sessions.pass(now, &self.settings().session_times());
        for (session, status) in changed {
            self.store_status(session, status).await;
        }
        for session in over {
            self.inner.turns.forget(session);
            self.emit(Event::SessionForgotten { session_uuid: session });
        }
    }

    async fn store_status(&self, session: SessionUuid, status: SessionStatus) {
        if let Err(error) = self.write_status(session, status, None).await {
            tracing::warn!(%error, %session, "a session's status could not be stored");
        }
        self.session_changed(session);
    }

    /// A session is no longer in memory.
    pub(crate) fn forgotten(&self, session: SessionUuid) {
        self.inner.turns.forget(session);
        if self.inner.sessions.forget(session) {
            self.emit(Event::SessionForgotten { session_uuid: session });
        }
    }

    /// Conversations are gone: nothing of them may be remembered.
    pub(crate) fn conversations_deleted(&self) {
        self.inner.settled.clear();
        self.inner.deleted.store(true, Ordering::Relaxed);
        self.inner.said.notify_one();
        self.conversations_changed();
    }

    /// Conversations came or went.
    pub(crate) fn conversations_changed(&self) {
        self.change(Change::Anything);
        self.emit(Event::HistoryChanged);
    }

    /// Tells whoever reads the record that a conversation is other than before, and front ends of its
    /// session, though not more often than they can show it.
    pub(crate) fn session_changed(&self, session: SessionUuid) {
        self.change(Change::Conversation(session));
        match self.inner.sessions.telling(session, now()) {
            Telling::Now => self.tell(session),
            Telling::Already => {}
            Telling::Later(millis) => {
                let gate = self.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(std::time::Duration::from_millis(millis)).await;
                    gate.inner.sessions.told(session, now());
                    gate.tell(session);
                });
            }
        }
    }

    fn tell(&self, session: SessionUuid) {
        if let Some(session) = self.inner.sessions.get(session) {
            self.emit(Event::SessionChanged { session });
        }
    }

    /// Tells the protocol side what changed; nobody listening is fine.
    pub(crate) fn change(&self, change: Change) {
        let _ = self.inner.changes.send(change);
    }
}

/// The relay of an agent that speaks through one.
pub(crate) fn relay_of(agent: Option<&Agent>) -> Option<String> {
    match agent {
        Some(Agent::Relay(relay)) => Some(relay.clone()),
        Some(Agent::Http(_)) | None => None,
    }
}

fn counted(pending: usize) -> u32 {
    u32::try_from(pending).unwrap_or(u32::MAX)
}

fn still_pending() -> Fault {
    Fault::new(
        Code::StillPending,
        "This session still has open questions.",
        "Answer or dismiss them first; nothing was changed.",
    )
}
