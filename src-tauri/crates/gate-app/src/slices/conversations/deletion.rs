//! Conversations that are deleted: nothing of them may be remembered.

use gate_api::subjects::conversations::Event;
use gate_core::{Fault, SessionUuid};
use gate_mcp::Change;

use super::Conversations;

impl Conversations {
    /// Deletes a conversation for good.
    pub(crate) async fn delete_conversation(&self, session: SessionUuid) -> Result<(), Fault> {
        self.store.delete_conversation(session).await?;
        self.forget(&[session]);
        Ok(())
    }

    /// These conversations are no longer in the record.
    pub(crate) fn forget(&self, sessions: &[SessionUuid]) {
        for session in sessions {
            self.sessions.notes.forget(*session);
            self.forget_session(*session);
        }
        if !sessions.is_empty() {
            self.drop_copies(sessions);
            self.queue.settled.clear();
            self.owners.clear();
            self.search.conversations_deleted();
            self.conversations_changed();
        }
    }

    fn forget_session(&self, session: SessionUuid) {
        self.turns.forget(session);
        if self.sessions.forget(session) {
            self.bus.emit(Event::SessionForgotten { session_uuid: session });
        }
    }

    /// Conversations came or went.
    pub(crate) fn conversations_changed(&self) {
        self.bus.change(Change::Anything);
        self.bus.emit(Event::HistoryChanged);
    }
}
