//! The tools about a session's record, as clients see them.

use gate_core::{SessionStatus, StepState, bounds};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::object;

/// Reports how far the work is.
pub(crate) const UPDATE_PROGRESS: &str = "review_gate_update_progress";
/// Reads the conversation so far.
pub(crate) const GET_CONTEXT: &str = "review_gate_get_context";
/// Takes a snapshot.
pub(crate) const CREATE_CHECKPOINT: &str = "review_gate_create_checkpoint";
/// Another name of [`CREATE_CHECKPOINT`]; not listed.
pub(crate) const SET_CHECKPOINT: &str = "review_gate_set_checkpoint";
/// Lists snapshots.
pub(crate) const LIST_CHECKPOINTS: &str = "review_gate_list_checkpoints";
/// Goes back to a snapshot.
pub(crate) const RESTORE_CHECKPOINT: &str = "review_gate_restore_checkpoint";

/// All of them.
pub(super) fn tools() -> Vec<Tool> {
    vec![update_progress(), get_context(), create_checkpoint(), list_checkpoints(), restore_checkpoint()]
}

/// What each of them does to the world.
pub(super) struct Manners {
    pub(super) reads_only: bool,
    pub(super) idempotent: bool,
}

pub(super) fn tool(
    name: &'static str,
    title: &'static str,
    about: &'static str,
    manners: &Manners,
    input: Value,
    mut output: Value,
) -> Tool {
    if let Some(properties) = output.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("notes".to_owned(), super::notes());
    }
    let annotations = ToolAnnotations::with_title(title)
        .read_only(manners.reads_only)
        .destructive(false)
        .idempotent(manners.idempotent)
        .open_world(false);
    Tool::new(name, about, object(input))
        .with_title(title)
        .with_raw_output_schema(object(output))
        .with_annotations(annotations)
}

fn update_progress() -> Tool {
    let state = json!({ "type": "string", "enum": StepState::ALL.map(StepState::as_str) });
    let name = json!({ "type": "string", "minLength": 1, "maxLength": bounds::STEP_NAME_CHARS });
    let step = json!({
        "type": "object", "properties": { "name": name, "state": state }, "required": ["name"]
    });
    let input = json!({
        "type": "object",
        "properties": {
            "progress_percent": {
                "type": "number", "minimum": 0, "maximum": 100,
                "description": "How much of the work is done."
            },
            "status_message": {
                "type": "string", "maxLength": bounds::STATUS_MESSAGE_CHARS,
                "description": "What you are doing, in a sentence."
            },
            "step_name": {
                "type": "string", "maxLength": bounds::STEP_NAME_CHARS, "description": "The step that you are at."
            },
            "steps": {
                "type": "array", "maxItems": bounds::STEPS,
                "description": "All steps in order; replaces the list of the report before.",
                "items": { "anyOf": [name, step] }
            },
            "completed": { "type": "boolean", "description": "The work of this session is done." },
            "session_uuid": session_input()
        }
    });
    let output = json!({
        "type": "object",
        "properties": { "session_uuid": uuid(), "status": session_status(), "progress": progress() },
        "required": ["session_uuid", "status", "progress"]
    });
    tool(
        UPDATE_PROGRESS,
        "Report progress",
        "Tell the person how far your work is, live. Call it whenever a step begins or ends; it returns at once. What \
         you leave out stays as it was. Pass `completed: true` when all of the work is done.",
        &Manners { reads_only: false, idempotent: true },
        input,
        output,
    )
}

fn get_context() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "cursor": { "type": "string", "description": "The `next_cursor` of a result, for older messages." },
            "session_uuid": session_input()
        }
    });
    let output = json!({
        "type": "object",
        "properties": {
            "session_uuid": uuid(),
            "title": { "type": "string" },
            "status": session_status(),
            "client": { "type": "string" },
            "workspace": { "type": "string" },
            "created_at": { "type": "string" },
            "updated_at": { "type": "string" },
            "progress": optional(progress()),
            "messages": { "type": "array", "items": message() },
            "checkpoints": { "type": "array", "items": checkpoint(), "description": "The newest ones, in order." },
            "checkpoint_count": checkpoint_count(),
            "next_cursor": { "type": ["string", "null"] }
        },
        "required": ["session_uuid", "title", "status", "client", "workspace", "created_at", "updated_at", "progress",
                     "messages", "checkpoints", "checkpoint_count", "next_cursor"]
    });
    tool(
        GET_CONTEXT,
        "Read the conversation",
        "Read what was asked and answered in this session so far: the newest messages with the person's decisions, the \
         progress, and the newest checkpoints. Use it after you have lost your memory of the conversation.",
        &Manners { reads_only: true, idempotent: true },
        input,
        output,
    )
}

fn create_checkpoint() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "name": {
                "type": "string", "minLength": 1, "maxLength": bounds::CHECKPOINT_NAME_CHARS,
                "description": "Unique in the session."
            },
            "description": {
                "type": "string", "maxLength": bounds::CHECKPOINT_DESCRIPTION_CHARS,
                "description": "What the checkpoint stands for."
            },
            "session_uuid": session_input()
        },
        "required": ["name"]
    });
    let output = json!({
        "type": "object",
        "properties": { "session_uuid": uuid(), "checkpoint": checkpoint() },
        "required": ["session_uuid", "checkpoint"]
    });
    tool(
        CREATE_CHECKPOINT,
        "Create a checkpoint",
        "Keep the conversation and its progress as they are now under a name, to come back to them later. Files are \
         not part of it.",
        &Manners { reads_only: false, idempotent: false },
        input,
        output,
    )
}

