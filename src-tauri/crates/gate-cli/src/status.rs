//! `review-gate status` and `review-gate stop`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use gate_api::subjects::program::{ReadStatus, StatusReport, Stop};
use gate_core::{Code, Fault};
use gate_link::{GateLock, Home};
use serde_json::json;
use tokio::time::Instant;

use crate::client::Client;
use crate::{exit, output};

/// How long a gate that was told to stop may take over ending.
const STOP_LIMIT: Duration = Duration::from_secs(20);
/// How often is looked whether it has.
const STOP_POLL: Duration = Duration::from_millis(10);

#[derive(Debug, Args)]
#[command(after_help = "Example:
  review-gate status --json")]
pub(crate) struct StatusArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(home: &Home, arguments: &StatusArguments) -> Result<ExitCode, Fault> {
    let status = status(home).await?;
    match (&status, arguments.json) {
        (Some(status), true) => output::json(status)?,
        (None, true) => output::json(&json!({ "running": false, "home": home.data_folder() }))?,
        (Some(status), false) => {
            output::line(&format!(
                "The gate runs (process {}, version {}, {}). {} waiting{}. HTTP: {}. Home: {}",
                status.pid,
                status.version,
                if status.window { "with a window" } else { "without windows" },
                status.pending,
                if status.away { ", and you are away" } else { "" },
                status.http.as_deref().unwrap_or("off"),
                status.home
            ));
            if !status.weak.is_empty() {
                output::line(&format!(
                    "Others may answer for you more easily than by itself: {}.",
                    status.weak.join(", ")
                ));
            }
        }
        (None, false) => output::line("No gate is running. An agent's next call starts one, or run `review-gate`."),
    }
    Ok(ExitCode::from(exit::DONE))
}

/// What the gate says of itself; absent where none runs, or the one that did ended over the question.
async fn status(home: &Home) -> Result<Option<StatusReport>, Fault> {
    let Some(mut client) = Client::running(home).await? else { return Ok(None) };
    match client.ask(ReadStatus {}).await {
        Ok(answer) => Ok(Some(answer.status)),
        Err(fault) if fault.code == Code::GateUnreachable => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// Waits until the gate with this process number has let go of its home, so that what comes next may take it.
async fn ended(home: &Home, pid: Option<u32>) -> Result<(), Fault> {
    let deadline = Instant::now() + STOP_LIMIT;
    while GateLock::is_held(home).unwrap_or(false) && GateLock::last_holder(home) == pid {
        if Instant::now() >= deadline {
            let pid = pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string());
            return Err(Fault::new(
                Code::GateUnreachable,
                format!(
                    "The gate (process {pid}) was told to stop, and hasn't ended after {} s.",
                    STOP_LIMIT.as_secs()
                ),
                "Look at its log, or run `review-gate doctor`, which says how to end it.",
            ));
        }
        tokio::time::sleep(STOP_POLL).await;
    }
    Ok(())
}

pub(crate) async fn stop(home: &Home) -> Result<ExitCode, Fault> {
    match Client::running(home).await? {
        Some(mut client) => {
            let pid = GateLock::last_holder(home);
            client.ask(Stop {}).await?;
            ended(home, pid).await?;
            output::line("Stopped. What is pending stays pending; an agent's next call starts the gate again.");
        }
        None => output::line("No gate is running."),
    }
    Ok(ExitCode::from(exit::DONE))
}
