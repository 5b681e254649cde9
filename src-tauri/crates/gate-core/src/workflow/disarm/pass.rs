//! One time through a text: what in it does something is found by what a parser of Markdown makes of it, and changed all at
//! once.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::marks::is_command;
use crate::markdown::SYNTAX;
use crate::unseen::{is_unseen, visible};

/// Tags without attributes that stay as they are: they fold, break lines and mark words.
const TAGS: [&str; 14] =
    ["details", "summary", "br", "hr", "sub", "sup", "kbd", "b", "i", "em", "strong", "del", "ins", "p"];
/// References to characters that stay in HTML.
const REFERENCES: [&str; 5] = ["&amp;", "&lt;", "&gt;", "&quot;", "&nbsp;"];

/// What a byte of a text is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Marks, and where links go.
    Mark,
    /// Words that are shown.
    Text,
    /// Code.
    Code,
    /// HTML.
    Html,
}

/// A change of a text.
struct Edit {
    at: Range<usize>,
    with: String,
}

/// A text as the parser sees it.
struct Read<'a> {
    text: &'a str,
    parts: Vec<Part>,
    edits: Vec<Edit>,
}

/// A text after one time. Where nothing is to be changed, the same.
pub(super) fn pass(text: &str) -> String {
    let mut read = Read { text, parts: vec![Part::Mark; text.len()], edits: Vec::new() };
    read.parts();
    let marks = read.marks();
    read.names(&marks);
    read.slashes(&marks);
    read.declarations();
    let mut edits = read.edits;
    edits.sort_by_key(|edit| (edit.at.start, edit.at.end));
    let mut done = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for edit in edits {
        // Two changes of one place: the other one is made the next time.
        if edit.at.start < at {
            continue;
        }
        done.push_str(&text[at..edit.at.start]);
        done.push_str(&edit.with);
        at = edit.at.end;
    }
    done.push_str(&text[at..]);
    closed(done)
}

fn options() -> Options {
    SYNTAX.union(Options::ENABLE_FOOTNOTES)
}

impl Read<'_> {
    fn edit(&mut self, at: Range<usize>, with: impl Into<String>) {
        self.edits.push(Edit { at, with: with.into() });
    }

    fn fill(&mut self, at: &Range<usize>, part: Part) {
        self.parts[at.clone()].fill(part);
    }

    fn part(&self, at: usize) -> Part {
        self.parts.get(at).copied().unwrap_or(Part::Mark)
    }

    fn parts(&mut self) {
        let text = self.text;
        let mut in_code = false;
        for (event, at) in Parser::new_ext(text, options()).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(_)) => {
                    in_code = true;
                    self.fill(&at, Part::Code);
                }
                Event::End(TagEnd::CodeBlock) => in_code = false,
                Event::Text(_) if in_code => {}
                Event::Text(said) => {
                    self.fill(&at, Part::Text);
                    self.reference(&said, at);
                }
                Event::Code(_) => self.fill(&at, Part::Code),
                Event::Start(Tag::HtmlBlock) => {
                    self.fill(&at, Part::Html);
                    if !is_harmless(&text[at.clone()]) {
                        let tags = text[at.clone()].match_indices('<').map(|(tag, _)| at.start + tag);
                        tags.for_each(|tag| self.edit(tag..tag + 1, "&lt;"));
                    }
                }
                Event::InlineHtml(_) => {
                    self.fill(&at, Part::Html);
                    if bare_tag(&text[at.clone()]).is_none() {
                        self.edit(at.start..at.start + 1, "&lt;");
                    }
                }
                _ => {}
            }
        }
    }

    /// A reference to a character that would become an `@`, or that nobody sees.
    fn reference(&mut self, said: &str, at: Range<usize>) {
        let written = &self.text[at.clone()];
        if !written.starts_with('&') || written == said {
            return;
        }
        if said == "@" {
            self.edit(at, "@");
        } else if said.chars().any(is_unseen) {
            let seen = said.chars().map(|c| if is_unseen(c) { visible(&c.to_string()) } else { c.to_string() });
            let seen: String = seen.collect();
            self.edit(at, seen);
        }
    }

    /// As many marks of code as no run of them has that isn't code: with these, code begins and ends as it is meant to.
    fn marks(&self) -> String {
        let mut lengths = BTreeSet::new();
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let length = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
            if length > 0 && self.parts[at..at + length].contains(&Part::Text) {
                // The first one may be escaped.
                lengths.extend([length, length.saturating_sub(1)]);
            }
            at += length.max(1);
        }
        let length = (1..).find(|length| !lengths.contains(length)).unwrap_or(1);
        "`".repeat(length)
    }

    /// `@names`, which tell somebody.
    fn names(&mut self, marks: &str) {
        let text = self.text;
        for (at, _) in text.match_indices('@') {
            let is_in_word = text[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
            let next = text[at + 1..].chars().next();
            let is_name = next.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '&' | '\\'));
            if is_in_word || !is_name {
                continue;
            }
            match self.part(at) {
                Part::Code | Part::Html => {}
                Part::Mark => self.edit(at..at + 1, "%40"),
                Part::Text if is_in_address(text, at) => self.edit(at..at + 1, "%40"),
                Part::Text => {
                    let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@');
                    self.make_code(at, at + 1 + word(&text[at + 1..], of_name), marks);
                }
            }
        }
    }

    /// Lines that begin with a slash.
    fn slashes(&mut self, marks: &str) {
        let text = self.text;
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let at = start + (line.len() - line.trim_start_matches([' ', '\t']).len());
            if text[at..].starts_with('/') && self.part(at) == Part::Text {
                let of_word = |c: char| {
                    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | ':' | '+' | '%' | '~')
                };
                self.edits.retain(|edit| edit.at.start < at || edit.at.start >= start + line.len());
                self.make_code(at, at + 1 + word(&text[at + 1..], of_word), marks);
            } else if is_command(line) {
                self.edit(start..start, " ");
            }
            start += line.len();
        }
    }

    /// `<!` and `<?` that the parser takes for text: another one might not.
    fn declarations(&mut self) {
        for (at, _) in self.text.match_indices('<') {
            let is_one = self.text[at + 1..].starts_with(['!', '?']);
            if is_one && matches!(self.part(at), Part::Text | Part::Mark) {
                self.edit(at..at + 1, "&lt;");
            }
        }
    }

    /// Makes words code, with a blank where they would meet other marks of code.
    fn make_code(&mut self, at: usize, end: usize, marks: &str) {
        let text = self.text;
        let start = text[..at].trim_end_matches('\\').len();
        let before = if text[..start].ends_with('`') { " " } else { "" };
        let after = if text[end..].starts_with('`') { " " } else { "" };
        self.edit(start..end, format!("{before}{marks}{}{marks}{after}", &text[start..end]));
    }
}

