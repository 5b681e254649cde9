//! Texts as front ends are given them: by name, so that each says them in its own language. The words
//! stand in `ui/locales`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// A text that a person reads: a message of the catalogues, and what is put into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Phrase {
    /// The message's id, e.g. `setting-window-theme`.
    pub id: String,
    /// What is put into it, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<BTreeMap<String, PhraseValue>>", optional))]
    pub values: BTreeMap<String, PhraseValue>,
}

/// What is put into a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum PhraseValue {
    /// A name, a path, a command, what somebody else said: it stays as it is in every language.
    Text(String),
    /// How many: each language has its own forms for it. What isn't there is a 0, which no text is.
    Number(#[cfg_attr(feature = "typescript", ts(type = "number"))] i64),
}

impl Phrase {
    /// A message into which nothing is put.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), values: BTreeMap::new() }
    }

    /// The message with a value put into it.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<PhraseValue>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }
}

impl From<&str> for PhraseValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for PhraseValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&Path> for PhraseValue {
    fn from(path: &Path) -> Self {
        Self::Text(path.display().to_string())
    }
}

impl From<i64> for PhraseValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for PhraseValue {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for PhraseValue {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl<V: Into<PhraseValue>> From<Option<V>> for PhraseValue {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Number(0), Into::into)
    }
}
