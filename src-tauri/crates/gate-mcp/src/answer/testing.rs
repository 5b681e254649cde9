//! What tests hold results against.

use rmcp::model::Tool as Listed;
use serde_json::Value;

use crate::connection::relayed::Relay;

/// Clients are told of these tools what is written down in `toolsets/FILE`, which is `written`: whatever changes it changes
/// something for every agent.
pub(crate) fn is_written_down(listed: &[Listed], file: &str, written: &str) {
    let listed = serde_json::to_string_pretty(listed).unwrap() + "\n";
    if std::env::var_os("REVIEW_GATE_WRITE_SAMPLES").is_some() {
        std::fs::write(format!("{}/src/toolsets/{file}", env!("CARGO_MANIFEST_DIR")), &listed).unwrap();
    }
    assert_eq!(listed, written, "where it is meant, REVIEW_GATE_WRITE_SAMPLES=1 writes it anew");
}

/// Names, descriptions and what the tools take have so many bytes at most: every agent reads it with every conversation.
pub(crate) fn is_short(listed: &[Listed], bytes: usize) {
    let size = |tool: &Listed| {
        let input = serde_json::to_string(&tool.input_schema).unwrap_or_default();
        tool.name.len() + tool.description.as_deref().unwrap_or_default().len() + input.len()
    };
    let sizes: Vec<_> = listed.iter().map(|tool| (tool.name.to_string(), size(tool))).collect();
    let all: usize = sizes.iter().map(|(_, size)| size).sum();
    assert!(all <= bytes, "{all} bytes of {bytes}: {sizes:?}");
}

/// What a call gave: its first content is its structure, which is as its schema says.
pub(crate) fn given(listed: &[Listed], tool: &str, result: &Value) -> Value {
    assert_ne!(result["isError"], true, "{tool}: {result}");
    let structured = result["structuredContent"].clone();
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let read: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{tool}: {error}: {text}"));
    assert_eq!(read, structured, "the first content is all that some clients read");
    let listed = listed.iter().find(|listed| listed.name == tool).expect("the tool is listed");
    let schema = Value::Object(listed.output_schema.clone().expect("it has a schema").as_ref().clone());
    // A task's result is that of whichever call began it.
    let told = |field: &str| ["events", "changed"].contains(&field);
    for field in structured.as_object().expect("it is an object").keys().filter(|field| !told(field)) {
        assert!(schema["properties"].get(field).is_some(), "{tool}: the schema doesn't know {field}");
    }
    for field in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        assert!(structured.get(field).is_some(), "{tool}: {field} is missing: {structured}");
    }
    structured
}

/// The code of the refusal of a call, its message, and what mends it.
pub(crate) async fn refused(relay: &mut Relay, tool: &str, arguments: Value) -> (String, String, String) {
    let result = relay.call(tool, arguments.clone()).await;
    assert_eq!(result["isError"], true, "{tool} {arguments} is refused: {result}");
    let fault = &result["_meta"]["review-gate/fault"];
    let text = |field: &str| fault[field].as_str().unwrap_or_default().to_owned();
    (text("code"), text("message"), text("mend"))
}
