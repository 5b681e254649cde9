//! What an agent is told, in its own form. Whatever goes wrong here never allows: it is "ask", or, where nobody can be asked,
//! a denial.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::question::{PermissionQuestion, PermissionVerdict};
use crate::permission::PermissionForm;

/// What a model is told that was denied without a word.
const DENIED: &str = "The person denied this in Review Gate.";

impl PermissionVerdict {
    /// What the agent reads, in one piece; absent where it is to read nothing, and asks at its own prompt.
    #[must_use]
    pub fn printed(&self, question: &PermissionQuestion) -> Option<String> {
        match question.form {
            PermissionForm::ClaudeHook => self.as_claude_hook(),
            PermissionForm::ClaudePrompt => Some(self.as_claude_prompt(question)),
            PermissionForm::CodexHook => self.as_codex_hook(),
            PermissionForm::Opencode => self.as_opencode(),
            PermissionForm::CodexDaemon => self.as_codex_daemon(),
            // Whoever speaks ACP to the agent has its options, and names one of them (`AcpRequest`).
            PermissionForm::Acp => None,
        }
    }

    fn as_claude_hook(&self) -> Option<String> {
        let decision = match self {
            Self::Allow { input, rule } => {
                let input = match input {
                    Some(input) => format!(r#","updatedInput":{}"#, raw(input)?.get()),
                    None => String::new(),
                };
                let rule = match rule {
                    Some(rule) => format!(r#","updatedPermissions":[{}]"#, raw(rule)?.get()),
                    None => String::new(),
                };
                format!(r#"{{"behavior":"allow"{input}{rule}}}"#)
            }
            Self::Deny { reason } => json!({"behavior": "deny", "message": reason_of(reason)}).to_string(),
            Self::Ask { .. } => return None,
        };
        Some(format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{decision}}}}}"#))
    }

    /// Nobody is at a prompt there: "ask" is a denial that says why.
    fn as_claude_prompt(&self, question: &PermissionQuestion) -> String {
        let deny = |message: &str| json!({"behavior": "deny", "message": message}).to_string();
        match self {
            Self::Allow { input, rule: None } => match raw(input.as_deref().unwrap_or(&question.input)) {
                Some(input) => format!(r#"{{"behavior":"allow","updatedInput":{}}}"#, input.get()),
                None => deny("Review Gate couldn't give the answer back. Ask again."),
            },
            Self::Allow { rule: Some(_), .. } => deny("Review Gate couldn't give the answer back. Ask again."),
            Self::Deny { reason } => deny(reason_of(reason)),
            Self::Ask { why } => deny(why.in_words()),
        }
    }

    /// Any key that Codex doesn't know is a fault.
    fn as_codex_hook(&self) -> Option<String> {
        let decision = match self {
            Self::Allow { input: None, rule: None } => json!({"behavior": "allow"}),
            Self::Deny { reason } => json!({"behavior": "deny", "message": reason_of(reason)}),
            Self::Allow { .. } | Self::Ask { .. } => return None,
        };
        Some(json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}).to_string())
    }

    fn as_opencode(&self) -> Option<String> {
        let reply = match self {
            Self::Allow { input: None, rule: None } => json!({"reply": "once"}),
            Self::Allow { input: None, rule: Some(_) } => json!({"reply": "always"}),
            Self::Deny { reason } => json!({"reply": "reject", "message": reason_of(reason)}),
            Self::Allow { .. } | Self::Ask { .. } => return None,
        };
        Some(reply.to_string())
    }

    fn as_codex_daemon(&self) -> Option<String> {
        let decision = match self {
            Self::Allow { input: None, rule: None } => json!("accept"),
            Self::Allow { input: None, rule: Some(rule) } => {
                let amendment: Value = serde_json::from_str(rule).ok()?;
                json!({"acceptWithExecpolicyAmendment": {"execpolicy_amendment": amendment}})
            }
            Self::Deny { .. } => json!("decline"),
            Self::Allow { .. } | Self::Ask { .. } => return None,
        };
        Some(json!({ "decision": decision }).to_string())
    }
}

