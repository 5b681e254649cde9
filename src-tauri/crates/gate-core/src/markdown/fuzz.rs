//! Fuzzing Markdown, which is an agent's and so hostile: no text breaks the parser, hides from the
//! person, opens what it may not, or is more than a window lays out quickly.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use pulldown_cmark::{Event, Parser};

use super::build::DEPTH;
use super::{
    BLOCK_BYTES, BLOCK_PIECES, Block, Document, FORMATTED_BYTES, FORMATTED_PIECES, Inline, SYNTAX, may_open, parse,
};
use crate::ask::Ask;
use crate::bounds::TITLE_CHARS;
use crate::fuzzing::{Bytes, Fuzz, damaged, seeds};

const TOKENS: &[&str] = &[
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\t",
    "  \n",
    "\\",
    "*",
    "**",
    "_",
    "~~",
    "`",
    "```",
    "~~~\n",
    "    ",
    "> ",
    ">> ",
    "- ",
    "1. ",
    "4294967296. ",
    "- [x] ",
    "# ",
    "===\n",
    "---\n",
    "|",
    "|---|\n",
    "![",
    "[",
    "]",
    "](https://example.org/)",
    "](javascript:x)",
    "](http://\u{202e}x)",
    "](<mailto:a b>)",
    "[a]: https://a\n",
    "[a]",
    "<",
    ">",
    "<b>",
    "<!--",
    "-->",
    "<https://example.org>",
    "<a href='x'>",
    "&#x202e;",
    "&#0;",
    "&NewLine;",
    "&lt;",
    "\u{202e}",
    "\u{200b}",
    "\u{e0041}",
    "\u{feff}",
    "\0",
    "\u{1b}[31m",
    "é",
    "👩‍💻",
    "\u{2028}",
    "$$",
    "[^1]",
    ": ",
    "{#id}",
];

#[test]
fn fuzz_markdown() {
    let mut fuzz = Fuzz::new("markdown");
    for seed in seeds("markdown") {
        any_bytes(&seed);
    }
    let piece = prop_oneof![
        6 => select(TOKENS).prop_map(str::to_owned),
        3 => "[a-z ]{0,10}",
        1 => "\\PC{0,6}",
        1 => (select(TOKENS), 2_usize..60).prop_map(|(token, times)| token.repeat(times)),
    ];
    let (any, written) = (damaged("markdown", TOKENS), vec(piece.clone(), 0..40).prop_map(|pieces| pieces.concat()));
    // Around the bounds of a block, and of a whole message.
    let bytes = prop_oneof![9 => 1..BLOCK_BYTES + 5000, 1 => FORMATTED_BYTES - 5000..FORMATTED_BYTES + 5000];
    let long = (vec(piece, 1..12).prop_map(|pieces| pieces.concat()), bytes, 0_usize..10);
    while fuzz.goes_on() {
        for _ in 0..10 {
            fuzz.batch(&any, |bytes| any_bytes(&bytes));
            fuzz.batch(&written, |text| any_text(&text));
        }
        fuzz.batch(&long, |(text, bytes, cut)| {
            let long = text.repeat(bytes / text.len().max(1));
            any_text(long.get(cut..).unwrap_or(&long));
        });
    }
}

fn any_bytes(bytes: &Bytes) {
    any_text(&String::from_utf8_lossy(&bytes.0));
}

/// What holds for every text.
fn any_text(text: &str) {
    let document = parse(text);
    let mut seen = Seen::default();
    for block in &document.blocks {
        let before = seen.pieces;
        seen.blocks(std::slice::from_ref(block), 1);
        // Each piece is a block or a run at most, with texts between, and a paragraph where text is loose.
        assert!(seen.pieces - before <= 4 * BLOCK_PIECES + 4, "a block of {} pieces", seen.pieces - before);
    }
    assert!(seen.pieces <= 4 * FORMATTED_PIECES + 4, "{} pieces are formatted", seen.pieces);
    // Below the deepest block: a table, its row and its cell; or a paragraph.
    assert!(seen.depth <= DEPTH + 4, "{} levels are laid out", seen.depth);
    nothing_is_lost(text, &document, &seen.text);
    let headline = Ask { message: text.to_owned(), ..Ask::default() }.headline();
    assert!(headline.chars().count() <= TITLE_CHARS, "a headline is short");
    assert!(!headline.contains(char::is_control), "and on one line: {headline:?}");
}

