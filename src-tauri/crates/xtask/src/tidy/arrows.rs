//! Which crate may depend on which, and on which library.

use cargo_metadata::{DependencyKind, Package};

use super::Violation;
use crate::workspace::Workspace;

/// Every crate, and the crates of this workspace that it may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("gate-core", &[]),
    ("gate-api", &["gate-core"]),
    ("gate-os", &[]),
    ("gate-store", &["gate-core", "gate-os"]),
    ("gate-mcp", &["gate-core"]),
    ("gate-prompts", &["gate-core", "gate-git", "gate-os"]),
    ("gate-git", &["gate-core", "gate-os"]),
    ("gate-receipts", &["gate-core", "gate-os"]),
    ("gate-service", &["gate-core", "gate-receipts"]),
    ("gate-link", &["gate-core", "gate-os"]),
    ("gate-sandbox", &["gate-core"]),
    ("gate-worker", &["gate-core", "gate-os", "gate-sandbox"]),
    ("gate-forge", &["gate-core"]),
    ("gate-texts", &["gate-core", "gate-api"]),
    ("gate-settings", &["gate-core", "gate-api", "gate-texts"]),
    ("gate-clients", &["gate-core", "gate-os"]),
    (
        "gate-doctor",
        &[
            "gate-os",
            "gate-core",
            "gate-api",
            "gate-clients",
            "gate-link",
            "gate-service",
            "gate-settings",
            "gate-store",
            "gate-texts",
            "gate-voice",
        ],
    ),
    ("gate-door", &["gate-core", "gate-api", "gate-os", "gate-texts", "gate-mcp"]),
    ("gate-voice", &["gate-core", "gate-api", "gate-os"]),
    ("gate-speech", &["gate-core", "gate-api", "gate-voice"]),
    (
        "gate-app",
        &[
            "gate-os",
            "gate-clients",
            "gate-doctor",
            "gate-door",
            "gate-git",
            "gate-voice",
            "gate-core",
            "gate-api",
            "gate-settings",
            "gate-store",
            "gate-texts",
            "gate-mcp",
            "gate-link",
            "gate-prompts",
            "gate-receipts",
            "gate-service",
            "gate-worker",
        ],
    ),
    (
        "gate-cli",
        &[
            "gate-os",
            "gate-core",
            "gate-api",
            "gate-app",
            "gate-clients",
            "gate-doctor",
            "gate-git",
            "gate-link",
            "gate-prompts",
            "gate-receipts",
            "gate-sandbox",
            "gate-settings",
            "gate-texts",
            "gate-voice",
            "gate-worker",
        ],
    ),
    (
        "review-gate",
        &["gate-core", "gate-api", "gate-app", "gate-cli", "gate-link", "gate-os", "gate-speech", "gate-texts"],
    ),
    ("xtask", &[]),
    ("gate-platforms", &[]),
];
/// May use anything: they look from outside.
const FROM_OUTSIDE: &[&str] = &["gate-tests", "gate-bench"];
/// What knows nothing of the product: the tests of any crate may use it, and no program.
const FOR_TESTS: &[&str] = &["gate-platforms"];

/// A library, and the only crates that may use it. Development dependencies are free, except for
/// the domain's.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("sqlx", &["gate-store"]),
    ("rmcp", &["gate-mcp"]),
    ("tauri", &["review-gate"]),
    ("tauri-build", &["review-gate"]),
    ("whisper-rs", &["gate-speech"]),
    ("symphonia", &["gate-speech"]),
    ("rubato", &["gate-speech"]),
    ("ureq", &["gate-forge", "gate-speech"]),
    ("ring", &["gate-receipts"]),
    ("landlock", &["gate-sandbox"]),
    ("sysinfo", &["gate-os"]),
    ("windows-sys", &["gate-os", "review-gate"]),
];
/// What the domain may not know even in its tests: it has no runtime.
const NOT_IN_THE_DOMAIN: &[&str] = &["tokio", "futures", "sqlx", "tauri", "rmcp"];

