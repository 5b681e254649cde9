//! Diffs in pages: whole hunks, and only what an earlier round hadn't. The pages one after the other are the diff, byte for
//! byte.

use std::collections::{HashMap, HashSet};

use gate_core::diff;

/// Where in a diff a page may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    at: usize,
    /// The change of a file begins, and not only a further hunk of it.
    is_file: bool,
}

/// A part of a diff.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page<'a> {
    pub(super) text: &'a str,
    /// Where the next one begins; absent on the last.
    pub(super) next: Option<usize>,
    /// It ends within a hunk, which is larger than a page.
    pub(super) cut: bool,
}

/// The page that begins there, of at most so many bytes, and at least one character.
pub(super) fn page(text: &str, from: usize, bytes: usize) -> Page<'_> {
    let from = text.floor_char_boundary(from.min(text.len()));
    let rest = &text[from..];
    if rest.len() <= bytes {
        return Page { text: rest, next: None, cut: false };
    }
    let until = from.saturating_add(bytes);
    let marks = marks(text);
    let whole = marks.iter().rev().map(|mark| mark.at).find(|at| *at <= until).filter(|at| *at > from);
    let (end, cut) = match whole {
        Some(end) => (end, false),
        None => (line_end(text, from, until), true),
    };
    Page { text: &text[from..end], next: Some(end), cut }
}

/// Behind the last line that ends before `until`; within a line where that is longer than all there is room for.
fn line_end(text: &str, from: usize, until: usize) -> usize {
    let until = text.floor_char_boundary(until);
    let lines = text[from..until].rfind('\n').map(|at| from + at + 1);
    let first = || text[from..].chars().next().map_or(from, |first| from + first.len_utf8());
    lines.unwrap_or_else(|| until.max(first()))
}

/// The file whose change goes on at that place; absent where one begins there.
pub(super) fn continued(text: &str, at: usize) -> Option<String> {
    let marks: Vec<_> = marks(text).into_iter().filter(|mark| mark.is_file).map(|mark| mark.at).collect();
    if at == 0 || marks.binary_search(&at).is_ok() {
        return None;
    }
    let after = marks.partition_point(|mark| *mark <= at);
    let begins = marks.get(after.checked_sub(1)?)?;
    let ends = marks.get(after).copied().unwrap_or(text.len());
    paths(&text[*begins..ends]).map(|(old, new)| if new.is_empty() { old } else { new })
}

/// The changes of these files alone: the one of this path, or those below it.
pub(super) fn of_path(text: &str, path: &str) -> String {
    let folder = format!("{}/", path.trim_end_matches('/'));
    let is_of = |own: &str| own == path || own.starts_with(&folder);
    let sections = sections(text).into_iter();
    sections.filter(|section| paths(section).is_some_and(|(old, new)| is_of(&old) || is_of(&new))).collect()
}

/// The hunks that an earlier diff hasn't, wherever they stand in their file, each file's with its head; and the files that
/// only the earlier one changes.
pub(super) fn fresh(text: &str, earlier: &str) -> (String, Vec<String>) {
    let mut before: HashMap<String, HashSet<&str>> = HashMap::new();
    for section in sections(earlier) {
        let (_, hunks) = parts(section);
        before.entry(name(section)).or_default().extend(hunks.iter().map(|hunk| body(hunk)));
    }
    let (mut fresh, mut now) = (String::new(), HashSet::new());
    for section in sections(text) {
        let (head, hunks) = parts(section);
        let name = name(section);
        let known = before.get(&name);
        let others: Vec<_> =
            hunks.iter().filter(|hunk| known.is_none_or(|known| !known.contains(body(hunk)))).copied().collect();
        if !others.is_empty() || known.is_none() {
            fresh.push_str(head);
            fresh.extend(others);
        }
        now.insert(name);
    }
    let mut gone: Vec<_> = before.into_keys().filter(|name| !now.contains(name)).collect();
    gone.sort();
    (fresh, gone)
}

/// The change of a file by its path, or by its whole head where that can't be read.
fn name(section: &str) -> String {
    match paths(section) {
        Some((old, new)) => {
            if new.is_empty() {
                old
            } else {
                new
            }
        }
        None => parts(section).0.to_owned(),
    }
}

/// What a hunk changes, without where.
fn body(hunk: &str) -> &str {
    hunk.split_once('\n').map_or("", |(_, body)| body)
}

/// Each file's change. What stands before the first belongs to it.
fn sections(text: &str) -> Vec<&str> {
    let mut begins: Vec<_> = marks(text).into_iter().filter(|mark| mark.is_file).map(|mark| mark.at).collect();
    if let Some(first) = begins.first_mut() {
        *first = 0;
    } else if !text.is_empty() {
        begins.push(0);
    }
    let ends = begins.iter().skip(1).copied().chain([text.len()]);
    begins.iter().zip(ends).map(|(begin, end)| &text[*begin..end]).collect()
}

/// The head of a file's change, and its hunks.
fn parts(section: &str) -> (&str, Vec<&str>) {
    let mut begins: Vec<_> = section
        .split_inclusive('\n')
        .scan(0, |at, line| Some((std::mem::replace(at, *at + line.len()), line)))
        .find(|(_, line)| line.starts_with("@@ "))
        .map(|(at, _)| at)
        .into_iter()
        .collect();
    begins.extend(marks(section).into_iter().filter(|mark| !mark.is_file).map(|mark| mark.at));
    let ends = begins.iter().skip(1).copied().chain([section.len()]);
    let hunks = begins.iter().zip(ends).map(|(begin, end)| &section[*begin..end]).collect();
    (&section[..begins.first().copied().unwrap_or(section.len())], hunks)
}

/// The paths before and after the change; empty where there is none.
fn paths(section: &str) -> Option<(String, String)> {
    let parsed = diff::parse(section).ok()?;
    parsed.files.into_iter().next().map(|file| (file.old_path, file.new_path))
}

/// Where files' changes and their further hunks begin. A file's first hunk stays with its head.
fn marks(text: &str) -> Vec<Mark> {
    let (mut marks, mut at) = (Vec::new(), 0);
    // Lines that the hunk still has, by what its head says.
    let (mut old, mut new) = (0_u32, 0_u32);
    let (mut has_hunk, mut has_begun) = (true, false);
    for line in text.split_inclusive('\n') {
        let begins = at;
        at += line.len();
        let first = line.bytes().next().unwrap_or(b'\n');
        if old > 0 || new > 0 {
            // Models miscount: what can't be a line of a hunk ends it.
            match first {
                b'+' => new = new.saturating_sub(1),
                b'-' => old = old.saturating_sub(1),
                b'\\' => {}
                b' ' | b'\n' | b'\r' | b'\t' => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
                _ => (old, new) = (0, 0),
            }
            if matches!(first, b'+' | b'-' | b'\\' | b' ' | b'\n' | b'\r' | b'\t') {
                continue;
            }
        }
        if let Some(counts) = counts(line) {
            if has_hunk && has_begun {
                marks.push(Mark { at: begins, is_file: false });
            }
            (old, new) = counts;
            (has_hunk, has_begun) = (true, true);
        } else if line.starts_with("diff --git ")
            || line.starts_with("Index: ")
            || (has_hunk && line.starts_with("--- "))
        {
            marks.push(Mark { at: begins, is_file: true });
            (has_hunk, has_begun) = (false, true);
        }
    }
    marks
}

/// How many lines a hunk has on each side, by its head: `@@ -1,2 +1 @@`.
fn counts(line: &str) -> Option<(u32, u32)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
    count(old).zip(count(new))
}

#[cfg(test)]
mod tests;
