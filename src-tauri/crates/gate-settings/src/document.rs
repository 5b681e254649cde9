//! A YAML file as a tree that knows where each of its parts stands. What is YAML is the parser's matter;
//! the tree only keeps its events.

use std::collections::HashMap;
use std::ops::Range;

use gate_core::ask::excerpt;
use gate_core::bounds;
use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};
use serde_json::{Map, Value};

use crate::scalar;

/// What editors of some systems put in front of a text; it is no part of it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// What a key that is no text is called at most, in characters.
const NAME_CHARS: usize = 200;

/// Why a text is no YAML file that settings can be read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// What is wrong, without a full stop.
    pub cause: String,
    /// Where.
    pub at: Spot,
}

/// A place in a text; both numbers count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Spot {
    /// Where the byte at this offset stands.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let last = before.rsplit('\n').next().unwrap_or(before);
        Self { line, column: last.trim_start_matches(BYTE_ORDER_MARK).chars().count() + 1 }
    }
}

impl std::fmt::Display for Spot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A text that was read.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub(crate) text: &'a str,
    pub(crate) root: Node,
    /// The bytes of every scalar, in order: what is between them holds the comments.
    scalars: Vec<Range<usize>>,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Its bytes; empty for a value that isn't written. Of a block, from its first entry to the end of
    /// its last one's value.
    pub(crate) span: Range<usize>,
    pub(crate) what: What,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum What {
    /// A scalar as JSON, or what an alias stands for.
    Value(Value),
    Map {
        flow: bool,
        entries: Vec<(Node, Node)>,
    },
    List {
        flow: bool,
        items: Vec<Node>,
    },
}

impl Node {
    /// As JSON.
    pub(crate) fn value(&self) -> Value {
        match &self.what {
            What::Value(value) => value.clone(),
            What::List { items, .. } => Value::Array(items.iter().map(Self::value).collect()),
            What::Map { entries, .. } => {
                Value::Object(entries.iter().map(|(key, value)| (key.name(), value.value())).collect())
            }
        }
    }

    /// As the key of a table. What a table or a list is called that stands as a key is cut: each such key in another one
    /// would double the marks of all in it.
    pub(crate) fn name(&self) -> String {
        match self.value() {
            Value::String(text) => text,
            other => excerpt(&other.to_string(), NAME_CHARS),
        }
    }

    /// The entry of this name, and its place.
    pub(crate) fn entry(&self, name: &str) -> Option<(usize, &(Self, Self))> {
        match &self.what {
            What::Map { entries, .. } => entries.iter().enumerate().find(|(_, (key, _))| key.name() == name),
            What::Value(_) | What::List { .. } => None,
        }
    }

    /// What stands below these names; a number names an item of a list.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        let Some((first, rest)) = path.split_first() else { return Some(self) };
        match &self.what {
            What::Map { .. } => self.entry(first)?.1.1.at(rest),
            What::List { items, .. } => items.get(first.parse::<usize>().ok()?)?.at(rest),
            What::Value(_) => None,
        }
    }
}

impl<'a> Document<'a> {
    /// Reads a text: at most one document, without an entry that stands twice.
    pub(crate) fn parse(text: &'a str) -> Result<Self, Broken> {
        let start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
        let body = text.get(start..).unwrap_or_default();
        let mut builder = Builder { text, offsets: ByteOffsets::of(body, start), ..Builder::default() };
        for event in Parser::new_from_str(body) {
            match event {
                Ok((event, span)) => builder.take(event, &span)?,
                Err(error) => {
                    let at = builder.offsets.byte(error.marker().index());
                    return Err(Broken { cause: error.info().to_owned(), at: Spot::of(text, at) });
                }
            }
        }
        let nothing = || Node { span: text.len()..text.len(), what: What::Value(Value::Null) };
        Ok(Self { text, root: builder.root.unwrap_or_else(nothing), scalars: builder.scalars })
    }

    /// As JSON.
    pub(crate) fn value(&self) -> Value {
        self.root.value()
    }

    /// Where the entry below these names begins: its key.
    pub(crate) fn spot(&self, path: &[&str]) -> Option<Spot> {
        let (name, parents) = path.split_last()?;
        let parent = self.root.at(parents)?;
        let start = match parent.entry(name) {
            Some((_, (key, _))) => key.span.start,
            None => parent.at(&[name])?.span.start,
        };
        Some(Spot::of(self.text, start))
    }

