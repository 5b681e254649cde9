//! `review-gate ask`: a question from a script or an agent's hook.

use std::process::ExitCode;

use clap::Args;
use gate_api::subjects::requests::{AskRequest, Asked};
use gate_core::{Ask, Assurance, Choice, Decision, Fault, Given, RequestStatus};
use gate_link::Home;

use crate::client::Client;
use crate::{exit, output};

#[derive(Debug, Args)]
#[command(after_help = "Prints the reply as one line of JSON.
Exit code: 0 answered or approved, as surely as --require wants; 1 changes requested, closed, or not that sure; 3 still
pending. L1 is a person in a window, on the gate's page or at a terminal that has shown the question; L0 is anybody, as a
script under `review-gate serve --allow-scripts`. From L2 on the system or a security key confirms an approval besides, and
none is taken that is less sure.

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
    /// How sure the reply has to be; without it, as the setting `security.require` says
    #[arg(long, value_name = "LEVEL")]
    require: Option<Level>,
}

/// How sure a reply has to be.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Level {
    /// Anybody's, a script's among them
    #[value(name = "L0")]
    L0,
    /// A person's who was shown the question
    #[value(name = "L1")]
    L1,
    /// Confirmed to the system besides
    #[value(name = "L2")]
    L2,
    /// By a touch of a security key besides
    #[value(name = "L3")]
    L3,
}

impl From<Level> for Assurance {
    fn from(level: Level) -> Self {
        match level {
            Level::L0 => Self::L0,
            Level::L1 => Self::L1,
            Level::L2 => Self::L2,
            Level::L3 => Self::L3,
        }
    }
}

pub(crate) async fn run(home: &Home, arguments: AskArguments) -> Result<ExitCode, Fault> {
    let choice = |label| Choice { label, description: None, recommended: false };
    let ask = Ask {
        message: arguments.text,
        title: arguments.title,
        options: arguments.option.into_iter().map(choice).collect(),
        approval: arguments.approval,
        require: arguments.require.map(Assurance::from).filter(|level| *level > Assurance::L0),
        ..Ask::default()
    }
    .checked()?;
    let workspace = std::env::current_dir().map(|folder| folder.display().to_string()).unwrap_or_default();
    let mut client = Client::started(home).await?;
    let request =
        AskRequest { ask, workspace, timeout_seconds: arguments.timeout, request_id: None, session_uuid: None };
    let Asked { outcome, required, weak } = client.ask(request).await?;
    output::json(&outcome)?;
    if !weak.is_empty() {
        output::error(&format!("Others may answer more easily here than by itself: {}.", weak.join(", ")));
    }
    let required = arguments.require.map_or(required.unwrap_or(Assurance::L1), Assurance::from);
    let code = match (outcome.status, outcome.decision) {
        (RequestStatus::Pending, _) => exit::PENDING,
        (RequestStatus::Answered, _) if outcome.assurance.unwrap_or_default() < required => {
            let given = outcome.given().map_or("from somewhere unknown (L0)", Given::in_words);
            output::error(&format!("The reply was given {given}; {} is required.", required.as_str()));
            exit::NOT_APPROVED
        }
        (RequestStatus::Answered, Some(Decision::Approved)) => exit::DONE,
        // An approval that was asked for and not given is no approval.
        (RequestStatus::Answered, None) if !arguments.approval => exit::DONE,
        _ => exit::NOT_APPROVED,
    };
    Ok(ExitCode::from(code))
}
