//! `review-gate doctor`: looks at the whole chain, from the home folder to the clients.

use std::os::unix::fs::PermissionsExt as _;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use gate_api::{ClientEntry, Command, StatusReport};
use gate_core::Fault;
use gate_core::clients::display_name;
use gate_link::Home;
use serde::Serialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::Client;
use crate::output::one_line;
use crate::{exit, output};

/// How long the gate may take to answer over HTTP.
const HTTP_WAIT: Duration = Duration::from_secs(2);
/// Longest text of others that is shown, in characters.
const TEXT_CHARS: usize = 120;
/// Clients that are listed.
const CLIENTS: usize = 10;

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 all is well, 4 something is not.

Examples:
  review-gate doctor
  review-gate doctor --json | jq '.checks[] | select(.state != \"ok\")'")]
pub(crate) struct DoctorArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How a part of the chain is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Note,
    Fault,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    text: String,
}

#[derive(Debug, Serialize)]
struct Report {
    checks: Vec<Check>,
    clients: Vec<ClientEntry>,
}

pub(crate) async fn run(home: &Home, arguments: &DoctorArguments) -> Result<ExitCode, Fault> {
    let report = examine(home).await;
    let well = report.checks.iter().all(|check| check.state != State::Fault);
    match arguments.json {
        true => output::json(&report)?,
        false => print(&report),
    }
    Ok(ExitCode::from(if well { exit::DONE } else { exit::FAULT }))
}

async fn examine(home: &Home) -> Report {
    let mut checks = vec![folder(home), settings(home)];
    let mut clients = Vec::new();
    match status(home).await {
        Ok(Some((mut gate, status))) => {
            checks.push(version(&status));
            checks.push(http(&status).await);
            checks.push(token(home));
            let text = format!("{} waiting for you", status.pending);
            checks.push(Check { name: "requests", state: State::Ok, text });
            match gate.command(Command::Clients, "clients").await {
                Ok(found) => clients = found,
                Err(fault) => checks.push(Check { name: "record", state: State::Fault, text: fault.to_string() }),
            }
        }
        Ok(None) => {
            let text = "none runs; an agent's next call starts one, or run `review-gate`".to_owned();
            checks.push(Check { name: "gate", state: State::Note, text });
        }
        Err(fault) => checks.push(Check { name: "gate", state: State::Fault, text: fault.to_string() }),
    }
    Report { checks, clients }
}

async fn status(home: &Home) -> Result<Option<(Client, StatusReport)>, Fault> {
    let Some(mut client) = Client::running(home).await? else { return Ok(None) };
    let status = client.command(Command::Status, "status").await?;
    Ok(Some((client, status)))
}

fn folder(home: &Home) -> Check {
    let shown = home.data_folder().display();
    let (state, text) = match std::fs::metadata(home.data_folder()) {
        Ok(data) if data.permissions().readonly() => (State::Fault, format!("{shown} can't be written")),
        Ok(_) => (State::Ok, shown.to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            (State::Note, format!("{shown} is made when the gate first starts"))
        }
        Err(error) => (State::Fault, format!("{shown} can't be read: {error}")),
    };
    Check { name: "home", state, text }
}

fn settings(home: &Home) -> Check {
    let (_, warnings) = gate_app::settings::load(&home.config_file());
    match warnings.first() {
        None => Check { name: "settings", state: State::Ok, text: home.config_file().display().to_string() },
        Some(first) => {
            let others = match warnings.len() - 1 {
                0 => String::new(),
                more => format!(" ({more} more)"),
            };
            Check { name: "settings", state: State::Fault, text: format!("{first}{others}") }
        }
    }
}

fn version(status: &StatusReport) -> Check {
    let ours = env!("CARGO_PKG_VERSION");
    let window = if status.window { "with a window" } else { "without windows" };
    let (state, text) = match status.version == ours {
        true => (State::Ok, format!("process {}, version {ours}, {window}", status.pid)),
        false => {
            let text =
                format!("version {} runs, this program is {ours}; restart it with `review-gate stop`", status.version);
            (State::Note, text)
        }
    };
    Check { name: "gate", state, text }
}

async fn http(status: &StatusReport) -> Check {
    let (state, text) = match &status.http {
        None => (State::Note, "not served; clients reach the gate through `review-gate mcp`".to_owned()),
        Some(url) => match tokio::time::timeout(HTTP_WAIT, alive(url)).await {
            Ok(Ok(true)) => (State::Ok, format!("{url}/mcp")),
            Ok(Ok(false)) => (State::Fault, format!("{url} is served by something else; stop that, or the gate")),
            Ok(Err(error)) => (State::Fault, format!("{url} can't be reached: {error}")),
            Err(_) => (State::Fault, format!("{url} doesn't answer")),
        },
    };
    Check { name: "http", state, text }
}

/// Whether the gate answers at this address.
async fn alive(url: &str) -> std::io::Result<bool> {
    let address = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await?;
    let head = format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(4096).read_to_end(&mut answer).await?;
    Ok(answer.starts_with(b"HTTP/1.1 200 "))
}

fn token(home: &Home) -> Check {
    let file = home.token_file();
    let (state, text) = match std::fs::metadata(&file) {
        Ok(data) if data.permissions().mode() & 0o077 != 0 => {
            let text = format!("{} can be read by others; run `review-gate token rotate`", file.display());
            (State::Fault, text)
        }
        Ok(_) => (State::Ok, file.display().to_string()),
        Err(error) => (State::Fault, format!("{} can't be read: {error}", file.display())),
    };
    Check { name: "token", state, text }
}

fn print(report: &Report) {
    for check in &report.checks {
        let mark = match check.state {
            State::Ok => "ok   ",
            State::Note => "note ",
            State::Fault => "FAULT",
        };
        output::line(&format!("{mark}  {:<9} {}", check.name, one_line(&check.text, TEXT_CHARS * 4)));
    }
    if report.clients.is_empty() {
        output::line("note   clients   none has asked yet; README.md shows how to connect one");
    }
    for client in report.clients.iter().take(CLIENTS) {
        let name = format!("{} {}", display_name(&client.client), client.version);
        let transport = client.transport.as_deref().unwrap_or("terminal");
        let protocol = client.protocol_version.as_deref().unwrap_or("-");
        let declared = match client.capabilities.as_object() {
            Some(all) if !all.is_empty() => all.keys().cloned().collect::<Vec<_>>().join(", "),
            _ => "nothing".to_owned(),
        };
        let token = client.token_name.as_ref().map_or(String::new(), |name| format!(", token {name}"));
        let text = format!(
            "{} over {transport}{token}, protocol {protocol}, declares {declared}; waits {} s, last {}",
            one_line(name.trim(), TEXT_CHARS),
            client.waits_seconds,
            client.last_at
        );
        output::line(&format!("ok     client    {}", one_line(&text, TEXT_CHARS * 4)));
    }
}
