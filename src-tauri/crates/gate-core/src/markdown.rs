//! Markdown as a tree. Agent text is hostile: HTML becomes text, links open only safe schemes,
//! images are links, and characters that reorder or hide text are made visible.
//!
//! Syntax: CommonMark with GitHub's tables, task lists and strikethrough.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde::{Deserialize, Serialize};

use crate::bounds;

#[cfg(test)]
mod fuzz;

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
/// How often a text is cut shorter to keep the bounds; text that is made to break them each time anew
/// is plain.
const CUTS: usize = 8;
/// Most nested blocks; deeper ones are flattened.
const DEPTH: usize = 24;
const SYNTAX: Options = Options::ENABLE_TABLES.union(Options::ENABLE_TASKLISTS).union(Options::ENABLE_STRIKETHROUGH);

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
        /// What it says.
        children: Vec<Inline>,
    },
    /// A line break.
    Break,
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
            Ok(blocks) => return Document { blocks, rest: rest.map(visible) },
            // Cut there, it may read otherwise: an end of something is missing.
            Err(at) => (head, rest) = split(source, at),
        }
    }
    Document { blocks: Vec::new(), rest: Some(visible(source)) }
}

/// The blocks of a text; or where a bound is passed, which is before its end.
fn format(text: &str) -> Result<Vec<Block>, usize> {
    let mut builder = Builder::default();
    let (mut depth, mut pieces, mut in_block) = (0_usize, 0, 0);
    for (event, place) in Parser::new_ext(text, SYNTAX).into_offset_iter() {
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
        builder.take(event);
    }
    Ok(builder.finish())
}

/// Makes characters visible that reorder or hide text (Unicode's bidirectional controls, zero-width
/// characters and other controls), e.g. U+202E becomes `⟨U+202E⟩`. See CVE-2021-42574.
#[must_use]
pub fn visible(text: &str) -> String {
    // Nearly all text is: it costs a look at its bytes.
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t' | b'\r'));
    if is_plain || !text.chars().any(hidden) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hidden(c) {
            shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    shown
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
    known && !href.chars().any(|c| c.is_control() || c.is_whitespace() || hidden(c))
}

fn hidden(c: char) -> bool {
    matches!(c,
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{061C}'
        | '\u{200B}' | '\u{2060}' | '\u{FEFF}' | '\u{00AD}' | '\u{E0000}'..='\u{E007F}')
        || (c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
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

/// A container that is open while the events of its content arrive.
enum Open {
    Paragraph,
    Heading(u8),
    Code { language: String, text: String },
    Quote,
    List(Option<u32>),
    Item(Option<bool>),
    Table,
    Row,
    Cell,
    Emphasis,
    Strong,
    Strike,
    Link(Option<String>),
    Flat,
}

#[derive(Default)]
struct Frame {
    open: Option<Open>,
    blocks: Vec<Block>,
    inlines: Vec<Inline>,
    items: Vec<Item>,
    cells: Vec<Vec<Inline>>,
    rows: Vec<Vec<Vec<Inline>>>,
}

struct Builder {
    stack: Vec<Frame>,
}

impl Default for Builder {
    fn default() -> Self {
        Self { stack: vec![Frame::default()] }
    }
}

impl Builder {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.inline(Inline::Code { text: visible(&text) });
            }
            Event::SoftBreak => self.inline(Inline::Text { text: "\n".to_owned() }),
            Event::HardBreak => self.inline(Inline::Break),
            Event::Rule => self.block(Block::Rule),
            Event::TaskListMarker(done) => {
                // An item that is flattened has no mark of its own, and must not set another's.
                let mut frames = self.stack.iter_mut().rev().map(|frame| &mut frame.open);
                let holder = frames.find(|open| !matches!(open, Some(Open::Paragraph)));
                if let Some(Some(Open::Item(checked))) = holder {
                    *checked = Some(done);
                }
            }
            Event::FootnoteReference(label) => self.text(&label),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let deep = self.stack.len() > DEPTH;
        let open = match tag {
            Tag::Paragraph => Open::Paragraph,
            Tag::Heading { level, .. } => Open::Heading(depth_of(level)),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next().unwrap_or_default().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                Open::Code { language: visible(&language), text: String::new() }
            }
            Tag::HtmlBlock => Open::Paragraph,
            Tag::BlockQuote(_) if !deep => Open::Quote,
            // An item belongs to its list: both are flattened, or neither.
            Tag::List(start) if self.stack.len() < DEPTH => Open::List(start.and_then(|n| u32::try_from(n).ok())),
            Tag::Item if matches!(self.top().open, Some(Open::List(_))) => Open::Item(None),
            Tag::Table(_) => Open::Table,
            Tag::TableHead | Tag::TableRow => Open::Row,
            Tag::TableCell => Open::Cell,
            Tag::Emphasis if !deep => Open::Emphasis,
            Tag::Strong if !deep => Open::Strong,
            Tag::Strikethrough if !deep => Open::Strike,
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } if !deep => {
                Open::Link(may_open(&dest_url).then(|| dest_url.into_string()))
            }
            _ => Open::Flat,
        };
        self.stack.push(Frame { open: Some(open), ..Frame::default() });
    }

    fn end(&mut self, tag: TagEnd) {
        let Some(mut frame) = self.stack.pop() else { return };
        let Some(open) = frame.open.take() else { return };
        match open {
            Open::Paragraph => self.block(Block::Paragraph { children: frame.inlines }),
            Open::Heading(level) => self.block(Block::Heading { level, children: frame.inlines }),
            Open::Code { language, text } => self.block(Block::Code { language, text }),
            Open::Quote => self.block(Block::Quote { children: blocks_of(frame) }),
            Open::List(start) => self.block(Block::List { start, items: frame.items }),
            Open::Item(checked) => {
                let item = Item { checked, children: blocks_of(frame) };
                self.top().items.push(item);
            }
            Open::Table => {
                let mut rows = frame.rows.into_iter();
                let head = rows.next().unwrap_or_default();
                self.block(Block::Table { head, rows: rows.collect() });
            }
            Open::Row => self.top().rows.push(frame.cells),
            Open::Cell => self.top().cells.push(frame.inlines),
            Open::Emphasis => self.inline(Inline::Emphasis { children: frame.inlines }),
            Open::Strong => self.inline(Inline::Strong { children: frame.inlines }),
            Open::Strike => self.inline(Inline::Strike { children: frame.inlines }),
            Open::Link(Some(href)) => {
                let children =
                    if frame.inlines.is_empty() { vec![Inline::Text { text: href.clone() }] } else { frame.inlines };
                self.inline(Inline::Link { href, children });
            }
            Open::Link(None) => {
                let top = self.top();
                top.inlines.append(&mut frame.inlines);
                if matches!(tag, TagEnd::Link) {
                    top.inlines.push(Inline::Text { text: " (link removed)".to_owned() });
                }
            }
            Open::Flat if is_inline(tag) => self.top().inlines.append(&mut frame.inlines),
            Open::Flat => {
                for block in blocks_of(frame) {
                    self.block(block);
                }
            }
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(Frame { open: Some(Open::Code { text: code, .. }), .. }) = self.stack.last_mut() {
            code.push_str(&visible(text));
            return;
        }
        self.inline(Inline::Text { text: visible(text) });
    }

    fn inline(&mut self, inline: Inline) {
        let inlines = &mut self.top().inlines;
        if let (Some(Inline::Text { text: last }), Inline::Text { text }) = (inlines.last_mut(), &inline) {
            last.push_str(text);
            return;
        }
        inlines.push(inline);
    }

    /// Blocks after loose text: the text becomes a paragraph first, so that the order is kept.
    fn block(&mut self, block: Block) {
        let top = self.top();
        if !top.inlines.is_empty() {
            let children = std::mem::take(&mut top.inlines);
            top.blocks.push(Block::Paragraph { children });
        }
        top.blocks.push(block);
    }

    fn top(&mut self) -> &mut Frame {
        if self.stack.is_empty() {
            self.stack.push(Frame::default());
        }
        let last = self.stack.len() - 1;
        &mut self.stack[last]
    }

    fn finish(mut self) -> Vec<Block> {
        let mut blocks = Vec::new();
        for frame in self.stack.drain(..) {
            blocks.extend(blocks_of(frame));
        }
        blocks
    }
}