fn reason_of(reason: &Option<String>) -> &str {
    reason.as_deref().unwrap_or(DENIED)
}

/// JSON as it is, where it is JSON.
fn raw(text: &str) -> Option<&RawValue> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permitting::PermissionAsk;

    fn question(form: PermissionForm) -> PermissionQuestion {
        PermissionQuestion::new(form, "Bash".to_owned(), r#"{"command": "a"}"#.to_owned())
    }

    fn printed(form: PermissionForm, verdict: &PermissionVerdict) -> Option<String> {
        verdict.printed(&question(form))
    }

    #[test]
    fn each_agent_reads_the_answer_in_its_own_form() {
        let once = PermissionVerdict::Allow { input: None, rule: None };
        let no = PermissionVerdict::Deny { reason: Some("not \"now\"".to_owned()) };
        let ask = PermissionVerdict::Ask { why: PermissionAsk::Away };
        let hook = |decision: &str| {
            format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{decision}}}}}"#)
        };
        let same = |printed: Option<String>, expected: &str| {
            let read = |text: &str| serde_json::from_str::<Value>(text).expect("it is JSON");
            assert_eq!(printed.as_deref().map(read), Some(read(expected)));
        };
        for form in [PermissionForm::ClaudeHook, PermissionForm::CodexHook] {
            same(printed(form, &once), &hook(r#"{"behavior":"allow"}"#));
            same(printed(form, &no), &hook(r#"{"behavior":"deny","message":"not \"now\""}"#));
            assert_eq!(printed(form, &ask), None, "nothing is printed where the agent is to ask");
        }
        let prompt = PermissionForm::ClaudePrompt;
        same(printed(prompt, &once), r#"{"behavior":"allow","updatedInput":{"command":"a"}}"#);
        same(printed(prompt, &no), r#"{"behavior":"deny","message":"not \"now\""}"#);
        let denied = printed(prompt, &ask).expect("there nobody can be asked");
        assert!(denied.contains(r#""behavior":"deny""#) && denied.contains("away"), "{denied}");
        same(printed(PermissionForm::Opencode, &once), r#"{"reply":"once"}"#);
        same(printed(PermissionForm::Opencode, &no), r#"{"reply":"reject","message":"not \"now\""}"#);
    }

    #[test]
    fn what_an_agent_does_not_take_is_never_an_allow() {
        let edited = PermissionVerdict::Allow { input: Some(r#"{"command":"b"}"#.to_owned()), rule: None };
        let rule = PermissionVerdict::Allow { input: None, rule: Some("{}".to_owned()) };
        let broken = PermissionVerdict::Allow { input: Some("{".to_owned()), rule: None };
        for (form, verdict) in [
            (PermissionForm::CodexHook, &edited),
            (PermissionForm::CodexHook, &rule),
            (PermissionForm::Opencode, &edited),
            (PermissionForm::CodexDaemon, &edited),
            (PermissionForm::ClaudeHook, &broken),
            (PermissionForm::Acp, &rule),
        ] {
            assert_eq!(printed(form, verdict), None, "{form:?} {verdict:?}");
        }
        for verdict in [&rule, &broken] {
            let said = printed(PermissionForm::ClaudePrompt, verdict).expect("there is always an answer");
            assert!(said.contains("deny"), "{said}");
        }
    }

    #[test]
    fn what_was_offered_or_changed_goes_back_byte_for_byte() {
        let rule = r#"{"type":"addRules",  "rules":[{"toolName":"Bash"}]}"#.to_owned();
        let input = r#"{"command":"b", "n":1.00}"#.to_owned();
        let verdict = PermissionVerdict::Allow { input: Some(input.clone()), rule: Some(rule.clone()) };
        let said = printed(PermissionForm::ClaudeHook, &verdict).expect("it is an answer");
        assert!(said.contains(&format!(r#""updatedInput":{input}"#)), "{said}");
        assert!(said.contains(&format!(r#""updatedPermissions":[{rule}]"#)), "{said}");
    }
}
