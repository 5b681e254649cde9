//! JSON, with the comments and trailing commas that editors allow.

use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::layout::{Edit, edited, indent, is_blank, line_start, newline, position};
use super::{Refusal, nested, ordered, shape};

/// What is used where the file shows no indentation of its own.
const UNIT: &str = "  ";

struct Document<'a> {
    text: &'a str,
    root: Option<ast::Value<'a>>,
    /// Comments among them.
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> Document<'a> {
    fn parse(text: &'a str) -> Result<Self, Refusal> {
        Self::parsed(text, &CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true })
    }

    fn parsed(text: &'a str, collect: &CollectOptions) -> Result<Self, Refusal> {
        let parsed = parse_to_ast(text, collect, &options()).map_err(|error| {
            let (line, column) = position(text, error.range().start);
            Refusal::Broken { line, column, what: error.kind().to_string() }
        })?;
        Ok(Self { text, root: parsed.value, tokens: parsed.tokens.unwrap_or_default() })
    }

    /// The first token at or after `at` that is no comment.
    fn token(&self, at: usize) -> Option<&TokenAndRange<'a>> {
        self.tokens.iter().find(|token| token.range.start >= at && !is_comment(token))
    }

    /// The comma that follows at `at`, if one does.
    fn comma(&self, at: usize) -> Option<Range<usize>> {
        let token = self.token(at).filter(|token| matches!(token.token, Token::Comma))?;
        Some(token.range.start..token.range.end)
    }

    /// Where the comments end that follow `at` on its line.
    fn after_comments(&self, at: usize) -> usize {
        let mut end = at;
        for token in self.tokens.iter().filter(|token| token.range.start >= at) {
            let between = self.text.get(end..token.range.start).unwrap_or_default();
            if !is_comment(token) || between.contains('\n') {
                break;
            }
            end = token.range.end;
        }
        end - usize::from(self.text[at..end].ends_with('\r'))
    }

    /// One step of indentation in this file.
    fn unit(&self) -> &'a str {
        let Some(ast::Value::Object(root)) = &self.root else { return UNIT };
        let Some(first) = root.properties.first() else { return UNIT };
        let step = indent(self.text, first.range.start);
        if step.is_empty() { UNIT } else { step }
    }

    fn inline(&self) -> Style<'a> {
        let spaced = self.text.contains("\": ") || !self.text.contains("\":");
        Style::Inline { spaced }
    }
}

/// How a value is written.
#[derive(Clone, Copy)]
enum Style<'a> {
    /// On one line, with blanks after colons and commas or without.
    Inline { spaced: bool },
    /// An entry a line, below a line that is indented so.
    Lines { below: &'a str, unit: &'a str, newline: &'static str },
}

/// What VS Code takes, and no more.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_extended_string_escapes: false,
        allow_non_finite_numbers: false,
    }
}

fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

pub(super) fn read(text: &str) -> Result<Value, Refusal> {
    // Without tokens: such a file may have many megabytes.
    Ok(Document::parsed(text, &CollectOptions::default())?.root.as_ref().map_or(Value::Null, value_of))
}

fn value_of(value: &ast::Value<'_>) -> Value {
    match value {
        ast::Value::Object(object) => {
            let entries = object.properties.iter();
            Value::Object(entries.map(|entry| (entry.name.as_str().to_owned(), value_of(&entry.value))).collect())
        }
        ast::Value::Array(array) => Value::Array(array.elements.iter().map(value_of).collect()),
        ast::Value::StringLit(string) => Value::String(string.value.to_string()),
        ast::Value::BooleanLit(boolean) => Value::Bool(boolean.value),
        // A number that JSON's own reader can't hold stays what is written: it is only compared.
        ast::Value::NumberLit(number) => {
            serde_json::from_str(number.value).unwrap_or_else(|_| Value::String(number.value.to_owned()))
        }
        ast::Value::NullKeyword(_) => Value::Null,
    }
}

pub(super) fn set(text: &str, path: &[&str], value: &Value) -> Result<String, Refusal> {
    let document = Document::parse(text)?;
    let edits = match &document.root {
        None => {
            let newline = newline(text);
            let style = Style::Lines { below: "", unit: UNIT, newline };
            let lead = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
            let whole = format!("{lead}{}{newline}", written(&nested(path, value), style));
            let from = if is_blank(text) { 0 } else { text.len() };
            vec![Edit { range: from..text.len(), with: whole.trim_start_matches(['\r', '\n']).to_owned() }]
        }
        Some(ast::Value::Object(root)) => set_in(&document, root, path, value, &mut Vec::new())?,
        Some(_) => return Err(shape(&[])),
    };
    Ok(edited(text, edits))
}

