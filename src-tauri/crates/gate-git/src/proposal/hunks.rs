//! The hunks of a diff: as many lines as they say that they have, or counted anew where that is wrong.

use super::Span;
use super::lines::Reader;
use crate::refused::Refused;

impl Reader<'_> {
    /// One hunk: the line of the old file at which it begins, and what it changes.
    pub(super) fn hunk(&mut self) -> Result<(u32, Span), Refused> {
        let (at, line) = (self.at, self.line);
        let header = self.peek().unwrap_or_default();
        let [old, new] = ranges(header).ok_or_else(|| self.unreadable("the numbers of a hunk can't be read"))?;
        self.next();
        let body = self.at;
        let said = self.counted(old, new);
        let span = match said {
            Some(span) if !self.goes_on() => span,
            _ => {
                (self.at, self.line) = (body, line + 1);
                let (span, lines) =
                    self.recounted(old.0, new.0).ok_or(Refused::Unreadable { line, why: "a hunk changes nothing" })?;
                let rest =
                    header.iter().skip(2).position(|byte| *byte == b'@').map_or(&b"@@\n"[..], |end| &header[end + 2..]);
                let mut correct = format!("@@ -{},{} +{},{} ", old.0, lines.0, new.0, lines.1).into_bytes();
                correct.extend_from_slice(rest);
                self.corrections.push((at..body, correct));
                span
            }
        };
        Ok((old.0, span))
    }

    /// Takes as many lines as a hunk says that it has; absent where it hasn't.
    fn counted(&mut self, old: (u32, u32), new: (u32, u32)) -> Option<Span> {
        let (mut left, mut walk) = ((old.1, new.1), Walk::at(old, new));
        while left != (0, 0) {
            match self.peek()?.first()? {
                b' ' | b'\n' => left = (left.0.checked_sub(1)?, left.1.checked_sub(1)?),
                b'-' => left.0 = left.0.checked_sub(1)?,
                b'+' => left.1 = left.1.checked_sub(1)?,
                b'\\' => {}
                _ => return None,
            }
            walk.takes(self.peek()?);
            self.next();
        }
        while self.peek().is_some_and(|line| line.starts_with(b"\\")) {
            self.next();
        }
        walk.span
    }

    /// Whether a hunk goes on here, though it says that it has ended.
    fn goes_on(&self) -> bool {
        match self.peek().and_then(|line| line.first()) {
            Some(b' ' | b'+') => true,
            Some(b'-') => !self.is_signature() && !self.is_plain_header(self.at),
            _ => false,
        }
    }

    /// The line that ends a mail of `git format-patch`: git's version comes behind it. Else it is a line `-` that goes.
    fn is_signature(&self) -> bool {
        let Some(line) = self.peek().filter(|line| matches!(line.trim_ascii_end(), b"--")) else { return false };
        let next = self.line_at(self.at + line.len());
        next.map_or(line.starts_with(b"-- "), |next| next.first().is_some_and(u8::is_ascii_digit))
    }

    /// Takes a hunk as far as its lines look like it; how many it has on both sides.
    fn recounted(&mut self, old: u32, new: u32) -> Option<(Span, (u32, u32))> {
        let body = (self.at, self.line);
        let mut lines = (0_u32, 0_u32);
        let mut end = body;
        while let Some(line) = self.peek() {
            let goes_on = matches!(line.first(), Some(b' ' | b'+' | b'-' | b'\\' | b'\n'));
            if !goes_on || self.is_plain_header(self.at) || self.is_signature() {
                break;
            }
            self.next();
            // Empty lines at the end are between two things, and not of this one.
            if line != b"\n" {
                end = (self.at, self.line);
            }
        }
        (self.at, self.line) = body;
        while self.at < end.0 {
            match self.peek().and_then(|line| line.first()) {
                Some(b' ' | b'\n') => lines = (lines.0 + 1, lines.1 + 1),
                Some(b'-') => lines.0 += 1,
                Some(b'+') => lines.1 += 1,
                _ => {}
            }
            self.next();
        }
        (self.at, self.line) = body;
        // Where a side begins hangs on whether it has lines.
        let mut walk = Walk::at((old, lines.0), (new, lines.1));
        while self.at < end.0 {
            walk.takes(self.peek()?);
            self.next();
        }
        Some((walk.span?, lines))
    }
}

/// Counts the lines of a hunk, to know which of them change.
struct Walk {
    old: u32,
    new: u32,
    span: Option<Span>,
}

impl Walk {
    fn at(old: (u32, u32), new: (u32, u32)) -> Self {
        // Without lines, a side names the one before.
        let first = |(start, lines): (u32, u32)| if lines == 0 { start.saturating_add(1) } else { start };
        Self { old: first(old), new: first(new), span: None }
    }

    fn takes(&mut self, line: &[u8]) {
        let begins = (self.old, self.new);
        match line.first() {
            Some(b'-') => self.old = self.old.saturating_add(1),
            Some(b'+') => self.new = self.new.saturating_add(1),
            Some(b' ' | b'\n') => {
                (self.old, self.new) = (self.old.saturating_add(1), self.new.saturating_add(1));
                return;
            }
            _ => return,
        }
        let span = self.span.get_or_insert(Span { old: begins.0..begins.0, new: begins.1..begins.1 });
        (span.old.end, span.new.end) = (self.old, self.new);
    }
}

/// The first line and the number of lines of both sides, in `@@ -1,2 +3,4 @@`; the number is 1 where it isn't said.
fn ranges(header: &[u8]) -> Option<[(u32, u32); 2]> {
    let numbers = header.strip_prefix(b"@@ -")?;
    let end = numbers.windows(3).position(|part| part == b" @@")?;
    let (old, new) = std::str::from_utf8(&numbers[..end]).ok()?.split_once(" +")?;
    let side = |side: &str| {
        let (start, lines) = side.split_once(',').unwrap_or((side, "1"));
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        Some((number(start)?, number(lines)?))
    };
    Some([side(old)?, side(new)?])
}
