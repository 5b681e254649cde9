//! A permission question as the record is read again: what became of it, in its own terms.

use serde::{Deserialize, Serialize};

use super::answer::EDITED;
use crate::bounded::excerpt;
use crate::permission::{PermissionForm, PermissionRule, PermissionRuleKind};
use crate::reply::Decision;
use crate::unseen::visible;

/// Most characters of what a rule names that stand in a line.
const NAMED_CHARS: usize = 120;

/// What a message of the record is, where it belongs to a permission question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "said", rename_all = "snake_case")]
pub enum PermissionSaid {
    /// It asks.
    Asked {
        /// Whether the agent, or its client, asks itself what isn't answered here; else that is taken as a denial.
        asks_there: bool,
    },
    /// It was allowed once.
    Once,
    /// It was changed by the person and allowed: the message's text is what was allowed.
    Edited,
    /// It was allowed, and the agent keeps a rule of its own.
    Rule {
        /// What the rule is about.
        kind: PermissionRuleKind,
        /// What it names, on one line with what would hide made visible.
        what: String,
    },
    /// It was denied.
    Denied,
}

impl PermissionSaid {
    /// A question of this form.
    #[must_use]
    pub const fn asked(form: PermissionForm) -> Self {
        Self::Asked { asks_there: form.asks_there() }
    }

    /// A reply to a question with these rules, by what was decided and chosen. Absent where nothing was decided, which no
    /// answer to a permission is.
    #[must_use]
    pub fn answered(rules: &[PermissionRule], decision: Option<Decision>, selected: &[String]) -> Option<Self> {
        let chosen = selected.first().map(String::as_str);
        let rule = || rules.iter().find(|rule| chosen == Some(rule.label().as_str()));
        Some(match (decision?, chosen) {
            (Decision::ChangesRequested, _) => Self::Denied,
            (Decision::Approved, Some(EDITED)) => Self::Edited,
            (Decision::Approved, _) => match rule() {
                Some(rule) => {
                    Self::Rule { kind: rule.kind, what: visible(&excerpt(&rule.what.join(", "), NAMED_CHARS)) }
                }
                None => Self::Once,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permitting::PermissionAnswer;
    use crate::{Ask, PermissionQuestion};

    fn asked() -> Ask {
        let offered = [
            r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test *"}],"behavior":"allow","destination":"localSettings"}"#,
            r#"{"type":"setMode","mode":"acceptEdits","destination":"session"}"#,
        ];
        let question = serde_json::json!({"form": "claude_hook", "tool": "Bash",
            "input": r#"{"command":"npm test"}"#, "folder": "/w", "offered": offered});
        let question: PermissionQuestion = serde_json::from_value(question).expect("it is a question");
        Ask { permission: Some(Box::new(question.permission().expect("it can be asked"))), ..Ask::default() }
    }

    #[test]
    fn every_answer_is_read_back_from_the_record_as_it_was_given() {
        let ask = asked();
        let rules = ask.permission.as_ref().map(|permission| permission.rules.clone()).unwrap_or_default();
        let rule = |kind, what: &str| PermissionSaid::Rule { kind, what: what.to_owned() };
        for (answer, said) in [
            (PermissionAnswer::Once, PermissionSaid::Once),
            (PermissionAnswer::Deny { reason: "No.".to_owned() }, PermissionSaid::Denied),
            (PermissionAnswer::Edited { text: "npm t".to_owned() }, PermissionSaid::Edited),
            (PermissionAnswer::Rule { id: "1".to_owned() }, rule(PermissionRuleKind::Allows, "Bash(npm test *)")),
            (PermissionAnswer::Rule { id: "2".to_owned() }, rule(PermissionRuleKind::Mode, "acceptEdits")),
        ] {
            let (decision, draft) = answer.as_reply(&ask).expect("its agent takes it");
            assert_eq!(PermissionSaid::answered(&rules, Some(decision), &draft.selected), Some(said), "{answer:?}");
        }
        assert_eq!(PermissionSaid::answered(&rules, None, &[]), None, "nothing was decided");
        let other = ["another record's".to_owned()];
        let once = PermissionSaid::answered(&rules, Some(Decision::Approved), &other);
        assert_eq!(once, Some(PermissionSaid::Once), "what isn't known is no rule");
    }

    #[test]
    fn what_is_not_answered_is_asked_where_the_agent_has_a_prompt() {
        let there = PermissionForm::ALL.map(|form| (form, PermissionSaid::asked(form)));
        for (form, said) in there {
            let alone = form == PermissionForm::ClaudePrompt;
            assert_eq!(said, PermissionSaid::Asked { asks_there: !alone }, "{form:?}");
        }
    }
}
