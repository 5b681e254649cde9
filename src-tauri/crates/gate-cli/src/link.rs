//! `review-gate link`: shows the gate in a browser.

use std::process::ExitCode;

use clap::Args;
use gate_api::subjects::connections::{MakeLink, SignOut};
use gate_core::Fault;
use gate_link::Home;
use serde_json::json;

use crate::client::Client;
use crate::{exit, output};

#[derive(Debug, Args)]
#[command(
    after_help = "The link signs in the browser that opens it first, within ten minutes; that browser stays signed in for
30 days, or until nobody has used it for 72 hours. Give it to nobody: whoever has it can answer for you.

The page is on this machine's loopback. From another machine, forward the port first; any local port
does, if you write it into the link:
  ssh -L 8321:127.0.0.1:8321 you@this-machine

Examples:
  review-gate link
  xdg-open \"$(review-gate link --json | jq -r .ui)\"
  review-gate link --sign-out                 sign every browser out"
)]
pub(crate) struct LinkArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Sign every browser out instead, and make links that nobody used worthless
    #[arg(long)]
    sign_out: bool,
}

pub(crate) async fn run(home: &Home, arguments: &LinkArguments) -> Result<ExitCode, Fault> {
    let mut client = Client::started(home).await?;
    if arguments.sign_out {
        client.ask(SignOut {}).await?;
        match arguments.json {
            true => output::json(&json!({ "signed_out": true }))?,
            false => output::line("Every browser is signed out. `review-gate link` makes a new link."),
        }
        return Ok(ExitCode::from(exit::DONE));
    }
    let link = client.ask(MakeLink {}).await?;
    match arguments.json {
        true => output::json(&json!({ "ui": link.url, "expires_at": link.expires_at }))?,
        false => {
            output::line(&link.url);
            output::line("Open it in a browser: it signs that one in, once, within ten minutes.");
            if let Some(forward) = forward(&link.url) {
                output::line(&forward);
            }
        }
    }
    Ok(ExitCode::from(exit::DONE))
}

/// How the link is reached from where the person sits, if that is another machine.
fn forward(url: &str) -> Option<String> {
    std::env::var_os("SSH_CONNECTION").filter(|value| !value.is_empty())?;
    let port = url.trim_start_matches("http://127.0.0.1:").split('/').next()?;
    Some(format!("From your own machine, first: ssh -L {port}:127.0.0.1:{port} and this machine's name."))
}
