//! `cargo xtask test --changed`: what a change can have broken, and what is left out, with the reason.
//!
//! [`decide`] goes from the paths that changed to a [`Plan`] by the tables in `changed/reach.rs`. A path that they don't
//! know calls for everything.

mod reach;

use std::collections::BTreeSet;
use std::process::Command;

use anyhow::{Context as _, Result};

use self::reach::EndToEnd;
use crate::process::output;
use crate::ui;
use crate::workspace::Workspace;

/// The package of the end-to-end tests, and the folder of their subjects.
const END_TO_END: &str = "gate-tests";
const SUBJECTS: &str = "tests/tests/e2e/";

/// What was found to have changed.
pub(super) struct Changes {
    /// The commit that the work tree is compared with, as the developer is told it.
    since: String,
    /// Paths from the workspace's root, sorted.
    paths: Vec<String>,
}

impl Changes {
    /// What differs from `revision`; without one from where this branch left main, or where no main is known from the last
    /// commit. Files that git doesn't know yet, and doesn't ignore, are part of it.
    pub(super) fn find(workspace: &Workspace, revision: Option<&str>) -> Result<Self> {
        let git = |words: &[&str]| output(Command::new("git").args(words).current_dir(&workspace.root));
        let commit = |name: &str| git(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")]);
        let (base, since) = match revision {
            Some(name) => {
                let commit = commit(name).with_context(|| format!("git knows no revision {name:?}"))?;
                (commit.trim().to_owned(), name.to_owned())
            }
            None => {
                let shared = |main: &str| git(&["merge-base", "HEAD", commit(main).ok()?.trim()]).ok();
                let main = ["main@{upstream}", "main"].into_iter().find_map(|main| Some((shared(main)?, main)));
                let (base, main) = main.unwrap_or_else(|| ("HEAD".to_owned(), "no main"));
                let base = base.trim().to_owned();
                let short = git(&["rev-parse", "--short", &base]).context("is this a clone with a commit?")?;
                (base, format!("{}, which this branch has in common with {main}", short.trim()))
            }
        };
        let changed = git(&["diff", "--name-only", "-z", "--no-renames", &base, "--"])?;
        let new = git(&["ls-files", "-z", "--others", "--exclude-standard"])?;
        let paths: BTreeSet<&str> =
            changed.split('\0').chain(new.split('\0')).filter(|path| !path.is_empty()).collect();
        Ok(Self { since, paths: paths.into_iter().map(str::to_owned).collect() })
    }

    /// The plan for them among these steps, after it is told; none where nothing changed.
    pub(super) fn plan(&self, workspace: &Workspace, steps: &[&str]) -> Result<Option<Plan>> {
        if self.paths.is_empty() {
            println!(
                "Nothing differs from {}, so nothing is to be tried. `cargo xtask test` takes everything",
                self.since
            );
            return Ok(None);
        }
        let plan = decide(&Tree::of(workspace)?, &self.paths);
        println!("Files that differ from {}: {}", self.since, self.paths.len());
        plan.told(steps).iter().for_each(|line| println!("{line}"));
        Ok(Some(plan))
    }
}

/// What of the tree a decision needs.
struct Tree {
    /// The modules of the end-to-end tests.
    subjects: Vec<String>,
    /// Whether `ui/dist` is younger than all that it is built from.
    ui_is_built: bool,
}

impl Tree {
    fn of(workspace: &Workspace) -> Result<Self> {
        let folder = workspace.root.join(SUBJECTS);
        let mut subjects = Vec::new();
        for entry in std::fs::read_dir(&folder).with_context(|| format!("can't read {}", folder.display()))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            subjects.extend(name.strip_suffix(".rs").filter(|name| *name != "main").map(str::to_owned));
        }
        subjects.sort();
        Ok(Self { subjects, ui_is_built: ui::is_built(workspace) })
    }
}

/// What runs after a change.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// A path that calls for everything. What is below then says nothing.
    whole: Option<String>,
    /// What changed, and what is out of date.
    kinds: BTreeSet<Kind>,
    /// Crates whose unit tests run, with those of every crate that depends on them.
    crates: BTreeSet<String>,
    /// Crates of which only their own unit tests run.
    alone: BTreeSet<String>,
    /// The subjects of which tests run, or the beginnings of these tests' names.
    subjects: BTreeSet<String>,
    /// The subjects of which none does.
    other_subjects: BTreeSet<String>,
}

