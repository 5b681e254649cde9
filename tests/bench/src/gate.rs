//! The desktop app in a home of its own, its relays, and a front end's connection to it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::process::{LIMIT, Owned, eventually, until_idle};
use crate::screen::Screen;

/// The tool that asks a person.
pub(crate) const CHAT: &str = "review_gate_chat";

/// Gives a program a home of its own.
pub(crate) fn at_home(command: &mut Command, home: &Path) {
    // Any free port: the developer's own gate may have the usual one.
    command.env("REVIEW_GATE_HOME", home).env("REVIEW_GATE__NETWORK__PORT", "0");
    for (name, folder) in [("XDG_DATA_HOME", "data"), ("XDG_CACHE_HOME", "cache"), ("XDG_CONFIG_HOME", "config")] {
        command.env(name, home.join("xdg").join(folder));
    }
}

/// A hidden, loaded desktop app. Dropping it ends the app and removes its home.
pub(crate) struct Desktop {
    app: Owned,
    programs: PathBuf,
    home: TempDir,
}

impl Desktop {
    /// Starts the app and waits until its hidden page is loaded.
    pub(crate) fn start(programs: &Path, screen: &Screen) -> Result<Self> {
        // Requests are answered by this program, which has no terminal.
        let config = "security:\n  scripted_answers: true\nwindow:\n  undo_seconds: 0\n";
        let confirmed = json!({"security.scripted_answers": true, "window.undo_seconds": 0});
        Self::start_with(programs, screen, config, &confirmed)
    }

    /// The same with these settings, of which the person has confirmed these guards.
    pub(crate) fn start_with(programs: &Path, screen: &Screen, config: &str, confirmed: &Value) -> Result<Self> {
        // A socket's path may have 107 bytes.
        let home = tempfile::Builder::new().prefix("rg-bench-").tempdir_in("/tmp")?;
        let path = home.path();
        std::fs::write(path.join("config.yaml"), config)?;
        std::fs::write(path.join("guards.json"), confirmed.to_string())?;
        let mut command = Command::new(programs.join("review-gate-desktop"));
        screen.show_on(&mut command);
        command.arg("--hidden");
        at_home(&mut command, path);
        let log = std::fs::File::create(path.join("stderr.txt"))?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let mut app = Owned::spawn(&mut command)?;
        eventually("the gate listens", || {
            if let Some(status) = app.0.try_wait()? {
                let said = std::fs::read_to_string(path.join("stderr.txt")).unwrap_or_default();
                bail!("review-gate-desktop ended with {status}: {said}");
            }
            Ok(UnixStream::connect(path.join("mcp.sock")).ok())
        })?;
        let desktop = Self { app, programs: programs.to_owned(), home };
        until_idle(desktop.pid())?;
        Ok(desktop)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.app.pid()
    }

    /// The command that starts a relay.
    pub(crate) fn relay_command(&self) -> Command {
        let mut command = self.command();
        command.arg("mcp");
        command
    }

    /// The command line of this home, without arguments.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(self.programs.join("review-gate"));
        command.env("REVIEW_GATE_HOME", self.home.path()).current_dir(self.home.path());
        command
    }

    /// A relay, initialized.
    pub(crate) fn relay(&self) -> Result<Client> {
        Client::start(self.relay_command())
    }

    /// Where the gate serves HTTP, and the token that opens it.
    pub(crate) fn http(&self) -> Result<(SocketAddr, String)> {
        let read = |name: &str| std::fs::read_to_string(self.home.path().join(name)).ok();
        let (url, token) = eventually("the gate serves HTTP", || Ok(read("http").zip(read("token"))))?;
        let address = url.trim().strip_prefix("http://").and_then(|address| address.parse().ok());
        Ok((address.with_context(|| format!("the gate's URL is {url:?}"))?, token.trim().to_owned()))
    }

    /// A front end's connection.
    pub(crate) fn control(&self) -> Result<Control> {
        let stream = UnixStream::connect(self.home.path().join("control/control.sock")).context("no gate listens")?;
        stream.set_read_timeout(Some(LIMIT))?;
        let mut control = Control { lines: BufReader::new(stream.try_clone()?), stream, next: 1 };
        let pid = std::process::id();
        control.say(&json!({"review_gate": 1, "role": "control", "terminal": false, "pid": pid, "version": "0"}))?;
        Ok(control)
    }
}

/// A request that waits, and the digest of its question.
pub(crate) struct Waiting {
    request_id: Value,
    digest: Value,
}

/// A front end's connection to the gate.
pub(crate) struct Control {
    lines: BufReader<UnixStream>,
    stream: UnixStream,
    next: u64,
}

impl Control {
    /// Waits until exactly so many requests are pending, and gives them in the queue's order.
    pub(crate) fn pending(&mut self, wanted: usize) -> Result<Vec<Value>> {
        eventually("the requests are in the queue", || {
            let mut answer = self.command(json!({"command": "snapshot"}))?;
            let requests = answer.get_mut("requests").map(Value::take);
            Ok(requests.and_then(|requests| requests.as_array().cloned()).filter(|all| all.len() == wanted))
        })
    }

    /// The one request that is pending, as an answer names it.
    pub(crate) fn the_pending_one(&mut self) -> Result<Waiting> {
        let requests = self.pending(1)?;
        let request_id = requests.first().context("a request is pending")?["request_id"].clone();
        let mut question = self.command(json!({"command": "question", "request_id": request_id}))?;
        Ok(Waiting { request_id, digest: question["digest"].take() })
    }

    /// Answers a request with text, without waiting for the gate's word.
    pub(crate) fn send_reply(&mut self, Waiting { request_id, digest }: &Waiting) -> Result<u64> {
        let draft = json!({"text": "Go ahead.", "selected": [], "comments": [], "attachments": []});
        self.send(json!({
            "command": "send_reply", "request_id": request_id, "digest": digest, "decision": null, "draft": draft,
        }))
    }

    /// What came of a command that was sent.
    pub(crate) fn answer(&mut self, id: u64) -> Result<Value> {
        let mut line = String::new();
        self.lines.read_line(&mut line).context("the gate doesn't answer")?;
        let mut reply: Value = serde_json::from_str(&line).with_context(|| format!("the gate said {line:?}"))?;
        match reply.get_mut("ok").map(Value::take) {
            Some(answer) if reply["id"] == id => Ok(answer),
            _ => bail!("the gate refused: {line}"),
        }
    }

    fn command(&mut self, command: Value) -> Result<Value> {
        let id = self.send(command)?;
        self.answer(id)
    }

    fn send(&mut self, mut command: Value) -> Result<u64> {
        let id = self.next;
        self.next += 1;
        command.as_object_mut().context("a command is an object")?.insert("id".to_owned(), id.into());
        self.say(&command)?;
        Ok(id)
    }

    fn say(&mut self, message: &Value) -> Result<()> {
        self.stream.write_all(format!("{message}\n").as_bytes()).context("the gate reads no more")
    }
}