fn list_checkpoints() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "cursor": { "type": "string", "description": "The `next_cursor` of a result, for older checkpoints." },
            "session_uuid": session_input()
        }
    });
    let output = json!({
        "type": "object",
        "properties": {
            "session_uuid": uuid(),
            "checkpoints": { "type": "array", "items": checkpoint() },
            "checkpoint_count": checkpoint_count(),
            "next_cursor": { "type": ["string", "null"] }
        },
        "required": ["session_uuid", "checkpoints", "checkpoint_count", "next_cursor"]
    });
    tool(
        LIST_CHECKPOINTS,
        "List the checkpoints",
        "List the checkpoints of this session: the newest 50 in order, and older ones by `cursor`.",
        &Manners { reads_only: true, idempotent: true },
        input,
        output,
    )
}

fn restore_checkpoint() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "checkpoint_id": {
                "type": "string", "maxLength": bounds::CHECKPOINT_NAME_CHARS,
                "description": "The checkpoint's id or name."
            },
            "undo": { "type": "boolean", "description": "Undo the latest restore instead." },
            "restore_id": {
                "type": "string", "format": "uuid",
                "description": "With `undo`: the restore to undo, if it is the latest."
            },
            "session_uuid": session_input()
        }
    });
    let output = json!({
        "type": "object",
        "properties": {
            "session_uuid": uuid(),
            "restore_id": uuid(),
            "checkpoint": checkpoint(),
            "superseded": { "type": "integer", "minimum": 0 },
            "progress": optional(progress()),
            "restored_at": { "type": "string" },
            "undone_at": { "type": ["string", "null"] }
        },
        "required": ["session_uuid", "restore_id", "checkpoint", "superseded", "progress", "restored_at", "undone_at"]
    });
    tool(
        RESTORE_CHECKPOINT,
        "Go back to a checkpoint",
        "Take the conversation and its progress back to a checkpoint. Later messages are marked as superseded, nothing \
         is deleted, and `undo: true` takes it back. Files are not touched.",
        &Manners { reads_only: false, idempotent: false },
        input,
        output,
    )
}

fn uuid() -> Value {
    json!({ "type": "string", "format": "uuid" })
}

pub(super) fn session_input() -> Value {
    json!({
        "type": "string", "format": "uuid",
        "description": "The session of an earlier result. Leave it out on the first call."
    })
}

fn session_status() -> Value {
    json!({ "type": "string", "enum": SessionStatus::ALL.map(SessionStatus::as_str) })
}

fn optional(schema: Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

fn progress() -> Value {
    let state = json!({ "type": "string", "enum": StepState::ALL.map(StepState::as_str) });
    json!({
        "type": "object",
        "properties": {
            "progress_percent": { "type": ["integer", "null"], "minimum": 0, "maximum": 100 },
            "status_message": { "type": ["string", "null"] },
            "step_name": { "type": ["string", "null"] },
            "steps": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string" },
                        "state": state,
                        "started_at": { "type": ["string", "null"] },
                        "ended_at": { "type": ["string", "null"] }
                    },
                    "required": ["name", "state", "started_at", "ended_at"]
                }
            },
            "updated_at": { "type": "string" }
        },
        "required": ["progress_percent", "status_message", "step_name", "steps", "updated_at"]
    })
}

/// All of a conversation's checkpoints, beside those that are listed.
fn checkpoint_count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// Without the steps of its progress.
fn progress_then() -> Value {
    json!({
        "type": "object",
        "properties": {
            "progress_percent": { "type": ["integer", "null"], "minimum": 0, "maximum": 100 },
            "status_message": { "type": ["string", "null"] },
            "step_name": { "type": ["string", "null"] }
        },
        "required": ["progress_percent", "status_message", "step_name"],
        "additionalProperties": false
    })
}

fn checkpoint() -> Value {
    json!({
        "type": "object",
        "properties": {
            "checkpoint_id": uuid(),
            "name": { "type": "string" },
            "description": { "type": ["string", "null"] },
            "messages": { "type": "integer", "minimum": 0 },
            "progress": optional(progress_then()),
            "created_at": { "type": "string" }
        },
        "required": ["checkpoint_id", "name", "description", "messages", "progress", "created_at"]
    })
}

fn message() -> Value {
    json!({
        "type": "object",
        "properties": {
            "message_id": { "type": "integer" },
            "request_id": uuid(),
            "role": { "type": "string", "enum": ["agent", "person"] },
            "note": { "type": "boolean", "description": "The person said it without being asked." },
            "text": { "type": "string" },
            "created_at": { "type": "string" },
            "superseded": { "type": "boolean" },
            "title": { "type": "string" },
            "status": { "type": "string", "enum": ["answered", "pending", "cancelled", "expired"] },
            "has_diff": { "type": "boolean" },
            "decision": { "type": "string", "enum": ["approved", "changes_requested"] },
            "selected": { "type": "array", "items": { "type": "string" } },
            "comments": { "type": "array", "items": super::comment() },
            "remarks": { "type": "array", "items": super::remark() },
            "attachments": { "type": "array", "items": super::attachment() },
            "answered_from": { "type": "string", "enum": ["desktop", "browser", "terminal", "script"] }
        },
        "required": ["message_id", "role", "text", "created_at", "superseded"]
    })
}
