//! `review-gate session`: whose a session is. Finds sessions for other commands, too.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use gate_api::subjects::conversations::{GiveSession, ListSessions};
use gate_core::{Code, Fault, SessionUuid};
use gate_link::Home;

use crate::client::Client;
use crate::{ending, exit, output};

#[derive(Debug, Args)]
#[command(
    after_help = "An agent sees its own sessions only, and so does the same client when it is started again in the
same folder. What one has begun and another is to go on with is yours to give.

Examples:
  review-gate session give 4c0d9f2a                 to the agent that names it next
  review-gate session give 4c0d9f2a laptop-codex    to the client with this token"
)]
pub(crate) struct SessionArguments {
    #[command(subcommand)]
    command: SessionCommand,
}

#[derive(Debug, Subcommand)]
enum SessionCommand {
    /// Make a session another client's, with all that was asked and answered in it
    #[command(after_help = "Examples:
  review-gate session give 4c0d9f2a                 to the agent that names it next
  review-gate session give 4c0d9f2a laptop-codex    to the client with this token")]
    Give {
        /// The session's uuid, or its last characters
        session: String,
        /// The client, by the name of its token; without one, whichever agent names the session first has it
        client: Option<String>,
    },
}

pub(crate) async fn run(home: &Home, arguments: SessionArguments) -> Result<ExitCode, Fault> {
    let SessionCommand::Give { session, client: to } = arguments.command;
    let mut client = Client::needed(home).await?;
    let session_uuid = find(&mut client, &session).await?;
    client.ask(GiveSession { session_uuid, client: to.clone() }).await?;
    output::line(&match to {
        Some(_) => "Given. The client finds it among its conversations.".to_owned(),
        None => format!("Given. It is whose agent names it first: session_uuid {session_uuid}."),
    });
    Ok(ExitCode::from(exit::DONE))
}

/// The session with this uuid, or the only one in memory whose uuid ends so.
pub(crate) async fn find(client: &mut Client, id: &str) -> Result<SessionUuid, Fault> {
    if let Some(whole) = ending::whole(id)? {
        return Ok(whole);
    }
    let sessions = client.ask(ListSessions {}).await?.sessions;
    match ending::of(id, sessions.iter().map(|session| session.session_uuid)).as_slice() {
        [one] => Ok(*one),
        [] => Err(Fault::new(
            Code::UnknownSession,
            format!("No session that is alive has a uuid that ends in {id:?}."),
            "`review-gate history` lists the sessions; pass the whole uuid.",
        )),
        many => Err(Fault::new(
            Code::InvalidInput,
            format!("{} sessions have a uuid that ends in {id:?}.", many.len()),
            "Give more of the uuid.",
        )),
    }
}
