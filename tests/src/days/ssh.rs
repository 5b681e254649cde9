//! A machine that is reached by SSH, which is this one, by an sshd of the test's own; and tmux there. What a person types
//! goes through `ssh`, sshd and tmux; what stands in a window of theirs is asked of tmux.

use std::fs;
use std::net::Ipv4Addr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdin, Command};

use crate::agent::Agent;
use crate::home::Home;
use crate::process::Process;
use crate::run::Ran;
use crate::skip::{out_of_reach, skip};
use crate::wait::{LIMIT, eventually};
use crate::window::{free_port, lacking};

const SSHD: &str = "/usr/sbin/sshd";
/// Where sshd keeps its helpers apart; it starts as root only where that is there.
const SSHD_FOLDER: &str = "/run/sshd";
/// What tmux is told: windows without a line below, in a plain shell.
const TMUX: &str = "set -g status off\nset -g history-limit 10000\nset -g default-command /bin/sh\n";
/// An agent: starts its relay, whose pipes are these files. A person starts it in a window.
const AGENT: &str = "import subprocess, sys
with open(sys.argv[1]) as said, open(sys.argv[2], 'w') as heard:
    sys.exit(subprocess.call(['review-gate', 'mcp'], stdin=said, stdout=heard))
";
/// An sshd that ends with the test, also where that is killed, and what runs in tmux with it.
const SERVES: &str = "\"$0\" -D -e -f \"$1\" & read -r _; kill $!; exec tmux -S \"$2\" kill-server";
/// Brings this process's pipes to those files.
const TO_AGENT: &str = "exec 3<&0; cat <&3 >\"$0\" & exec cat <\"$1\"";

/// The machine. Its sshd ends when it is dropped.
#[derive(Debug)]
pub struct Remote {
    home: Home,
    folder: PathBuf,
    port: u16,
    /// What sshd's shell reads from until the test ends.
    lives: Option<ChildStdin>,
}

impl Remote {
    /// Starts sshd; whoever signs in has this home. Absent where this machine lacks a program.
    ///
    /// # Errors
    /// When it doesn't listen, or a program is missing that may not be missing.
    pub async fn start(home: &Home) -> Result<Option<Self>> {
        let missing = lacking(&[("ssh", "openssh-client"), ("tmux", "tmux"), ("python3", "python3")]);
        let sshd = (!Path::new(SSHD).is_file()).then(|| "the package openssh-server is missing".to_owned());
        // Where systemd runs, that one begins to serve as soon as it is installed: nobody is to have it for a test alone.
        if let Some(reason) = sshd {
            out_of_reach(&reason)?;
            return Ok(None);
        }
        if let Some(reason) = missing {
            skip(&reason)?;
            return Ok(None);
        }
        let folder = home.folder().join("ssh");
        fs::create_dir_all(folder.join("bin"))?;
        symlink(home.command_line()?, folder.join("bin/review-gate"))?;
        fs::write(folder.join("tmux.conf"), TMUX)?;
        fs::write(folder.join("agent.py"), AGENT)?;
        for key in ["host", "person"] {
            let mut made = Command::new("ssh-keygen");
            made.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(folder.join(key)).stdin(Stdio::null());
            Ran::of(made).await?.succeeded()?;
        }
        let port = free_port()?;
        let mut machine = Self { home: home.clone(), folder, port, lives: None };
        machine.begin().await?;
        Ok(Some(machine))
    }

    async fn begin(&mut self) -> Result<()> {
        if rustix::process::geteuid().is_root() {
            fs::create_dir_all(SSHD_FOLDER)?;
        }
        let at = |name: &str| self.folder.join(name).display().to_string();
        fs::write(at("sshd.conf"), self.configuration())?;
        let key = fs::read_to_string(at("host.pub"))?;
        fs::write(at("known_hosts"), format!("[127.0.0.1]:{} {key}", self.port))?;
        let mut sshd = Command::new("setsid");
        // Left behind, as a machine's own is nobody's child.
        sshd.args(["--fork", "sh", "-c", SERVES, SSHD, &at("sshd.conf"), &at("tmux")]);
        self.home.dress(&mut sshd);
        sshd.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(fs::File::create(at("sshd.log"))?);
        let mut begins = sshd.spawn().context("setsid can't be started")?;
        self.lives = begins.stdin.take();
        ensure!(begins.wait().await?.success(), "sshd can't be started");
        let listens = || async { Ok(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).await.ok()) };
        let listening = eventually("sshd to listen", LIMIT, listens).await;
        listening.map(drop).with_context(|| fs::read_to_string(at("sshd.log")).unwrap_or_default())
    }

    fn configuration(&self) -> String {
        let folder = self.folder.display();
        let variables = self.home.env().into_iter().map(|(name, value)| {
            let (name, value) = (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned());
            format!("{name}={value}")
        });
        let variables: Vec<String> = variables.collect();
        format!(
            "Port {}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile {folder}/sshd.pid\n\
             AuthorizedKeysFile {folder}/person.pub\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n\
             KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nPrintMotd no\nPrintLastLog no\n\
             SetEnv HOME={folder} PATH={} {}\n",
            self.port,
            self.path(),
            variables.join(" ")
        )
    }

    /// Where a person's shell there finds programs.
    fn path(&self) -> String {
        format!("{}/bin:/usr/bin:/bin", self.folder.display())
    }

    /// `ssh` to the machine, with these words.
    fn ssh(&self, words: &[&str]) -> Command {
        let mut ssh = Command::new("ssh");
        let known = format!("UserKnownHostsFile={}", self.folder.join("known_hosts").display());
        ssh.args(["-F", "/dev/null", "-o", "StrictHostKeyChecking=yes", "-o", "BatchMode=yes", "-o", &known, "-i"]);
        ssh.arg(self.folder.join("person")).args(["-p", &self.port.to_string()]).args(words);
        self.home.dress(&mut ssh);
        ssh
    }

    /// Signs in and begins a session of tmux, or goes on in the one that is there.
    ///
    /// # Errors
    /// When there is none in time.
    pub async fn tmux(&self) -> Result<Tmux<'_>> {
        let [config, socket] = ["tmux.conf", "tmux"].map(|name| self.folder.join(name).display().to_string());
        let begin = format!("exec tmux -f {config} -S {socket} new-session -A -s day -n first");
        let mut ssh = self.ssh(&["-tt", "127.0.0.1", &begin]);
        // A terminal of this size, whatever the test's is.
        ssh.env("TERM", "xterm").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut ssh = ssh.spawn().context("ssh can't be started")?;
        let keys = ssh.stdin.take().context("it has keys")?;
        let tmux = Tmux { machine: self, ssh, keys };
        let attached = || async {
            let told = tmux.told(&["list-clients"]).await?;
            Ok((told.code == Some(0) && !told.stdout.trim().is_empty()).then_some(()))
        };
        eventually("a terminal at the session", LIMIT, attached).await?;
        Ok(tmux)
    }

    /// Forwards a port of this machine to one of that machine, as `ssh -L` does.
    ///
    /// # Errors
    /// When it isn't reached in time.
    pub async fn forward(&self, to: u16) -> Result<Forwarded> {
        let port = free_port()?;
        let way = format!("{port}:127.0.0.1:{to}");
        let mut ssh = self.ssh(&["-N", "-L", &way, "127.0.0.1"]);
        let ssh = ssh.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let reached = || async { Ok(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.ok()) };
        eventually("the forwarded port", LIMIT, reached).await?;
        Ok(Forwarded { port, _ssh: ssh })
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // It has written over its environment, by which it would be found with the home.
        let number = fs::read_to_string(self.folder.join("sshd.pid")).ok().and_then(|pid| pid.trim().parse().ok());
        let _ = number.and_then(Process::open).map(|sshd| sshd.kill());
    }
}

