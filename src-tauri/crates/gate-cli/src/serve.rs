//! `review-gate serve`: the gate without windows.

use std::process::ExitCode;

use clap::Args;
use gate_app::{RunOptions, Started};
use gate_core::Fault;
use gate_link::{GateLock, Home};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use crate::{exit, output};

#[derive(Debug, Args)]
#[command(
    after_help = "Prints one line of JSON when it is ready, and runs until SIGTERM, Ctrl-C or `review-gate stop`.

Example:
  REVIEW_GATE_HOME=/tmp/gate review-gate serve"
)]
pub(crate) struct ServeArguments {}

pub(crate) fn run(home: Home, _arguments: &ServeArguments) -> Result<ExitCode, Fault> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Fault::internal(error.to_string()))?;
    runtime.block_on(serve(home))
}

async fn serve(home: Home) -> Result<ExitCode, Fault> {
    home.create().map_err(|error| error.fault())?;
    let _log = gate_app::logging::start(home.logs_folder());
    let folder = home.data_folder().display().to_string();
    let options = RunOptions { home: home.clone(), window: false, command_path: command_path() };
    let running = match gate_app::start(options).await? {
        Started::Gate(running) => running,
        Started::AlreadyRunning => {
            let pid = GateLock::last_holder(&home);
            output::json(&json!({ "ready": true, "already_running": true, "pid": pid, "home": folder }))?;
            return Ok(ExitCode::from(exit::DONE));
        }
    };
    output::json(&json!({ "ready": true, "pid": std::process::id(), "home": folder }))?;
    let gate = running.gate.clone();
    let stopped = running.stopped();
    tokio::pin!(stopped);
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| Fault::internal(error.to_string()))?;
    let mut hangup = signal(SignalKind::hangup()).map_err(|error| Fault::internal(error.to_string()))?;
    tokio::select! {
        () = &mut stopped => return Ok(ExitCode::from(exit::DONE)),
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
    gate.stop();
    stopped.await;
    Ok(ExitCode::from(exit::DONE))
}

/// This program, as a client's configuration should name it.
fn command_path() -> String {
    std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_else(|_| "review-gate".to_owned())
}
