//! `review-gate requests`: what is waiting for an answer.

use std::process::ExitCode;

use clap::Args;
use gate_api::subjects::requests::ListRequests;
use gate_core::clients::display_name;
use gate_core::{Fault, ReviewRequest};
use gate_link::Home;
use serde_json::json;

use crate::client::Client;
use crate::output::{age, one_line};
use crate::{exit, output};

/// Longest line that is shown, in characters.
const LINE_CHARS: usize = 400;
/// Lines of a message that are shown.
const MESSAGE_LINES: usize = 12;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  review-gate requests --json | jq -r '.[].title'")]
pub(crate) struct RequestsArguments {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(home: &Home, arguments: &RequestsArguments) -> Result<ExitCode, Fault> {
    let mut client = Client::started(home).await?;
    let requests = client.ask(ListRequests {}).await?.requests;
    if arguments.json {
        let list: Vec<_> = requests.iter().map(row).collect();
        output::json(&list)?;
    } else if requests.is_empty() {
        output::line("Nothing is waiting.");
    } else {
        for request in &requests {
            print(request);
        }
        output::line("Answer with `review-gate answer ID --text …`, `--choose …`, `--approve` or `--request-changes`.");
    }
    Ok(ExitCode::from(exit::DONE))
}

fn row(request: &ReviewRequest) -> serde_json::Value {
    json!({
        "request_id": request.request_id,
        "session_uuid": request.session_uuid,
        "title": request.ask.headline(),
        "message": request.ask.message,
        "options": request.ask.options,
        "approval": request.ask.approval,
        "urgent": request.ask.urgent,
        "client": request.caller.client,
        "workspace": request.caller.workspace,
        "created_at": request.created_at,
    })
}

fn print(request: &ReviewRequest) {
    let ask = &request.ask;
    let urgent = if ask.urgent { "URGENT " } else { "" };
    output::line(&format!("{urgent}{}", one_line(&ask.headline(), LINE_CHARS)));
    let from = [display_name(&request.caller.client), request.caller.workspace.clone(), age(request.created_at.0)];
    let from: Vec<_> = from.into_iter().filter(|part| !part.is_empty()).collect();
    output::line(&format!("  {}", one_line(&from.join(" · "), LINE_CHARS)));
    output::line(&format!("  id {}", request.request_id));
    let lines: Vec<&str> = ask.message.lines().collect();
    for line in lines.iter().take(MESSAGE_LINES) {
        output::line(&format!("  | {}", one_line(line, LINE_CHARS)));
    }
    if lines.len() > MESSAGE_LINES {
        output::line(&format!("  | … {} more lines (--json shows all)", lines.len() - MESSAGE_LINES));
    }
    for option in &ask.options {
        let mark = if option.recommended { "  (recommended)" } else { "" };
        output::line(&format!("  ○ {}{mark}", one_line(&option.label, LINE_CHARS)));
    }
    if ask.approval {
        output::line("  needs --approve or --request-changes");
    }
    output::line("");
}
