//! Changing one entry of a YAML file and leaving everything else as its owner wrote it: comments, order,
//! blanks, quotes, entries that nobody knows. Text is put where the parser says that things stand; the
//! result is parsed again, and refused unless it says exactly what was wanted and has every comment.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::document::{Broken, Document, Node, What, pruned};
use crate::scalar::{block, flow, string};

/// Why a file was not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It can't be read.
    Broken(Broken),
    /// Any change of this entry would change something else, or lose a comment.
    Entangled,
}

/// The text with the entry below these names set to a value, or without it where there is none.
///
/// # Errors
/// When the text is broken, or the entry can't be changed alone.
pub(crate) fn set(text: &str, path: &[&str], value: Option<&Value>) -> Result<String, Refusal> {
    let document = Document::parse(text).map_err(Refusal::Broken)?;
    let mut wanted = document.value();
    if !put(&mut wanted, path, value) {
        return Err(Refusal::Entangled);
    }
    let wanted = pruned(wanted);
    if pruned(document.value()) == wanted {
        return Ok(text.to_owned());
    }
    let comments = said(&document);
    let ways = [true, false].into_iter().flat_map(|in_place| [true, false].map(|at_end| Way { in_place, at_end }));
    for way in ways {
        let Some(tried) = way.change(text.to_owned(), path, value) else { continue };
        let holds = Document::parse(&tried)
            .is_ok_and(|document| pruned(document.value()) == wanted && has_all(&said(&document), &comments));
        if holds {
            return Ok(tried);
        }
    }
    Err(Refusal::Entangled)
}

/// Puts a value into JSON. False where something other than a table is in the way.
fn put(root: &mut Value, path: &[&str], value: Option<&Value>) -> bool {
    let Some((first, rest)) = path.split_first() else {
        *root = value.cloned().unwrap_or_default();
        return true;
    };
    if root.is_null() {
        *root = Value::Object(Map::new());
    }
    let Some(table) = root.as_object_mut() else { return false };
    match (rest.is_empty(), value) {
        (true, Some(value)) => drop(table.insert((*first).to_owned(), value.clone())),
        (true, None) => drop(table.remove(*first)),
        (false, _) => return put(table.entry(*first).or_insert(Value::Null), rest, value),
    }
    true
}

/// The comments' texts, sorted.
fn said<'a>(document: &Document<'a>) -> Vec<&'a str> {
    let text = document.text;
    let mut all: Vec<_> =
        document.comments().into_iter().map(|at| text.get(at).unwrap_or_default().trim_end()).collect();
    all.sort_unstable();
    all
}

/// Whether each of `wanted` is in `all`, as often; both are sorted.
fn has_all(all: &[&str], wanted: &[&str]) -> bool {
    let mut all = all.iter();
    wanted.iter().all(|wanted| all.any(|found| found == wanted))
}

/// One of the ways to change a text; which of them is right shows when the result is read.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// Values are replaced where they stand, rather than removed and put in again.
    in_place: bool,
    /// What is new at the outermost level goes to the text's end, rather than behind the last entry.
    at_end: bool,
}

impl Way {
    fn change(self, text: String, path: &[&str], value: Option<&Value>) -> Option<String> {
        let document = Document::parse(&text).ok()?;
        let (node, value) = match (document.root.at(path), value) {
            (None, None) => return Some(text),
            (Some(_), None) => return remove(&document, path),
            (None, Some(value)) => return self.insert(&document, path, value),
            (Some(node), Some(value)) => (node, value),
        };
        if node.value() == *value {
            return Some(text);
        }
        match (&node.what, value) {
            (What::Map { entries, .. }, Value::Object(new)) if !new.is_empty() && self.in_place => {
                let gone = entries.iter().map(|(key, _)| key.name()).filter(|name| !new.contains_key(name));
                let gone: Vec<_> = gone.map(|name| (name, None)).collect();
                let kept = new.iter().map(|(name, value)| (name.clone(), Some(value)));
                self.change_each(text.clone(), path, kept.chain(gone))
            }
            (What::List { items, .. }, Value::Array(new)) if !new.is_empty() && self.in_place => {
                self.change_items(text.clone(), path, items, new)
            }
            (What::Map { flow: false, .. } | What::List { flow: false, .. }, _) => self.anew(&document, path, value),
            _ if self.in_place => Some(replaced(&text, node.span.clone(), &in_the_place_of(node, value))),
            _ => self.anew(&document, path, value),
        }
    }

