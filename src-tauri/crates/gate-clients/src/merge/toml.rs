//! TOML. Entries come as tables of their own at the end; what is there is changed where it stands.

use std::ops::Range;

use serde_json::{Map, Number, Value};
use toml_edit::{Array, ArrayOfTables, Document, InlineTable, Item, Table};

use super::layout::{Edit, edited, is_blank, line_start, newline, next_line, position};
use super::{Refusal, ordered, shape};

fn parse(text: &str) -> Result<Document<&str>, Refusal> {
    Document::parse(text).map_err(|error| {
        let (line, column) = position(text, error.span().map_or(0, |span| span.start));
        Refusal::Broken { line, column, what: error.message().trim().replace('\n', ", ") }
    })
}

pub(super) fn read(text: &str) -> Result<Value, Refusal> {
    Ok(value_of(parse(text)?.as_item()))
}

fn value_of(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => plain(value),
        Item::Table(table) => table.iter().map(|(key, item)| (key.to_owned(), value_of(item))).collect(),
        Item::ArrayOfTables(tables) => tables
            .iter()
            .map(|table| table.iter().map(|(key, item)| (key.to_owned(), value_of(item))).collect::<Value>())
            .collect(),
    }
}

fn plain(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(string) => Value::from(string.value().as_str()),
        toml_edit::Value::Integer(integer) => Value::from(*integer.value()),
        toml_edit::Value::Float(float) => {
            Number::from_f64(*float.value()).map_or_else(|| Value::from(float.value().to_string()), Value::Number)
        }
        toml_edit::Value::Boolean(boolean) => Value::from(*boolean.value()),
        toml_edit::Value::Datetime(at) => Value::from(at.value().to_string()),
        toml_edit::Value::Array(array) => array.iter().map(plain).collect(),
        toml_edit::Value::InlineTable(table) => {
            table.iter().map(|(key, value)| (key.to_owned(), plain(value))).collect()
        }
    }
}

pub(super) fn set(text: &str, path: &[&str], value: &Value) -> Result<String, Refusal> {
    let document = parse(text)?;
    let Some((last, groups)) = path.split_last() else { return Ok(text.to_owned()) };
    let mut at = document.as_item();
    for (depth, group) in groups.iter().enumerate() {
        match child(at, group) {
            None => return Ok(appended(text, path, value, ("[", "]"))),
            Some(next @ Item::Table(_)) => at = next,
            Some(Item::Value(toml_edit::Value::InlineTable(table))) => {
                let inner = super::nested(&path[depth + 2..], value);
                return in_inline(text, table, path[depth + 1], &inner);
            }
            Some(_) => return Err(shape(&path[..=depth])),
        }
    }
    let Item::Table(table) = at else { return Err(shape(groups)) };
    match table.get(last) {
        Some(old) => match old.as_value().and_then(toml_edit::Value::span) {
            Some(range) => Ok(edited(text, vec![Edit { range, with: literal(value) }])),
            None => Err(shape(path)),
        },
        None if value.is_object() => Ok(appended(text, path, value, ("[", "]"))),
        None => Ok(in_table(text, table, last, value)),
    }
}

fn child<'a>(item: &'a Item, key: &str) -> Option<&'a Item> {
    item.as_table_like()?.get(key)
}

/// A table of its own at the end, after an empty line; `around` is what its header stands in.
fn appended(text: &str, path: &[&str], value: &Value, around: (&str, &str)) -> String {
    let newline = newline(text);
    let mut done = text.to_owned();
    if !done.is_empty() && !done.ends_with('\n') {
        done.push_str(newline);
    }
    let last = done.trim_end_matches(['\r', '\n']).len();
    if last > 0 && done[last..].matches('\n').count() < 2 {
        done.push_str(newline);
    }
    let (header, entries) = match value {
        Value::Object(entries) => (path, entries.clone()),
        other => {
            let Some((key, header)) = path.split_last() else { return done };
            (header, Map::from_iter([((*key).to_owned(), other.clone())]))
        }
    };
    let keys: Vec<String> = header.iter().map(|part| key(part)).collect();
    done.push_str(&table(&keys.join("."), &entries, around, newline));
    done
}

