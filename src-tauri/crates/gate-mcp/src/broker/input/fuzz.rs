//! Fuzzing what the tools take: any object is a call or a fault that can be read, and what comes out is within its bounds.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Number, Value};

use super::*;
use crate::fuzzing::Fuzz;
use crate::input::{UNKNOWN_NAMED, read};

#[test]
fn fuzz_broker_arguments() {
    let mut fuzz = Fuzz::new("broker arguments");
    while fuzz.goes_on() {
        fuzz.batch(&object(Proposing::NAMES), |object| any_object::<Proposing>(&object, is_bounded));
        fuzz.batch(&object(Reading::NAMES), |object| any_object::<Reading>(&object, |_| ()));
        fuzz.batch(&object(Listing::NAMES), |object| {
            any_object::<Listing>(&object, |listed| assert!((1..=bounds::LIST_ITEMS).contains(&listed.limit)))
        });
        fuzz.batch(&object(Looking::NAMES), |object| any_object::<Looking>(&object, |_| ()));
        fuzz.batch(&object(Claiming::NAMES), |object| {
            any_object::<Claiming>(&object, |(_, wish, _)| assert!(wish.categories.len() <= bounds::CATEGORIES))
        });
        fuzz.batch(&object(Releasing::NAMES), |object| any_object::<Releasing>(&object, |_| ()));
        fuzz.batch(&object(Judging::NAMES), |object| {
            any_object::<Judging>(&object, |(_, verdict)| {
                assert!(verdict.decision == Verdict::Approved || verdict.reason.is_some(), "why is said");
                assert!(verdict.comments.len() <= bounds::VERDICT_COMMENTS);
                for (anchor, body) in &verdict.comments {
                    assert!(!body.trim().is_empty() && !anchor.file.trim().is_empty());
                    assert!(anchor.start_line.is_none_or(|start| anchor.line.is_some_and(|line| start < line)));
                }
            });
        });
        fuzz.batch(&object(Posting::NAMES), |object| {
            any_object::<Posting>(&object, |(_, said)| assert!(!said.body.is_empty() || said.resolve.is_some()));
        });
        fuzz.batch(&object(Messages::NAMES), |object| any_object::<Messages>(&object, |_| ()));
        fuzz.batch(&object(Offering::NAMES), |object| {
            any_object::<Offering>(&object, |(_, patch)| assert!(!patch.diff.trim().is_empty()));
        });
        fuzz.batch(&object(Patching::NAMES), |object| any_object::<Patching>(&object, |_| ()));
        fuzz.batch(&object(Answering::NAMES), |object| any_object::<Answering>(&object, |_| ()));
        fuzz.batch(&object(Closing::NAMES), |object| any_object::<Closing>(&object, |_| ()));
    }
}

/// What holds for every object.
pub(in crate::broker) fn any_object<T: Takes>(object: &Map<String, Value>, holds: impl Fn(&T::Checked)) {
    let checked = read::<T>(Some(object.clone())).and_then(|read| {
        assert!(read.unknown.len() <= UNKNOWN_NAMED, "a few stray fields are named");
        read.input.checked()
    });
    match checked {
        Ok(checked) => holds(&checked),
        Err(fault) => {
            let codes = [Code::InvalidInput, Code::TooLarge, Code::TooMany, Code::UnknownReview];
            assert!(codes.contains(&fault.code), "{fault:?}");
            let named = T::NAMES.iter().any(|name| {
                let begins = format!("`{name}");
                fault.message.contains(&begins)
            });
            assert!(named, "it names the field that is wrong: {fault:?}");
            assert!(fault.message.len() < 1000 && !fault.message.contains(char::is_control), "in short: {fault:?}");
        }
    }
}

fn is_bounded(Proposed { proposal, .. }: &Proposed) {
    assert!(!proposal.intent.trim().is_empty() && proposal.intent.chars().count() <= bounds::INTENT_CHARS);
    assert!(proposal.labels.values().all(|label| label.chars().count() <= bounds::LABEL_CHARS));
    assert!(proposal.round.is_none_or(|round| (1..=bounds::ROUNDS).contains(&round)));
    assert!(proposal.review_id.is_none() || proposal.parent_id.is_none());
}

/// Objects that are nearly right: the tool's fields, with a value that may be of its type.
pub(in crate::broker) fn object(names: &'static [&'static str]) -> impl Strategy<Value = Map<String, Value>> {
    let name = prop_oneof![12 => select(names).prop_map(str::to_owned), 1 => "[a-z]{1,3}"];
    vec((name, value()), 0..16).prop_map(|fields| fields.into_iter().collect())
}

fn value() -> impl Strategy<Value = Value> {
    const ID: &str = "0190a6e4-7a10-7000-8000-000000000001";
    const WORDS: &[&str] = &[
        ID,
        "approved",
        "rejected",
        "changes_requested",
        "comment",
        "escalate",
        "created",
        "closed",
        "high",
        "old",
        "new",
        "applied",
        "2026-11-21T09:30:00.125Z",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
        "",
        " ",
        "\0",
        "\u{202e}x",
    ];
    let number = prop_oneof![
        3 => (0_u64..200).prop_map(Number::from),
        1 => any::<i64>().prop_map(Number::from),
        1 => any::<u64>().prop_map(Number::from),
        1 => any::<f64>().prop_map(|number| Number::from_f64(number).unwrap_or_else(|| Number::from(0))),
    ];
    let text = prop_oneof![
        6 => select(WORDS).prop_map(str::to_owned).boxed(),
        2 => "\\PC{0,30}".boxed(),
        1 => (1_usize..2500).prop_map(|times| "é".repeat(times)).boxed(),
    ];
    let leaf = prop_oneof![
        6 => text.prop_map(Value::from),
        3 => number.prop_map(Value::Number),
        2 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    let comment =
        vec((select(&["file", "line", "start_line", "side", "body", "path", "what"][..]), leaf.clone()), 0..6);
    let comment = comment
        .prop_map(|fields| Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()));
    prop_oneof![
        8 => leaf.clone(),
        1 => comment.clone(),
        1 => vec(prop_oneof![comment, leaf], 0..60).prop_map(Value::Array),
    ]
}
