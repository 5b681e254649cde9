//! `review-gate status` and `review-gate stop`.

use std::process::ExitCode;

use clap::Args;
use gate_api::subjects::program::{ReadStatus, Stop};
use gate_core::Fault;
use gate_link::Home;
use serde_json::json;

use crate::client::Client;
use crate::{exit, output};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  review-gate status --json")]
pub(crate) struct StatusArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(home: &Home, arguments: &StatusArguments) -> Result<ExitCode, Fault> {
    let status = match Client::running(home).await? {
        Some(mut client) => Some(client.ask(ReadStatus {}).await?.status),
        None => None,
    };
    match (&status, arguments.json) {
        (Some(status), true) => output::json(status)?,
        (None, true) => output::json(&json!({ "running": false, "home": home.data_folder() }))?,
        (Some(status), false) => output::line(&format!(
            "The gate runs (process {}, version {}, {}). {} waiting{}. HTTP: {}. Home: {}",
            status.pid,
            status.version,
            if status.window { "with a window" } else { "without windows" },
            status.pending,
            if status.away { ", and you are away" } else { "" },
            status.http.as_deref().unwrap_or("off"),
            status.home
        )),
        (None, false) => output::line("No gate is running. An agent's next call starts one, or run `review-gate`."),
    }
    Ok(ExitCode::from(exit::DONE))
}

pub(crate) async fn stop(home: &Home) -> Result<ExitCode, Fault> {
    match Client::running(home).await? {
        Some(mut client) => {
            client.ask(Stop {}).await?;
            output::line("Stopped. What is pending stays pending; an agent's next call starts the gate again.");
        }
        None => output::line("No gate is running."),
    }
    Ok(ExitCode::from(exit::DONE))
}
