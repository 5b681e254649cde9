//! Putting a value into a configuration file and taking it out again, with every other byte left as it is.
//! Text in, text out: it knows no client and no file. What comes out is parsed again and compared with what
//! was wanted, so that a case that nobody thought of ends in a refusal and not in a damaged file.

mod json;
mod layout;
#[cfg(test)]
mod tests;
mod toml;
mod yaml;

use serde_json::{Map, Value};

use crate::catalogue::Format;

/// The byte order mark that some editors put at the start; parsers don't want it.
const MARK: char = '\u{feff}';

/// Why a text is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It isn't what its format says.
    Broken {
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        what: String,
    },
    /// Something stands where a group of entries should be.
    Shape {
        /// Where, e.g. `mcpServers`.
        at: String,
    },
    /// The change would have changed something else.
    Unsafe,
}

/// The whole text as a value; an empty one is an empty object.
pub(crate) fn read(format: Format, text: &str) -> Result<Value, Refusal> {
    let body = text.strip_prefix(MARK).unwrap_or(text);
    let value = match format {
        Format::Json => json::read(body),
        Format::Toml => toml::read(body),
        Format::Yaml | Format::Own => yaml::read(body),
    }?;
    Ok(if value.is_null() { Value::Object(Map::new()) } else { value })
}

/// The text with `value` at `path`; what leads there is made where it is missing.
pub(crate) fn set(format: Format, text: &str, path: &[&str], value: &Value) -> Result<String, Refusal> {
    let mut wanted = read(format, text)?;
    if get(&wanted, path) == Some(value) {
        return Ok(text.to_owned());
    }
    put(&mut wanted, path, value)?;
    changed(format, text, &wanted, |body| match format {
        Format::Json => json::set(body, path, value),
        Format::Toml => toml::set(body, path, value),
        Format::Yaml | Format::Own => yaml::set(body, path, value),
    })
}

/// The text without what stands at `path`, which need not be there.
pub(crate) fn remove(format: Format, text: &str, path: &[&str]) -> Result<String, Refusal> {
    let mut wanted = read(format, text)?;
    if !take(&mut wanted, path) {
        return Ok(text.to_owned());
    }
    changed(format, text, &wanted, |body| match format {
        Format::Json => json::remove(body, path),
        Format::Toml => toml::remove(body, path),
        Format::Yaml | Format::Own => yaml::remove(body, path),
    })
}

/// The JSON text with `item` at the end of the list at `path`; a list that has it, or has one of `same`, stays as it
/// is, and one that isn't there is made.
pub(crate) fn add(text: &str, path: &[&str], item: &str, same: &[&str]) -> Result<String, Refusal> {
    if lists(&read(Format::Json, text)?, path, |each| each == item || same.contains(&each)) {
        return Ok(text.to_owned());
    }
    append(Format::Json, text, path, &item.into())
}

/// The text with `item` at the end of the list at `path`, which is made where it isn't there. Not for YAML.
pub(crate) fn append(format: Format, text: &str, path: &[&str], item: &Value) -> Result<String, Refusal> {
    let mut wanted = read(format, text)?;
    let (mut items, is_new) = match get(&wanted, path) {
        None | Some(Value::Null) => (Vec::new(), true),
        Some(Value::Array(items)) => (items.clone(), false),
        Some(_) => return Err(shape(path)),
    };
    items.push(item.clone());
    let all = Value::Array(items);
    put(&mut wanted, path, &all)?;
    changed(format, text, &wanted, |body| match format {
        Format::Json if is_new => json::set(body, path, &all),
        Format::Json => json::add(body, path, item),
        Format::Toml => toml::add(body, path, item),
        Format::Yaml | Format::Own => Err(Refusal::Unsafe),
    })
}

/// The text with another item in the place of the one at `index` of the list at `path`; without one, the text without
/// that item. Not for YAML.
pub(crate) fn at_index(
    format: Format,
    text: &str,
    path: &[&str],
    index: usize,
    item: Option<&Value>,
) -> Result<String, Refusal> {
    let mut wanted = read(format, text)?;
    let mut items = get(&wanted, path).and_then(Value::as_array).cloned().ok_or_else(|| shape(path))?;
    match (items.get_mut(index), item) {
        (None, _) => return Err(Refusal::Unsafe),
        (Some(place), Some(item)) => *place = item.clone(),
        (Some(_), None) => std::mem::drop(items.remove(index)),
    }
    match format == Format::Toml && items.is_empty() {
        // There a list of tables is there by its items alone.
        true => std::mem::drop(take(&mut wanted, path)),
        false => put(&mut wanted, path, &Value::Array(items))?,
    }
    changed(format, text, &wanted, |body| match format {
        Format::Json => json::at_index(body, path, index, item),
        Format::Toml => toml::at_index(body, path, index, item),
        Format::Yaml | Format::Own => Err(Refusal::Unsafe),
    })
}

