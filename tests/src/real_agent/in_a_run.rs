//! A real agent in a run of gate-worker's, by the example `worker` of that.

use std::process::Stdio;

use anyhow::{Context as _, Result};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::{Program, RealAgent};
use crate::bin;
use crate::run::Ran;

impl RealAgent {
    /// Has it answer a question in a run of gate-worker's, with these words for that, and gives what is printed of it.
    ///
    /// # Errors
    /// When the run can't be started, or doesn't end.
    pub async fn answer_in_a_run(&self, words: &[&str], question: &str) -> Result<Ran> {
        let agent = self.program.command(&self.modules);
        let agent = std::iter::once(agent.as_std().get_program()).chain(agent.as_std().get_args());
        let mut command = Command::new(bin("examples/worker")?);
        // A script by itself, as its package's command is.
        command.arg(self.program.id()).arg("--at").args(agent.skip_while(|word| *word == "node").take(1)).args(words);
        match self.program {
            // It heeds nothing that its person has set up.
            Program::Codex => {
                let loopback =
                    format!("{{name=\"loopback\",base_url=\"{}/v1\",wire_api=\"responses\"}}", self.model.url);
                let provider = format!("model_providers.loopback={loopback}");
                for setting in ["model=\"gpt-5.1-codex\"", "model_provider=\"loopback\"", &provider] {
                    command.args(["--more", "--config", "--more", setting]);
                }
            }
            Program::Gemini => drop(command.args(["--model", "gemini-2.5-pro"])),
            Program::ClaudeCode | Program::OpenCode => {}
        }
        command.arg(self.home.folder().join("runs"));
        self.dress(&mut command)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut run = command.spawn().context("no run")?;
        let mut input = run.stdin.take().context("a run reads its question")?;
        input.write_all(question.as_bytes()).await?;
        drop(input);
        self.ended(run).await
    }
}
