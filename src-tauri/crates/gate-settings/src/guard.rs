//! How settings that protect the person's answers are ordered, from safe to weak. Knows no single one.

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
}

impl Guard {
    /// How weak a value is; more is weaker.
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
        }
    }

    /// Whether a value is weaker than another.
    #[must_use]
    pub fn is_weaker(self, value: &Value, than: &Value) -> bool {
        self.weakness(value) > self.weakness(than)
    }
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
}