/// The JSON text without `item` in the list at `path`.
pub(crate) fn drop(text: &str, path: &[&str], item: &str) -> Result<String, Refusal> {
    let mut wanted = read(Format::Json, text)?;
    if !lists(&wanted, path, |each| each == item) {
        return Ok(text.to_owned());
    }
    let items = get(&wanted, path).and_then(Value::as_array).into_iter().flatten();
    let items = items.filter(|each| each.as_str() != Some(item)).cloned().collect();
    put(&mut wanted, path, &Value::Array(items))?;
    changed(Format::Json, text, &wanted, |body| json::drop(body, path, item))
}

/// Whether the list at `path` has a text of this kind.
pub(crate) fn lists(value: &Value, path: &[&str], is: impl Fn(&str) -> bool) -> bool {
    let items = get(value, path).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).any(is)
}

/// What stands at `path`.
pub(crate) fn get<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.as_object()?.get(*key))
}

/// Makes the change and compares what came of it with what was wanted.
fn changed(
    format: Format,
    text: &str,
    wanted: &Value,
    change: impl FnOnce(&str) -> Result<String, Refusal>,
) -> Result<String, Refusal> {
    let (mark, body) = match text.strip_prefix(MARK) {
        Some(body) => (MARK.to_string(), body),
        None => (String::new(), text),
    };
    let done = mark + &change(body)?;
    // TOML and YAML forget a group that has become empty: both ways of leaving it are right.
    match read(format, &done) {
        Ok(value) if pruned(value.clone()) == pruned(wanted.clone()) => Ok(done),
        Ok(_) | Err(_) => Err(Refusal::Unsafe),
    }
}

/// The value without groups that hold nothing, and without nothing itself.
fn pruned(value: Value) -> Value {
    match value {
        Value::Object(entries) => {
            let entries = entries.into_iter().map(|(key, value)| (key, pruned(value)));
            let empty = |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
            Value::Object(entries.filter(|(_, value)| !empty(value)).collect())
        }
        other => other,
    }
}

fn put(root: &mut Value, path: &[&str], value: &Value) -> Result<(), Refusal> {
    let Some((last, groups)) = path.split_last() else { return Ok(()) };
    let mut at = root;
    for (depth, key) in groups.iter().enumerate() {
        let Value::Object(entries) = at else { return Err(shape(&path[..depth])) };
        let next = entries.entry((*key).to_owned()).or_insert(Value::Null);
        if next.is_null() {
            *next = Value::Object(Map::new());
        }
        at = next;
    }
    let Value::Object(entries) = at else { return Err(shape(groups)) };
    entries.insert((*last).to_owned(), value.clone());
    Ok(())
}

/// Takes out what stands at `path`; whether there was something.
fn take(root: &mut Value, path: &[&str]) -> bool {
    let Some((last, groups)) = path.split_last() else { return false };
    let group = groups.iter().try_fold(root, |value, key| value.as_object_mut()?.get_mut(*key));
    group.and_then(|group| group.as_object_mut()?.remove(*last)).is_some()
}

fn shape(path: &[&str]) -> Refusal {
    Refusal::Shape { at: path.join(".") }
}

/// `value` below `path`, as one object.
fn nested(path: &[&str], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |inner, key| Value::Object(Map::from_iter([((*key).to_owned(), inner)])))
}

/// In which order a new entry's keys are written: as the clients' own documentation has them.
const ORDER: [&str; 9] = ["enabled", "matcher", "type", "name", "description", "command", "cmd", "args", "env"];

/// A group's entries in the order in which they are written.
pub(crate) fn ordered(entries: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut all: Vec<(&String, &Value)> = entries.iter().collect();
    let rank = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
    all.sort_by(|(one, _), (other, _)| (rank(one), one).cmp(&(rank(other), other)));
    all
}
