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

Examples:
  review-gate serve
  REVIEW_GATE_HOME=/tmp/gate review-gate serve --port 0"
)]
pub(crate) struct ServeArguments {
    /// The port on 127.0.0.1 to try first; the next free one is taken where it is busy, any for 0
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Serve the fixtures of the official conformance suite, without a token
    #[cfg(feature = "conformance")]
    #[arg(long)]
    conformance: bool,
}

pub(crate) fn run(home: Home, arguments: &ServeArguments) -> Result<ExitCode, Fault> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Fault::internal(error.to_string()))?;
    runtime.block_on(serve(home, arguments))
}

async fn serve(home: Home, arguments: &ServeArguments) -> Result<ExitCode, Fault> {
    home.create().map_err(|error| error.fault())?;
    let _log = gate_app::logging::start(home.logs_folder());
    let folder = home.data_folder().display().to_string();
    let mut options = RunOptions::new(home.clone(), false, command_path());
    options.port = arguments.port;
    #[cfg(feature = "conformance")]
    {
        options.conformance = arguments.conformance;
    }
    let running = match gate_app::start(options).await? {
        Started::Gate(running) => running,
        Started::AlreadyRunning => {
            let pid = GateLock::last_holder(&home);
            let http = std::fs::read_to_string(home.http_file()).ok().map(|url| url.trim().to_owned());
            let line = json!({ "ready": true, "already_running": true, "pid": pid, "http": http, "home": folder });
            output::json(&line)?;
            return Ok(ExitCode::from(exit::DONE));
        }
    };
    let gate = running.gate.clone();
    let http = gate.http();
    output::json(&json!({ "ready": true, "pid": std::process::id(), "http": http, "home": folder }))?;
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
