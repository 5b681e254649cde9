//! A process that outlives this one.

use super::{StartCommand, environment};
use crate::env;
use crate::home::Home;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

/// Above this, what earlier starts said is forgotten.
const LOG_BYTES: u64 = 1024 * 1024;

/// A process that was started to become the gate. Dropping it leaves the process alone.
#[derive(Debug)]
pub(super) struct Started {
    child: Child,
    program: PathBuf,
}

impl Started {
    /// How it ended, if it has.
    pub(super) fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Its number.
    #[cfg(test)]
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }
}

/// Where started processes say what goes wrong.
pub(super) fn log_file(home: &Home) -> PathBuf {
    home.logs_folder().join("start.log")
}

/// Starts the command in a session of its own, so that neither a signal to this process's group
/// nor the end of its terminal reaches the gate.
pub(super) fn spawn(command: &StartCommand, home: &Home) -> io::Result<Started> {
    let mut process = Command::new(&command.program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| !environment::stays(name)) {
        process.env_remove(name);
    }
    process
        .args(&command.args)
        .envs(command.envs.iter().map(|(name, value)| (name, value)))
        .current_dir(home.data_folder())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(open_log(&log_file(home))?);
    if let Some(folder) = home.single_folder() {
        // Ours may be relative to a folder that the gate doesn't run in.
        process.env(env::HOME, folder);
    }
    in_new_session(&mut process);
    Ok(Started { child: process.spawn()?, program: command.program.clone() })
}

#[expect(unsafe_code, reason = "the standard library has no other way to setsid(2) in the child; see SAFETY")]
fn in_new_session(process: &mut Command) {
    let enter = || rustix::process::setsid().map(drop).map_err(io::Error::from);
    // SAFETY: between fork and exec only async-signal-safe calls are allowed. setsid(2) is one,
    // and the closure neither allocates nor takes a lock: an `io::Error` of an errno is a number.
    unsafe { process.pre_exec(enter) };
}

fn open_log(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    if file.metadata()?.len() > LOG_BYTES {
        file.set_len(0)?;
    }
    Ok(file)
}
