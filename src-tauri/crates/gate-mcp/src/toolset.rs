//! Toolsets: groups of tools and resources that are served together, each on an endpoint of its own, since
//! lists may not differ from one connection to another on one endpoint. Each is a value; those that are
//! registered in `toolsets.rs` are served.

use std::sync::{Arc, OnceLock};

use gate_core::clients::ResultForm;
use rmcp::model::{CallToolRequestParams, ErrorData, GetTaskResult, Tool as Listed};
use serde_json::value::{RawValue, to_raw_value};

use crate::resource::Resources;
use crate::tool::{Called, Responding, Tasked, Tool};

/// The tools and the resources of one subject. What they need of the running gate is its port, `P`.
pub(crate) struct Subject<P: ?Sized + 'static> {
    /// In the order of the list.
    pub(crate) tools: &'static [Tool<P>],
    /// In the order of the list.
    pub(crate) resources: &'static [OverPort<P>],
}

/// Gives resources their port.
type OverPort<P> = fn(Arc<P>) -> Arc<dyn Resources>;

impl<P: ?Sized + Send + Sync + 'static> Subject<P> {
    pub(crate) fn listed(&self) -> Vec<Listed> {
        self.tools.iter().map(Tool::listed).collect()
    }

    pub(crate) fn over(&self, port: &Arc<P>) -> Bodies {
        let with_port = |tool| Box::new(WithPort { tool, port: Arc::clone(port) }) as Box<dyn Callable>;
        Bodies {
            tools: self.tools.iter().map(with_port).collect(),
            resources: self.resources.iter().map(|resources| resources(Arc::clone(port))).collect(),
        }
    }
}

/// A toolset as it is declared. What it needs of the running gate is its port, `P`.
pub(crate) struct ToolsetOf<P: ?Sized + 'static> {
    pub(crate) name: &'static str,
    /// What a client tells its model about the server.
    pub(crate) instructions: &'static str,
    /// In the order of the lists.
    pub(crate) parts: &'static [Part<P>],
}

impl<P: ?Sized + Send + Sync + 'static> ToolsetOf<P> {
    pub(crate) fn listed(&self) -> Vec<Listed> {
        self.parts.iter().flat_map(|part| (part.listed)()).collect()
    }

    pub(crate) fn over(&self, port: &Arc<P>) -> Bodies {
        Bodies::of_all(self.parts, port)
    }

    /// The toolset by itself, registered or not.
    #[cfg(test)]
    pub(crate) fn served(&self, port: &Arc<P>) -> Arc<Served> {
        // A test ends soon.
        let tools = self.listed();
        let listing = Box::leak(Box::new(Listing::new(move || tools.clone(), self.instructions.to_owned())));
        Arc::new(Served::new(listing, self.over(port)))
    }
}

/// A part of what has the port `P`, without the type of its own port. [`part!`] makes one of a [`Subject`]
/// or a [`ToolsetOf`].
pub(crate) struct Part<P: ?Sized + 'static> {
    pub(crate) listed: fn() -> Vec<Listed>,
    pub(crate) over: fn(&Arc<P>) -> Bodies,
}

/// Makes a [`Part`]: `part!(chat::SUBJECT: ChatPort)`.
macro_rules! part {
    ($of:path: $port:path) => {
        $crate::toolset::Part {
            listed: || $of.listed(),
            over: |ports| {
                let ports = ::std::sync::Arc::clone(ports);
                let port: ::std::sync::Arc<dyn $port> = ports;
                $of.over(&port)
            },
        }
    };
}
pub(crate) use part;

/// Tools and resources with their ports, in the order of their lists.
#[derive(Default)]
pub(crate) struct Bodies {
    tools: Vec<Box<dyn Callable>>,
    resources: Vec<Arc<dyn Resources>>,
}

impl Bodies {
    pub(crate) fn of_all<'a, P: ?Sized + 'static>(parts: impl IntoIterator<Item = &'a Part<P>>, port: &Arc<P>) -> Self {
        let mut all = Self::default();
        for part in parts {
            let Self { tools, resources } = (part.over)(port);
            all.tools.extend(tools);
            all.resources.extend(resources);
        }
        all
    }
}

/// What clients are told of a toolset. Made once, and not before anybody asks: schemas are long, lists are asked for often,
/// and most toolsets are used by nobody.
pub(crate) struct Listing {
    tools: Box<dyn Fn() -> Vec<Listed> + Send + Sync>,
    made: OnceLock<Lists>,
    instructions: String,
}

/// A list for each form of results.
struct Lists {
    structured: List,
    /// Without the schemas of results.
    content_alone: List,
}

impl Listing {
    pub(crate) fn new(tools: impl Fn() -> Vec<Listed> + Send + Sync + 'static, instructions: String) -> Self {
        Self { tools: Box::new(tools), made: OnceLock::new(), instructions }
    }

