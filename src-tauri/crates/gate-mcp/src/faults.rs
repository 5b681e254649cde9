//! Faults as MCP tells them: of a tool as its result, of the protocol as an error.

use gate_core::{Code, Fault};
use rmcp::model::{CallToolResult, ContentBlock, ErrorData, MetaObject};
use serde_json::{Value, json};

/// A fault as a tool error: the text for the model, the code for programs.
pub(crate) fn tool_error(fault: &Fault) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(fault.to_string())]);
    let mut meta = MetaObject::default();
    meta.insert("review-gate/fault".to_owned(), details(fault));
    result.meta = Some(meta);
    result
}

/// A fault as an error of the protocol: what the client said wrong, or what went wrong here.
pub(crate) fn protocol_error(fault: &Fault) -> ErrorData {
    let (text, details) = (fault.to_string(), Some(details(fault)));
    match fault.code {
        Code::InvalidInput
        | Code::TooLarge
        | Code::TooMany
        | Code::InvalidCursor
        | Code::UnknownPrompt
        | Code::Prompt => ErrorData::invalid_params(text, details),
        _ => ErrorData::internal_error(text, details),
    }
}

/// The error for a URI that names nothing.
pub(crate) fn no_resource(uri: &str) -> ErrorData {
    let shown = gate_core::ask::excerpt(uri, 200);
    ErrorData::resource_not_found(format!("No resource has the URI {shown:?}."), Some(json!({ "uri": shown })))
}

fn details(fault: &Fault) -> Value {
    json!({ "code": fault.code, "message": fault.message, "mend": fault.mend })
}
