//! JSON with places. Whether a text is JSON is serde_json's matter; what is read here is known to be.

use super::yaml::twice;
use super::{DEPTH, Entry, Node, Scalar, What, too_deep};
use crate::trouble::{Spot, Trouble};

pub(super) fn read(text: &str) -> Result<Node, Trouble> {
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        let full = error.to_string();
        let cause = full.rsplit_once(" at line").map_or(full.as_str(), |(cause, _)| cause);
        // It counts columns in bytes.
        let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
        let before =
            String::from_utf8_lossy(line.as_bytes().get(..error.column().saturating_sub(1)).unwrap_or_default());
        let at = Spot::new(error.line().max(1), before.chars().count() + 1);
        let closes = line.as_bytes().get(error.column().saturating_sub(1)) == Some(&b'}');
        let cause = if cause == "key must be a string" && closes { "trailing comma" } else { cause };
        let mend = match cause {
            "trailing comma" => "Remove the comma before the closing bracket.",
            cause if cause.starts_with("EOF") => "Close what was opened: a quote or a bracket is missing at the end.",
            "key must be a string" => "Put the entry's name in double quotes.",
            _ => "Check the commas, brackets and double quotes here; JSON has no comments.",
        };
        return Err(Trouble::new(Some(at), format!("This is no JSON: {cause}."), mend));
    }
    let mut reader = Reader { text, at: 0, line: 1, line_start: 0, depth: 0 };
    reader.value()
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    line_start: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
            if self.text.as_bytes().get(self.at - 1) == Some(&b'\n') {
                self.line += 1;
                self.line_start = self.at;
            }
        }
    }

    fn spot(&self) -> Spot {
        let before = self.text.get(self.line_start..self.at).unwrap_or_default();
        Spot::new(self.line, before.chars().count() + 1)
    }

    fn value(&mut self) -> Result<Node, Trouble> {
        self.blanks();
        let at = self.spot();
        let what = match self.peek() {
            b'{' => self.within(at, Self::map)?,
            b'[' => self.within(at, Self::list)?,
            b'"' => What::Scalar(Scalar { text: self.string(), plain: false, first_line: None }),
            _ => {
                let rest = self.text.get(self.at..).unwrap_or_default();
                let end = rest.find([',', ']', '}', ' ', '\t', '\r', '\n']).unwrap_or(rest.len());
                self.at += end;
                let text = rest.get(..end).unwrap_or_default().to_owned();
                What::Scalar(Scalar { text, plain: true, first_line: None })
            }
        };
        self.blanks();
        Ok(Node { at, what })
    }

    fn within(&mut self, at: Spot, read: fn(&mut Self) -> Result<What, Trouble>) -> Result<What, Trouble> {
        if self.depth >= DEPTH {
            return Err(too_deep(at));
        }
        self.depth += 1;
        self.at += 1;
        self.blanks();
        let what = read(self)?;
        self.at += 1;
        self.depth -= 1;
        Ok(what)
    }

    fn list(&mut self) -> Result<What, Trouble> {
        let mut items = Vec::new();
        while !matches!(self.peek(), b']' | 0) {
            items.push(self.value()?);
            self.comma();
        }
        Ok(What::List(items))
    }

    fn map(&mut self) -> Result<What, Trouble> {
        let mut entries: Vec<Entry> = Vec::new();
        while !matches!(self.peek(), b'}' | 0) {
            let at = self.spot();
            let name = self.string();
            self.blanks();
            // The colon.
            self.at += 1;
            let value = self.value()?;
            if entries.iter().any(|other| other.name == name) {
                return Err(twice(&name, at));
            }
            entries.push(Entry { name, at, value });
            self.comma();
        }
        Ok(What::Map(entries))
    }

    fn comma(&mut self) {
        if self.peek() == b',' {
            self.at += 1;
            self.blanks();
        }
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while !matches!(self.peek(), b'"' | 0) {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        let written = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(written).unwrap_or_default()
    }
}
