//! YAML, as far as it is needed: an entry in a group of the root. What stands in braces, or in a file with
//! several documents, is left to its owner.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};
use serde_json::{Map, Number, Value};

use super::layout::newline;
use super::{Refusal, nested, ordered, shape};

/// One step of indentation.
const UNIT: usize = 2;
/// Deepest nesting that is read.
const DEPTH: usize = 100;

/// A node of the document, and where it begins.
struct Node {
    /// From 0.
    line: usize,
    /// From 0, in characters.
    column: usize,
    kind: Kind,
}

enum Kind {
    Scalar { text: String, plain: bool },
    Group { entries: Vec<(String, Node)>, braces: bool },
    List(Vec<Node>),
    Alias,
}

fn broken(at: &Marker, what: &str) -> Refusal {
    Refusal::Broken { line: at.line(), column: at.col() + 1, what: what.to_owned() }
}

/// The document; absent where there is none.
fn parse(text: &str) -> Result<Option<Node>, Refusal> {
    let mut reader = Reader { text, events: Parser::new_from_str(text) };
    let mut document = None;
    while let Some((event, at)) = reader.next()? {
        match event {
            Event::DocumentStart(_) if document.is_some() => return Err(Refusal::Unsafe),
            Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            event => document = Some(reader.node(event, at, 0)?),
        }
    }
    Ok(document)
}

struct Reader<'a> {
    text: &'a str,
    events: Parser<'a, saphyr_parser::StrInput<'a>>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<Option<(Event<'a>, Marker)>, Refusal> {
        let next = self.events.next().transpose();
        let next = next.map_err(|error: ScanError| broken(error.marker(), error.info()))?;
        Ok(next.map(|(event, span)| (event, span.start)))
    }

    /// The next event within a group or a list.
    fn inner(&mut self) -> Result<(Event<'a>, Marker), Refusal> {
        self.next()?.ok_or(Refusal::Unsafe)
    }

    fn node(&mut self, event: Event<'a>, at: Marker, depth: usize) -> Result<Node, Refusal> {
        if depth > DEPTH {
            return Err(broken(&at, "nested too deeply"));
        }
        let kind = match event {
            Event::Scalar(text, style, ..) => {
                Kind::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain }
            }
            Event::MappingStart(..) => {
                let braces = self.stands_at(&at, '{');
                let mut entries: Vec<(String, Node)> = Vec::new();
                loop {
                    let (event, mark) = self.inner()?;
                    if event == Event::MappingEnd {
                        break Kind::Group { entries, braces };
                    }
                    let mut key = self.node(event, mark, depth + 1)?;
                    let name = name_of(&key);
                    if entries.iter().any(|(known, _)| *known == name) && name != "<<" {
                        return Err(broken(&mark, &format!("the key {name:?} stands here a second time")));
                    }
                    let (event, mark) = self.inner()?;
                    // An entry is where its key is.
                    key.kind = self.node(event, mark, depth + 1)?.kind;
                    entries.push((name, key));
                }
            }
            Event::SequenceStart(..) => {
                let mut elements = Vec::new();
                loop {
                    let (event, mark) = self.inner()?;
                    if event == Event::SequenceEnd {
                        break Kind::List(elements);
                    }
                    elements.push(self.node(event, mark, depth + 1)?);
                }
            }
            Event::Alias(_) => Kind::Alias,
            _ => return Err(Refusal::Unsafe),
        };
        Ok(Node { line: at.line().saturating_sub(1), column: at.col(), kind })
    }

    fn stands_at(&self, at: &Marker, wanted: char) -> bool {
        let line = self.text.split('\n').nth(at.line().saturating_sub(1));
        line.and_then(|line| line.chars().nth(at.col())) == Some(wanted)
    }
}

pub(super) fn read(text: &str) -> Result<Value, Refusal> {
    Ok(parse(text)?.as_ref().map_or(Value::Null, value_of))
}

fn value_of(node: &Node) -> Value {
    match &node.kind {
        Kind::Scalar { text, plain: false } => Value::from(text.as_str()),
        Kind::Scalar { text, plain: true } => match text.as_str() {
            "" | "~" | "null" | "Null" | "NULL" => Value::Null,
            "true" | "True" | "TRUE" => Value::Bool(true),
            "false" | "False" | "FALSE" => Value::Bool(false),
            text => number(text).map_or_else(|| Value::from(text), Value::Number),
        },
        Kind::Group { entries, .. } => {
            Value::Object(entries.iter().map(|(name, node)| (name.clone(), value_of(node))).collect::<Map<_, _>>())
        }
        Kind::List(elements) => elements.iter().map(value_of).collect(),
        // What it stands for is written elsewhere, and compared there.
        Kind::Alias => Value::from("*"),
    }
}

fn number(text: &str) -> Option<Number> {
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    let float = || text.parse().ok().and_then(Number::from_f64);
    numeric.then(|| text.parse::<i64>().ok().map(Number::from).or_else(float)).flatten()
}

fn name_of(key: &Node) -> String {
    match &key.kind {
        Kind::Scalar { text, .. } => text.clone(),
        Kind::Group { .. } | Kind::List(_) | Kind::Alias => value_of(key).to_string(),
    }
}

/// The root's entries; absent where the document is empty.
fn root(text: &str) -> Result<Option<Vec<(String, Node)>>, Refusal> {
    match parse(text)? {
        None => Ok(None),
        Some(node) if value_of(&node).is_null() => Ok(None),
        Some(Node { kind: Kind::Group { entries, braces: false }, .. }) => Ok(Some(entries)),
        Some(_) => Err(shape(&[])),
    }
}