/// The lines of a table.
fn table(header: &str, entries: &Map<String, Value>, around: (&str, &str), newline: &str) -> String {
    let mut lines = format!("{}{header}{}{newline}", around.0, around.1);
    for (name, value) in ordered(entries) {
        lines.push_str(&format!("{} = {}{newline}", key(name), literal(value)));
    }
    lines
}

/// What a header of an item of a list of tables stands in.
const ITEM: (&str, &str) = ("[[", "]]");

/// The list of tables at `path`; absent inside where nothing stands there.
fn tables<'a>(document: &'a Document<&str>, path: &[&str]) -> Result<Option<&'a ArrayOfTables>, Refusal> {
    let mut at = document.as_item();
    for key in path {
        match child(at, key) {
            Some(next) => at = next,
            None if at.is_table() => return Ok(None),
            None => return Err(Refusal::Unsafe),
        }
    }
    at.as_array_of_tables().map(Some).ok_or(Refusal::Unsafe)
}

/// The text with another item at the end of the list of tables at `path`: at the end of the text.
pub(super) fn add(text: &str, path: &[&str], item: &Value) -> Result<String, Refusal> {
    tables(&parse(text)?, path)?;
    Ok(appended(text, path, item, ITEM))
}

/// The text with another item in the place of one of the list of tables at `path`, or without it.
pub(super) fn at_index(text: &str, path: &[&str], index: usize, item: Option<&Value>) -> Result<String, Refusal> {
    let document = parse(text)?;
    let old = tables(&document, path)?.and_then(|tables| tables.get(index)).ok_or(Refusal::Unsafe)?;
    let mut spans = Vec::new();
    spans_in(old, &mut spans);
    let Some(item) = item else { return Ok(without_lines(text, &spans)) };
    let (from, to) = (spans.iter().map(|span| span.start).min(), spans.iter().map(|span| span.end).max());
    let (Some(from), Some(to), Value::Object(entries)) = (from, to, item) else { return Err(Refusal::Unsafe) };
    let keys: Vec<String> = path.iter().map(|part| key(part)).collect();
    let with = table(&keys.join("."), entries, ITEM, newline(text));
    Ok(edited(text, vec![Edit { range: line_start(text, from)..next_line(text, to.max(from + 1) - 1), with }]))
}

/// Another line in a table that has a header, or whose entries have lines.
fn in_table(text: &str, table: &Table, name: &str, value: &Value) -> String {
    let last = table.iter().filter_map(|(_, item)| item.as_value()?.span()).map(|span| span.end).max();
    let Some(after) = last.or_else(|| table.span().map(|header| header.end)) else {
        return format!("{} = {}{}{text}", key(name), literal(value), newline(text));
    };
    let at = next_line(text, after);
    let newline = newline(text);
    let lead = if text[..at].ends_with('\n') { "" } else { newline };
    edited(text, vec![Edit::insert(at, format!("{lead}{} = {}{newline}", key(name), literal(value)))])
}

fn in_inline(text: &str, table: &InlineTable, name: &str, value: &Value) -> Result<String, Refusal> {
    let entry = format!("{} = {}", key(name), literal(value));
    if let Some(range) = table.get(name).and_then(toml_edit::Value::span) {
        return Ok(edited(text, vec![Edit { range, with: literal(value) }]));
    }
    let last = table.iter().filter_map(|(_, value)| value.span()).map(|span| span.end).max();
    match (last, table.span()) {
        (Some(end), _) => Ok(edited(text, vec![Edit::insert(end, format!(", {entry}"))])),
        (None, Some(span)) => Ok(edited(text, vec![Edit::insert(span.start + 1, format!(" {entry} "))])),
        (None, None) => Err(Refusal::Unsafe),
    }
}

/// A key as it is written: bare where it may be.
fn key(name: &str) -> String {
    toml_edit::Key::new(name).to_string().trim().to_owned()
}

