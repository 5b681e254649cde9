//! `docs/dependencies.md` names every direct dependency, so that none slips in without a reason.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Violation;
use crate::workspace::Workspace;

const PAGE: &str = "docs/dependencies.md";
const UI: &str = "ui/package.json";

pub(super) fn check(workspace: &Workspace) -> Result<Vec<Violation>> {
    let read =
        |path: &str| std::fs::read_to_string(workspace.root.join(path)).with_context(|| format!("can't read {path}"));
    let members: BTreeSet<&str> = workspace.packages.iter().map(|package| package.name.as_str()).collect();
    let crates = workspace.packages.iter().flat_map(|package| &package.dependencies);
    let mut names: BTreeSet<String> = crates.map(|dependency| dependency.name.clone()).collect();
    names.retain(|name| !members.contains(name.as_str()));
    names.extend(npm(&serde_json::from_str(&read(UI)?).with_context(|| format!("{UI} is no JSON"))?));
    Ok(unnamed(&names, &read(PAGE)?))
}

/// The packages that a `package.json` names.
fn npm(package: &Value) -> Vec<String> {
    let lists = ["dependencies", "devDependencies"].into_iter().filter_map(|list| package.get(list)?.as_object());
    lists.flat_map(|list| list.keys().cloned()).collect()
}

fn unnamed(names: &BTreeSet<String>, page: &str) -> Vec<Violation> {
    let missing = names.iter().filter(|name| !page.contains(&format!("`{name}`")));
    let rule = |name: &String| format!("`{name}` isn't named: say what it is for, and its licence");
    missing.map(|name| Violation { path: PAGE.to_owned(), line: None, rule: rule(name) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_named_in_full() {
        let names = ["serde", "tokio"].map(str::to_owned).into();
        let found = unnamed(&names, "`serde_json` and `tokio`");
        assert_eq!(found.len(), 1, "a longer name doesn't stand for a shorter one: {found:?}");
    }

    #[test]
    fn both_lists_of_a_package_count() {
        let package = serde_json::json!({ "dependencies": { "a": "1" }, "devDependencies": { "b": "2" } });
        assert_eq!(npm(&package), ["a", "b"], "a tool has to earn its place as a library has");
    }
}