/// A forwarded port, for as long as its `ssh` runs.
#[derive(Debug)]
pub struct Forwarded {
    /// The port on the person's side.
    pub port: u16,
    _ssh: Child,
}

/// A person's session of tmux, at which they sit over SSH.
#[derive(Debug)]
pub struct Tmux<'a> {
    machine: &'a Remote,
    ssh: Child,
    keys: ChildStdin,
}

impl Tmux<'_> {
    async fn told(&self, words: &[&str]) -> Result<Ran> {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(self.machine.folder.join("tmux")).args(words).stdin(Stdio::null());
        self.machine.home.dress(&mut tmux);
        // A window has what whoever opens it has there.
        tmux.env("PATH", self.machine.path());
        Ran::of(tmux).await
    }

    /// Opens a further window.
    ///
    /// # Errors
    /// When tmux refuses.
    pub async fn opens(&self, window: &str) -> Result<()> {
        self.told(&["new-window", "-d", "-t", "day:", "-n", window]).await?.succeeded().map(drop)
    }

    /// Types this in a window, after a look there.
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn types(&mut self, window: &str, text: &str) -> Result<()> {
        self.told(&["select-window", "-t", &format!("day:{window}")]).await?.succeeded()?;
        self.keys.write_all(text.as_bytes()).await.context("the connection is gone")?;
        Ok(self.keys.flush().await?)
    }

    /// Waits until a window shows this; gives all that stands there, and stood.
    ///
    /// # Errors
    /// When it doesn't in time.
    pub async fn shows(&self, window: &str, text: &str) -> Result<String> {
        let look = || async {
            let stands = self.stands(window).await?;
            Ok(stands.contains(text).then_some(stands))
        };
        let found = eventually(&format!("{text:?} in the window {window}"), LIMIT, look).await;
        match found {
            Ok(stands) => Ok(stands),
            Err(error) => Err(error.context(self.stands(window).await?)),
        }
    }

    /// Forgets what stands in a window, as `clear` does.
    ///
    /// # Errors
    /// When tmux refuses.
    pub async fn clears(&self, window: &str) -> Result<()> {
        let pane = format!("day:{window}");
        self.told(&["send-keys", "-R", "-t", &pane]).await?.succeeded()?;
        self.told(&["clear-history", "-t", &pane]).await?.succeeded().map(drop)
    }

    /// What a window shows, long lines in one.
    async fn stands(&self, window: &str) -> Result<String> {
        let pane = format!("day:{window}");
        Ok(self.told(&["capture-pane", "-p", "-J", "-S", "-", "-t", &pane]).await?.succeeded()?.stdout)
    }

    /// The connection breaks; what runs in the windows stays.
    ///
    /// # Errors
    /// When `ssh` can't be killed.
    pub async fn breaks(mut self) -> Result<()> {
        self.ssh.kill().await.context("ssh can't be killed")
    }

    /// Starts an agent in a window, whose relay the test is the client of.
    ///
    /// # Errors
    /// When it can't be started.
    pub async fn agent(&mut self, window: &str, name: &str) -> Result<Agent> {
        let folder = &self.machine.folder;
        let [said, heard] = ["said", "heard"].map(|end| folder.join(format!("{name}-{end}")).display().to_string());
        let mut made = Command::new("mkfifo");
        made.args([&said, &heard]);
        Ran::of(made).await?.succeeded()?;
        self.types(window, &format!("python3 ~/agent.py {said} {heard}\n")).await?;
        let mut bridge = Command::new("sh");
        bridge.args(["-c", TO_AGENT, &said, &heard]);
        self.machine.home.dress(&mut bridge);
        Agent::from_command(&self.machine.home, bridge)
    }
}
