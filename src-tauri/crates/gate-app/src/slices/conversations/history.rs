//! The record as windows and terminals page through it.

use gate_api::subjects::conversations::{HistoryChoices, HistoryPage};
use gate_api::{CheckpointView, ConversationView, HistoryAgent, HistoryEntry, HistoryWorkspace, MessageView};
use gate_core::clients::display_name;
use gate_core::export::fenced;
use gate_core::markdown::{self, visible};
use gate_core::{
    Conversation, ConversationQuery, Fault, Found, Hit, Message, Page, PermissionSaid, Piece, Place, SessionUuid,
};

use super::Conversations;
use crate::shown::{shown, workspace_name};
use crate::unknown::unknown_session;

impl Conversations {
    /// A page of conversations.
    pub(crate) async fn page(&self, query: &ConversationQuery, after: Option<Place>) -> Result<Page<Found>, Fault> {
        if let Some(text) = query.text.as_deref().filter(|text| !text.trim().is_empty()) {
            return self.search.find(text, query, after).await;
        }
        let page = self.store.conversations(query, after).await?;
        let items = page.items.into_iter().map(|conversation| Found { conversation, hit: None }).collect();
        Ok(Page { items, next: page.next })
    }

    /// A page of conversations for a front end.
    pub(crate) async fn history(&self, query: ConversationQuery, cursor: Option<&str>) -> Result<HistoryPage, Fault> {
        let after = cursor.map(str::parse::<Place>).transpose()?;
        let page = self.page(&query, after).await?;
        let unindexed = match query.text {
            Some(_) => self.search.missing().await?,
            None => 0,
        };
        let entries = page.items.into_iter().map(|found| entry(found.conversation, found.hit));
        Ok(HistoryPage { conversations: entries.collect(), next: page.next.map(|next| next.to_string()), unindexed })
    }

    /// What conversations can be narrowed down to.
    pub(crate) async fn history_choices(&self) -> Result<HistoryChoices, Fault> {
        let clients = self.store.clients_of_the_record().await?.into_iter();
        let agents = clients.map(|client| HistoryAgent { name: visible(&display_name(&client)), client });
        let folders = self.store.workspaces_of_the_record().await?.into_iter();
        let workspaces = folders.map(|workspace| HistoryWorkspace {
            folder: visible(&workspace),
            name: workspace_name(&workspace),
            workspace,
        });
        Ok(HistoryChoices { agents: agents.collect(), workspaces: workspaces.collect() })
    }

    /// A conversation with a page of its messages for a front end.
    pub(crate) async fn conversation_view(
        &self,
        session: SessionUuid,
        cursor: Option<&str>,
    ) -> Result<ConversationView, Fault> {
        let older = cursor.map(str::parse::<Place>).transpose()?;
        let recorded = self.conversation(session, older).await?.ok_or_else(|| unknown_session(session))?;
        let checkpoints = self.store.checkpoints(session).await?.into_iter();
        let checkpoints = checkpoints.map(|stored| {
            let mut checkpoint = stored.checkpoint;
            checkpoint.name = visible(&checkpoint.name);
            checkpoint.description = checkpoint.description.as_deref().map(visible);
            checkpoint.progress = checkpoint.progress.as_ref().map(shown);
            CheckpointView { checkpoint, after_message: stored.after_message }
        });
        let checkpoints = checkpoints.collect();
        let restored = self.store.restored(session).await?;
        let messages = recorded.messages.items;
        // Markdown of fifty messages is a matter of milliseconds, off the async threads.
        let parse = move || messages.into_iter().map(message).collect();
        let messages = tokio::task::spawn_blocking(parse).await.map_err(|error| Fault::internal(error.to_string()))?;
        Ok(ConversationView {
            client_version: visible(&recorded.conversation.client_version),
            entry: entry(recorded.conversation, None),
            messages,
            older: recorded.messages.next.map(|next| next.to_string()),
            checkpoints,
            restored,
        })
    }
}

fn entry(conversation: Conversation, hit: Option<Hit>) -> HistoryEntry {
    let shown_hit = hit.map(|hit| Hit {
        pieces: hit.pieces.into_iter().map(|piece| Piece { text: visible(&piece.text), hit: piece.hit }).collect(),
        ..hit
    });
    HistoryEntry {
        session_uuid: conversation.session_uuid,
        title: conversation.title,
        status: conversation.status,
        client: visible(&display_name(&conversation.client)),
        workspace_name: workspace_name(&conversation.workspace),
        workspace: visible(&conversation.workspace),
        created_at: conversation.created_at,
        updated_at: conversation.updated_at,
        messages: conversation.messages,
        progress: conversation.progress.as_ref().map(shown),
        hit: shown_hit,
    }
}

fn message(message: Message) -> MessageView {
    MessageView {
        message_id: message.message_id,
        request_id: message.request_id,
        role: message.role,
        // What was changed and allowed is no Markdown.
        text: markdown::parse(&match &message.permission {
            Some(PermissionSaid::Edited) => fenced(&message.text),
            _ => message.text,
        }),
        permission: message.permission,
        created_at: message.created_at,
        superseded: message.superseded,
        note: message.note,
        title: message.title,
        status: message.status,
        has_diff: message.has_diff,
        decision: message.decision,
        selected: message.selected,
        comments: message.comments,
        remarks: message.remarks,
        attachments: message.attachments,
        answered_from: message.answered_from,
        assurance: message.assurance,
        // Beside what was said stands what only the receipts' slice knows.
        receipt: None,
        imported_at: message.imported_at,
    }
}
