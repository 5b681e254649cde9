//! `review-gate requests`: what is waiting for an answer.

use std::process::ExitCode;

use clap::Args;
use gate_api::subjects::requests::{ListRequests, PendingRequest};
use gate_api::{ApprovalNeeds, Phrase};
use gate_core::clients::english_name;
use gate_core::{Fault, Permission, Timestamp};
use gate_link::Home;
use gate_texts::Texts;
use serde_json::json;

use crate::client::Client;
use crate::output::{age, clock, one_line};
use crate::{exit, output};

/// Longest line that is shown, in characters.
const LINE_CHARS: usize = 400;
/// Lines of a message that are shown.
const MESSAGE_LINES: usize = 12;

#[derive(Debug, Args)]
#[command(
    after_help = "Those that you have put off come last. Where an agent isn't waiting any more, your reply is kept
for it. With --json, `agent` is `waiting` or `gone`, and `put_off` says whether you have put it off. `digest` is the
question's, for `review-gate answer ID --digest D`: an answer to what you have read and to nothing else.

Examples:
  review-gate requests
  review-gate requests --json | jq -r '.[].title'
  review-gate requests --json | jq -r '.[] | select(.put_off | not) | .request_id'"
)]
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

fn row(pending: &PendingRequest) -> serde_json::Value {
    let request = &pending.request;
    json!({
        "request_id": request.request_id,
        "session_uuid": request.session_uuid,
        "digest": pending.digest,
        "title": request.ask.headline(),
        "message": request.ask.message,
        "options": request.ask.options,
        "allow_multiple": request.ask.allow_multiple,
        "approval": request.ask.approval,
        "needs": pending.needs.as_ref().map(needs),
        "git": request.ask.git,
        "permission": request.ask.permission.as_deref().map(permission),
        "urgent": request.ask.urgent,
        "client": request.caller.client,
        "workspace": request.caller.workspace,
        "created_at": request.created_at,
        "agent": if pending.caller_waiting { "waiting" } else { "gone" },
        "waits_until": pending.waits_until,
        "put_off": pending.snoozed.is_some(),
        "put_off_until": pending.snoozed.and_then(|snooze| snooze.until),
    })
}

/// What an agent asks to be allowed.
fn permission(asked: &Permission) -> serde_json::Value {
    json!({ "tool": asked.tool, "kind": asked.kind, "folder": asked.folder, "input": asked.input, "says": asked.says })
}

/// What an approval takes besides, and why that can't be had.
fn needs(needs: &ApprovalNeeds) -> serde_json::Value {
    let ApprovalNeeds { level, missing, page_key: _ } = needs;
    match missing {
        Some(missing) => json!({ "level": level, "missing": Texts::english().phrase(missing) }),
        None => json!({ "level": level }),
    }
}

fn print(pending: &PendingRequest) {
    let request = &pending.request;
    let ask = &request.ask;
    let urgent = if ask.urgent { "URGENT " } else { "" };
    output::line(&format!("{urgent}{}", one_line(&ask.headline(), LINE_CHARS)));
    let from = [english_name(&request.caller.client), request.caller.workspace.clone(), age(request.created_at)];
    let from: Vec<_> = from.into_iter().filter(|part| !part.is_empty()).collect();
    output::line(&format!("  {}", one_line(&from.join(" · "), LINE_CHARS)));
    for line in how_it_waits(pending, clock) {
        output::line(&format!("  {line}"));
    }
    output::line(&format!("  id {}", request.request_id));
    if let Some(git) = &ask.git {
        output::line(&format!("  {}", one_line(&git.in_words(), LINE_CHARS)));
    }
    let lines: Vec<&str> = ask.message.lines().collect();
    for line in lines.iter().take(MESSAGE_LINES) {
        output::line(&format!("  | {}", one_line(line, LINE_CHARS)));
    }
    if lines.len() > MESSAGE_LINES {
        output::line(&format!("  | … {} more lines (--json shows all)", lines.len() - MESSAGE_LINES));
    }
    for (at, option) in ask.options.iter().enumerate() {
        let mark = if option.recommended { "  (recommended)" } else { "" };
        output::line(&format!("  {} ○ {}{mark}", at + 1, one_line(&option.label, LINE_CHARS)));
    }
    if ask.allow_multiple {
        output::line("  several may be chosen: --choose 1,2");
    }
    if let Some(asked) = &ask.permission {
        let place = if asked.folder.is_empty() { String::new() } else { format!(" in {}", asked.folder) };
        output::line(&format!("  {}", one_line(&format!("a permission: {}{place}", asked.tool), LINE_CHARS)));
        output::line("  needs --approve (this once) or --request-changes (no; --text is what the agent is told)");
    } else if ask.approval {
        output::line("  needs --approve or --request-changes");
    }
    if let Some(ApprovalNeeds { level, missing, page_key: _ }) = &pending.needs {
        let takes = Phrase::new("level-needs").with("level", level.as_str());
        output::line(&format!("  {}", Texts::english().phrase(missing.as_ref().unwrap_or(&takes))));
    }
    output::line("");
}

