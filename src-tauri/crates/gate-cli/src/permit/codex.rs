//! Codex's hook, as its terminal and its app-server start it (docs/permissions.md).

use gate_core::{PermissionForm, PermissionQuestion};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Said;

/// The hook that is run where it would ask.
const QUESTION: &str = "PermissionRequest";

#[derive(Debug, Deserialize)]
struct Hook<'a> {
    hook_event_name: String,
    session_id: Option<String>,
    turn_id: Option<String>,
    cwd: Option<String>,
    tool_name: Option<String>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    tool_use_id: Option<String>,
    agent_id: Option<String>,
    agent_type: Option<String>,
}

pub(super) fn understood(text: &str) -> Option<Said> {
    let hook: Hook<'_> = serde_json::from_str(text).ok()?;
    let tool = hook.tool_name.filter(|tool| hook.hook_event_name == QUESTION && !PermissionForm::leaves_out(tool))?;
    Some(Said::Question(Box::new(PermissionQuestion {
        folder: hook.cwd.unwrap_or_default(),
        session: hook.session_id,
        subagent: hook.agent_id,
        subagent_type: hook.agent_type,
        turn: hook.turn_id,
        tool_use_id: hook.tool_use_id,
        ..PermissionQuestion::new(PermissionForm::CodexHook, tool, hook.tool_input?.get().to_owned())
    })))
}

#[cfg(test)]
mod tests {
    use gate_core::{PermissionAsk, PermissionVerdict};

    use super::*;

    fn question(text: &str) -> PermissionQuestion {
        match understood(text) {
            Some(Said::Question(question)) => *question,
            other => panic!("{text} is {other:?}"),
        }
    }

    /// As captured (docs/permissions.md).
    const COMMAND: &str = r#"{"session_id":"01a2","turn_id":"01a3","transcript_path":"/t/rollout.jsonl","cwd":"/home/you/ws","hook_event_name":"PermissionRequest","model":"gpt-5.1-codex","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"echo hi > made.txt","description":"May I make the file?"}}"#;
    const PATCH: &str = r#"{"session_id":"01a2","cwd":"/w","hook_event_name":"PermissionRequest","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+ZWEI\n three\n*** End Patch"}}"#;

    #[test]
    fn a_command_and_a_patch_are_asked_with_all_that_codex_says_of_them() {
        let asked = question(COMMAND);
        assert_eq!((asked.form, asked.tool.as_str()), (PermissionForm::CodexHook, "Bash"));
        assert_eq!(asked.input, r#"{"command":"echo hi > made.txt","description":"May I make the file?"}"#);
        assert_eq!((asked.folder.as_str(), asked.session.as_deref()), ("/home/you/ws", Some("01a2")));
        assert_eq!(
            (asked.turn.as_deref(), asked.wait_seconds),
            (Some("01a3"), Some(60)),
            "its own prompt waits meanwhile"
        );
        let patch = question(PATCH);
        assert!(patch.input.contains(r"*** Begin Patch\n*** Update File: a.txt"), "as it was written: {}", patch.input);
    }

    #[test]
    fn it_is_given_nothing_that_it_does_not_know() {
        let asked = question(COMMAND);
        let printed = |verdict: PermissionVerdict| {
            verdict.printed(&asked).map(|text| serde_json::from_str::<serde_json::Value>(&text).unwrap())
        };
        let of = |decision| {
            Some(
                serde_json::json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}),
            )
        };
        let allow = serde_json::json!({"behavior": "allow"});
        assert_eq!(printed(PermissionVerdict::Allow { input: None, rule: None }), of(allow));
        let deny = serde_json::json!({"behavior": "deny", "message": "No."});
        assert_eq!(printed(PermissionVerdict::Deny { reason: Some("No.".to_owned()) }), of(deny));
        for other in [
            PermissionVerdict::Allow { input: Some("{}".to_owned()), rule: None },
            PermissionVerdict::Allow { input: None, rule: Some("{}".to_owned()) },
            PermissionVerdict::Ask { why: PermissionAsk::TimeOver },
        ] {
            assert_eq!(printed(other.clone()), None, "{other:?} would be a fault there, so its own prompt comes");
        }
    }

    #[test]
    fn its_matcher_leaves_nothing_out_so_our_own_tools_are_left_to_it_here() {
        let own = COMMAND.replace("\"Bash\"", "\"mcp__review-gate__review_gate_chat\"");
        for text in
            [own, COMMAND.replace("PermissionRequest", "PostToolUse"), COMMAND.replace("\"tool_input\"", "\"x\"")]
        {
            assert_eq!(understood(&text), None, "{text}");
        }
    }
}
