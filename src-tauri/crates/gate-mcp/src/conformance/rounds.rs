//! The fixture's tools and its prompt that take several rounds: the result asks, and the client
//! calls again with its answers (MCP 2026-07-28, SEP-2322).
//!
//! Nothing is kept between two rounds; what has to be is in the request's state, signed.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CreateMessageResult, ElicitResult, ElicitationAction, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequest, InputRequests, InputRequiredResult,
    InputResponses, ListRootsResult, PromptMessage, RequestStateCodec, Role, SealOptions,
};
use rmcp::service::RequestContext;
use serde_json::Value;

use super::questions::{answer, ask, can_answer, declared, field, model, roots};
use super::tools::text;

/// The tools of this module.
pub(super) const NAMES: &[&str] = &[
    "test_streaming_elicitation",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
];
/// The prompt of this module.
pub(super) const PROMPT: &str = "test_input_required_result_prompt";

/// Calls the tool that `request` names, for one round.
pub(super) fn call(
    states: &RequestStateCodec,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let responses = request.input_responses.as_ref();
    let states = States { codec: states, owner: &request.name };
    let state = request.request_state.as_deref().map(|sealed| states.open(sealed)).transpose()?;
    match request.name.as_ref() {
        "test_streaming_elicitation" => match filled(responses, "word", "word") {
            Some(word) => Ok(text(format!("The word is {word}.")).into()),
            None => Ok(ask(context, [("word", field("Which word?", "word", "string")?)], None)?.into()),
        },
        "test_input_required_result_elicitation" => match filled(responses, "user_name", "name") {
            Some(name) => Ok(text(format!("Hello, {name}!")).into()),
            None => Ok(ask(context, [name()?], None)?.into()),
        },
        "test_input_required_result_sampling" => match answer::<CreateMessageResult>(responses, "capital_question") {
            Some(answer) => Ok(text(format!("The model says: {}", said(&answer))).into()),
            None => {
                let question = model("What is the capital of France?", 100);
                Ok(ask(context, [("capital_question", question)], None)?.into())
            }
        },
        "test_input_required_result_list_roots" => match answer::<ListRootsResult>(responses, "client_roots") {
            Some(answer) => Ok(text(format!("The roots are: {}", listed(&answer))).into()),
            None => Ok(ask(context, [("client_roots", roots())], None)?.into()),
        },
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            match (state, filled(responses, "confirm", "ok")) {
                (Some(_), Some(ok)) => Ok(text(format!("state-ok, and the answer is {ok}")).into()),
                _ => {
                    let confirm = field("Please confirm", "ok", "boolean")?;
                    Ok(ask(context, [("confirm", confirm)], Some(states.seal("asked")))?.into())
                }
            }
        }
        "test_input_required_result_multiple_inputs" => three(&states, state, responses, context),
        "test_input_required_result_multi_round" => two_rounds(&states, state.as_deref(), responses, context),
        "test_input_required_result_capabilities" => what_it_can(responses, context),
        other => Err(ErrorData::invalid_params(format!("There is no tool {other:?}."), None)),
    }
}

/// The states of one tool, which no other tool accepts.
struct States<'a> {
    codec: &'a RequestStateCodec,
    owner: &'a str,
}

impl States<'_> {
    fn seal(&self, state: &str) -> String {
        self.codec.seal_with(state.as_bytes(), &SealOptions::new().associated_data(self.owner.as_bytes()))
    }

    fn open(&self, sealed: &str) -> Result<String, ErrorData> {
        let refused = |why: String| ErrorData::invalid_params(format!("The request's state isn't valid: {why}."), None);
        let state = self.codec.open_with(sealed, self.owner.as_bytes()).map_err(|error| refused(error.to_string()))?;
        String::from_utf8(state).map_err(|error| refused(error.to_string()))
    }
}

fn name() -> Result<(&'static str, InputRequest), ErrorData> {
    Ok(("user_name", field("What is your name?", "name", "string")?))
}

/// What a form's field was filled with, or that it was left: `declined`, say. Nothing, where the
/// answer is none to the form that was shown.
pub(super) fn filled(responses: Option<&InputResponses>, key: &str, field: &str) -> Option<String> {
    let answer: ElicitResult = answer(responses, key)?;
    match answer.action {
        ElicitationAction::Accept => match answer.content?.get(field)? {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        },
        ElicitationAction::Decline => Some("declined".to_owned()),
        _ => Some("cancelled".to_owned()),
    }
}

fn said(answer: &CreateMessageResult) -> &str {
    let text = answer.message.content.first().and_then(|content| content.as_text());
    text.map_or("nothing", |text| text.text.as_str())
}

fn listed(answer: &ListRootsResult) -> String {
    answer.roots.iter().map(|root| root.uri.as_str()).collect::<Vec<_>>().join(", ")
}

/// A form, a question to the model, and the roots.
fn three(
    states: &States<'_>,
    state: Option<String>,
    responses: Option<&InputResponses>,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let user = filled(responses, "user_name", "name");
    let greeting = answer::<CreateMessageResult>(responses, "greeting");
    let folders = answer::<ListRootsResult>(responses, "client_roots");
    if let (Some(_), Some(user), Some(greeting), Some(folders)) = (state, user, greeting, folders) {
        return Ok(text(format!("{} {user}, your roots are: {}", said(&greeting), listed(&folders))).into());
    }
    let greeting = model("Generate a greeting", 50);
    let questions = [name()?, ("greeting", greeting), ("client_roots", roots())];
    Ok(ask(context, questions, Some(states.seal("asked")))?.into())
}

/// Two forms, one after the other. The state says which one was shown, and what the first answer was.
fn two_rounds(
    states: &States<'_>,
    state: Option<&str>,
    responses: Option<&InputResponses>,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let second = |name: &str| {
        let colour = field("Step 2: What is your favorite color?", "color", "string")?;
        Ok(ask(context, [("step2", colour)], Some(states.seal(&format!("second {name}"))))?.into())
    };
    if let Some(name) = state.and_then(|state| state.strip_prefix("second ")) {
        return match filled(responses, "step2", "color") {
            Some(colour) => Ok(text(format!("{name} likes {colour}.")).into()),
            None => second(name),
        };
    }
    match filled(responses, "step1", "name").filter(|_| state == Some("first")) {
        Some(name) => second(&name),
        None => {
            let name = field("Step 1: What is your name?", "name", "string")?;
            Ok(ask(context, [("step1", name)], Some(states.seal("first")))?.into())
        }
    }
}

/// Asks for what the client has declared, and for nothing else.
fn what_it_can(
    responses: Option<&InputResponses>,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let has = declared(context);
    let questions = [name()?, ("greeting", model("Generate a greeting", 50)), ("client_roots", roots())];
    let possible = questions.into_iter().filter(|(_, question)| can_answer(&has, question));
    let mut open: InputRequests = possible.map(|(key, question)| (key.to_owned(), question)).collect();
    open.retain(|key, _| !responses.is_some_and(|responses| responses.contains_key(key)));
    if open.is_empty() {
        return Ok(text("Everything that the client can be asked is answered.").into());
    }
    Ok(InputRequiredResult::from_input_requests(open).into())
}

/// The prompt, for one round.
pub(super) fn prompt(
    request: GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    match filled(request.input_responses.as_ref(), "user_context", "context") {
        Some(answer) => {
            let message = PromptMessage::new_text(Role::User, format!("The context is: {answer}"));
            Ok(GetPromptResult::new(vec![message]).into())
        }
        None => {
            let question = field("What context should the prompt use?", "context", "string")?;
            Ok(ask(context, [("user_context", question)], None)?.into())
        }
    }
}
