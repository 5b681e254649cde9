//! Fuzzing what the relay reads: any bytes are a message or a refusal that can be said on one
//! line, and what is a message means the same here and to whoever parses it whole.

use super::edges;
use super::envelope::{self, Message, PARSE_ERROR};
use super::refusal;
use crate::fuzzing::{Bytes, Fuzz, damaged, seeds};
use crate::private::{PRIVATE_PREFIX, private};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use serde_json::value::RawValue;

const TOKENS: &[&str] = &[
    "\"id\":7",
    "\"id\":",
    ",\"id\":\"a\"",
    "\\\"id\":7",
    "null",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "\\udc00\\ud83d",
    "\u{202e}",
    "\u{feff}",
    "\r",
    "\0",
    "+",
    "-",
    "-0",
    "00",
    "1e999",
    "9223372036854775808",
    "18446744073709551616",
    "1.0",
    "\"method\":\"notifications/review_gate/heartbeat\"",
    "\"result\":{}",
    "\"error\":null",
    "\"params\":{\"requestId\":1,\"uri\":\"u\",\"id\":[1]}",
    "[[[[[[[[[[[[[[[[",
    "{\"a\":{\"a\":{\"a\":",
];

#[test]
fn fuzz_envelope() {
    let mut fuzz = Fuzz::new("envelope");
    for seed in seeds("envelope") {
        any_line(seed, 1000, 1000);
    }
    let any = (damaged("envelope", TOKENS), 0_usize..200, 0_usize..200);
    let said = (said(), 0_usize..200, 0_usize..200);
    while fuzz.goes_on() {
        fuzz.batch(&any, |(line, head, tail)| any_line(line, head, tail));
        fuzz.batch(&said, |(said, head, tail)| {
            is_understood(&said);
            any_line(Bytes(said.line()), head, tail);
        });
    }
}

/// What holds for every line, of which the edges may be all that is known.
fn any_line(Bytes(bytes): Bytes, head: usize, tail: usize) {
    // The line reader takes care of newlines.
    let mut line: Vec<u8> = bytes.into_iter().filter(|byte| *byte != b'\n').collect();
    line.push(b'\n');
    let parsed = envelope::parse(&line);
    let tree = serde_json::from_slice::<Value>(&line).ok();
    match &parsed {
        Ok(message) => {
            let text = std::str::from_utf8(&line).expect("a message is text");
            assert!(is_json(text), "what is passed on is JSON, if perhaps too deep or too large a number for a tree");
            means_the_same(message, tree.as_ref());
            can_be_renamed(message, &line);
        }
        Err(found) => {
            assert!(found.code != PARSE_ERROR || tree.is_none(), "it is JSON, so the refusal is wrong: {found:?}");
            assert!(found.id.as_deref().is_none_or(is_json), "an id that is said again is JSON: {found:?}");
            let answer: Value = one_line(&refusal::malformed(found));
            let id = found.id.as_deref().and_then(|id| serde_json::from_str(id).ok());
            assert_eq!(answer["id"], id.unwrap_or(Value::Null), "the refusal names the request");
        }
    }
    is_private_only_from_a_relay(&line, &parsed);
    edges_tell_no_lies(&line, &parsed, head, tail);
}

fn means_the_same(message: &Message<'_>, tree: Option<&Value>) {
    let Some(tree) = tree else { return };
    assert!(tree.is_object(), "a message is an object");
    let whole = |id: &Value| id.is_string() || id.is_i64();
    match message {
        Message::Request { id, key, method, params } => {
            assert!(whole(&tree["id"]), "MCP's ids are strings and whole numbers: {id}");
            assert_eq!(from(id), tree["id"], "the id as it is written");
            assert_eq!(from(key), tree["id"], "the id in one spelling");
            assert_eq!(tree["method"], method.as_str(), "the method");
            assert_eq!(
                params.map(from),
                tree.get("params").filter(|found| !found.is_null()).cloned(),
                "the parameters"
            );
            let uri = tree["params"]["uri"].as_str().map(str::to_owned);
            // A field that stands there twice has no value that everybody would agree on.
            assert!([None, uri].contains(&envelope::uri(*params)), "the resource");
        }
        Message::Notification { method, params } => {
            assert_eq!(tree.get("id").filter(|id| !id.is_null()), None, "what has an id wants an answer");
            assert_eq!(tree["method"], method.as_str(), "the method");
            if let Some(id) = envelope::cancelled_id(*params) {
                assert_eq!(from(id), tree["params"]["requestId"], "what is cancelled");
            }
        }
        Message::Response { key, id, error } => {
            assert_eq!(tree.get("method").filter(|method| !method.is_null()), None, "a response asks nothing");
            assert_eq!(*error, tree.get("error").is_some(), "whether it failed");
            assert_eq!(from(id), tree.get("id").cloned().unwrap_or_default(), "the id as it is written");
            assert_eq!(key.is_some(), whole(&from(id)), "an id that can have been asked has a key");
            assert!(key.as_deref().is_none_or(|key| from(key) == from(id)), "and the key is that id");
        }
    }
}

