//! YAML, from the parser's events. Aliases are put in, within bounds.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};

use super::{BYTES, DEPTH, Entry, NODES, Node, Scalar, What, too_deep};
use crate::trouble::{Spot, Trouble};

pub(super) fn read(text: &str, line: u32) -> Result<Node, Trouble> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut builder = Builder { lines, shift: line.saturating_sub(1), ..Builder::default() };
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => builder.take(event, span.start)?,
            Err(error) => {
                let at = builder.spot(*error.marker());
                return Err(told(error.info(), at));
            }
        }
    }
    let nothing = Scalar { text: String::new(), plain: true, first_line: None };
    Ok(builder.root.unwrap_or(Node { at: Spot { line, column: 1 }, what: What::Scalar(nothing) }))
}

/// The parser's own words, with what usually causes them.
fn told(info: &str, at: Spot) -> Trouble {
    let mend = if info.contains("mapping values are not allowed") || info.contains("mapping value") {
        "Put a text that holds `: ` in quotes, or write it below a `|`."
    } else if info.contains("tab") {
        "Indent with blanks: YAML allows no tabs there."
    } else if info.contains("quoted scalar") {
        "Close the quotes."
    } else if info.contains("anchor") || info.contains("alias") {
        "Put a text that begins with `*` or `&` in quotes."
    } else if info.contains("flow") || info.contains("','") {
        "Close the bracket, or put a text that begins with `[` or `{` in quotes."
    } else {
        "Look at the indentation here and in the line above; texts with special characters go in quotes."
    };
    Trouble::new(Some(at), format!("This is no YAML: {}.", info.trim_end_matches('.')), mend)
}

/// A collection that has begun.
#[derive(Debug)]
struct Open {
    at: Spot,
    anchor: usize,
    what: What,
    /// The key whose value comes next.
    key: Option<(String, Spot)>,
}

#[derive(Debug, Default)]
struct Builder<'a> {
    lines: Vec<&'a str>,
    shift: u32,
    open: Vec<Open>,
    root: Option<Node>,
    anchors: HashMap<usize, Node>,
    documents: usize,
    nodes: usize,
    bytes: usize,
}

impl Builder<'_> {
    fn spot(&self, marker: Marker) -> Spot {
        let spot = Spot::new(marker.line().max(1), marker.col() + 1);
        Spot { line: spot.line.saturating_add(self.shift), ..spot }
    }

    fn take(&mut self, event: Event<'_>, start: Marker) -> Result<(), Trouble> {
        let at = self.spot(start);
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(Trouble::new(
                        Some(at),
                        "A second document begins here, and a prompt's file is one.",
                        "Remove the `---`, or make it a file of its own.",
                    ));
                }
            }
            Event::Scalar(text, style, anchor, _) => {
                let plain = style == ScalarStyle::Plain;
                let first_line = match style {
                    ScalarStyle::Literal => self.first_line(start, &text),
                    _ => None,
                };
                let scalar = Scalar { text: text.into_owned(), plain, first_line };
                let node = Node { at, what: What::Scalar(scalar) };
                self.add(node, anchor)?;
            }
            Event::Alias(anchor) => {
                let Some(mut node) = self.anchors.get(&anchor).cloned() else {
                    return Err(Trouble::new(
                        Some(at),
                        "This alias stands for something that isn't finished yet.",
                        "Put a text that begins with `*` in quotes.",
                    ));
                };
                node.at = at;
                self.add(node, 0)?;
            }
            Event::MappingStart(anchor, _) => self.begin(at, anchor, What::Map(Vec::new()))?,
            Event::SequenceStart(anchor, _) => self.begin(at, anchor, What::List(Vec::new()))?,
            Event::MappingEnd | Event::SequenceEnd => {
                if let Some(open) = self.open.pop() {
                    self.add(Node { at: open.at, what: open.what }, open.anchor)?;
                }
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    /// On which line of the file a block's text begins: where the marker stands, or below the `|`.
    fn first_line(&self, start: Marker, text: &str) -> Option<u32> {
        let first = text.split('\n').next()?;
        let here = start.line().max(1);
        let line = (here..here + 3).find(|line| {
            let source = self.lines.get(line - 1);
            source.is_some_and(|source| source.ends_with(first) && source.trim_start() == first.trim_start())
        })?;
        Some(u32::try_from(line).unwrap_or(u32::MAX).saturating_add(self.shift))
    }

    fn begin(&mut self, at: Spot, anchor: usize, what: What) -> Result<(), Trouble> {
        if self.open.len() >= DEPTH {
            return Err(too_deep(at));
        }
        self.open.push(Open { at, anchor, what, key: None });
        Ok(())
    }

    fn add(&mut self, node: Node, anchor: usize) -> Result<(), Trouble> {
        // What was counted when it was built is counted again only where an alias copies it.
        let (nodes, bytes) = if anchor == 0 { weight(&node) } else { (1, 0) };
        self.nodes = self.nodes.saturating_add(nodes);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.nodes > NODES * DEPTH || self.bytes > BYTES * DEPTH {
            return Err(Trouble::new(
                Some(node.at),
                "The aliases of this file make it too large.",
                "Write out what is meant, without `&` and `*`.",
            ));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert(node);
            return Ok(());
        };
        match (&mut open.what, open.key.take()) {
            (What::List(items), _) => items.push(node),
            (What::Map(_), None) => match node.what {
                What::Scalar(scalar) => open.key = Some((scalar.text, node.at)),
                What::List(_) | What::Map(_) => {
                    return Err(Trouble::new(
                        Some(node.at),
                        "A list or a mapping can't be the name of an entry.",
                        "Put a text that begins with `[`, `{` or `?` in quotes; a template's `{{` as well.",
                    ));
                }
            },
            (What::Map(entries), Some((name, at))) => {
                if entries.iter().any(|other| other.name == name) {
                    return Err(twice(&name, at));
                }
                entries.push(Entry { name, at, value: node });
            }
            (What::Scalar(_), _) => {}
        }
        Ok(())
    }
}

pub(super) fn twice(name: &str, at: Spot) -> Trouble {
    let name = gate_core::ask::excerpt(name, 60);
    Trouble::new(Some(at), format!("`{name}` stands here a second time."), "Remove one of the two.")
}

/// How many parts a part has with all that is below it, and the bytes of its texts.
fn weight(node: &Node) -> (usize, usize) {
    let sum = |(nodes, bytes): (usize, usize), below: &Node| {
        let (more_nodes, more_bytes) = weight(below);
        (nodes + more_nodes, bytes + more_bytes)
    };
    match &node.what {
        What::Scalar(scalar) => (1, scalar.text.len()),
        What::List(items) => items.iter().fold((1, 0), sum),
        What::Map(entries) => entries.iter().map(|entry| &entry.value).fold((1, 0), sum),
    }
}