fn set_in<'p>(
    document: &Document<'_>,
    object: &ast::Object<'_>,
    path: &[&'p str],
    value: &Value,
    above: &mut Vec<&'p str>,
) -> Result<Vec<Edit>, Refusal> {
    let Some((key, rest)) = path.split_first() else { return Ok(Vec::new()) };
    above.push(key);
    // Of entries with one name the last counts, as everywhere.
    let Some(entry) = object.properties.iter().rfind(|entry| entry.name.as_str() == *key) else {
        return Ok(insert(document, object, key, &nested(rest, value)));
    };
    match &entry.value {
        old if rest.is_empty() => {
            let range = old.range();
            let style = match document.text[object.range.start..entry.range.start].contains('\n') {
                true => lines(document, entry.range.start),
                false => document.inline(),
            };
            Ok(vec![Edit { range: range.start..range.end, with: written(value, style) }])
        }
        ast::Value::Object(inner) => set_in(document, inner, rest, value, above),
        _ => Err(shape(above)),
    }
}

/// A value below the line of `at`.
fn lines<'a>(document: &Document<'a>, at: usize) -> Style<'a> {
    Style::Lines { below: indent(document.text, at), unit: document.unit(), newline: newline(document.text) }
}

fn insert(document: &Document<'_>, object: &ast::Object<'_>, key: &str, value: &Value) -> Vec<Edit> {
    let text = document.text;
    let (open, close) = (object.range.start, object.range.end);
    let newline = newline(text);
    let entry = |style| format!("{}:{}{}", written(&Value::from(key), style), gap(style), written(value, style));
    let Some(last) = object.properties.last() else {
        let inner = &text[open + 1..close - 1];
        let root = document.root.as_ref().is_some_and(|root| root.range().start == open);
        if !root && !text.trim().contains('\n') {
            return vec![Edit::insert(open + 1, entry(document.inline()))];
        }
        let (outer, unit) = (indent(text, open), document.unit());
        let below = format!("{outer}{unit}");
        let entry = entry(Style::Lines { below: &below, unit, newline });
        return match is_blank(inner) {
            true => vec![Edit { range: open + 1..close - 1, with: format!("{newline}{below}{entry}{newline}{outer}") }],
            // A comment stays, below.
            false => vec![Edit::insert(open + 1, format!("{newline}{below}{entry}{newline}{below}"))],
        };
    };
    let comma = document.comma(last.range.end);
    let end = comma.as_ref().map_or(last.range.end, |comma| comma.end);
    let mut edits = Vec::new();
    if comma.is_none() {
        edits.push(Edit::insert(last.range.end, ","));
    }
    let trailing = if comma.is_some() { "," } else { "" };
    if text[open..last.range.start].contains('\n') {
        let style = lines(document, last.range.start);
        let below = indent(text, last.range.start);
        edits.push(Edit::insert(document.after_comments(end), format!("{newline}{below}{}{trailing}", entry(style))));
    } else {
        let style = document.inline();
        edits.push(Edit::insert(end, format!("{}{}{trailing}", gap(style), entry(style))));
    }
    edits
}

