//! Running the `git` program: with an environment of our own, no shell, a bound on its time, its words and
//! the disk it fills. It must not know what is fetched, or what for.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use gate_core::Fault;
use gate_git::child::{Running, WORDS};
use tokio::process::Command;

use super::{Limits, Protocol, Source, explain};

/// How often the size of a download is looked at.
const POLL: Duration = Duration::from_millis(100);
/// The first version with `GIT_CONFIG_COUNT`.
const VERSION: (u32, u32) = (2, 31);
/// Longest time that git may take to say its version.
const VERSION_TIME: Duration = Duration::from_secs(10);

/// The program and what it may take.
#[derive(Debug, Clone)]
pub(super) struct Git {
    pub(super) program: PathBuf,
    pub(super) limits: Limits,
}

/// How a run of git ended.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) good: bool,
    pub(super) output: Vec<u8>,
    pub(super) errors: String,
}

impl Git {
    /// Whether git is there and new enough.
    ///
    /// # Errors
    /// `prompt_sync` where it isn't.
    pub(super) async fn checked_version(&self) -> Result<(), Fault> {
        let mut command = Command::new(&self.program);
        command.arg("--version").env_clear().envs(kept(&["PATH"])).env("LC_ALL", "C");
        let mut running = Running::start(command).map_err(|error| unstarted(&error))?;
        let ended = tokio::time::timeout(VERSION_TIME, running.ended(WORDS)).await.ok().and_then(Result::ok);
        let said = ended.and_then(|ended| ended.output).ok_or_else(explain::no_git)?;
        let said = String::from_utf8_lossy(&said);
        // `git version 2.47.3`, with more behind it on some systems.
        let version = said.trim().strip_prefix("git version ").unwrap_or(said.trim());
        let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
        match (parts.next().flatten(), parts.next().flatten()) {
            (Some(major), Some(minor)) if (major, minor) >= VERSION => Ok(()),
            _ => Err(explain::old_git(&super::tree::shown(version))),
        }
    }

    /// A git for this source, in this folder, which is its repository.
    pub(super) fn command(&self, source: &Source, folder: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(folder).env_clear().envs(environment(source, folder)).env("GIT_DIR", folder);
        command
    }

    /// Runs git to its end, keeping at most `most` bytes of what it writes. While it runs, the folder may
    /// grow to the bound on the disk.
    ///
    /// # Errors
    /// `prompt_sync` where git can't be started or passes a bound. That it failed is no fault here.
    pub(super) async fn run(
        &self,
        source: &Source,
        folder: &Path,
        arguments: &[&str],
        most: usize,
    ) -> Result<Said, Fault> {
        let mut command = self.command(source, folder);
        command.args(arguments).stdin(Stdio::null());
        let mut running = Running::start(command).map_err(|error| unstarted(&error))?.behind();
        let limit = Duration::from_secs(self.limits.seconds);
        let ended = tokio::select! {
            ended = running.ended(most) => ended.map_err(|error| unstarted(&error))?,
            () = tokio::time::sleep(limit) => return Err(explain::too_slow(source, self.limits.seconds)),
            () = outgrown(folder, self.limits.disk_bytes) => return Err(explain::too_large(self.limits.disk_bytes)),
        };
        // A download may have grown and ended between two looks.
        if size_of(folder) > self.limits.disk_bytes {
            return Err(explain::too_large(self.limits.disk_bytes));
        }
        let output = ended.output.ok_or_else(explain::too_much)?;
        Ok(Said { good: ended.status.success(), output, errors: ended.words })
    }
}

pub(super) fn unstarted(error: &io::Error) -> Fault {
    tracing::debug!(%error, "git can't be started");
    explain::no_git()
}

/// Variables of our own environment that git is given.
fn kept(names: &[&str]) -> Vec<(OsString, OsString)> {
    names.iter().filter_map(|name| std::env::var_os(name).map(|value| (OsString::from(name), value))).collect()
}