/// Whether the person has put a request off, and whether its agent still waits, in the words of the windows; `clock`
/// says how a moment is shown.
fn how_it_waits(pending: &PendingRequest, clock: impl Fn(Timestamp) -> String) -> Vec<String> {
    let texts = Texts::english();
    let until = |id: &str, moment: Timestamp| texts.phrase(&Phrase::new(id).with("time", clock(moment)));
    let put_off = pending.snoozed.map(|snooze| match snooze.until {
        Some(moment) => until("request-snoozed", moment),
        None => texts.say("request-put-off"),
    });
    let agent = match (pending.caller_waiting, pending.waits_until) {
        (true, Some(moment)) => until("request-waits", moment),
        (true, None) => "waits".to_owned(),
        (false, _) => texts.say("request-not-waiting"),
    };
    put_off.into_iter().chain([agent]).collect()
}

#[cfg(test)]
mod tests {
    use gate_core::{Ask, Caller, Digest, RequestStatus, ReviewRequest, Snooze};

    use super::*;

    fn pending(snoozed: Option<Option<i64>>, caller_waiting: bool, waits_until: Option<i64>) -> PendingRequest {
        let request = ReviewRequest {
            request_id: gate_core::RequestId(uuid::Uuid::nil()),
            session_uuid: gate_core::SessionUuid(uuid::Uuid::nil()),
            ask: Ask::default(),
            caller: Caller::default(),
            status: RequestStatus::Pending,
            created_at: Timestamp(0),
        };
        let digest = Digest::of_question(&request.ask).expect("it has one");
        let snoozed = snoozed.map(|until| Snooze { until: until.map(Timestamp) });
        PendingRequest {
            request,
            digest,
            needs: None,
            snoozed,
            caller_waiting,
            waits_until: waits_until.map(Timestamp),
        }
    }

    #[test]
    fn a_request_says_how_it_waits_in_the_words_of_the_windows() {
        let gone = "agent isn’t waiting · your reply is kept for it";
        for (snoozed, caller_waiting, waits_until, lines) in [
            (None, true, Some(5), &["waits until 5 o’clock"][..]),
            (None, true, None, &["waits"]),
            (None, false, None, &[gone]),
            (Some(None), false, None, &["put off", gone]),
            (Some(Some(7)), true, Some(5), &["put off until 7 o’clock", "waits until 5 o’clock"]),
        ] {
            let shown = how_it_waits(&pending(snoozed, caller_waiting, waits_until), |at| format!("{} o’clock", at.0));
            assert_eq!(shown, lines);
        }
    }

    #[test]
    fn scripts_are_told_the_same() {
        let row = row(&pending(Some(Some(0)), false, None));
        assert_eq!(
            (&row["agent"], &row["waits_until"], &row["put_off"], &row["put_off_until"]),
            (&json!("gone"), &json!(null), &json!(true), &json!("1970-01-01T00:00:00Z"))
        );
        let row = super::row(&pending(None, true, Some(0)));
        assert_eq!(
            (&row["agent"], &row["waits_until"], &row["put_off"], &row["put_off_until"]),
            (&json!("waiting"), &json!("1970-01-01T00:00:00Z"), &json!(false), &json!(null))
        );
    }
}
