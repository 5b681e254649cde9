//! The tools about the settings, as clients see them.

use gate_core::bounds;
use rmcp::model::Tool;
use serde_json::{Value, json};

use super::record::{Manners, session_input, tool};

/// Reads settings.
pub(crate) const GET_CONFIG: &str = "review_gate_get_config";
/// Changes settings.
pub(crate) const UPDATE_CONFIG: &str = "review_gate_update_config";

/// All of them.
pub(super) fn tools() -> Vec<Tool> {
    vec![get_config(), update_config()]
}

fn get_config() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "keys": {
                "type": "array", "items": { "type": "string" }, "maxItems": bounds::SETTING_ITEMS,
                "description": "Which settings, e.g. `window.theme`; all of them where it is left out."
            },
            "session_uuid": session_input()
        }
    });
    let setting = json!({
        "type": "object",
        "properties": {
            "key": { "type": "string" },
            "title": { "type": "string" },
            "help": { "type": "string" },
            "value": {},
            "default": {},
            "allowed": { "type": "object" },
            "access": { "type": "string", "enum": ["see", "change"] },
            "applies": { "type": "string", "enum": ["now", "next_start"] }
        },
        "required": ["key", "title", "help", "value", "default", "allowed", "access", "applies"]
    });
    let output = json!({
        "type": "object",
        "properties": { "settings": { "type": "array", "items": setting }, "session_uuid": session_output() },
        "required": ["settings"]
    });
    tool(
        GET_CONFIG,
        "Read settings",
        "Read the settings of Review Gate: each with its value, what it may be, and whether you may change it. Settings \
         that protect the person are not among them.",
        &Manners { reads_only: true, idempotent: true },
        input,
        output,
    )
}

fn update_config() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "values": {
                "type": "object", "minProperties": 1, "maxProperties": bounds::SETTING_ITEMS,
                "description": "Each setting's new value, e.g. {\"window.theme\": \"dark\"}; null for its default."
            },
            "session_uuid": session_input()
        },
        "required": ["values"]
    });
    let changed = json!({
        "type": "object",
        "properties": {
            "key": { "type": "string" },
            "from": {},
            "to": {},
            "applies": { "type": "string", "enum": ["now", "next_start"] },
            "overridden": {
                "type": "boolean",
                "description": "The environment or an argument says something else, which goes on to hold."
            }
        },
        "required": ["key", "from", "to", "applies", "overridden"]
    });
    let output = json!({
        "type": "object",
        "properties": { "changed": { "type": "array", "items": changed }, "session_uuid": session_output() },
        "required": ["changed"]
    });
    tool(
        UPDATE_CONFIG,
        "Change settings",
        "Change settings of Review Gate, all of them or none, where the person has asked you to. They are shown what \
         you changed, and can take it back. Settings that protect them can't be changed.",
        &Manners { reads_only: false, idempotent: true },
        input,
        output,
    )
}

fn session_output() -> Value {
    json!({ "type": "string", "format": "uuid", "description": "The session that the call named." })
}
