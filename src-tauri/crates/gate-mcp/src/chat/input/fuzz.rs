//! Fuzzing the tool's arguments: any object is a question or a fault that can be read, and a
//! question is what the agent wrote, letter by letter.

use gate_core::Code;
use gate_core::bounds;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Number, Value};

use super::*;
use crate::fuzzing::{Fuzz, damaged, seeds};
use crate::input::{Fields, Read, UNKNOWN_NAMED, read};

const TOKENS: &[&str] = &[
    "\"message\":\"m\",",
    "\"title\":",
    "\"context\":\"\",",
    "\"diff\":\"--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n\",",
    "\"repository\":{\"path\":\".\"},",
    "\"repository\":{\"path\":\"..\",\"what\":\"a..b\",\"base\":null},",
    "\"urgent\":true,",
    "\"allow_multiple\":null,",
    "\"approval\":1,",
    "\"require\":\"L3\",",
    "\"options\":[\"a\",\"a\"],",
    "\"options\":[{\"label\":\"\",\"recommended\":null}],",
    "\"session_uuid\":\"urn:uuid:0190a6e4-7a10-7000-8000-000000000001\",",
    "\"request_id\":\"0190a6e47a1070008000000000000001\",",
    "null",
    "true",
    "1e400",
    "-0",
    "\"",
    "\\",
    "\\u0000",
    "\\ud83d\\ude00",
    "\\ud800",
    "\\u202e",
    "\u{202e}",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "[[[[[[[[[[[[[[[[[[[[",
];
const FIELDS: &[&str] = Question::NAMES;

#[test]
fn fuzz_arguments() {
    let mut fuzz = Fuzz::new("arguments");
    for seed in seeds("arguments") {
        any_json(&seed.0);
    }
    assert_eq!(read::<Question>(None), Ok(Read::default()), "no arguments are an empty object");
    let (any, object) = (damaged("arguments", TOKENS), object());
    while fuzz.goes_on() {
        fuzz.batch(&any, |bytes| any_json(&bytes.0));
        fuzz.batch(&object, |object| any_object(&object));
    }
}

/// As arguments come: what is no JSON or no object, the protocol's library has refused before.
fn any_json(bytes: &[u8]) {
    if let Ok(Value::Object(object)) = serde_json::from_slice(bytes) {
        any_object(&object);
    }
}

/// What holds for every object.
fn any_object(object: &Map<String, Value>) {
    match read::<Question>(Some(object.clone())) {
        Ok(arguments) => {
            is_what_was_written(&arguments, object);
            names_a_repository(&arguments.input, object);
            let ask = &arguments.input.clone().ask();
            if let Ok(checked) = ask.clone().checked() {
                is_bounded(&checked);
                let with = |field: &Option<String>| field.clone().filter(|text| !text.trim().is_empty());
                assert_eq!(checked.message, ask.message, "the message stays as it is");
                let (left, right) =
                    ([&checked.title, &checked.context, &checked.diff], [&ask.title, &ask.context, &ask.diff]);
                assert_eq!(left.map(Clone::clone), right.map(with), "texts stay as they are, unless they are blank");
            }
        }
        Err(fault) => {
            assert_eq!(fault.code, Code::InvalidInput, "a wrong type is an invalid input: {fault:?}");
            let named = FIELDS.iter().find(|field| fault.message.starts_with(&format!("`{field}")));
            let found = named.and_then(|field| object.get(*field));
            assert!(found.is_some_and(|value| !value.is_null()), "it names the field that is wrong: {fault:?}");
            assert!(fault.message.len() < 1000, "however long that is: {fault:?}");
            assert!(!fault.message.contains(char::is_control), "on one line: {fault:?}");
        }
    }
}

fn is_what_was_written(arguments: &Read<Question>, object: &Map<String, Value>) {
    let Read { input, unknown: named } = arguments;
    let ask = input.clone().ask();
    let text = |field: &str| object.get(field).and_then(Value::as_str).map(str::to_owned);
    let flag = |field: &str| object.get(field).and_then(Value::as_bool).unwrap_or(false);
    let expected = (text("message").unwrap_or_default(), text("title"), text("context"), text("diff"));
    let found = (ask.message.clone(), ask.title.clone(), ask.context.clone(), ask.diff.clone());
    assert_eq!(found, expected, "texts are kept letter by letter");
    let expected = (flag("urgent"), flag("allow_multiple"), flag("approval"));
    assert_eq!((ask.urgent, ask.allow_multiple, ask.approval), expected, "nothing but `true` switches something on");
    let options = object.get("options").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let options: Vec<Choice> = options.iter().map(choice).collect();
    assert_eq!(ask.options, options, "options in their order");
    for (field, id) in
        [("session_uuid", input.session_uuid.map(|id| id.0)), ("request_id", input.request_id.map(|id| id.0))]
    {
        let written = text(field).and_then(|text| uuid::Uuid::parse_str(&text).ok());
        assert_eq!(id, written, "{field} is the one that was written");
    }
    let unknown: Vec<_> =
        object.iter().filter(|(name, value)| !FIELDS.contains(&name.as_str()) && !value.is_null()).collect();
    assert_eq!(named.len(), unknown.len().min(UNKNOWN_NAMED), "a few stray fields are named");
    for name in named {
        assert!(name.chars().count() <= 61 && !name.contains(char::is_control), "in short, on one line: {name:?}");
    }
}

