//! Notes that wait for their agents. The record is the truth; this knows which are on their way.
//!
//! A note goes with one result at a time. It counts as delivered as that result does: when the relay
//! confirms it, or over HTTP when the system has taken its bytes. A result that is lost on its way
//! gives its notes back, and they go with the next one.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::{AnsweredFrom, Code, Fault, Note, NoteId, SessionStatus, SessionUuid, bounds, note};
use gate_mcp::Handover;
use gate_store::note_is_delivered;

use super::Conversations;
use crate::unknown::unknown_session;
use crate::work::whole;

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

impl Conversations {
    /// Stores a note for an agent.
    pub(crate) async fn send_note(&self, session: SessionUuid, text: String, from: AnsweredFrom) -> Result<(), Fault> {
        note::checked(&text)?;
        let status = match self.sessions.status(session) {
            Some(status) => status,
            None => self.store.conversation(session).await?.ok_or_else(|| unknown_session(session))?.status,
        };
        if status == SessionStatus::Completed {
            return Err(Fault::new(
                Code::InvalidInput,
                "This session is completed: its agent calls no more tools that a note could come with.",
                "Reopen the session first, or tell the agent where you started it.",
            ));
        }
        let _alone = self.sessions.notes.0.adding.lock().await;
        if self.sessions.notes.of(session).len() >= bounds::NOTES {
            return Err(Fault::new(
                Code::TooMany,
                format!("{} notes wait for this agent already.", bounds::NOTES),
                "Wait until it calls its next tool, or take one of them back.",
            ));
        }
        let given = Some(self.receipts.as_seen(from.into()));
        let note = Note { note_id: NoteId(self.bus.new_id()), text, created_at: self.bus.now(), given };
        self.store.add_note(session, &note).await?;
        self.sessions.notes.add(session, note);
        self.search.said();
        self.session_changed(session);
        Ok(())
    }

    /// Takes back a note that no agent has been given.
    pub(crate) async fn take_back_note(&self, note: NoteId) -> Result<(), Fault> {
        let Some((session, kept)) = self.sessions.notes.seize(note) else {
            if self.sessions.notes.is_handed(note) {
                return Err(note_is_delivered(note));
            }
            // The record knows whether it was delivered or never was.
            return self.store.take_back_note(note, self.bus.now()).await.map(drop).map_err(Fault::from);
        };
        match self.store.take_back_note(note, self.bus.now()).await {
            Ok(message) => {
                self.search.forget_message(message).await;
                self.session_changed(session);
                Ok(())
            }
            Err(error) => {
                self.sessions.notes.add(session, kept);
                Err(error.into())
            }
        }
    }

    /// The notes that go with the result of this call.
    pub(crate) fn hand_notes(&self, session: SessionUuid, call_key: &str) -> Option<Handover> {
        self.sessions.notes.hand(session, call_key)
    }

    /// The client has the result of this call, with the notes that came with it.
    pub(crate) async fn note_delivery(self: &Arc<Self>, call_key: &str) {
        if let Err(error) = self.store.mark_delivered(call_key, self.bus.now()).await {
            tracing::warn!(%error, "a delivered reply could not be marked; it will be delivered again");
        }
        self.notes_arrived(call_key).await;
    }

    /// The result of this call has arrived, and with it its notes.
    pub(crate) async fn notes_arrived(self: &Arc<Self>, call_key: &str) {
        let delivered = self.sessions.notes.delivered(call_key);
        if delivered.is_empty() {
            return;
        }
        let conversations = Arc::clone(self);
        let noting = whole(async move {
            let ids: Vec<NoteId> = delivered.iter().map(|(_, note)| *note).collect();
            conversations.store.notes_delivered(&ids, conversations.bus.now()).await?;
            for (session, _) in delivered {
                conversations.session_changed(session);
            }
            Ok(())
        });
        if let Err(fault) = noting.await {
            tracing::warn!(%fault, "a delivered note could not be marked; after a restart it comes again");
        }
    }
}
