//! The prompts' files as resources: what there is, and the text of each.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{Fault, Owner, Prompt, prompt};
use rmcp::model::Resource as Listed;
use serde::Serialize;

use crate::completion::{Found, fitting};
use crate::port::{Change, ConnectionPort};
use crate::prompts::{Page as PromptPage, PromptPort, PromptTimes};
use crate::resource::{Contents, JSON, PRIORITY_HISTORY, Page, Resource, Resources, Template, annotations, listed};
use crate::uri::{self, Parameter, Query};

/// The list that the files are in `resources/list`, and that of `file://review-gate/templates`.
const FILES: &str = "resources/templates";
const LIST: &str = "templates";

/// The templates' URIs.
const PROMPTS: &str = "file://review-gate/templates{?cursor}";
const PROMPT: &str = "file://review-gate/templates/{+name}";

const TEMPLATES: &[Template] = &[
    Template {
        uri: PROMPTS,
        name: "templates",
        title: "Prompts",
        about: "Prompts with their arguments, by name. `cursor` is the `next_cursor` of the page before.",
        mime_type: Some(JSON),
    },
    Template {
        uri: PROMPT,
        name: "template",
        title: "A prompt",
        about: "The file of one prompt as it is written. `name` is the prompt's name; its slashes stay, and whatever \
                else is no letter or digit of ASCII, `-`, `_` or `.` is percent-encoded.",
        mime_type: None,
    },
];

/// All of them.
pub(crate) struct Templates(pub(crate) Arc<dyn PromptPort>);

/// What a URI names of them.
enum Target {
    /// All prompts.
    All,
    /// The file of the prompt of this id.
    One(String),
}

impl Target {
    fn of(uri: &str) -> Option<Self> {
        match uri::below(uri)?.split_once('/') {
            None => (uri::below(uri)? == "templates").then_some(Self::All),
            Some(("templates", name)) => {
                let id = uri::decoded(name, false);
                // One that no file can have names nothing.
                prompt::checked_id(&id).ok().map(|()| Self::One(id))
            }
            Some(_) => None,
        }
    }

    fn uri(&self) -> String {
        let mut uri = uri::of("templates");
        if let Self::One(id) = self {
            for part in id.split('/') {
                uri.push('/');
                uri::encode(part, &mut uri);
            }
        }
        uri
    }
}

#[async_trait]
impl Resources for Templates {
    fn templates(&self) -> &'static [Template] {
        TEMPLATES
    }

    fn at(&self, uri: &str) -> Option<Box<dyn Resource>> {
        Some(Box::new(Named { target: Target::of(uri)?, port: Arc::clone(&self.0) }))
    }

    async fn page(&self, gate: &dyn ConnectionPort, _client: &Owner, cursor: Option<&str>) -> Result<Page, Fault> {
        let (all, times) = (self.0.prompts(), self.0.prompt_times());
        let page = PromptPage::of(gate, &all, FILES, cursor)?;
        let about = "The person's prompts with their arguments.";
        let every = listed(Target::All.uri(), "templates", "All prompts", about);
        Ok(Page {
            first: vec![every.with_annotations(annotations(PRIORITY_HISTORY, times.latest))],
            resources: page.prompts.iter().map(|prompt| resource(prompt, &times)).collect(),
            next: page.next,
        })
    }

    fn is_listed_otherwise(&self, change: &Change) -> bool {
        *change == Change::Prompts
    }

    async fn complete(
        &self,
        _client: &Owner,
        template: &str,
        variable: &str,
        begun: &str,
    ) -> Result<Option<Found>, Fault> {
        Ok(match (template, variable) {
            (PROMPTS, "cursor") => Some(Found::none()),
            (PROMPT, "name") => Some(fitting(self.0.prompts().prompts.iter().map(|prompt| prompt.id.as_str()), begun)),
            _ => None,
        })
    }
}

/// A prompt's file in the list.
fn resource(prompt: &Prompt, times: &PromptTimes) -> Listed {
    let resource = Listed::new(uri(prompt), format!("templates/{}", prompt.id))
        .with_title(prompt.title.as_str())
        .with_mime_type(prompt.format.mime_type())
        .with_annotations(annotations(PRIORITY_HISTORY, times.served.get(&prompt.id).copied()));
    match prompt.description.as_str() {
        "" => resource,
        description => resource.with_description(description),
    }
}

fn uri(prompt: &Prompt) -> String {
    Target::One(prompt.id.clone()).uri()
}

/// A target with the port.
struct Named {
    target: Target,
    port: Arc<dyn PromptPort>,
}

#[async_trait]
impl Resource for Named {
    fn uri(&self) -> String {
        self.target.uri()
    }

    fn parameters(&self) -> &'static [Parameter] {
        match self.target {
            Target::All => &[Parameter::CURSOR],
            Target::One(_) => &[],
        }
    }

    async fn exists(&self, _client: &Owner) -> Result<bool, Fault> {
        Ok(match &self.target {
            Target::All => true,
            Target::One(id) => self.port.prompts().get(id).is_some(),
        })
    }

    async fn read(&self, gate: &dyn ConnectionPort, _client: &Owner, query: Query) -> Result<Option<Contents>, Fault> {
        match &self.target {
            Target::All => self.all(gate, &query).map(Some),
            Target::One(id) => {
                let source = self.port.prompt_source(id);
                Ok(source.map(|source| Contents::text(source.text, source.format.mime_type())))
            }
        }
    }

    fn reads_otherwise(&self, change: &Change) -> bool {
        *change == Change::Prompts
    }
}

impl Named {
    /// All prompts with their arguments, a page of them.
    fn all(&self, gate: &dyn ConnectionPort, query: &Query) -> Result<Contents, Fault> {
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
        let all = self.port.prompts();
        let page = PromptPage::of(gate, &all, LIST, query.cursor.as_deref())?;
        let entry = |prompt| Entry { uri: uri(prompt), prompt };
        Contents::json(&Templates {
            templates: page.prompts.iter().map(|prompt| entry(prompt.as_ref())).collect(),
            template_count: all.prompts.len(),
            next: page.next.clone().map(|next| Query::default().at(Some(next)).uri(Target::All.uri())),
            next_cursor: page.next.as_deref(),
        })
    }
}
