//! What waits for an agent and comes with whatever result goes to it next: the person's notes in front, and after all
//! else which of its earlier requests were answered.

use std::any::Any;

use gate_core::outcome::Earlier;
use gate_core::{AnsweredFrom, Assurance, Note, SessionUuid, Timestamp, note};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::output::{add_asides, output};
use crate::port::ConnectionPort;

/// The field of a result's structure for replies that its agent hasn't fetched.
pub(crate) const EARLIER: &str = "earlier";

output! {
    /// A note in the structure of a result.
    pub(crate) struct NoteTold<'a> {
        text: &'a str,
        created_at: Timestamp,
        /// Where it was given; absent where that isn't known.
        answered_from ?: Option<AnsweredFrom>,
        /// How sure it is that the person gave it: from `L1` on it is theirs.
        assurance ?: Option<Assurance>,
    }
}

impl<'a> NoteTold<'a> {
    fn of(note: &'a Note) -> Self {
        let (text, created_at, given) = (note.text.as_str(), note.created_at, note.given);
        let (answered_from, assurance) = given.map(|given| (given.from, given.assurance)).unzip();
        Self { text, created_at, answered_from, assurance }
    }
}

/// Adds what waits for the agent of the result's session. What is returned goes with the result: dropped before that is
/// delivered, it gives the notes back.
pub(crate) async fn add(
    gate: &dyn ConnectionPort,
    call_key: &str,
    result: &mut CallToolResult,
) -> Option<Box<dyn Any + Send + Sync>> {
    let session: SessionUuid = result.structured_content.as_ref()?.get("session_uuid")?.as_str()?.parse().ok()?;
    let earlier = gate.earlier(session).await;
    if !earlier.is_empty() {
        let told = Earlier::for_model(&earlier);
        put(result, EARLIER, json!(earlier));
        if let Some(structured) = &mut result.structured_content {
            add_asides(structured, std::slice::from_ref(&told));
        }
        result.content.push(ContentBlock::text(told));
    }
    let handover = gate.notes(session, call_key)?;
    let told: Vec<_> = handover.notes.iter().map(NoteTold::of).collect();
    put(result, "notes", json!(told));
    result.content.insert(0, ContentBlock::text(note::for_model(&handover.notes)));
    Some(handover.carried)
}

fn put(result: &mut CallToolResult, field: &str, value: Value) {
    if let Some(fields) = result.structured_content.as_mut().and_then(Value::as_object_mut) {
        fields.insert(field.to_owned(), value);
    }
}
