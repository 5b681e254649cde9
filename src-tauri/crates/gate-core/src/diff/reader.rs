//! Reads the lines of a unified diff into files, hunks and rows. A line that it can't place is a row as well: nothing of
//! the text is left out but blank lines, and headers that say nothing which the file doesn't.

use super::extent::{self, Ranges};
use super::git::{self, Line};
use super::{DiffFile, FileChange, Hunk, Row, RowEnd, RowKind, Segment, paths};
use crate::fault::{Code, Fault};

/// What git writes below a last line without a line break.
const NO_NEWLINE: &str = "\\ No newline at end of file";

/// The files of a diff.
///
/// # Errors
/// `invalid_diff` with the number of the offending line.
pub(super) fn read(text: &str) -> Result<Vec<DiffFile>, Fault> {
    let lines: Vec<&str> = text.lines().collect();
    let crlf: Vec<bool> = text.split_inclusive('\n').map(|line| line.ends_with("\r\n")).collect();
    let mut reader = Reader { lines: &lines, crlf: &crlf, at: 0, files: Vec::new(), outside: Vec::new() };
    reader.read()?;
    if reader.files.is_empty() {
        return Err(invalid(1, "no file header (`--- a/…` and `+++ b/…`) was found"));
    }
    Ok(reader.files)
}

struct Reader<'a> {
    lines: &'a [&'a str],
    /// Which of them end with a carriage return as well.
    crlf: &'a [bool],
    at: usize,
    files: Vec<DiffFile>,
    /// Lines that are no part of a change, and haven't been given to a file yet.
    outside: Vec<Row>,
}

