//! A machine on which the system confirms approvals: this one, with some of its files covered in a mount namespace. The
//! built `review-gated` runs as a user of its own, on a system bus with the system's polkitd; a person with a password has
//! the homes, and `pkttyagent` shows them polkit's prompts, as it does over ssh. PAM checks the password. systemd isn't part of
//! it: the service is handed its socket by the test.

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::bin;
use crate::home::{Home, HomeOptions, Person};
use crate::skip::{out_of_reach, skip};
use crate::terminal::Terminal;
use crate::this_test::this_test;
use crate::wait::{LIMIT, eventually};

/// Names a file to the run of a test in a namespace; that it has begun is told by writing it.
const INSIDE: &str = "REVIEW_GATE_TEST_CONFIRMING";
/// The person.
const PERSON: (&str, u32) = ("gate-person", 64_101);
/// Their password. The hash is crypt(3)'s, SHA-512.
pub const PASSWORD: &str = "right horse";
const HASH: &str =
    "$6$reviewgate$1fdhtBYz4PAbz5DT8fpoh7x2F2LpOOl2iBPy9XBu10M0q7IqEbT0dEzTPz0HUvv/9qSiJuF3NQV5EljNiWQx.1";
/// The service's user.
const SERVICE: (&str, u32) = ("review-gated", 64_102);
/// What checks a password by itself.
const PAM: &str = "auth required pam_unix.so\naccount required pam_unix.so\n\
                   password required pam_deny.so\nsession required pam_permit.so\n";
/// Where the system's files are.
const ACTIONS: &str = "/usr/share/polkit-1/actions";
const RULES: &str = "/etc/polkit-1/rules.d";
const PAM_FILES: [&str; 2] = ["/etc/pam.d/polkit-1", "/usr/lib/pam.d/polkit-1"];
const SOCKET: &str = "/run/review-gated/socket";

/// A program that ends with what started it.
#[derive(Debug)]
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The machine, for as long as it is there.
#[derive(Debug)]
pub struct Confirming {
    folder: TempDir,
    service: Option<Running>,
    _bus: Running,
}

impl Confirming {
    /// Runs this very test once more in a namespace, and gives nothing: there is nothing left to do. In that run it gives
    /// itself. Where the machine lacks something for it, the test is left out.
    ///
    /// # Errors
    /// When that run fails, or nothing may be left out.
    pub fn enter() -> Result<Option<Self>> {
        if let Some(begun) = std::env::var_os(INSIDE) {
            fs::write(begun, "")?;
            return Self::begin().map(Some);
        }
        if !rustix::process::geteuid().is_root() {
            out_of_reach("it takes root to be several users")?;
            return Ok(None);
        }
        let has = |program: &str| runs(program, &["--version"]);
        if !Path::new(ACTIONS).is_dir() || !has("dbus-daemon") || !has("pkttyagent") {
            skip("there is no polkitd or dbus-daemon")?;
            return Ok(None);
        }
        if !runs("unshare", &["--mount", "--propagation", "private", "true"]) {
            out_of_reach("no mount namespace can be had here")?;
            return Ok(None);
        }
        let test = this_test().context("which test this is isn't known; nextest says it")?;
        let mut again = Command::new("unshare");
        again.args(["--mount", "--propagation", "private", "--"]).arg(std::env::current_exe()?);
        let folder = tempfile::tempdir()?;
        let begun = folder.path().join("begun");
        let status = again.args(["--exact", &test, "--nocapture"]).env(INSIDE, &begun).status()?;
        ensure!(status.success(), "in the namespace it failed ({status}); its message is above");
        ensure!(begun.is_file(), "{test} isn't what this test is called, so nothing ran");
        Ok(None)
    }

    fn begin() -> Result<Self> {
        // A socket's path has at most 107 bytes.
        let folder = tempfile::Builder::new().prefix("rg-machine-").tempdir_in("/tmp")?;
        let at = |name: &str| folder.path().join(name);
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;
        cover_users(folder.path())?;
        fs::write(at("pam"), PAM)?;
        for file in PAM_FILES.map(Path::new).iter().filter(|file| file.is_file()) {
            bind(&at("pam"), file)?;
        }
        let mut installing = Command::new(bin("review-gated")?);
        done(installing.args(["install", "--into"]).arg(at("system")).stdout(Stdio::null()))?;
        bind(&at("system").join(ACTIONS.trim_start_matches('/')), Path::new(ACTIONS))?;
        fs::create_dir(at("rules"))?;
        bind(&at("rules"), Path::new(RULES))?;
        // Other users start both, wherever they were built.
        for name in ["review-gated", "review-gate"] {
            fs::write(at(name), "")?;
            bind(&bin(name)?, &at(name))?;
        }
        fs::create_dir(at("state"))?;
        chown(at("state"), Some(SERVICE.1), Some(SERVICE.1))?;
        done(Command::new("mount").args(["-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run"]))?;
        fs::create_dir("/run/dbus")?;
        let bus = bus()?;
        let mut machine = Self { folder, service: None, _bus: bus };
        machine.install()?;
        Ok(machine)
    }

