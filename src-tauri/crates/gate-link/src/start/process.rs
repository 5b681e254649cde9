//! A process that outlives this one.

use super::{StartCommand, environment};
use crate::env;
use crate::home::Home;
use gate_os::{files, programs};
use std::fs::File;
use std::io;
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

/// Starts the command so that it outlives this process.
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
    Ok(Started { child: programs::spawn_detached(&mut process)?, program: command.program.clone() })
}

fn open_log(path: &Path) -> io::Result<File> {
    let file = files::private().create(true).append(true).open(path)?;
    if file.metadata()?.len() > LOG_BYTES {
        file.set_len(0)?;
    }
    Ok(file)
}
