//! `review_gate_permission`: called by agents' programs, never by their models, where an agent would ask whether it may. It stands
//! in no list but that of a client which was started with the flag that needs it there.
//!
//! Two forms: Claude Code's `--permission-prompt-tool`, which takes a result of one text block and nothing else, and the hooks
//! of type `mcp_tool` of Claude Code and Codex, for which the text is what a hook would print. A fault denies or leaves the
//! agent's own prompt; it never allows.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{
    Caller, Code, Declared, Fault, Owner, PermissionAsk, PermissionForm, PermissionQuestion, PermissionSign,
    PermissionVerdict,
};
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, Tool as Listed};
use serde_json::{Value, json};

use crate::faults::tool_error;
use crate::port::Agent;
use crate::tool::{Called, Manners};

/// The tool's name.
pub(crate) const NAME: &str = "review_gate_permission";
/// It asks the person, and the agent does by itself what is allowed: the call changes nothing. Twice is two questions. Told
/// otherwise, a client would first ask whether it may ask whether it may.
const MANNERS: Manners = Manners::ASKS;
/// Where Claude Code says which use of a tool a call is of: of one that its model made, too.
const USE: &str = "claudecode/toolUseId";

/// A question whether an agent may, and who asks.
#[derive(Debug, Clone)]
pub struct PermissionCall {
    /// What is asked.
    pub question: PermissionQuestion,
    /// Who asks, as the person is shown it.
    pub caller: Caller,
    /// What the client declared of itself.
    pub declared: Declared,
    /// Who calls, where that is known from one call to the next.
    pub agent: Option<Agent>,
    /// Whose the session is that this begins.
    pub owner: Owner,
    /// Names this call.
    pub call_key: String,
}

/// What asking for permissions needs of the running gate.
#[async_trait]
pub trait PermissionPort: Send + Sync + 'static {
    /// Asks the person, and waits. Dropped, it withdraws the question.
    async fn permit(&self, call: PermissionCall) -> Result<PermissionVerdict, Fault>;

    /// Takes a sign of this owner's that a question is over; what the model is to be told of it.
    async fn sign(&self, sign: PermissionSign, owner: Owner) -> Result<Option<String>, Fault>;
}

/// The tool as a client is told of it that needs it in its list.
pub(crate) fn listed() -> Listed {
    let schema = json!({
        "type": "object",
        "properties": {
            "tool_name": {"type": "string", "description": "The tool that is to be used."},
            "input": {"description": "What it is to be given."},
            "tool_use_id": {"type": "string", "description": "Which use of it this is."}
        },
        "required": ["tool_name", "input"]
    });
    let schema = schema.as_object().cloned().unwrap_or_default();
    let about = "Called by the agent's program where it asks whether it may use a tool. It is of no use to a model.";
    MANNERS.told(Listed::new(NAME, about, Arc::new(schema)), "Ask for a permission")
}

/// Answers one call.
pub(crate) async fn call(
    port: &dyn PermissionPort,
    called: &Called<'_>,
    params: CallToolRequestParams,
) -> CallToolResponse {
    let arguments = params.arguments.unwrap_or_default();
    let told_use = called.context.meta.0.get(USE).and_then(Value::as_str);
    let result = match understood(&arguments, told_use, &called.channel.caller(called.context).client) {
        Ok(Said::Nothing) => Ok(String::new()),
        Ok(Said::Question(question)) => asked(port, called, *question).await,
        Ok(Said::Sign(sign)) => told(port, called, sign).await,
        Err(fault) => Err(fault),
    };
    match result {
        Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]).into(),
        Err(fault) => tool_error(&fault).into(),
    }
}

/// What a call says.
#[derive(Debug, PartialEq)]
enum Said {
    /// The agent asks whether it may.
    Question(Box<PermissionQuestion>),
    /// Something happened, after which a question may be over.
    Sign(PermissionSign),
    /// Nothing that is for the gate to answer.
    Nothing,
}

