//! A conversation's checkpoints in pages: the newest page first, each in order.

use gate_core::page::bad_cursor;
use gate_core::{Checkpoint, CheckpointId, Fault, SessionUuid, bounds};
use serde::Serialize;

use crate::cursor;
use crate::port::Gate;
use crate::views::CheckpointView;

/// One page.
#[derive(Debug, Serialize)]
pub(crate) struct CheckpointPage<'a> {
    session_uuid: SessionUuid,
    checkpoints: Vec<CheckpointView<'a>>,
    /// On all pages together.
    checkpoint_count: usize,
    /// For the page with those before.
    pub(crate) next_cursor: Option<String>,
    /// The checkpoints themselves.
    #[serde(skip)]
    pub(crate) shown: &'a [Checkpoint],
}

/// The page of a conversation's checkpoints before one of them, or the newest page.
///
/// # Errors
/// `invalid_cursor` where `before` is none of them.
pub(crate) fn page<'a, G: Gate>(
    gate: &G,
    session_uuid: SessionUuid,
    all: &'a [Checkpoint],
    before: Option<CheckpointId>,
) -> Result<CheckpointPage<'a>, Fault> {
    let end = match before {
        Some(before) => all.iter().position(|known| known.checkpoint_id == before).ok_or_else(bad_cursor)?,
        None => all.len(),
    };
    let begin = end.saturating_sub(bounds::PAGE_ITEMS);
    let shown = all.get(begin..end).unwrap_or_default();
    let first = shown.first().filter(|_| begin > 0);
    let next_cursor =
        first.map(|first| cursor::seal_checkpoints(gate, session_uuid, first.checkpoint_id)).transpose()?;
    let checkpoints = shown.iter().map(CheckpointView::of).collect();
    Ok(CheckpointPage { session_uuid, checkpoints, checkpoint_count: all.len(), next_cursor, shown })
}