/// How long the word is that a text begins with; it doesn't end with a full stop.
fn word(text: &str, of_word: impl Fn(char) -> bool) -> usize {
    let length = text.find(|c| !of_word(c)).unwrap_or(text.len());
    text[..length].trim_end_matches('.').len()
}

/// Whether what stands there is part of an address: `https://example.com/@name`.
fn is_in_address(text: &str, at: usize) -> bool {
    let start = text[..at].rfind(|c: char| c.is_whitespace() || "<>\"'`()".contains(c)).unwrap_or(0);
    text[start..at].contains("://")
}

/// The tag that a text is, without attributes; absent where it is something else.
fn bare_tag(text: &str) -> Option<&str> {
    let name = text.strip_prefix('<')?.strip_suffix('>')?;
    let name = name.strip_prefix('/').unwrap_or(name);
    let name = name.strip_suffix('/').unwrap_or(name).trim_end();
    TAGS.iter().copied().find(|tag| tag.eq_ignore_ascii_case(name))
}

/// Whether a block of HTML has nothing but plain tags, and words that do nothing.
fn is_harmless(block: &str) -> bool {
    let mut rest = block;
    let mut words = String::new();
    while let Some((before, after)) = rest.split_once('<') {
        words.push_str(before);
        let Some(end) = after.find('>').filter(|end| bare_tag(&format!("<{}", &after[..=*end])).is_some()) else {
            return false;
        };
        words.push(' ');
        rest = &after[end + 1..];
    }
    words.push_str(rest);
    for reference in REFERENCES {
        words = words.replace(reference, " ");
    }
    let has_slash = words.lines().any(|line| line.trim_start().starts_with('/'));
    !has_slash && !words.contains(['@', '&'])
}

/// With an end for the fence that has none: what follows would be a part of it.
fn closed(text: String) -> String {
    const AFTER: &str = "\n\nx";
    let whole = format!("{text}{AFTER}");
    let mut blocks = Parser::new_ext(&whole, options()).into_offset_iter();
    let open = blocks.find(|(event, at)| matches!(event, Event::Start(Tag::CodeBlock(_))) && at.end >= whole.len());
    let Some((_, at)) = open else { return text };
    let begins = text[at.start..].trim_start_matches(' ');
    let mark = begins.chars().next().filter(|mark| matches!(mark, '`' | '~')).unwrap_or('`');
    let length = begins.chars().take_while(|c| *c == mark).count().max(3);
    let break_ = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{break_}{}", mark.to_string().repeat(length))
}
