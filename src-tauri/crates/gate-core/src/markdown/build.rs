//! Builds the tree of a document from what the parser finds in its text, and keeps what the parser passes over: words
//! between the pieces that it names.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Tag, TagEnd};

use super::{BREAKS, Block, Inline, Item, may_open};

/// Most nested blocks; deeper ones are flattened.
pub(super) const DEPTH: usize = 24;

/// A container that is open while the events of its content arrive.
enum Open {
    Paragraph,
    Heading(u8),
    Code { language: String, info: String, text: String },
    Quote,
    List(Option<u32>),
    Item(Option<bool>),
    Table,
    Row,
    Cell,
    Emphasis,
    Strong,
    Strike,
    Link(Target),
    Flat,
}

/// What a link or a picture says besides its words.
struct Target {
    href: String,
    /// Whether it may be opened from where it stands.
    opens: bool,
    image: bool,
    title: String,
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

pub(super) struct Builder<'a> {
    source: &'a str,
    stack: Vec<Frame>,
    /// How far the source is in the tree, or known to be marks.
    read: usize,
    /// Definitions that links use, which say all that these say; those behind `read`, the next one last.
    used: Vec<Range<usize>>,
}

impl<'a> Builder<'a> {
    /// `used`: where definitions stand that links use, in their order.
    pub(super) fn of(source: &'a str, mut used: Vec<Range<usize>>) -> Self {
        used.reverse();
        Self { source, stack: vec![Frame::default()], read: 0, used }
    }

