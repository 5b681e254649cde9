//! The prompts' files as resources: what there is, and the text of each.

use gate_core::{Fault, Prompt};
use rmcp::model::{ReadResourceResult, Resource, ResourceContents};
use serde::Serialize;

use crate::gate::Gate;
use crate::prompts::Page;
use crate::resources::json;
use crate::uri::{Query, Target};

/// The list of `file://review-gate/templates`.
const LIST: &str = "templates";

/// All prompts with their arguments, a page of them.
///
/// # Errors
/// `invalid_cursor`.
pub(crate) fn all(gate: &dyn Gate, query: &Query) -> Result<String, Fault> {
    #[derive(Serialize)]
    struct Entry<'a> {
        uri: String,
        #[serde(flatten)]
        prompt: &'a Prompt,
    }
    #[derive(Serialize)]
    struct Templates<'a> {
        templates: Vec<Entry<'a>>,
        template_count: usize,
        next_cursor: Option<&'a str>,
        next: Option<String>,
    }
    let all = gate.prompts();
    let page = Page::of(gate, &all, LIST, query.cursor.as_deref())?;
    let entry = |prompt| Entry { uri: uri(prompt), prompt };
    json(&Templates {
        templates: page.prompts.iter().map(|prompt| entry(prompt.as_ref())).collect(),
        template_count: all.prompts.len(),
        next: page.next.clone().map(|next| Query { cursor: Some(next), ..Query::default() }.uri(&Target::Templates)),
        next_cursor: page.next.as_deref(),
    })
}

/// The file of one prompt as it is written; absent where there is none of this id.
pub(crate) fn one(gate: &dyn Gate, id: &str, uri: String) -> Option<ReadResourceResult> {
    let source = gate.prompt_source(id)?;
    let contents = ResourceContents::text(source.text, uri).with_mime_type(source.format.mime_type());
    Some(ReadResourceResult::new(vec![contents]))
}

/// A prompt's file in `resources/list`.
pub(crate) fn resource(prompt: &Prompt) -> Resource {
    let resource = Resource::new(uri(prompt), format!("templates/{}", prompt.id))
        .with_title(prompt.title.as_str())
        .with_mime_type(prompt.format.mime_type());
    match prompt.description.as_str() {
        "" => resource,
        description => resource.with_description(description),
    }
}

fn uri(prompt: &Prompt) -> String {
    Target::Template(prompt.id.clone()).uri()
}
