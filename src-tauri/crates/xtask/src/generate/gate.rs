//! The gate that takes a generated record in: started without windows, asked how far it is, stopped.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::{ABSENT, Teller};
use crate::process::{Owned, output};

/// How often it is asked.
const POLL: Duration = Duration::from_millis(500);
/// How long it may take to answer. A large import keeps its disk busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running gate. Dropping it kills it.
pub(super) struct Gate {
    process: Owned,
    program: PathBuf,
    home: PathBuf,
    lines: BufReader<UnixStream>,
    stream: UnixStream,
}

impl Gate {
    /// Starts one in `home`, which is an absolute path.
    pub(super) fn start(programs: &Path, home: &Path) -> Result<Self> {
        let program = programs.join(format!("review-gate{}", std::env::consts::EXE_SUFFIX));
        let mut command = command(&program, home);
        // It is a script that imports, and looks for words.
        command.args(["serve", "--allow-scripts"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let child = command.spawn().with_context(|| format!("can't start {}", program.display()))?;
        let mut process = Owned(child);
        let mut line = String::new();
        BufReader::new(process.0.stdout.take().context("its output was asked for")?).read_line(&mut line)?;
        let ready: Value = serde_json::from_str(&line).context("the gate didn't start; its message is above")?;
        if ready["ready"] != true || ready["already_running"] == true {
            bail!("the gate of {} said {line:?}; stop the one that runs there", home.display());
        }
        let stream = UnixStream::connect(home.join("control/control.sock")).context("no gate listens")?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut gate =
            Self { process, program, home: home.to_owned(), lines: BufReader::new(stream.try_clone()?), stream };
        let pid = std::process::id();
        gate.say(&json!({"review_gate": 1, "role": "control", "terminal": false, "pid": pid, "version": "0"}))?;
        Ok(gate)
    }

    /// Reads a file into the record.
    pub(super) fn import(&mut self, file: &Path, messages: u64) -> Result<()> {
        let mut command = command(&self.program, &self.home);
        command.arg("import").arg(file).stdin(Stdio::null()).stdout(Stdio::null());
        let mut importing = Owned(command.spawn().context("can't start review-gate import")?);
        let mut told = Teller::default();
        let status = loop {
            if let Some(status) = importing.0.try_wait()? {
                break status;
            }
            // What was read is indexed when all of it was.
            let read = self.unindexed()?;
            told.tell(|| format!("{read} of {messages} messages imported"));
            pause();
        };
        if !status.success() {
            bail!("review-gate import failed ({status}); its message is above");
        }
        Ok(())
    }

    /// Waits until every message is in the search index, and sees whether `word` is found, which is in
    /// the record.
    pub(super) fn until_searchable(&mut self, word: &str) -> Result<()> {
        let mut told = Teller::default();
        loop {
            let missing = self.unindexed()?;
            if missing == 0 {
                break;
            }
            told.tell(|| format!("{missing} messages are not searchable yet"));
            pause();
        }
        let found = self.history(word)?["conversations"].take();
        if found.as_array().is_none_or(Vec::is_empty) {
            bail!("the gate says that every message is searchable, but {word:?} isn't found");
        }
        Ok(())
    }

    /// Stops it, and waits until everything is in its files.
    pub(super) fn stop(mut self) -> Result<()> {
        output(command(&self.program, &self.home).arg("stop"))?;
        let status = self.process.0.wait()?;
        if !status.success() {
            bail!("the gate ended with {status}");
        }
        Ok(())
    }

    /// How many messages of the record are not in the index. It is told with searches only.
    fn unindexed(&mut self) -> Result<u64> {
        let answer = self.history(ABSENT)?;
        answer["unindexed"].as_u64().with_context(|| format!("not what `history` answers: {answer}"))
    }

    /// Looks for words.
    fn history(&mut self, words: &str) -> Result<Value> {
        // Answers come in order, and nothing else is asked.
        self.say(&json!({"id": 1, "command": "history", "query": {"text": words}}))?;
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).context("the gate doesn't answer")? == 0 {
                bail!("the gate has closed the connection; its message is above");
            }
            let mut said: Value = serde_json::from_str(&line).with_context(|| format!("not JSON: {line:?}"))?;
            match said.get_mut("ok").map(Value::take) {
                Some(answer) if said["id"] == 1 => return Ok(answer),
                None if said["id"] == 1 => bail!("the gate refused: {said}"),
                _ => {}
            }
        }
    }

    fn say(&mut self, message: &Value) -> Result<()> {
        self.stream.write_all(format!("{message}\n").as_bytes()).context("the gate reads no more")
    }
}

fn command(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    // Any free port: the developer's own gate may have the usual one. Nobody needs backups of it.
    let variables = [("REVIEW_GATE__NETWORK__PORT", "0"), ("REVIEW_GATE__STORAGE__BACKUPS", "0")];
    command.env("REVIEW_GATE_HOME", home).envs(variables);
    command
}

#[expect(clippy::disallowed_methods, reason = "the gate tells nobody how far its index is")]
fn pause() {
    std::thread::sleep(POLL);
}
