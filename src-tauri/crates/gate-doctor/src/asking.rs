//! The trial of permission questions: runs what a client's file starts, without a shell and only where that is what install
//! writes, tells it a harmless question as that client would, and sees that it comes to the gate and that the agent would be left to ask itself. The gate knows the question
//! by its session as one that it asks nobody, so nothing is allowed, shown or kept.

use std::path::Path;
use std::time::{Duration, Instant};

use gate_api::subjects::permissions::{BeginPermissionTrial, EndPermissionTrial};
use gate_clients::{Client, Start};
use gate_core::PermissionAsk;
use gate_link::Home;
use serde_json::json;
use tokio::process::Command;

use crate::gate;
use crate::run::{self, Said};

/// How long a command may take until it has ended.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);
/// What would be run, did anybody allow it.
const HARMLESS: &str = "true";
/// What is said of that.
const SAYS: &str = "Review Gate's doctor tries how questions come here. Nobody is asked, and nothing is run.";
/// The variable that names a gate's home.
const HOME: &str = "REVIEW_GATE_HOME";
/// How a program says that it lacks a command.
const NO_COMMAND: &str = "unrecognized subcommand";

/// What came of a trial that went well.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// From the start of the command to its end.
    pub(crate) took: Duration,
    /// Why nobody would have been asked; absent where somebody would.
    pub(crate) unasked: Option<PermissionAsk>,
}

/// Why a trial failed. Its texts are the program's, not ours.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The command can't be started.
    NoStart(String),
    /// It didn't end in time.
    Silent,
    /// It doesn't know how to ask: it is of an older release.
    Unknown,
    /// It ended with another code than 0, and with these words on stderr.
    Ended { code: Option<i32>, errors: String },
    /// It said this, where nothing was to be said.
    Printed(String),
    /// It ended well, and the gate has heard of nothing.
    Lost,
}

/// The command, as a person would write it.
pub(crate) fn command(program: &Path, client: Client) -> String {
    format!("{} permit {}", program.display(), client.id())
}

/// Tries it; absent where the gate knows no trials.
pub(crate) async fn attempt(home: &Home, client: Client, start: &Start) -> Result<Option<Asked>, Failure> {
    let Some(Ok(trial)) = gate::asked(home, BeginPermissionTrial {}).await else { return Ok(None) };
    let begin = Instant::now();
    let asked = said_to(client, &trial.trial, start).await;
    let took = begin.elapsed();
    let tried = gate::asked(home, EndPermissionTrial { trial: trial.trial }).await;
    let said = asked?;
    let Some(Ok(tried)) = tried else { return Ok(None) };
    judged(&said).map_or(Ok(()), Err)?;
    let arrived = tried.arrived.ok_or(Failure::Lost)?;
    Ok(Some(Asked { took, unasked: arrived.unasked }))
}

/// Has the command ask.
async fn said_to(client: Client, trial: &str, start: &Start) -> Result<Said, Failure> {
    let mut command = Command::new(&start.program);
    command.args(["permit", client.id()]).envs(start.home.iter().map(|home| (HOME, home)));
    let said = run::told(command, &question(client, trial), LIMIT).await;
    said.map_err(|error| Failure::NoStart(error.to_string()))?.ok_or(Failure::Silent)
}

/// What is wrong with how a command ended.
fn judged(said: &Said) -> Option<Failure> {
    match said {
        Said { code: Some(0), output, .. } if output.is_empty() => None,
        Said { code: Some(0), output, .. } => Some(Failure::Printed(output.clone())),
        Said { errors, .. } if errors.contains(NO_COMMAND) => Some(Failure::Unknown),
        Said { code, errors, .. } => Some(Failure::Ended { code: *code, errors: errors.clone() }),
    }
}

/// The question as the client's hook is told it.
fn question(client: Client, trial: &str) -> String {
    let folder = std::env::current_dir().map(|folder| folder.display().to_string()).unwrap_or_default();
    let asked = match client {
        Client::OpenCode => json!({
            "type": "permission.asked", "cwd": folder,
            "properties": {
                "id": "per_doctor", "sessionID": trial, "permission": "bash", "patterns": [HARMLESS],
                "metadata": {"command": HARMLESS, "description": SAYS}, "always": [],
            },
        }),
        _ => json!({
            "session_id": trial, "cwd": folder, "permission_mode": "default", "hook_event_name": "PermissionRequest",
            "tool_name": "Bash", "tool_input": {"command": HARMLESS, "description": SAYS},
        }),
    };
    asked.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(code: i32, output: &str, errors: &str) -> Said {
        Said { code: Some(code), output: output.to_owned(), errors: errors.to_owned() }
    }

    #[test]
    fn only_a_command_that_ends_well_and_says_nothing_has_left_the_question_to_the_agent() {
        let allow = r#"{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}"#;
        let ended = |code, errors: &str| Failure::Ended { code: Some(code), errors: errors.to_owned() };
        for (said, failure) in [
            (said(0, "", ""), None),
            (said(0, "", "a warning"), None),
            (said(0, allow, ""), Some(Failure::Printed(allow.to_owned()))),
            (said(0, "\n", ""), Some(Failure::Printed("\n".to_owned()))),
            (said(127, "", "sh: gate: not found"), Some(ended(127, "sh: gate: not found"))),
            (said(2, allow, ""), Some(ended(2, ""))),
            (said(2, "", "error: unrecognized subcommand 'permit'"), Some(Failure::Unknown)),
        ] {
            assert_eq!(judged(&said), failure, "{said:?}");
        }
    }

    #[test]
    fn each_client_is_told_a_question_in_its_own_form() {
        for client in [Client::ClaudeCode, Client::Codex, Client::OpenCode] {
            let asked: serde_json::Value = serde_json::from_str(&question(client, "review-gate-doctor:1")).unwrap();
            let whole = asked.to_string();
            assert!(whole.contains("review-gate-doctor:1") && whole.contains(SAYS), "{client:?}: {whole}");
            let hook = asked["hook_event_name"] == "PermissionRequest";
            assert!(hook || asked["type"] == "permission.asked", "{client:?}: {whole}");
        }
    }
}
