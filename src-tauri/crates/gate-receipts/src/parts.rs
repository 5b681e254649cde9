//! What the fields of lines are made of, each with one written form.
//!
//! Knows no line.

use std::fmt;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_core::Digest;
pub use gate_core::Oid;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

/// Which home a log belongs to: made once with it, and never again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HomeId(pub Uuid);

impl fmt::Display for HomeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// Where a chain stands: its last line's number and digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The line's number.
    pub seq: u64,
    /// The line's digest.
    pub line: Digest,
}

/// Bytes, outside in base64 with its padding (RFC 4648, section 4).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bytes(pub Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({})", STANDARD.encode(&self.0))
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Self).map_err(|error| D::Error::custom(format!("no base64: {error}")))
    }
}

/// A path as the system has it. Outside a text where it is UTF-8, and `{"base64": "…"}` where it isn't; nothing is
/// normalised.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StoredPath(Vec<u8>);

impl StoredPath {
    /// The path's bytes. On Windows, where paths are 16-bit units, those of Rust's own encoding, a superset of UTF-8.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<&Path> for StoredPath {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().as_encoded_bytes().to_vec())
    }
}

impl From<&[u8]> for StoredPath {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Coded(Coded),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Coded {
    base64: Bytes,
}

impl Serialize for StoredPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = match std::str::from_utf8(&self.0) {
            Ok(text) => Written::Text(text.to_owned()),
            Err(_) => Written::Coded(Coded { base64: Bytes(self.0.clone()) }),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for StoredPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Text(text) => Ok(Self(text.into_bytes())),
            Written::Coded(Coded { base64 }) if std::str::from_utf8(&base64.0).is_err() => Ok(Self(base64.0)),
            Written::Coded(_) => Err(D::Error::custom("a path that is UTF-8 is written as a text")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn written(value: &impl Serialize) -> Value {
        serde_json::to_value(value).expect("it is JSON")
    }

    fn read<T: for<'de> Deserialize<'de>>(value: Value) -> Option<T> {
        serde_json::from_value(value).ok()
    }

    #[test]
    fn a_path_is_a_text_or_base64_and_never_the_other() {
        let plain = StoredPath::from(Path::new("/srv/e\u{301}/ü"));
        assert_eq!(written(&plain), json!("/srv/e\u{301}/ü"), "as it is, composed or not");
        let odd = StoredPath::from(&b"/srv/\xff"[..]);
        assert_eq!(written(&odd), json!({"base64": "L3Nydi//"}));
        for path in [plain, odd] {
            assert_eq!(read(written(&path)), Some(path), "it comes back");
        }
        assert_eq!(read::<StoredPath>(json!({"base64": "L3Nydg=="})), None, "two forms would be two digests");
        assert_eq!(read::<StoredPath>(json!({"base64": "L3Nydi//", "x": 1})), None, "nothing beside it");
    }

    #[test]
    fn bytes_have_one_form() {
        assert_eq!(written(&Bytes(vec![255, 0])), json!("/wA="));
        assert_eq!(read(json!("/wA=")), Some(Bytes(vec![255, 0])));
        for wrong in ["/wA", "_wA=", "/wB=", "/wA= "] {
            assert_eq!(read::<Bytes>(json!(wrong)), None, "{wrong}");
        }
    }
}
