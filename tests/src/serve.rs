//! `review-gate serve` as a child of the test.

use std::process::{ExitStatus, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Child;

use crate::home::Home;
use crate::wait::LIMIT;

/// A gate without windows. Killed when dropped.
#[derive(Debug)]
pub struct Serve {
    child: Child,
    /// What it printed when it was ready.
    pub ready: Value,
    _home: Home,
}

impl Home {
    /// Starts `review-gate serve` and waits until it is ready.
    ///
    /// # Errors
    /// When it doesn't say so in time, or says that another gate runs.
    pub async fn serve(&self) -> Result<Serve> {
        self.serve_with(&[]).await
    }

    /// As [`Home::serve`], with further flags.
    ///
    /// # Errors
    /// As there.
    pub async fn serve_with(&self, flags: &[&str]) -> Result<Serve> {
        let mut command = self.command(["serve"].into_iter().chain(flags.iter().copied()))?;
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("serve has no stdout")?;
        let mut lines = BufReader::new(stdout).lines();
        let first = tokio::time::timeout(LIMIT, lines.next_line()).await.context("serve did not become ready")??;
        let Some(first) = first else {
            let ended = child.wait_with_output().await?;
            bail!("serve ended with {}: {}", ended.status, String::from_utf8_lossy(&ended.stderr));
        };
        let ready: Value = serde_json::from_str(&first).with_context(|| format!("serve's first line: {first}"))?;
        if ready.get("ready") != Some(&Value::Bool(true)) || ready.get("already_running").is_some() {
            bail!("this home has another gate: {ready}");
        }
        Ok(Serve { child, ready, _home: self.clone() })
    }
}

impl Serve {
    /// Its process number; absent when it has ended.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// When it doesn't end in time.
    pub async fn ended(&mut self) -> Result<ExitStatus> {
        Ok(tokio::time::timeout(LIMIT, self.child.wait()).await.context("serve did not end")??)
    }

    /// Sends SIGKILL and waits for its end.
    ///
    /// # Errors
    /// When it can't be killed.
    pub async fn kill(&mut self) -> Result<()> {
        self.child.kill().await.context("serve can't be killed")
    }
}