/// An id is replaced in its place, and nothing else is.
fn can_be_renamed(message: &Message<'_>, line: &[u8]) {
    const OTHER: &str = r#""gate-1-0""#;
    let part = match message {
        Message::Request { id, .. } => Some(*id),
        Message::Response { key: Some(_), id, .. } => Some(*id),
        Message::Response { key: None, .. } => None,
        Message::Notification { params, .. } => envelope::cancelled_id(*params),
    };
    let Some(part) = part else { return };
    assert_eq!(envelope::splice(line, part, part).as_deref(), Some(line), "the same id changes nothing");
    let renamed = envelope::splice(line, part, OTHER).expect("an id is a slice of its line");
    assert_eq!(renamed.iter().filter(|byte| **byte == b'\n').count(), 1, "one line stays one line");
    match (message, envelope::parse(&renamed)) {
        (
            Message::Request { method, params, .. },
            Ok(Message::Request { id, key, method: new_method, params: new_params }),
        ) => {
            assert_eq!((id, &*key), (OTHER, OTHER), "the new id is read");
            assert_eq!((method, params), (&new_method, &new_params), "the rest is as it was");
        }
        (Message::Response { error, .. }, Ok(Message::Response { key, error: new_error, .. })) => {
            assert_eq!(key.as_deref(), Some(OTHER), "the new id is read");
            assert_eq!(*error, new_error, "the rest is as it was");
        }
        (Message::Notification { method, .. }, Ok(Message::Notification { method: new_method, params })) => {
            assert_eq!(envelope::cancelled_id(params), Some(OTHER), "the new id is read");
            assert_eq!(method, &new_method, "the rest is as it was");
        }
        (_, other) => panic!("another kind of message with another id: {other:?}"),
    }
}

/// The gate believes a private line, so the relay must know every such line that a client says.
fn is_private_only_from_a_relay(line: &[u8], parsed: &Result<Message<'_>, envelope::Malformed>) {
    let Some(note) = private(line) else { return };
    assert!(line.starts_with(PRIVATE_PREFIX), "it is told by its first bytes");
    let again = note.to_line();
    one_line::<Value>(&again);
    assert_eq!(private(&again), Some(note), "both ends agree on the bytes");
    assert!(parsed.as_ref().map_or(true, Message::is_private), "a client could say it: {parsed:?}");
}

fn edges_tell_no_lies(line: &[u8], parsed: &Result<Message<'_>, envelope::Malformed>, head: usize, tail: usize) {
    let edges = edges::read(&line[..head.min(line.len())], &line[line.len().saturating_sub(tail)..]);
    let Some(id) = &edges.id else { return };
    assert!(is_json(id) && envelope::key(id).is_some(), "an id that is said again is JSON: {id}");
    let key = match parsed {
        Ok(Message::Request { key, .. }) => Some(key),
        Ok(Message::Response { key, .. }) => key.as_ref(),
        Ok(Message::Notification { .. }) => None,
        Err(_) => return,
    };
    assert_eq!(envelope::key(id).as_ref(), key, "the id at an edge is the message's");
}

/// A message to a plan: what it says, and the JSON of its fields.
#[derive(Debug, Clone)]
struct Said {
    fields: Vec<(String, String)>,
    space: &'static str,
    id: Option<Value>,
    method: Option<String>,
    error: bool,
}

impl Said {
    fn line(&self) -> Vec<u8> {
        let space = self.space;
        let fields: Vec<String> =
            self.fields.iter().map(|(name, value)| format!("{space}{name}{space}:{space}{value}{space}")).collect();
        format!("{space}{{{}}}{space}\n", fields.join(",")).into_bytes()
    }
}

fn is_understood(said: &Said) {
    let line = said.line();
    let parsed = envelope::parse(&line);
    let found = match &parsed {
        Ok(Message::Request { id, method, .. }) => (Some(from(id)), Some(method.clone()), false),
        Ok(Message::Notification { method, .. }) => (None, Some(method.clone()), false),
        Ok(Message::Response { id, error, .. }) => (Some(from(id)), None, *error),
        Err(found) => panic!("a message of the protocol was refused: {found:?}"),
    };
    assert_eq!(found, (said.id.clone(), said.method.clone(), said.error), "what was said is what was heard");
}

