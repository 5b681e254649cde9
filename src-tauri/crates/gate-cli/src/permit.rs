//! `review-gate permit`: what an agent's hook starts where the agent would ask whether it may. Takes the question to the
//! running gate, and prints the person's answer in the agent's own form.
//!
//! Whatever goes wrong, it prints nothing and exits with 0: the agent then asks at its own prompt. It never allows by itself,
//! starts no gate, and asks nothing twice. Its end, however that comes, ends the connection, by which the gate withdraws the
//! question. `permit acp` (`acp.rs`) is a proxy for agents that speak ACP.

mod acp;
mod claude;
mod codex;
mod opencode;
mod outlived;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use gate_api::subjects::permissions::{AskPermission, TellPermission};
use gate_core::{Fault, PermissionQuestion, PermissionSign, PermissionVerdict};
use gate_link::Home;
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::client::Client;
use crate::{exit, output};

pub(crate) use acp::WORD as ACP;

/// The command's name.
pub(crate) const COMMAND: &str = "permit";
/// The longest question that is read, in bytes of JSON: what the gate takes of an input, with room for how it is written.
const QUESTION_BYTES: u64 = 32 * 1024 * 1024;
/// When it gives up in any case. The gate does before, and agents ten seconds and more after it.
const PATIENCE: Duration = Duration::from_secs(595);
/// How much longer it waits than the gate is told to.
const BEYOND: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
#[command(
    after_help = "Agents start it, not people: `review-gate install CLIENT --permissions` writes it into their files. It
reads the agent's question from standard input to its end, asks you in the running gate, and prints your
answer as the agent wants it. Where no gate runs, you are away, nobody answers in time, or the question
can't be read, it prints nothing, and the agent asks in its own terminal. It never allows by itself.

Clients: claude-code, codex, opencode.

With `acp -- AGENT ARGUMENTS` it starts an agent that speaks ACP (the Agent Client Protocol), and stands
between it and whatever has started this: an editor, say. Everything is handed on as it is, but for the
agent's questions whether it may (`session/request_permission`): you are asked those in the gate, and
where nobody answers them there, the editor asks you as before.

Exit code: always 0; with `acp` the agent's own, or 128 and the number of the signal that ended it, 4
where it can't be started, 2 where none is named.

Example, as the hook PermissionRequest of Claude Code's settings.json:
  {\"type\": \"command\", \"command\": \"review-gate permit claude-code\", \"timeout\": 600}

Example, as an agent of Zed's settings.json (agent_servers):
  \"opencode\": {\"command\": \"review-gate\", \"args\": [\"permit\", \"acp\", \"--\", \"opencode\", \"acp\"]}"
)]
pub(crate) struct PermitArguments {
    /// The agent's client, in whose form the question comes; or `acp`
    pub(crate) client: String,
    /// With `acp`: the agent's program and its arguments
    #[arg(last = true, value_name = "AGENT")]
    pub(crate) agent: Vec<OsString>,
}

/// What an agent's hook says.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Said {
    /// The agent asks whether it may.
    Question(Box<PermissionQuestion>),
    /// Something else happened, after which a question may be over.
    Sign(PermissionSign),
}

pub(crate) fn run(home: &Home, runtime: Runtime, arguments: &PermitArguments) -> ExitCode {
    if arguments.client == ACP {
        let code = runtime.block_on(acp::run(home, &arguments.agent));
        // A read of what the client says may still be blocked in its thread.
        runtime.shutdown_background();
        return ExitCode::from(code);
    }
    if io::stdin().is_terminal() {
        output::error("agents start this command and hand it their question; see `review-gate permit --help`.");
        return ExitCode::from(exit::DONE);
    }
    if let Some(mut said) = read().and_then(|text| understood(&arguments.client, &text)) {
        if let Said::Question(question) = &mut said {
            question.path = path();
        }
        outlived::end_with_whoever_reads();
        if let Some(text) = runtime.block_on(answered(home, said)) {
            // In one piece, so that no half of an answer is read as one.
            let mut stdout = io::stdout().lock();
            let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        }
    }
    runtime.shutdown_background();
    ExitCode::from(exit::DONE)
}

