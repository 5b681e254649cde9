//! What opencode says of an edit. Its diff is shown to people: what all of its lines are indented by is taken away from each, a mark
//! at the file's beginning (U+FEFF) isn't in it, and of an `edit` neither is how lines end; nothing says so. So what it does to a
//! file is reckoned from what its tool was called with, and counts where the diff is of just that.

use serde_json::Value;

use super::EditUnknown;
use super::codex::{self, FileChange};
use super::hunks::{self, Hunk, lines};
use super::read::text_of;
use crate::bounds;

/// What a text may begin with to say how it is encoded. It is kept, and added where what is written begins with it.
const MARK: char = '\u{feff}';

/// What a tool of opencode's was called with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Called {
    /// `edit`: a text in the place of another.
    Edit {
        /// The text that is replaced; empty where all is.
        old: String,
        /// What stands there then.
        new: String,
        /// Whether that is done wherever it stands.
        all: bool,
    },
    /// `write`: all that the file then holds.
    Write(String),
    /// `apply_patch`, in Codex's form.
    Patch(Vec<FileChange>),
}

impl Called {
    /// What the arguments of a tool say; absent where that isn't known.
    pub(super) fn of(args: &Value) -> Option<Self> {
        let text = |name: &str| text_of(args, name).map(str::to_owned);
        if let Some(patch) = text("patchText") {
            return codex::read(&patch).map(Self::Patch);
        }
        if let Some(content) = text("content") {
            return Some(Self::Write(content));
        }
        let all = args.get("replaceAll").and_then(Value::as_bool).unwrap_or_default();
        Some(Self::Edit { old: text("oldString")?, new: text("newString")?, all })
    }

    /// What it makes of a file.
    ///
    /// # Errors
    /// Why that can't be known.
    pub(super) fn becomes(&self, before: Option<&str>, diff: &str) -> Result<String, EditUnknown> {
        // It ends new lines as those of the file, and shows neither.
        if matches!(self, Self::Edit { .. }) && before.is_some_and(|text| text.contains('\r')) {
            return Err(EditUnknown::LineEnds);
        }
        if let Some(after) = self.done(before, diff) {
            return Ok(after);
        }
        // Where it has found by likeness what it looks for, the diff alone tells.
        let is_by_likeness = match self {
            Self::Edit { old, new, .. } => {
                let is_there = before.is_some_and(|text| text.contains(&old.replace("\r\n", "\n")));
                !is_there && !new.replace("\r\n", "\n").contains('\r')
            }
            Self::Write(_) => false,
            Self::Patch(_) => true,
        };
        let after = hunks::applied(before.unwrap_or_default(), diff).ok_or(EditUnknown::NotFound)?;
        match is_by_likeness && !self.brings_a_mark() && tells_indents(diff) {
            true => Ok(after),
            false => Err(EditUnknown::Untold),
        }
    }

