//! The lines of one file: which of them are whole, where the chain doesn't hold, and which still count then.
//!
//! Knows the bytes and what anchors know; neither the folder nor who reads.

use std::collections::HashSet;

use gate_core::{Digest, Timestamp};

use crate::clock::SLACK_MILLIS;
use crate::line::{LINE_BYTES, Line, LineError};
use crate::parts::{Head, HomeId};

/// A line of a file.
#[derive(Debug)]
pub(crate) struct Piece {
    /// Where it begins.
    pub(crate) offset: u64,
    /// Its length without the line feed.
    pub(crate) bytes: usize,
    /// What it says, where it is a line of this home.
    pub(crate) line: Result<(Line, Head), Wrong>,
    /// Whether it counts.
    pub(crate) counts: bool,
}

impl Piece {
    fn head(&self) -> Option<Head> {
        self.line.as_ref().ok().map(|(_, head)| *head)
    }
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// It is no line.
    #[error("no line: {0}")]
    NoLine(#[from] LineError),
    /// It is another home's.
    #[error("a line of another home")]
    OtherHome,
    /// It doesn't follow the line before it.
    #[error("it doesn't follow the line before it")]
    Unlinked,
    /// The file doesn't begin as a chain does.
    #[error("a chain doesn't begin with it")]
    NoBeginning,
    /// An anchor knows another line of that number.
    #[error("an anchor knows another line {0}")]
    Contradicted(u64),
    /// An anchor knows a line that isn't there.
    #[error("line {0} is missing, which an anchor knows")]
    Missing(u64),
}

/// Something that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line of the file, from 1; one more than it has where something is missing at its end.
    pub line: usize,
    /// What.
    pub wrong: Wrong,
}

/// A clock that was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The number of the first line after it.
    pub seq: u64,
    /// By how many milliseconds; forward where it is positive.
    pub millis: i64,
}

/// A file, read.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    pub(crate) all: Vec<Piece>,
    pub(crate) problems: Vec<Problem>,
    /// The last line up to which nothing is wrong.
    pub(crate) until: Option<Head>,
    pub(crate) steps: Vec<Step>,
    /// How many bytes are whole lines; what comes after is torn.
    pub(crate) whole: u64,
}