fn is_inline(tag: TagEnd) -> bool {
    matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

fn blocks_of(frame: Frame) -> Vec<Block> {
    let mut blocks = frame.blocks;
    if !frame.inlines.is_empty() {
        blocks.push(Block::Paragraph { children: frame.inlines });
    }
    blocks
}

fn depth_of(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Inline {
        Inline::Text { text: text.to_owned() }
    }

    fn json(source: &str) -> String {
        serde_json::to_string(&parse(source)).unwrap_or_default()
    }

    #[test]
    fn html_is_text() {
        let blocks = parse("<script>alert(1)</script>\n\nHi <img src=x onerror=alert(1)> there").blocks;
        assert_eq!(blocks[0], Block::Paragraph { children: vec![text("<script>alert(1)</script>\n")] });
        assert_eq!(
            blocks[1],
            Block::Paragraph { children: vec![text("Hi <img src=x onerror=alert(1)> there")] },
            "a tag is shown as it was written"
        );
    }

    #[test]
    fn only_safe_links_stay_links() {
        for href in [
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "vbscript:x",
            "JaVaScRiPt:x",
            "//host/x",
            "x.html",
        ] {
            assert!(!json(&format!("[go]({href})")).contains("\"link\""), "{href} must not be a link");
        }
        for href in ["https://example.org/a", "http://example.org", "mailto:someone@example.org"] {
            assert!(json(&format!("[go]({href})")).contains("\"link\""), "{href} is a link");
        }
    }

    #[test]
    fn an_image_is_a_link_and_never_a_load() {
        let blocks = parse("![logo](https://example.org/a.png)").blocks;
        let link = Inline::Link { href: "https://example.org/a.png".into(), children: vec![text("logo")] };
        assert_eq!(blocks, vec![Block::Paragraph { children: vec![link] }]);
    }

    #[test]
    fn marks_that_reorder_text_are_shown() {
        assert!(json("pay \u{202E}evil\u{202C}").contains("⟨U+202E⟩"), "the override is visible in text");
        assert!(json("`a\u{2066}b`").contains("⟨U+2066⟩"), "and in code");
        assert_eq!(visible("naïve 你好 👩‍💻\n\t"), "naïve 你好 👩‍💻\n\t", "ordinary text stays as it is");
    }

    #[test]
    fn tables_tasks_and_code_are_parsed() {
        let blocks =
            parse("| a | b |\n|---|---|\n| 1 | `2` |\n\n- [x] done\n- [ ] open\n\n```rust\nfn a() {}\n```").blocks;
        assert!(matches!(&blocks[0], Block::Table { head, rows } if head.len() == 2 && rows.len() == 1), "{blocks:?}");
        assert!(
            matches!(&blocks[1], Block::List { items, .. } if items[0].checked == Some(true) && items[1].checked == Some(false)),
            "{blocks:?}"
        );
        assert_eq!(blocks[2], Block::Code { language: "rust".into(), text: "fn a() {}\n".into() });
    }

    #[test]
    fn flattened_text_is_kept_in_its_order_and_apart() {
        for depth in DEPTH - 4..DEPTH + 2 {
            let quotes = "> ".repeat(depth);
            let json =
                json(&format!("{quotes}- [ ] one\n{quotes}  - [x] two\n{quotes}\n{quotes}    three\n{quotes}- four"));
            let places = ["one", "two", "three", "four"].map(|word| json.find(word));
            assert!(places.iter().all(Option::is_some) && places.is_sorted(), "below {depth} quotes: {json}");
            assert!(!json.contains("onetwo") && !json.contains("threefour"), "items stay apart: {json}");
            assert!(
                !json.contains("true") || json.matches("\"checked\":").count() > 2,
                "a task marks its own item: {json}"
            );
        }
    }

    #[test]
    fn more_pieces_than_a_window_lays_out_quickly_become_text() {
        let in_one_block = ["*a* ", "- a\n", "`a` "].map(|one| (one, BLOCK_PIECES));
        for (one, most) in in_one_block.into_iter().chain([("a\n\n", FORMATTED_PIECES)]) {
            let source = one.repeat(3 * most);
            let document = parse(&source);
            let rest = document.rest.unwrap_or_default();
            let formatted = (source.len() - rest.len()) / one.len();
            assert!(formatted <= most, "{one:?}: {formatted} of them are formatted");
            assert!(formatted >= most / 3, "{one:?}: only {formatted} of them are formatted");
            assert!(source.ends_with(&rest), "{one:?}: nothing is lost");
        }
    }

    #[test]
    fn a_message_of_the_greatest_length_is_formatted_whole() {
        let section = "## Why\n\nThe `board` was *slow*, see [it](https://example.org).\n\n- a **point**\n- [x] `done`\n\n\
                       ```rust\nfn a() {}\n```\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n> quoted\n\n";
        let source = section.repeat(bounds::MESSAGE_BYTES / section.len());
        let document = parse(&source);
        assert!(document.rest.is_none(), "nothing of it is plain");
        assert_eq!(document.blocks.len(), 6 * (bounds::MESSAGE_BYTES / section.len()), "every block is there");
    }

    #[test]
    fn what_is_before_a_block_that_is_too_large_stays_formatted() {
        let source = format!("# Log\n\n```\n{}```\n", "a line\n".repeat(bounds::MESSAGE_BYTES / 8));
        let document = parse(&source);
        let rest = document.rest.unwrap_or_default();
        assert!(matches!(&document.blocks[..], [Block::Heading { .. }, Block::Code { .. }]), "both are there");
        assert!(rest.starts_with("a line\n") && rest.ends_with("```\n"), "the rest follows, from a line's start");
        let formatted = source.len() - rest.len();
        assert!((BLOCK_BYTES - 100..=BLOCK_BYTES + 100).contains(&formatted), "{formatted} bytes are formatted");
    }

    #[test]
    fn a_megabyte_on_one_line_is_split_and_deep_nesting_is_flattened() {
        let document = parse(&"é".repeat(512 * 1024));
        assert!(document.rest.is_some(), "what is past the bound is plain text");
        let deep = parse(&format!("{}x", "> ".repeat(5000)));
        let depth = serde_json::to_string(&deep).unwrap_or_default().matches("\"quote\"").count();
        assert!(depth <= DEPTH, "nesting is bounded: {depth}");
        assert!(json(&format!("{}x", "> ".repeat(5000))).contains('x'), "and the text is kept");
        let pictures = format!("{}x{}", "![".repeat(10_000), "](http://x)".repeat(10_000));
        assert!(json(&pictures).contains('x'), "pictures in pictures end somewhere, too");
    }
}
