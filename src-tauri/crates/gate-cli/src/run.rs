//! `review-gate run`: an agent in a sandbox that has its project and the relays' way to the gate, and nothing else of the
//! person's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use gate_clients::{Client, Folders};
use gate_core::{Code, Fault};
use gate_link::{Home, Socket, StartPlan, connect_or_start};
use gate_sandbox::{AgentFiles, Network, Sandbox, Wish};

use crate::{exit, output};

/// The programs beside this one that are started outside.
const BESIDE: [&str; 4] = ["review-gate", gate_link::RELAY, "review-gate-desktop", "review-gate-voice"];

#[derive(Debug, Args)]
#[command(
    after_help = "The agent sees the system's programs, the project of the current folder, the state of its own program
(Claude Code's ~/.claude, Codex's ~/.codex, …), and the socket that relays ask through. It writes the project and that state,
but neither .git/config, what that includes, .git/hooks nor what configures agents (.mcp.json, .claude/settings.json, …). The
rest of your home, the gate's own files, your display, buses, keys and other processes aren't there: it can ask, and can't
answer. Where .git leads to a repository elsewhere which doesn't say that this is its work tree or submodule, it isn't started:
an agent may have written that. Let it write there with --write.

Without --network it reaches no other machine, so a model on one neither. With it, the network is the sandbox's own, by pasta
(package `passt`), where that is installed; else this machine's, under Landlock's scope (Linux 6.12): then the agent reaches
what listens on loopback.

What isn't there yet can't be guarded, and what is replaced outside isn't any more: both are told on stderr. What an agent
writes into its project (a Makefile, a package.json) does what it says when you run it outside. Files that you attach to a
reply stay outside.

Exit codes: the agent's own, or 128 and the number of the signal that ended it; 125 where it can't be put into such a sandbox,
and wasn't started; 2 wrong usage.

Examples:
  review-gate run --network -- claude              Claude Code, with a network for its model
  review-gate run --network --port 11434 -- opencode   and a model on this machine's loopback
  review-gate run -- ./agent.sh                    a script of yours, without a network
  review-gate run --write ~/.cargo/registry --network -- codex
  review-gate run --dry-run -- codex               what it would see"
)]
pub(crate) struct RunArguments {
    /// A network: `own` by pasta, or `shared` with this machine; without a word, the first of these that is to be had here
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "any", hide_possible_values = true)]
    network: Option<NetworkName>,
    /// A port of this machine's loopback that the agent reaches, with a network of its own; may be repeated
    #[arg(long, value_name = "PORT")]
    port: Vec<u16>,
    /// A further file or folder that it reads; may be repeated
    #[arg(long, value_name = "PATH")]
    read: Vec<PathBuf>,
    /// A further folder that it writes; may be repeated
    #[arg(long, value_name = "PATH")]
    write: Vec<PathBuf>,
    /// Whose state it has, where its program's name doesn't say so, e.g. claude-code
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// Print what the agent would see, and start nothing
    #[arg(long)]
    dry_run: bool,
    /// The agent's program and its arguments
    #[arg(last = true, required = true, value_name = "AGENT")]
    agent: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum NetworkName {
    Any,
    Own,
    Shared,
    None,
}

impl From<NetworkName> for Network {
    fn from(name: NetworkName) -> Self {
        match name {
            NetworkName::Any => Self::Any,
            NetworkName::Own => Self::Own,
            NetworkName::Shared => Self::Shared,
            NetworkName::None => Self::None,
        }
    }
}

pub(crate) async fn run(home: &Home, arguments: RunArguments) -> ExitCode {
    match in_a_sandbox(home, arguments).await {
        Ok(code) => ExitCode::from(code),
        Err(fault) => {
            output::fault(&fault);
            ExitCode::from(exit::NO_SANDBOX)
        }
    }
}

async fn in_a_sandbox(home: &Home, arguments: RunArguments) -> Result<u8, Fault> {
    if Home::is_in_a_sandbox() {
        return Err(refusal("This is a sandbox of `review-gate run` already.", "Start the agent as it is."));
    }
    let dry_run = arguments.dry_run;
    // Elsewhere there are none, whatever runs.
    let needs_gate = !dry_run && cfg!(target_os = "linux");
    if needs_gate {
        // Outside, and before: nothing inside could start one.
        let plan = StartPlan::of_this_program().map_err(|error| error.fault())?;
        connect_or_start(home, Socket::Mcp, &plan).await.map_err(|error| error.fault())?;
    }
    if needs_gate && !home.relays_socket().exists() {
        let message = "The gate that runs has no socket for sandboxes: it is older than this program.";
        return Err(refusal(message, "Restart it: `review-gate stop`, then start it again."));
    }
    let sandbox = Sandbox::new(wish(home, arguments)?)?;
    if dry_run {
        sandbox.shown().iter().for_each(|line| output::line(&output::visible_line(line)));
        return Ok(exit::DONE);
    }
    sandbox.run(output::error).await
}

fn wish(home: &Home, arguments: RunArguments) -> Result<Wish, Fault> {
    let broken = |error: std::io::Error| Fault::internal(error.to_string());
    let folders = Folders::of_process()?;
    let client = match &arguments.client {
        Some(name) => Some(Client::parse(name)?),
        None => arguments.agent.first().and_then(|agent| {
            let name = Path::new(agent).file_name()?.to_str()?;
            gate_clients::of_program(name)
        }),
    };
    let kept = client.map(|client| gate_clients::kept(client, &folders)).unwrap_or_default();
    let apart = client.map(|client| gate_clients::configured_apart(client, &folders)).unwrap_or_default();
    let absolute = |path: PathBuf| std::path::absolute(path).map_err(broken);
    let read = arguments.read.into_iter().map(absolute).collect::<Result<Vec<_>, _>>()?;
    let write = arguments.write.into_iter().map(absolute).collect::<Result<Vec<_>, _>>()?;
    Ok(Wish {
        agent: arguments.agent,
        folder: std::env::current_dir().map_err(broken)?,
        person: folders.home,
        path: folders.path.into_iter().filter(|folder| folder.is_absolute()).collect(),
        hidden: home.folders().map(Path::to_owned).to_vec(),
        // Where agents may read what is attached outside. Gemini CLI doesn't start where it lacks.
        empty: vec![home.data_folder().join(gate_clients::COPIES)],
        relays: home.relays_folder(),
        relays_inside: Home::in_a_sandbox().to_owned(),
        program: std::env::current_exe().map_err(broken)?,
        beside: BESIDE.map(PathBuf::from).to_vec(),
        files: AgentFiles {
            state: kept.state,
            copies: kept.mixed,
            apart,
            guarded: kept.configuration,
            guarded_in_project: gate_clients::configuration_of_projects(),
        },
        network: arguments.network.map(Network::from).unwrap_or_default(),
        ports: arguments.port,
        read,
        write,
    })
}

fn refusal(message: &str, mend: &str) -> Fault {
    Fault::new(Code::Sandbox, message, mend)
}
