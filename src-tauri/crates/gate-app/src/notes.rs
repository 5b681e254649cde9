//! Notes that wait for their agents. The record is the truth; this knows which are on their way.
//!
//! A note goes with one result at a time. It counts as delivered as that result does: when the relay
//! confirms it, or over HTTP when the system has taken its bytes. A result that is lost on its way
//! gives its notes back, and they go with the next one.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::{Code, Fault, Note, NoteId, SessionStatus, SessionUuid, bounds, note};
use gate_mcp::Handover;
use gate_store::note_is_delivered;
use uuid::Uuid;

use crate::clock::now;
use crate::gate::{Gate, unknown_session, whole};

/// The notes that no agent is known to have.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    waiting: Mutex<HashMap<SessionUuid, Vec<Waiting>>>,
    handings: AtomicU64,
    /// Held while one is added, so that two at once don't pass the bound together.
    adding: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Waiting {
    note: Note,
    /// The call whose result it is on its way with, and which handing that was.
    handed: Option<(u64, String)>,
}

/// Notes on their way; given back when this is dropped before they are delivered.
struct Handing {
    notes: Notes,
    number: u64,
}

impl Drop for Handing {
    fn drop(&mut self) {
        for waiting in self.notes.lock().values_mut().flatten() {
            if waiting.handed.as_ref().is_some_and(|(number, _)| *number == self.number) {
                waiting.handed = None;
            }
        }
    }
}

impl Notes {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionUuid, Vec<Waiting>>> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a note that is in the record.
    pub(crate) fn add(&self, session: SessionUuid, note: Note) {
        let mut waiting = self.lock();
        let own = waiting.entry(session).or_default();
        own.push(Waiting { note, handed: None });
        own.sort_by_key(|waiting| waiting.note.note_id);
    }

    /// Those of a session, the oldest first.
    pub(crate) fn of(&self, session: SessionUuid) -> Vec<Note> {
        let waiting = self.lock();
        waiting.get(&session).into_iter().flatten().map(|waiting| waiting.note.clone()).collect()
    }

    /// Drops those of a session that is deleted.
    pub(crate) fn forget(&self, session: SessionUuid) {
        self.lock().remove(&session);
    }

    /// Takes one that isn't on its way, to take it back: absent where there is none such.
    fn seize(&self, note: NoteId) -> Option<(SessionUuid, Note)> {
        let mut waiting = self.lock();
        for (session, own) in waiting.iter_mut() {
            if let Some(at) = own.iter().position(|one| one.note.note_id == note && one.handed.is_none()) {
                return Some((*session, own.remove(at).note));
            }
        }
        None
    }

    /// Whether one is on its way.
    fn is_handed(&self, note: NoteId) -> bool {
        self.lock().values().flatten().any(|one| one.note.note_id == note && one.handed.is_some())
    }

    /// Sends those of a session that aren't on their way with the result of this call.
    fn hand(&self, session: SessionUuid, call_key: &str) -> Option<Handover> {
        let mut waiting = self.lock();
        let own = waiting.get_mut(&session)?;
        let number = self.0.handings.fetch_add(1, Ordering::Relaxed);
        let mut notes = Vec::new();
        for waiting in own.iter_mut().filter(|waiting| waiting.handed.is_none()) {
            waiting.handed = Some((number, call_key.to_owned()));
            notes.push(waiting.note.clone());
        }
        drop(waiting);
        let carried: Box<dyn Any + Send + Sync> = Box::new(Handing { notes: self.clone(), number });
        (!notes.is_empty()).then_some(Handover { notes, carried })
    }

    /// The result of this call has arrived. Returns the notes that came with it.
    fn delivered(&self, call_key: &str) -> Vec<(SessionUuid, NoteId)> {
        let mut delivered = Vec::new();
        self.lock().retain(|session, own| {
            own.retain(|waiting| {
                let came = waiting.handed.as_ref().is_some_and(|(_, key)| key == call_key);
                if came {
                    delivered.push((*session, waiting.note.note_id));
                }
                !came
            });
            !own.is_empty()
        });
        delivered
    }
}

impl Gate {
    /// Takes up the notes that wait from before a restart.
    pub(crate) async fn remember_notes(&self) -> Result<(), Fault> {
        for (session, note) in self.inner.store.undelivered_notes().await? {
            self.inner.sessions.notes.add(session, note);
        }
        Ok(())
    }

    /// Stores a note for an agent.
    pub(crate) async fn send_note(&self, session: SessionUuid, text: String) -> Result<(), Fault> {
        note::checked(&text)?;
        let status = match self.inner.sessions.status(session) {
            Some(status) => status,
            None => self.inner.store.conversation(session).await?.ok_or_else(|| unknown_session(session))?.status,
        };
        if status == SessionStatus::Completed {
            return Err(Fault::new(
                Code::InvalidInput,
                "This session is completed: its agent calls no more tools that a note could come with.",
                "Reopen the session first, or tell the agent where you started it.",
            ));
        }
        let _alone = self.inner.sessions.notes.0.adding.lock().await;
        if self.inner.sessions.notes.of(session).len() >= bounds::NOTES {
            return Err(Fault::new(
                Code::TooMany,
                format!("{} notes wait for this agent already.", bounds::NOTES),
                "Wait until it calls its next tool, or take one of them back.",
            ));
        }
        let note = Note { note_id: NoteId(Uuid::now_v7()), text, created_at: now() };
        self.inner.store.add_note(session, &note).await?;
        self.inner.sessions.notes.add(session, note);
        self.inner.said.notify_one();
        self.session_changed(session);
        Ok(())
    }

    /// Takes back a note that no agent has been given.
    pub(crate) async fn take_back_note(&self, note: NoteId) -> Result<(), Fault> {
        let Some((session, kept)) = self.inner.sessions.notes.seize(note) else {
            if self.inner.sessions.notes.is_handed(note) {
                return Err(note_is_delivered(note));
            }
            // The record knows whether it was delivered or never was.
            return self.inner.store.take_back_note(note, now()).await.map(drop).map_err(Fault::from);
        };
        match self.inner.store.take_back_note(note, now()).await {
            Ok(message) => {
                self.forget_message(message).await;
                self.session_changed(session);
                Ok(())
            }
            Err(error) => {
                self.inner.sessions.notes.add(session, kept);
                Err(error.into())
            }
        }
    }

    /// The notes that go with the result of this call.
    pub(crate) fn hand_notes(&self, session: SessionUuid, call_key: &str) -> Option<Handover> {
        self.inner.sessions.notes.hand(session, call_key)
    }

    /// The result of this call has arrived, and with it its notes.
    pub(crate) async fn notes_arrived(&self, call_key: &str) {
        let delivered = self.inner.sessions.notes.delivered(call_key);
        if delivered.is_empty() {
            return;
        }
        let gate = self.clone();
        let noting = whole(async move {
            let ids: Vec<NoteId> = delivered.iter().map(|(_, note)| *note).collect();
            gate.inner.store.notes_delivered(&ids, now()).await?;
            for (session, _) in delivered {
                gate.session_changed(session);
            }
            Ok(())
        });
        if let Err(fault) = noting.await {
            tracing::warn!(%fault, "a delivered note could not be marked; after a restart it comes again");
        }
    }

    /// A message is no longer in the record: its words leave the search index.
    pub(crate) async fn forget_message(&self, message: i64) {
        let Some(index) = self.inner.index.get() else { return };
        if let Err(error) = index.forget(message).await {
            tracing::warn!(%error, "words of a message that was taken back stay in the index");
        }
    }
}
