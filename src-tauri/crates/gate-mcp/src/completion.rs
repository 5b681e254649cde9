//! `completion/complete`: what the arguments of the resources' templates may be.

use gate_core::{Fault, SessionStatus};
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};

use crate::faults::protocol_error;
use crate::port::Gate;
use crate::resources::{ATTACHMENT, CHECKPOINTS, CONVERSATION, CONVERSATIONS, SESSION};

/// Most values of one completion (MCP, "Completion Results").
const VALUES: u32 = 100;
/// Longest identifier.
const ID_BYTES: usize = 36;

/// Values that begin as the argument does.
pub(crate) async fn complete<G: Gate>(gate: &G, request: CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    let template = match &request.r#ref {
        Reference::Resource(resource) => resource.uri.as_str(),
        Reference::Prompt(prompt) => {
            return Err(ErrorData::invalid_params(format!("There is no prompt {:?}.", prompt.name), None));
        }
        _ => return Err(ErrorData::invalid_params("`ref` must be a ref/resource.", None)),
    };
    let (name, begun) = (request.argument.name.as_str(), request.argument.value.as_str());
    let found = match (template, name) {
        (CONVERSATIONS, "status") => {
            let all = SessionStatus::ALL.into_iter().map(SessionStatus::as_str);
            let values: Vec<_> = all.filter(|status| status.starts_with(begun)).map(str::to_owned).collect();
            let total = values.len();
            Ok((values, u64::try_from(total).unwrap_or(u64::MAX)))
        }
        (CONVERSATIONS, "cursor" | "q") | (CONVERSATION | CHECKPOINTS, "cursor") => Ok((Vec::new(), 0)),
        (CONVERSATION, "id") | (SESSION, "uuid") | (CHECKPOINTS, "conversation_id") => sessions(gate, begun).await,
        (ATTACHMENT, "id") => attachments(gate, begun).await,
        (CONVERSATIONS | CONVERSATION | SESSION | CHECKPOINTS | ATTACHMENT, _) => {
            let message = format!("The template {template} has no argument {name:?}.");
            return Err(ErrorData::invalid_params(message, None));
        }
        _ => {
            let message = format!("There is no resource template {template:?}; resources/templates/list names all.");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    let (values, total) = found.map_err(|fault| protocol_error(&fault))?;
    let has_more = total > u64::try_from(values.len()).unwrap_or(u64::MAX);
    let info = CompletionInfo::with_pagination(values, u32::try_from(total).ok(), has_more);
    info.map(CompleteResult::new).map_err(|error| ErrorData::internal_error(error, None))
}

async fn sessions<G: Gate>(gate: &G, begun: &str) -> Result<(Vec<String>, u64), Fault> {
    let Some(beginning) = beginning(begun) else { return Ok((Vec::new(), 0)) };
    let (found, total) = gate.sessions_like(&beginning, VALUES).await?;
    Ok((found.iter().map(ToString::to_string).collect(), total))
}

async fn attachments<G: Gate>(gate: &G, begun: &str) -> Result<(Vec<String>, u64), Fault> {
    let Some(beginning) = beginning(begun) else { return Ok((Vec::new(), 0)) };
    let (found, total) = gate.attachments_like(&beginning, VALUES).await?;
    Ok((found.iter().map(ToString::to_string).collect(), total))
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
