//! `review-gate away`: telling agents not to wait.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use gate_api::subjects::person::SetAway;
use gate_core::Fault;
use gate_link::Home;

use crate::client::Client;
use crate::{exit, output};

#[derive(Debug, Args)]
#[command(after_help = "While you are away, agents that ask are told at once to end their turn and come back later.
Their questions wait for you; nothing is answered for you.

Examples:
  review-gate away
  review-gate away off")]
pub(crate) struct AwayArguments {
    /// Whether you are away
    #[arg(value_enum, default_value_t = Switch::On)]
    away: Switch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

pub(crate) async fn run(home: &Home, arguments: &AwayArguments) -> Result<ExitCode, Fault> {
    let away = arguments.away == Switch::On;
    let mut client = Client::needed(home).await?;
    client.ask(SetAway { away }).await?;
    output::line(match away {
        true => "You are away: agents are told to come back later.",
        false => "You are there: agents wait for you again.",
    });
    Ok(ExitCode::from(exit::DONE))
}