    fn lists(&self) -> &Lists {
        self.made.get_or_init(|| {
            let tools = (self.tools)();
            let mut without_results = tools.clone();
            without_results.iter_mut().for_each(|tool| tool.output_schema = None);
            Lists { structured: List::of(tools), content_alone: List::of(without_results) }
        })
    }

    /// The tools for clients that are given results in this form.
    pub(crate) fn tools(&self, form: ResultForm) -> &[Listed] {
        match form {
            ResultForm::Structured => &self.lists().structured.tools,
            ResultForm::ContentAlone => &self.lists().content_alone.tools,
        }
    }
}

/// A list of tools, and the same as it is written.
struct List {
    tools: Vec<Listed>,
    text: OnceLock<Option<Box<RawValue>>>,
}

impl List {
    fn of(tools: Vec<Listed>) -> Self {
        Self { tools, text: OnceLock::new() }
    }

    /// Whether these tools are a copy of it, which shares its schemas.
    fn is_copied_as(&self, tools: &[Listed]) -> bool {
        let is_copy = |(own, other): (&Listed, &Listed)| {
            Arc::ptr_eq(&own.input_schema, &other.input_schema)
                && own.output_schema.is_some() == other.output_schema.is_some()
        };
        self.tools.len() == tools.len() && self.tools.iter().zip(tools).all(is_copy)
    }

    fn text(&self) -> Option<&RawValue> {
        self.text.get_or_init(|| to_raw_value(&self.tools).ok()).as_deref()
    }
}

/// The tools and the resources of one endpoint or connection: what clients are told of them, and their bodies.
pub(crate) struct Served {
    listing: &'static Listing,
    bodies: Bodies,
}

impl Served {
    pub(crate) fn new(listing: &'static Listing, bodies: Bodies) -> Self {
        Self { listing, bodies }
    }

    pub(crate) fn resources(&self) -> &[Arc<dyn Resources>] {
        &self.bodies.resources
    }

    /// The tools with all that is known of them.
    pub(crate) fn tools(&self) -> &[Listed] {
        self.listing.tools(ResultForm::Structured)
    }

    /// The tools as clients that are given results in this form are told of them.
    pub(crate) fn listed(&self, form: ResultForm) -> &[Listed] {
        self.listing.tools(form)
    }

    /// A list of these tools as it is written, where they are all of those that clients are told of.
    pub(crate) fn written(&self, tools: &[Listed]) -> Option<&RawValue> {
        let Lists { structured, content_alone } = self.listing.lists();
        [structured, content_alone].into_iter().find(|list| list.is_copied_as(tools)).and_then(List::text)
    }

    pub(crate) fn instructions(&self) -> &str {
        &self.listing.instructions
    }

    /// The tool of this name, be it the listed one or another one that is accepted for it.
    pub(crate) fn tool(&self, name: &str) -> Option<&Listed> {
        self.tools().get(self.bodies.tools.iter().position(|body| body.is_called(name))?)
    }

    /// The state of a task that one of these tools began, with its result where that `is_read`; absent where it is none of
    /// theirs.
    pub(crate) async fn task(
        &self,
        called: &Called<'_>,
        task_id: &str,
        is_read: bool,
    ) -> Result<Option<GetTaskResult>, ErrorData> {
        for tasks in self.bodies.tools.iter().filter_map(|body| body.task(called, task_id, is_read)) {
            if let Some(found) = tasks.await? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The body of the tool of this name.
    pub(crate) fn body(&self, name: &str) -> Option<&dyn Callable> {
        self.bodies.tools.iter().find(|body| body.is_called(name)).map(AsRef::as_ref)
    }
}

/// A tool with its port.
pub(crate) trait Callable: Send + Sync {
    /// Whether it is listed as, or accepts, this name.
    fn is_called(&self, name: &str) -> bool;

    /// Answers one call.
    fn call<'a>(&'a self, called: &'a Called<'a>, params: CallToolRequestParams) -> Responding<'a>;

    /// The state of a task, where it finds any.
    fn task<'a>(&'a self, called: &'a Called<'a>, task_id: &'a str, is_read: bool) -> Option<Tasked<'a>>;
}

struct WithPort<P: ?Sized + 'static> {
    tool: &'static Tool<P>,
    port: Arc<P>,
}

impl<P: ?Sized + Send + Sync> Callable for WithPort<P> {
    fn is_called(&self, name: &str) -> bool {
        self.tool.name == name || self.tool.other_names.contains(&name)
    }

    fn call<'a>(&'a self, called: &'a Called<'a>, params: CallToolRequestParams) -> Responding<'a> {
        Box::pin(self.tool.call(&self.port, called, params))
    }

    fn task<'a>(&'a self, called: &'a Called<'a>, task_id: &'a str, is_read: bool) -> Option<Tasked<'a>> {
        self.tool.tasks.map(|tasks| tasks(&self.port, called, task_id, is_read))
    }
}

#[cfg(test)]
mod tests;
