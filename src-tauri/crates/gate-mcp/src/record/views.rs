//! The record as agents are shown it, in results and in resources.

use gate_core::outcome::AttachmentLink;
use gate_core::{
    AnsweredFrom, Assurance, Checkpoint, CheckpointId, Conversation, Decision, Found, Hit, LineComment, Message,
    Progress, Remark, RequestId, RequestStatus, RestoreId, Restored, Role, SessionStatus, SessionUuid, Timestamp,
    Withheld,
};
use serde::Serialize;

use super::Context;
use crate::output::output;

/// Checkpoints that come with a conversation.
const NEWEST_CHECKPOINTS: usize = 20;

/// The checkpoints that come with a conversation: the newest of all of them, in order.
pub(super) fn newest_checkpoints(all: &[Checkpoint]) -> &[Checkpoint] {
    all.get(all.len().saturating_sub(NEWEST_CHECKPOINTS)..).unwrap_or_default()
}

/// A conversation without its messages.
#[derive(Debug, Serialize)]
pub(super) struct Metadata<'a> {
    session_uuid: SessionUuid,
    title: &'a str,
    status: SessionStatus,
    client: &'a str,
    client_version: &'a str,
    workspace: &'a str,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Superseded ones among them.
    message_count: u64,
    progress: Option<&'a Progress>,
}

impl<'a> Metadata<'a> {
    pub(super) fn of(conversation: &'a Conversation) -> Self {
        Self {
            session_uuid: conversation.session_uuid,
            title: &conversation.title,
            status: conversation.status,
            client: &conversation.client,
            client_version: &conversation.client_version,
            workspace: &conversation.workspace,
            created_at: conversation.created_at,
            updated_at: conversation.updated_at,
            message_count: conversation.messages,
            progress: conversation.progress.as_ref(),
        }
    }
}

/// A conversation that was found, with the words around the hit.
#[derive(Debug, Serialize)]
pub(super) struct Entry<'a> {
    #[serde(flatten)]
    metadata: Metadata<'a>,
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    hit: Option<Match>,
}

impl<'a> Entry<'a> {
    pub(super) fn of(found: &'a Found) -> Self {
        Self { metadata: Metadata::of(&found.conversation), hit: found.hit.as_ref().map(Match::of) }
    }
}

/// Where words were found.
#[derive(Debug, Serialize)]
struct Match {
    message_id: i64,
    role: Role,
    excerpt: String,
}

impl Match {
    fn of(hit: &Hit) -> Self {
        let excerpt = hit.pieces.iter().map(|piece| piece.text.as_str()).collect();
        Self { message_id: hit.message_id, role: hit.role, excerpt }
    }
}

output! {
    /// One message; its files are links.
    pub(super) struct Said<'a> {
        message_id: i64,
        request_id ?: Option<RequestId>,
        role: Role,
        /// The person said it without being asked.
        note ?: bool,
        text: &'a str,
        created_at: Timestamp,
        superseded: bool,
        title ?: Option<&'a str>,
        status ?: Option<RequestStatus>,
        has_diff ?: bool,
        decision ?: Option<Decision>,
        selected ?: &'a [String],
        comments ?: &'a [LineComment],
        remarks ?: &'a [Remark],
        attachments ?: Vec<AttachmentLink>,
        answered_from ?: Option<AnsweredFrom>,
        assurance ?: Option<Assurance>,
        /// It came from another record, and answered nothing here.
        imported_at ?: Option<Timestamp>,
        /// Nothing of the reply is here, and it counts for nothing: the person has `revoked` it, or it was
        /// `not_given_here` by them.
        withheld ?: Option<Withheld>,
    }
}

