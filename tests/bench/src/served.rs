//! A gate without windows, on whatever record its home has.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::client::Client;
use crate::process::{Owned, eventually};

/// A gate without windows. Dropping it kills it.
pub(crate) struct Served {
    gate: Owned,
    program: PathBuf,
    home: PathBuf,
}

impl Served {
    /// Starts it, and says how long it took until it was ready.
    pub(crate) fn start(programs: &Path, home: &Path) -> Result<(Self, Duration)> {
        // The relay runs in another folder.
        let program = std::path::absolute(programs.join("review-gate"))?;
        let home = home.to_owned();
        let mut command = command(&program, &home);
        let log = std::fs::File::create(home.join("stderr.txt"))?;
        command.args(["serve", "--allow-scripts"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let begin = Instant::now();
        let mut gate = Owned::spawn(&mut command)?;
        let mut line = String::new();
        BufReader::new(gate.0.stdout.take().context("its output was asked for")?).read_line(&mut line)?;
        let time = begin.elapsed();
        let ready: Option<Value> = serde_json::from_str(&line).ok();
        if ready.is_none_or(|ready| ready["ready"] != true || ready["already_running"] == true) {
            let said = std::fs::read_to_string(home.join("stderr.txt")).unwrap_or_default();
            bail!("the gate didn't start: {line}{said}");
        }
        Ok((Self { gate, program, home }, time))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.gate.pid()
    }

    /// A relay, initialized.
    pub(crate) fn relay(&self) -> Result<Client> {
        let mut command = command(&self.program, &self.home);
        command.arg("mcp").current_dir(&self.home);
        Client::start(command)
    }

    /// Where it serves HTTP.
    pub(crate) fn http(&self) -> Result<SocketAddr> {
        let read = || std::fs::read_to_string(self.home.join("http")).ok();
        let url = eventually("the gate serves HTTP", || Ok(read()))?;
        let address = url.trim().strip_prefix("http://").and_then(|address| address.parse().ok());
        address.with_context(|| format!("the gate's URL is {url:?}"))
    }

    /// What a subcommand of its command line prints.
    pub(crate) fn says(&self, words: &[&str]) -> Result<String> {
        let said = command(&self.program, &self.home).args(words).stdin(Stdio::null()).output()?;
        if !said.status.success() {
            bail!("review-gate {} failed: {}", words.join(" "), String::from_utf8_lossy(&said.stderr).trim());
        }
        Ok(String::from_utf8(said.stdout)?.trim().to_owned())
    }

    /// Kills it, and waits for its end.
    pub(crate) fn kill(mut self) -> Result<()> {
        self.gate.0.kill()?;
        self.gate.0.wait()?;
        Ok(())
    }

    /// Stops it as a person would, and waits for its end.
    pub(crate) fn stop(mut self) -> Result<()> {
        let mut command = command(&self.program, &self.home);
        let stopped = command.arg("stop").stdin(Stdio::null()).stdout(Stdio::null()).status()?;
        if !stopped.success() {
            bail!("review-gate stop failed ({stopped})");
        }
        let status = self.gate.0.wait()?;
        if !status.success() {
            bail!("the gate ended with {status}");
        }
        Ok(())
    }
}

fn command(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    // Any free port: the developer's own gate may have the usual one.
    let variables = [("REVIEW_GATE__NETWORK__PORT", "0"), ("REVIEW_GATE__STORAGE__BACKUPS", "0")];
    command.env("REVIEW_GATE_HOME", home).envs(variables);
    command
}
