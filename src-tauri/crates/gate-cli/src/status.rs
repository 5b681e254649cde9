//! `review-gate status` and `review-gate stop`.

use std::process::ExitCode;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use gate_api::subjects::program::{ReadStatus, ShownAt, StatusReport, Stop};
use gate_app::offline::{Reached, Refused, service};
use gate_core::{Code, Fault};
use gate_link::{GateLock, Home};
use serde_json::{Value, json};
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
    let (status, service) = (status(home).await?, service().await);
    match (&status, arguments.json) {
        (Some(status), true) => {
            let mut value = serde_json::to_value(status).map_err(|error| Fault::internal(error.to_string()))?;
            value["service"] = told(&service);
            output::json(&value)?;
        }
        (None, true) => {
            output::json(&json!({ "running": false, "home": home.data_folder(), "service": told(&service) }))?;
        }
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
            if let Some(shown) = &status.shown {
                output::line(&output::visible_line(&where_shown(shown)));
            }
            if let Some(signed_in) = signed_in(status.browsers) {
                output::line(&signed_in);
            }
            if !status.weak.is_empty() {
                output::line(&format!(
                    "Others may answer for you more easily than by itself: {}.",
                    status.weak.join(", ")
                ));
            }
        }
        (None, false) => output::line("No gate is running. An agent's next call starts one, or run `review-gate`."),
    }
    if !arguments.json {
        output::line(&in_words(&service));
    }
    Ok(ExitCode::from(exit::DONE))
}

/// The service by which the system confirms, as scripts read it.
fn told(service: &Result<Reached, Refused>) -> Value {
    match service {
        Ok(Reached { version, key, .. }) => json!({
            "reachable": true,
            "version": version,
            "key": key.fingerprint().as_str(),
            "public": format!("{} {}", key.algorithm(), STANDARD.encode(key.to_wire())),
        }),
        Err(refused) => {
            json!({ "reachable": false, "why": refused.why, "message": refused.message, "mend": refused.mend() })
        }
    }
}

fn in_words(service: &Result<Reached, Refused>) -> String {
    match service {
        Ok(Reached { version, key, .. }) => {
            format!(
                "Approvals can be confirmed by the system (L2): review-gated {version}, whose key is {}.",
                key.fingerprint()
            )
        }
        Err(refused) => {
            format!("Approvals can't be confirmed by the system (L2) here: {refused} {}", refused.mend())
        }
    }
}

/// How many browsers are signed in, and what to do about it; nothing where none is.
fn signed_in(browsers: usize) -> Option<String> {
    let who = match browsers {
        0 => return None,
        1 => "One browser is signed in".to_owned(),
        more => format!("{more} browsers are signed in"),
    };
    Some(format!("{who} to its page. Connect, in the window, lists them; `review-gate link --sign-out` signs all out."))
}

/// Where its window is, for a person.
fn where_shown(shown: &ShownAt) -> String {
    match shown {
        ShownAt::Seat(seat) => format!("Its window is at {seat}, in the session that you have before you."),
        ShownAt::Elsewhere(display) => format!(
            "Its window is on the display {display}, and you are logged in at another one: what is given there counts as \
             recorded (L0)."
        ),
        ShownAt::Unseated(display) => {
            format!("Its window is on the display {display}. Nobody is logged in at a seat of this machine.")
        }
    }
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