impl<'a> Reader<'a> {
    fn line(&self, offset: usize) -> Option<&'a str> {
        self.lines.get(self.at + offset).copied()
    }

    fn read(&mut self) -> Result<(), Fault> {
        while let Some(line) = self.line(0) {
            if let Some(rest) = line.strip_prefix("diff --git ") {
                self.git_header(rest);
            } else if self.at_file_header() {
                self.file_header();
            } else if line.starts_with("@@ ") || line.starts_with("@@@") {
                self.hunk()?;
            } else if self.files.last().is_some_and(|file| file.hunks.iter().any(|hunk| !hunk.outside))
                && line.starts_with(['+', '-'])
                && !extent::at_signature(self.lines, self.at)
            {
                return Err(invalid(self.at + 1, "a changed line stands outside of any hunk"));
            } else {
                match self.separators() {
                    0 => self.leave_outside(),
                    known => self.at += known,
                }
            }
        }
        self.give_outside();
        Ok(())
    }

    fn at_file_header(&self) -> bool {
        extent::at_file_header(self.lines, self.at)
    }

    /// How many lines stand here that only name the file whose header follows: svn's `Index: PATH` with the rule below
    /// it, or the command that was given to `diff`.
    fn separators(&self) -> usize {
        let line = self.line(0).unwrap_or_default();
        let named = |offset: usize| {
            let side = |offset, mark| paths::as_written(self.line(offset).unwrap_or_default(), mark);
            extent::at_file_header(self.lines, self.at + offset)
                .then(|| (side(offset, "--- "), side(offset + 1, "+++ ")))
        };
        if let Some(path) = line.strip_prefix("Index: ") {
            let is_ruled = self.line(1).is_some_and(|rule| rule.len() > 20 && rule.bytes().all(|byte| byte == b'='));
            return if is_ruled && named(2).is_some_and(|sides| sides.0 == path || sides.1 == path) { 2 } else { 0 };
        }
        let options = line
            .strip_prefix("diff ")
            .zip(named(1))
            .and_then(|(command, (old, new))| command.strip_suffix(new)?.trim_end().strip_suffix(old));
        usize::from(options.is_some_and(|options| options.split_whitespace().all(|option| option.starts_with('-'))))
    }

    /// Keeps the line as one that is no part of a change.
    fn leave_outside(&mut self) {
        self.keep_outside(self.at);
        self.at += 1;
    }

    fn keep_outside(&mut self, at: usize) {
        let text = self.lines.get(at).copied().unwrap_or_default();
        if !text.bytes().all(|byte| matches!(byte, b' ' | b'\t')) {
            self.outside.push(row(RowKind::Outside, None, None, text));
        }
    }

    /// What stood between two files belongs to the one before it; what stands before all of them waits for the first.
    fn give_outside(&mut self) {
        if let Some(file) = self.files.last_mut()
            && !self.outside.is_empty()
        {
            file.hunks.push(outside(std::mem::take(&mut self.outside)));
        }
    }

    /// A file whose header has been read, with the lines that stand in it or before it.
    fn add(&mut self, mut file: DiffFile) {
        if !self.outside.is_empty() {
            file.hunks.push(outside(std::mem::take(&mut self.outside)));
        }
        self.files.push(file);
    }

    /// `diff --git a/x b/x` with the extended header lines that follow it.
    fn git_header(&mut self, paths: &str) {
        self.give_outside();
        let begin = self.at;
        let (old, new, prefixes) = paths::of_git_line(paths);
        let mut file = file(old, new, FileChange::Modified);
        let mut said: Vec<(usize, String)> = Vec::new();
        self.at += 1;
        while let Some(text) = self.line(0) {
            if text.starts_with("diff --git ") || text.starts_with("@@ ") || self.at_file_header() {
                break;
            }
            match git::line(text) {
                Some(Line::Index(mode)) => {
                    file.old_mode = file.old_mode.or_else(|| mode.clone());
                    file.new_mode = file.new_mode.or(mode);
                }
                Some(Line::OldMode(mode)) => file.old_mode = Some(mode),
                Some(Line::NewMode(mode)) => file.new_mode = Some(mode),
                Some(Line::Created(mode)) => (file.change, file.new_mode) = (FileChange::Added, Some(mode)),
                Some(Line::Deleted(mode)) => (file.change, file.old_mode) = (FileChange::Deleted, Some(mode)),
                Some(Line::Similarity(percent)) => file.similarity = Some(percent),
                Some(Line::From { renamed, path }) => {
                    if renamed {
                        file.change = FileChange::Renamed;
                    }
                    said.push((self.at, path.clone()));
                    file.old_path = path;
                }
                Some(Line::To(path)) => {
                    said.push((self.at, path.clone()));
                    file.new_path = path;
                }
                Some(Line::Dissimilarity) => {}
                Some(Line::Binary(sides)) => {
                    file.binary = true;
                    if !paths::are_sides(sides, (&file.old_path, &file.new_path), prefixes) {
                        self.keep_outside(self.at);
                    }
                }
                Some(Line::Patch) => {
                    file.binary = true;
                    self.binary_patch(&mut file);
                    continue;
                }
                None => self.keep_outside(self.at),
            }
            self.at += 1;
        }
        if self.at_file_header() {
            // These say where each path ends.
            let (old, new) = self.header_paths(prefixes);
            let moved = |path: &str| !path.is_empty() && path != file.old_path && path != file.new_path;
            if said.is_empty() && (moved(&old) || moved(&new)) {
                self.keep_outside(begin);
            }
            (file.old_path, file.new_path) = (old, new);
            if file.change == FileChange::Modified {
                file.change = change_of(&file.old_path, &file.new_path, FileChange::Modified);
            }
            self.at += 2;
        }
        if file.change == FileChange::Added {
            file.old_path.clear();
        }
        if file.change == FileChange::Deleted {
            file.new_path.clear();
        }
        // What git was told and what it would change are to be the same files.
        for (at, path) in said {
            if path != file.old_path && path != file.new_path {
                self.keep_outside(at);
            }
        }
        self.add(file);
    }

    /// `GIT binary patch` and its data: first what is after the change, then what was before it.
    fn binary_patch(&mut self, file: &mut DiffFile) {
        self.at += 1;
        for side in [&mut file.new_bytes, &mut file.old_bytes] {
            let Some(bytes) = self.line(0).and_then(git::data) else { return };
            *side = bytes;
            self.at += 1;
            while self.line(0).is_some_and(git::is_data) {
                self.at += 1;
            }
            if self.line(0).is_some_and(str::is_empty) {
                self.at += 1;
            }
        }
    }

    fn header_paths(&mut self, prefixes: (&str, &str)) -> (String, String) {
        let (old, new) = (self.line(0).unwrap_or_default(), self.line(1).unwrap_or_default());
        for (offset, line) in [old, new].into_iter().enumerate() {
            if paths::says_more(line) {
                self.keep_outside(self.at + offset);
            }
        }
        paths::of_header(old, new, prefixes)
    }

    fn file_header(&mut self) {
        self.give_outside();
        let (old, new) = self.header_paths(("a/", "b/"));
        let other = if old == new { FileChange::Modified } else { FileChange::Renamed };
        let change = change_of(&old, &new, other);
        self.add(file(old, new, change));
        self.at += 2;
    }

    fn hunk(&mut self) -> Result<(), Fault> {
        let number = self.at + 1;
        let header = self.line(0).unwrap_or_default();
        let Some(ranges) = Ranges::of(header) else {
            return Err(invalid(number, "the hunk header isn't `@@ -LINE,COUNT +LINE,COUNT @@`"));
        };
        if self.files.is_empty() {
            return Err(invalid(number, "a hunk stands before any file header (`--- a/…` and `+++ b/…`)"));
        }
        self.give_outside();
        let end = ranges.counted_end(self.lines, self.at);
        let (mut old, mut new) = ranges.starts();
        // Where headers end so, the diff came like that, and says nothing of the file.
        let carried = self.crlf.get(self.at).copied().unwrap_or(false);
        self.at += 1;
        let mut rows = Vec::new();
        let (mut added, mut removed) = (0, 0);
        while let Some(line) = self.line(0) {
            if end.map_or_else(|| extent::ends_any_hunk(self.lines, self.at), |end| self.at >= end) {
                break;
            }
            let (kind, content) = match line.as_bytes().first() {
                None => (RowKind::Context, ""),
                Some(b' ' | b'\t') => (RowKind::Context, line.strip_prefix(' ').unwrap_or(line)),
                Some(b'+') => (RowKind::Added, &line[1..]),
                Some(b'-') => (RowKind::Removed, &line[1..]),
                Some(b'\\') => {
                    without_newline(&mut rows, line);
                    self.at += 1;
                    continue;
                }
                Some(_) if extent::trailer(line) => break,
                Some(_) => {
                    return Err(invalid(self.at + 1, "a line of a hunk must start with a space, `+`, `-` or `\\`"));
                }
            };
            let (before, after) = (kind != RowKind::Added, kind != RowKind::Removed);
            let mut row = row(kind, before.then_some(old), after.then_some(new), content);
            if !carried && self.crlf.get(self.at).copied().unwrap_or(false) {
                row.end = Some(RowEnd::Crlf);
            }
            old = old.saturating_add(u32::from(before));
            new = new.saturating_add(u32::from(after));
            added += u32::from(kind == RowKind::Added);
            removed += u32::from(kind == RowKind::Removed);
            rows.push(row);
            self.at += 1;
        }
        while end.is_none()
            && rows
                .last()
                .is_some_and(|row| row.kind == RowKind::Context && row.segments.iter().all(|s| s.text.is_empty()))
            && self.lines.get(self.at.saturating_sub(1)).is_some_and(|line| line.is_empty())
        {
            rows.pop();
            if rows.last().is_none_or(|row| row.segments.iter().any(|s| !s.text.is_empty())) {
                break;
            }
        }
        if rows.iter().all(|row| row.kind == RowKind::Outside) {
            return Err(invalid(number, "the hunk has no lines"));
        }
        if let Some(file) = self.files.last_mut() {
            file.added += added;
            file.removed += removed;
            // A window shows no lines of a binary file, and these would be hidden.
            file.binary = false;
            file.hunks.push(Hunk { header: header.to_owned(), outside: false, rows });
        }
        Ok(())
    }
}

