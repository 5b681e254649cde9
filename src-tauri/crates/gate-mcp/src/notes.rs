//! The person's notes, put in front of whatever result goes to their agent next.

use std::any::Any;

use gate_core::{Note, Timestamp, note};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;

use crate::output::output;
use crate::port::ConnectionPort;

output! {
    /// A note in the structure of a result.
    pub(crate) struct NoteTold<'a> {
        text: &'a str,
        created_at: Timestamp,
    }
}

impl<'a> NoteTold<'a> {
    fn of(note: &'a Note) -> Self {
        Self { text: &note.text, created_at: note.created_at }
    }
}

/// Adds the notes that wait for the agent of the result's session. What is returned goes with the
/// result: dropped before that is delivered, it gives the notes back.
pub(crate) fn add(
    gate: &dyn ConnectionPort,
    call_key: &str,
    result: &mut CallToolResult,
) -> Option<Box<dyn Any + Send + Sync>> {
    let structured = result.structured_content.as_mut()?.as_object_mut()?;
    let session = structured.get("session_uuid")?.as_str()?.parse().ok()?;
    let handover = gate.notes(session, call_key)?;
    let told: Vec<_> = handover.notes.iter().map(NoteTold::of).collect();
    structured.insert("notes".to_owned(), json!(told));
    result.content.insert(0, ContentBlock::text(note::for_model(&handover.notes)));
    Some(handover.carried)
}
