//! A machine with the service on it: this one, with some of its files covered.

use std::fs::{self, Permissions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use std::io::{BufRead as _, BufReader};

use gate_service::SOCKET;
use tempfile::TempDir;

use crate::gate::{Outcome, SAYS, TRIALS, Trial};
use crate::skip::leave_out;

/// Tells the run of a test in a namespace that it is in there.
const INSIDE: &str = "REVIEW_GATE_TEST_MACHINE";
/// The person, who has a password.
pub(crate) const PERSON: (&str, u32) = ("gate-person", 64_101);
/// It. The hash is crypt(3)'s, SHA-512.
pub(crate) const PASSWORD: &str = "right horse";
const HASH: &str =
    "$6$reviewgate$1fdhtBYz4PAbz5DT8fpoh7x2F2LpOOl2iBPy9XBu10M0q7IqEbT0dEzTPz0HUvv/9qSiJuF3NQV5EljNiWQx.1";
/// The service's user.
const SERVICE: (&str, u32) = ("review-gated", 64_102);
/// What checks a password by itself.
const PAM: &str = "auth required pam_unix.so\naccount required pam_unix.so\n\
                   password required pam_deny.so\nsession required pam_permit.so\n";
/// Where polkit's files are.
const ACTIONS: &str = "/usr/share/polkit-1/actions";
const RULES: &str = "/etc/polkit-1/rules.d";
const PAM_FILES: [&str; 2] = ["/etc/pam.d/polkit-1", "/usr/lib/pam.d/polkit-1"];

/// A program that ends with what started it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The machine, for as long as it is there.
pub(crate) struct Machine {
    folder: TempDir,
    listener: UnixListener,
    service: Option<Running>,
    _bus: Running,
}

impl Machine {
    /// Runs `test` once more in a namespace, and gives nothing: there is nothing left to do. In that run it gives itself.
    /// Where the machine lacks something for it, it is told that the test was left out. `rule` is one of polkit's.
    pub(crate) fn enter(test: &str, rule: Option<&str>) -> Option<Self> {
        if std::env::var_os(INSIDE).is_some() {
            return Some(Self::begin(rule));
        }
        if !rustix::process::geteuid().is_root() {
            leave_out("it takes root to be several users", &["all"]);
            return None;
        }
        if !Path::new(ACTIONS).is_dir() || !runs("dbus-daemon", &["--version"]) || !runs("pkaction", &["--version"]) {
            leave_out("there is no polkitd or dbus-daemon", &["1", "all"]);
            return None;
        }
        if !runs("unshare", &["--mount", "--propagation", "private", "true"]) {
            leave_out("no mount namespace can be had here", &["all"]);
            return None;
        }
        let program = std::env::current_exe().expect("it is known");
        let again = Command::new("unshare")
            .args(["--mount", "--propagation", "private", "--"])
            .arg(program)
            .args(["--exact", test, "--nocapture"])
            .env(INSIDE, "1")
            .status();
        assert!(again.expect("it starts").success(), "the run in the namespace failed");
        None
    }

    fn begin(rule: Option<&str>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        opened(folder.path());
        cover_users(folder.path());
        fs::write(at("pam"), PAM).expect("it is written");
        for file in PAM_FILES.map(Path::new).iter().filter(|file| file.is_file()) {
            bind(&at("pam"), file);
        }
        let service = Path::new(env!("CARGO_BIN_EXE_review-gated"));
        let installed =
            Command::new(service).args(["install", "--into"]).arg(at("system")).stdout(Stdio::null()).status();
        assert!(installed.expect("it starts").success(), "it writes its files");
        bind(&at("system").join(ACTIONS.trim_start_matches('/')), Path::new(ACTIONS));
        fs::create_dir(at("rules")).expect("it is free");
        if let Some(rule) = rule {
            fs::write(at("rules/10-test.rules"), rule).expect("it is written");
        }
        bind(&at("rules"), Path::new(RULES));
        // Other users start both, wherever they were built.
        for (name, program) in [("review-gated", service), ("gate", &std::env::current_exe().expect("it is known"))] {
            fs::write(at(name), "").expect("it is written");
            bind(program, &at(name));
        }
        fs::create_dir(at("state")).expect("it is free");
        chown(at("state"), Some(SERVICE.1), Some(SERVICE.1)).expect("root may");

        done(Command::new("mount").args(["-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run"]));
        fs::create_dir("/run/dbus").expect("it is empty");
        let bus = bus();
        let socket = Path::new(SOCKET);
        fs::create_dir(socket.parent().expect("it is in a folder")).expect("it is empty");
        let listener = UnixListener::bind(socket).expect("it is free");
        fs::set_permissions(socket, Permissions::from_mode(0o666)).expect("it is ours");
        let mut machine = Self { folder, listener, service: None, _bus: bus };
        machine.restart();
        machine
    }

    /// Ends the service, if it runs, and starts it as systemd does: it inherits the socket.
    pub(crate) fn restart(&mut self) {
        self.service = None;
        let socket = self.listener.try_clone().expect("there are descriptors");
        let mut command = Command::new(self.folder.path().join("review-gated"));
        command.arg("serve").env("STATE_DIRECTORY", self.folder.path().join("state"));
        command.stdin(OwnedFd::from(socket)).uid(SERVICE.1).gid(SERVICE.1).current_dir("/");
        self.service = Some(Running(command.spawn().expect("it starts")));
    }

    /// Takes the service away, socket and all.
    pub(crate) fn remove(&mut self) {
        self.service = None;
        fs::remove_file(SOCKET).expect("it is there");
    }

    /// What becomes of these, one after the other, in a gate of that user.
    pub(crate) fn gate(&self, user: u32, trials: &[Trial]) -> Vec<Outcome> {
        let mut command = Command::new(self.folder.path().join("gate"));
        command.args(["--exact", "gate::in_the_persons_process", "--nocapture"]).current_dir("/");
        command.env(TRIALS, serde_json::to_string(trials).expect("it is JSON"));
        let output = command.uid(user).gid(user).output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let said = text.lines().filter_map(|line| line.strip_prefix(SAYS));
        let outcomes: Vec<Outcome> = said.map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && outcomes.len() == trials.len(), "the gate failed: {text}\n{errors}");
        outcomes
    }

    /// What the person alone, in one trial.
    pub(crate) fn tries(&self, trial: Trial) -> Outcome {
        self.gate(PERSON.1, &[trial]).pop().expect("each has its outcome")
    }

    /// The file with the private key.
    pub(crate) fn key(&self) -> PathBuf {
        self.folder.path().join("state/key")
    }
}