/// All text is seen, in its order; what is laid out as Markdown may lose its marks only.
fn nothing_is_lost(text: &str, document: &Document, seen: &str) {
    let rest = document.rest.as_deref().unwrap_or_default();
    assert!(text.ends_with(rest), "the rest is the end of the text");
    let formatted = &text[..text.len() - rest.len()];
    assert!(formatted.len() <= FORMATTED_BYTES, "{} bytes are laid out", formatted.len());
    let mut written = String::new();
    for event in Parser::new_ext(formatted, SYNTAX) {
        if let Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) = event {
            written.push_str(&text);
        }
    }
    // What Markdown would have dropped stands between.
    let mut all = seen.chars();
    let lost = written.chars().filter(|c| !c.is_whitespace()).find(|c| !all.any(|other| other == *c));
    assert_eq!(lost, None, "text is lost or in another order: {written:?} became {seen:?}");
    no_word_is_dropped(formatted, seen);
}

/// Every word of the source is seen, but names of characters and of definitions.
fn no_word_is_dropped(source: &str, seen: &str) {
    if source.contains("][") || source.contains("]:") || source.len() > 10_000 {
        return;
    }
    let mut at = 0;
    for word in source.split(|c: char| !c.is_ascii_alphabetic()) {
        let is_name = source[..at].ends_with('&');
        at += word.len() + source[at + word.len()..].chars().next().map_or(0, char::len_utf8);
        assert!(is_name || word.len() < 4 || seen.contains(word), "{word:?} of {source:?} isn't in {seen:?}");
    }
}

/// What a window would lay out.
#[derive(Default)]
struct Seen {
    pieces: usize,
    depth: usize,
    text: String,
}

impl Seen {
    fn at(&mut self, depth: usize) {
        self.pieces += 1;
        self.depth = self.depth.max(depth);
    }

    fn blocks(&mut self, blocks: &[Block], depth: usize) {
        for block in blocks {
            self.at(depth);
            match block {
                Block::Paragraph { children } => self.inlines(children, depth + 1),
                Block::Heading { level, children } => {
                    assert!((1..=6).contains(level), "a heading has one of six levels");
                    self.inlines(children, depth + 1);
                }
                Block::Code { language, info, text } => {
                    [language, info, text].into_iter().for_each(|part| self.text.push_str(part));
                }
                Block::Quote { children } => self.blocks(children, depth + 1),
                Block::List { items, .. } => {
                    for item in items {
                        self.at(depth + 1);
                        self.blocks(&item.children, depth + 2);
                    }
                }
                Block::Table { head, rows } => {
                    for row in std::iter::once(head).chain(rows) {
                        self.at(depth + 1);
                        for cell in row {
                            self.at(depth + 2);
                            self.inlines(cell, depth + 3);
                        }
                    }
                }
                Block::Rule => {}
            }
        }
    }

    fn inlines(&mut self, inlines: &[Inline], depth: usize) {
        for inline in inlines {
            self.at(depth);
            match inline {
                Inline::Text { text } | Inline::Code { text } | Inline::Dropped { text } => self.text.push_str(text),
                Inline::Emphasis { children } | Inline::Strong { children } | Inline::Strike { children } => {
                    self.inlines(children, depth + 1);
                }
                Inline::Link { href, children, .. } => {
                    assert!(may_open(href), "{href} may not be opened");
                    assert!(!children.is_empty(), "a link can be seen");
                    self.inlines(children, depth + 1);
                    self.text.push_str(href);
                }
                Inline::Break | Inline::Blank { .. } => {}
            }
        }
    }
}
