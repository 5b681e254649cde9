//! A copy of a generated record, and the gate that serves it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::process::Owned;

/// What a record consists of. The logs of SQLite are folded in when a gate stops.
const FILES: [&str; 2] = ["review-gate.db", "search.db"];

/// What `cargo xtask generate` says of its record.
#[derive(Debug, Deserialize)]
pub(super) struct Note {
    pub(super) conversations: u64,
    /// The session with the most messages.
    pub(super) largest: String,
    /// Some sessions, spread evenly.
    pub(super) some: Vec<String>,
    /// Sessions with checkpoints.
    pub(super) checkpointed: Vec<String>,
    /// What is looked for: a name, and the words.
    pub(super) searches: Vec<(String, String)>,
}

/// A home folder with the record. Dropping it removes the folder.
pub(super) struct Copied {
    pub(super) note: Note,
    folder: TempDir,
}

impl Copied {
    /// Copies a record into a new folder in `to`, on whose file system everything is measured.
    pub(super) fn of(record: &Path, to: &Path) -> Result<Self> {
        let path = record.join("generated.json");
        let note = std::fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
        let note = serde_json::from_str(&note).with_context(|| format!("can't make sense of {}", path.display()))?;
        // Not below /tmp, which may be in memory.
        let folder = tempfile::Builder::new().prefix("copy-").tempdir_in(std::path::absolute(to)?)?;
        for name in FILES {
            let copy = folder.path().join(name);
            std::fs::copy(record.join(name), &copy).with_context(|| format!("can't copy {name}"))?;
            // Else the system writes it while writes are measured.
            std::fs::File::open(&copy)?.sync_all()?;
        }
        Ok(Self { note, folder })
    }

    /// Makes the record one of the agents that this program starts. As it was generated it is nobody's, and no agent is
    /// listed it. What such an owner is called, the gate writes with the first session that one names.
    pub(super) fn become_own(&self, programs: &Path) -> Result<()> {
        let session = self.note.some.first().context("the record has conversations")?;
        let (served, _) = Served::start(programs, self)?;
        let mut relay = served.relay()?;
        let named = relay.call("review_gate_get_context", &json!({"session_uuid": session}))?;
        relay.result(named)?;
        drop(relay);
        served.stop()?;
        let connection = Connection::open(self.database())?;
        connection.execute(
            "UPDATE conversations SET (owner, heirs) =
                 (SELECT named.owner, named.heirs FROM conversations named WHERE named.session_uuid = ?1)",
            [session],
        )?;
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn database(&self) -> PathBuf {
        self.path().join(FILES[0])
    }
}

/// A gate without windows. Dropping it kills it.
pub(super) struct Served {
    gate: Owned,
    program: PathBuf,
    home: PathBuf,
}

impl Served {
    /// Starts it, and says how long it took until it was ready.
    pub(super) fn start(programs: &Path, copied: &Copied) -> Result<(Self, Duration)> {
        // The relay runs in another folder.
        let program = std::path::absolute(programs.join("review-gate"))?;
        let home = copied.path().to_owned();
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

    pub(super) fn pid(&self) -> u32 {
        self.gate.pid()
    }

    /// A relay, initialized.
    pub(super) fn relay(&self) -> Result<Client> {
        let mut command = command(&self.program, &self.home);
        command.arg("mcp").current_dir(&self.home);
        Client::start(command)
    }

    /// Kills it, and waits for its end.
    pub(super) fn kill(mut self) -> Result<()> {
        self.gate.0.kill()?;
        self.gate.0.wait()?;
        Ok(())
    }

    /// Stops it as a person would, and waits for its end.
    pub(super) fn stop(mut self) -> Result<()> {
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
