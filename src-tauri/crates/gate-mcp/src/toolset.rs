//! Toolsets: groups of tools and resources that are served together, each on an endpoint of its own, since
//! lists may not differ from one connection to another on one endpoint. Each is a value; those that are
//! registered in `toolsets.rs` are served.

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, Tool as Listed};

use crate::resource::Resources;
use crate::tool::{Called, Responding, Tool};

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
        let listing = Listing { tools: self.listed(), instructions: self.instructions.to_owned() };
        Arc::new(Served::new(Arc::new(listing), self.over(port)))
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

/// What clients are told of a toolset.
pub(crate) struct Listing {
    pub(crate) tools: Vec<Listed>,
    pub(crate) instructions: String,
}

/// The tools and the resources of one endpoint or connection: what clients are told of them, and their bodies.
pub(crate) struct Served {
    listing: Arc<Listing>,
    bodies: Bodies,
}

impl Served {
    pub(crate) fn new(listing: Arc<Listing>, bodies: Bodies) -> Self {
        Self { listing, bodies }
    }

    pub(crate) fn resources(&self) -> &[Arc<dyn Resources>] {
        &self.bodies.resources
    }

    pub(crate) fn tools(&self) -> &[Listed] {
        &self.listing.tools
    }

    pub(crate) fn instructions(&self) -> &str {
        &self.listing.instructions
    }

    /// The tool of this name, be it the listed one or another one that is accepted for it.
    pub(crate) fn tool(&self, name: &str) -> Option<&Listed> {
        self.tools().get(self.bodies.tools.iter().position(|body| body.is_called(name))?)
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
}

#[cfg(test)]
mod tests;
