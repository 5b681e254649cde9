//! What there is on other systems than Linux: a refusal.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use gate_core::{Code, Fault};

use crate::wish::{Network, Wish};

/// An agent's sandbox, which can't be made here.
#[derive(Debug)]
pub struct Sandbox {
    never: std::convert::Infallible,
}

fn refusal() -> Fault {
    Fault::new(
        Code::Sandbox,
        "Agents are put into a sandbox on Linux only.",
        "Run the agent as another user, or in a container with a token for HTTP.",
    )
}

impl Sandbox {
    /// Refuses.
    ///
    /// # Errors
    /// `sandbox`, always.
    pub fn new(_wish: Wish) -> Result<Self, Fault> {
        Err(refusal())
    }

    /// No.
    ///
    /// # Errors
    /// `sandbox`, always.
    pub fn is_possible(_network: Network, _path: &[PathBuf]) -> Result<(), Fault> {
        Err(refusal())
    }

    /// Nothing: there is none.
    #[must_use]
    pub fn reading(self, _input: std::fs::File) -> Self {
        match self.never {}
    }

    /// Nothing: there is none.
    #[must_use]
    pub fn shown(&self) -> Vec<String> {
        match self.never {}
    }

    /// Nothing: there is none.
    ///
    /// # Errors
    /// None.
    #[expect(clippy::unused_async, reason = "as on Linux")]
    pub async fn run(self, _tell: impl Fn(&str)) -> Result<u8, Fault> {
        match self.never {}
    }
}

/// No program has a step of a sandbox here.
#[must_use]
pub fn stage(_arguments: &[OsString]) -> Option<ExitCode> {
    None
}