async fn asked(port: &dyn PermissionPort, called: &Called<'_>, question: PermissionQuestion) -> Result<String, Fault> {
    let Called { channel, context, .. } = *called;
    let mut caller = channel.caller(context);
    if !question.folder.is_empty() {
        caller.workspace.clone_from(&question.folder);
    }
    let folder = if question.folder.is_empty() { caller.workspace.clone() } else { question.folder.clone() };
    let question = PermissionQuestion { folder, client_version: caller.client_version.clone(), ..question };
    let call = PermissionCall {
        question: question.clone(),
        caller,
        declared: channel.declared(context),
        agent: channel.agent(context),
        owner: channel.owner(context),
        call_key: channel.call_key(context),
    };
    let verdict = tokio::select! {
        biased;
        verdict = port.permit(call) => verdict,
        // Nobody reads an answer any more: the question goes, too.
        _ = channel.stopped(context) => Ok(PermissionVerdict::Ask { why: PermissionAsk::Gone }),
        () = channel.unread(context) => Ok(PermissionVerdict::Ask { why: PermissionAsk::Gone }),
    };
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(fault) => {
            tracing::warn!(%fault, "a permission can't be asked for");
            PermissionVerdict::Ask { why: why_not(&fault) }
        }
    };
    Ok(verdict.printed(&question).unwrap_or_default())
}

/// Why nobody is asked, after a fault.
const fn why_not(fault: &Fault) -> PermissionAsk {
    match fault.code {
        Code::TooLarge | Code::InvalidInput => PermissionAsk::Unreadable,
        // Nothing is wrong with what was asked.
        _ => PermissionAsk::Gone,
    }
}

async fn told(port: &dyn PermissionPort, called: &Called<'_>, sign: PermissionSign) -> Result<String, Fault> {
    let event = sign.event.clone();
    let owner = called.channel.owner(called.context);
    Ok(port.sign(sign, owner).await?.map_or_else(String::new, |told| {
        json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": told}}).to_string()
    }))
}