/// All of standard input; absent where it is no text, or too long.
fn read() -> Option<String> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(QUESTION_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= QUESTION_BYTES).then_some(())?;
    String::from_utf8(bytes).ok()
}

/// The folders of this process's `PATH`, which is the agent's.
fn path() -> Vec<Option<String>> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.to_str().map(str::to_owned)).collect()
}

/// What a client's hook says; absent where that can't be read, or isn't for the gate.
fn understood(client: &str, text: &str) -> Option<Said> {
    match gate_clients::Client::parse(client).ok()? {
        gate_clients::Client::ClaudeCode => claude::understood(text),
        gate_clients::Client::Codex => codex::understood(text),
        gate_clients::Client::OpenCode => opencode::understood(text),
        _ => None,
    }
}

/// What the agent is to read: absent where it is to ask at its own prompt.
async fn answered(home: &Home, said: Said) -> Option<String> {
    let asked = async {
        match said {
            Said::Question(question) => verdict(home, &question).await.and_then(|verdict| verdict.printed(&question)),
            Said::Sign(sign) => timeout(PATIENCE, tell(home, sign)).await.ok()?.ok()?,
        }
    };
    tokio::select! {
        text = asked => text,
        () = outlived::told_to_end() => None,
    }
}

/// What becomes of a question; absent where no gate runs, after a fault, and where it can't wait any longer. Dropping it
/// withdraws the question.
async fn verdict(home: &Home, question: &PermissionQuestion) -> Option<PermissionVerdict> {
    let asked = async {
        let Some(mut client) = Client::running(home).await? else { return Ok(None) };
        let asked = client.ask(AskPermission { permission: question.clone() }).await?;
        Ok::<_, Fault>(Some(asked.verdict))
    };
    // After a fault the agent asks for itself; who wonders why looks at what the gate logs, or at `review-gate doctor`.
    timeout(patience(question), asked).await.ok()?.ok()?
}

/// How long it waits for the gate.
fn patience(question: &PermissionQuestion) -> Duration {
    let seconds = question.wait_seconds;
    seconds.map_or(PATIENCE, |seconds| (Duration::from_secs(seconds.into()) + BEYOND).min(PATIENCE))
}

/// What the agent's model is to be told after a sign.
async fn tell(home: &Home, sign: PermissionSign) -> Result<Option<String>, Fault> {
    let Some(mut client) = Client::running(home).await? else { return Ok(None) };
    let event = sign.event.clone();
    let told = client.ask(TellPermission { sign }).await?.tell;
    let context = |told| json!({ "hookEventName": event, "additionalContext": told });
    Ok(told.map(|told| json!({ "hookSpecificOutput": context(told) }).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_waits_little_longer_than_its_client_is_held_up() {
        let hook = r#"{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"a"}}"#;
        let waits = |client: &str, seconds: Option<u32>| {
            let Some(Said::Question(mut question)) = understood(client, hook) else { panic!("{client} asks") };
            question.wait_seconds = seconds.or(question.wait_seconds);
            patience(&question).as_secs()
        };
        assert_eq!(waits("codex", None), 65, "its prompt comes after the hook");
        assert_eq!(waits("claude-code", None), 595, "the gate's own setting is less");
        assert_eq!(waits("codex", Some(u32::MAX)), 595, "and never longer");
    }

    #[test]
    fn what_nobody_can_read_is_no_question() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for client in ["claude-code", "codex", "opencode", "cursor", "gemini", "nobody", ""] {
            for text in ["", "null", "{", "[]", "\"PermissionRequest\"", "{}", "{\"hook_event_name\":1}", "\0", &deep] {
                assert_eq!(understood(client, text), None, "{client} said {:?}", &text[..text.len().min(40)]);
            }
        }
    }
}
