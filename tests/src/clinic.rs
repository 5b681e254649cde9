//! All that doctor looks at, well but for what a test breaks: a person with a folder, a PATH, a home and a
//! display that takes connections.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tokio::process::Command;

use crate::bin;
use crate::home::{Home, HomeOptions};
use crate::run::Ran;

/// The person's name, which doctor must not say.
pub const PERSON: &str = "ada-lovelace";

/// What doctor found wrong, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The check.
    pub check: String,
    /// `fault`, `warning`, `note`, `good` or `skipped`.
    pub level: String,
    /// What it is.
    pub cause: String,
    /// What to do; empty for nothing.
    pub mend: String,
    /// The command that does it; empty for none.
    pub command: String,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {} | {} | {}", self.level, self.check, self.cause, self.mend, self.command)
    }
}

/// A person's surroundings.
#[derive(Debug)]
pub struct Clinic {
    home: Home,
    person: PathBuf,
    /// The program that looks.
    doctor: PathBuf,
    _display: UnixListener,
}

impl Clinic {
    /// With nothing but defaults.
    ///
    /// # Errors
    /// When the program isn't built or no folder can be made.
    pub fn new() -> Result<Self> {
        Self::with("", [])
    }

    /// With a `config.yaml`, and variables over those of the clinic.
    ///
    /// # Errors
    /// As [`Clinic::new`].
    pub fn with(config: &str, env: impl IntoIterator<Item = (OsString, OsString)>) -> Result<Self> {
        let below = Path::new("people").join(PERSON);
        // The person's folder has to be known before there is a home in it.
        let folder = tempfile::Builder::new().prefix("rg-").tempdir_in("/tmp").context("no folder for a clinic")?;
        let person = folder.path().join(&below);
        let mut all: Vec<(OsString, OsString)> = [
            ("HOME", person.clone().into_os_string()),
            ("USER", PERSON.into()),
            ("LOGNAME", PERSON.into()),
            ("PATH", format!("{}:/usr/bin:/bin", person.join("bin").display()).into()),
            ("XDG_CONFIG_HOME", person.join(".config").into_os_string()),
            ("XDG_DATA_HOME", person.join(".local/share").into_os_string()),
            ("WAYLAND_DISPLAY", folder.path().join("wayland").into_os_string()),
            // Tests that run at the same moment would take each other's port.
            ("REVIEW_GATE__NETWORK__PORT", "0".into()),
            // Empty ones count as none.
            ("DBUS_SESSION_BUS_ADDRESS", OsString::new()),
            ("CLAUDE_CONFIG_DIR", OsString::new()),
            ("CODEX_HOME", OsString::new()),
        ]
        .map(|(name, value)| (OsString::from(name), value))
        .into();
        all.extend(env);
        let display = UnixListener::bind(folder.path().join("wayland")).context("no display")?;
        let options = HomeOptions { env: all, below: Some(below.join("gate")), ..HomeOptions::default() };
        let home = Home::within(folder, options, None)?;
        std::fs::create_dir_all(person.join("bin"))?;
        std::os::unix::fs::symlink(bin("review-gate")?, person.join("bin/review-gate"))?;
        if !config.is_empty() {
            std::fs::create_dir_all(home.path())?;
            std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o700))?;
            std::fs::write(home.path().join("config.yaml"), config)?;
        }
        Ok(Self { home, person, doctor: bin("review-gate")?, _display: display })
    }

    /// The gate's home.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// A path below the person's folder.
    pub fn at(&self, below: impl AsRef<Path>) -> PathBuf {
        self.person.join(below)
    }

    /// Writes a file below the person's folder, and the folders above it.
    ///
    /// # Errors
    /// When that can't be done.
    pub fn write(&self, below: &str, text: &str) -> Result<PathBuf> {
        let file = self.at(below);
        std::fs::create_dir_all(file.parent().context("a file is in a folder")?)?;
        std::fs::write(&file, text)?;
        Ok(file)
    }

    /// Writes a program below the person's folder that a shell runs.
    ///
    /// # Errors
    /// When that can't be done.
    pub fn program(&self, below: &str, script: &str) -> Result<PathBuf> {
        let file = self.write(below, &format!("#!/bin/sh\n{script}\n"))?;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))?;
        Ok(file)
    }

    /// Connects Cursor by hand: its file names this command with these arguments and variables.
    ///
    /// # Errors
    /// When that can't be done.
    pub fn connect_cursor(&self, command: &str, args: &[&str], env: &[(&str, &str)]) -> Result<PathBuf> {
        let env: serde_json::Map<String, Value> =
            env.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect();
        let entry = serde_json::json!({ "command": command, "args": args, "env": env });
        self.write(".cursor/mcp.json", &serde_json::json!({ "mcpServers": { "review-gate": entry } }).to_string())
    }

    /// The command as a client's configuration names it.
    #[must_use]
    pub fn command(&self) -> String {
        self.at("bin/review-gate").display().to_string()
    }

    /// Runs `review-gate doctor` with these arguments.
    ///
    /// # Errors
    /// When it doesn't end.
    pub async fn run(&self, arguments: &[&str]) -> Result<Ran> {
        let mut command = Command::new(&self.doctor);
        command.arg("doctor").args(arguments).stdin(Stdio::null());
        self.home.dress(&mut command);
        Ran::of(command).await
    }

    /// Installs the program anew, apart from the built one, with a desktop app beside it that is this shell
    /// script; without one, with none. Doctor is then run from there.
    ///
    /// # Errors
    /// When that can't be done.
    pub fn install_apart(&mut self, desktop: Option<&str>) -> Result<()> {
        let built = bin("review-gate")?;
        let program = self.at("app/review-gate");
        std::fs::create_dir_all(self.at("app"))?;
        // It is large, and the clinic may be on another disk.
        if std::fs::hard_link(&built, &program).is_err() {
            std::fs::copy(&built, &program)?;
        }
        if let Some(script) = desktop {
            self.program("app/review-gate-desktop", script)?;
        }
        std::fs::remove_file(self.at("bin/review-gate"))?;
        std::os::unix::fs::symlink(&program, self.at("bin/review-gate"))?;
        self.doctor = program;
        Ok(())
    }

    /// Everything that doctor finds.
    ///
    /// # Errors
    /// When it doesn't look, or its exit code isn't what it found.
    pub async fn findings(&self) -> Result<Vec<Found>> {
        found(&self.run(&["--json"]).await?)
    }

    /// What is wrong now and wasn't before, warnings too.
    ///
    /// # Errors
    /// As [`Clinic::findings`].
    pub async fn new_wrongs(&self, before: &[Found]) -> Result<Vec<Found>> {
        let mut known: Vec<&Found> = before.iter().collect();
        let mut wrongs = self.findings().await?;
        wrongs.retain(|found| ["fault", "warning"].contains(&found.level.as_str()));
        wrongs.retain(|found| {
            let same = known.iter().position(|known| (&known.check, &known.level) == (&found.check, &found.level));
            same.map(|at| known.swap_remove(at)).is_none()
        });
        Ok(wrongs)
    }

    /// The one thing that is wrong now and wasn't before.
    ///
    /// # Errors
    /// When there is none or are several.
    pub async fn only_wrong(&self, before: &[Found]) -> Result<Found> {
        let wrongs = self.new_wrongs(before).await?;
        match <[Found; 1]>::try_from(wrongs) {
            Ok([found]) => Ok(found),
            Err(wrongs) => {
                let shown: Vec<String> = wrongs.iter().map(Found::to_string).collect();
                bail!("one new finding, not {}:\n{}", shown.len(), shown.join("\n"))
            }
        }
    }
}

/// What stands in the JSON that doctor prints; its exit code has to agree.
///
/// # Errors
/// When it is no such JSON, or the code is another.
pub fn found(ran: &Ran) -> Result<Vec<Found>> {
    let report: Value = serde_json::from_str(&ran.stdout).with_context(|| format!("no report: {ran:?}"))?;
    let text = |found: &Value, field: &str| found[field].as_str().unwrap_or_default().to_owned();
    let all = report["findings"].as_array().context("a report has findings")?.iter().map(|found| Found {
        check: text(found, "check"),
        level: text(found, "level"),
        cause: text(found, "cause"),
        mend: text(found, "mend"),
        command: text(found, "command"),
    });
    let all: Vec<Found> = all.collect();
    let code = i32::from(all.iter().any(|found| found.level == "fault"));
    if ran.code != Some(code) {
        bail!("the exit code is {:?}, and what was found asks for {code}: {}", ran.code, ran.stdout);
    }
    Ok(all)
}
