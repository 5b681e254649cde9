//! The envelope of a JSON-RPC message: what kind it is, its id, its method. The payload is
//! skipped, never built.

use crate::private::PRIVATE_METHODS;
use serde::de::{Deserialize, Deserializer, IgnoredAny};
use serde_json::error::Category;
use serde_json::value::RawValue;

/// An id in one spelling: two texts that mean the same id give the same key.
pub(crate) type Key = Box<str>;

/// A message, as far as a relay needs to know it. Texts are raw JSON.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    Request {
        /// The id as it is written.
        id: &'a str,
        key: Key,
        method: String,
        params: Option<&'a str>,
    },
    Notification {
        method: String,
        params: Option<&'a str>,
    },
    Response {
        /// `None` if the other side couldn't tell which request failed.
        key: Option<Key>,
        /// The id as it is written.
        id: &'a str,
        /// Whether it is an error.
        error: bool,
    },
}

impl Message<'_> {
    /// Whether its method is one that only a relay may say to its gate.
    pub(crate) fn is_private(&self) -> bool {
        match self {
            Self::Request { method, .. } | Self::Notification { method, .. } => method.starts_with(PRIVATE_METHODS),
            Self::Response { .. } => false,
        }
    }
}

/// Why a line is no message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// The id as JSON text, if it could be found.
    pub(crate) id: Option<String>,
    /// -32700 for what is no JSON, else -32600.
    pub(crate) code: i32,
    pub(crate) message: String,
}

pub(crate) const PARSE_ERROR: i32 = -32700;
pub(crate) const INVALID_REQUEST: i32 = -32600;

#[derive(serde::Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(default)]
    result: Present,
    #[serde(default)]
    error: Present,
}

/// Whether a field is there, `null` or not.
#[derive(Default)]
struct Present(bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}

/// Reads the envelope of a line.
pub(crate) fn parse(line: &[u8]) -> Result<Message<'_>, Malformed> {
    let invalid = |id: Option<&str>, message: &str| Malformed {
        id: id.map(str::to_owned),
        code: INVALID_REQUEST,
        message: message.to_owned(),
    };
    let unreadable =
        |reason: String| Malformed { id: None, code: PARSE_ERROR, message: format!("The line is no JSON: {reason}.") };
    let text = std::str::from_utf8(line).map_err(|error| unreadable(error.to_string()))?;
    if text.trim_ascii_start().starts_with('[') {
        return Err(invalid(None, "Batches are not served: send one JSON-RPC message a line."));
    }
    let envelope: Envelope<'_> = serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Data => invalid(id_of(text).as_deref(), &format!("The line is no JSON-RPC message: {error}.")),
        Category::Syntax | Category::Eof | Category::Io => unreadable(error.to_string()),
    })?;
    let id = envelope.id.map(RawValue::get);
    let params = envelope.params.map(RawValue::get);
    if envelope.method.is_some() && params.is_some_and(|params| !params.starts_with('{')) {
        return Err(invalid(id, "`params` must be an object."));
    }
    match (envelope.method, id) {
        (Some(method), Some(id)) => match key(id) {
            Some(key) => Ok(Message::Request { id, key, method, params }),
            None => Err(invalid(Some(id), "The id is neither a string nor a whole number of 64 bits.")),
        },
        (Some(method), None) => Ok(Message::Notification { method, params }),
        (None, id) if envelope.result.0 || envelope.error.0 => {
            Ok(Message::Response { key: id.and_then(key), id: id.unwrap_or("null"), error: envelope.error.0 })
        }
        (None, id) => Err(invalid(id, "The message has neither a method nor a result nor an error.")),
    }
}

/// The key of an id, if it is one that MCP allows.
pub(crate) fn key(raw: &str) -> Option<Key> {
    if raw.starts_with('"') {
        let text: String = serde_json::from_str(raw).ok()?;
        return serde_json::to_string(&text).ok().map(Key::from);
    }
    // Not `parse`, which takes `+7` and `007`, too.
    serde_json::from_str::<i64>(raw).ok().map(|number| number.to_string().into())
}