/// Everything that git finds in its environment. See <https://git-scm.com/docs/git#_environment_variables>.
fn environment(source: &Source, folder: &Path) -> Vec<(OsString, OsString)> {
    let mut all = kept(&["PATH", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO"]);
    let loopback = matches!(source.protocol(), Protocol::Http | Protocol::Git | Protocol::File);
    if !loopback {
        all.extend(kept(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]));
    }
    let mut set = |name: &str, value: &str| all.push((name.into(), value.into()));
    set("LC_ALL", "C");
    set("GIT_TERMINAL_PROMPT", "0");
    // Empty: not even the askpass programs of the desktop are asked.
    set("GIT_ASKPASS", "");
    set("SSH_ASKPASS", "");
    set("GIT_ALLOW_PROTOCOL", source.protocol().name());
    set("GIT_PROTOCOL_FROM_USER", "0");
    set("GIT_NO_LAZY_FETCH", "1");
    set("GIT_NO_REPLACE_OBJECTS", "1");
    set("GIT_OPTIONAL_LOCKS", "0");
    set("GIT_ATTR_NOSYSTEM", "1");
    set("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=20 -o PermitLocalCommand=no");
    set("GIT_SSH_VARIANT", "ssh");
    if source.own_credentials() {
        all.extend(kept(&[
            "HOME",
            "USER",
            "LOGNAME",
            "SSH_AUTH_SOCK",
            "XDG_CONFIG_HOME",
            "XDG_RUNTIME_DIR",
            "XDG_DATA_HOME",
            "DBUS_SESSION_BUS_ADDRESS",
            "GNUPGHOME",
        ]));
    } else {
        // The home, too: `.netrc` is read from it.
        let home = folder.as_os_str().to_owned();
        all.push(("HOME".into(), home.clone()));
        all.push(("XDG_CONFIG_HOME".into(), home));
        all.push(("GIT_CONFIG_NOSYSTEM".into(), "1".into()));
        all.push(("GIT_CONFIG_GLOBAL".into(), "/dev/null".into()));
    }
    let settings = settings(source);
    all.push(("GIT_CONFIG_COUNT".into(), settings.len().to_string().into()));
    for (index, (key, value)) in settings.into_iter().enumerate() {
        all.push((format!("GIT_CONFIG_KEY_{index}").into(), key.into()));
        all.push((format!("GIT_CONFIG_VALUE_{index}").into(), value.into()));
    }
    all
}

/// Git's settings, above every file of settings. They go by the environment, which other users can't read,
/// and not by arguments, which they can. See <https://git-scm.com/docs/git-config>.
fn settings(source: &Source) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = [
        ("core.hooksPath", "/dev/null"),
        ("core.fsmonitor", "false"),
        ("core.attributesFile", "/dev/null"),
        ("core.askPass", ""),
        ("core.bigFileThreshold", "1m"),
        ("core.gitProxy", "none"),
        ("fetch.fsckObjects", "true"),
        ("transfer.fsckObjects", "true"),
        ("fetch.recurseSubmodules", "false"),
        ("submodule.recurse", "false"),
        ("transfer.bundleURI", "false"),
        // What comes stays one pack, so that its size is the download's.
        ("fetch.unpackLimit", "1"),
        ("fetch.writeCommitGraph", "false"),
        ("gc.auto", "0"),
        ("maintenance.auto", "false"),
        ("pack.threads", "1"),
        ("http.lowSpeedLimit", "1"),
        ("http.lowSpeedTime", "30"),
        ("protocol.allow", "never"),
        ("advice.objectNameWarning", "false"),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .into();
    let mut set = |key: String, value: &str| all.push((key, value.to_owned()));
    set(format!("protocol.{}.allow", source.protocol().name()), "always");
    if !source.own_credentials() || source.token().is_some() {
        // An empty one forgets those before it.
        set("credential.helper".into(), "");
    }
    match source.token() {
        None => set("http.followRedirects".into(), "initial"),
        Some(token) => {
            // A redirection would take the token along.
            set("http.followRedirects".into(), "false");
            // GitHub, GitLab and Gitea take a token as the password of any user.
            let user = if token.expose().contains(':') { "" } else { "x-access-token:" };
            let sealed = base64::engine::general_purpose::STANDARD.encode(format!("{user}{}", token.expose()));
            set(format!("http.{}.extraHeader", source.address()), &format!("Authorization: Basic {sealed}"));
        }
    }
    all
}

/// Ends when the files below the folder are larger than this together.
async fn outgrown(folder: &Path, most: u64) {
    let mut looks = tokio::time::interval(POLL);
    loop {
        looks.tick().await;
        if size_of(folder) > most {
            return;
        }
    }
}

/// The size of all files below a folder of git's, of which there are few: packs aren't unpacked.
fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => size_of(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}

#[cfg(test)]
mod tests {
    use super::super::{Secret, SourceText};
    use super::*;

    #[tokio::test]
    async fn the_token_is_in_no_argument() {
        let token = Some(Secret::new("hunter2"));
        let text = SourceText { repository: "acme/prompts".into(), token, ..SourceText::default() };
        let source = Source::parse(text).expect("good");
        let git = Git { program: "git".into(), limits: Limits::default() };
        let folder = tempfile::tempdir().expect("a folder");
        let command = git.command(&source, folder.path());
        let arguments = format!("{:?}", command.as_std().get_args().collect::<Vec<_>>());
        assert!(!arguments.contains("hunter2"));
        let settings = settings(&source);
        let header = settings.iter().find(|(key, _)| key.ends_with(".extraHeader")).expect("it goes as a setting");
        assert_eq!(header.0, "http.https://github.com/acme/prompts.git.extraHeader", "to this repository only");
        assert_eq!(header.1, "Authorization: Basic eC1hY2Nlc3MtdG9rZW46aHVudGVyMg==");
    }

    #[tokio::test]
    async fn a_git_that_is_missing_or_old_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = Git { program: folder.path().join("git"), limits: Limits::default() };
        assert!(missing.checked_version().await.expect_err("it isn't there").message.contains("isn't installed"));
        let there = Git { program: "git".into(), limits: Limits::default() };
        there.checked_version().await.expect("these tests need a git");
    }
}