    /// Puts the service there, as systemd would: it inherits its socket.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn install(&mut self) -> Result<()> {
        let socket = Path::new(SOCKET);
        fs::create_dir_all(socket.parent().context("it is in a folder")?)?;
        let listener = UnixListener::bind(socket)?;
        fs::set_permissions(socket, Permissions::from_mode(0o666))?;
        let mut command = Command::new(self.folder.path().join("review-gated"));
        command.arg("serve").env("STATE_DIRECTORY", self.folder.path().join("state"));
        command.stdin(OwnedFd::from(listener)).uid(SERVICE.1).gid(SERVICE.1).current_dir("/");
        self.service = Some(Running(command.spawn()?));
        Ok(())
    }

    /// Takes the service away, socket and all.
    ///
    /// # Errors
    /// When it wasn't there.
    pub fn remove(&mut self) -> Result<()> {
        self.service = None;
        Ok(fs::remove_file(SOCKET)?)
    }

    /// A home of the person's, with these settings.
    ///
    /// # Errors
    /// As [`Home::with`].
    pub fn home(&self, config: &str) -> Result<Home> {
        Home::with(HomeOptions {
            config: Some(config.to_owned()),
            env: vec![("HOME".into(), "/tmp".into())],
            person: Some(Person { user: PERSON.1, program: self.folder.path().join("review-gate") }),
            ..HomeOptions::default()
        })
    }

    /// A terminal of the person's in which `pkttyagent` shows the prompts for this process, once polkit knows of it.
    ///
    /// # Errors
    /// When it can't be started.
    pub async fn prompts(&self, home: &Home, process: u32) -> Result<Prompts> {
        let known: PathBuf = home.folder().join(format!("known-{process}"));
        done(Command::new("mkfifo").args(["-m", "666"]).arg(&known))?;
        let line = format!(
            "tty; exec env -u DBUS_SYSTEM_BUS_ADDRESS pkttyagent --process {process} --notify-fd 3 3>{}",
            known.display()
        );
        let mut terminal = Terminal::start(home, &line)?;
        let tty = terminal.next("\n").await?.trim().to_owned();
        let closed = tokio::task::spawn_blocking(move || {
            let mut rest = Vec::new();
            fs::File::open(&known)?.read_to_end(&mut rest)
        });
        tokio::time::timeout(LIMIT, closed).await.context("pkttyagent isn't known to polkit")???;
        Ok(Prompts { terminal, tty })
    }
}

/// A terminal in which polkit's prompts are shown.
#[derive(Debug)]
pub struct Prompts {
    terminal: Terminal,
    tty: String,
}

impl Prompts {
    /// Waits for the next prompt for a password, and gives it.
    ///
    /// # Errors
    /// When there is none in time.
    pub async fn next(&mut self) -> Result<String> {
        self.terminal.next("Password: ").await
    }

    /// Types a password where the prompt stands. `pkttyagent` prompts, turns the echo off, and drops with that what was
    /// typed by then: so it is waited for.
    ///
    /// # Errors
    /// When the terminal goes on to show what is typed.
    pub async fn types(&mut self, password: &str) -> Result<()> {
        let hidden = || async {
            let asked = Command::new("stty").args(["-F", &self.tty, "-a"]).output()?;
            ensure!(asked.status.success(), "{}: {}", self.tty, String::from_utf8_lossy(&asked.stderr));
            let is_off = String::from_utf8(asked.stdout)?.split_whitespace().any(|word| word == "-echo");
            Ok(is_off.then_some(()))
        };
        eventually("the prompt hides what is typed", LIMIT, hidden).await?;
        self.terminal.types(&format!("{password}\n")).await
    }
}

/// The users of this machine, and ours.
fn cover_users(folder: &Path) -> Result<()> {
    let users = [(PERSON, HASH), (SERVICE, "*")];
    for (file, mode) in [("passwd", 0o644), ("group", 0o644), ("shadow", 0o600)] {
        let real = Path::new("/etc").join(file);
        let there = fs::read_to_string(&real)?;
        let is_another = |line: &&str| !users.iter().any(|((name, _), _)| line.split(':').next() == Some(name));
        let mut text: String = there.lines().filter(is_another).flat_map(|line| [line, "\n"]).collect();
        for ((name, id), hash) in users {
            text.push_str(&match file {
                "passwd" => format!("{name}:x:{id}:{id}::/:/bin/sh\n"),
                "group" => format!("{name}:x:{id}:\n"),
                _ => format!("{name}:{hash}:20000:0:99999:7:::\n"),
            });
        }
        let covered = folder.join(file);
        fs::write(&covered, text)?;
        fs::set_permissions(&covered, Permissions::from_mode(mode))?;
        bind(&covered, &real)?;
    }
    Ok(())
}

/// The system's bus, once it listens. It starts polkitd when somebody first speaks to it.
fn bus() -> Result<Running> {
    let mut command = Command::new("dbus-daemon");
    command.args(["--system", "--nofork", "--nopidfile", "--print-address"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let out = child.stdout.take().context("it is a pipe")?;
    let bus = Running(child);
    let mut address = String::new();
    BufReader::new(out).read_line(&mut address)?;
    ensure!(address.starts_with("unix:path="), "{address}");
    Ok(bus)
}

fn bind(from: &Path, over: &Path) -> Result<()> {
    done(Command::new("mount").arg("--bind").args([from, over]))
}

fn done(command: &mut Command) -> Result<()> {
    let status = command.status()?;
    ensure!(status.success(), "{command:?}: {status}");
    Ok(())
}

fn runs(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
