//! A session's record: the tools, which report, look back and go back, and the resources. They never wait for a
//! person.

mod checkpoints;
mod input;
mod port;
mod resources;
mod transcript;
mod views;

use std::sync::Arc;

use gate_core::page::bad_cursor;
use gate_core::{Fault, Progress, SessionStatus, SessionUuid};

use crate::cursor;
use crate::output::output;
use crate::tool::{Answer, Called, Manners, Tool, tool};
use crate::toolset::Subject;
use checkpoints::CheckpointPage;
use input::{Back, NewCheckpoint, Older, OlderCheckpoints, Report, Restore};
use resources::Conversations;
use views::{CheckpointView, ContextView, RestoredView};

pub use port::{Context, RecordPort, Recorded, Reported, SessionDetails};

/// The record.
pub(crate) static SUBJECT: Subject<dyn RecordPort> =
    Subject { tools: TOOLS, resources: &[|port| Arc::new(Conversations(port))] };

/// All of the tools.
const TOOLS: &[Tool<dyn RecordPort>] = &[
    tool!(
        "review_gate_update_progress",
        "Report progress",
        "Tell the person how far your work is, live. Call it whenever a step begins or ends; it returns at once. What \
         you leave out stays as it was. Pass `completed: true` when all of the work is done.",
        Manners::SETS,
        Report => ReportView<'static>,
        at_once update_progress
    ),
    tool!(
        "review_gate_get_context",
        "Read the conversation",
        "Read what was asked and answered in this session so far: the newest messages with the person's decisions, the \
         progress, and the newest checkpoints. Use it after you have lost your memory of the conversation.",
        Manners::READS,
        Older => ContextView<'static>,
        at_once get_context
    ),
    tool!(
        "review_gate_create_checkpoint",
        also "review_gate_set_checkpoint",
        "Create a checkpoint",
        "Keep the conversation and its progress as they are now under a name, to come back to them later. Files are \
         not part of it.",
        Manners::WRITES,
        NewCheckpoint => CheckpointMade<'static>,
        at_once create_checkpoint
    ),
    tool!(
        "review_gate_list_checkpoints",
        "List the checkpoints",
        "List the checkpoints of this session: the newest 50 in order, and older ones by `cursor`.",
        Manners::READS,
        OlderCheckpoints => CheckpointPage<'static>,
        at_once list_checkpoints
    ),
    tool!(
        "review_gate_restore_checkpoint",
        "Go back to a checkpoint",
        "Take the conversation and its progress back to a checkpoint. Later messages are marked as superseded, nothing \
         is deleted, and `undo: true` takes it back. Files are not touched.",
        Manners::WRITES,
        Back => RestoredView<'static>,
        at_once restore_checkpoint
    ),
];

output! {
    /// What `review_gate_update_progress` gives.
    struct ReportView<'a> {
        session_uuid: SessionUuid,
        status: SessionStatus,
        progress: &'a Progress,
    }
}

output! {
    /// What `review_gate_create_checkpoint` gives.
    struct CheckpointMade<'a> {
        session_uuid: SessionUuid,
        checkpoint: CheckpointView<'a>,
    }
}

async fn update_progress(
    gate: &dyn RecordPort,
    called: &Called<'_>,
    report: Report,
) -> Result<Answer<ReportView<'static>>, Fault> {
    let whose = called.whose(report.session_uuid);
    let Reported { session_uuid, status, progress, asides } = gate.report(whose, report.checked()?).await?;
    let text = format!("Noted: {}.", transcript::headline(&progress));
    let answer = Answer::new(text, &ReportView { session_uuid, status, progress: &progress })?;
    Ok(answer.with_asides(asides).in_session(session_uuid))
}

async fn get_context(
    gate: &dyn RecordPort,
    called: &Called<'_>,
    mut older: Older,
) -> Result<Answer<ContextView<'static>>, Fault> {
    let before = match older.cursor.filter(|cursor| !cursor.is_empty()) {
        Some(cursor) => {
            let (session, place) = cursor::open_context(called.gate, &cursor)?;
            goes_on_in(session, &mut older.session_uuid)?;
            Some(place)
        }
        None => None,
    };
    let mut found = gate.context(called.whose(older.session_uuid), before).await?;
    let session = found.conversation.session_uuid;
    let next = found.messages.next.map(|place| cursor::seal_context(called.gate, session, place)).transpose()?;
    let asides = std::mem::take(&mut found.asides);
    let text = transcript::of(&found, next.as_deref());
    let answer = Answer::new(text, &ContextView::of(&found, next.as_deref()))?;
    Ok(answer.with_asides(asides).in_session(session))
}

async fn create_checkpoint(
    gate: &dyn RecordPort,
    called: &Called<'_>,
    new: NewCheckpoint,
) -> Result<Answer<CheckpointMade<'static>>, Fault> {
    let (name, description) = new.checked()?;
    let (session_uuid, checkpoint) = gate.create_checkpoint(called.whose(new.session_uuid), name, description).await?;
    let text = format!(
        "Checkpoint {:?} made: checkpoint_id {}. review_gate_restore_checkpoint takes the conversation back to it.",
        checkpoint.name, checkpoint.checkpoint_id
    );
    let made = CheckpointMade { session_uuid, checkpoint: CheckpointView::of(&checkpoint) };
    Ok(Answer::new(text, &made)?.in_session(session_uuid))
}

async fn list_checkpoints(
    gate: &dyn RecordPort,
    called: &Called<'_>,
    mut older: OlderCheckpoints,
) -> Result<Answer<CheckpointPage<'static>>, Fault> {
    let cursor = older.cursor.filter(|cursor| !cursor.is_empty());
    let before = match cursor.map(|cursor| cursor::open_checkpoints(called.gate, &cursor)).transpose()? {
        Some((session, before)) => {
            goes_on_in(session, &mut older.session_uuid)?;
            Some(before)
        }
        None => None,
    };
    let (session, all) = gate.list_checkpoints(called.whose(older.session_uuid)).await?;
    let (page, shown) = checkpoints::page(called.gate, session, &all, before)?;
    let mut text = transcript::checkpoints(shown, all.len());
    if let Some(cursor) = page.next_cursor() {
        text.push_str(&format!("\n\nThere are older ones: call review_gate_list_checkpoints with cursor {cursor}"));
    }
    Ok(Answer::new(text, &page)?.in_session(session))
}

async fn restore_checkpoint(
    gate: &dyn RecordPort,
    called: &Called<'_>,
    back: Back,
) -> Result<Answer<RestoredView<'static>>, Fault> {
    let whose = called.whose(back.session_uuid);
    let restored = match back.checked()? {
        Restore::To(checkpoint) => gate.restore(whose, checkpoint).await?,
        Restore::Undo(restore) => gate.undo_restore(whose, restore).await?,
    };
    let answer = Answer::new(transcript::restored(&restored), &RestoredView::of(&restored))?;
    Ok(answer.in_session(restored.session_uuid))
}

/// A cursor goes on in its own conversation, which a call may leave out.
fn goes_on_in(session: SessionUuid, named: &mut Option<SessionUuid>) -> Result<(), Fault> {
    match *named.get_or_insert(session) == session {
        true => Ok(()),
        false => Err(bad_cursor()),
    }
}