/// A value on one line.
fn literal(value: &Value) -> String {
    fn converted(value: &Value) -> toml_edit::Value {
        match value {
            Value::String(string) => string.as_str().into(),
            Value::Bool(boolean) => (*boolean).into(),
            Value::Number(number) => match number.as_i64() {
                Some(integer) => integer.into(),
                None => number.as_f64().unwrap_or_default().into(),
            },
            Value::Array(elements) => toml_edit::Value::Array(elements.iter().map(converted).collect::<Array>()),
            Value::Object(entries) => {
                let entries = ordered(entries).into_iter().map(|(key, value)| (key.as_str(), converted(value)));
                toml_edit::Value::InlineTable(entries.collect::<InlineTable>())
            }
            Value::Null => "".into(),
        }
    }
    converted(value).to_string().trim().to_owned()
}

pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, Refusal> {
    let document = parse(text)?;
    let Some((last, groups)) = path.split_last() else { return Ok(text.to_owned()) };
    let mut at = document.as_item();
    for group in groups {
        match child(at, group) {
            Some(Item::Value(toml_edit::Value::InlineTable(table))) => {
                return Ok(edited(text, vec![Edit::cut(inline_entry(table, last).ok_or(Refusal::Unsafe)?)]));
            }
            Some(next) => at = next,
            None => return Ok(text.to_owned()),
        }
    }
    let Some((key, item)) = at.as_table().and_then(|table| table.get_key_value(last)) else {
        return Ok(text.to_owned());
    };
    let mut spans = Vec::new();
    spans_of(Some(key), item, &mut spans);
    Ok(without_lines(text, &spans))
}

/// From an entry of an inline table to the next, or from the one before.
fn inline_entry(table: &InlineTable, name: &str) -> Option<Range<usize>> {
    let entries: Vec<(Range<usize>, &str)> =
        table.iter().filter_map(|(key, value)| Some((table.key(key)?.span()?.start..value.span()?.end, key))).collect();
    let index = entries.iter().position(|(_, key)| *key == name)?;
    let (own, _) = &entries[index];
    Some(match (index.checked_sub(1).map(|before| &entries[before].0), entries.get(index + 1)) {
        (_, Some((next, _))) => own.start..next.start,
        (Some(before), None) => before.end..own.end,
        (None, None) => own.clone(),
    })
}

/// Where the lines of an entry are: of each header and each value in it.
fn spans_of(key: Option<&toml_edit::Key>, item: &Item, spans: &mut Vec<Range<usize>>) {
    match item {
        Item::None => {}
        Item::Table(inner) => spans_in(inner, spans),
        Item::ArrayOfTables(tables) => tables.iter().for_each(|table| spans_in(table, spans)),
        Item::Value(value) => {
            let from = key.and_then(toml_edit::Key::span).or_else(|| value.span());
            spans.extend(from.zip(value.span()).map(|(from, to)| from.start..to.end));
        }
    }
}

fn spans_in(table: &Table, spans: &mut Vec<Range<usize>>) {
    spans.extend(table.span().filter(|_| !table.is_implicit() && !table.is_dotted()));
    for (name, item) in table.iter() {
        spans_of(table.key(name), item, spans);
    }
}

/// The text without the lines of these places, and without an empty line that would be left over.
fn without_lines(text: &str, spans: &[Range<usize>]) -> String {
    let lines = |span: &Range<usize>| line_start(text, span.start)..next_line(text, span.end.max(span.start + 1) - 1);
    let mut cut: Vec<Range<usize>> = spans.iter().map(lines).collect();
    cut.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in cut {
        match joined.last_mut() {
            // Lines of blanks between two of ours are ours.
            Some(last) if range.start <= last.end || is_blank(&text[last.end..range.start]) => {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range),
        }
    }
    for range in &mut joined {
        let before = line_start(text, range.start.saturating_sub(1));
        let rest = &text[range.end..];
        let rest_blank = rest.is_empty() || is_blank(rest.split('\n').next().unwrap_or_default());
        if before < range.start && is_blank(&text[before..range.start]) && rest_blank {
            range.start = before;
        }
    }
    edited(text, joined.into_iter().map(Edit::cut).collect())
}
