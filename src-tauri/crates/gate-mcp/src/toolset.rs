//! Toolsets: groups of tools that are served together, each on an endpoint of its own, since lists
//! may not differ from one connection to another on one endpoint. Each is a value; those that are
//! registered here are served.

use std::fmt;
use std::sync::{Arc, LazyLock};

use rmcp::model::{CallToolRequestParams, Tool as Listed};

use crate::gate::{self, Gate};
use crate::tool::{Called, Responding, Tool};

/// The toolset that a client gets where it names none.
pub const DEFAULT_TOOLSET: &str = "gate";
/// All toolsets together.
const ALL: &str = "all";

/// A toolset as it is declared. What its tools need of the running gate is its port, `P`.
pub(crate) struct ToolsetOf<P: ?Sized + 'static> {
    pub(crate) name: &'static str,
    /// What a client tells its model about the server.
    pub(crate) instructions: &'static str,
    /// In groups, in the order of the list.
    pub(crate) tools: &'static [&'static [Tool<P>]],
}

impl<P: ?Sized + Send + Sync + 'static> ToolsetOf<P> {
    fn tools(&self) -> impl Iterator<Item = &'static Tool<P>> + use<P> {
        self.tools.iter().copied().flatten()
    }

    fn listed(&self) -> impl Iterator<Item = Listed> + use<P> {
        self.tools().map(Tool::listed)
    }

    /// Its tools with their port, in the order of the list.
    fn over(&self, port: &Arc<P>) -> Vec<Box<dyn Callable>> {
        let with_port = |tool| Box::new(WithPort { tool, port: Arc::clone(port) }) as Box<dyn Callable>;
        self.tools().map(with_port).collect()
    }

    /// The toolset by itself, registered or not.
    #[cfg(test)]
    pub(crate) fn served(&self, port: &Arc<P>) -> Arc<Served> {
        let listing = Listing { tools: self.listed().collect(), instructions: self.instructions.to_owned() };
        Arc::new(Served { listing: Arc::new(listing), bodies: self.over(port) })
    }
}

/// Registers toolsets: endpoints, `--toolset`, `all`, calls and [`Ports`] follow from a row.
macro_rules! toolsets {
    ($($toolset:path: $port:path,)+) => {
        /// What the running gate is to every toolset that is registered: the port of each.
        pub trait Ports: $($port +)+ Send + Sync {}

        impl<G: $($port +)+ Send + Sync> Ports for G {}

        static REGISTERED: &[Registered] = &[$(Registered {
            name: $toolset.name,
            instructions: $toolset.instructions,
            tools: || $toolset.listed().collect(),
            bodies: |ports| {
                let port: Arc<dyn $port> = Arc::<dyn Ports>::clone(ports);
                $toolset.over(&port)
            },
        }),+];
    };
}

toolsets! {
    gate::TOOLSET: Gate,
}

/// Gives each tool its body, over the ports of a running gate.
type Bodies = fn(&Arc<dyn Ports>) -> Vec<Box<dyn Callable>>;

/// A toolset without the type of its port.
struct Registered {
    name: &'static str,
    instructions: &'static str,
    tools: fn() -> Vec<Listed>,
    bodies: Bodies,
}

/// One toolset as it is served.
pub struct Toolset {
    name: &'static str,
    listing: Arc<Listing>,
    of: &'static [Registered],
}

impl Toolset {
    /// The toolset of this name: `gate`, `all`, or what else is registered.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        served().iter().find(|toolset| toolset.name == name)
    }

    /// The toolset that a client gets where it names none.
    #[must_use]
    pub fn default_one() -> &'static Self {
        // It is the first that is registered.
        &served()[0]
    }

    /// The names of all toolsets, `all` last. Makes no schema: every relay asks for them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        REGISTERED.iter().map(|registered| registered.name).chain([ALL])
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its tools with the ports that they call.
    pub(crate) fn over(&self, ports: &Arc<dyn Ports>) -> Arc<Served> {
        let bodies = self.of.iter().flat_map(|registered| (registered.bodies)(ports)).collect();
        Arc::new(Served { listing: Arc::clone(&self.listing), bodies })
    }
}

impl fmt::Debug for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Toolset").field(&self.name).finish()
    }
}

/// Made once: schemas are long, and lists are asked for often.
fn served() -> &'static [Toolset] {
    static SERVED: LazyLock<Vec<Toolset>> = LazyLock::new(|| {
        let toolset = |(of, name): (&'static [Registered], &'static str)| {
            let tools = of.iter().flat_map(|registered| (registered.tools)()).collect();
            let instructions: Vec<_> = of.iter().map(|registered| registered.instructions).collect();
            let listing = Listing { tools, instructions: instructions.join("\n\n") };
            Toolset { name, listing: Arc::new(listing), of }
        };
        REGISTERED.chunks(1).chain([REGISTERED]).zip(Toolset::names()).map(toolset).collect()
    });
    &SERVED
}

/// What clients are told of a toolset.
struct Listing {
    tools: Vec<Listed>,
    instructions: String,
}

/// The tools of one endpoint or connection: what clients are told of them, and their bodies.
pub(crate) struct Served {
    listing: Arc<Listing>,
    /// In the order of the list.
    bodies: Vec<Box<dyn Callable>>,
}

impl Served {
    pub(crate) fn tools(&self) -> &[Listed] {
        &self.listing.tools
    }

    pub(crate) fn instructions(&self) -> &str {
        &self.listing.instructions
    }

    /// The tool of this name, be it the listed one or another one that is accepted for it.
    pub(crate) fn tool(&self, name: &str) -> Option<&Listed> {
        self.tools().get(self.bodies.iter().position(|body| body.is_called(name))?)
    }

    /// The body of the tool of this name.
    pub(crate) fn body(&self, name: &str) -> Option<&dyn Callable> {
        self.bodies.iter().find(|body| body.is_called(name)).map(AsRef::as_ref)
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
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// What clients are told of the gate's own tools. Whatever changes it changes something for every agent.
    const LISTED: &str = include_str!("toolset/gate.json");

    #[test]
    fn every_toolset_is_served_by_its_name_and_all_of_them_as_all() {
        let names: Vec<_> = Toolset::names().collect();
        assert_eq!((names.first(), names.last()), (Some(&DEFAULT_TOOLSET), Some(&ALL)));
        assert_eq!(Toolset::default_one().name(), DEFAULT_TOOLSET);
        let tools = |name| Toolset::named(name).map_or(&[][..], |toolset| &toolset.listing.tools);
        let each: usize = names.iter().filter(|name| **name != ALL).map(|name| tools(name).len()).sum();
        let all: HashSet<_> = tools(ALL).iter().map(|tool| &tool.name).collect();
        assert_eq!((tools(ALL).len(), all.len()), (each, each), "all holds each tool once");
        assert!(Toolset::named("nonsense").is_none(), "there are no others");
    }

    #[test]
    fn clients_are_told_of_the_tools_what_is_written_down() {
        let listed = serde_json::to_string_pretty(&Toolset::default_one().listing.tools).unwrap() + "\n";
        if std::env::var_os("REVIEW_GATE_WRITE_SAMPLES").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/toolset/gate.json"), &listed).unwrap();
        }
        assert_eq!(listed, LISTED, "where it is meant, REVIEW_GATE_WRITE_SAMPLES=1 writes it anew");
    }
}