/// What a step looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Something of `ui/`.
    Ui,
    /// What only says how the files of `ui/` are formatted.
    UiFormat,
    /// `ui/dist`: it is older than what it is built from.
    UiDist,
    /// A page that the UI's tests read.
    UiPage,
    /// A Rust source.
    Rust,
    /// A Rust source of what is shipped.
    Shipped,
    /// What the fuzz tests of every crate begin with.
    Corpus,
    /// The developer's commands.
    Xtask,
}

/// What runs after a change of these paths.
fn decide(tree: &Tree, paths: &[String]) -> Plan {
    let mut plan = Plan::default();
    for path in paths {
        if !plan.take_in(tree, path) {
            return Plan { whole: Some(path.clone()), ..Plan::default() };
        }
    }
    if !tree.ui_is_built {
        plan.kinds.insert(Kind::UiDist);
    }
    let Plan { crates, alone, subjects, other_subjects, .. } = &mut plan;
    alone.retain(|name| !crates.contains(name));
    let whole = subjects.clone();
    subjects.retain(|name| name.split_once("::").is_none_or(|(subject, _)| !whole.contains(subject)));
    let runs = |subject: &str| subjects.iter().any(|name| name.split("::").next() == Some(subject));
    other_subjects.extend(tree.subjects.iter().filter(|subject| !runs(subject)).cloned());
    plan
}

impl Plan {
    /// Adds what a change of `path` calls for; false where that is everything.
    fn take_in(&mut self, tree: &Tree, path: &str) -> bool {
        if path.ends_with("/Cargo.toml") {
            return false;
        }
        if let Some(name) = reach::tests_of(path) {
            self.kinds.insert(Kind::Rust);
            self.alone.insert(name.to_owned());
            return true;
        }
        if let Some(name) = reach::crate_of(path) {
            return self.crate_changed(tree, name);
        }
        if path.starts_with("ui/") {
            return self.ui_changed(tree, path);
        }
        if let Some(subject) = path.strip_prefix(SUBJECTS).filter(|name| *name != "main.rs") {
            self.subject_changed(subject.split(['/', '.']).next().unwrap_or(subject));
        } else if path.starts_with("tests/corpus/") {
            self.kinds.extend([Kind::Corpus, Kind::Rust]);
        } else if let Some(page) = path.strip_prefix("docs/") {
            self.page_changed(tree, page);
        } else if path == "deny.toml" {
            self.alone.insert("xtask".to_owned());
        } else if path == ".editorconfig" {
            self.kinds.insert(Kind::UiFormat);
        } else {
            return reach::NO_TEST_READS
                .iter()
                .any(|known| path == *known || (known.ends_with('/') && path.starts_with(known)));
        }
        true
    }

    /// False for a crate without a row.
    fn crate_changed(&mut self, tree: &Tree, name: &str) -> bool {
        let Some((_, reached)) = reach::CRATES.iter().find(|(row, _)| *row == name) else { return false };
        self.kinds.insert(Kind::Rust);
        match name {
            "xtask" => _ = self.kinds.insert(Kind::Xtask),
            "gate-bench" | "gate-platforms" | END_TO_END => {}
            _ => _ = self.kinds.insert(Kind::Shipped),
        }
        if name != END_TO_END {
            self.crates.insert(name.to_owned());
        }
        match reached {
            EndToEnd::All => self.subjects.extend(tree.subjects.iter().cloned()),
            EndToEnd::Of(names) => self.run_subjects(tree, names),
        }
        true
    }

    fn ui_changed(&mut self, tree: &Tree, path: &str) -> bool {
        self.kinds.insert(Kind::Ui);
        // Rust says its words from the same catalogues.
        if path.starts_with("ui/locales/") && !self.crate_changed(tree, "gate-texts") {
            return false;
        }
        if !reach::NOT_IN_WINDOWS.iter().any(|folder| path.starts_with(folder)) {
            self.run_subjects(tree, reach::UI);
            // Both compile the built UI in.
            self.alone.extend(["gate-door", "review-gate"].map(str::to_owned));
        }
        true
    }

    fn subject_changed(&mut self, subject: &str) {
        self.kinds.insert(Kind::Rust);
        let users = reach::SHARED.iter().filter(|(shared, _)| *shared == subject).flat_map(|(_, users)| *users);
        self.subjects.extend(users.copied().chain([subject]).map(str::to_owned));
    }

