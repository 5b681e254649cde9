//! Paths in a repository: bytes, as git has them. Knows no file system.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

/// A path from the top of a repository, `/` between its parts: whatever bytes git has there, not always UTF-8.
///
/// Serialised it is a text where it is UTF-8, else `{"base64": "…"}`; nothing is normalised.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Vec<u8>);

impl RepoPath {
    /// Of these bytes.
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// As git has it.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// For a person: what isn't UTF-8, and control characters, as `\x..`.
impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                if c.is_control() { write!(f, "\\x{:02x}", u32::from(c))? } else { write!(f, "{c}")? }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{self}`")
    }
}

impl Serialize for RepoPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Ok(text) = std::str::from_utf8(&self.0) {
            return serializer.serialize_str(text);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("base64", &STANDARD.encode(&self.0))?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_as_text_or_as_base64_and_shown_without_control_characters() {
        let plain = RepoPath::new("src/é.rs");
        assert_eq!(serde_json::to_string(&plain).expect("a text"), r#""src/é.rs""#);
        let odd = RepoPath::new(*b"a\n\xff");
        assert_eq!(serde_json::to_string(&odd).expect("an object"), r#"{"base64":"YQr/"}"#);
        assert_eq!(odd.to_string(), "a\\x0a\\xff", "a terminal isn't told to do anything");
    }
}
