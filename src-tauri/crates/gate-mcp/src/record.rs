//! The tools about a session's record: progress, context, checkpoints. They never wait for a person.

mod transcript;

use gate_core::page::bad_cursor;
use gate_core::{Fault, SessionUuid};
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, JsonObject};
use rmcp::service::RequestContext;
use serde::Serialize;
use serde_json::json;

use crate::arguments::record as arguments;
use crate::arguments::record::Restore;
use crate::arguments::unknown_note;
use crate::faults::tool_error;
use crate::port::Gate;
use crate::schema::record as schema;
use crate::server::Server;
use crate::views::{CheckpointView, ContextView, RestoredView};
use crate::{checkpoints, cursor};

pub(crate) type Context = RequestContext<RoleServer>;

/// One of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordTool {
    UpdateProgress,
    GetContext,
    CreateCheckpoint,
    ListCheckpoints,
    RestoreCheckpoint,
}

impl RecordTool {
    /// The tool of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            schema::UPDATE_PROGRESS => Some(Self::UpdateProgress),
            schema::GET_CONTEXT => Some(Self::GetContext),
            schema::CREATE_CHECKPOINT => Some(Self::CreateCheckpoint),
            schema::LIST_CHECKPOINTS => Some(Self::ListCheckpoints),
            schema::RESTORE_CHECKPOINT => Some(Self::RestoreCheckpoint),
            _ => None,
        }
    }
}

/// Answers one call of a tool. Domain faults are tool errors.
pub(crate) async fn call<G: Gate>(
    server: &Server<G>,
    tool: RecordTool,
    params: CallToolRequestParams,
    context: &Context,
) -> CallToolResult {
    let arguments = params.arguments;
    let called = match tool {
        RecordTool::UpdateProgress => update_progress(server, arguments, context).await,
        RecordTool::GetContext => get_context(server, arguments, context).await,
        RecordTool::CreateCheckpoint => create_checkpoint(server, arguments, context).await,
        RecordTool::ListCheckpoints => list_checkpoints(server, arguments, context).await,
        RecordTool::RestoreCheckpoint => restore_checkpoint(server, arguments, context).await,
    };
    called.unwrap_or_else(|fault| tool_error(&fault))
}

async fn update_progress<G: Gate>(
    server: &Server<G>,
    arguments: Option<JsonObject>,
    context: &Context,
) -> Result<CallToolResult, Fault> {
    let told = arguments::progress(arguments)?;
    let reported = server.gate().report(server.whose(told.session_uuid, context), told.what).await?;
    let structured = json!({
        "session_uuid": reported.session_uuid, "status": reported.status, "progress": reported.progress,
    });
    let text = format!("Noted: {}.", transcript::headline(&reported.progress));
    let asides = reported.asides.into_iter().chain(unknown_note(&told.unknown));
    result(text, reported.session_uuid, asides, &structured)
}

async fn get_context<G: Gate>(
    server: &Server<G>,
    arguments: Option<JsonObject>,
    context: &Context,
) -> Result<CallToolResult, Fault> {
    let mut told = arguments::paged(arguments)?;
    let gate = server.gate();
    let older = match told.what.filter(|cursor| !cursor.is_empty()) {
        Some(cursor) => {
            let (session, place) = cursor::open_context(gate, &cursor)?;
            goes_on_in(session, &mut told.session_uuid)?;
            Some(place)
        }
        None => None,
    };
    let mut found = gate.context(server.whose(told.session_uuid, context), older).await?;
    let session = found.conversation.session_uuid;
    let next = found.messages.next.map(|place| cursor::seal_context(gate, session, place)).transpose()?;
    let asides = std::mem::take(&mut found.asides);
    let text = transcript::of(&found, next.as_deref());
    let view = ContextView::of(&found, next.as_deref());
    result(text, session, asides.into_iter().chain(unknown_note(&told.unknown)), &view)
}

async fn create_checkpoint<G: Gate>(
    server: &Server<G>,
    arguments: Option<JsonObject>,
    context: &Context,
) -> Result<CallToolResult, Fault> {
    let told = arguments::checkpoint(arguments)?;
    let (name, description) = told.what;
    let whose = server.whose(told.session_uuid, context);
    let (session, checkpoint) = server.gate().create_checkpoint(whose, name, description).await?;
    let text = format!(
        "Checkpoint {:?} made: checkpoint_id {}. review_gate_restore_checkpoint takes the conversation back to it.",
        checkpoint.name, checkpoint.checkpoint_id
    );
    let structured = json!({ "session_uuid": session, "checkpoint": CheckpointView::of(&checkpoint) });
    result(text, session, unknown_note(&told.unknown), &structured)
}

async fn list_checkpoints<G: Gate>(
    server: &Server<G>,
    arguments: Option<JsonObject>,
    context: &Context,
) -> Result<CallToolResult, Fault> {
    let mut told = arguments::paged(arguments)?;
    let gate = server.gate();
    let opened = told.what.filter(|cursor| !cursor.is_empty()).map(|cursor| cursor::open_checkpoints(gate, &cursor));
    let before = match opened.transpose()? {
        Some((session, before)) => {
            goes_on_in(session, &mut told.session_uuid)?;
            Some(before)
        }
        None => None,
    };
    let (session, all) = gate.list_checkpoints(server.whose(told.session_uuid, context)).await?;
    let page = checkpoints::page(gate, session, &all, before)?;
    let mut text = transcript::checkpoints(page.shown, all.len());
    if let Some(cursor) = &page.next_cursor {
        text.push_str(&format!("\n\nThere are older ones: call review_gate_list_checkpoints with cursor {cursor}"));
    }
    result(text, session, unknown_note(&told.unknown), &page)
}

async fn restore_checkpoint<G: Gate>(
    server: &Server<G>,
    arguments: Option<JsonObject>,
    context: &Context,
) -> Result<CallToolResult, Fault> {
    let told = arguments::restore(arguments)?;
    let whose = server.whose(told.session_uuid, context);
    let restored = match told.what {
        Restore::To(checkpoint) => server.gate().restore(whose, checkpoint).await?,
        Restore::Undo(restore) => server.gate().undo_restore(whose, restore).await?,
    };
    result(
        transcript::restored(&restored),
        restored.session_uuid,
        unknown_note(&told.unknown),
        &RestoredView::of(&restored),
    )
}

/// A cursor goes on in its own conversation, which a call may leave out.
fn goes_on_in(session: SessionUuid, named: &mut Option<SessionUuid>) -> Result<(), Fault> {
    match *named.get_or_insert(session) == session {
        true => Ok(()),
        false => Err(bad_cursor()),
    }
}

/// The text for a model and the structure for programs.
fn result(
    mut text: String,
    session: SessionUuid,
    asides: impl IntoIterator<Item = String>,
    structured: &impl Serialize,
) -> Result<CallToolResult, Fault> {
    for aside in asides {
        text.push_str("\n\n");
        text.push_str(&aside);
    }
    text.push_str(&format!("\n\n(session_uuid {session}; pass it on your next call.)"));
    let structured = serde_json::to_value(structured).map_err(|error| Fault::internal(error.to_string()))?;
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    Ok(result)
}
