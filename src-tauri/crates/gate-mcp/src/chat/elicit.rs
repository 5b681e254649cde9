//! Asking through the client itself, where the gate can't show a window and the client can show a
//! form: MCP 2026-07-28, "Multi Round-Trip Requests". The question stays in the queue meanwhile, so
//! a terminal may be faster.

use std::time::Duration;

use gate_core::{Ask, Code, Digest, Draft, Fault, RequestId};
use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest, InputRequests,
    InputRequiredResult, InputResponses, ProtocolVersion, RequestStateCodec, SealOptions,
};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::ChatPort;
use crate::port::ConnectionPort;

/// The name of the one question in a form request.
const REPLY: &str = "reply";
/// How long a client may take to come back with the answer.
const STATE_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// What a form shows: a request's question, by its digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) request: RequestId,
    digest: Digest,
}

impl Shown {
    fn in_words(self) -> String {
        format!("{} {}", self.request, self.digest)
    }

    /// Reads what [`Self::in_words`] wrote.
    fn read(text: &str) -> Option<Self> {
        let (request, digest) = text.split_once(' ')?;
        Some(Self { request: request.parse().ok()?, digest: digest.parse().ok()? })
    }
}

/// Whether all of a question can be shown in a form, and answered there: nobody can tell who fills one in, so it never
/// decides.
pub(super) fn fits(question: &Ask) -> bool {
    question.diff.is_none() && !question.approval
}

/// Whether a question can go out as a form: nothing else reaches the person, and the client shows
/// forms.
pub(super) fn is_possible(gate: &dyn ChatPort, context: &RequestContext<RoleServer>) -> bool {
    let modern = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    let forms = context
        .client_capabilities()
        .and_then(|capabilities| capabilities.elicitation)
        .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none());
    gate.hint().is_some() && modern && forms
}

/// The form, with what it shows sealed into the state that the client brings back.
pub(super) fn form(gate: &dyn ConnectionPort, request: RequestId, ask: &Ask) -> Result<InputRequiredResult, Fault> {
    let requested_schema = serde_json::from_value(schema(ask)).map_err(|error| Fault::internal(error.to_string()))?;
    let message = match &ask.title {
        Some(title) => format!("{title}\n\n{}", ask.message),
        None => ask.message.clone(),
    };
    let params = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    let question = InputRequest::Elicitation(ElicitRequest::new(params));
    let shown = Shown { request, digest: Digest::of_question(ask)? };
    let state = codec(gate)?.seal_with(shown.in_words().as_bytes(), &SealOptions::new().ttl(STATE_LIFE));
    let requests = InputRequests::from([(REPLY.to_owned(), question)]);
    Ok(InputRequiredResult::new(Some(requests), Some(state)))
}

fn schema(ask: &Ask) -> Value {
    let mut fields = Map::new();
    let labels: Vec<&str> = ask.options.iter().map(|option| option.label.as_str()).collect();
    if !labels.is_empty() {
        let field = match ask.allow_multiple {
            true => json!({"type": "array", "title": "Options", "items": {"type": "string", "enum": labels}}),
            false => json!({"type": "string", "title": "Option", "enum": labels}),
        };
        fields.insert("selected".to_owned(), field);
    }
    fields.insert("text".to_owned(), json!({"type": "string", "title": "Reply"}));
    json!({"type": "object", "properties": fields, "required": []})
}

/// What the form showed that a client comes back with.
pub(super) fn opened(gate: &dyn ConnectionPort, state: &str) -> Result<Shown, Fault> {
    let unreadable = |reason: String| {
        Fault::new(
            Code::InvalidInput,
            format!("`requestState` can't be taken: {reason}."),
            "Call review_gate_chat with the request_id instead, or ask again.",
        )
    };
    let opened = codec(gate)?.open(state).map_err(|error| unreadable(error.to_string()))?;
    let text = String::from_utf8(opened).map_err(|error| unreadable(error.to_string()))?;
    Shown::read(&text).ok_or_else(|| unreadable("it names no request".to_owned()))
}