/// Takes a line that begins with a backslash: the one above it has no line break. It speaks the language of whoever made
/// the diff, or says something else.
fn without_newline(rows: &mut Vec<Row>, line: &str) {
    let ended = rows.last_mut().filter(|row| row.kind != RowKind::Outside && row.end != Some(RowEnd::Nothing));
    let is_known = line == NO_NEWLINE && ended.is_some();
    if let Some(row) = ended {
        if row.end == Some(RowEnd::Crlf) {
            row.segments.iter_mut().for_each(|segment| segment.text.push('\r'));
        }
        row.end = Some(RowEnd::Nothing);
    }
    if !is_known {
        rows.push(row(RowKind::Outside, None, None, line));
    }
}

fn row(kind: RowKind, old: Option<u32>, new: Option<u32>, text: &str) -> Row {
    let segments = vec![Segment { text: text.to_owned(), changed: false }];
    Row { kind, old, new, fresh: false, end: None, segments }
}

fn outside(rows: Vec<Row>) -> Hunk {
    Hunk { header: String::new(), outside: true, rows }
}

fn file(old_path: String, new_path: String, change: FileChange) -> DiffFile {
    DiffFile {
        old_path,
        new_path,
        change,
        old_mode: None,
        new_mode: None,
        similarity: None,
        binary: false,
        old_bytes: None,
        new_bytes: None,
        line_ends: None,
        added: 0,
        removed: 0,
        since: None,
        hunks: Vec::new(),
    }
}

/// What happened to a file, if a path that is missing tells it.
fn change_of(old: &str, new: &str, other: FileChange) -> FileChange {
    match (old.is_empty(), new.is_empty()) {
        (true, _) => FileChange::Added,
        (_, true) => FileChange::Deleted,
        _ => other,
    }
}

fn invalid(line: usize, what: &str) -> Fault {
    Fault::new(
        Code::InvalidDiff,
        format!("`diff` can't be parsed: line {line}: {what}."),
        "Pass the output of `git diff` or `diff -u` unchanged, or put the change into `message`.",
    )
}
