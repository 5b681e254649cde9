//! Other programs: run them, and tell their failure in one line with what mends it.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};

use anyhow::{Context, Result};

/// A program that ended with a failure.
#[derive(Debug)]
pub(crate) struct Failed {
    line: String,
    status: ExitStatus,
    mend: String,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` failed ({})", self.line, self.status)?;
        if self.mend.is_empty() { Ok(()) } else { write!(f, "; {}", self.mend) }
    }
}

impl std::error::Error for Failed {}

/// The exit code that stands for `error`: the failed program's own where there is one.
pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    let code = error.chain().find_map(|cause| cause.downcast_ref::<Failed>()).and_then(|failed| failed.status.code());
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).filter(|code| *code != 0).unwrap_or(1))
}

/// `cargo`, with SQL checked against the committed `.sqlx`.
pub(crate) fn cargo<A: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(folder).args(arguments).env("SQLX_OFFLINE", "true");
    command
}

/// Shows the command line, runs it with the terminal's output, and fails when it fails.
///
/// `mend` completes the message: what the developer does about it.
pub(crate) fn run(command: &mut Command, mend: &str) -> Result<()> {
    let line = line(command);
    println!("$ {line}");
    let status = command.stdin(Stdio::null()).status().with_context(|| format!("can't start `{line}`"))?;
    if status.success() { Ok(()) } else { Err(Failed { line, status, mend: mend.to_owned() }.into()) }
}

/// Runs silently and returns what it printed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let line = line(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("can't start `{line}`"))?;
    if !output.status.success() {
        let mend = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Failed { line, status: output.status, mend }.into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether it starts and succeeds. Its output goes nowhere.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The program's file, where `PATH` leads to one.
pub(crate) fn which(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

/// The command as it would be typed, without its environment.
fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// A child that doesn't outlive its owner.
pub(crate) struct Owned(pub(crate) Child);

impl Drop for Owned {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
