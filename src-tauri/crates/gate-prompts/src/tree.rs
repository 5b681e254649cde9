//! A YAML or JSON text as a tree that knows where each of its parts stands.

mod json;
mod yaml;

use crate::trouble::{Spot, Trouble};

/// Most parts of a text for each level of nesting, those that aliases stand for counted.
const NODES: usize = 8000;
/// Longest text of all parts for each level of nesting, those that aliases stand for counted, in bytes.
const BYTES: usize = 512 * 1024;
/// Deepest nesting of lists and mappings.
const DEPTH: usize = 32;

/// The trouble with a text that is nested more than [`DEPTH`] deep.
fn too_deep(at: Spot) -> Trouble {
    let message = format!("Lists and mappings are nested more than {DEPTH} deep here.");
    Trouble::new(Some(at), message, "A prompt needs four levels at most.")
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) at: Spot,
    pub(crate) what: What,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum What {
    Scalar(Scalar),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A text, number, truth value or nothing: what a plain one is depends on what is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scalar {
    pub(crate) text: String,
    /// Whether it stands without quotes, and so may be more than a text.
    pub(crate) plain: bool,
    /// The line on which its first line stands, where its lines are those of the file.
    pub(crate) first_line: Option<u32>,
}

/// An entry of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Where its name stands.
    pub(crate) at: Spot,
    pub(crate) value: Node,
}

impl Node {
    /// Whether nothing is said.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.what, What::Scalar(scalar)
            if scalar.plain && matches!(scalar.text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// Its text, where it is a single value.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.what {
            What::Scalar(scalar) => Some(&scalar.text),
            What::List(_) | What::Map(_) => None,
        }
    }

    pub(crate) fn truth(&self) -> Option<bool> {
        match self.text()?.to_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => None,
        }
    }

    /// What it is, for a sentence.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.what {
            _ if self.is_null() => "empty",
            What::Scalar(_) => "a single value",
            What::List(_) => "a list",
            What::Map(_) => "a mapping",
        }
    }

    pub(crate) fn entries(&self) -> Option<&[Entry]> {
        match &self.what {
            What::Map(entries) => Some(entries),
            What::Scalar(_) | What::List(_) => None,
        }
    }
}

/// Reads YAML: at most one document. `line` is the line on which it begins, 1 for a whole file.
pub(crate) fn yaml(text: &str, line: u32) -> Result<Node, Trouble> {
    yaml::read(text, line)
}

/// Reads JSON.
pub(crate) fn json(text: &str) -> Result<Node, Trouble> {
    json::read(text)
}