    fn change_each<'a>(
        self,
        text: String,
        path: &[&str],
        mut entries: impl Iterator<Item = (String, Option<&'a Value>)>,
    ) -> Option<String> {
        entries.try_fold(text, |text, (name, value)| {
            let below: Vec<&str> = path.iter().copied().chain([name.as_str()]).collect();
            self.change(text, &below, value)
        })
    }

    /// Items that are gone go first, so that comments stay beside those that aren't.
    fn change_items(self, mut text: String, path: &[&str], items: &[Node], new: &[Value]) -> Option<String> {
        let mut left = items.len();
        for (index, item) in items.iter().enumerate().rev() {
            if !new.contains(&item.value()) && left > 1 {
                text = self.change_each(text, path, [(index.to_string(), None)].into_iter())?;
                left -= 1;
            }
        }
        while left > new.len() {
            left -= 1;
            text = self.change_each(text, path, [(left.to_string(), None)].into_iter())?;
        }
        let all = new.iter().enumerate().map(|(index, value)| (index.to_string(), Some(value)));
        self.change_each(text, path, all)
    }

    fn anew(self, document: &Document<'_>, path: &[&str], value: &Value) -> Option<String> {
        let without = remove(document, path)?;
        self.insert(&Document::parse(&without).ok()?, path, value)
    }

    /// The text with a new entry, and with the tables that it needs around it.
    fn insert(self, document: &Document<'_>, path: &[&str], value: &Value) -> Option<String> {
        let known =
            (0..path.len()).rev().find(|known| document.root.at(path.get(..*known).unwrap_or_default()).is_some())?;
        let (parents, rest) = path.split_at_checked(known)?;
        let (name, inner) = rest.split_first()?;
        let value = inner
            .iter()
            .rev()
            .fold(value.clone(), |value, name| Value::Object(Map::from_iter([((*name).to_owned(), value)])));
        let parent = document.root.at(parents)?;
        let text = document.text;
        let newline = newline_of(text);
        match &parent.what {
            What::Map { flow: true, entries } => {
                let entry = format!("{}: {}", string(name), flow(&value));
                let last = entries.last().map(|(key, value)| key.span.end.max(value.span.end));
                Some(behind(text, parent, last, &entry))
            }
            What::List { flow: true, items } => {
                Some(behind(text, parent, items.last().map(|item| item.span.end), &flow(&value)))
            }
            What::Map { flow: false, entries } => {
                let (key, last) = (&entries.first()?.0, entries.last()?);
                let lines = block(name, &value, column(text, key.span.start), newline);
                let end = if self.at_end && parents.is_empty() {
                    text.len()
                } else {
                    line_end(text, last.0.span.end.max(last.1.span.end))
                };
                Some(with_lines(text, end, &lines))
            }
            What::List { flow: false, items } => {
                let (first, last) = (items.first()?, items.last()?);
                let margin = text.get(line_start(text, first.span.start)..first.span.start)?.split('-').next()?;
                let line = format!("{margin}- {}{newline}", flow(&value));
                Some(with_lines(text, line_end(text, last.span.end), &line))
            }
            What::Value(Value::Null) if parent.span.is_empty() => match parents.split_last() {
                None => Some(with_lines(text, text.len(), &block(name, &value, 0, newline))),
                Some((key, above)) => {
                    let (_, (key, _)) = document.root.at(above)?.entry(key)?;
                    let lines = block(name, &value, column(text, key.span.start) + 2, newline);
                    Some(with_lines(text, line_end(text, parent.span.start), &lines))
                }
            },
            What::Value(Value::Null) => {
                let table = Value::Object(Map::from_iter([((*name).to_owned(), value)]));
                Some(replaced(text, parent.span.clone(), &flow(&table)))
            }
            What::Value(_) => None,
        }
    }
}

