//! Where lines of an earlier diff stand in a later one: by their text, and by the lines beside them. Errs on the side of gone:
//! what can't be told from another line with the same text isn't placed.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::diff::align::{Line, pairs};
use crate::diff::{DiffFile, DiffView, Row, text_of};
use crate::reply::Side;

/// What has become of some lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// The file's path on their side of the later diff; absent where that doesn't have it.
    pub(super) file: Option<String>,
    /// The first and the last of them there; absent where they are gone.
    pub(super) lines: Option<(u32, u32)>,
    /// What they said, as far as the earlier diff shows them.
    pub(super) texts: Vec<String>,
}

/// Looks for lines of one diff in another one. What it finds out about a file serves all that is asked of it.
pub(super) struct Follower<'a> {
    earlier: &'a DiffView,
    later: &'a DiffView,
    sides: HashMap<(usize, Side), Beside<'a>>,
}

impl<'a> Follower<'a> {
    /// Of these two.
    pub(super) fn new(earlier: &'a DiffView, later: &'a DiffView) -> Self {
        Self { earlier, later, sides: HashMap::new() }
    }

    /// What has become of these lines of a file, the first and the last of them; of the file as a whole without them.
    pub(super) fn find(&mut self, path: &str, side: Side, lines: Option<(u32, u32)>) -> Found {
        let (earlier, later) = (self.earlier, self.later);
        let before = earlier.files.iter().enumerate().find(|(_, file)| path_on(file, side) == path);
        let after = counterpart(later, path, side, before.map(|(_, file)| file));
        let (Some((index, before)), Some((first, last))) = (before, lines) else {
            return Found { file: after.map(|file| path_on(file, side).to_owned()), lines: None, texts: Vec::new() };
        };
        let beside = self.sides.entry((index, side)).or_insert_with(|| Beside::of(before, after, side));
        Found {
            file: after.map(|file| path_on(file, side).to_owned()),
            lines: beside.find(first, last),
            texts: beside.texts(first, last),
        }
    }
}

/// The path of a file on a side, as comments name it.
fn path_on(file: &DiffFile, side: Side) -> &str {
    let (own, other) = match side {
        Side::Old => (&file.old_path, &file.new_path),
        Side::New => (&file.new_path, &file.old_path),
    };
    if own.is_empty() { other } else { own }
}

/// The file of the later diff that is this one: of the same path, else one that was it before the change.
fn counterpart<'a>(later: &'a DiffView, path: &str, side: Side, before: Option<&DiffFile>) -> Option<&'a DiffFile> {
    let same = later.files.iter().find(|file| path_on(file, side) == path);
    same.or_else(|| {
        let origin = &before.filter(|before| !before.old_path.is_empty())?.old_path;
        later.files.iter().find(|file| file.old_path == *origin)
    })
}

/// A line of one side of a file.
#[derive(Debug)]
struct Numbered<'a> {
    number: u32,
    key: u32,
    text: Cow<'a, str>,
}

/// How often each side has a line, and where it came last.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    old: u32,
    new: u32,
    at: usize,
}

/// One side of a file in both diffs.
#[derive(Debug)]
struct Beside<'a> {
    old: Vec<Numbered<'a>>,
    new: Vec<Numbered<'a>>,
    /// For each line of the earlier diff, the place of the later one that it is.
    stands: Vec<Option<usize>>,
    times: Vec<Times>,
}

impl<'a> Beside<'a> {
    fn of(before: &'a DiffFile, after: Option<&'a DiffFile>, side: Side) -> Self {
        let mut keys: HashMap<Cow<'a, str>, u32> = HashMap::new();
        let old = numbered(before, side, &mut keys);
        let new = after.map_or_else(Vec::new, |after| numbered(after, side, &mut keys));
        let mut stands = vec![None; old.len()];
        for (at, pair) in pairs(&compared(&old), &compared(&new), keys.len()).into_iter().enumerate() {
            if let Some(place) = pair.and_then(|pair| stands.get_mut(pair)) {
                *place = Some(at);
            }
        }
        let mut times = vec![Times::default(); keys.len()];
        for line in &old {
            times[line.key as usize].old += 1;
        }
        for (at, line) in new.iter().enumerate() {
            let times = &mut times[line.key as usize];
            times.new += 1;
            times.at = at;
        }
        Self { old, new, stands, times }
    }