/// Reads a call. `told_use` is what the client itself says beside it.
fn understood(arguments: &JsonObject, told_use: Option<&str>, client: &str) -> Result<Said, Fault> {
    let text = |name: &str| {
        let text = arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let json = |name: &str| match arguments.get(name) {
        // In Claude Code's hooks objects are texts.
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    let is_codex = client.starts_with("codex");
    let tool = text("tool_name").ok_or_else(|| missing("tool_name"));
    let Some(event) = text("event") else {
        let tool_use_id = text("tool_use_id");
        if told_use.is_some() && told_use != tool_use_id.as_deref() {
            return Err(Fault::new(
                Code::InvalidInput,
                "This tool is called by the agent's program, not by its model.",
                "Use the tool that you want to use; whoever has to allow it is asked then.",
            ));
        }
        // What is no object is told as it is: nobody reads it as another text.
        let input = arguments.get("input").ok_or_else(|| missing("input"))?.to_string();
        let question = PermissionQuestion::new(PermissionForm::ClaudePrompt, tool?, input);
        return Ok(Said::Question(Box::new(PermissionQuestion { tool_use_id, ..question })));
    };
    if told_use.is_some() {
        return Err(Fault::new(
            Code::InvalidInput,
            "A hook's event isn't a model's to tell.",
            "Use the tool that you want to use; whoever has to allow it is asked then.",
        ));
    }
    let form = if is_codex { PermissionForm::CodexHook } else { PermissionForm::ClaudeHook };
    let (session, subagent) = (text("session"), text("agent_id"));
    if event != "PermissionRequest" {
        let input = Some(json("input")).filter(|input| !input.is_empty());
        let tool_use_id = text("tool_use_id");
        return Ok(Said::Sign(PermissionSign {
            form,
            event,
            session,
            subagent,
            tool: text("tool_name"),
            input,
            tool_use_id,
        }));
    }
    let tool = tool?;
    if PermissionForm::leaves_out(&tool) {
        return Ok(Said::Nothing);
    }
    let suggestions = json("suggestions");
    let offered: Vec<Box<serde_json::value::RawValue>> = match suggestions.as_str() {
        "" => Vec::new(),
        text => serde_json::from_str(text).unwrap_or_default(),
    };
    let offered = offered.iter().map(|rule| rule.get().to_owned()).collect();
    Ok(Said::Question(Box::new(PermissionQuestion {
        folder: text("cwd").unwrap_or_default(),
        session,
        subagent,
        subagent_type: text("agent_type"),
        turn: text("turn"),
        offered,
        ..PermissionQuestion::new(form, tool, json("input"))
    })))
}

fn missing(field: &str) -> Fault {
    Fault::new(Code::InvalidInput, format!("`{field}` is missing."), "Hand on what the agent's program says.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: Value, told_use: Option<&str>, client: &str) -> Result<Said, Code> {
        let arguments = arguments.as_object().cloned().expect("it is an object");
        understood(&arguments, told_use, client).map_err(|fault| fault.code)
    }

    fn asks(said: Result<Said, Code>) -> PermissionQuestion {
        match said {
            Ok(Said::Question(question)) => *question,
            other => panic!("it is a question, not {other:?}"),
        }
    }

    #[test]
    fn the_prompt_tool_of_claude_code_is_understood() {
        let call = json!({"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "t"});
        let question = asks(read(call.clone(), Some("t"), "claude-code"));
        assert_eq!(question.form, PermissionForm::ClaudePrompt);
        assert_eq!((question.tool.as_str(), question.input.as_str()), ("Bash", r#"{"command":"ls"}"#));
        assert_eq!(read(call, Some("u"), "claude-code"), Err(Code::InvalidInput), "a model makes it another use");
        let own = json!({"tool_name": "Bash", "input": {}});
        assert_eq!(read(own, Some("t"), "claude-code"), Err(Code::InvalidInput), "and so is one without its use");
    }

    #[test]
    fn only_what_cannot_be_read_is_said_to_be_unreadable() {
        let why = |code| why_not(&Fault::new(code, "m", "n"));
        for code in [Code::TooLarge, Code::InvalidInput] {
            assert_eq!(why(code), PermissionAsk::Unreadable, "{code:?}");
        }
        for code in [Code::Internal, Code::UnknownRequest, Code::ChangedQuestion, Code::NotPending] {
            assert_ne!(why(code), PermissionAsk::Unreadable, "to ask for less would be of no use: {code:?}");
        }
    }

    #[test]
    fn hooks_that_are_calls_are_understood() {
        let rule = r#"{"type":"setMode", "mode":"acceptEdits"}"#;
        let call = json!({"event": "PermissionRequest", "tool_name": "Bash", "input": "{\"command\": \"ls\"}",
            "suggestions": format!("[{rule}]"), "session": "s", "cwd": "/w", "agent_id": ""});
        let question = asks(read(call.clone(), None, "claude-code"));
        assert_eq!(question.form, PermissionForm::ClaudeHook);
        assert_eq!(question.input, r#"{"command": "ls"}"#, "byte for byte");
        assert_eq!(question.offered, [rule], "byte for byte");
        assert_eq!((question.session.as_deref(), question.subagent.as_deref()), (Some("s"), None));
        assert_eq!(read(call, Some("t"), "claude-code"), Err(Code::InvalidInput), "no model tells of a hook");
        let codex = json!({"event": "PermissionRequest", "tool_name": "Bash", "input": {"command": "ls"}, "cwd": "/w"});
        let question = asks(read(codex, None, "codex-mcp-client"));
        assert_eq!((question.form, question.wait_seconds), (PermissionForm::CodexHook, Some(60)));
        let own = json!({"event": "PermissionRequest", "tool_name": "mcp__review-gate__review_gate_chat", "input": {}});
        assert_eq!(read(own, None, "codex-mcp-client"), Ok(Said::Nothing), "to ask is allowed");
        let used = json!({"event": "PostToolUse", "tool_name": "Bash", "input": "{}", "session": "s"});
        assert!(
            matches!(read(used, None, "claude-code"), Ok(Said::Sign(sign)) if sign.tool.as_deref() == Some("Bash"))
        );
        for odd in [json!({}), json!({"event": "PermissionRequest"}), json!({"tool_name": 1, "input": {}})] {
            assert_eq!(read(odd, None, "claude-code"), Err(Code::InvalidInput));
        }
    }
}
