//! `completion/complete`: what the arguments of prompts and of the resources' templates may be.

use gate_core::{Caller, Fault, SessionStatus};
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};

use crate::faults::protocol_error;
use crate::gate::Gate;
use crate::prompts::complete::{argument, fitting};
use crate::resources::{ATTACHMENT, CHECKPOINTS, CONVERSATION, CONVERSATIONS, PROMPT, PROMPTS, SESSION};

/// Most values of one completion (MCP, "Completion Results").
pub(crate) const VALUES: usize = 100;
/// Longest identifier.
const ID_BYTES: usize = 36;

/// The values of one completion.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// The best first, at most [`VALUES`].
    pub(crate) values: Vec<String>,
    /// How many there are in all, where that is known.
    pub(crate) total: Option<u64>,
    /// Whether there are more.
    pub(crate) has_more: bool,
}

impl Found {
    /// The first ones of all that there are.
    pub(crate) fn among<'a>(all: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
        Self::of(all.take(VALUES).map(str::to_owned).collect(), total)
    }

    fn of(values: Vec<String>, total: u64) -> Self {
        let has_more = total > u64::try_from(values.len()).unwrap_or(u64::MAX);
        Self { values, total: Some(total), has_more }
    }
}

/// Values that fit what was typed of the argument.
pub(crate) async fn complete(
    gate: &dyn Gate,
    caller: &Caller,
    request: CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let (name, begun) = (request.argument.name.as_str(), request.argument.value.as_str());
    let found = match &request.r#ref {
        Reference::Resource(template) => of_template(gate, &template.uri, name, begun).await?,
        Reference::Prompt(prompt) => argument(gate, caller, &prompt.name, name, begun).await,
        _ => return Err(ErrorData::invalid_params("`ref` must be a ref/prompt or a ref/resource.", None)),
    };
    let Found { values, total, has_more } = found.map_err(|fault| protocol_error(&fault))?;
    let total = total.and_then(|total| u32::try_from(total).ok());
    let info = CompletionInfo::with_pagination(values, total, has_more);
    info.map(CompleteResult::new).map_err(|error| ErrorData::internal_error(error, None))
}

async fn of_template(
    gate: &dyn Gate,
    template: &str,
    name: &str,
    begun: &str,
) -> Result<Result<Found, Fault>, ErrorData> {
    let found = match (template, name) {
        (CONVERSATIONS, "status") => {
            let all = SessionStatus::ALL.into_iter().map(SessionStatus::as_str);
            let values: Vec<_> = all.filter(|status| status.starts_with(begun)).collect();
            Ok(Found::among(values.into_iter()))
        }
        (CONVERSATIONS, "cursor" | "q") | (CONVERSATION | CHECKPOINTS | PROMPTS, "cursor") => {
            Ok(Found::of(Vec::new(), 0))
        }
        (CONVERSATION, "id") | (SESSION, "uuid") | (CHECKPOINTS, "conversation_id") => sessions(gate, begun).await,
        (ATTACHMENT, "id") => attachments(gate, begun).await,
        (PROMPT, "name") => Ok(fitting(gate.prompts().prompts.iter().map(|prompt| prompt.id.as_str()), begun)),
        (CONVERSATIONS | CONVERSATION | SESSION | CHECKPOINTS | ATTACHMENT | PROMPTS | PROMPT, _) => {
            let message = format!("The template {template} has no argument {name:?}.");
            return Err(ErrorData::invalid_params(message, None));
        }
        _ => {
            let message = format!("There is no resource template {template:?}; resources/templates/list names all.");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    Ok(found)
}

async fn sessions(gate: &dyn Gate, begun: &str) -> Result<Found, Fault> {
    let Some(beginning) = beginning(begun) else { return Ok(Found::of(Vec::new(), 0)) };
    let (found, total) = gate.sessions_like(&beginning, most()).await?;
    Ok(Found::of(found.iter().map(ToString::to_string).collect(), total))
}

async fn attachments(gate: &dyn Gate, begun: &str) -> Result<Found, Fault> {
    let Some(beginning) = beginning(begun) else { return Ok(Found::of(Vec::new(), 0)) };
    let (found, total) = gate.attachments_like(&beginning, most()).await?;
    Ok(Found::of(found.iter().map(ToString::to_string).collect(), total))
}

fn most() -> u32 {
    u32::try_from(VALUES).unwrap_or(u32::MAX)
}

/// What an identifier may begin with, as identifiers are written.
fn beginning(begun: &str) -> Option<String> {
    let fits = begun.len() <= ID_BYTES && begun.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    fits.then(|| begun.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::beginning;

    #[test]
    fn only_what_may_begin_an_identifier_is_looked_for() {
        assert_eq!(beginning(""), Some(String::new()), "nothing typed begins them all");
        assert_eq!(beginning("0190A6e4-"), Some("0190a6e4-".to_owned()));
        for begun in ["%", "_", "0190%", "x", "0190a6e4-7a10-7000-8000-0000000000011"] {
            assert_eq!(beginning(begun), None, "{begun:?}");
        }
    }
}
