//! `review-gate note`: telling an agent something while it works.

use std::process::ExitCode;

use clap::Args;
use gate_api::subjects::conversations::SendNote;
use gate_core::Fault;
use gate_link::Home;

use crate::client::Client;
use crate::{exit, input, output, session};

#[derive(Debug, Args)]
#[command(after_help = "The agent gets it with the next result of any of the gate's tools.

Examples:
  review-gate note 4c0d9f2a 'Use the staging database'
  git diff | review-gate note 0193c1f0-… -")]
pub(crate) struct NoteArguments {
    /// The session's uuid, or its last characters
    session: String,
    /// What the agent should know; `-` reads it from stdin
    text: String,
}

pub(crate) async fn run(home: &Home, arguments: NoteArguments) -> Result<ExitCode, Fault> {
    let text = match arguments.text.as_str() {
        "-" => input::stdin()?,
        _ => arguments.text,
    };
    let mut client = Client::needed(home).await?;
    let session_uuid = session::find(&mut client, &arguments.session).await?;
    client.ask(SendNote { session_uuid, text }).await?;
    output::line("Noted. The agent gets it with its next call.");
    Ok(ExitCode::from(exit::DONE))
}
