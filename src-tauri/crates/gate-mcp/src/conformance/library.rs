//! The fixture's prompts, resources and completions: texts by name.

use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock, ErrorData, GetPromptRequestParams,
    GetPromptResult, PromptMessage, ReadResourceResult, Reference, ResourceContents, Role,
};
use serde_json::json;

/// A PNG of one red pixel, in base64.
pub(super) const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
/// A WAV of two silent samples, in base64.
pub(super) const SOUND: &str = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQQAAAAAAAAA";
/// What the completion of an argument may suggest.
const WORDS: &[&str] = &["paris", "park", "party", "test", "testing"];

/// The prompt that `request` names.
pub(super) fn prompt(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let text = |text: String| PromptMessage::new_text(Role::User, text);
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.".to_owned())],
        "test_prompt_with_arguments" => {
            let (first, second) = (argument(request, "arg1")?, argument(request, "arg2")?);
            vec![text(format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let uri = argument(request, "resourceUri")?;
            let contents = ResourceContents::text("Embedded resource content for testing.", uri);
            let resource = PromptMessage::new(Role::User, ContentBlock::resource(contents));
            vec![resource, text("Please process the embedded resource above.".to_owned())]
        }
        "test_prompt_with_image" => {
            let picture = PromptMessage::new(Role::User, ContentBlock::image(PICTURE, "image/png"));
            vec![picture, text("Please analyze the image above.".to_owned())]
        }
        "test_passing_prompt" => vec![text("This prompt comes and goes.".to_owned())],
        other => return Err(ErrorData::invalid_params(format!("There is no prompt {other:?}."), None)),
    };
    Ok(GetPromptResult::new(messages))
}

fn argument<'a>(request: &'a GetPromptRequestParams, name: &str) -> Result<&'a str, ErrorData> {
    let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name)?.as_str());
    value.ok_or_else(|| {
        ErrorData::invalid_params(format!("The prompt {} needs the argument {name}, a string.", request.name), None)
    })
}

/// The resource at `uri`.
pub(super) fn resource(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents = match uri {
        "test://static-text" => ResourceContents::text("This is the content of the static text resource.", uri),
        "test://static-binary" => ResourceContents::blob(PICTURE, uri).with_mime_type("image/png"),
        "test://watched-resource" => ResourceContents::text("Nothing has changed.", uri),
        _ => template(uri).ok_or_else(|| {
            ErrorData::resource_not_found(format!("No resource has the URI {uri:?}."), Some(json!({ "uri": uri })))
        })?,
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

fn template(uri: &str) -> Option<ResourceContents> {
    let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
    if id.is_empty() || id.contains('/') {
        return None;
    }
    let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
    Some(ResourceContents::text(data.to_string(), uri).with_mime_type("application/json"))
}

/// Suggestions for an argument of a prompt.
pub(super) fn complete(request: &CompleteRequestParams) -> CompleteResult {
    let words = match &request.r#ref {
        Reference::Prompt(_) => WORDS,
        _ => &[],
    };
    let begun = request.argument.value.as_str();
    let matching = words.iter().filter(|word| word.starts_with(begun)).map(|word| (*word).to_owned());
    // It fails above a hundred suggestions.
    CompleteResult::new(CompletionInfo::with_all_values(matching.collect()).unwrap_or_default())
}