    /// Its comments, in order, each with its bytes from `#` to before the end of its line.
    pub(crate) fn comments(&self) -> Vec<Range<usize>> {
        let mut comments = Vec::new();
        let mut from = 0;
        for scalar in self.scalars.iter().chain([&(self.text.len()..self.text.len())]) {
            comments_between(self.text, from..scalar.start, &mut comments);
            from = from.max(scalar.end);
        }
        comments
    }
}

/// What begins with a `#` at a line's begin or after a blank, where no scalar stands.
fn comments_between(text: &str, gap: Range<usize>, comments: &mut Vec<Range<usize>>) {
    let mut from = gap.start;
    while let Some(found) = text.get(from..gap.end).and_then(|rest| rest.find('#')) {
        let start = from + found;
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        if before.is_none_or(|letter| letter.is_whitespace() || letter == BYTE_ORDER_MARK) {
            let line = text.get(start..).and_then(|rest| rest.find(['\n', '\r'])).map_or(text.len(), |end| start + end);
            comments.push(start..line);
            from = line;
        } else {
            from = start + 1;
        }
    }
}

/// From characters to bytes.
#[derive(Debug, Default)]
struct ByteOffsets {
    start: usize,
    /// The byte of each character; empty where each has one byte.
    bytes: Vec<usize>,
    end: usize,
}

impl ByteOffsets {
    fn of(body: &str, start: usize) -> Self {
        let bytes = if body.is_ascii() { Vec::new() } else { body.char_indices().map(|(byte, _)| byte).collect() };
        Self { start, bytes, end: body.len() }
    }

    fn byte(&self, index: usize) -> usize {
        let byte = if self.bytes.is_empty() { index } else { self.bytes.get(index).copied().unwrap_or(self.end) };
        self.start + byte.min(self.end)
    }
}

/// A collection that has begun.
#[derive(Debug)]
struct Open {
    start: usize,
    anchor: usize,
    what: What,
    /// The key whose value comes next.
    key: Option<Node>,
}

