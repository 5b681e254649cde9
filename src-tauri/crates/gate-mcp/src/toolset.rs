//! Toolsets: groups of tools that are served together, each on an endpoint of its own, since lists
//! may not differ from one connection to another on one endpoint.

use std::sync::LazyLock;

use rmcp::model::Tool;

use crate::schema;

/// The toolset that a client gets where it names none.
pub const DEFAULT_TOOLSET: &str = "gate";
/// All toolsets together.
const ALL: &str = "all";

/// A group of tools. A new one is registered in [`REGISTERED`]; endpoints, `--toolset` and `all`
/// follow from that.
#[derive(Debug)]
struct Registered {
    name: &'static str,
    tools: fn() -> Vec<Tool>,
}

const REGISTERED: &[Registered] = &[Registered { name: DEFAULT_TOOLSET, tools: schema::tools }];

/// One toolset as it is served.
#[derive(Debug)]
pub struct Toolset {
    name: &'static str,
    tools: Vec<Tool>,
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

    pub(crate) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tool of this name, be it the listed one or another one that is accepted for it.
    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        let name = if name == schema::record::SET_CHECKPOINT { schema::record::CREATE_CHECKPOINT } else { name };
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// Made once: schemas are long, and lists are asked for often.
fn served() -> &'static [Toolset] {
    static SERVED: LazyLock<Vec<Toolset>> = LazyLock::new(|| {
        let one = |registered: &Registered| Toolset { name: registered.name, tools: (registered.tools)() };
        let all = Toolset { name: ALL, tools: REGISTERED.iter().flat_map(|registered| (registered.tools)()).collect() };
        REGISTERED.iter().map(one).chain([all]).collect()
    });
    &SERVED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_toolset_is_served_by_its_name_and_all_of_them_as_all() {
        let names: Vec<_> = Toolset::names().collect();
        assert_eq!(names, ["gate", "all"]);
        assert_eq!(Toolset::default_one().name(), DEFAULT_TOOLSET);
        let tools = |name| Toolset::named(name).map_or(0, |toolset| toolset.tools().len());
        let each: usize = names.iter().filter(|name| **name != ALL).map(|name| tools(name)).sum();
        assert_eq!(tools(ALL), each, "all holds each tool once");
        assert!(Toolset::named("nonsense").is_none(), "there are no others");
    }
}
