//! What cargo is asked to build: one set of packages and one of features for every step.
//!
//! cargo unites the features of what it is asked for. Two commands that ask for different packages, or that leave out
//! the tests' dependencies, compile the same libraries twice.

use std::ffi::OsStr;
use std::process::Command;

use crate::process::cargo;
use crate::workspace::Workspace;

/// Every package that is built in `cargo xtask test`. The benchmark brings libraries that nothing else has; it is only
/// looked at, by clippy and rustdoc.
const BUILT: &[&str] = &["--workspace", "--exclude", "gate-bench"];
/// Every package.
const CHECKED: &[&str] = &["--workspace"];
/// The features of both: the UI's types are generated from the same build.
const FEATURES: &str = "gate-api/typescript";
/// What serves the conformance suite its fixtures.
pub(crate) const CONFORMANCE: &str = "review-gate/conformance";

/// `cargo COMMAND` on everything that is built, with the tests' dependencies only if `targets` has tests or examples.
pub(crate) fn built<A: AsRef<OsStr>>(workspace: &Workspace, command: &[A], targets: &[&str]) -> Command {
    selected(workspace, command, BUILT, targets)
}

/// `cargo COMMAND` on everything.
pub(crate) fn checked<A: AsRef<OsStr>>(workspace: &Workspace, command: &[A], targets: &[&str]) -> Command {
    selected(workspace, command, CHECKED, targets)
}

fn selected<A: AsRef<OsStr>>(workspace: &Workspace, command: &[A], packages: &[&str], targets: &[&str]) -> Command {
    let mut cargo = cargo(&workspace.root, command);
    cargo.args(packages).args(["--features", FEATURES]).args(targets);
    cargo
}