/// The users of this machine, and ours.
fn cover_users(folder: &Path) {
    let users = [PERSON, SERVICE];
    let lines = |hash: &str, (name, id): (&str, u32)| {
        [
            ("passwd", format!("{name}:x:{id}:{id}::/:/bin/sh\n")),
            ("group", format!("{name}:x:{id}:\n")),
            ("shadow", format!("{name}:{hash}:20000:0:99999:7:::\n")),
        ]
    };
    for (file, mode) in [("passwd", 0o644), ("group", 0o644), ("shadow", 0o600)] {
        let real = Path::new("/etc").join(file);
        let there = fs::read_to_string(&real).expect("root may");
        let is_another = |line: &&str| !users.iter().any(|(name, _)| line.split(':').next() == Some(name));
        let mut text: String = there.lines().filter(is_another).flat_map(|line| [line, "\n"]).collect();
        for user in users {
            let hash = if user == PERSON { HASH } else { "*" };
            text.extend(lines(hash, user).into_iter().filter(|(name, _)| *name == file).map(|(_, line)| line));
        }
        let covered = folder.join(file);
        fs::write(&covered, text).expect("it is written");
        fs::set_permissions(&covered, Permissions::from_mode(mode)).expect("it is ours");
        bind(&covered, &real);
    }
}

/// The system's bus, once it listens. It starts polkitd when somebody first speaks to it.
fn bus() -> Running {
    let mut command = Command::new("dbus-daemon");
    command.args(["--system", "--nofork", "--nopidfile", "--print-address"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let out = child.stdout.take().expect("it is a pipe");
    let bus = Running(child);
    let mut address = String::new();
    BufReader::new(out).read_line(&mut address).expect("it says where it listens");
    assert!(address.starts_with("unix:path="), "{address}");
    bus
}

fn opened(folder: &Path) {
    fs::set_permissions(folder, Permissions::from_mode(0o755)).expect("it is ours");
}

fn bind(from: &Path, over: &Path) {
    done(Command::new("mount").arg("--bind").args([from, over]));
}

fn done(command: &mut Command) {
    let status = command.status().expect("it starts");
    assert!(status.success(), "{command:?}: {status}");
}

fn runs(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
