//! Claude Code's hooks, as it starts them at a terminal (docs/permissions.md): its question, and what tells that one is over.

use std::borrow::Cow;

use gate_core::{PermissionForm, PermissionQuestion, PermissionSign};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Said;

/// The hook that is run where it would ask.
const QUESTION: &str = "PermissionRequest";
/// Hooks after which a question may be over.
const SIGNS: [&str; 5] = ["PostToolUse", "PostToolUseFailure", "Stop", "UserPromptSubmit", "SessionEnd"];

#[derive(Debug, Deserialize)]
struct Hook<'a> {
    #[serde(borrow)]
    hook_event_name: Cow<'a, str>,
    session_id: Option<String>,
    cwd: Option<String>,
    prompt_id: Option<String>,
    tool_name: Option<String>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    tool_use_id: Option<String>,
    #[serde(borrow)]
    permission_suggestions: Option<Vec<&'a RawValue>>,
    agent_id: Option<String>,
    agent_type: Option<String>,
}

pub(super) fn understood(text: &str) -> Option<Said> {
    let hook: Hook<'_> = serde_json::from_str(text).ok()?;
    let event = hook.hook_event_name.into_owned();
    if SIGNS.contains(&event.as_str()) {
        return Some(Said::Sign(PermissionSign {
            form: PermissionForm::ClaudeHook,
            event,
            session: hook.session_id,
            subagent: hook.agent_id,
            tool: hook.tool_name,
            input: hook.tool_input.map(|input| input.get().to_owned()),
            tool_use_id: hook.tool_use_id,
        }));
    }
    let tool = hook.tool_name.filter(|tool| event == QUESTION && !PermissionForm::leaves_out(tool))?;
    Some(Said::Question(Box::new(PermissionQuestion {
        folder: hook.cwd.unwrap_or_default(),
        offered: hook.permission_suggestions.iter().flatten().map(|rule| rule.get().to_owned()).collect(),
        session: hook.session_id,
        subagent: hook.agent_id,
        subagent_type: hook.agent_type,
        turn: hook.prompt_id,
        tool_use_id: hook.tool_use_id,
        ..PermissionQuestion::new(PermissionForm::ClaudeHook, tool, hook.tool_input?.get().to_owned())
    })))
}

#[cfg(test)]
mod tests {
    use gate_core::PermissionVerdict;

    use super::*;

    fn question(text: &str) -> PermissionQuestion {
        match understood(text) {
            Some(Said::Question(question)) => *question,
            other => panic!("{text} is {other:?}"),
        }
    }

    /// As captured (docs/permissions.md).
    const COMMAND: &str = r#"{"session_id":"9d779a8c","transcript_path":"/t/9d.jsonl","cwd":"/home/you/ws","prompt_id":"8da191d7","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"npm test","description":"t"},"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test *"}],"behavior":"allow","destination":"localSettings"}]}"#;

    #[test]
    fn a_command_is_asked_with_all_that_claude_code_says_of_it() {
        let asked = question(COMMAND);
        assert_eq!(
            asked,
            PermissionQuestion {
                folder: "/home/you/ws".to_owned(),
                offered: vec![
                    r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test *"}],"behavior":"allow","destination":"localSettings"}"#
                        .to_owned()
                ],
                session: Some("9d779a8c".to_owned()),
                turn: Some("8da191d7".to_owned()),
                ..PermissionQuestion::new(
                    PermissionForm::ClaudeHook,
                    "Bash".to_owned(),
                    r#"{"command":"npm test","description":"t"}"#.to_owned()
                )
            }
        );
        let subagents = COMMAND.replacen("{", r#"{"agent_id":"af75","agent_type":"general-purpose","#, 1);
        let asked = question(&subagents);
        assert_eq!(
            (asked.subagent.as_deref(), asked.subagent_type.as_deref()),
            (Some("af75"), Some("general-purpose"))
        );
    }

    #[test]
    fn what_it_is_given_back_is_what_it_takes() {
        let asked = question(COMMAND);
        let printed = |verdict: PermissionVerdict| verdict.printed(&asked).unwrap_or_default();
        let rule = asked.offered[0].clone();
        let begin = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":"#;
        assert_eq!(
            printed(PermissionVerdict::Allow { input: None, rule: None }),
            format!(r#"{begin}{{"behavior":"allow"}}}}}}"#)
        );
        assert_eq!(
            printed(PermissionVerdict::Allow { input: None, rule: Some(rule.clone()) }),
            format!(r#"{begin}{{"behavior":"allow","updatedPermissions":[{rule}]}}}}}}"#),
            "a suggestion as it was given"
        );
        let denied: serde_json::Value =
            serde_json::from_str(&printed(PermissionVerdict::Deny { reason: Some("Use make.".to_owned()) })).unwrap();
        assert_eq!(denied["hookSpecificOutput"]["decision"]["message"], "Use make.");
    }

    #[test]
    fn an_input_reaches_the_gate_byte_for_byte() {
        let long = "x".repeat(1024 * 1024);
        for input in [
            r#"{ "command" : "echo \u0000\u001b[2J" , "command" : "twice" }"#,
            "{\"file_path\":\"/a\",\"content\":\"\\ud83d\\ude00 \u{202e} 1e400\"}",
            r#""no object""#,
            "[1.50,-0,12345678901234567890123]",
            &format!(r#"{{"command":"{long}"}}"#),
        ] {
            let text = format!(
                r#"{{"hook_event_name":"PermissionRequest","tool_name":"Bash","new_field":{{"a":[]}},"tool_input":{input}}}"#
            );
            let asked = question(&text);
            assert!(
                asked.input == input,
                "{:?} became {:?}",
                &input[..40.min(input.len())],
                &asked.input[..40.min(asked.input.len())]
            );
            assert_eq!((asked.folder.as_str(), asked.offered.len()), ("", 0), "what isn't said is empty");
        }
    }

    #[test]
    fn what_is_no_question_for_the_gate_is_left_to_claude_code() {
        let own = COMMAND.replace("\"Bash\",\"tool_input\"", "\"mcp__review-gate__review_gate_chat\",\"tool_input\"");
        for text in [
            own,
            COMMAND.replace("\"Bash\",\"tool_input\"", "\"AskUserQuestion\",\"tool_input\""),
            COMMAND.replace("\"Bash\",\"tool_input\"", "\"ExitPlanMode\",\"tool_input\""),
            COMMAND.replace("PermissionRequest", "PreToolUse"),
            COMMAND.replace("\"tool_name\"", "\"toolName\""),
            COMMAND.replace("\"tool_input\"", "\"toolInput\""),
            COMMAND.replace("\"cwd\":\"/home/you/ws\"", "\"cwd\":[]"),
            COMMAND.replacen('{', "{\"tool_input\":{},", 1),
            format!("{COMMAND}{COMMAND}"),
        ] {
            assert_ne!(text, COMMAND, "the test changes something");
            assert_eq!(understood(&text), None, "{text}");
        }
    }

    #[test]
    fn a_tool_that_has_ended_is_a_sign() {
        let text = r#"{"session_id":"s","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"a"},"tool_response":{"stdout":""},"tool_use_id":"toolu_0","duration_ms":116}"#;
        let sign = PermissionSign {
            form: PermissionForm::ClaudeHook,
            event: "PostToolUse".to_owned(),
            session: Some("s".to_owned()),
            subagent: None,
            tool: Some("Bash".to_owned()),
            input: Some(r#"{"command":"a"}"#.to_owned()),
            tool_use_id: Some("toolu_0".to_owned()),
        };
        assert_eq!(understood(text), Some(Said::Sign(sign)));
    }
}
