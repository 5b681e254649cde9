//! The programs for Windows, under Wine, each test with a drive and users' folders of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::process::{Process, processes_with};

/// Names the folder of the programs for Windows and of a prefix of Wine that tests take copies of; set by
/// `cargo xtask cross`.
const FOLDER: &str = "REVIEW_GATE_TEST_WINDOWS";
const PREFIX: &str = "WINEPREFIX";
const WINE: &str = "/usr/lib/wine/wine64";
const SERVER: &str = "/usr/lib/wine/wineserver64";
/// The drive `C:` in a test's folder, and the home there.
pub(crate) const DRIVE: &str = "prefix/drive_c";
pub(crate) const BELOW: &str = "prefix/drive_c/home";
const HOME: &str = r"C:\home";
/// Where the programs are, as a person's installer would put them.
const PROGRAMS: &str = "Program Files/Review Gate";
const PROGRAM: &str = r"C:\Program Files\Review Gate\review-gate.exe";

/// A Windows of one test.
#[derive(Debug)]
pub(crate) struct Wine {
    prefix: PathBuf,
    start: PathBuf,
}

impl Wine {
    /// In a test's folder. The programs are those that `cargo xtask cross` has built.
    ///
    /// # Errors
    /// When it hasn't.
    pub(crate) fn new(folder: &TempDir) -> Result<Self> {
        let built = std::env::var_os(FOLDER).filter(|folder| !folder.is_empty());
        let built = PathBuf::from(built.context("`cargo xtask cross` builds the programs for Windows and runs this")?);
        let prefix = folder.path().join("prefix");
        // Each file has another name here, and is written anew by whoever changes it.
        let copied = |how: &str| -> Result<bool> {
            let mut copy = Command::new("cp");
            copy.arg(how).arg(built.join("prefix")).arg(&prefix).stdin(Stdio::null()).stderr(Stdio::null());
            Ok(copy.status()?.success())
        };
        // On another file system it has names of its own.
        ensure!(copied("-al")? || copied("-a")?, "no drive for a test's Windows");
        let drive = folder.path().join(DRIVE);
        // Those lead out of it: to this machine's own files, and to its user's own folder.
        fs::remove_file(prefix.join("dosdevices/z:"))?;
        keep_in(&drive.join("users"))?;
        let programs = drive.join(PROGRAMS);
        for folder in [&programs, &drive.join("work"), &folder.path().join(BELOW)] {
            fs::create_dir_all(folder)?;
        }
        for program in fs::read_dir(built.join("programs")).context("no programs for Windows")? {
            let program = program?.path();
            let name = program.file_name().context("a program has a name")?;
            fs::hard_link(&program, programs.join(name))
                .or_else(|_| fs::copy(&program, programs.join(name)).map(drop))?;
        }
        let start = folder.path().join("review-gate");
        // Nobody listens or speaks: a sound server that it started would keep its pipes, too.
        // What it starts keeps its standard error, Wine's own: whoever waits for the end of that would wait for a gate.
        let text = format!(
            "#!/bin/sh\nexport {PREFIX}='{prefix}' WINEDEBUG=-all LC_ALL=C.UTF-8\n\
             export WINEDLLOVERRIDES='winepulse.drv,winealsa.drv='\n\
             case \"$1\" in mcp|serve|permit) exec {WINE} '{PROGRAM}' \"$@\";; esac\n\
             told=$(mktemp '{prefix}/told-XXXXXX')\n{WINE} '{PROGRAM}' \"$@\" 2>\"$told\"\ncode=$?\n\
             cat \"$told\" >&2\nexit $code\n",
            prefix = prefix.display(),
        );
        fs::write(&start, text)?;
        fs::set_permissions(&start, fs::Permissions::from_mode(0o755))?;
        let wine = Self { prefix, start };
        wine.boot()?;
        Ok(wine)
    }

    /// Starts what every Windows runs beside its programs, which would keep the first one's pipes open.
    fn boot(&self) -> Result<()> {
        for (program, arguments) in [(SERVER, &["-p60"][..]), (WINE, &["cmd", "/c", "exit"])] {
            let mut start = Command::new(program);
            start.args(arguments).env(PREFIX, &self.prefix).env("WINEDEBUG", "-all");
            start.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            ensure!(start.status()?.success(), "{program} {arguments:?} fails");
        }
        Ok(())
    }

    /// What `REVIEW_GATE_HOME` is there.
    pub(crate) fn home(&self) -> &'static str {
        HOME
    }

    /// What starts `review-gate.exe`.
    pub(crate) fn command_line(&self) -> PathBuf {
        self.start.clone()
    }

    /// Every process of this Windows.
    pub(crate) fn processes(&self) -> Vec<Process> {
        processes_with(PREFIX, &self.prefix)
    }

    /// The gates among them, as the person or a relay has started them.
    pub(crate) fn gates(&self) -> Vec<Process> {
        let mut all = self.processes();
        all.retain(|process| {
            let arguments = process.arguments();
            let is = |at: usize, end: &str| arguments.get(at).is_some_and(|word| word.to_string_lossy().ends_with(end));
            is(0, "review-gate.exe") && is(1, "serve")
        });
        all
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        let mut end = Command::new(SERVER);
        end.arg("-k").env(PREFIX, &self.prefix).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let _ = end.status();
    }
}

/// Makes folders of the links below a folder.
fn keep_in(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_symlink() {
            fs::remove_file(&path)?;
            fs::create_dir(&path)?;
        } else if path.is_dir() {
            keep_in(&path)?;
        }
    }
    Ok(())
}
