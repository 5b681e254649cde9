//! The toolsets that are served. A new one is a module here, and a row.

mod broker;
mod gate;
mod gsd;
mod workflow;

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::broker::BrokerPort;
use crate::toolset::{Bodies, Listing, Part, Served, part};
use crate::workflow::WorkflowPort;

#[cfg(test)]
pub(crate) use broker::TOOLSET as BROKER;
pub use gate::Gate;
#[cfg(test)]
pub(crate) use gate::TOOLSET as GATE;
#[cfg(test)]
pub(crate) use gsd::TOOLSET as GSD;
#[cfg(test)]
pub(crate) use workflow::TOOLSET as WORKFLOW;

/// The toolset that a client gets where it names none.
pub const DEFAULT_TOOLSET: &str = "gate";
/// All toolsets together, but for those that are in the place of another.
const ALL: &str = "all";
/// What stands between the names of toolsets that are served together.
const AND: char = ',';

/// Registers toolsets: endpoints, `--toolset`, `all`, calls and [`Ports`] follow from a row. What stands `apart` is in the
/// place of another, whose port it has and some of whose names: the two aren't served together, and it isn't in `all`.
macro_rules! toolsets {
    (all { $($toolset:path: $port:path,)+ } apart { $($apart:path: $theirs:path => $other:path,)+ }) => {
        /// What the running gate is to every toolset that is registered: the port of each.
        pub trait Ports: $($port +)+ Send + Sync {}

        impl<G: $($port +)+ Send + Sync> Ports for G {}

        static REGISTERED: &[Registered] = &[
            $(toolsets!(@row $toolset: $port => $toolset),)+
            $(toolsets!(@row $apart: $theirs => $other),)+
        ];

        /// How many of them are in `all`: the first ones.
        const IN_ALL: usize = [$(stringify!($toolset)),+].len();
    };
    (@row $toolset:path: $port:path => $place:path) => {
        Registered {
            name: $toolset.name,
            place: $place.name,
            instructions: $toolset.instructions,
            part: part!($toolset: $port),
        }
    };
}

toolsets! {
    all {
        gate::TOOLSET: Gate,
        broker::TOOLSET: BrokerPort,
        workflow::TOOLSET: WorkflowPort,
    }
    apart {
        gsd::TOOLSET: BrokerPort => broker::TOOLSET,
    }
}

/// A toolset without the type of its port.
struct Registered {
    name: &'static str,
    /// Whose place it has: its own, or another one's.
    place: &'static str,
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
    /// The toolset of this name: `gate`, `all`, what else is registered, or several with commas between their names; absent
    /// where one of them is in the place of another. Makes no schema.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        let of = |name: &str| match REGISTERED.iter().position(|registered| registered.name == name) {
            Some(row) => Some(1 << row),
            None => (name == ALL).then_some(TOGETHER),
        };
        let rows = name.split(AND).try_fold(0, |rows: usize, name| Some(rows | of(name)?))?;
        let mut places = HashSet::new();
        registered(rows).all(|registered| places.insert(registered.place)).then(|| served(rows))
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

/// The toolsets of these bits.
fn registered(rows: usize) -> impl Iterator<Item = &'static Registered> {
    REGISTERED.iter().enumerate().filter(move |(row, _)| rows & (1 << row) != 0).map(|(_, registered)| registered)
}

/// A bit for each toolset that is registered.
const EVERY: usize = (1 << REGISTERED.len()) - 1;
/// The bits of those that are in `all`.
const TOGETHER: usize = (1 << IN_ALL) - 1;

/// What serves the toolsets of these bits together. Its schemas are made once, for whoever uses it first.
fn served(rows: usize) -> &'static Toolset {
    static SERVED: [OnceLock<Toolset>; EVERY + 1] = [const { OnceLock::new() }; EVERY + 1];
    SERVED[rows].get_or_init(|| {
        let of: Vec<_> = registered(rows).collect();
        let names: Vec<_> = of.iter().map(|registered| registered.name.to_owned()).collect();
        let name = if rows == TOGETHER { ALL.to_owned() } else { Toolset::joined(&names) };
        let instructions: Vec<_> = of.iter().map(|registered| registered.instructions).collect();
        let tools = move || registered(rows).flat_map(|registered| (registered.part.listed)()).collect();
        Toolset { name, listing: Listing::new(tools, instructions.join("\n\n")), of }
    })
}

#[cfg(test)]
mod tests {
    use gate_core::clients::ResultForm;

    use super::*;
    use crate::answer::testing::is_written_down;

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
        let apart = [ALL, "gsd"];
        let each: usize = names.iter().filter(|name| !apart.contains(name)).map(|name| named(name).len()).sum();
        let all: HashSet<_> = named(ALL).iter().map(|tool| &tool.name).collect();
        assert_eq!((named(ALL).len(), all.len()), (each, each), "all holds each tool once");
        for none in ["nonsense", "", "gate,nonsense", "gate,", ","] {
            assert!(Toolset::named(none).is_none(), "there are no others: {none:?}");
        }
        let together = Toolset::named("broker,gate,broker").unwrap();
        assert_eq!(tools(together).len(), named("gate").len() + named("broker").len(), "each once");
        assert!(std::ptr::eq(together, Toolset::named("gate,broker").unwrap()), "and made once");
        let every = Toolset::named("workflow,gate,broker").unwrap();
        assert!(std::ptr::eq(every, Toolset::named(ALL).unwrap()), "as all are");
    }

    #[test]
    fn what_stands_in_the_place_of_another_isnt_served_with_it() {
        for both in ["broker,gsd", "gsd,broker", "all,gsd", "gate,broker,gsd", "workflow,broker,gsd"] {
            assert!(Toolset::named(both).is_none(), "two tools would have one name: {both}");
        }
        let together = Toolset::named("gsd,gate").unwrap();
        let each = ["gate", "gsd"].map(|name| tools(Toolset::named(name).unwrap()).len());
        assert_eq!(tools(together).len(), each.iter().sum::<usize>(), "with others it is");
        assert_eq!(together.name(), "gate,gsd");
    }

    #[test]
    fn clients_are_told_of_the_tools_what_is_written_down() {
        is_written_down(tools(Toolset::default_one()), "gate.json", LISTED);
    }
}
