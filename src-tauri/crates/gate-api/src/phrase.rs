//! Texts as front ends are given them: by name, so that each says them in its own language. The words
//! stand in `ui/locales`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A text that a person reads: a message of the catalogues, and what is put into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Phrase {
    /// The message's id, e.g. `setting-window-theme`.
    pub id: String,
    /// What is put into it, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<BTreeMap<String, String>>", optional))]
    pub values: BTreeMap<String, String>,
}

impl Phrase {
    /// A message into which nothing is put.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), values: BTreeMap::new() }
    }

    /// The message with a value put into it.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }
}