    fn texts(&self, first: u32, last: u32) -> Vec<String> {
        let lines = self.old.iter().filter(|line| (first..=last).contains(&line.number));
        lines.map(|line| line.text.clone().into_owned()).collect()
    }

    /// Where these lines are, all of them and nothing between them.
    fn find(&self, first: u32, last: u32) -> Option<(u32, u32)> {
        let from = self.old.iter().position(|line| line.number == first)?;
        let count = usize::try_from(last.checked_sub(first)?).ok()?.checked_add(1)?;
        let block = self.old.get(from..from.checked_add(count)?).filter(|block| is_unbroken(block))?;
        let at = self.aligned(from, count).or_else(|| self.moved(block))?;
        let there = self.new.get(at..at + count).filter(|there| is_unbroken(there))?;
        let is_same = there.iter().zip(block).all(|(new, old)| new.key == old.key);
        let ends = (there.first()?.number, there.last()?.number);
        is_same.then_some(ends)
    }

    /// Where they stand in the order of both, if a line beside them stands beside them there, too.
    fn aligned(&self, from: usize, count: usize) -> Option<usize> {
        let at = self.stands.get(from).copied().flatten()?;
        let stand_so = (0..count).all(|step| self.stands.get(from + step).copied().flatten() == Some(at + step));
        let is_beside = |old: Option<usize>, new: Option<usize>| {
            old.zip(new).is_some_and(|(old, new)| self.stands.get(old).copied().flatten() == Some(new))
        };
        let before = is_beside(from.checked_sub(1), at.checked_sub(1))
            && is_unbroken(&self.old[from - 1..=from])
            && is_unbroken(&self.new[at - 1..=at]);
        let after = is_beside(Some(from + count), Some(at + count))
            && is_unbroken(&self.old[from + count - 1..=from + count])
            && is_unbroken(&self.new[at + count - 1..=at + count]);
        (stand_so && (before || after)).then_some(at)
    }

    /// Where they stand by a line of theirs that says something and that both have just once.
    fn moved(&self, block: &[Numbered<'_>]) -> Option<usize> {
        block.iter().enumerate().find_map(|(step, line)| {
            let times = self.times.get(line.key as usize)?;
            let tells = (times.old, times.new) == (1, 1) && line.text.contains(char::is_alphanumeric);
            times.at.checked_sub(step).filter(|_| tells)
        })
    }
}

/// Whether each line follows the one before.
fn is_unbroken(lines: &[Numbered<'_>]) -> bool {
    lines.windows(2).all(|pair| pair[0].number.checked_add(1) == Some(pair[1].number))
}

fn numbered<'a>(file: &'a DiffFile, side: Side, keys: &mut HashMap<Cow<'a, str>, u32>) -> Vec<Numbered<'a>> {
    let rows = file.hunks.iter().flat_map(|hunk| &hunk.rows);
    let on_side = rows.filter_map(|row| {
        let number = match side {
            Side::Old => row.old,
            Side::New => row.new,
        };
        Some((number?, text(row)))
    });
    let keyed = on_side.map(|(number, text)| {
        let next = u32::try_from(keys.len()).unwrap_or(u32::MAX);
        let key = *keys.entry(text.clone()).or_insert(next);
        Numbered { number, key, text }
    });
    keyed.collect()
}

/// As lines are compared: which of them changed is another question here.
fn compared(lines: &[Numbered<'_>]) -> Vec<Line> {
    lines.iter().map(|line| Line { key: line.key, context: true, hunk: 0 }).collect()
}

fn text(row: &Row) -> Cow<'_, str> {
    match &row.segments[..] {
        [only] => Cow::Borrowed(&only.text),
        _ => Cow::Owned(text_of(row)),
    }
}
