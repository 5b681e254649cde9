//! The fixture's tools that answer in one go: contents, messages, progress, and the questions of
//! the revisions in which a server asks while the call waits.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ContentBlock, ElicitRequestParams, ElicitResult,
    ErrorData, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ResourceContents,
};
use rmcp::service::{RequestContext, ServiceError};
use serde_json::{Value, json};

use super::library::{PICTURE, SOUND};
use super::questions::{argument, declared, form, sampling};

/// How long a tool pauses between two of its messages, so that they arrive one by one.
const PAUSE: Duration = Duration::from_millis(50);

/// Calls the tool that `request` names; `log_level` is the least severe message that it may send.
pub(super) async fn call(
    log_level: Option<LoggingLevel>,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let resource = |text: &str, uri: &str, kind: &str| {
        ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(kind))
    };
    let picture = || ContentBlock::image(PICTURE, "image/png");
    match request.name.as_ref() {
        "test_simple_text" => Ok(text("This is a simple text response for testing.")),
        "test_image_content" => Ok(CallToolResult::success(vec![picture()])),
        "test_audio_content" => Ok(CallToolResult::success(vec![ContentBlock::audio(SOUND, "audio/wav")])),
        "test_embedded_resource" => {
            let text = "This is an embedded resource content.";
            Ok(CallToolResult::success(vec![resource(text, "test://embedded-resource", "text/plain")]))
        }
        "test_multiple_content_types" => {
            let data = json!({ "test": "data", "value": 123 }).to_string();
            Ok(CallToolResult::success(vec![
                ContentBlock::text("Multiple content types test:"),
                picture(),
                resource(&data, "test://mixed-content-resource", "application/json"),
            ]))
        }
        "test_tool_with_logging" => {
            let messages = ["Tool execution started", "Tool processing data", "Tool execution completed"];
            Ok(logging(log_level, &messages, context).await)
        }
        "test_logging_tool" => Ok(logging(log_level, &["Tool execution started"], context).await),
        "test_tool_with_progress" => Ok(progress(context).await),
        "test_error_handling" => {
            Ok(CallToolResult::error(vec![ContentBlock::text("This tool intentionally returns an error for testing")]))
        }
        "test_reconnection" => {
            tokio::time::sleep(PAUSE).await;
            Ok(text("The answer came."))
        }
        "test_missing_capability" => missing_capability(context),
        "test_header_parameter" => Ok(text(argument(&request, "region")?)),
        "json_schema_2020_12_tool" => Ok(text(Value::Object(request.arguments.unwrap_or_default()).to_string())),
        "test_sampling" => sample(argument(&request, "prompt")?, context).await,
        "test_elicitation" => {
            let asked = form(argument(&request, "message")?, &person())?;
            elicit("User response", asked, context).await
        }
        "test_elicitation_sep1034_defaults" => {
            elicit("Elicitation completed", form("Please check these values", &defaults())?, context).await
        }
        "test_elicitation_sep1330_enums" => {
            elicit("Elicitation completed", form("Please choose", &choices())?, context).await
        }
        "test_passing_tool" => Ok(text("This tool comes and goes.")),
        other => Err(ErrorData::invalid_params(format!("There is no tool {other:?}."), None)),
    }
}

/// A successful result with one text.
pub(super) fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// Sends the messages that the client wants to have.
async fn logging(
    least: Option<LoggingLevel>,
    messages: &[&str],
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let level = LoggingLevel::Info;
    // The levels are declared in the order of their severity.
    let wanted = least.is_some_and(|least| level as u8 >= least as u8);
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        if wanted {
            let message = LoggingMessageNotificationParam::new(level, Value::from(*message)).with_logger("fixture");
            // A client that went away misses its messages.
            let _ = context.peer.notify_logging_message(message).await;
        }
    }
    text("The tool has run; its messages were sent to whoever wants them.")
}

/// Reports 0, 50 and 100 of 100 to a client that gave a token.
async fn progress(context: &RequestContext<RoleServer>) -> CallToolResult {
    let token = context.meta.get_progress_token();
    for step in [0.0, 50.0, 100.0] {
        if step > 0.0 {
            tokio::time::sleep(PAUSE).await;
        }
        if let Some(token) = token.clone() {
            let report = ProgressNotificationParam::new(token, step).with_total(100.0);
            // A client that went away misses its reports.
            let _ = context.peer.notify_progress(report).await;
        }
    }
    text("The tool has run to its end.")
}

fn missing_capability(context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    if declared(context).sampling.is_some() {
        return Ok(text("The client declares sampling."));
    }
    let needed = ClientCapabilities::builder().enable_sampling().build();
    Err(ErrorData::missing_required_client_capability(needed))
}

/// Asks the client's model while the call waits.
async fn sample(prompt: &str, context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    if declared(context).sampling.is_none() {
        return Ok(failed("the client doesn't declare sampling"));
    }
    match context.peer.create_message(sampling(prompt, 100)).await {
        Ok(answer) => {
            let said = answer.message.content.first().and_then(|content| content.as_text());
            Ok(text(format!("LLM response: {}", said.map_or("no text", |said| said.text.as_str()))))
        }
        Err(error) => Ok(unanswered(&error)),
    }
}

/// Asks the client's user while the call waits.
async fn elicit(
    title: &str,
    asked: ElicitRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    if declared(context).elicitation.is_none() {
        return Ok(failed("the client doesn't declare elicitation"));
    }
    match context.peer.create_elicitation(asked).await {
        Ok(ElicitResult { action, content, .. }) => {
            let action = json!(action);
            let action = action.as_str().unwrap_or_default();
            Ok(text(format!("{title}: action={action}, content={}", content.unwrap_or_default())))
        }
        Err(error) => Ok(unanswered(&error)),
    }
}

fn unanswered(error: &ServiceError) -> CallToolResult {
    failed(&format!("the client didn't answer: {error}"))
}

fn failed(why: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("The tool can't run: {why}."))])
}

fn person() -> Value {
    json!({
        "username": { "type": "string", "description": "User's response" },
        "email": { "type": "string", "description": "User's email address" },
    })
}

/// A default value of every type that a field can have (SEP-1034).
fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

/// Every kind of choice (SEP-1330).
fn choices() -> Value {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = |word: &str| {
        let titles = ["First", "Second", "Third"].into_iter().zip(1..);
        let choices = titles
            .map(|(title, number)| json!({ "const": format!("value{number}"), "title": format!("{title} {word}") }));
        choices.collect::<Vec<Value>>()
    };
    json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    })
}
