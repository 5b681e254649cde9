//! How settings that protect the person's answers are ordered, from safe to weak. Knows no single one.

use gate_core::Rule;
use gate_core::proposal::ReviewRule;
use serde_json::Value;

/// From safe to weak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Off is safe, on is weak, and nothing said is between them.
    Switch,
    /// On is safe: it asks something of whoever answers.
    Demand,
    /// These words, the safest first; another one is the weakest.
    Words(&'static [&'static str]),
    /// A list of rules: one that is gone, or asks for less, is weaker.
    Rules,
    /// The same of rules for reviews of what agents propose.
    ReviewRules,
    /// The larger a number, the safer.
    AtLeast,
    /// None is safe; each entry that isn't there yet makes the list weaker.
    Entries,
    /// None is safe; each other text is as weak as the next.
    Text,
}

/// Which guards the file and the environment can't make weaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Held {
    /// All of them.
    #[default]
    All,
    /// Those about answers, who gives them and what is asked of them: in a home where the person may have no place to
    /// confirm the others.
    Answers,
}

impl Held {
    /// Those of a home, by whether it has had a window.
    #[must_use]
    pub fn of_home(had_window: bool) -> Self {
        if had_window { Self::All } else { Self::Answers }
    }
}

impl Guard {
    /// How weak a value of those is that stand in one line; more is weaker.
    fn weakness(self, value: &Value) -> usize {
        match self {
            Self::Switch => match value {
                Value::Bool(false) => 0,
                Value::Null => 1,
                _ => 2,
            },
            Self::Demand => usize::from(*value != Value::Bool(true)),
            Self::Words(words) => {
                let said = value.as_str().unwrap_or_default();
                words.iter().position(|word| *word == said).unwrap_or(words.len())
            }
            Self::AtLeast | Self::Entries | Self::Text | Self::Rules | Self::ReviewRules => 0,
        }
    }

    /// Whether a value is weaker than another.
    #[must_use]
    pub fn is_weaker(self, value: &Value, than: &Value) -> bool {
        match self {
            Self::Switch | Self::Demand | Self::Words(_) => self.weakness(value) > self.weakness(than),
            Self::AtLeast => value.as_i64() < than.as_i64(),
            Self::Entries => {
                let known = than.as_array().map(Vec::as_slice).unwrap_or_default();
                value.as_array().is_some_and(|entries| entries.iter().any(|entry| !known.contains(entry)))
            }
            Self::Rules => {
                let rules = rules(value);
                self::rules(than).iter().any(|asked| !rules.iter().any(|rule| rule.keeps(asked)))
            }
            Self::ReviewRules => {
                let rules = review_rules(value);
                review_rules(than).iter().any(|asked| !rules.iter().any(|rule| rule.keeps(asked)))
            }
            Self::Text => value.as_str().is_some_and(|text| !text.is_empty()) && value != than,
        }
    }

    /// Whether one of two values is weaker than the other.
    #[must_use]
    pub fn differs(self, one: &Value, other: &Value) -> bool {
        self.is_weaker(one, other) || self.is_weaker(other, one)
    }
}

/// The rules of a list; what is none asks for nothing.
fn rules(value: &Value) -> Vec<Rule> {
    let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.filter_map(|text| Rule::parse(text).ok()).collect()
}

/// The same of rules for reviews.
fn review_rules(value: &Value) -> Vec<ReviewRule> {
    let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.filter_map(|text| ReviewRule::parse(text).ok()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_isnt_said_is_between_off_and_on() {
        let guard = Guard::Switch;
        assert!(guard.is_weaker(&json!(true), &json!(null)) && guard.is_weaker(&json!(null), &json!(false)));
        assert!(!guard.is_weaker(&json!(false), &json!(null)) && !guard.is_weaker(&json!(true), &json!(true)));
        let demand = Guard::Demand;
        assert!(demand.is_weaker(&json!(false), &json!(true)) && demand.is_weaker(&json!(null), &json!(true)));
        assert!(!demand.is_weaker(&json!(true), &json!(false)) && !demand.is_weaker(&json!(null), &json!(false)));
        let words = Guard::Words(&["L1", "L0"]);
        assert!(words.is_weaker(&json!("L0"), &json!("L1")) && !words.is_weaker(&json!("L1"), &json!("L0")));
    }

    #[test]
    fn a_list_of_rules_is_weaker_without_one_of_them() {
        let is_weaker = |value, than| Guard::Rules.is_weaker(&value, &than);
        let (two, one) = (json!(["L3; words=a", "L2; path=b"]), json!(["L3; words=a"]));
        assert!(is_weaker(one.clone(), two.clone()) && is_weaker(json!([]), one.clone()));
        assert!(is_weaker(json!(null), one.clone()) && is_weaker(json!(["L2; words=a"]), one.clone()));
        assert!(!is_weaker(two.clone(), one) && !is_weaker(json!(["L3; path=b", "L3;words=a"]), two));
    }

    #[test]
    fn a_list_of_rules_for_reviews_is_weaker_without_one_of_them() {
        let is_weaker = |value, than| Guard::ReviewRules.is_weaker(&value, &than);
        let (two, one) = (json!(["person; path=a", "agents:2; path=b"]), json!(["person; path=a"]));
        assert!(is_weaker(one.clone(), two.clone()) && is_weaker(json!([]), one.clone()));
        assert!(is_weaker(json!(["agents:3; path=a"]), one.clone()), "no number of agents is the person");
        assert!(!is_weaker(two, one.clone()) && !is_weaker(json!(["agent+person; path=a"]), one));
    }

    #[test]
    fn less_time_more_names_and_another_text_are_weaker() {
        for (guard, value, than, is_weaker) in [
            (Guard::AtLeast, json!(2), json!(5), true),
            (Guard::AtLeast, json!(8), json!(5), false),
            (Guard::AtLeast, json!(5), json!(5), false),
            (Guard::Entries, json!(["a"]), json!([]), true),
            (Guard::Entries, json!(["b"]), json!(["a"]), true),
            (Guard::Entries, json!(["a"]), json!(["b", "a"]), false),
            (Guard::Entries, json!([]), json!(["a"]), false),
            (Guard::Text, json!("a"), json!(""), true),
            (Guard::Text, json!("a"), json!("b"), true),
            (Guard::Text, json!("a"), json!("a"), false),
            (Guard::Text, json!(""), json!("a"), false),
        ] {
            assert_eq!(guard.is_weaker(&value, &than), is_weaker, "{guard:?}: {value} than {than}");
            assert_eq!(guard.differs(&value, &than), value != than, "{guard:?}: {value} and {than}");
        }
    }
}