/// A repository is named as it was written, within its bounds, and never beside a diff.
fn names_a_repository(input: &Question, object: &Map<String, Value>) {
    let Ok(Some(named)) = input.repository(None) else { return };
    let written = &object["repository"];
    let text = |field: &str| written.get(field).and_then(Value::as_str).map(str::to_owned);
    assert_eq!((Some(named.path.clone()), named.what, named.base), (text("path"), text("what"), text("base")));
    assert!(named.path.chars().count() <= bounds::REPOSITORY_PATH_CHARS, "the path");
    assert!(input.diff.as_deref().is_none_or(|diff| diff.trim().is_empty()), "one of both");
}

fn choice(entry: &Value) -> Choice {
    let label = entry.as_str().or_else(|| entry["label"].as_str()).unwrap_or_default().to_owned();
    let description = entry.get("description").and_then(Value::as_str).map(str::to_owned);
    Choice { label, description, recommended: entry.get("recommended").and_then(Value::as_bool).unwrap_or(false) }
}

/// What is left when the rules were checked fits where it is stored and shown.
fn is_bounded(ask: &Ask) {
    assert!((1..=bounds::MESSAGE_BYTES).contains(&ask.message.len()), "the message");
    assert!(ask.options.len() <= bounds::OPTIONS, "the options");
    assert!(ask.options.iter().all(|option| !option.label.trim().is_empty()), "labels can be seen");
    let chars = |text: &Option<String>| text.as_ref().map_or(1, |text| text.chars().count());
    assert!((1..=bounds::TITLE_CHARS).contains(&chars(&ask.title)), "the title");
    assert!((1..=bounds::TITLE_CHARS).contains(&ask.headline().chars().count().max(1)), "the headline");
    assert!(ask.diff.as_deref().is_none_or(|diff| gate_core::diff::view(diff).is_ok()), "a diff can be shown");
}

/// Objects that are nearly right: every field, with a value that may be of its type.
fn object() -> impl Strategy<Value = Map<String, Value>> {
    let name = prop_oneof![8 => select(FIELDS).prop_map(str::to_owned), 2 => text(), 1 => "[a-z]{1,3}"];
    vec((name, value()), 0..14).prop_map(|fields| fields.into_iter().collect())
}

fn value() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<f64>().prop_map(|number| Number::from_f64(number).unwrap_or_else(|| Number::from(0))),
    ];
    let ids = ["0190a6e4-7a10-7000-8000-000000000001", "{0190A6E4-7A10-7000-8000-000000000002}", "0190a6e4"];
    let diffs = ["--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "--- a/x\n+++ b/x\n"];
    let known = [&ids[..], &diffs[..]].concat();
    let leaf = prop_oneof![
        6 => text().prop_map(Value::from),
        3 => select(known).prop_map(Value::from),
        4 => any::<bool>().prop_map(Value::from),
        1 => number.prop_map(Value::Number),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(6, 60, 8, |inner| {
        let label = select(&["label", "description", "recommended", "other"][..]);
        let option = vec((label, inner.clone()), 0..4);
        let option =
            option.prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
        let options = vec(prop_oneof![text().prop_map(Value::from), option.clone().prop_map(Value::Object)], 0..24);
        let field = select(&["path", "what", "base", "path", "other"][..]);
        let repository = vec((field, prop_oneof![4 => text().prop_map(Value::from), 1 => inner.clone()]), 0..4);
        let repository = repository.prop_map(|fields| {
            Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
        });
        prop_oneof![
            2 => vec(inner, 0..4).prop_map(Value::Array),
            3 => options.prop_map(Value::Array),
            2 => repository,
            1 => option.prop_map(Value::Object),
        ]
    })
}

/// Texts, long ones and ones that would hide something among them.
fn text() -> impl Strategy<Value = String> {
    let odd = ["", " ", "\0", "\u{202e}evil", "\r\n", "a\u{7}b", "\u{feff}", "# A *title*", "é"];
    prop_oneof![
        4 => "\\PC{0,30}",
        3 => select(odd.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => (select(odd.to_vec()), 1_usize..1200).prop_map(|(part, times)| part.repeat(times)),
    ]
}
