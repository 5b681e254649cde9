//! What tests hold results against.

use rmcp::model::Tool as Listed;
use serde_json::Value;

use crate::connection::relayed::Relay;

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
