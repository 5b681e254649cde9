//! A conversation's checkpoints in pages: the newest page first, each in order.

use gate_core::page::bad_cursor;
use gate_core::{Checkpoint, CheckpointId, Fault, SessionUuid, bounds};

use super::views::CheckpointView;
use crate::cursor;
use crate::output::output;
use crate::port::ConnectionPort;

output! {
    /// One page: some of all the checkpoints that there are, and the cursor of those before.
    pub(super) struct CheckpointPage<'a> {
        session_uuid: SessionUuid,
        checkpoints: Vec<CheckpointView<'a>>,
        checkpoint_count: usize,
        next_cursor: Option<String>,
    }
}

impl CheckpointPage<'_> {
    /// For the page with those before.
    pub(super) fn next_cursor(&self) -> Option<&String> {
        self.next_cursor.as_ref()
    }
}

/// The page of a conversation's checkpoints before one of them, or the newest page, and what stands on it.
///
/// # Errors
/// `invalid_cursor` where `before` is none of them.
pub(super) fn page<'a>(
    gate: &dyn ConnectionPort,
    session_uuid: SessionUuid,
    all: &'a [Checkpoint],
    before: Option<CheckpointId>,
) -> Result<(CheckpointPage<'a>, &'a [Checkpoint]), Fault> {
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
    Ok((CheckpointPage { session_uuid, checkpoints, checkpoint_count: all.len(), next_cursor }, shown))
}
