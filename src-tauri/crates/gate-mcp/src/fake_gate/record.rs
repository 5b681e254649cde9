//! The record of the tests' gate: in memory, one session an agent.

use async_trait::async_trait;
use gate_core::{
    Checkpoint, CheckpointId, Code, Conversation, ConversationQuery, Fault, Found, Message, Owner, Page, Place,
    Progress, ProgressUpdate, RequestId, RequestStatus, RestoreId, Restored, Role, SessionStatus, SessionUuid,
    Timestamp, bounds,
};
use uuid::Uuid;

use super::FakeGate;
use crate::port::{Change, Whose};
use crate::record::{Context, RecordPort, Recorded, Reported, SessionDetails};

/// Messages of every conversation, the oldest first.
fn page(older: Option<Place>) -> Page<Message> {
    let end = match older {
        Some(Place::Message(message)) => message,
        _ => 3,
    };
    let message = |message_id| Message {
        message_id,
        request_id: RequestId(Uuid::from_u128(9)),
        role: Role::Agent,
        text: format!("message {message_id}"),
        created_at: Timestamp(message_id),
        superseded: false,
        note: false,
        title: None,
        status: Some(RequestStatus::Answered),
        has_diff: false,
        permission: None,
        decision: None,
        selected: Vec::new(),
        comments: Vec::new(),
        remarks: Vec::new(),
        attachments: Vec::new(),
        answered_from: None,
        assurance: None,
        imported_at: None,
        withheld: None,
    };
    Page { items: vec![message(end - 1)], next: (end > 2).then_some(Place::Message(end - 1)) }
}

#[async_trait]
impl RecordPort for FakeGate {
    async fn report(&self, whose: Whose, update: ProgressUpdate) -> Result<Reported, Fault> {
        let (session_uuid, progress) = self.with(&whose, |(conversation, _)| {
            let progress = Progress::after(conversation.progress.take(), update, Timestamp(0));
            conversation.progress = Some(progress.clone());
            progress
        });
        let _ = self.changes.send(Change::Conversation(session_uuid));
        Ok(Reported { session_uuid, status: SessionStatus::Active, progress, asides: vec!["An aside.".to_owned()] })
    }

    async fn context(&self, whose: Whose, older: Option<Place>) -> Result<Context, Fault> {
        let (_, (conversation, checkpoints)) = self.with(&whose, |found| found.clone());
        Ok(Context { conversation, messages: page(older), checkpoints, asides: Vec::new() })
    }

    async fn create_checkpoint(
        &self,
        whose: Whose,
        name: String,
        description: Option<String>,
    ) -> Result<(SessionUuid, Checkpoint), Fault> {
        let (session, checkpoint) = self.with(&whose, |(conversation, checkpoints)| {
            let checkpoint = Checkpoint {
                checkpoint_id: CheckpointId(Uuid::from_u128(checkpoints.len() as u128 + 5)),
                name,
                description,
                messages: 0,
                progress: conversation.progress.clone(),
                created_at: Timestamp(0),
            };
            checkpoints.push(checkpoint.clone());
            checkpoint
        });
        let _ = self.changes.send(Change::Checkpoints(session));
        Ok((session, checkpoint))
    }

    async fn list_checkpoints(&self, whose: Whose) -> Result<(SessionUuid, Vec<Checkpoint>), Fault> {
        Ok(self.with(&whose, |(_, checkpoints)| checkpoints.clone()))
    }

    async fn restore(&self, whose: Whose, checkpoint: String) -> Result<Restored, Fault> {
        let (session_uuid, checkpoints) = self.with(&whose, |(_, checkpoints)| checkpoints.clone());
        let found = checkpoints.into_iter().find(|known| known.name == checkpoint);
        let checkpoint = found.ok_or_else(|| Fault::new(Code::UnknownCheckpoint, "There is none.", "List them."))?;
        let (restore_id, restored_at) = (RestoreId(Uuid::from_u128(6)), Timestamp(0));
        let (superseded, progress, undone_at) = (2, None, None);
        Ok(Restored { session_uuid, restore_id, checkpoint, superseded, progress, restored_at, undone_at })
    }

    async fn undo_restore(&self, whose: Whose, _restore: Option<RestoreId>) -> Result<Restored, Fault> {
        let _ = whose;
        Err(Fault::new(Code::UnknownRestore, "Nothing was restored.", "Restore first."))
    }

    async fn conversations(
        &self,
        query: ConversationQuery,
        after: Option<Place>,
        _client: &Owner,
    ) -> Result<Page<Found>, Fault> {
        let record = self.lock();
        let fits =
            |found: &&(Conversation, Vec<Checkpoint>)| query.status.is_none_or(|status| found.0.status == status);
        let before = |found: &&(Conversation, Vec<Checkpoint>)| match after {
            Some(Place::Conversation { updated_at, .. }) => found.0.updated_at < updated_at,
            _ => true,
        };
        let mut found = record.conversations.iter().rev().filter(fits).filter(before);
        let items = found.by_ref().take(bounds::PAGE_ITEMS).map(|(conversation, _)| conversation.clone());
        let items: Vec<Found> = items.map(|conversation| Found { conversation, hit: None }).collect();
        let last = items.last().filter(|_| found.next().is_some()).map(|last| &last.conversation);
        let next =
            last.map(|last| Place::Conversation { updated_at: last.updated_at, session_uuid: last.session_uuid });
        Ok(Page { items, next })
    }

    async fn conversation(
        &self,
        session: SessionUuid,
        older: Option<Place>,
        _client: &Owner,
    ) -> Result<Option<Recorded>, Fault> {
        let record = self.lock();
        let found = record.find(session);
        Ok(found.map(|(conversation, _)| Recorded { conversation: conversation.clone(), messages: page(older) }))
    }

    async fn session(&self, session: SessionUuid, _client: &Owner) -> Result<Option<SessionDetails>, Fault> {
        let found = self.lock().find(session).map(|(conversation, _)| conversation.clone());
        Ok(found.map(|conversation| SessionDetails {
            conversation,
            transport: Some("stdio".to_owned()),
            protocol_version: None,
            spoke_at: Timestamp(0),
            pending: Vec::new(),
        }))
    }

    async fn checkpoints(&self, session: SessionUuid, _client: &Owner) -> Result<Option<Vec<Checkpoint>>, Fault> {
        Ok(self.lock().find(session).map(|(_, checkpoints)| checkpoints.clone()))
    }

    async fn sessions_like(
        &self,
        beginning: &str,
        most: u32,
        _client: &Owner,
    ) -> Result<(Vec<SessionUuid>, u64), Fault> {
        let record = self.lock();
        let all = record.conversations.iter().map(|(conversation, _)| conversation.session_uuid);
        let all: Vec<_> = all.filter(|session| session.to_string().starts_with(beginning)).collect();
        let count = all.len() as u64;
        Ok((all.into_iter().take(most as usize).collect(), count))
    }
}
