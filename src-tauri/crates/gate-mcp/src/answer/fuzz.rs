//! Objects that a client may pass to a tool, for fuzzing what tools take.

use gate_core::Code;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Number, Value};

use super::Takes;
use crate::input::{UNKNOWN_NAMED, read};

/// What holds for every object.
pub(crate) fn any_object<T: Takes>(object: &Map<String, Value>, holds: impl Fn(&T::Checked)) {
    let checked = read::<T>(Some(object.clone())).and_then(|read| {
        assert!(read.unknown.len() <= UNKNOWN_NAMED, "a few stray fields are named");
        read.input.checked()
    });
    match checked {
        Ok(checked) => holds(&checked),
        Err(fault) => {
            let codes = [Code::InvalidInput, Code::TooLarge, Code::TooMany, Code::UnknownReview, Code::UnknownJob];
            assert!(codes.contains(&fault.code), "{fault:?}");
            let named = T::NAMES.iter().any(|name| {
                let begins = format!("`{name}");
                fault.message.contains(&begins)
            });
            assert!(named || fault.code == Code::UnknownJob, "it names the field that is wrong: {fault:?}");
            assert!(fault.message.len() < 1000 && !fault.message.contains(char::is_control), "in short: {fault:?}");
        }
    }
}

/// Objects that are nearly right: the tool's fields, with a value that may be of its type.
pub(crate) fn object(names: &'static [&'static str]) -> impl Strategy<Value = Map<String, Value>> {
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
        "github:owner/repo:42",
        "agents-running",
        "success",
        "THREAD_REPLY",
        "POST_INLINE_COMMENT",
        "blocking",
        "last_review",
        "src/a.rs",
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
    const NESTED: &[&str] =
        &["file", "line", "start_line", "endLine", "side", "title", "body", "severity", "snippet", "path", "what"];
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
    let comment = vec((select(NESTED), leaf.clone()), 0..8);
    let comment = comment
        .prop_map(|fields| Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()));
    prop_oneof![
        8 => leaf.clone(),
        1 => comment.clone(),
        1 => vec(prop_oneof![comment, leaf], 0..60).prop_map(Value::Array),
    ]
}
