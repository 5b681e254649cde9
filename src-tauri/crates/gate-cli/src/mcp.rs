//! `review-gate mcp`: the relay between an agent's client and the gate.

use std::process::ExitCode;

use clap::Args;
use gate_app::{DEFAULT_TOOLSET, Toolset};
use gate_core::{Code, Fault};
use gate_link::{Home, RelayOptions};
use tokio::runtime::Runtime;

use crate::exit;

/// The command's name.
pub(crate) const COMMAND: &str = "mcp";

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

/// Relays until the client is gone: in the program that does nothing else, where that stands beside this one.
pub(crate) fn run(home: Home, runtime: Runtime, arguments: McpArguments) -> Result<ExitCode, Fault> {
    if !Toolset::names().any(|name| name == arguments.toolset) {
        return Err(Fault::new(
            Code::InvalidInput,
            format!("There is no toolset {:?}.", arguments.toolset),
            format!("Use one of: {}.", Toolset::names().collect::<Vec<_>>().join(", ")),
        ));
    }
    become_the_relay(&arguments.toolset);
    relay(home, runtime, arguments.toolset)
}

/// Relays a toolset until the client is gone.
pub(crate) fn relay(home: Home, runtime: Runtime, toolset: String) -> Result<ExitCode, Fault> {
    let workspace = std::env::current_dir().unwrap_or_default();
    let relaying = async {
        let options = RelayOptions::new(home, toolset, workspace)?;
        gate_link::run(options, gate_link::stdin(), gate_link::stdout()).await
    };
    let relayed = runtime.block_on(relaying);
    // A read of stdin may still be blocked in its thread; the process must not wait for it.
    runtime.shutdown_background();
    relayed.map(|()| ExitCode::from(exit::DONE)).map_err(|error| error.fault())
}

/// Goes on as the relay's own program, in this process. A relay keeps every page that it has touched for as long as its
/// agent lives, and of a program that can do all else, too, these lie far apart.
///
/// Returns where that program isn't there or can't be started: this one relays as well.
#[cfg(unix)]
fn become_the_relay(toolset: &str) {
    use std::os::unix::process::CommandExt as _;

    if let Ok(program) = std::env::current_exe() {
        let _ = std::process::Command::new(program.with_file_name(gate_link::RELAY)).args([COMMAND, toolset]).exec();
    }
}

/// Nowhere else does a process become another program.
#[cfg(not(unix))]
fn become_the_relay(_toolset: &str) {}