    /// What it makes of a file, where it finds each byte of what it looks for, and the diff is of that.
    fn done(&self, before: Option<&str>, diff: &str) -> Option<String> {
        let (was_marked, before) = (before.is_some_and(|text| text.starts_with(MARK)), before.map(unmarked));
        let after = match self {
            Self::Edit { old, new, .. } if old.is_empty() => new.clone(),
            Self::Edit { old, new, all } => {
                let (before, old, new) = (before?, old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
                let found = before.matches(old.as_str()).take(if *all { usize::MAX } else { 2 }).count();
                let fits = found.checked_mul(new.len()).is_some_and(|length| length <= bounds::DIFF_BYTES);
                if found == 0 || (found > 1 && !all) || !fits {
                    return None;
                }
                before.replace(&old, &new)
            }
            Self::Write(content) => content.clone(),
            Self::Patch(files) => {
                let [file] = files.as_slice() else { return None };
                file.sides(before).ok()?.1?
            }
        };
        // What is written by a patch counts as new, whatever was there.
        let is_added = matches!(self, Self::Patch(files) if matches!(files.as_slice(), [FileChange::Add { .. }]));
        let before = before.filter(|_| !is_added).unwrap_or_default();
        let is_marked = after.starts_with(MARK) || (was_marked && !is_added);
        let after = unmarked(&after);
        // It writes one mark where there are two.
        let written = unmarked(after);
        is_of(before, after, diff).then(|| if is_marked { format!("{MARK}{written}") } else { written.to_owned() })
    }

    /// Whether a mark is in what it writes.
    fn brings_a_mark(&self) -> bool {
        match self {
            Self::Edit { new, .. } | Self::Write(new) => new.contains(MARK),
            Self::Patch(files) => files.iter().any(|file| file.brings(MARK)),
        }
    }
}

/// Whether agents that are written in JavaScript take a character for a blank.
pub(super) fn is_blank(c: char) -> bool {
    match c {
        '\u{85}' => false,
        '\u{feff}' => true,
        c => c.is_whitespace(),
    }
}

/// A text without the mark at its beginning.
pub(super) fn unmarked(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// Whether a diff says by itself how far its lines are indented: one of them is in the file as it stands there, and isn't blank.
/// To be asked of a diff that fits the file.
fn tells_indents(diff: &str) -> bool {
    let is_blank_line = |line: &str| line.chars().all(is_blank);
    let tells = |(mark, line): &(char, &str)| *mark != '+' && !is_blank_line(line) && !is_like_a_header(*mark, line);
    hunks::read(diff).is_some_and(|hunks| hunks.iter().any(|hunk| hunk.rows.iter().any(tells)))
}

/// Whether a diff is of these two texts, where what all of its lines are indented by may have been taken away from each.
pub(super) fn is_of(before: &str, after: &str, diff: &str) -> bool {
    paired(&lines(before), &lines(after), diff).is_some_and(|pairs| {
        let taken = pairs.iter().filter_map(Pair::indented).min().unwrap_or_default();
        pairs.iter().all(|pair| pair.is_shown_without(taken))
    })
}

/// A line of a text, and what a diff shows of it.
struct Pair<'a> {
    mark: char,
    line: &'a str,
    shown: &'a str,
}

impl Pair<'_> {
    /// By how many characters it is indented, where that counts.
    fn indented(&self) -> Option<usize> {
        let counts = !self.line.chars().all(is_blank) && !is_like_a_header(self.mark, self.line);
        counts.then(|| self.line.chars().take_while(|c| is_blank(*c)).count())
    }

    fn is_shown_without(&self, taken: usize) -> bool {
        if is_like_a_header(self.mark, self.line) {
            return self.line == self.shown;
        }
        let ((line, ends), (shown, shown_ends)) = (without_end(self.line), without_end(self.shown));
        let cut = line.char_indices().nth(taken).and_then(|(at, _)| line.get(at..)).unwrap_or_default();
        (cut, ends) == (shown, shown_ends)
    }
}

/// A line without its line feed, and whether it has one.
fn without_end(line: &str) -> (&str, bool) {
    line.strip_suffix('\n').map_or((line, false), |text| (text, true))
}

/// opencode takes a line for a header of the diff that begins like one with its mark, and leaves it as it is.
fn is_like_a_header(mark: char, line: &str) -> bool {
    match mark {
        '-' => line.starts_with("--"),
        '+' => line.starts_with("++"),
        _ => false,
    }
}

/// The lines that a diff shows, beside those of both texts; absent where it isn't of these.
fn paired<'a>(before: &[&'a str], after: &[&'a str], diff: &'a str) -> Option<Vec<Pair<'a>>> {
    let mut pairs = Vec::new();
    let (mut old, mut new) = (0, 0);
    let same = |old: usize, new: usize, length: usize| {
        let sides = (before.get(old..old + length)?, after.get(new..new + length)?);
        (sides.0 == sides.1).then_some(())
    };
    for Hunk { begin, rows } in hunks::read(diff)? {
        let between = begin.checked_sub(old)?;
        same(old, new, between)?;
        (old, new) = (begin, new + between);
        for (mark, shown) in rows {
            if mark == ' ' {
                same(old, new, 1)?;
            }
            let line = if mark == '+' { after.get(new)? } else { before.get(old)? };
            pairs.push(Pair { mark, line, shown });
            old += usize::from(mark != '+');
            new += usize::from(mark != '-');
        }
    }
    let left = before.len().checked_sub(old)?;
    same(old, new, left)?;
    (after.len() == new + left).then_some(pairs)
}
