//! Containers: bubblewrap makes what an engine makes, namespaces of their own with a user of their own, in which of this
//! machine there are the system's programs, ours, and what is shared by name. The network is the machine's.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use crate::agent::Agent;
use crate::home::Home;
use crate::process::Process;
use crate::run::Ran;
use crate::skip::{out_of_reach, skip};
use crate::wait::{LIMIT, eventually};
use crate::window::lacking;

/// What a container has besides: all that programs are made of.
const SYSTEM: [&str; 4] = ["/bin", "/lib", "/lib64", "/sbin"];
/// Where a home is in it, or what is shared of one.
const GATE: &str = "/tmp/gate";
/// Where an agent works in it.
const WORK: &str = "/tmp/work";
/// Who its programs run as. Outside, it is the test's own user.
const USER: &str = "1000";

/// A container in which something runs. It ends when this is dropped.
#[derive(Debug)]
pub struct Container {
    program: PathBuf,
    first: Process,
    bwrap: Child,
}

impl Container {
    /// Whether there can be one here; else the test is left out.
    ///
    /// # Errors
    /// Where it may not be.
    pub async fn possible(home: &Home) -> Result<bool> {
        if let Some(reason) = lacking(&[("bwrap", "bubblewrap"), ("nsenter", "util-linux")]) {
            skip(&reason)?;
            return Ok(false);
        }
        let mut trial = contained(home, &[])?;
        trial.arg("true").stdin(Stdio::null());
        let ran = Ran::of(trial).await?;
        if ran.code != Some(0) {
            out_of_reach(&format!("no container can be made here: {}", ran.stderr))?;
        }
        Ok(ran.code == Some(0))
    }

    /// Starts a gate in one, with these flags; its home is a volume. Waits until it listens.
    ///
    /// # Errors
    /// When it doesn't.
    pub async fn gate(home: &Home, flags: &[&str]) -> Result<Self> {
        let [http, info] = [home.path().join("http"), home.folder().join("container.json")];
        for file in [&http, &info] {
            let _ = fs::remove_file(file);
        }
        let volume = home.path().display().to_string();
        let mut command = contained(home, &["--bind", &volume, GATE, "--info-fd", "3"])?;
        let program = home.command_line()?;
        command.arg(&program).arg("serve").args(flags);
        // The engine's end of what it says.
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$@\" 3>\"$0\""]).arg(&info).arg(command.as_std().get_program());
        shell.args(command.as_std().get_args());
        home.dress(&mut shell);
        let bwrap = shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let told = || async { Ok(fs::read(&info).ok().and_then(|told| serde_json::from_slice::<Value>(&told).ok())) };
        let told = eventually("the first process of a container", LIMIT, told).await?;
        let socket = home.path().join("relays/mcp.sock");
        let listens = || async { Ok((http.is_file() && UnixStream::connect(&socket).await.is_ok()).then_some(())) };
        eventually("a gate in a container", LIMIT, listens).await?;
        let first = told["child-pid"].as_u64().and_then(|pid| Process::open(pid.try_into().ok()?));
        Ok(Self { program, first: first.context("a container has a first process")?, bwrap })
    }

    /// Ends it with all that runs in it, as a container is ended before its next one is started.
    ///
    /// # Errors
    /// When it doesn't end.
    pub async fn ends(mut self) -> Result<()> {
        self.bwrap.kill().await.context("it can't be ended")?;
        ensure!(self.first.ends_within(LIMIT), "it goes on");
        Ok(())
    }

    /// `review-gate` in it with these words, as a line that a person types outside: what `docker exec --interactive --tty`
    /// does.
    #[must_use]
    pub fn exec(&self, words: &str) -> String {
        format!(
            "nsenter --target {} --user --preserve-credentials --mount --pid --ipc --uts -- env REVIEW_GATE_HOME={GATE} {} \
             {words}",
            self.first.pid(),
            self.program.display()
        )
    }
}

impl Agent {
    /// Starts an agent in a container that has of the gate its relays' socket alone, in the folder `relays`, which can't
    /// be written. It ends with its container.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn in_a_container(home: &Home, name: &str) -> Result<Self> {
        let relays = home.path().join("relays").display().to_string();
        let mut command = contained(home, &["--ro-bind", &relays, GATE, "--setenv", "REVIEW_GATE_NO_START", "1"])?;
        // A shell becomes its last command.
        command.args(["sh", "-c", "\"$0\" mcp; exit $?"]).arg(home.command_line()?);
        let agent = Self::from_command(home, command)?;
        agent.initialize(name).await?;
        Ok(agent)
    }
}

/// A container with this besides; what runs in it is still to be named.
fn contained(home: &Home, shared: &[&str]) -> Result<Command> {
    let program = home.command_line()?;
    let mut command = Command::new("bwrap");
    command.args(["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--uid", USER, "--gid", USER]);
    command.args(["--die-with-parent", "--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc"]);
    for name in SYSTEM.map(Path::new).into_iter().filter(|name| name.exists()) {
        match fs::read_link(name) {
            Ok(target) => command.arg("--symlink").arg(target).arg(name),
            Err(_) => command.arg("--ro-bind").arg(name).arg(name),
        };
    }
    command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run", "--dir", WORK]);
    let own: [OsString; 3] = ["--ro-bind".into(), program.clone().into(), program.into()];
    command.args(own).args(["--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", WORK]);
    command.args(["--setenv", "REVIEW_GATE_HOME", GATE, "--chdir", WORK]).args(shared).arg("--");
    home.dress(&mut command);
    Ok(command)
}
