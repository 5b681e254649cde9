//! A person's systemd (`systemd --user`) and their folders, apart from this machine's: it sees a `/run` of its own, and its
//! processes are in a control group of their own.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::bin;
use crate::process::{Process, processes_with};
use crate::run::Ran;
use crate::skip::{out_of_reach, skip};
use crate::wait::{LIMIT, eventually};

const SYSTEMD: &str = "/lib/systemd/systemd";
/// Where control groups are.
const GROUPS: &str = "/sys/fs/cgroup";
/// Sees a `/run` of its own, enters a control group of this name wherever one can be made, and goes on with what it is told.
const BEGIN: &str = "mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system || exit
entered=
for groups in \"$1\" \"$1\"/*; do
  test -f \"$groups/cgroup.procs\" && mkdir \"$groups/$0\" && echo $$ > \"$groups/$0/cgroup.procs\" && entered=1
done
test \"$entered\" || exit
shift
exec \"$@\"";
/// How long what is ended may take to be gone.
const END: Duration = Duration::from_secs(10);

/// The person with their systemd. What it has started ends with it.
#[derive(Debug)]
pub struct OwnSystemd {
    systemd: Child,
    group: String,
    folder: TempDir,
}

impl OwnSystemd {
    /// Starts it. Absent where that can't be.
    ///
    /// # Errors
    /// When it doesn't come up, or may not be missing.
    pub async fn start() -> Result<Option<Self>> {
        if !Path::new(SYSTEMD).is_file() {
            skip("the package systemd is missing")?;
            return Ok(None);
        }
        if !rustix::process::geteuid().is_root() {
            out_of_reach("it takes root to run a systemd apart")?;
            return Ok(None);
        }
        // A socket's path has at most 107 bytes.
        let folder = tempfile::Builder::new().prefix("rg-systemd-").tempdir_in("/tmp")?;
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("person/.local/bin"))?;
        symlink(bin("review-gate")?, at("person/.local/bin/review-gate"))?;
        fs::create_dir(at("run"))?;
        fs::set_permissions(at("run"), Permissions::from_mode(0o700))?;
        let group = folder.path().file_name().and_then(OsStr::to_str).context("a name")?.to_owned();
        let tried = Ran::of(apart(&group, &["true"])).await;
        remove_groups_called(&group);
        if tried?.code != Some(0) {
            out_of_reach("it takes a folder that can be mounted and a control group that can be made")?;
            return Ok(None);
        }
        // With the environment that the system's gives it.
        let variable = |name: &str, below: &str| format!("{name}={}", at(below).display());
        let (home, run) = (variable("HOME", "person"), variable("XDG_RUNTIME_DIR", "run"));
        let mut begins = vec!["env", "-i", "USER=person", "LOGNAME=person", "SHELL=/bin/sh", "LANG=C.UTF-8"];
        begins.extend(["PATH=/usr/local/bin:/usr/bin:/bin", &home, &run, SYSTEMD, "--user", "--unit=basic.target"]);
        let systemd = apart(&group, &begins).spawn().context("it can't be started")?;
        let process = systemd.id().and_then(Process::open).context("it runs")?;
        let person = Self { systemd, group, folder };
        let is_up = || async {
            let asked = person.runs("systemctl", &["--user", "is-active", "basic.target"]).await?;
            ensure!(process.is_alive(), "the person's systemd has ended");
            Ok((asked.code == Some(0)).then_some(()))
        };
        eventually("the person's systemd", LIMIT, is_up).await?;
        Ok(Some(person))
    }

    /// A folder or a file of the person's, below their home.
    #[must_use]
    pub fn home(&self, below: &str) -> PathBuf {
        self.folder.path().join("person").join(below)
    }

    /// A program as the person's session starts it, with these words.
    #[must_use]
    pub fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new("env");
        command.args(self.variables()).arg(program).args(words).current_dir(self.home(""));
        command.stdin(Stdio::null()).kill_on_drop(true);
        command
    }

    /// Runs one to its end.
    ///
    /// # Errors
    /// When it can't be started or doesn't end in time.
    pub async fn runs(&self, program: &str, words: &[&str]) -> Result<Ran> {
        Ran::of(self.command(program, words)).await
    }

    /// What the person types for it, as a line of a shell.
    #[must_use]
    pub fn line(&self, words: &str) -> String {
        format!("env {} {words}", self.variables().join(" "))
    }

    /// The id of the pending request with this title, as soon as there is one.
    ///
    /// # Errors
    /// When there is none in time.
    pub async fn waiting(&self, title: &str) -> Result<String> {
        let look = || async {
            let list = self.runs("review-gate", &["requests", "--json"]).await?.json()?;
            let found = list.as_array().into_iter().flatten().find(|request| request["title"] == title);
            Ok(found.and_then(|request| request["request_id"].as_str()).map(str::to_owned))
        };
        eventually(&format!("a request titled {title:?}"), LIMIT, look).await
    }

    /// What `review-gate status` says.
    ///
    /// # Errors
    /// When it says nothing.
    pub async fn status(&self) -> Result<Value> {
        self.runs("review-gate", &["status", "--json"]).await?.json()
    }

    fn variables(&self) -> Vec<String> {
        let folder = self.folder.path().display();
        vec![
            "-i".to_owned(),
            format!("HOME={folder}/person"),
            format!("XDG_RUNTIME_DIR={folder}/run"),
            format!("PATH={folder}/person/.local/bin:/usr/bin:/bin"),
            "USER=person".to_owned(),
            "TERM=xterm".to_owned(),
        ]
    }
}

impl Drop for OwnSystemd {
    fn drop(&mut self) {
        let systemd = self.systemd.id().and_then(Process::open);
        if let Some(pid) = self.systemd.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)) {
            // It ends what it has started.
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = systemd.map(|systemd| systemd.ends_within(END) || systemd.kill().is_ok());
        let home = self.home("");
        let home = Path::new(home.to_str().unwrap_or_default().trim_end_matches('/'));
        // And what agents have.
        for process in processes_with("HOME", home) {
            let _ = process.kill();
            let _ = process.ends_within(END);
        }
        let _ = self.systemd.try_wait();
        remove_groups_called(&self.group);
    }
}

/// A program with its words, as [`BEGIN`] starts it. Where the test is killed, it is told to end, and with it what it has
/// started.
fn apart(group: &str, words: &[&str]) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "TERM", "--", "unshare", "--mount", "--propagation", "private", "--"]);
    command.args(["sh", "-c", BEGIN, group, GROUPS]).args(words);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Removes the control groups of this name, wherever there is one.
fn remove_groups_called(name: &str) {
    let groups = fs::read_dir(GROUPS).into_iter().flatten().flatten().map(|entry| entry.path());
    for groups in groups.chain([PathBuf::from(GROUPS)]) {
        remove_groups(&groups.join(name));
    }
}

/// Removes a control group with those below it. Its files are the kernel's.
fn remove_groups(group: &Path) {
    for below in fs::read_dir(group).into_iter().flatten().flatten() {
        if below.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_groups(&below.path());
        }
    }
    let _ = fs::remove_dir(group);
}