pub(super) fn set(text: &str, path: &[&str], value: &Value) -> Result<String, Refusal> {
    let newline = newline(text);
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let [group, name, rest @ ..] = path else { return Err(shape(path)) };
    let Some(root) = root(text)? else {
        return Ok(inserted(&all, all.len(), &block(&nested(path, value), 0, newline), newline));
    };
    let Some(index) = root.iter().position(|(key, _)| key == group) else {
        let column = root.first().map_or(0, |(_, node)| node.column);
        let end = end_of(&all, root.last().map_or(0, |(_, node)| node.line), all.len(), column);
        return Ok(inserted(&all, end, &block(&nested(path, value), column, newline), newline));
    };
    let (_, entry) = &root[index];
    let below = root.get(index + 1).map_or(all.len(), |(_, next)| next.line);
    let nothing = value_of(entry).is_null();
    match &entry.kind {
        Kind::Group { entries, braces } if entries.is_empty() || nothing => {
            let mut lines = all.clone();
            let line = all[entry.line];
            let cleared = match braces {
                true => without_braces(line).ok_or(Refusal::Unsafe)?,
                false => line.to_owned(),
            };
            lines[entry.line] = &cleared;
            let block = block(&nested(&path[1..], value), entry.column + UNIT, newline);
            Ok(inserted(&lines, entry.line + 1, &block, newline))
        }
        Kind::Scalar { plain: true, text } if text.is_empty() => {
            let block = block(&nested(&path[1..], value), entry.column + UNIT, newline);
            Ok(inserted(&all, entry.line + 1, &block, newline))
        }
        Kind::Group { entries, braces: false } => {
            let column = entries.first().map_or(entry.column + UNIT, |(_, first)| first.column);
            match entries.iter().position(|(key, _)| key == name) {
                None => {
                    let last = entries.last().map_or(entry.line, |(_, last)| last.line);
                    let end = end_of(&all, last, below, column);
                    Ok(inserted(&all, end, &block(&nested(&path[1..], value), column, newline), newline))
                }
                Some(at) => {
                    let mut new = value_of(&entries[at].1);
                    match rest {
                        [] => new = value.clone(),
                        rest => super::put(&mut new, rest, value)?,
                    }
                    let (from, to) = lines_of(&all, entries, at, below);
                    let without = [&all[..from], &all[to..]].concat();
                    Ok(inserted(&without, from, &block(&nested(&[name], &new), column, newline), newline))
                }
            }
        }
        _ => Err(shape(&[group])),
    }
}

/// A line whose value is `{}` without it.
fn without_braces(line: &str) -> Option<String> {
    let (before, after) = line.split_once('{')?;
    let after = after.trim_start_matches([' ', '\t']).strip_prefix('}')?;
    Some(format!("{}{after}", before.trim_end()))
}

/// The lines of an entry of a group: to the next one, without what stands before that.
fn lines_of(all: &[&str], entries: &[(String, Node)], at: usize, below: usize) -> (usize, usize) {
    let Node { line: from, column, .. } = entries[at].1;
    let mut to = entries.get(at + 1).map_or(below, |(_, next)| next.line);
    while to > from + 1 && is_between(all[to - 1], column + 1) {
        to -= 1;
    }
    (from, to)
}

/// The line after the last of a group that begins at `from` and ends before `below`.
fn end_of(all: &[&str], from: usize, below: usize, column: usize) -> usize {
    let mut end = below;
    while end > from + 1 && is_between(all[end - 1], column.max(1)) {
        end -= 1;
    }
    end
}

/// Whether a line is empty, or a comment that is indented less than `column`.
fn is_between(line: &str, column: usize) -> bool {
    let text = line.trim();
    let indent = line.len() - line.trim_start_matches(' ').len();
    text.is_empty() || text == "..." || (text.starts_with('#') && indent < column)
}

fn inserted(all: &[&str], at: usize, block: &str, newline: &str) -> String {
    let mut done = all[..at].concat();
    if !done.is_empty() && !done.ends_with('\n') {
        done.push_str(newline);
    }
    done.push_str(block);
    done.push_str(&all[at..].concat());
    done
}

/// A group's entries as lines, indented by `column`.
fn block(value: &Value, column: usize, newline: &str) -> String {
    let Value::Object(entries) = value else { return String::new() };
    let lines = ordered(entries).into_iter().map(|(key, value)| {
        let lead = format!("{}{}:", " ".repeat(column), scalar(&Value::from(key.as_str())));
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                format!("{lead}{newline}{}", block(value, column + UNIT, newline))
            }
            value => format!("{lead} {}{newline}", scalar(value)),
        }
    });
    lines.collect()
}

/// A value on one line. JSON is YAML; a word that can't be taken for something else goes without quotes.
fn scalar(value: &Value) -> String {
    let Some(text) = value.as_str() else { return value.to_string() };
    let word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ' ' | '.'))
        && !text.ends_with(' ')
        && !["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(&text.to_lowercase().as_str());
    if word { text.to_owned() } else { value.to_string() }
}

pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, Refusal> {
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let mut entries = root(text)?.unwrap_or_default();
    let mut below = all.len();
    let Some((last, groups)) = path.split_last() else { return Ok(text.to_owned()) };
    for group in groups {
        let Some(index) = entries.iter().position(|(key, _)| key == group) else { return Ok(text.to_owned()) };
        below = entries.get(index + 1).map_or(below, |(_, next)| next.line);
        let Kind::Group { entries: inner, braces: false } = entries.swap_remove(index).1.kind else {
            return Err(Refusal::Unsafe);
        };
        entries = inner;
    }
    let Some(at) = entries.iter().position(|(key, _)| key == last) else { return Ok(text.to_owned()) };
    let (from, to) = lines_of(&all, &entries, at, below);
    Ok([&all[..from], &all[to..]].concat().concat())
}
