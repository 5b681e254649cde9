//! The toolsets that are served. A new one is a module here, and a row.

mod broker;
mod gate;

use std::fmt;
use std::sync::{Arc, OnceLock};

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
/// What stands between the names of toolsets that are served together.
const AND: char = ',';

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

/// What is served at one endpoint, or to one connection: one toolset, or several together.
pub struct Toolset {
    name: String,
    listing: Listing,
    of: Vec<&'static Registered>,
}

impl Toolset {
    /// The toolset of this name: `gate`, `all`, what else is registered, or several with commas between their names.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        let of = |name: &str| match REGISTERED.iter().position(|registered| registered.name == name) {
            Some(row) => Some(1 << row),
            None => (name == ALL).then_some(EVERY),
        };
        let rows = name.split(AND).try_fold(0, |rows: usize, name| Some(rows | of(name)?))?;
        Some(served(rows))
    }

    /// The name of several that are served together.
    #[must_use]
    pub fn joined(names: &[String]) -> String {
        names.join(&AND.to_string())
    }

    /// The toolset that a client gets where it names none.
    #[must_use]
    pub fn default_one() -> &'static Self {
        // It is the first that is registered.
        served(1)
    }

    /// The names of all toolsets, `all` last. Makes no schema: every relay asks for them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        REGISTERED.iter().map(|registered| registered.name).chain([ALL])
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its tools and resources with the ports that they call.
    pub(crate) fn over(&'static self, ports: &Arc<dyn Ports>) -> Arc<Served> {
        let bodies = Bodies::of_all(self.of.iter().map(|registered| &registered.part), ports);
        Arc::new(Served::new(&self.listing, bodies))
    }
}

impl fmt::Debug for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Toolset").field(&self.name).finish()
    }
}

/// A bit for each toolset that is registered.
const EVERY: usize = (1 << REGISTERED.len()) - 1;

/// What serves the toolsets of these bits together. Made once: schemas are long, and lists are asked for often.
fn served(rows: usize) -> &'static Toolset {
    static SERVED: [OnceLock<Toolset>; EVERY + 1] = [const { OnceLock::new() }; EVERY + 1];
    SERVED[rows].get_or_init(|| {
        let of: Vec<_> =
            REGISTERED.iter().enumerate().filter(|(row, _)| rows & (1 << row) != 0).map(|(_, of)| of).collect();
        let names: Vec<_> = of.iter().map(|registered| registered.name.to_owned()).collect();
        let name = if rows == EVERY { ALL.to_owned() } else { Toolset::joined(&names) };
        let tools = of.iter().flat_map(|registered| (registered.part.listed)()).collect();
        let instructions: Vec<_> = of.iter().map(|registered| registered.instructions).collect();
        Toolset { name, listing: Listing::new(tools, instructions.join("\n\n")), of }
    })
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
        for none in ["nonsense", "", "gate,nonsense", "gate,", ","] {
            assert!(Toolset::named(none).is_none(), "there are no others: {none:?}");
        }
        let together = Toolset::named("broker,gate,broker").unwrap();
        assert_eq!(tools(together).len(), named("gate").len() + named("broker").len(), "each once");
        assert!(std::ptr::eq(together, Toolset::named("gate,broker").unwrap()), "and made once");
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