impl<'a> Said<'a> {
    pub(super) fn of(message: &'a Message) -> Self {
        let attachments = message.attachments.iter().map(|attachment| AttachmentLink {
            uri: attachment.uri(),
            name: attachment.name.clone(),
            mime_type: attachment.mime_type.clone(),
            size: attachment.size,
            path: None,
        });
        Self {
            message_id: message.message_id,
            // A note belongs to no request that an agent could ask for.
            request_id: (!message.note).then_some(message.request_id),
            role: message.role,
            note: message.note,
            text: &message.text,
            created_at: message.created_at,
            superseded: message.superseded,
            title: message.title.as_deref(),
            status: message.status,
            has_diff: message.has_diff,
            decision: message.decision,
            selected: &message.selected,
            comments: &message.comments,
            remarks: &message.remarks,
            attachments: attachments.collect(),
            answered_from: message.answered_from,
            assurance: message.assurance,
            imported_at: message.imported_at,
            withheld: message.withheld,
        }
    }
}

output! {
    /// How far the work was at a checkpoint: without its steps, of which a list of checkpoints could hold
    /// hundreds of thousands.
    pub(super) struct ProgressThen<'a> {
        progress_percent: Option<u8> = { "maximum": 100 },
        status_message: Option<&'a str>,
        step_name: Option<&'a str>,
    } = { "additionalProperties": false }
}

impl<'a> ProgressThen<'a> {
    fn of(progress: &'a Progress) -> Self {
        Self {
            progress_percent: progress.progress_percent,
            status_message: progress.status_message.as_deref(),
            step_name: progress.step_name.as_deref(),
        }
    }
}

output! {
    /// A checkpoint, the same in every list and result.
    pub(super) struct CheckpointView<'a> {
        checkpoint_id: CheckpointId,
        name: &'a str,
        description: Option<&'a str>,
        messages: u64,
        progress: Option<ProgressThen<'a>>,
        created_at: Timestamp,
    }
}

impl<'a> CheckpointView<'a> {
    pub(super) fn of(checkpoint: &'a Checkpoint) -> Self {
        Self {
            checkpoint_id: checkpoint.checkpoint_id,
            name: &checkpoint.name,
            description: checkpoint.description.as_deref(),
            messages: checkpoint.messages,
            progress: checkpoint.progress.as_ref().map(ProgressThen::of),
            created_at: checkpoint.created_at,
        }
    }
}

output! {
    /// What `review_gate_restore_checkpoint` gives.
    pub(super) struct RestoredView<'a> {
        session_uuid: SessionUuid,
        restore_id: RestoreId,
        checkpoint: CheckpointView<'a>,
        superseded: u64,
        progress: Option<&'a Progress>,
        restored_at: Timestamp,
        undone_at: Option<Timestamp>,
    }
}

impl<'a> RestoredView<'a> {
    pub(super) fn of(restored: &'a Restored) -> Self {
        Self {
            session_uuid: restored.session_uuid,
            restore_id: restored.restore_id,
            checkpoint: CheckpointView::of(&restored.checkpoint),
            superseded: restored.superseded,
            progress: restored.progress.as_ref(),
            restored_at: restored.restored_at,
            undone_at: restored.undone_at,
        }
    }
}

output! {
    /// What `review_gate_get_context` gives.
    pub(super) struct ContextView<'a> {
        session_uuid: SessionUuid,
        title: &'a str,
        status: SessionStatus,
        client: &'a str,
        workspace: &'a str,
        created_at: Timestamp,
        updated_at: Timestamp,
        progress: Option<&'a Progress>,
        messages: Vec<Said<'a>>,
        /// The newest ones, in order.
        checkpoints: Vec<CheckpointView<'a>>,
        checkpoint_count: usize,
        next_cursor: Option<&'a str>,
    }
}

impl<'a> ContextView<'a> {
    pub(super) fn of(context: &'a Context, next_cursor: Option<&'a str>) -> Self {
        let conversation = &context.conversation;
        Self {
            session_uuid: conversation.session_uuid,
            title: &conversation.title,
            status: conversation.status,
            client: &conversation.client,
            workspace: &conversation.workspace,
            created_at: conversation.created_at,
            updated_at: conversation.updated_at,
            progress: conversation.progress.as_ref(),
            messages: context.messages.items.iter().map(Said::of).collect(),
            checkpoints: newest_checkpoints(&context.checkpoints).iter().map(CheckpointView::of).collect(),
            checkpoint_count: context.checkpoints.len(),
            next_cursor,
        }
    }
}
