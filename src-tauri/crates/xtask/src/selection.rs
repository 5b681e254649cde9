//! What cargo is asked for: all packages and one set of features, in every step.
//!
//! cargo unites the features of what it is asked for. Two commands that ask for different packages, or that leave out
//! the tests' dependencies, compile the same libraries twice.

use std::ffi::OsStr;
use std::process::Command;

use crate::process::cargo;
use crate::workspace::Workspace;

/// The UI's types are generated from the same build, and the conformance suite is served its fixtures by it.
const FEATURES: &str = "gate-api/typescript,review-gate/conformance";

/// `cargo COMMAND` on everything. The tests' dependencies are part of it only if `targets` has tests or examples.
pub(crate) fn everything<A: AsRef<OsStr>>(workspace: &Workspace, command: &[A], targets: &[&str]) -> Command {
    let mut cargo = cargo(&workspace.root, command);
    cargo.args(["--workspace", "--features", FEATURES]).args(targets);
    cargo
}
