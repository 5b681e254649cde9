//! A child that is looked at; the rest is the job's that this process is in.

use std::io;
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(20);

pub(super) fn run(
    command: &mut Command,
    stop: impl FnOnce() + Send + 'static,
    _grace: Duration,
) -> io::Result<Option<u8>> {
    let mut child = command.spawn()?;
    let (tell, told) = mpsc::channel();
    std::thread::Builder::new().name("stop".to_owned()).spawn(move || {
        stop();
        // Whoever listened has ended with the program.
        let _ = tell.send(());
    })?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(crate::programs::exit_code(status));
        }
        if !matches!(told.recv_timeout(LOOK), Err(RecvTimeoutError::Timeout)) {
            // It may have ended.
            let _ = child.kill();
            return Ok(crate::programs::exit_code(child.wait()?));
        }
    }
}
