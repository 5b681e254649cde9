//! Sessions and the record: parse, one call, one conversion.

use gate_api::subjects::conversations::{
    BackUp, BackedUp, CloseSession, DeleteConversation, Export, Exported, GiveSession, Handler, HistoryChoices,
    HistoryPage, Import, Imported, ListSessions, OpenedConversation, ReadConversation, ReadHistory, ReadHistoryChoices,
    ReopenSession, RestoreCheckpoint, RestoredConversation, SendNote, Sessions, TakeBackNote, UndoRestore,
};
use gate_api::{Done, Origin};
use gate_core::Fault;

use crate::slices::Gate;
use crate::slices::receipts::given;

impl Handler for Gate {
    async fn sessions(&self, _: ListSessions, _: Origin) -> Result<Sessions, Fault> {
        Ok(Sessions { sessions: self.inner.conversations.sessions.all() })
    }

    async fn close_session(&self, closed: CloseSession, _: Origin) -> Result<Done, Fault> {
        self.inner.conversations.complete(closed.session_uuid, true).await?;
        Ok(Done {})
    }

    async fn reopen_session(&self, reopened: ReopenSession, _: Origin) -> Result<Done, Fault> {
        self.inner.conversations.complete(reopened.session_uuid, false).await?;
        Ok(Done {})
    }

    async fn send_note(&self, note: SendNote, origin: Origin) -> Result<Done, Fault> {
        self.inner.conversations.send_note(note.session_uuid, note.text, given(origin)).await?;
        Ok(Done {})
    }

    async fn take_back_note(&self, taken: TakeBackNote, _: Origin) -> Result<Done, Fault> {
        self.inner.conversations.take_back_note(taken.note_id).await?;
        Ok(Done {})
    }

    async fn history(&self, ReadHistory { query, cursor }: ReadHistory, _: Origin) -> Result<HistoryPage, Fault> {
        self.inner.conversations.history(query, cursor.as_deref()).await
    }

    async fn history_choices(&self, _: ReadHistoryChoices, _: Origin) -> Result<HistoryChoices, Fault> {
        self.inner.conversations.history_choices().await
    }

    async fn conversation(&self, asked: ReadConversation, _: Origin) -> Result<OpenedConversation, Fault> {
        let read = self.inner.conversations.conversation_view(asked.session_uuid, asked.cursor.as_deref());
        let mut conversation = read.await?;
        self.inner.receipts.put_beside(&mut conversation.messages).await;
        Ok(OpenedConversation { conversation })
    }

    async fn restore_checkpoint(&self, asked: RestoreCheckpoint, _: Origin) -> Result<RestoredConversation, Fault> {
        let session = asked.session_uuid;
        let restored =
            self.inner.conversations.restore_checkpoint(session, &asked.checkpoint_id.to_string(), None).await?;
        self.inner.conversations.sessions.tell(session, restored_by_person(&restored.checkpoint.name));
        Ok(RestoredConversation { restored })
    }

    async fn undo_restore(&self, undone: UndoRestore, _: Origin) -> Result<RestoredConversation, Fault> {
        let restored = self.inner.conversations.undo(undone.session_uuid, Some(undone.restore_id)).await?;
        self.inner.conversations.sessions.tell(undone.session_uuid, undone_by_person(&restored.checkpoint.name));
        Ok(RestoredConversation { restored })
    }

    async fn give_session(&self, given: GiveSession, _: Origin) -> Result<Done, Fault> {
        let client = match &given.client {
            Some(name) => Some(self.inner.connections.client_named(name).await?),
            None => None,
        };
        self.inner.conversations.give(given.session_uuid, client.as_ref()).await?;
        Ok(Done {})
    }

    async fn delete_conversation(&self, deleted: DeleteConversation, _: Origin) -> Result<Done, Fault> {
        self.inner.conversations.delete_conversation(deleted.session_uuid).await?;
        Ok(Done {})
    }

    async fn export(&self, Export { session_uuid, format, path }: Export, _: Origin) -> Result<Exported, Fault> {
        self.inner.conversations.export(session_uuid, format, path.as_deref()).await
    }

    async fn import(&self, imported: Import, _: Origin) -> Result<Imported, Fault> {
        self.inner.conversations.import(&imported.path).await
    }

    async fn backup(&self, _: BackUp, _: Origin) -> Result<BackedUp, Fault> {
        self.inner.conversations.back_up().await
    }
}

fn restored_by_person(checkpoint: &str) -> String {
    format!(
        "The person took this conversation back to the checkpoint {checkpoint:?}. What was said after it no longer \
         holds; call review_gate_get_context before you go on."
    )
}

fn undone_by_person(checkpoint: &str) -> String {
    format!(
        "The person undid taking this conversation back to the checkpoint {checkpoint:?}. Everything said holds \
         again; call review_gate_get_context before you go on."
    )
}
