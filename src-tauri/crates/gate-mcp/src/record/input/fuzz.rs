//! Fuzzing the record tools' arguments: any object is something that may be stored, or a fault that
//! can be read and names the field.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use serde_json::Map;

use super::tests::{Told, checkpoint, paged, progress, restore};
use super::*;
use crate::fuzzing::{Fuzz, damaged, seeds};
use crate::input::Fields;

const TOKENS: &[&str] = &[
    "\"progress_percent\":",
    "\"steps\":[\"a\",",
    "{\"name\":\"b\",\"state\":\"failed\"}",
    "\"state\":\"done\"",
    "\"completed\":true,",
    "\"cursor\":\"\",",
    "\"undo\":true,",
    "\"checkpoint_id\":\" \",",
    "\"restore_id\":\"0190a6e4\",",
    "null",
    "100.5",
    "-0.0",
    "1e308",
    "\"",
    "\\u0000",
    "\\u202e",
    "{",
    "}",
    "[",
    "]",
    ",",
];
/// The fields of all these tools.
fn names() -> Vec<&'static str> {
    [Report::NAMES, Older::NAMES, NewCheckpoint::NAMES, Back::NAMES].concat()
}

#[test]
fn fuzz_record_arguments() {
    let mut fuzz = Fuzz::new("record arguments");
    for seed in seeds("record") {
        any_json(&seed.0);
    }
    let (any, object) = (damaged("record", TOKENS), object());
    while fuzz.goes_on() {
        fuzz.batch(&any, |bytes| any_json(&bytes.0));
        fuzz.batch(&object, |object| any_object(&object));
    }
}

fn any_json(bytes: &[u8]) {
    if let Ok(Value::Object(object)) = serde_json::from_slice(bytes) {
        any_object(&object);
    }
}

/// What holds for every object and every tool.
fn any_object(object: &Map<String, Value>) {
    let arguments = || Some(object.clone());
    if let Some(update) = kept(progress(arguments()), object) {
        assert!(update.progress_percent.is_none_or(|percent| percent <= 100), "percent: {update:?}");
        let steps = update.steps.as_deref().unwrap_or_default();
        assert!(steps.len() <= bounds::STEPS && steps.iter().all(|(name, _)| fits(name, bounds::STEP_NAME_CHARS)));
        let written = object.get("status_message").and_then(Value::as_str);
        assert_eq!(update.status_message.as_deref(), written, "the message is kept letter by letter");
        let completed = object.get("completed").and_then(Value::as_bool).unwrap_or(false);
        assert_eq!(update.completed, completed, "nothing but `true` completes a session");
    }
    if let Some(cursor) = kept(paged(arguments()), object) {
        assert_eq!(cursor.as_deref(), object.get("cursor").and_then(Value::as_str), "the cursor as it came");
    }
    if let Some((name, description)) = kept(checkpoint(arguments()), object) {
        assert!(fits(&name, bounds::CHECKPOINT_NAME_CHARS), "{name:?}");
        assert!(description.is_none_or(|text| fits(&text, bounds::CHECKPOINT_DESCRIPTION_CHARS)));
    }
    if let Some(restore) = kept(restore(arguments()), object) {
        let undo = object.get("undo").and_then(Value::as_bool).unwrap_or(false);
        match restore {
            Restore::To(checkpoint) => assert!(!undo && fits(&checkpoint, bounds::CHECKPOINT_NAME_CHARS)),
            Restore::Undo(_) => assert!(undo, "only `true` undoes"),
        }
    }
}

fn fits(text: &str, chars: usize) -> bool {
    !text.trim().is_empty() && text.chars().count() <= chars
}

/// What was read, if it could be; otherwise the fault is looked at.
fn kept<T>(told: Result<Told<T>, Fault>, object: &Map<String, Value>) -> Option<T> {
    match told {
        Ok(told) => {
            let written = object.get("session_uuid").and_then(Value::as_str);
            let written = written.and_then(|text| uuid::Uuid::parse_str(text).ok());
            assert_eq!(told.session_uuid.map(|id| id.0), written, "the session is the one that was written");
            for name in &told.unknown {
                assert!(name.chars().count() <= 61 && !name.contains(char::is_control), "on one line: {name:?}");
            }
            Some(told.what)
        }
        Err(fault) => {
            let expected = [Code::InvalidInput, Code::TooLarge, Code::TooMany];
            assert!(expected.contains(&fault.code), "{fault:?}");
            let named = names().iter().any(|field| fault.to_string().contains(&format!("`{field}")));
            assert!(named, "it names a field: {fault:?}");
            assert!(fault.message.len() < 1000, "however long that is: {fault:?}");
            assert!(!fault.message.contains(char::is_control), "on one line: {fault:?}");
            None
        }
    }
}

/// Objects that are nearly right.
fn object() -> impl Strategy<Value = Map<String, Value>> {
    let name = prop_oneof![12 => select(names()).prop_map(str::to_owned), 1 => "[a-z]{1,3}"];
    vec((name, value()), 0..6).prop_map(|fields| fields.into_iter().collect())
}

fn value() -> impl Strategy<Value = Value> {
    let words = ["0190a6e4-7a10-7000-8000-000000000001", "pending", "in_progress", "done", "", " ", "a\0b"];
    let text =
        || prop_oneof![3 => select(words.to_vec()).prop_map(str::to_owned), 2 => "\\PC{0,20}", 1 => "x{199,202}"];
    let step = (text(), text()).prop_map(|(name, state)| serde_json::json!({ "name": name, "state": state }));
    prop_oneof![
        4 => text().prop_map(Value::from),
        3 => any::<bool>().prop_map(Value::from),
        2 => (-10.0..110.0).prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => Just(Value::Null),
        3 => vec(prop_oneof![text().prop_map(Value::from), step], 0..4).prop_map(Value::Array),
        1 => (190_usize..210).prop_map(|count| Value::from(vec!["s"; count])),
    ]
}
