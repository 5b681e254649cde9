//! `cargo xtask tidy`: the rules of `docs/architecture.md` that a program can check, and the lists of `deny.toml`.

mod allowed;
mod arrows;
mod circles;
mod dependencies;
mod linking;
mod promises;
mod text;

use std::fmt;
use std::process::Command;

use anyhow::{Result, bail};

use crate::process::output;
use crate::workspace::Workspace;

/// A place that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
struct Violation {
    /// Relative to the workspace's root.
    path: String,
    /// Counted from 1; absent where the whole file is meant.
    line: Option<usize>,
    rule: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.rule),
            None => write!(f, "{}: {}", self.path, self.rule),
        }
    }
}

/// Checks everything; the programs' linking only where they are built.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let mut violations = arrows::check(workspace);
    violations.extend(circles::check(workspace));
    violations.extend(dependencies::check(workspace)?);
    violations.extend(allowed::check(workspace)?);
    violations.extend(promises::check(workspace)?);
    violations.extend(sources(workspace)?);
    violations.extend(linking::check(workspace));
    report(&violations)
}

/// Checks what the built command line program links.
pub(crate) fn linking(workspace: &Workspace) -> Result<()> {
    report(&linking::check(workspace))
}

fn report(violations: &[Violation]) -> Result<()> {
    for violation in violations {
        println!("{violation}");
    }
    if violations.is_empty() {
        return Ok(());
    }
    bail!(
        "places that break a rule: {}; docs/architecture.md and docs/contributing.md say why it is one",
        violations.len()
    )
}

/// Checks the text of every file that is tracked, or would be after `git add`.
fn sources(workspace: &Workspace) -> Result<Vec<Violation>> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let names = output(Command::new("git").args(list).current_dir(&workspace.root))?;
    let here = workspace.root.to_string_lossy();
    let mut violations = Vec::new();
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        // A file that was deleted but not yet staged, or isn't text, has no lines to check.
        let Ok(content) = std::fs::read_to_string(workspace.root.join(name)) else { continue };
        violations.extend(text::check(name, &content, &here));
    }
    Ok(violations)
}