fn gap(style: Style<'_>) -> &'static str {
    if matches!(style, Style::Inline { spaced: false }) { "" } else { " " }
}

/// A value as text. Lists stay on one line: the ones we write are short.
fn written(value: &Value, style: Style<'_>) -> String {
    match (value, style) {
        (Value::Object(entries), Style::Lines { below, unit, newline }) if !entries.is_empty() => {
            let inner = format!("{below}{unit}");
            let style = Style::Lines { below: &inner, unit, newline };
            let all = ordered(entries).into_iter();
            let all =
                all.map(|(key, value)| format!("{inner}{}: {}", Value::from(key.as_str()), written(value, style)));
            format!("{{{newline}{}{newline}{below}}}", all.collect::<Vec<_>>().join(&format!(",{newline}")))
        }
        (Value::Object(entries), style) if !entries.is_empty() => {
            let gap = gap(style);
            let all = ordered(entries).into_iter();
            let all = all.map(|(key, value)| format!("{}:{gap}{}", Value::from(key.as_str()), written(value, style)));
            let (open, close) = if gap.is_empty() { ("{", "}") } else { ("{ ", " }") };
            format!("{open}{}{close}", all.collect::<Vec<_>>().join(&format!(",{gap}")))
        }
        (Value::Array(elements), style) => {
            let all: Vec<String> = elements.iter().map(|element| written(element, style)).collect();
            format!("[{}]", all.join(&format!(",{}", gap(style))))
        }
        (value, _) => value.to_string(),
    }
}

pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, Refusal> {
    let mut done = text.to_owned();
    // An entry may stand there twice; each pass takes one out.
    while let Some(next) = remove_one(&done, path)? {
        done = next;
    }
    Ok(done)
}

fn remove_one(text: &str, path: &[&str]) -> Result<Option<String>, Refusal> {
    let document = Document::parse(text)?;
    let Some((last, groups)) = path.split_last() else { return Ok(None) };
    let Some(ast::Value::Object(root)) = &document.root else { return Ok(None) };
    let mut object = root;
    for group in groups {
        let entry = object.properties.iter().rfind(|entry| entry.name.as_str() == *group);
        let Some(ast::Value::Object(inner)) = entry.map(|entry| &entry.value) else { return Ok(None) };
        object = inner;
    }
    let Some(index) = object.properties.iter().position(|entry| entry.name.as_str() == *last) else { return Ok(None) };
    let spans: Vec<Range<usize>> = object.properties.iter().map(|entry| entry.range.start..entry.range.end).collect();
    Ok(Some(edited(text, cut(&document, object.range.start..object.range.end, &spans, index))))
}

/// The list at `path`.
fn list<'a, 'b>(document: &'b Document<'a>, path: &[&str]) -> Result<&'b ast::Array<'a>, Refusal> {
    let mut value = document.root.as_ref();
    for key in path {
        let Some(ast::Value::Object(object)) = value else { return Err(shape(path)) };
        value = object.properties.iter().rfind(|entry| entry.name.as_str() == *key).map(|entry| &entry.value);
    }
    match value {
        Some(ast::Value::Array(list)) => Ok(list),
        _ => Err(shape(path)),
    }
}

/// The text with another item at the end of the list at `path`.
pub(super) fn add(text: &str, path: &[&str], item: &Value) -> Result<String, Refusal> {
    let document = Document::parse(text)?;
    let list = list(&document, path)?;
    let open = list.range.start;
    let Some(last) = list.elements.last().map(|last| last.range()) else {
        let style = if text.trim().contains('\n') { lines(&document, open) } else { document.inline() };
        return Ok(edited(text, vec![Edit::insert(open + 1, written(item, style))]));
    };
    let comma = document.comma(last.end);
    let end = comma.as_ref().map_or(last.end, |comma| comma.end);
    let mut edits = Vec::new();
    if comma.is_none() {
        edits.push(Edit::insert(last.end, ","));
    }
    let trailing = if comma.is_some() { "," } else { "" };
    if text[open..last.start].contains('\n') {
        let lead = format!("{}{}", newline(text), indent(text, last.start));
        let item = written(item, lines(&document, last.start));
        edits.push(Edit::insert(document.after_comments(end), format!("{lead}{item}{trailing}")));
    } else {
        let style = if text[last.start..last.end].contains('\n') { lines(&document, open) } else { document.inline() };
        edits.push(Edit::insert(end, format!("{}{}{trailing}", gap(document.inline()), written(item, style))));
    }
    Ok(edited(text, edits))
}

/// The text without an item of the list at `path`, as often as it stands there.
pub(super) fn drop(text: &str, path: &[&str], item: &str) -> Result<String, Refusal> {
    let mut done = text.to_owned();
    loop {
        let document = Document::parse(&done)?;
        let is_it = |element: &ast::Value<'_>| matches!(element, ast::Value::StringLit(text) if text.value == item);
        let Some(index) = list(&document, path)?.elements.iter().position(is_it) else { return Ok(done) };
        done = at_index(&done, path, index, None)?;
    }
}

/// The text with another item in the place of one of the list at `path`, or without it.
pub(super) fn at_index(text: &str, path: &[&str], index: usize, item: Option<&Value>) -> Result<String, Refusal> {
    let document = Document::parse(text)?;
    let list = list(&document, path)?;
    let spans: Vec<Range<usize>> = list.elements.iter().map(|each| each.range().start..each.range().end).collect();
    let Some(span) = spans.get(index).cloned() else { return Err(Refusal::Unsafe) };
    let edits = match item {
        Some(item) => {
            let style =
                if text[span.clone()].contains('\n') { lines(&document, span.start) } else { document.inline() };
            vec![Edit { with: written(item, style), range: span }]
        }
        None => cut(&document, list.range.start..list.range.end, &spans, index),
    };
    Ok(edited(text, edits))
}

/// Takes one of the entries of a group, or of the items of a list, out; `spans` is where they stand.
fn cut(document: &Document<'_>, outer: Range<usize>, spans: &[Range<usize>], index: usize) -> Vec<Edit> {
    let text = document.text;
    let (start, end) = (spans[index].start, spans[index].end);
    let following = document.comma(end);
    let stop = following.as_ref().map_or(end, |comma| comma.end);
    if spans.len() == 1 {
        let inner = outer.start + 1..outer.end - 1;
        if is_blank(&text[inner.start..start]) && is_blank(&text[stop..inner.end]) {
            return vec![Edit::cut(inner)];
        }
    }
    let mut edits = Vec::new();
    let before = index.checked_sub(1).map(|index| &spans[index]);
    if following.is_none()
        && let Some(comma) = before.and_then(|before| document.comma(before.end))
    {
        edits.push(Edit::cut(comma));
    }
    let line = line_start(text, start);
    let rest = text[stop..].split('\n').next().unwrap_or_default().trim();
    let alone =
        is_blank(&text[line..start]) && (rest.is_empty() || rest.starts_with("//") || rest.starts_with(['}', ']']));
    let range = if alone && line > 0 {
        let newline = line - 1;
        newline - usize::from(text[..newline].ends_with('\r'))..stop
    } else if index + 1 < spans.len() {
        start..document.token(stop).map_or(stop, |next| next.range.start)
    } else {
        text[..start].trim_end_matches([' ', '\t']).len()..stop
    };
    edits.push(Edit::cut(range));
    edits
}