/// Takes what the client's person said. Nothing said leaves the request as it is.
pub(super) async fn take(
    gate: &dyn ChatPort,
    Shown { request, digest }: Shown,
    responses: Option<InputResponses>,
) -> Result<(), Fault> {
    let Some(response) = responses.and_then(|mut responses| responses.remove(REPLY)) else { return Ok(()) };
    let result: ElicitResult = serde_json::from_value(response).map_err(|error| {
        let mend = "Send an ElicitResult: `action`, and `content` as the form asks for.";
        Fault::new(Code::InvalidInput, format!("The answer to the form can't be read: {error}."), mend)
    })?;
    let taken = match result.action {
        ElicitationAction::Accept => {
            let draft = reply(result.content)?;
            gate.answer(request, digest, draft).await
        }
        ElicitationAction::Decline => gate.dismiss(request).await,
        // Cancelled, or something that no revision knows yet.
        _ => Ok(()),
    };
    match taken {
        // A terminal was faster: its answer counts.
        Err(fault) if fault.code == Code::NotPending => Ok(()),
        other => other,
    }
}

fn reply(content: Option<Value>) -> Result<Draft, Fault> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Selected {
        One(String),
        Several(Vec<String>),
    }
    #[derive(Default, Deserialize)]
    struct Form {
        selected: Option<Selected>,
        #[serde(default)]
        text: String,
    }
    let form: Form = match content {
        Some(content) => serde_json::from_value(content).map_err(|error| {
            let message = format!("The form's content can't be read: {error}.");
            Fault::new(Code::InvalidInput, message, "Fill the form as its schema says.")
        })?,
        None => Form::default(),
    };
    let selected = match form.selected {
        Some(Selected::One(label)) => vec![label],
        Some(Selected::Several(labels)) => labels,
        None => Vec::new(),
    };
    Ok(Draft { text: form.text, selected, ..Draft::default() })
}

fn codec(gate: &dyn ConnectionPort) -> Result<RequestStateCodec, Fault> {
    RequestStateCodec::try_new(gate.state_key()).map_err(|error| Fault::internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use gate_core::Choice;

    use super::*;

    #[test]
    fn a_form_asks_for_what_the_question_needs_and_nothing_approves_by_itself() {
        let options = vec![Choice { label: "A".to_owned(), description: None, recommended: false }];
        let ask = Ask { message: "Which?".to_owned(), options, ..Ask::default() };
        let form = schema(&ask);
        assert_eq!(form["properties"]["selected"]["enum"], json!(["A"]));
        assert_eq!(form["properties"].get("decision"), None, "nobody knows who fills it in");
        assert!(fits(&ask) && !fits(&Ask { approval: true, ..ask.clone() }), "an approval isn't given in a form");
        let several = schema(&Ask { allow_multiple: true, ..ask });
        assert_eq!(several["properties"]["selected"]["items"]["enum"], json!(["A"]), "several may be chosen");
    }

    #[test]
    fn what_a_form_showed_comes_back_as_it_went_out() {
        let digest = Digest::of_question(&Ask { message: "May I?".to_owned(), ..Ask::default() }).unwrap();
        let shown = Shown { request: RequestId(uuid::Uuid::nil()), digest };
        assert_eq!(Shown::read(&shown.in_words()), Some(shown));
        assert_eq!(Shown::read(&shown.request.to_string()), None, "a request alone says nothing of what was shown");
    }

    #[test]
    fn what_is_filled_in_becomes_a_reply() -> Result<(), Fault> {
        let content = json!({"decision": "approved", "selected": "A", "text": "go"});
        let draft = reply(Some(content))?;
        assert_eq!((draft.text.as_str(), draft.selected), ("go", vec!["A".to_owned()]), "and what isn't asked is left");
        assert_eq!(reply(None)?, Draft::default(), "an empty form says nothing");
        assert!(reply(Some(json!({"selected": 1}))).is_err(), "only what the form takes is taken");
        Ok(())
    }
}
