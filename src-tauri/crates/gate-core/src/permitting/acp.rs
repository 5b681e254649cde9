//! ACP's `session/request_permission` (agentclientprotocol.com): the question in it, and an answer as the outcome that its agent
//! takes. For whoever speaks ACP with an agent, be it its client or a proxy. Knows no JSON-RPC: a request's `params` come in,
//! its `result` goes out.
//!
//! What can't be answered by "once" and "no" in just one way each, or isn't a permission, is none of the gate's: it is left to
//! the client.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::question::{PermissionQuestion, PermissionVerdict};
use crate::bounds;
use crate::permission::{PermissionForm, command};

/// What an agent's kind of tool is called where it says none.
const NO_KIND: &str = "other";
/// The kind of what asks for another mode, as of a plan that is to be carried out: a question, and no permission.
const MODE: &str = "switch_mode";

/// A request of an agent for a permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcpRequest {
    /// What is asked. Its folder and its client are for whoever knows them to fill in.
    pub question: PermissionQuestion,
    options: Vec<Offered>,
}

/// An answer that the agent offers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Offered {
    id: String,
    kind: Kind,
    /// As the agent wrote it.
    raw: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    session_id: String,
    #[serde(borrow)]
    tool_call: &'a RawValue,
    #[serde(borrow)]
    options: Vec<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolCall {
    tool_call_id: Option<String>,
    kind: Option<String>,
    title: Option<String>,
    #[serde(default)]
    raw_input: Value,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OptionOf {
    option_id: String,
    kind: Kind,
}

impl AcpRequest {
    /// The method of such a request.
    pub const METHOD: &str = "session/request_permission";
    /// The result of one whose turn was cancelled before anybody answered.
    pub const CANCELLED: &str = r#"{"outcome":{"outcome":"cancelled"}}"#;

    /// The request in its `params`; absent where it is to be left to the client.
    #[must_use]
    pub fn read(params: &str) -> Option<Self> {
        let params: Params<'_> = serde_json::from_str(params).ok()?;
        let call: ToolCall = serde_json::from_str(params.tool_call.get()).ok()?;
        let tool = call.kind.filter(|kind| !kind.trim().is_empty()).unwrap_or_else(|| NO_KIND.to_owned());
        if tool == MODE {
            return None;
        }
        let offered = |raw: &&RawValue| {
            let OptionOf { option_id: id, kind } = serde_json::from_str(raw.get()).ok()?;
            Some(Offered { id, kind, raw: raw.get().to_owned() })
        };
        let whole: Value = serde_json::from_str(params.tool_call.get()).ok()?;
        let described = call.raw_input.get("description").and_then(Value::as_str).map(str::to_owned);
        // One that is longer stands in the input alone.
        let title = call.title.filter(|title| title.len() <= bounds::CONTEXT_BYTES);
        let says = described.or(title.filter(|title| command(PermissionForm::Acp, &whole).as_ref() != Some(title)));
        let options = params.options.iter().map(offered).collect::<Option<Vec<_>>>()?;
        let asked = Self {
            question: PermissionQuestion {
                offered: of_kind(&options, Kind::AllowAlways).map(|option| option.raw.clone()).collect(),
                session: Some(params.session_id),
                tool_use_id: call.tool_call_id,
                says,
                ..PermissionQuestion::new(PermissionForm::Acp, tool, params.tool_call.get().to_owned())
            },
            options,
        };
        let is_clear = asked.only(Kind::AllowOnce).is_some() && asked.only(Kind::RejectOnce).is_some();
        let mut ids: Vec<_> = asked.options.iter().map(|option| &option.id).collect();
        ids.sort_unstable();
        (is_clear && ids.windows(2).all(|pair| pair.first() != pair.last())).then_some(asked)
    }

    /// The result of the request, JSON: the option that says what the person has answered. Absent where nobody has, or none
    /// says that: then the request is the client's.
    #[must_use]
    pub fn outcome(&self, verdict: &PermissionVerdict) -> Option<String> {
        let option = match verdict {
            PermissionVerdict::Allow { input: None, rule: None } => self.only(Kind::AllowOnce),
            PermissionVerdict::Allow { input: None, rule: Some(rule) } => {
                of_kind(&self.options, Kind::AllowAlways).find(|option| option.raw == *rule)
            }
            // It takes no sentence with it.
            PermissionVerdict::Deny { .. } => self.only(Kind::RejectOnce),
            PermissionVerdict::Allow { .. } | PermissionVerdict::Ask { .. } => None,
        };
        option.map(|option| json!({"outcome": {"outcome": "selected", "optionId": option.id}}).to_string())
    }

    /// The option of a kind, where there is just one.
    fn only(&self, kind: Kind) -> Option<&Offered> {
        let mut all = of_kind(&self.options, kind);
        all.next().filter(|_| all.next().is_none())
    }
}

fn of_kind(options: &[Offered], kind: Kind) -> impl Iterator<Item = &Offered> {
    options.iter().filter(move |option| option.kind == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::{PermissionKind, PermissionRuleKind, PermissionShown};
    use crate::permitting::PermissionAsk;

    /// As captured (docs/permissions.md).
    const GEMINI: &str = r#"{"sessionId":"s-1","options":[{"optionId":"proceed_always","name":"Allow for this session","kind":"allow_always"},{"optionId":"proceed_once","name":"Allow","kind":"allow_once"},{"optionId":"cancel","name":"Reject","kind":"reject_once"}],"toolCall":{"toolCallId":"run_shell_command__1","status":"pending","title":"echo hi > made.txt","content":[{"type":"content","content":{"type":"text","text":"[current working directory /w] (d)"}}],"locations":[],"kind":"execute"}}"#;
    const OPENCODE: &str = r#"{"sessionId":"ses_1","toolCall":{"toolCallId":"call_0_0","title":"npm test","kind":"execute","status":"pending","locations":[],"rawInput":{"command":"npm test", "description":"Tests"}},"options":[{"optionId":"once","kind":"allow_once","name":"Allow once"},{"optionId":"always", "kind":"allow_always","name":"Always allow"},{"optionId":"reject","kind":"reject_once","name":"Reject"}]}"#;
    const EDIT: &str = r#"{"sessionId":"s","options":[{"optionId":"y","name":"Allow","kind":"allow_once"},{"optionId":"n","name":"Reject","kind":"reject_once"}],"toolCall":{"toolCallId":"t","title":"a.txt: two => ZWEI","content":[{"type":"diff","path":"/w/a.txt","oldText":"two\n","newText":"ZWEI\n","_meta":{"kind":"modify"}}],"locations":[{"path":"/w/a.txt"}],"kind":"edit"}}"#;

    fn read(params: &str) -> AcpRequest {
        AcpRequest::read(params).unwrap_or_else(|| panic!("{params} can be asked"))
    }

    #[test]
    fn a_command_and_an_edit_are_asked_for_what_they_are() {
        let asked = read(OPENCODE).question;
        assert_eq!((asked.form, asked.tool.as_str()), (PermissionForm::Acp, "execute"));
        assert_eq!((asked.session.as_deref(), asked.tool_use_id.as_deref()), (Some("ses_1"), Some("call_0_0")));
        assert_eq!(asked.says.as_deref(), Some("Tests"), "what the agent says of it stands apart");
        assert!(OPENCODE.contains(&asked.input), "byte for byte: {}", asked.input);
        for (params, command) in [(OPENCODE, "npm test"), (GEMINI, "echo hi > made.txt")] {
            let permission = read(params).question.permission().expect("it can be asked");
            assert_eq!(permission.kind, PermissionKind::Command);
            let shown = permission.shown();
            assert!(matches!(&shown, PermissionShown::Command { text, .. } if text == command), "{shown:?}");
        }
        assert_eq!(read(GEMINI).question.says, None, "what is the command isn't said beside it");
        let edit = read(EDIT).question.permission().expect("it can be asked");
        assert_eq!((edit.kind, edit.shown()), (PermissionKind::Edit, PermissionShown::Files));
        let without = EDIT.replace(r#","kind":"edit"}}"#, "}}");
        assert_ne!(without, EDIT, "the test changes something");
        assert_eq!(read(&without).question.tool, "other", "what has no kind is something else, and shown whole");
    }

    #[test]
    fn a_title_is_what_the_agent_says_and_no_command() {
        let of = |call: &str| {
            let question = read(&GEMINI.replace("run_shell_command__1", call)).question;
            (question.says.clone(), question.permission().expect("it can be asked").shown())
        };
        let (says, shown) = of("toolu_1");
        assert_eq!(says.as_deref(), Some("echo hi > made.txt"), "it is the agent's word for it");
        assert!(
            matches!(&shown, PermissionShown::Other { arguments } if arguments.contains("echo hi > made.txt")),
            "that this is what would be run, nobody knows: {shown:?}"
        );
        let listed = read(&OPENCODE.replace(r#""title":"npm test""#, r#""title":"Lists files""#)).question;
        assert_eq!(listed.says.as_deref(), Some("Tests"), "a description says more");
        assert_eq!(read(EDIT).question.says.as_deref(), Some("a.txt: two => ZWEI"), "of an edit, too");
    }

    #[test]
    fn each_answer_is_the_option_that_says_it() {
        let asked = read(OPENCODE);
        let rule = asked.question.permission().expect("it can be asked").rules.remove(0);
        assert_eq!(
            (rule.kind, rule.what.as_slice()),
            (PermissionRuleKind::Other, ["Always allow".to_owned()].as_slice())
        );
        let allow = |rule: Option<&str>| PermissionVerdict::Allow { input: None, rule: rule.map(str::to_owned) };
        let selected = |id: &str| Some(format!(r#"{{"outcome":{{"optionId":"{id}","outcome":"selected"}}}}"#));
        let same = |outcome: Option<String>, expected: Option<String>| {
            let value = |text: String| serde_json::from_str::<Value>(&text).expect("it is JSON");
            assert_eq!(outcome.map(value), expected.map(value));
        };
        same(asked.outcome(&allow(None)), selected("once"));
        same(asked.outcome(&allow(Some(&rule.raw))), selected("always"));
        same(asked.outcome(&PermissionVerdict::Deny { reason: Some("No.".to_owned()) }), selected("reject"));
        same(read(GEMINI).outcome(&allow(None)), selected("proceed_once"));
    }

    #[test]
    fn what_nobody_answered_and_what_no_option_says_is_the_clients() {
        let asked = read(OPENCODE);
        for verdict in [
            PermissionVerdict::Ask { why: PermissionAsk::Away },
            PermissionVerdict::Ask { why: PermissionAsk::TimeOver },
            PermissionVerdict::Allow { input: Some("{}".to_owned()), rule: None },
            PermissionVerdict::Allow { input: None, rule: Some("{}".to_owned()) },
            PermissionVerdict::Allow {
                input: None,
                rule: Some(r#"{"optionId":"reject","kind":"reject_once","name":"Reject"}"#.to_owned()),
            },
        ] {
            assert_eq!(asked.outcome(&verdict), None, "{verdict:?} allows nothing");
        }
    }

    #[test]
    fn what_cannot_be_answered_in_one_way_is_left_to_the_client() {
        for (params, why) in [
            (OPENCODE.replace("allow_once", "allow_always"), "nothing allows it once"),
            (OPENCODE.replace("reject_once", "reject_always"), "nothing denies it once"),
            (OPENCODE.replace("allow_always", "allow_once"), "two options allow it once, and mean different things"),
            (OPENCODE.replace("\"reject\"", "\"once\""), "yes and no have one name"),
            (OPENCODE.replace("allow_always", "allow_forever"), "an option of a kind that isn't known"),
            (OPENCODE.replace("\"execute\"", "\"switch_mode\""), "another mode is no permission"),
            (OPENCODE.replacen('{', "{\"options\":[],", 1), "options that are there twice"),
            (OPENCODE.replace("\"sessionId\"", "\"session\""), "no session"),
            (OPENCODE.replace("\"toolCall\"", "\"tool\""), "nothing to be allowed"),
            ("[]".to_owned(), "no object"),
            (String::new(), "nothing"),
        ] {
            assert_ne!(params, OPENCODE, "the test changes something");
            assert_eq!(AcpRequest::read(&params), None, "{why}");
        }
    }
}
