//! `review-gate serve`: the gate without windows.

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use gate_api::subjects::connections::MakeLink;
use gate_api::subjects::program::ReadStatus;
use gate_app::{Allows, Gate, Origin, RunOptions, Started};
use gate_core::{Code, Fault};
use gate_link::{GateLock, Home};
use gate_os::programs::told_to_end;
use gate_os::stdio::is_heard;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::Client;
use crate::{exit, output};

/// How long a gate that starts at the same moment may take to listen.
const OTHER_LISTENS: Duration = Duration::from_secs(3);
/// How often that is looked at.
const OTHER_POLL: Duration = Duration::from_millis(20);

#[derive(Debug, Args)]
#[command(
    after_help = "Prints one line of JSON when it is ready, and runs until SIGTERM, Ctrl-C or `review-gate stop`.
Its `ui` is a link that shows the gate in a browser: good once, for ten minutes. It is printed to a person's terminal, or
with --print-link: logs of services and containers keep what is printed. `review-gate link` makes another one. Where a
gate runs already, the line says so, and this ends.

--terminal, --allow-scripts and --print-link are for a home that never had a window (a box reached by SSH, a container,
CI). Each reply tells of the first two, and so does `review-gate status`.

Examples:
  review-gate serve
  REVIEW_GATE_HOME=/tmp/gate review-gate serve --port 0
  review-gate serve --print-link | tee ready.json  where a person reads the file
  review-gate serve --terminal                     where people decide with `review-gate answer`
  review-gate serve --allow-scripts                where nobody is asked, as in a test"
)]
pub(crate) struct ServeArguments {
    /// The port on 127.0.0.1 to try first; the next free one is taken where it is busy, any for 0
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Let terminals decide: `review-gate answer` shows everything and asks for four digits
    #[arg(long)]
    terminal: bool,
    /// Let scripts answer for the person; their replies are told as that
    #[arg(long)]
    allow_scripts: bool,
    /// Print the link that signs a browser in, wherever that goes; below an agent it counts as a script's
    #[arg(long)]
    print_link: bool,
    /// Serve the fixtures of the official conformance suite, without a token
    #[cfg(feature = "conformance")]
    #[arg(long)]
    conformance: bool,
}

pub(crate) fn run(home: Home, arguments: &ServeArguments) -> Result<ExitCode, Fault> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Fault::internal(error.to_string()))?;
    runtime.block_on(serve(home, arguments))
}

async fn serve(home: Home, arguments: &ServeArguments) -> Result<ExitCode, Fault> {
    home.create().map_err(|error| error.fault())?;
    let _log = gate_app::logging::start(home.logs_folder());
    let folder = home.data_folder().display().to_string();
    let mut options = RunOptions::new(home.clone(), false, command_path());
    options.port = arguments.port;
    options.allows = Allows { scripts: arguments.allow_scripts, terminal: arguments.terminal };
    if arguments.print_link && home.window_mark().exists() {
        return Err(Fault::new(
            Code::InvalidInput,
            "This home has had a window, so no link is printed where anybody may read it.",
            "Make one in the tray's menu, or with `review-gate link` in a terminal.",
        ));
    }
    #[cfg(feature = "conformance")]
    {
        options.conformance = arguments.conformance;
    }
    let running = match gate_app::start(options).await? {
        Started::Gate(running) => running,
        Started::AlreadyRunning => {
            if arguments.terminal || arguments.allow_scripts {
                output::error(
                    "A gate runs already, and allows what it was started to. Run `review-gate stop`, then this again, \
                     while no agent is connected: its relay starts a gate, too. Or switch the guard on in the settings \
                     of the page (`review-gate link`).",
                );
            }
            output::json(&of_the_other(&home, &folder, arguments).await)?;
            return Ok(ExitCode::from(exit::DONE));
        }
    };
    let gate = running.gate.clone();
    let http = gate.http();
    let ui = ui(&gate, arguments).await;
    output::json(&json!({ "ready": true, "pid": std::process::id(), "http": http, "ui": ui, "home": folder }))?;
    let stopped = running.stopped();
    tokio::pin!(stopped);
    tokio::select! {
        () = &mut stopped => return Ok(ExitCode::from(exit::DONE)),
        told = told_to_end() => told.map_err(|error| Fault::internal(error.to_string()))?,
    }
    gate.stop();
    stopped.await;
    Ok(ExitCode::from(exit::DONE))
}

/// A link to the page, for the person who reads this process's output. Absent where there is no page, and where it would
/// be kept in a log or read by an agent.
async fn ui(gate: &Gate, arguments: &ServeArguments) -> Option<String> {
    if !prints_link(arguments) {
        return None;
    }
    let origin = if is_below_an_agent() { Origin::Script } else { Origin::Terminal };
    match gate.execute(MakeLink {}, origin).await {
        Ok(link) => Some(link.url),
        Err(fault) => {
            if arguments.print_link {
                output::error(&format!("No link is printed. {fault}"));
            }
            None
        }
    }
}

/// Whether a link is to be printed. A gate that a relay starts speaks to the null device.
fn prints_link(arguments: &ServeArguments) -> bool {
    is_heard() && (arguments.print_link || (io::stdout().is_terminal() && !is_below_an_agent()))
}

/// Whether this process descends from an agent that is known by its name. Others have no relay here yet.
fn is_below_an_agent() -> bool {
    gate_link::this_process().is_some_and(|lineage| lineage.is_below_an_agent(|_| false))
}

/// What is to be said of the gate that runs already. It gives a link where it lets this process answer.
async fn of_the_other(home: &Home, folder: &str, arguments: &ServeArguments) -> Value {
    let (mut pid, mut http, mut ui) = (GateLock::last_holder(home), None, None);
    // Whoever started this unheard goes on only when it has ended.
    if is_heard()
        && let Some(mut client) = listening(home).await
    {
        if let Ok(answer) = client.ask(ReadStatus {}).await {
            (pid, http) = (Some(answer.status.pid), answer.status.http);
        }
        if prints_link(arguments) {
            ui = client.ask(MakeLink {}).await.ok().map(|link| link.url);
        }
    }
    json!({ "ready": true, "already_running": true, "pid": pid, "http": http, "ui": ui, "home": folder })
}

/// A connection to the gate that runs; it may have taken the lock and be about to listen.
async fn listening(home: &Home) -> Option<Client> {
    let deadline = Instant::now() + OTHER_LISTENS;
    loop {
        match Client::running(home).await {
            Ok(Some(client)) => return Some(client),
            Ok(None) if Instant::now() < deadline => tokio::time::sleep(OTHER_POLL).await,
            Ok(None) | Err(_) => return None,
        }
    }
}

/// This program, as a client's configuration should name it.
fn command_path() -> String {
    gate_os::programs::this().map(|path| path.display().to_string()).unwrap_or_else(|_| "review-gate".to_owned())
}