    fn page_changed(&mut self, tree: &Tree, page: &str) {
        if page == reach::UI_READS {
            self.kinds.insert(Kind::UiPage);
        }
        for (_, package, subject) in reach::PAGES.iter().filter(|(row, ..)| *row == page) {
            self.alone.extend(package.map(str::to_owned));
            if let Some(subject) = subject {
                self.run_subjects(tree, &[*subject]);
            }
        }
    }

    fn run_subjects(&mut self, tree: &Tree, names: &[&str]) {
        for name in names {
            let found = tree.subjects.iter().filter(|subject| reach::names(name, subject)).cloned();
            if name.contains("::") { self.subjects.extend([(*name).to_owned()]) } else { self.subjects.extend(found) }
        }
    }

    /// Why the step isn't taken; absent where it is.
    pub(super) fn why_left_out(&self, step: &str) -> Option<&'static str> {
        use Kind::{Rust, Shipped, Ui, UiDist, UiFormat, UiPage, Xtask};
        if self.whole.is_some() {
            return None;
        }
        let some = |kinds: &[Kind]| kinds.iter().any(|kind| self.kinds.contains(kind));
        let (is_taken, why) = match step {
            "ui build" => (some(&[Ui, UiDist]), "nothing of ui/ has changed since ui/dist was built"),
            "ui check" => (some(&[Ui, UiFormat]), "nothing of ui/ changed"),
            "ui browser" => (some(&[Ui]), "nothing of ui/ changed"),
            "ui test" => (some(&[Ui, UiPage, Rust]), "nothing changed that its tests read"),
            "conformance" => {
                let speaks = self.subjects.contains(reach::CONFORMANCE);
                (speaks || some(&[Xtask]), "nothing changed that decides how MCP is spoken")
            }
            "shipped" => (some(&[Shipped]), "no source of what is shipped changed"),
            "docs" | "doc tests" => (some(&[Rust]), "no Rust source changed"),
            "tests" => (self.filterset().is_some(), "no test reads what changed"),
            _ => (true, ""),
        };
        (!is_taken).then_some(why)
    }

    /// What of the step is taken; absent where it is all.
    pub(super) fn part(&self, step: &str) -> Option<String> {
        match step {
            "tests" if self.whole.is_none() => self.filterset(),
            "ui test" if self.whole.is_none() && !self.kinds.contains(&Kind::Ui) => Some(reach::READ_RUST.join(" ")),
            _ => None,
        }
    }

    /// What nextest is to run; absent where that is nothing.
    fn filterset(&self) -> Option<String> {
        let mut sets: Vec<String> = self.crates.iter().map(|name| format!("rdeps({name})")).collect();
        sets.extend(self.alone.iter().map(|name| format!("package({name})")));
        if self.kinds.contains(&Kind::Corpus) {
            sets.push(format!("not package({END_TO_END})"));
        }
        if !self.subjects.is_empty() {
            let beginning = |name: &String| if name.contains("::") { name.clone() } else { format!("{name}::") };
            let names: Vec<String> = self.subjects.iter().map(beginning).collect();
            sets.push(format!("(package({END_TO_END}) & test(/^({})/))", names.join("|")));
        }
        (!sets.is_empty()).then(|| sets.join(" | "))
    }

    /// What is said before it begins: a line for each part that runs, and one for each that doesn't.
    fn told(&self, steps: &[&str]) -> Vec<String> {
        if let Some(path) = &self.whole {
            return vec![format!("Everything runs: {path} may reach all of it")];
        }
        let list = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let mut lines = Vec::new();
        let mut say = |names: &BTreeSet<String>, before: &str, after: &str| {
            if !names.is_empty() {
                lines.push(format!("{before}{}{after}", list(names)));
            }
        };
        say(&self.crates, "Runs the unit tests of ", ", and of every crate that depends on them");
        say(&self.alone, "Runs the unit tests of ", "");
        say(&self.subjects, "Runs the end-to-end tests ", "");
        let why = ": by the table in xtask/src/test/changed/reach.rs they don't look at what changed";
        say(&self.other_subjects, "Leaves out the end-to-end tests ", why);
        if !self.kinds.contains(&Kind::Corpus) {
            lines
                .push("Leaves out the unit tests of all other crates: none of them depends on what changed".to_owned());
        }
        for step in steps {
            match (self.why_left_out(step), self.part(step)) {
                (Some(why), _) => lines.push(format!("Leaves out the step `{step}`: {why}")),
                (None, Some(part)) if *step == "ui test" => {
                    lines.push(format!("Leaves out of `ui test` all but {part}: nothing of ui/ changed"));
                }
                (None, _) => {}
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests;
