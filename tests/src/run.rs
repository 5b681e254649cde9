//! A program that ran to its end, and what it said.

use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tokio::process::Command;

use crate::wait::LIMIT;

/// What a program left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit code; absent when a signal ended it.
    pub code: Option<i32>,
}

impl Ran {
    /// Runs the command to its end.
    ///
    /// # Errors
    /// When it can't be started or doesn't end in time.
    pub async fn of(mut command: Command) -> Result<Self> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let ran = tokio::time::timeout(LIMIT, command.output());
        let output = ran.await.with_context(|| format!("{command:?} did not end in {LIMIT:?}"))?;
        let output = output.with_context(|| format!("{command:?} can't be started"))?;
        Ok(Self {
            stdout: String::from_utf8(output.stdout).context("stdout is no UTF-8")?,
            stderr: String::from_utf8(output.stderr).context("stderr is no UTF-8")?,
            code: output.status.code(),
        })
    }

    /// Itself if it ended with 0.
    ///
    /// # Errors
    /// With all that it said, if not.
    pub fn succeeded(self) -> Result<Self> {
        if self.code != Some(0) {
            bail!("the program ended with {:?}: {}{}", self.code, self.stdout, self.stderr);
        }
        Ok(self)
    }

    /// Its standard output as one JSON value.
    ///
    /// # Errors
    /// When it failed or printed something else.
    pub fn json(self) -> Result<Value> {
        let ran = self.succeeded()?;
        serde_json::from_str(&ran.stdout).with_context(|| format!("no JSON on stdout: {}", ran.stdout))
    }
}
