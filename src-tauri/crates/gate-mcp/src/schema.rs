//! The tools as clients see them: names, descriptions, schemas, annotations.

pub(crate) mod config;
pub(crate) mod record;

use std::sync::Arc;

use gate_core::bounds;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// Name of the tool that asks a person.
pub(crate) const CHAT: &str = "review_gate_chat";

/// What a client tells its model about the server.
pub(crate) const INSTRUCTIONS: &str = "A person works beside you. Before you end your turn, and whenever a decision is \
theirs, call review_gate_chat and act on the reply. Only `decision: approved` is an approval. When a result is \
`pending`, call again with its request_id. Pass the session_uuid of the first result on every later call. While you \
work, review_gate_update_progress shows the person how far you are; review_gate_get_context gives the conversation \
back to you when you have lost it. Prompts of the person's are served as MCP prompts and as skills.";

/// The tools of the gate toolset.
pub(crate) fn tools() -> Vec<Tool> {
    std::iter::once(chat()).chain(record::tools()).chain(config::tools()).collect()
}

fn chat() -> Tool {
    Tool::new(
        CHAT,
        "Ask the person you work for, and wait for the answer. Use it before you end your turn, for approvals, for \
         choices between options, and to show a diff for review. The person answers with text, options, a decision, \
         comments on lines and on passages of your message, and files. When the result is `pending`, call again with its `request_id`.",
        object(chat_input()),
    )
    .with_title("Ask the person")
    .with_raw_output_schema(object(chat_output()))
    .with_annotations(
        ToolAnnotations::with_title("Ask the person")
            .read_only(false)
            .destructive(false)
            .idempotent(false)
            .open_world(true),
    )
}

fn chat_input() -> Value {
    json!({
        "type": "object",
        "properties": {
            "message": {
                "type": "string", "minLength": 1, "maxLength": bounds::MESSAGE_BYTES,
                "description": "What the person reads. Markdown."
            },
            "title": {
                "type": "string", "maxLength": bounds::TITLE_CHARS,
                "description": "The headline: the question in one line."
            },
            "context": { "type": "string", "description": "What you are doing right now; shown folded." },
            "urgent": { "type": "boolean", "description": "Comes before everything else. Use it rarely." },
            "session_uuid": {
                "type": "string", "format": "uuid",
                "description": "The session of an earlier result. Leave it out on the first call."
            },
            "request_id": {
                "type": "string", "format": "uuid",
                "description": "The request of a `pending` result: waits on for its answer instead of asking anew."
            },
            "options": {
                "type": "array", "maxItems": bounds::OPTIONS,
                "description": "Quick replies to choose from.",
                "items": {
                    "anyOf": [
                        { "type": "string", "maxLength": bounds::OPTION_LABEL_CHARS },
                        {
                            "type": "object",
                            "properties": {
                                "label": { "type": "string", "maxLength": bounds::OPTION_LABEL_CHARS },
                                "description": { "type": "string", "maxLength": bounds::OPTION_DESCRIPTION_CHARS },
                                "recommended": { "type": "boolean" }
                            },
                            "required": ["label"]
                        }
                    ]
                }
            },
            "allow_multiple": { "type": "boolean", "description": "Whether several options may be chosen." },
            "approval": { "type": "boolean", "description": "Whether you need the person to approve or request changes." },
            "diff": {
                "type": "string", "maxLength": bounds::DIFF_BYTES,
                "description": "A unified diff (`git diff`), to be commented line by line."
            }
        },
        "required": ["message"]
    })
}

fn chat_output() -> Value {
    json!({
        "type": "object",
        "properties": {
            "status": { "type": "string", "enum": ["answered", "pending", "cancelled", "expired"] },
            "session_uuid": { "type": "string", "format": "uuid" },
            "request_id": { "type": "string", "format": "uuid" },
            "decision": { "enum": ["approved", "changes_requested", null] },
            "text": { "type": "string" },
            "selected": { "type": "array", "items": { "type": "string" } },
            "comments": { "type": "array", "items": comment() },
            "remarks": {
                "type": "array", "items": remark(),
                "description": "Comments on passages of your message; absent where there are none."
            },
            "attachments": { "type": "array", "items": attachment() },
            "answered_at": { "type": ["string", "null"] },
            "answered_from": { "enum": ["desktop", "browser", "terminal", "script", null] },
            "notes": notes()
        },
        "required": ["status", "session_uuid", "request_id", "decision", "text", "selected", "comments",
                     "attachments", "answered_at", "answered_from"]
    })
}

fn comment() -> Value {
    json!({
        "type": "object",
        "properties": {
            "file": { "type": "string" },
            "start_line": {
                "type": "integer", "minimum": 1,
                "description": "The first line, where the comment is on several; `line` is the last then."
            },
            "line": { "type": "integer", "minimum": 1 },
            "side": { "type": "string", "enum": ["old", "new"] },
            "body": { "type": "string" }
        },
        "required": ["file", "line", "side", "body"]
    })
}

fn remark() -> Value {
    json!({
        "type": "object",
        "properties": { "quote": { "type": "string" }, "body": { "type": "string" } },
        "required": ["quote", "body"]
    })
}

/// What the person has sent since the last result; it comes with the result of any tool.
fn notes() -> Value {
    json!({
        "type": "array",
        "description": "Notes from the person, sent while you were working. They answer no request.",
        "items": {
            "type": "object",
            "properties": { "text": { "type": "string" }, "created_at": { "type": "string" } },
            "required": ["text", "created_at"]
        }
    })
}

fn attachment() -> Value {
    json!({
        "type": "object",
        "properties": {
            "uri": { "type": "string" },
            "name": { "type": "string" },
            "mime_type": { "type": "string" },
            "size": { "type": "integer", "minimum": 0 }
        },
        "required": ["uri", "name", "mime_type", "size"]
    })
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(fields) => Arc::new(fields),
        other => Arc::new(JsonObject::from_iter([("const".to_owned(), other)])),
    }
}
