//! The toolsets that are served. A new one is a module here, and a row.

mod broker;
mod gate;

use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::broker::BrokerPort;
use crate::toolset::{Bodies, Listing, Part, Served, part};

#[cfg(test)]
pub(crate) use broker::TOOLSET as BROKER;
pub use gate::Gate;
#[cfg(test)]
pub(crate) use gate::TOOLSET as GATE;

/// The toolset that a client gets where it names none.
pub const DEFAULT_TOOLSET: &str = "gate";
/// All toolsets together.
const ALL: &str = "all";

/// Registers toolsets: endpoints, `--toolset`, `all`, calls and [`Ports`] follow from a row.
macro_rules! toolsets {
    ($($toolset:path: $port:path,)+) => {
        /// What the running gate is to every toolset that is registered: the port of each.
        pub trait Ports: $($port +)+ Send + Sync {}

        impl<G: $($port +)+ Send + Sync> Ports for G {}

        static REGISTERED: &[Registered] = &[$(Registered {
            name: $toolset.name,
            instructions: $toolset.instructions,
            part: part!($toolset: $port),
        }),+];
    };
}

toolsets! {
    gate::TOOLSET: Gate,
    broker::TOOLSET: BrokerPort,
}

/// A toolset without the type of its port.
struct Registered {
    name: &'static str,
    instructions: &'static str,
    part: Part<dyn Ports>,
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

    /// Its tools and resources with the ports that they call.
    pub(crate) fn over(&self, ports: &Arc<dyn Ports>) -> Arc<Served> {
        let bodies = Bodies::of_all(self.of.iter().map(|registered| &registered.part), ports);
        Arc::new(Served::new(Arc::clone(&self.listing), bodies))
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
            let tools = of.iter().flat_map(|registered| (registered.part.listed)()).collect();
            let instructions: Vec<_> = of.iter().map(|registered| registered.instructions).collect();
            let listing = Listing::new(tools, instructions.join("\n\n"));
            Toolset { name, listing: Arc::new(listing), of }
        };
        REGISTERED.chunks(1).chain([REGISTERED]).zip(Toolset::names()).map(toolset).collect()
    });
    &SERVED
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use gate_core::clients::ResultForm;

    use super::*;

    /// What clients are told of the gate's own tools. Whatever changes it changes something for every agent.
    const LISTED: &str = include_str!("toolsets/gate.json");

    fn tools(toolset: &Toolset) -> &[rmcp::model::Tool] {
        toolset.listing.tools(ResultForm::Structured)
    }

    #[test]
    fn every_toolset_is_served_by_its_name_and_all_of_them_as_all() {
        let names: Vec<_> = Toolset::names().collect();
        assert_eq!((names.first(), names.last()), (Some(&DEFAULT_TOOLSET), Some(&ALL)));
        assert_eq!(Toolset::default_one().name(), DEFAULT_TOOLSET);
        let named = |name| Toolset::named(name).map_or(&[][..], tools);
        let each: usize = names.iter().filter(|name| **name != ALL).map(|name| named(name).len()).sum();
        let all: HashSet<_> = named(ALL).iter().map(|tool| &tool.name).collect();
        assert_eq!((named(ALL).len(), all.len()), (each, each), "all holds each tool once");
        assert!(Toolset::named("nonsense").is_none(), "there are no others");
    }

    #[test]
    fn clients_are_told_of_the_tools_what_is_written_down() {
        let listed = serde_json::to_string_pretty(tools(Toolset::default_one())).unwrap() + "\n";
        if std::env::var_os("REVIEW_GATE_WRITE_SAMPLES").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/toolsets/gate.json"), &listed).unwrap();
        }
        assert_eq!(listed, LISTED, "where it is meant, REVIEW_GATE_WRITE_SAMPLES=1 writes it anew");
    }
}
