//! `review-gate ask`: a question from a script or an agent's hook.

use std::process::ExitCode;

use clap::Args;
use gate_api::subjects::requests::AskRequest;
use gate_core::{Ask, Choice, Decision, Fault, RequestStatus};
use gate_link::Home;

use crate::client::Client;
use crate::{exit, output};

#[derive(Debug, Args)]
#[command(after_help = "Prints the reply as one line of JSON.
Exit code: 0 answered or approved, 1 changes requested or closed, 3 still pending.

Examples:
  review-gate ask 'Deploy to production?' --approval --timeout 600
  review-gate ask 'Which one?' --option red --option green | jq -r '.selected[0]'")]
pub(crate) struct AskArguments {
    /// The question, in Markdown
    text: String,
    /// The headline
    #[arg(long, value_name = "T")]
    title: Option<String>,
    /// An option to choose from; may be repeated
    #[arg(long, value_name = "O")]
    option: Vec<String>,
    /// Whether the person must approve or request changes
    #[arg(long)]
    approval: bool,
    /// How many seconds to wait; without it, until there is an answer
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    timeout: Option<u64>,
}

pub(crate) async fn run(home: &Home, arguments: AskArguments) -> Result<ExitCode, Fault> {
    let choice = |label| Choice { label, description: None, recommended: false };
    let ask = Ask {
        message: arguments.text,
        title: arguments.title,
        options: arguments.option.into_iter().map(choice).collect(),
        approval: arguments.approval,
        ..Ask::default()
    }
    .checked()?;
    let workspace = std::env::current_dir().map(|folder| folder.display().to_string()).unwrap_or_default();
    let mut client = Client::started(home).await?;
    let request =
        AskRequest { ask, workspace, timeout_seconds: arguments.timeout, request_id: None, session_uuid: None };
    let outcome = client.ask(request).await?.outcome;
    output::json(&outcome)?;
    let code = match (outcome.status, outcome.decision) {
        (RequestStatus::Pending, _) => exit::PENDING,
        (RequestStatus::Answered, Some(Decision::Approved)) => exit::DONE,
        // An approval that was asked for and not given is no approval.
        (RequestStatus::Answered, None) if !arguments.approval => exit::DONE,
        _ => exit::NOT_APPROVED,
    };
    Ok(ExitCode::from(code))
}
