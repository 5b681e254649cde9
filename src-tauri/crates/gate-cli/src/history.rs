//! `review-gate history`: what was asked and answered.

use std::process::ExitCode;

use clap::Args;
use gate_api::HistoryEntry;
use gate_api::subjects::conversations::ReadHistory;
use gate_core::clients::english_name;
use gate_core::export::StateWords as _;
use gate_core::{ConversationQuery, Fault, Role, SessionStatus};
use gate_link::Home;
use gate_texts::Texts;

use crate::client::Client;
use crate::output::{age, counted, one_line};
use crate::{exit, output};

/// Longest line that is shown, in characters.
const LINE_CHARS: usize = 400;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  review-gate history                          the latest conversations
  review-gate history 'retry webhook'          those that hold both words
  review-gate history '\"exact phrase\"' --json | jq -r '.[].session_uuid'
  review-gate history --status disconnected    whose agents' connections broke
  review-gate export 0193…                     one of them, as Markdown")]
pub(crate) struct HistoryArguments {
    /// Words that a message or title holds; quotes hold words together
    query: Option<String>,
    /// Only sessions that are active, completed, gone quiet (timeout) or disconnected (stale)
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Option<SessionStatus>,
    /// Only conversations of this workspace folder
    #[arg(long, value_name = "FOLDER")]
    workspace: Option<String>,
    /// Most conversations that are listed
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

/// A status by the word that the list shows, or by the one that `--json` does.
fn status(text: &str) -> Result<SessionStatus, String> {
    let called = |status: &SessionStatus| status.as_str() == text || Texts::english().session(*status) == text;
    SessionStatus::ALL.into_iter().find(called).ok_or_else(|| {
        let words = SessionStatus::ALL.map(|status| format!("'{}'", Texts::english().session(status)));
        format!("it may be {}", words.join(", "))
    })
}

pub(crate) async fn run(home: &Home, arguments: HistoryArguments) -> Result<ExitCode, Fault> {
    let mut client = Client::started(home).await?;
    let query = ConversationQuery {
        text: arguments.query,
        status: arguments.status,
        workspace: arguments.workspace,
        ..ConversationQuery::default()
    };
    let limit = usize::try_from(arguments.limit).unwrap_or(usize::MAX);
    let mut found: Vec<HistoryEntry> = Vec::new();
    let (mut cursor, mut unindexed) = (None, 0);
    loop {
        let page = client.ask(ReadHistory { query: query.clone(), cursor }).await?;
        found.extend(page.conversations);
        (cursor, unindexed) = (page.next, unindexed.max(page.unindexed));
        if cursor.is_none() || found.len() >= limit {
            break;
        }
    }
    let more = cursor.is_some() || found.len() > limit;
    found.truncate(limit);
    if unindexed > 0 && query.text.is_some() {
        output::error(&format!("{unindexed} messages are not searchable yet; ask again in a moment"));
    }
    if arguments.json {
        output::json(&found)?;
        return Ok(ExitCode::from(exit::DONE));
    }
    for entry in &found {
        print(entry);
    }
    match (found.is_empty(), query == ConversationQuery::default()) {
        (true, true) => output::line("Nothing was asked yet."),
        (true, false) => output::line("Nothing was found."),
        (false, _) if more => output::line("There are more; --limit shows them."),
        (false, _) => {}
    }
    Ok(ExitCode::from(exit::DONE))
}

fn print(entry: &HistoryEntry) {
    let title = if entry.title.is_empty() { "(no question yet)" } else { &entry.title };
    output::line(&one_line(title, LINE_CHARS));
    let parts = [
        english_name(&entry.client),
        entry.workspace.clone(),
        counted(entry.messages, "message"),
        age(entry.updated_at),
        Texts::english().session(entry.status),
    ];
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    output::line(&format!("  {}", one_line(&parts.join(" · "), LINE_CHARS)));
    output::line(&format!("  session {}", entry.session_uuid));
    if let Some(hit) = &entry.hit {
        let piece: String = hit.pieces.iter().map(|piece| piece.text.as_str()).collect();
        let became = hit.permission.as_ref().filter(|_| hit.role == Role::Person);
        let became = became.map(|said| format!("{}: ", Texts::english().permission(said))).unwrap_or_default();
        output::line(&format!("  | {}", one_line(&format!("{became}{piece}"), LINE_CHARS)));
    }
    output::line("");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_asked_for_by_either_of_its_words() {
        for (words, wanted) in [
            (["active", "active"], SessionStatus::Active),
            (["completed", "completed"], SessionStatus::Completed),
            (["gone quiet", "timeout"], SessionStatus::Timeout),
            (["disconnected", "stale"], SessionStatus::Stale),
        ] {
            assert_eq!(words.map(status), [Ok(wanted), Ok(wanted)], "{words:?}");
        }
        assert_eq!(status("lost"), Err("it may be 'active', 'completed', 'gone quiet', 'disconnected'".to_owned()));
    }
}