#[derive(Debug, Default)]
struct Builder<'a> {
    text: &'a str,
    offsets: ByteOffsets,
    open: Vec<Open>,
    root: Option<Node>,
    anchors: HashMap<usize, Value>,
    scalars: Vec<Range<usize>>,
    documents: usize,
    nodes: usize,
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), Broken> {
        let (start, end) = (self.offsets.byte(span.start.index()), self.offsets.byte(span.end.index()));
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(self.broken("a second document begins here; settings are one document", start));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let written = self.written(&text, style, start..end);
                let value = scalar_value(&text, style, tag.as_deref(), written.is_empty());
                self.count(&value, start)?;
                self.remember(anchor, &value);
                if !written.is_empty() {
                    self.scalars.push(self.with_indicator(style, written.clone()));
                }
                self.add(Node { span: written, what: What::Value(value) })?;
            }
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor).cloned().unwrap_or_default();
                self.count(&value, start)?;
                self.scalars.push(start..end);
                self.add(Node { span: start..end, what: What::Value(value) })?;
            }
            Event::MappingStart(anchor, _) => {
                let flow = self.text.get(start..).is_some_and(|rest| rest.starts_with('{'));
                self.begin(start, anchor, What::Map { flow, entries: Vec::new() })?;
            }
            Event::SequenceStart(anchor, _) => {
                let flow = self.text.get(start..).is_some_and(|rest| rest.starts_with('['));
                self.begin(start, anchor, What::List { flow, items: Vec::new() })?;
            }
            Event::MappingEnd | Event::SequenceEnd => self.end(end)?,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    /// The bytes of a scalar; none where a value is left out, for which the parser gives a `~` at
    /// whatever comes next.
    fn written(&self, text: &str, style: ScalarStyle, span: Range<usize>) -> Range<usize> {
        let source = self.text.get(span.clone()).unwrap_or_default();
        let left_out = style == ScalarStyle::Plain && (text.is_empty() || (text == "~" && source != "~"));
        if !left_out {
            return match style {
                ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => span.start..span.start + quoted_len(source),
                ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => span,
            };
        }
        // It stands right behind its key's colon, or nowhere.
        let key = self.open.last().and_then(|open| open.key.as_ref()).map(|key| key.span.end);
        let colon = key.and_then(|key| Some(key + self.text.get(key..)?.find(':')? + 1));
        let at = colon.unwrap_or(span.start);
        at..at
    }

    /// A block scalar's text begins behind the line with its `|` or `>`, where a comment may stand; what
    /// holds no comment is the text alone, to the end of its last line.
    fn with_indicator(&self, style: ScalarStyle, span: Range<usize>) -> Range<usize> {
        match style {
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let rest = self
                    .text
                    .get(span.end..)
                    .and_then(|rest| rest.find('\n'))
                    .map_or(self.text.len(), |at| span.end + at);
                span.start..rest
            }
            ScalarStyle::Plain | ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => span,
        }
    }

    fn broken(&self, cause: &str, at: usize) -> Broken {
        Broken { cause: cause.to_owned(), at: Spot::of(self.text, at) }
    }

    fn count(&mut self, value: &Value, at: usize) -> Result<(), Broken> {
        self.nodes = self.nodes.saturating_add(nodes_of(value));
        if self.nodes > bounds::SETTINGS_NODES {
            let cause = format!("the file has more than {} entries, those of aliases counted", bounds::SETTINGS_NODES);
            return Err(self.broken(&cause, at));
        }
        Ok(())
    }

    fn remember(&mut self, anchor: usize, value: &Value) {
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
    }

    fn begin(&mut self, start: usize, anchor: usize, what: What) -> Result<(), Broken> {
        self.count(&Value::Null, start)?;
        if self.open.len() >= bounds::SETTINGS_DEPTH {
            let cause = format!("entries are nested more than {} deep", bounds::SETTINGS_DEPTH);
            return Err(self.broken(&cause, start));
        }
        self.open.push(Open { start, anchor, what, key: None });
        Ok(())
    }

    fn end(&mut self, end: usize) -> Result<(), Broken> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let last = match &open.what {
            What::Map { flow: false, entries } => entries.last().map(|(key, value)| key.span.end.max(value.span.end)),
            What::List { flow: false, items } => items.last().map(|item| item.span.end),
            What::Map { .. } | What::List { .. } | What::Value(_) => None,
        };
        let node = Node { span: open.start..last.unwrap_or(end), what: open.what };
        if open.anchor > 0 {
            let value = node.value();
            self.remember(open.anchor, &value);
        }
        self.add(node)
    }

    fn add(&mut self, node: Node) -> Result<(), Broken> {
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert(node);
            return Ok(());
        };
        match (&mut open.what, open.key.take()) {
            (What::List { items, .. }, _) => items.push(node),
            (What::Map { .. }, None) => open.key = Some(node),
            (What::Map { entries, .. }, Some(key)) => {
                let name = key.name();
                if entries.iter().any(|(other, _)| other.name() == name) {
                    let cause = format!("{:?} stands here a second time", gate_core::ask::excerpt(&name, 60));
                    return Err(Broken { cause, at: Spot::of(self.text, key.span.start) });
                }
                entries.push((key, node));
            }
            (What::Value(_), _) => {}
        }
        Ok(())
    }
}

/// How many bytes a quoted scalar has, of which the text begins: the parser counts the blanks and the
/// comment behind it in.
fn quoted_len(source: &str) -> usize {
    let mut letters = source.char_indices().peekable();
    let quote = letters.next().map(|(_, quote)| quote);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if quote == Some('"') => drop(letters.next()),
            _ if Some(letter) != quote => {}
            // Two in a row are one that is meant.
            '\'' if letters.peek().is_some_and(|(_, next)| *next == '\'') => drop(letters.next()),
            _ => return at + letter.len_utf8(),
        }
    }
    source.len()
}

fn nodes_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(nodes_of).sum::<usize>() + 1,
        Value::Object(entries) => entries.values().map(nodes_of).sum::<usize>() + 1,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

fn scalar_value(text: &str, style: ScalarStyle, tag: Option<&Tag>, left_out: bool) -> Value {
    let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
    match style {
        ScalarStyle::Plain if left_out && !is_text => Value::Null,
        ScalarStyle::Plain if !is_text => scalar::resolve(text),
        _ => Value::String(text.to_owned()),
    }
}

/// Without what says nothing: null, and what is empty.
pub(crate) fn pruned(value: Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Object(entries) => {
            let kept: Map<_, _> =
                entries.into_iter().filter_map(|(name, value)| Some((name, pruned(value)?))).collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        Value::Array(items) => (!items.is_empty()).then_some(Value::Array(items)),
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_as_keys_of_tables_stay_small() {
        let depth = 20;
        let text = format!("{}a: 1{}: 1\n", "{".repeat(depth), "}: 1".repeat(depth - 1) + "}");
        let document = Document::parse(&text).expect("YAML lets anything be a key");
        let length = document.root.value().to_string().len();
        assert!(length < 10 * NAME_CHARS, "each level would double what is in it: {length} bytes");
    }
}
