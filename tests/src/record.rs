//! What the database holds, read by SQLite's own program.

use anyhow::{Context as _, Result};
use serde_json::Value;
use tokio::process::Command;

use crate::home::Home;
use crate::run::Ran;

impl Home {
    /// The rows of a query as JSON objects, read only.
    ///
    /// # Errors
    /// When there is no `sqlite3` program or the query fails.
    pub async fn rows(&self, query: &str) -> Result<Vec<Value>> {
        let mut command = Command::new("sqlite3");
        command.args(["-json", "-readonly", "-cmd", ".timeout 5000"]).arg(self.database()).arg(query);
        let ran = Ran::of(command).await?.succeeded()?;
        if ran.stdout.trim().is_empty() {
            return Ok(Vec::new());
        }
        serde_json::from_str(&ran.stdout).with_context(|| format!("rows: {}", ran.stdout))
    }

    /// Runs statements that change the database. For homes without a gate.
    ///
    /// # Errors
    /// As [`Home::rows`].
    pub async fn change(&self, statements: &str) -> Result<()> {
        let mut command = Command::new("sqlite3");
        command.args(["-bail", "-cmd", ".timeout 5000"]).arg(self.database()).arg(statements);
        Ran::of(command).await?.succeeded().map(drop)
    }
}
