//! opencode's event `permission.asked`, as our file in its folder of plugins hands it on with the folder that it works in and what
//! an edit was called with (docs/permissions.md).

use gate_core::{PermissionForm, PermissionQuestion};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Said;

/// The event of a question.
const QUESTION: &str = "permission.asked";

#[derive(Debug, Deserialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    properties: Properties<'a>,
    cwd: Option<String>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct Properties<'a> {
    permission: String,
    #[serde(borrow)]
    patterns: Option<&'a RawValue>,
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
    #[serde(borrow)]
    always: Option<&'a RawValue>,
    #[serde(rename = "sessionID")]
    session: Option<String>,
    tool: Option<Tool>,
}

#[derive(Debug, Deserialize)]
struct Tool {
    #[serde(rename = "messageID")]
    message: Option<String>,
    #[serde(rename = "callID")]
    call: Option<String>,
}

pub(super) fn understood(text: &str) -> Option<Said> {
    let event: Event<'_> = serde_json::from_str(text).ok()?;
    let asked = event.properties;
    if event.kind != QUESTION {
        return None;
    }
    let raw =
        |value: Option<&RawValue>, none: &str| value.map_or_else(|| none.to_owned(), |value| value.get().to_owned());
    let (patterns, metadata) = (raw(asked.patterns, "[]"), raw(asked.metadata, "{}"));
    let (turn, tool_use_id) = asked.tool.map(|tool| (tool.message, tool.call)).unwrap_or_default();
    let args = event.args.map(|args| format!(r#","args":{}"#, args.get())).unwrap_or_default();
    let input = format!(r#"{{"patterns":{patterns},"metadata":{metadata}{args}}}"#);
    Some(Said::Question(Box::new(PermissionQuestion {
        folder: event.cwd.unwrap_or_default(),
        offered: asked.always.map(|rules| rules.get().to_owned()).filter(|rules| rules != "[]").into_iter().collect(),
        session: asked.session,
        turn,
        tool_use_id,
        ..PermissionQuestion::new(PermissionForm::Opencode, asked.permission, input)
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

    /// As captured (docs/permissions.md), with the folder that our file adds.
    const COMMAND: &str = r#"{"id":"evt_1","type":"permission.asked","properties":{"id":"per_21ad","sessionID":"ses_1","permission":"bash","patterns":["npm test"],"metadata":{"command":"npm test"},"always":["npm test *"],"tool":{"messageID":"msg_1","callID":"call_0_0"}},"cwd":"/home/you/ws"}"#;
    const EDIT: &str = r#"{"type":"permission.asked","properties":{"id":"per_2","sessionID":"ses_1","permission":"edit","patterns":["a.txt"],"metadata":{"filepath":"/w/a.txt","diff":"Index: a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+ZWEI\n three\n"},"always":["*"]}}"#;

    #[test]
    fn a_command_and_an_edit_are_asked_with_all_that_opencode_says_of_them() {
        let asked = question(COMMAND);
        assert_eq!((asked.form, asked.tool.as_str()), (PermissionForm::Opencode, "bash"));
        assert_eq!(asked.input, r#"{"patterns":["npm test"],"metadata":{"command":"npm test"}}"#);
        assert_eq!((asked.folder.as_str(), asked.offered), ("/home/you/ws", vec![r#"["npm test *"]"#.to_owned()]));
        assert_eq!((asked.session.as_deref(), asked.turn.as_deref()), (Some("ses_1"), Some("msg_1")));
        assert_eq!(asked.tool_use_id.as_deref(), Some("call_0_0"));
        let edit = question(EDIT);
        assert!(edit.input.contains(r#""diff":"Index: a.txt\n@@"#), "{}", edit.input);
        assert_eq!((edit.folder.as_str(), edit.tool_use_id), ("", None), "what isn't said is empty");
        let told = EDIT.replacen('{', r#"{"args":{"filePath":"a.txt", "newString":"ZWEI"},"#, 1);
        let args = r#","args":{"filePath":"a.txt", "newString":"ZWEI"}}"#;
        assert!(question(&told).input.ends_with(args), "and what it was called with: {}", question(&told).input);
    }

    #[test]
    fn an_answer_is_what_its_own_prompt_would_say() {
        let asked = question(COMMAND);
        let printed = |verdict: PermissionVerdict| {
            let text = verdict.printed(&asked).expect("it is an answer");
            serde_json::from_str::<serde_json::Value>(&text).unwrap()
        };
        assert_eq!(printed(PermissionVerdict::Allow { input: None, rule: None })["reply"], "once");
        let rule = Some(asked.offered[0].clone());
        assert_eq!(printed(PermissionVerdict::Allow { input: None, rule })["reply"], "always");
        let denied = printed(PermissionVerdict::Deny { reason: Some("No.".to_owned()) });
        assert_eq!((&denied["reply"], &denied["message"]), (&"reject".into(), &"No.".into()));
    }

    #[test]
    fn other_events_are_none_of_the_gates() {
        for text in [
            COMMAND.replace("permission.asked", "permission.replied"),
            COMMAND.replace("\"permission\":\"bash\"", "\"permission\":7"),
            COMMAND.replace("\"properties\"", "\"props\""),
        ] {
            assert_eq!(understood(&text), None, "{text}");
        }
    }
}
