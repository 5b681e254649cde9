//! Whose turn it is: what reads a session's progress and writes it again does so alone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gate_core::SessionUuid;

/// A lock for each session that something is written for.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<HashMap<SessionUuid, Arc<tokio::sync::Mutex<()>>>>);

impl Turns {
    /// The session's lock.
    pub(crate) fn of(&self, session: SessionUuid) -> Arc<tokio::sync::Mutex<()>> {
        Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(session).or_default())
    }

    /// Drops the lock of a session that is no longer in memory.
    pub(crate) fn forget(&self, session: SessionUuid) {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever holds it still needs it; the next one that forgets finds it free.
        if turns.get(&session).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            turns.remove(&session);
        }
    }
}