pub(super) fn check(workspace: &Workspace) -> Vec<Violation> {
    let names: Vec<&str> = workspace.packages.iter().map(|package| package.name.as_str()).collect();
    let mut violations = Vec::new();
    for package in &workspace.packages {
        let manifest = package.manifest_path.as_std_path();
        let path = manifest.strip_prefix(&workspace.root).unwrap_or(manifest).to_string_lossy().into_owned();
        let text = std::fs::read_to_string(manifest).unwrap_or_default();
        for (dependency, rule) in broken(&names, package.name.as_str(), &dependencies(package)) {
            let line = text.lines().position(|line| line.starts_with(&dependency)).map(|index| index + 1);
            violations.push(Violation { path: path.clone(), line, rule });
        }
    }
    violations
}

/// A dependency's name, and whether only tests use it.
type Dependency = (String, bool);

fn dependencies(package: &Package) -> Vec<Dependency> {
    let all = package.dependencies.iter();
    all.map(|dependency| (dependency.name.clone(), dependency.kind == DependencyKind::Development)).collect()
}

/// The dependencies of `package` that break a rule, each with the rule.
fn broken(members: &[&str], package: &str, dependencies: &[Dependency]) -> Vec<(String, String)> {
    if FROM_OUTSIDE.contains(&package) {
        return Vec::new();
    }
    let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == package) else {
        let rule = format!("the crate {package} stands in no row of xtask's ARROWS; decide what it may use");
        return vec![("name".to_owned(), rule)];
    };
    let broken = dependencies.iter().filter_map(|(name, development)| {
        let name = name.as_str();
        let owners = LIBRARIES.iter().find(|(library, _)| *library == name).map(|(_, owners)| *owners);
        let rule = if *development && FOR_TESTS.contains(&name) {
            return None;
        } else if members.contains(&name) && !allowed.contains(&name) {
            format!("{package} may not use {name}: no such arrow in the architecture")
        } else if package == "gate-core" && NOT_IN_THE_DOMAIN.contains(&name) {
            format!("gate-core is pure and may not use {name}")
        } else if let Some(owners) = owners.filter(|owners| !development && !owners.contains(&package)) {
            format!("{package} may not use {name}: only {} may", owners.join(", "))
        } else {
            return None;
        };
        Some((name.to_owned(), rule))
    });
    broken.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMBERS: &[&str] = &["gate-core", "gate-store", "gate-app", "gate-new", "gate-platforms"];

    fn breaks(package: &str, dependency: &str, development: bool) -> bool {
        !broken(MEMBERS, package, &[(dependency.to_owned(), development)]).is_empty()
    }

    #[test]
    fn arrows_point_one_way() {
        assert!(!breaks("gate-app", "gate-store", false), "the controller owns the record");
        assert!(breaks("gate-store", "gate-app", false), "nothing points back");
        assert!(breaks("gate-store", "gate-app", true), "not even from a test");
        assert!(breaks("gate-new", "serde", false), "a new crate has to be given its place");
        assert!(!breaks("gate-app", "gate-platforms", true), "a test may have a platform to talk to");
        assert!(breaks("gate-app", "gate-platforms", false), "a program has none");
        assert!(breaks("gate-platforms", "gate-core", true), "and it knows nothing of the product");
    }

    #[test]
    fn a_library_has_one_owner() {
        assert!(!breaks("gate-store", "sqlx", false), "the record speaks SQL");
        assert!(breaks("gate-app", "sqlx", false), "and nobody else does");
        assert!(!breaks("gate-app", "rmcp", true), "a test may use a library to look from outside");
        assert!(breaks("gate-cli", "tauri", false), "the command line runs without a desktop");
        assert!(breaks("gate-core", "tokio", true), "the domain's rules are tested without a runtime");
        assert!(!breaks("gate-tests", "sqlx", false), "end-to-end tests look everywhere");
    }
}