/// `params.requestId` of `notifications/cancelled`, as it is written.
pub(crate) fn cancelled_id(params: Option<&str>) -> Option<&str> {
    #[derive(serde::Deserialize)]
    struct Cancelled<'a> {
        #[serde(borrow, rename = "requestId")]
        request_id: &'a RawValue,
    }
    serde_json::from_str::<Cancelled<'_>>(params?).ok().map(|cancelled| cancelled.request_id.get())
}

/// `params.uri`.
pub(crate) fn uri(params: Option<&str>) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Subject {
        uri: String,
    }
    serde_json::from_str::<Subject>(params?).ok().map(|subject| subject.uri)
}

/// The line with `part`, which must be a slice of it, replaced.
pub(crate) fn splice(line: &[u8], part: &str, with: &str) -> Option<Vec<u8>> {
    let from = (part.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
    let to = from.checked_add(part.len())?;
    let (before, after) = (line.get(..from)?, line.get(to..)?);
    Some([before, with.as_bytes(), after].concat())
}

fn id_of(text: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct OnlyId<'a> {
        #[serde(borrow)]
        id: &'a RawValue,
    }
    let found: OnlyId<'_> = serde_json::from_str(text).ok()?;
    key(found.id.get()).map(|_| found.id.get().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{INVALID_REQUEST, Malformed, Message, PARSE_ERROR, cancelled_id, key, parse, splice};

    #[test]
    fn ids_that_mean_the_same_have_one_key() {
        assert_eq!(key(r#""\u0041\/b""#), key(r#""A/b""#), "the gate may spell the id in another way");
        assert_ne!(key("7"), key(r#""7""#), "a number is not the string of it");
        assert_eq!((key("1.5"), key("{}"), key("null")), (None, None, None), "MCP allows no such ids");
        assert_eq!((key("+7"), key("007"), key("")), (None, None, None), "the edge of a line needn't be JSON");
    }

    #[test]
    fn what_is_no_message_is_refused_with_the_id_where_it_can_be_found() {
        let refused = |line: &str| parse(line.as_bytes()).err().map(|Malformed { id, code, .. }| (id, code));
        assert_eq!(refused("hello"), Some((None, PARSE_ERROR)), "no JSON");
        assert_eq!(refused(r#"{"id":1,"method""#), Some((None, PARSE_ERROR)), "cut off");
        assert_eq!(refused(r#"[{"id":1,"method":"ping"}]"#), Some((None, INVALID_REQUEST)), "a batch");
        assert_eq!(refused(r#"{"id":1,"method":5}"#), Some((Some("1".into()), INVALID_REQUEST)), "a wrong method");
        assert_eq!(refused(r#"{"id":1.5,"method":"a"}"#), Some((Some("1.5".into()), INVALID_REQUEST)), "a wrong id");
        assert_eq!(refused("{}"), Some((None, INVALID_REQUEST)), "nothing in it");
        assert_eq!(parse(b"\"\xff\"").err().map(|found| found.code), Some(PARSE_ERROR), "JSON is UTF-8");
    }

    #[test]
    fn a_null_result_is_a_result() {
        let message = parse(br#"{"jsonrpc":"2.0","id":1,"result":null}"#);
        assert!(matches!(message, Ok(Message::Response { error: false, .. })), "a call may give nothing: {message:?}");
    }

    #[test]
    fn an_id_is_replaced_in_place() {
        let line = br#"{"method":"notifications/cancelled","params":{"reason":"7","requestId":7}}"#;
        let Ok(Message::Notification { params, .. }) = parse(line) else { panic!("it is a notification") };
        let spliced = cancelled_id(params).and_then(|id| splice(line, id, r#""gate-1-0""#)).unwrap_or_default();
        assert_eq!(
            String::from_utf8_lossy(&spliced),
            r#"{"method":"notifications/cancelled","params":{"reason":"7","requestId":"gate-1-0"}}"#,
            "only the id may change"
        );
    }
}
