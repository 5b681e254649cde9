//! `review-gate mcp`: the relay between an agent's client and the gate.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use gate_app::{DEFAULT_TOOLSET, Toolset};
use gate_core::{Code, Fault};
use gate_link::{Home, RelayOptions, StartPlan};
use tokio::runtime::Runtime;

use crate::exit;

/// The command's name.
pub(crate) const COMMAND: &str = "mcp";
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Debug, Args)]
#[command(after_help = "Example, in a client's configuration:
  {\"command\": \"review-gate\", \"args\": [\"mcp\"]}
  {\"command\": \"review-gate\", \"args\": [\"mcp\", \"--toolset\", \"gate\", \"--toolset\", \"broker\"]}")]
pub(crate) struct McpArguments {
    #[arg(long, default_value = DEFAULT_TOOLSET, value_name = "NAME", value_delimiter = ',', help = toolset_help())]
    toolset: Vec<String>,
    /// Relay in this program, whatever stands beside it
    #[arg(long, hide = true)]
    in_place: bool,
}

impl Default for McpArguments {
    fn default() -> Self {
        Self { toolset: vec![DEFAULT_TOOLSET.to_owned()], in_place: false }
    }
}

fn toolset_help() -> String {
    let names: Vec<_> = Toolset::names().collect();
    format!("The toolset to serve: {}; given again, several together", names.join(" or "))
}

/// Relays until the client is gone: in the program that does nothing else, where that stands beside this one.
pub(crate) fn run(home: Home, runtime: Runtime, arguments: McpArguments) -> Result<ExitCode, Fault> {
    let McpArguments { toolset, in_place } = arguments;
    // Names alone: every relay comes by here, and needs no schemas.
    if let Some(unknown) = toolset.iter().find(|asked| !Toolset::names().any(|name| name == *asked)) {
        return Err(Fault::new(
            Code::InvalidInput,
            format!("There is no toolset {unknown:?}."),
            format!("Use one of: {}.", Toolset::names().collect::<Vec<_>>().join(", ")),
        ));
    }
    let toolset = Toolset::joined(&toolset);
    if Toolset::named(&toolset).is_none() {
        return Err(Fault::new(
            Code::InvalidInput,
            format!("The toolsets {toolset} aren't served together: one of them is in the place of another."),
            "Name one of the two.",
        ));
    }
    if !in_place {
        become_the_relay(&toolset);
    }
    let start = StartPlan::of_this_program().map_err(|error| error.fault())?;
    relay(home, runtime, toolset, start)
}

/// Relays a toolset until the client is gone.
fn relay(home: Home, runtime: Runtime, toolset: String, start: StartPlan) -> Result<ExitCode, Fault> {
    let workspace = std::env::current_dir().unwrap_or_default();
    let options = RelayOptions::new(home, toolset, workspace, start);
    let relayed = runtime.block_on(async { gate_link::run(options, gate_link::stdin(), gate_link::stdout()).await });
    // A read of stdin may still be blocked in its thread; the process must not wait for it.
    runtime.shutdown_background();
    relayed.map(|()| ExitCode::from(exit::DONE)).map_err(|error| error.fault())
}

/// What the relay's program is told by the one that hands over to it.
pub(crate) struct HandedOver {
    toolset: String,
    /// The version of that program, whose file is `program`: it can be the gate without windows.
    version: String,
    program: PathBuf,
}

impl HandedOver {
    /// From the arguments, as [`become_the_relay`] gives them.
    pub(crate) fn read(arguments: &[OsString]) -> Option<Self> {
        let [_, command, toolset, version, program] = arguments else { return None };
        let text = |argument: &OsString| argument.to_str().map(str::to_owned);
        (command == COMMAND).then_some(())?;
        Some(Self { toolset: text(toolset)?, version: text(version)?, program: program.into() })
    }

    /// Relays in this program, which does nothing else; or in the one that handed over, where this one is of another
    /// version.
    pub(crate) fn relay(self, home: Home, runtime: Runtime) -> Result<ExitCode, Fault> {
        if self.version != VERSION {
            let in_place = [COMMAND, "--toolset", &self.toolset, "--in-place"];
            return Err(Fault::internal(become_program(&self.program, &in_place.map(OsString::from))));
        }
        let start = StartPlan::of_program(&self.program);
        relay(home, runtime, self.toolset, start)
    }
}

/// Goes on as the relay's own program, in this process. A relay keeps every page that it has touched for as long as its
/// agent lives, and of a program that can do all else, too, these lie far apart.
///
/// Returns where that program isn't there or can't be started: this one relays as well.
fn become_the_relay(toolset: &str) {
    if let Ok(program) = std::env::current_exe() {
        let arguments = [COMMAND.into(), toolset.into(), VERSION.into(), program.clone().into_os_string()];
        let _ = become_program(&program.with_file_name(gate_os::programs::file_name(gate_link::RELAY)), &arguments);
    }
}

/// Gives why this process can't go on as another program.
fn become_program(program: &Path, arguments: &[OsString]) -> String {
    let mut command = std::process::Command::new(program);
    command.args(arguments);
    gate_os::programs::become_program(command).to_string()
}
