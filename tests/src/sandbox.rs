//! Whether there is what a sandbox of `review-gate run` takes, and what the tests of it take besides.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, Result};
use tokio::process::Command;

use crate::home::Home;
use crate::run::Ran;
use crate::skip::{out_of_reach, skip};
use crate::window::lacking;

impl Home {
    /// A home whose agents can be put into sandboxes; absent where none can be made.
    ///
    /// # Errors
    /// Where what lacks is required, or no home can be made.
    pub async fn with_sandboxes() -> Result<Option<Self>> {
        Ok(if sandboxes_can_be_made().await? { Some(Self::new()?) } else { None })
    }

    /// The same with variables for all of its programs.
    ///
    /// # Errors
    /// As [`Home::with_sandboxes`].
    pub async fn with_sandboxes_and_env<N: Into<OsString>, V: Into<OsString>>(
        env: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Option<Self>> {
        Ok(if sandboxes_can_be_made().await? { Some(Self::with_env(env)?) } else { None })
    }

    /// The same as [`Home::with_sandboxes`], in which scripts may answer.
    ///
    /// # Errors
    /// As [`Home::with_sandboxes`].
    pub async fn with_sandboxes_and_scripts() -> Result<Option<Self>> {
        Ok(if sandboxes_can_be_made().await? { Some(Self::with_scripts()?) } else { None })
    }
}

async fn sandboxes_can_be_made() -> Result<bool> {
    if !installed(&[("bwrap", "bubblewrap")])? {
        return Ok(false);
    }
    let mut trial = Command::new("bwrap");
    trial.args(["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"]);
    trial.stdin(Stdio::null());
    let ran = Ran::of(trial).await?;
    if ran.code != Some(0) {
        out_of_reach(&format!("this system lets bubblewrap make no sandbox: {}", ran.stderr.trim()))?;
        return Ok(false);
    }
    Ok(true)
}

/// Whether these programs are there, each with Debian's package that brings it. Where they aren't, the test or this part of
/// it is left out, which is told.
///
/// # Errors
/// Where that is required.
pub fn installed(programs: &[(&str, &str)]) -> Result<bool> {
    match lacking(programs) {
        None => Ok(true),
        Some(reason) => skip(&reason).map(|()| false),
    }
}

/// The file of a program in a folder of `PATH`.
///
/// # Errors
/// When there is none.
pub fn on_path(program: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut files = std::env::split_paths(&path).map(|folder| folder.join(program));
    files.find(|file| file.is_file()).with_context(|| format!("there is no {program} in PATH"))
}
