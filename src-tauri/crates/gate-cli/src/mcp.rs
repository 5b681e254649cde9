//! `review-gate mcp`: the relay between an agent's client and the gate.

use std::process::ExitCode;

use clap::Args;
use gate_app::{DEFAULT_TOOLSET, Toolset};
use gate_core::{Code, Fault};
use gate_link::{Home, RelayOptions};

use crate::exit;

#[derive(Debug, Args)]
#[command(after_help = "Example, in a client's configuration:
  {\"command\": \"review-gate\", \"args\": [\"mcp\"]}")]
pub(crate) struct McpArguments {
    #[arg(long, default_value = DEFAULT_TOOLSET, value_name = "NAME", help = toolset_help())]
    toolset: String,
}

impl Default for McpArguments {
    fn default() -> Self {
        Self { toolset: DEFAULT_TOOLSET.to_owned() }
    }
}

fn toolset_help() -> String {
    format!("The toolset to serve: {}", Toolset::names().collect::<Vec<_>>().join(" or "))
}

pub(crate) async fn run(home: Home, arguments: McpArguments) -> Result<ExitCode, Fault> {
    if !Toolset::names().any(|name| name == arguments.toolset) {
        return Err(Fault::new(
            Code::InvalidInput,
            format!("There is no toolset {:?}.", arguments.toolset),
            format!("Use one of: {}.", Toolset::names().collect::<Vec<_>>().join(", ")),
        ));
    }
    let workspace = std::env::current_dir().unwrap_or_default();
    let options = RelayOptions::new(home, arguments.toolset, workspace).map_err(|error| error.fault())?;
    gate_link::run(options, gate_link::stdin(), gate_link::stdout()).await.map_err(|error| error.fault())?;
    Ok(ExitCode::from(exit::DONE))
}
