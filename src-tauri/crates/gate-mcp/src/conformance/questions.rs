//! What a server may ask a client for: a form, a model's answer, the roots. Builds the requests,
//! reads the answers, and knows which of them a client has declared.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, CreateMessageRequest, CreateMessageRequestParams, ElicitRequest,
    ElicitRequestParams, ErrorData, InputRequest, InputRequests, InputRequiredResult, InputResponses, ListRootsRequest,
    ProtocolVersion, SamplingMessage,
};
use rmcp::service::RequestContext;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Whether the request is of MCP 2026-07-28 or later, which has no requests from server to client.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// What the client declared, for this request or for its session.
pub(super) fn declared(context: &RequestContext<RoleServer>) -> ClientCapabilities {
    context.client_capabilities().unwrap_or_default()
}

/// The text argument `name` of a tool's call.
pub(super) fn argument<'a>(request: &'a CallToolRequestParams, name: &str) -> Result<&'a str, ErrorData> {
    let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name)?.as_str());
    value.ok_or_else(|| {
        ErrorData::invalid_params(format!("The tool {} needs the argument {name}, a string.", request.name), None)
    })
}

/// A form whose fields are all required.
pub(super) fn form(message: &str, properties: &Value) -> Result<ElicitRequestParams, ErrorData> {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(|fields| fields.keys()).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let unreadable = |error| ErrorData::internal_error(format!("the form of the fixture is no form: {error}"), None);
    serde_json::from_value(params).map_err(unreadable)
}

/// A form with one field.
pub(super) fn field(message: &str, name: &str, kind: &str) -> Result<InputRequest, ErrorData> {
    let params = form(message, &json!({ name: { "type": kind } }))?;
    Ok(InputRequest::Elicitation(ElicitRequest::new(params)))
}

/// A question to the client's model.
pub(super) fn sampling(prompt: &str, max_tokens: u32) -> CreateMessageRequestParams {
    CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], max_tokens)
}

/// A question to the client's model, inside a result.
pub(super) fn model(prompt: &str, max_tokens: u32) -> InputRequest {
    InputRequest::CreateMessage(CreateMessageRequest::new(sampling(prompt, max_tokens)))
}

/// The client's roots.
pub(super) fn roots() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest::default())
}

/// The capability that `request` needs of a client.
fn needed(request: &InputRequest) -> ClientCapabilities {
    let mut needed = ClientCapabilities::default();
    match request {
        InputRequest::CreateMessage(_) => needed.sampling = Some(Default::default()),
        InputRequest::Elicitation(_) => needed.elicitation = Some(Default::default()),
        InputRequest::ListRoots(_) => needed.roots = Some(Default::default()),
        _ => {}
    }
    needed
}

/// Whether a client with the capabilities `has` can be asked `request`.
pub(super) fn can_answer(has: &ClientCapabilities, request: &InputRequest) -> bool {
    match request {
        InputRequest::CreateMessage(_) => has.sampling.is_some(),
        InputRequest::Elicitation(_) => has.elicitation.is_some(),
        InputRequest::ListRoots(_) => has.roots.is_some(),
        _ => false,
    }
}

/// A result that asks for `requests`, or the error that a client can't answer one of them.
pub(super) fn ask<const N: usize>(
    context: &RequestContext<RoleServer>,
    requests: [(&str, InputRequest); N],
    state: Option<String>,
) -> Result<InputRequiredResult, ErrorData> {
    let has = declared(context);
    if let Some((_, request)) = requests.iter().find(|(_, request)| !can_answer(&has, request)) {
        return Err(ErrorData::missing_required_client_capability(needed(request)));
    }
    let requests: InputRequests = requests.into_iter().map(|(key, request)| (key.to_owned(), request)).collect();
    Ok(InputRequiredResult::new(Some(requests), state))
}

/// The answer to the question `key`, where it has the shape that the question asked for.
pub(super) fn answer<T: DeserializeOwned>(responses: Option<&InputResponses>, key: &str) -> Option<T> {
    serde_json::from_value(responses?.get(key)?.clone()).ok()
}