impl Pieces {
    /// Reads a file of a home's log. `heads` is what all anchors know.
    pub(crate) fn read(bytes: &[u8], home: HomeId, heads: &[Head]) -> Self {
        let whole = whole_lines(bytes);
        let mut pieces = Self { whole: count(whole), ..Self::default() };
        let mut offset = 0;
        for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
            pieces.take(line.strip_suffix(b"\n").unwrap_or(line), offset, home);
            offset += line.len();
        }
        let rest = &bytes[whole..];
        // A last line that lacks nothing but its line feed was written if an anchor knows it.
        let lacks_its_end = parsed(rest, home).ok().map(|(_, head)| head).filter(|head| heads.contains(head));
        // No line that was torn is longer than a line.
        if lacks_its_end.is_some() || rest.len() > LINE_BYTES {
            pieces.take(rest, whole, home);
        }
        pieces.judge(heads);
        let missing = lacks_its_end.map(|head| Problem { line: pieces.all.len(), wrong: Wrong::Missing(head.seq) });
        pieces.problems.extend(missing);
        pieces
    }

    /// The highest number of a line that counts.
    pub(crate) fn last_seq(&self) -> u64 {
        self.counting().map(|(_, _, head)| head.seq).max().unwrap_or(0)
    }

    /// Whether the file's last bytes were taken for a line, whole or not.
    pub(crate) fn reaches(&self, length: usize) -> bool {
        self.all.last().is_some_and(|last| last.offset + count(last.bytes) == count(length))
    }

    /// The lines that count.
    pub(crate) fn counting(&self) -> impl Iterator<Item = (&Piece, &Line, Head)> {
        let counting = self.all.iter().filter(|piece| piece.counts);
        counting.filter_map(|piece| piece.line.as_ref().ok().map(|(line, head)| (piece, line, *head)))
    }

    fn take(&mut self, bytes: &[u8], offset: usize, home: HomeId) {
        let line = parsed(bytes, home);
        let counts = line.is_ok();
        self.all.push(Piece { offset: count(offset), bytes: bytes.len(), line, counts });
    }

    /// Finds what is wrong, and takes from the lines that count those that others speak against.
    fn judge(&mut self, heads: &[Head]) {
        let known: HashSet<Head> = heads.iter().copied().collect();
        let links: Vec<bool> = (0..self.all.len()).map(|at| self.is_linked(at)).collect();
        self.find_problems(&links, heads);
        self.find_steps();
        self.look_back(&links, &known);
        self.look_at_anchors(&links, &known);
    }

    /// Whether a line follows the one that stands before it.
    fn is_linked(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.all.get(before)).and_then(Piece::head);
        let line = self.all.get(at).and_then(|piece| piece.line.as_ref().ok());
        before.zip(line).is_some_and(|(head, (line, _))| line.follows(head))
    }

    fn find_problems(&mut self, links: &[bool], heads: &[Head]) {
        let mut until = None;
        for (at, (piece, linked)) in self.all.iter().zip(links).enumerate() {
            let after_a_line =
                at.checked_sub(1).and_then(|before| self.all.get(before)).is_some_and(|p| p.line.is_ok());
            let wrong = match &piece.line {
                Err(wrong) => Some(wrong.clone()),
                Ok((line, _)) if at == 0 && !line.begins() => Some(Wrong::NoBeginning),
                Ok(_) if after_a_line && !linked => Some(Wrong::Unlinked),
                Ok((_, head)) => heads
                    .iter()
                    .any(|known| known.seq == head.seq && known != head)
                    .then_some(Wrong::Contradicted(head.seq)),
            };
            self.problems.extend(wrong.map(|wrong| Problem { line: at + 1, wrong }));
            if self.problems.is_empty() {
                until = piece.head();
            }
        }
        self.until = until;
        let last = self.all.iter().filter_map(Piece::head).map(|head| head.seq).max().unwrap_or(0);
        let missing = heads.iter().map(|head| head.seq).max().filter(|seq| *seq > last);
        self.problems.extend(missing.map(|seq| Problem { line: self.all.len() + 1, wrong: Wrong::Missing(seq) }));
    }

    fn find_steps(&mut self) {
        let mut before: Option<Timestamp> = None;
        for (line, _) in self.all.iter().filter_map(|piece| piece.line.as_ref().ok()) {
            let back = before.map_or(0, |before| line.at.0.saturating_sub(before.0));
            let unsaid = (back < -SLACK_MILLIS).then_some(back);
            self.steps.extend(line.step.or(unsaid).map(|millis| Step { seq: line.seq, millis }));
            before = Some(line.at);
        }
    }

    /// Where a line speaks against the one before it, one of them isn't what was written. What follows it, or an anchor,
    /// says which; where nothing does, neither counts.
    fn look_back(&mut self, links: &[bool], known: &HashSet<Head>) {
        let repeated = self.repeated();
        for at in (1..self.all.len()).rev() {
            let [before, line] = &self.all[at - 1..=at] else { continue };
            let (Some(head_before), Some(head)) = (before.head(), line.head()) else { continue };
            if links[at] || !line.counts {
                continue;
            }
            if repeated[at] {
                self.discount_run(at, links, known);
                self.all[at].counts = false;
                continue;
            }
            let is_known = known.contains(&head);
            let before_is_known = known.contains(&head_before);
            let followed = links.get(at + 1).copied().unwrap_or(false) && self.all[at + 1].counts;
            if head.seq > head_before.seq + 1 {
                // Lines are missing between them. What nobody knows behind them may be anything.
                self.discount_run(at, links, known);
                continue;
            }
            if before_is_known || !(is_known || followed) {
                self.discount_run(at, links, known);
            }
            if !before_is_known {
                self.all[at - 1].counts = false;
            }
        }
    }

    /// Which lines stand in the file before.
    fn repeated(&self) -> Vec<bool> {
        let mut seen = HashSet::new();
        self.all.iter().map(|piece| piece.head().is_some_and(|head| !seen.insert(head))).collect()
    }

    /// A run of lines that follow each other is only worth what anchors know of it, from where one of them knows another
    /// line on.
    fn look_at_anchors(&mut self, links: &[bool], known: &HashSet<Head>) {
        let mut start = 0;
        while start < self.all.len() {
            let end = (start + 1..self.all.len()).find(|at| !links[*at]).unwrap_or(self.all.len());
            let speaks_against = |head: Head| known.iter().any(|other| other.seq == head.seq && *other != head);
            let counting = self.all[start..end].iter().filter(|piece| piece.counts);
            if counting.filter_map(Piece::head).any(speaks_against) {
                self.discount_run(start, links, known);
            }
            start = end;
        }
    }

    /// Of the run that begins at `start` nothing counts beyond the last line that an anchor knows.
    fn discount_run(&mut self, start: usize, links: &[bool], known: &HashSet<Head>) {
        let end = (start + 1..self.all.len()).find(|at| !links[*at]).unwrap_or(self.all.len());
        let run = &mut self.all[start..end];
        let sure = run.iter().rposition(|piece| piece.head().is_some_and(|head| known.contains(&head)));
        let from = sure.map_or(0, |sure| sure + 1);
        run[from..].iter_mut().for_each(|piece| piece.counts = false);
    }
}

/// How many bytes are whole lines. A last line with a hole of zeros is torn as well: some file systems write a file's
/// length before its content.
pub(crate) fn whole_lines(bytes: &[u8]) -> usize {
    let end = |bytes: &[u8]| bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let whole = end(bytes);
    let start = end(&bytes[..whole.saturating_sub(1)]);
    let last = &bytes[start..whole];
    if last.contains(&0) && last.len() <= LINE_BYTES { start } else { whole }
}

pub(crate) fn parsed(bytes: &[u8], home: HomeId) -> Result<(Line, Head), Wrong> {
    let line = Line::parse(bytes)?;
    if line.home != home {
        return Err(Wrong::OtherHome);
    }
    let head = Head { seq: line.seq, line: Digest::of_bytes(bytes) };
    Ok((line, head))
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