/// The text without an entry. Comments on its lines stay, on lines of their own.
fn remove(document: &Document<'_>, path: &[&str]) -> Option<String> {
    let text = document.text;
    let (name, parents) = path.split_last()?;
    let parent = document.root.at(parents)?;
    let (spans, flow): (Vec<Range<usize>>, bool) = match &parent.what {
        What::Map { flow, entries } => {
            (entries.iter().map(|(key, value)| key.span.start..key.span.end.max(value.span.end)).collect(), *flow)
        }
        What::List { flow, items } => (items.iter().map(|item| item.span.clone()).collect(), *flow),
        What::Value(_) => return None,
    };
    let index = parent.entry(name).map(|(index, _)| index).or_else(|| name.parse().ok())?;
    let entry = spans.get(index)?.clone();
    if flow {
        let before = index.checked_sub(1).and_then(|before| spans.get(before));
        let range = match (spans.get(index + 1), before) {
            (Some(next), _) => entry.start..next.start,
            (None, Some(before)) => before.end..entry.end,
            (None, None) => entry,
        };
        return Some(replaced(text, range, ""));
    }
    let lines = line_start(text, entry.start)..line_end(text, entry.end);
    let margin = text.get(lines.start..entry.start)?;
    if !matches!(margin.trim(), "" | "-" | "\u{feff}") {
        return None;
    }
    let kept = comments_in(document, &lines);
    // A table without entries says nothing; it goes too, unless somebody wrote a word about it.
    if spans.len() == 1
        && let Some((_, (key, _))) = parents.split_last().and_then(|(key, above)| document.root.at(above)?.entry(key))
        && comments_in(document, &(line_start(text, key.span.start)..lines.end)).is_empty()
    {
        return remove(document, parents);
    }
    let indent = " ".repeat(column(text, line_start(text, lines.start) + margin.len() - margin.trim_start().len()));
    let newline = newline_of(text);
    let mark = if margin.contains('\u{feff}') { "\u{feff}" } else { "" };
    let kept: String = kept.iter().map(|comment| format!("{indent}{comment}{newline}")).collect();
    Some(replaced(text, lines, &format!("{mark}{kept}")))
}

fn comments_in<'a>(document: &Document<'a>, lines: &Range<usize>) -> Vec<&'a str> {
    let inside = document.comments().into_iter().filter(|comment| lines.contains(&comment.start));
    inside.map(|comment| document.text.get(comment).unwrap_or_default().trim_end()).collect()
}

/// What stands in the place of a value on its line.
fn in_the_place_of(node: &Node, value: &Value) -> String {
    if node.span.is_empty() { format!(" {}", flow(value)) } else { flow(value) }
}

/// A flow collection with one more entry.
fn behind(text: &str, parent: &Node, last: Option<usize>, entry: &str) -> String {
    match last {
        Some(end) => replaced(text, end..end, &format!(", {entry}")),
        None => replaced(text, parent.span.start + 1..parent.span.start + 1, entry),
    }
}

fn replaced(text: &str, range: Range<usize>, new: &str) -> String {
    let (before, after) = (text.get(..range.start).unwrap_or_default(), text.get(range.end..).unwrap_or_default());
    format!("{before}{new}{after}")
}

/// Puts lines in where a line begins, or at the end of a text whose last line isn't ended.
fn with_lines(text: &str, at: usize, lines: &str) -> String {
    let ended = text.get(..at).is_none_or(|before| before.is_empty() || before.ends_with(['\n', '\u{feff}']));
    let begin = if ended { "" } else { newline_of(text) };
    replaced(text, at..at, &format!("{begin}{lines}"))
}

/// How the text ends its lines.
pub(crate) fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// Behind the newline of the line that something ends on. What ends with its newline is behind it already.
fn line_end(text: &str, at: usize) -> usize {
    if at > 0 && text.get(..at).is_some_and(|before| before.ends_with('\n')) {
        return at;
    }
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |newline| at + newline + 1)
}

/// How many characters are in front of a byte on its line.
fn column(text: &str, at: usize) -> usize {
    let line = text.get(line_start(text, at)..at).unwrap_or_default();
    line.chars().filter(|letter| *letter != '\u{feff}').count()
}

#[cfg(test)]
mod tests;