    pub(super) fn take(&mut self, event: Event<'_>, place: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, place),
            Event::End(tag) => self.end(tag, place),
            _ => self.leaf(event, place),
        }
    }

    fn leaf(&mut self, event: Event<'_>, place: Range<usize>) {
        self.read_to(place.start);
        self.read = self.read.max(place.end);
        match event {
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.inline(Inline::Code { text: text.into_string() });
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
            Event::Start(_) | Event::End(_) => {}
        }
    }

    /// Goes on to a place of the source. What stands until there is in no piece that the parser names: marks, or words
    /// that would be left out.
    fn read_to(&mut self, to: usize) {
        while self.read < to {
            let used = self.used.last().cloned().filter(|used| used.start < to);
            let until = used.as_ref().map_or(to, |used| used.start);
            let passed = self.source.get(self.read..until).unwrap_or_default();
            self.read = self.read.max(until);
            if passed.chars().any(|c| c.is_alphanumeric() || !c.is_ascii() && !c.is_whitespace()) {
                let text = passed.trim_matches(|c: char| c.is_whitespace() || matches!(c, '|' | '>')).to_owned();
                self.dropped(text);
            }
            if let Some(used) = used {
                self.used.pop();
                self.read = self.read.max(used.end);
            }
        }
    }

    /// Takes note of words that wouldn't be shown, where they would have stood.
    fn dropped(&mut self, text: String) {
        if text.trim().is_empty() {
            return;
        }
        let top = self.top();
        match top.open {
            Some(Open::Row) => top.cells.push(vec![Inline::Dropped { text }]),
            _ => top.inlines.push(Inline::Dropped { text }),
        }
    }

    fn start(&mut self, tag: Tag<'_>, place: Range<usize>) {
        if !is_inline(tag.to_end()) {
            self.read_to(place.start);
        }
        let deep = self.stack.len() > DEPTH;
        let open = match tag {
            Tag::Paragraph => Open::Paragraph,
            Tag::Heading { level, .. } => Open::Heading(depth_of(level)),
            Tag::CodeBlock(kind) => self.code(&kind, &place),
            Tag::HtmlBlock => Open::Paragraph,
            Tag::BlockQuote(_) if !deep => Open::Quote,
            Tag::Item => {
                self.read_marker(place.start);
                // An item belongs to its list: both are flattened, or neither.
                if matches!(self.top().open, Some(Open::List(_))) { Open::Item(None) } else { Open::Flat }
            }
            Tag::List(start) if self.stack.len() < DEPTH => Open::List(start.and_then(|n| u32::try_from(n).ok())),
            Tag::Table(_) => Open::Table,
            Tag::TableHead | Tag::TableRow => Open::Row,
            Tag::TableCell => Open::Cell,
            Tag::Emphasis if !deep => Open::Emphasis,
            Tag::Strong if !deep => Open::Strong,
            Tag::Strikethrough if !deep => Open::Strike,
            Tag::Link { link_type: LinkType::Email, dest_url, title, .. } => {
                Open::Link(target(format!("mailto:{dest_url}"), &title, false, deep))
            }
            Tag::Link { dest_url, title, .. } => Open::Link(target(dest_url.into_string(), &title, false, deep)),
            Tag::Image { dest_url, title, .. } => Open::Link(target(dest_url.into_string(), &title, true, deep)),
            _ => Open::Flat,
        };
        self.stack.push(Frame { open: Some(open), ..Frame::default() });
    }

    /// A code block. Its first word names the language; what else stands after the fence is kept.
    fn code(&mut self, kind: &CodeBlockKind<'_>, place: &Range<usize>) -> Open {
        let CodeBlockKind::Fenced(info) = kind else {
            return Open::Code { language: String::new(), info: String::new(), text: String::new() };
        };
        let fence = self.source.get(place.clone()).unwrap_or_default();
        self.read = self.read.max(place.start + fence.find('\n').unwrap_or(fence.len()));
        let language = info.split([' ', ',', '{']).next().unwrap_or_default();
        let rest = info.strip_prefix(language).unwrap_or_default().trim_matches([' ', ',']);
        Open::Code { language: language.to_owned(), info: rest.to_owned(), text: String::new() }
    }

    /// The number of an item is the list's to say.
    fn read_marker(&mut self, at: usize) {
        let rest = self.source.get(at..).unwrap_or_default();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if rest[digits..].starts_with(['.', ')']) {
            self.read = self.read.max(at + digits);
        }
    }

    fn end(&mut self, tag: TagEnd, place: Range<usize>) {
        if matches!(tag, TagEnd::Link | TagEnd::Image) {
            // Where it goes, and its title, are known.
            self.read = self.read.max(place.end);
        } else if !is_inline(tag) {
            self.read_to(place.end);
        }
        let Some(mut frame) = self.stack.pop() else { return };
        let Some(open) = frame.open.take() else { return };
        match open {
            Open::Paragraph => self.block(Block::Paragraph { children: frame.inlines }),
            Open::Heading(level) => self.block(Block::Heading { level, children: frame.inlines }),
            Open::Code { language, info, text } => {
                self.block(Block::Code { language, info, text });
                self.blocks(frame);
            }
            Open::Quote => self.block(Block::Quote { children: blocks_of(frame) }),
            Open::List(start) => {
                let items = std::mem::take(&mut frame.items);
                self.block(Block::List { start, items });
                self.blocks(frame);
            }
            Open::Item(checked) => {
                let item = Item { checked, children: blocks_of(frame) };
                self.top().items.push(item);
            }
            Open::Table => {
                let mut rows = std::mem::take(&mut frame.rows).into_iter();
                let head = rows.next().unwrap_or_default();
                self.block(Block::Table { head, rows: rows.collect() });
                self.blocks(frame);
            }
            Open::Row => self.top().rows.push(frame.cells),
            Open::Cell => self.top().cells.push(frame.inlines),
            Open::Emphasis => self.inline(Inline::Emphasis { children: frame.inlines }),
            Open::Strong => self.inline(Inline::Strong { children: frame.inlines }),
            Open::Strike => self.inline(Inline::Strike { children: frame.inlines }),
            Open::Link(target) => self.link(target, frame.inlines),
            Open::Flat if is_inline(tag) => self.top().inlines.append(&mut frame.inlines),
            Open::Flat => self.blocks(frame),
        }
    }

    fn link(&mut self, Target { href, opens, image, title }: Target, mut children: Vec<Inline>) {
        let says = matches!(&children[..], [Inline::Text { text }] if *text == href);
        if opens {
            if children.is_empty() {
                children.push(Inline::Text { text: href.clone() });
            }
            self.inline(Inline::Link { href, image, children });
        } else {
            children.into_iter().for_each(|child| self.inline(child));
            if !says {
                self.dropped(href);
            }
        }
        self.dropped(title);
    }

    fn text(&mut self, text: &str) {
        if let Some(Frame { open: Some(Open::Code { text: code, .. }), .. }) = self.stack.last_mut() {
            code.push_str(text);
            return;
        }
        self.inline(Inline::Text { text: text.to_owned() });
    }

    fn inline(&mut self, inline: Inline) {
        let inlines = &mut self.top().inlines;
        match (inlines.last_mut(), &inline) {
            (Some(Inline::Text { text: last }), Inline::Text { text }) => last.push_str(text),
            (Some(Inline::Blank { lines }), Inline::Break) => *lines += 1,
            _ => inlines.push(inline),
        }
        let before = inlines.len().saturating_sub(BREAKS + 1);
        if inlines.len() > BREAKS && inlines[before..].iter().all(|inline| matches!(inline, Inline::Break)) {
            let lines = u32::try_from(inlines.len() - before).unwrap_or(u32::MAX);
            inlines.truncate(before);
            inlines.push(Inline::Blank { lines });
        }
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

    /// What a container held that has no place for it.
    fn blocks(&mut self, frame: Frame) {
        for block in blocks_of(frame) {
            self.block(block);
        }
    }

    fn top(&mut self) -> &mut Frame {
        if self.stack.is_empty() {
            self.stack.push(Frame::default());
        }
        let last = self.stack.len() - 1;
        &mut self.stack[last]
    }

    pub(super) fn finish(mut self) -> Vec<Block> {
        self.read_to(self.source.len());
        let mut blocks = Vec::new();
        for frame in self.stack.drain(..) {
            blocks.extend(blocks_of(frame));
        }
        blocks
    }
}

fn target(href: String, title: &str, image: bool, deep: bool) -> Target {
    Target { opens: !deep && may_open(&href), href, image, title: title.to_owned() }
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
