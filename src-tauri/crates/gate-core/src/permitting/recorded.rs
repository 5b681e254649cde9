//! A permission question as the record is read again: what became of it, in its own terms.

use serde::{Deserialize, Serialize};

use super::answer::EDITED;
use super::question::PermissionAsk;
use crate::bounded::excerpt;
use crate::permission::{PermissionForm, PermissionRule, PermissionRuleKind};
use crate::reply::Decision;
use crate::unseen::visible;

/// Most characters of what a rule names that stand in a line.
const NAMED_CHARS: usize = 120;

/// Why a permission question ended without an answer here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PermissionEnd {
    /// The person had switched such questions off here.
    Off,
    /// The person was away.
    Away,
    /// Nobody would have seen it.
    Nobody,
    /// Nobody answered in time.
    TimeOver,
    /// The person put it aside.
    PutAside,
    /// It was answered where the agent itself asked, by a sign of the agent's.
    AnsweredThere,
    /// Whoever asked was gone: the agent took it back, or its hook ended.
    Gone,
    /// It couldn't be read, or was too large.
    Unreadable,
    /// The gate was stopped, or killed.
    Stopping,
    /// A file of its edit had changed: it was asked anew.
    Anew,
}

impl PermissionEnd {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Off,
        Self::Away,
        Self::Nobody,
        Self::TimeOver,
        Self::PutAside,
        Self::AnsweredThere,
        Self::Gone,
        Self::Unreadable,
        Self::Stopping,
        Self::Anew,
    ];

    /// The word for it on the wire and in the record.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Away => "away",
            Self::Nobody => "nobody",
            Self::TimeOver => "time_over",
            Self::PutAside => "put_aside",
            Self::AnsweredThere => "answered_there",
            Self::Gone => "gone",
            Self::Unreadable => "unreadable",
            Self::Stopping => "stopping",
            Self::Anew => "anew",
        }
    }

    /// The one with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|end| end.as_str() == word)
    }
}

impl From<PermissionAsk> for PermissionEnd {
    fn from(why: PermissionAsk) -> Self {
        match why {
            PermissionAsk::Off => Self::Off,
            PermissionAsk::Away => Self::Away,
            PermissionAsk::Nobody => Self::Nobody,
            PermissionAsk::TimeOver => Self::TimeOver,
            PermissionAsk::PutAside => Self::PutAside,
            PermissionAsk::AnsweredThere => Self::AnsweredThere,
            PermissionAsk::Gone => Self::Gone,
            PermissionAsk::Unreadable => Self::Unreadable,
            PermissionAsk::Stopping => Self::Stopping,
        }
    }
}

/// What a message of the record is, where it belongs to a permission question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "said", rename_all = "snake_case")]
pub enum PermissionSaid {
    /// It asks.
    Asked {
        /// Whether the agent, or its client, asks itself what isn't answered here; else that is taken as a denial.
        asks_there: bool,
        /// Why it ended without an answer here; absent where it is answered, waits, or nobody noted it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        ended: Option<PermissionEnd>,
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
    /// A question of this form, and why it ended without an answer.
    #[must_use]
    pub const fn asked(form: PermissionForm, ended: Option<PermissionEnd>) -> Self {
        Self::Asked { asks_there: form.asks_there(), ended }
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
        let there = PermissionForm::ALL.map(|form| (form, PermissionSaid::asked(form, None)));
        for (form, said) in there {
            let alone = form == PermissionForm::ClaudePrompt;
            assert_eq!(said, PermissionSaid::Asked { asks_there: !alone, ended: None }, "{form:?}");
        }
    }

    #[test]
    fn each_end_has_a_word_that_is_read_back() {
        for end in PermissionEnd::ALL {
            assert_eq!(PermissionEnd::parse(end.as_str()), Some(end), "as it is stored");
            let wire = serde_json::to_value(end).expect("it is JSON");
            assert_eq!(wire, end.as_str(), "and as windows and exports have it");
        }
        assert_eq!(PermissionEnd::parse("allowed"), None, "no end allows anything");
    }
}
