//! The lists that the fixture shows: tools with their schemas, prompts, resources and templates.
//!
//! Names, schemas and descriptions only; what they do is in the modules beside.

use rmcp::model::{Prompt, PromptArgument, Resource, ResourceTemplate, Tool, object};
use serde_json::{Value, json};

use super::rounds;

/// Resources by URI: name, description and type.
const RESOURCES: &[(&str, &str, &str, &str)] = &[
    ("test://static-text", "static-text", "A text that never changes", "text/plain"),
    ("test://static-binary", "static-binary", "A picture that never changes", "image/png"),
    ("test://watched-resource", "watched-resource", "A text to subscribe to", "text/plain"),
];

/// Tools that take no arguments.
const WITHOUT_ARGUMENTS: &[(&str, &str)] = &[
    // The suite tries its headers on the first tool of the list, without arguments.
    ("test_simple_text", "Returns a text"),
    ("test_image_content", "Returns a picture"),
    ("test_audio_content", "Returns a sound"),
    ("test_embedded_resource", "Returns a resource"),
    ("test_multiple_content_types", "Returns a text, a picture and a resource"),
    ("test_tool_with_logging", "Logs three messages while it runs"),
    ("test_logging_tool", "Logs a message if the request asks for messages"),
    ("test_tool_with_progress", "Reports progress three times if the request has a token"),
    ("test_error_handling", "Fails, as tools fail"),
    ("test_reconnection", "Takes a moment to answer"),
    ("test_missing_capability", "Needs a client that samples"),
    ("test_elicitation_sep1034_defaults", "Asks with default values"),
    ("test_elicitation_sep1330_enums", "Asks with every kind of choice"),
    ("test_trigger_tool_change", "Changes the list of tools"),
    ("test_trigger_prompt_change", "Changes the list of prompts"),
    ("test_streaming_elicitation", "Asks for a word in a result"),
    ("test_input_required_result_elicitation", "Asks for a name in a result"),
    ("test_input_required_result_sampling", "Asks a model in a result"),
    ("test_input_required_result_list_roots", "Asks for the roots in a result"),
    ("test_input_required_result_request_state", "Asks, with a state that has to come back"),
    ("test_input_required_result_tampered_state", "Asks, with a state that nobody may change"),
    ("test_input_required_result_multiple_inputs", "Asks for three things at once"),
    ("test_input_required_result_multi_round", "Asks twice"),
    ("test_input_required_result_capabilities", "Asks for what the client can do only"),
    ("test_tool_with_task", "Asks, then goes on as a task"),
    ("failing_job", "Fails as a task; needs a client that knows tasks"),
    ("protocol_error_job", "Ends as a task with a JSON-RPC error"),
    ("multi_input", "Asks for two things at once, as a task"),
];

/// Every tool, always in the same order; with `more`, the one that comes and goes.
pub(super) fn tools(more: bool) -> Vec<Tool> {
    let nothing = || json!({ "type": "object" });
    let mut tools: Vec<Tool> = WITHOUT_ARGUMENTS.iter().map(|(name, about)| tool(name, about, nothing())).collect();
    let one = |field: &str, kind: &str| json!({ "type": "object", "properties": { field: { "type": kind } }, "required": [field] });
    tools.extend([
        tool("test_sampling", "Asks the client's model", one("prompt", "string")),
        tool("test_elicitation", "Asks the client's user", one("message", "string")),
        tool("test_header_parameter", "Returns what it is given, in the body and in a header", region()),
        tool("json_schema_2020_12_tool", "Has a schema with keywords of JSON Schema 2020-12", dialect()),
        tool("greet", "Greets at once", one("name", "string")),
        tool("confirm_delete", "Asks before it deletes nothing, as a task", one("filename", "string")),
        tool("slow_compute", "Takes the given time", slow()),
    ]);
    if more {
        tools.push(tool("test_passing_tool", "Comes and goes", nothing()));
    }
    tools
}

fn tool(name: &'static str, about: &'static str, schema: Value) -> Tool {
    Tool::new(name, about, object(schema))
}

/// One argument that a client repeats in the header `Mcp-Param-Region`.
fn region() -> Value {
    let region = json!({ "type": "string", "x-mcp-header": "Region" });
    json!({ "type": "object", "properties": { "region": region }, "required": ["region"] })
}

fn slow() -> Value {
    let seconds = json!({ "type": "number", "minimum": 0, "maximum": super::jobs::LONGEST.as_secs() });
    let properties = json!({ "seconds": seconds, "label": { "type": "string" } });
    json!({ "type": "object", "properties": properties, "required": ["seconds"] })
}

/// The keywords that have to survive the way to the client (SEP-1613, SEP-2106).
fn dialect() -> Value {
    let text = || json!({ "type": "string" });
    let address = json!({
        "$anchor": "addressDef",
        "type": "object",
        "properties": { "street": text(), "city": text() },
    });
    let properties = json!({
        "name": text(),
        "address": { "$ref": "#/$defs/address" },
        "contactMethod": { "type": "string", "enum": ["phone", "email"] },
        "phone": text(),
        "email": text(),
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": address },
        "properties": properties,
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// Every prompt; with `more`, the one that comes and goes.
pub(super) fn prompts(more: bool) -> Vec<Prompt> {
    let argument = |name: &str, about: &str| PromptArgument::new(name).with_description(about).with_required(true);
    let mut prompts = vec![
        Prompt::new("test_simple_prompt", Some("A message"), None),
        Prompt::new(
            "test_prompt_with_arguments",
            Some("A message with two arguments"),
            Some(vec![argument("arg1", "The first"), argument("arg2", "The second")]),
        ),
        Prompt::new(
            "test_prompt_with_embedded_resource",
            Some("A message with a resource"),
            Some(vec![argument("resourceUri", "The resource's URI")]),
        ),
        Prompt::new("test_prompt_with_image", Some("A message with a picture"), None),
        Prompt::new(rounds::PROMPT, Some("A message that needs an answer first"), None),
    ];
    if more {
        prompts.push(Prompt::new("test_passing_prompt", Some("Comes and goes"), None));
    }
    prompts
}

/// Every resource.
pub(super) fn resources() -> Vec<Resource> {
    let resource = |(uri, name, about, kind): &(&str, &str, &str, &str)| {
        Resource::new(*uri, *name).with_description(*about).with_mime_type(*kind)
    };
    RESOURCES.iter().map(resource).collect()
}

/// Every template of a resource.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new("test://template/{id}/data", "template");
    vec![template.with_description("Data for an id").with_mime_type("application/json")]
}
