//! Markdown as a tree. Agent text is hostile: HTML becomes text, links open only safe schemes,
//! images are links, and words that Markdown itself would leave out are a part of the tree. The text is as it was
//! written; whoever shows it marks the characters that reorder or hide text, or has them made [`visible`].
//!
//! Syntax: CommonMark with GitHub's tables, task lists and strikethrough.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};
use serde::{Deserialize, Serialize};

use crate::bounds;
use crate::unseen::is_unseen;
pub use crate::unseen::visible;
use build::Builder;

mod build;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;

/// Most text, in bytes, that is formatted; the rest is offered as plain text. A whole message.
pub const FORMATTED_BYTES: usize = bounds::MESSAGE_BYTES;
/// Most blocks and marked runs that are formatted: more than a message of that length has that somebody
/// wrote to be read.
pub const FORMATTED_PIECES: usize = 200_000;
/// Longest source, in bytes, of one outermost block. A window lays these out one by one, when they are
/// looked at; a longer one is formatted up to here, and the text from there on is plain.
pub const BLOCK_BYTES: usize = 128 * 1024;
/// Most blocks and marked runs in one outermost block; a window takes a good second for 10,000 of them.
pub const BLOCK_PIECES: usize = 6000;
/// Most line breaks one after the other that are breaks of lines.
pub const BREAKS: usize = 20;
/// How often a text is cut shorter to keep the bounds; text that is made to break them each time anew
/// is plain.
const CUTS: usize = 8;
/// What of GitHub's Markdown is read.
pub(crate) const SYNTAX: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_TASKLISTS).union(Options::ENABLE_STRIKETHROUGH);

/// A block of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Block {
    /// A paragraph.
    Paragraph {
        /// Its text.
        children: Vec<Inline>,
    },
    /// A heading of level 1 to 6.
    Heading {
        /// The level.
        level: u8,
        /// Its text.
        children: Vec<Inline>,
    },
    /// A code block.
    Code {
        /// The language after the fence; empty when none.
        language: String,
        /// What else stands after the fence; empty when nothing does.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<String>"))]
        info: String,
        /// The code.
        text: String,
    },
    /// A quotation.
    Quote {
        /// What it holds.
        children: Vec<Block>,
    },
    /// A list.
    List {
        /// The first number of an ordered list.
        start: Option<u32>,
        /// Its items.
        items: Vec<Item>,
    },
    /// A table.
    Table {
        /// The head row's cells.
        head: Vec<Vec<Inline>>,
        /// The other rows' cells.
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A thematic break.
    Rule,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Item {
    /// Whether a task is done; absent when it is no task.
    pub checked: Option<bool>,
    /// What it holds.
    pub children: Vec<Block>,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Inline {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// Code.
    Code {
        /// The code.
        text: String,
    },
    /// Emphasis.
    Emphasis {
        /// What is emphasised.
        children: Vec<Inline>,
    },
    /// Strong emphasis.
    Strong {
        /// What is emphasised.
        children: Vec<Inline>,
    },
    /// Text that is struck through.
    Strike {
        /// What is struck through.
        children: Vec<Inline>,
    },
    /// A link to `https`, `http` or `mailto`. Other links are text.
    Link {
        /// Where it goes; shown to the person before it opens.
        href: String,
        /// Whether it is a picture, which isn't loaded.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
        image: bool,
        /// What it says.
        children: Vec<Inline>,
    },
    /// A line break.
    Break,
    /// More line breaks than [`BREAKS`], one after the other: they would push what follows far away.
    Blank {
        /// How many.
        lines: u32,
    },
    /// Text that Markdown wouldn't show: a definition that no link uses, a link's title, where a link goes that isn't
    /// opened, cells that a table has no column for.
    Dropped {
        /// The text, as it stands in the source.
        text: String,
    },
}

/// A parsed document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Document {
    /// The formatted part.
    pub blocks: Vec<Block>,
    /// What follows it as plain text, when the document is more than [`FORMATTED_BYTES`] or
    /// [`FORMATTED_PIECES`], or a block of it more than [`BLOCK_BYTES`] or [`BLOCK_PIECES`].
    pub rest: Option<String>,
}

/// Parses Markdown. Never fails: whatever isn't Markdown is text. Linear in the length of `source`.
#[must_use]
pub fn parse(source: &str) -> Document {
    let (mut head, mut rest) = split(source, FORMATTED_BYTES);
    for _ in 0..CUTS {
        match format(head) {
            Ok(blocks) => return Document { blocks, rest: rest.map(str::to_owned) },
            // Cut there, it may read otherwise: an end of something is missing.
            Err(at) => (head, rest) = split(source, at),
        }
    }
    Document { blocks: Vec::new(), rest: Some(source.to_owned()) }
}

/// The blocks of a text; or where a bound is passed, which is before its end.
fn format(text: &str) -> Result<Vec<Block>, usize> {
    let parser = Parser::new_ext(text, SYNTAX);
    let defines = parser.reference_definitions().iter().next().is_some();
    let mut builder = Builder::of(text, if defines { used_definitions(text) } else { Vec::new() });
    let (mut depth, mut pieces, mut in_block) = (0_usize, 0, 0);
    for (event, place) in parser.into_offset_iter() {
        if depth == 0 {
            in_block = 0;
            if place.len() > BLOCK_BYTES {
                return Err(place.start + BLOCK_BYTES);
            }
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if matches!(event, Event::Start(_) | Event::Code(_) | Event::HardBreak | Event::Rule) {
            (pieces, in_block) = (pieces + 1, in_block + 1);
            if pieces > FORMATTED_PIECES || in_block > BLOCK_PIECES {
                return Err(place.start);
            }
        }
        builder.take(event, place);
    }
    Ok(builder.finish())
}

/// Where the definitions stand that links use, in their order: what they say is shown with the links. A parse of its own,
/// for the few texts that define any.
fn used_definitions(text: &str) -> Vec<Range<usize>> {
    let mut parser = Parser::new_ext(text, SYNTAX);
    let labels: Vec<String> = parser
        .by_ref()
        .filter_map(|event| match event {
            Event::Start(Tag::Link { id, .. } | Tag::Image { id, .. }) if !id.is_empty() => Some(id.into_string()),
            _ => None,
        })
        .collect();
    let defined = labels.iter().filter_map(|label| parser.reference_definitions().get(label));
    let mut used: Vec<Range<usize>> = defined.map(|defined| defined.span.clone()).collect();
    used.sort_unstable_by_key(|span| span.start);
    used.dedup();
    used
}

/// Whether `href` may be opened: `https`, `http` or `mailto`, without control characters.
#[must_use]
pub fn may_open(href: &str) -> bool {
    let Some((scheme, rest)) = href.split_once(':') else { return false };
    let scheme = scheme.to_ascii_lowercase();
    let known = match scheme.as_str() {
        "https" | "http" => rest.starts_with("//") && rest.len() > 2,
        "mailto" => !rest.is_empty(),
        _ => false,
    };
    known && !href.chars().any(|c| c.is_control() || c.is_whitespace() || is_unseen(c))
}

/// Divides `source` after at most `bytes`, at a line's end where there is one not far before.
fn split(source: &str, bytes: usize) -> (&str, Option<&str>) {
    if source.len() <= bytes {
        return (source, None);
    }
    let mut at = bytes;
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    let (head, _) = source.split_at(at);
    let at = head.rfind('\n').filter(|newline| *newline > at / 2).map_or(at, |newline| newline + 1);
    let (head, rest) = source.split_at(at);
    (head, Some(rest))
}