fn said() -> impl Strategy<Value = Said> {
    let id = prop_oneof![
        any::<i64>().prop_map(|id| (id.to_string(), Value::from(id))),
        spelled().prop_map(|(text, json)| (json, Value::from(text))),
    ];
    let other = ("[a-h ]{1,12}", json()).prop_map(|(name, value)| (format!("\"_{name}\""), value));
    let params = json().prop_map(|value| format!("{{\"p\":{value}}}"));
    let space = select(&["", "", " ", "\t", "\r", " \r\t "][..]);
    let shape = (0_u8..4, any::<bool>());
    let parts = (id, spelled(), params, json(), vec(other, 0..4), space, shape);
    let message = parts.prop_map(|((id_json, id), (method, method_json), params, result, mut fields, space, shape)| {
        let (kind, with_params) = shape;
        let field = |name: &str, value: String| (format!("\"{name}\""), value);
        if kind != 1 {
            // A field may be spelled in another way.
            fields.push((if with_params { "\"id\"" } else { "\"\\u0069d\"" }.to_owned(), id_json));
        }
        if kind < 2 {
            fields.push(field("method", method_json));
            fields.extend(with_params.then(|| field("params", params)));
        } else {
            fields.push(field(if kind == 2 { "result" } else { "error" }, result));
        }
        fields.push(field("jsonrpc", "\"2.0\"".to_owned()));
        let (id, method) = ((kind != 1).then_some(id), (kind < 2).then_some(method));
        Said { fields, space, id, method, error: kind == 3 }
    });
    message.prop_flat_map(|said| {
        let shuffled = Just(said.fields.clone()).prop_shuffle();
        shuffled.prop_map(move |fields| Said { fields, ..said.clone() })
    })
}

/// A text, and one of its spellings in JSON.
fn spelled() -> impl Strategy<Value = (String, String)> {
    let special =
        select(&['"', '\\', '/', '\0', '\n', '\u{7f}', '\u{202e}', '\u{2028}', '\u{feff}', '😀', 'é', '{'][..]);
    let letter = prop_oneof![3 => prop::char::range(' ', '~'), 2 => special, 1 => any::<char>()];
    vec((letter, any::<bool>()), 0..12).prop_map(|letters| {
        let (mut text, mut json) = (String::new(), "\"".to_owned());
        for (letter, escaped) in letters {
            text.push(letter);
            if escaped {
                json.extend(letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
            } else {
                let quoted = serde_json::to_string(&letter).expect("a letter is JSON");
                json.push_str(&quoted[1..quoted.len() - 1]);
            }
        }
        (text, json + "\"")
    })
}

/// Values that not every parser takes.
const ODD: &[&str] = &[
    "null",
    "true",
    "-0",
    "1e999",
    "0.1e-400",
    "123456789012345678901234567890",
    r#""\ud800""#,
    r#""\udfff\ud83d""#,
    r#"{"id":1,"id":2}"#,
    r#"{"id":3}"#,
    "[]",
];

/// JSON that is a value, though perhaps none that fits into a tree.
fn json() -> impl Strategy<Value = String> {
    let deep = (1_usize..400).prop_map(|depth| format!("{}7{}", "[{\"id\":".repeat(depth), "}]".repeat(depth)));
    let leaf =
        prop_oneof![4 => select(ODD).prop_map(str::to_owned), 2 => spelled().prop_map(|(_, json)| json), 1 => deep];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|values| format!("[{}]", values.join(" ,"))),
            vec(inner, 0..4).prop_map(|values| {
                let fields = values.into_iter().enumerate().map(|(n, value)| format!("\"{}\": {value}", n % 3));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
            }),
        ]
    })
}

/// The text as a tree; what has none is `null`, which no id is.
fn from(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text.trim_ascii()).is_ok()
}

/// What the one line says.
fn one_line<T: serde::de::DeserializeOwned + Default>(line: &[u8]) -> T {
    let newline = line.iter().position(|byte| *byte == b'\n');
    assert_eq!(newline, Some(line.len() - 1), "it is one line with its newline");
    let text = std::str::from_utf8(line).expect("a line is text");
    assert!(is_json(text), "a line is JSON: {text}");
    serde_json::from_str(text).unwrap_or_default()
}
