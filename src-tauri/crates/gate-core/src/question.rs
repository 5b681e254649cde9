//! What of a question counts, part by part: its digest is made of the parts, and a terminal shows them before a decision,
//! so that nobody decides on what they weren't shown.
//!
//! Knows no field by its name, neither who asks nor what became of it.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::git::QuestionGit;

#[cfg(test)]
mod tests;

/// Parts in the order in which they are read. Serialised they are an object, as the digest has it: with defaults, and
/// without what is absent.
pub(crate) struct Parts<'a>(pub(crate) Vec<Part<'a>>);

/// A part by its name in that object. A change of it is another question.
pub(crate) struct Part<'a> {
    name: &'static str,
    value: Value<'a>,
}

enum Value<'a> {
    Text { heading: &'static str, text: Cow<'a, str> },
    Mark { heading: &'static str, said: &'static str, on: bool },
    Each(Vec<Parts<'a>>),
    Git(&'a QuestionGit),
}

impl<'a> Part<'a> {
    /// A text, which terminals show under its name.
    pub(crate) fn text(name: &'static str, text: impl Into<Cow<'a, str>>) -> Self {
        Self::headed(name, name, text)
    }

    /// A text, which terminals show under this heading.
    pub(crate) fn headed(name: &'static str, heading: &'static str, text: impl Into<Cow<'a, str>>) -> Self {
        Self { name, value: Value::Text { heading, text: text.into() } }
    }

    /// A mark, of which terminals say this where it is on.
    pub(crate) fn mark(name: &'static str, heading: &'static str, said: &'static str, on: bool) -> Self {
        Self { name, value: Value::Mark { heading, said, on } }
    }

    /// Several things of parts of their own.
    pub(crate) fn each(name: &'static str, of: impl Iterator<Item = Parts<'a>>) -> Self {
        Self { name, value: Value::Each(of.collect()) }
    }

    /// What git holds of it. Of one diff there may be several: the same change on another base is another question.
    pub(crate) fn git(name: &'static str, git: &'a QuestionGit) -> Self {
        Self { name, value: Value::Git(git) }
    }
}

impl<'a> Parts<'a> {
    /// As terminals show them: texts as they were sent, each under its heading.
    pub(crate) fn shown(self) -> Vec<(&'static str, Cow<'a, str>)> {
        let mut shown = Vec::new();
        for part in self.0 {
            match part.value {
                Value::Text { heading, text } => shown.push((heading, text)),
                Value::Mark { heading, said, on: true } => shown.push((heading, said.into())),
                Value::Mark { on: false, .. } => {}
                Value::Each(of) => shown.extend(of.into_iter().flat_map(Self::shown)),
                Value::Git(git) => shown.push(("repository", git.in_full().into())),
            }
        }
        shown
    }
}

impl Serialize for Parts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|part| (part.name, &part.value)))
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text { text, .. } => serializer.serialize_str(text),
            Self::Mark { on, .. } => serializer.serialize_bool(*on),
            Self::Each(of) => of.serialize(serializer),
            Self::Git(git) => git.serialize(serializer),
        }
    }
}
