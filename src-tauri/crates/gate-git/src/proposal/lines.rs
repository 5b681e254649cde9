//! The lines of a diff: files, their headers and binaries, in git's manner (its `apply.c`).

use std::ops::Range;

use super::names;
use super::{Origin, ProposedFile};
use crate::change::Mode;
use crate::path::RepoPath;
use crate::refused::Refused;

/// What is put in the place of some bytes of a diff; where the range is empty, it is put there besides.
pub(super) type Correction = (Range<usize>, Vec<u8>);

/// Reads a diff from its beginning to its end.
pub(super) struct Reader<'a> {
    pub(super) diff: &'a [u8],
    /// Where the next line begins, and its number.
    pub(super) at: usize,
    pub(super) line: usize,
    /// Whether git made it of objects of ours: binaries need no data then.
    ours: bool,
    pub(super) corrections: Vec<Correction>,
}

/// What the header of a file says.
#[derive(Default)]
struct Head {
    both: Option<RepoPath>,
    old: Option<RepoPath>,
    new: Option<RepoPath>,
    from: Option<RepoPath>,
    to: Option<RepoPath>,
    is_copy: bool,
    is_new: bool,
    is_gone: bool,
    mode: Option<Mode>,
    old_mode: Option<Mode>,
    /// Whether it changes anything without a hunk.
    is_change: bool,
    /// Both objects by their whole names.
    is_indexed: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn of(diff: &'a [u8]) -> Self {
        Self { diff, at: 0, line: 1, ours: false, corrections: Vec::new() }
    }

    pub(super) fn ours(diff: &'a [u8]) -> Self {
        Self { ours: true, ..Self::of(diff) }
    }

    /// The files, at most `most`, and what is to be corrected.
    pub(super) fn files(mut self, most: usize) -> Result<(Vec<ProposedFile>, Vec<Correction>), Refused> {
        let mut files = Vec::new();
        while let Some(line) = self.peek() {
            if line.starts_with(b"diff --git ") || self.is_plain_header(self.at) {
                if files.len() == most {
                    return Err(Refused::TooMany { most });
                }
                files.push(self.file()?);
            } else if line.starts_with(b"@@") {
                return Err(self.unreadable("a hunk stands outside of a file, or is a merge's"));
            } else if line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ") {
                return Err(self.unreadable("it is the diff of a merge"));
            } else if line.starts_with(b"Binary files ") && says_binary(line) {
                return Err(Refused::NoData { line: self.line });
            } else {
                self.next();
            }
        }
        let end = self.diff.len();
        if !self.diff.ends_with(b"\n") && self.corrections.last().is_none_or(|(range, _)| range.start < end) {
            self.corrections.push((end..end, b"\n".to_vec()));
        }
        Ok((files, self.corrections))
    }

    /// The line that begins here, with its end.
    pub(super) fn line_at(&self, at: usize) -> Option<&'a [u8]> {
        let rest = self.diff.get(at..).filter(|rest| !rest.is_empty())?;
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        Some(&rest[..end])
    }

    pub(super) fn peek(&self) -> Option<&'a [u8]> {
        self.line_at(self.at)
    }

    pub(super) fn next(&mut self) {
        self.at += self.peek().map_or(0, <[u8]>::len);
        self.line += 1;
    }

    pub(super) fn unreadable(&self, why: &'static str) -> Refused {
        Refused::Unreadable { line: self.line, why }
    }

    /// Whether a file begins here without a line `diff --git`.
    pub(super) fn is_plain_header(&self, at: usize) -> bool {
        let mut at = at;
        [&b"--- "[..], b"+++ ", b"@@ -"].iter().all(|beginning| {
            let line = self.line_at(at).unwrap_or_default();
            at += line.len();
            line.starts_with(beginning)
        })
    }

    fn file(&mut self) -> Result<ProposedFile, Refused> {
        let (start, line) = (self.at, self.line);
        let mut head = Head::default();
        let by_git = self.peek().and_then(|line| line.strip_prefix(b"diff --git "));
        if let Some(names) = by_git {
            head.both = names::of_both(names).map(|name| names::checked(line, &name)).transpose()?;
            self.next();
        }
        let mut spans = Vec::new();
        let mut hunks = Vec::new();
        let (mut has_data, mut unfolded) = (false, 0);
        while let Some(text) = self.peek() {
            if text.starts_with(b"@@ -") {
                let (begins, span) = self.hunk()?;
                hunks.push(begins);
                spans.push(span);
            } else if text.starts_with(b"@@") {
                return Err(self.unreadable("a hunk begins with `@@ -LINE,LINES +LINE,LINES @@`"));
            } else if !hunks.is_empty() || has_data {
                break;
            } else if text.starts_with(b"GIT binary patch") {
                unfolded = self.binary(&head)?;
                has_data = true;
            } else if says_binary(text) {
                if !self.ours {
                    return Err(Refused::NoData { line: self.line });
                }
                self.next();
                has_data = true;
            } else if self.header(text, &mut head, by_git.is_some())? {
                self.next();
            } else {
                break;
            }
        }
        if hunks.is_empty() && !has_data && !head.is_change {
            return Err(Refused::Unreadable { line, why: "nothing of the file changes" });
        }
        let (path, other) = named(&head, line, by_git.is_some())?;
        let from = head.from.map(|from| if head.is_copy { Origin::Copied(from) } else { Origin::Renamed(from) });
        let Head { is_new, is_gone, mode, old_mode, .. } = head;
        Ok(ProposedFile {
            path,
            from,
            is_new,
            is_gone,
            mode,
            old_mode,
            spans,
            line,
            bytes: start..self.at,
            hunks,
            unfolded,
            other,
        })
    }

    /// Whether this is a line of a file's header.
    fn header(&self, text: &[u8], head: &mut Head, by_git: bool) -> Result<bool, Refused> {
        let side = |rest: &[u8]| self.side(rest);
        if let Some(rest) = text.strip_prefix(b"--- ") {
            head.old = side(rest)?;
            head.is_new |= head.old.is_none();
            return Ok(true);
        }
        if let Some(rest) = text.strip_prefix(b"+++ ") {
            head.new = side(rest)?;
            head.is_gone |= head.new.is_none();
            return Ok(true);
        }
        if !by_git {
            return Ok(false);
        }
        let whole = |rest: &[u8]| {
            let name = names::name(rest).ok_or_else(|| self.unreadable("a path is missing, or its quotes are odd"))?;
            names::checked(self.line, &name).map(Some)
        };
        let words: [(&[u8], u8); 12] = [
            (b"index ", b'i'),
            (b"similarity index ", b's'),
            (b"dissimilarity index ", b's'),
            (b"old mode ", b'o'),
            (b"new mode ", b'm'),
            (b"new file mode ", b'n'),
            (b"deleted file mode ", b'd'),
            (b"rename from ", b'f'),
            (b"rename to ", b't'),
            (b"copy from ", b'F'),
            (b"copy to ", b't'),
            (b"rename old ", b'x'),
        ];
        let found = words.iter().find_map(|(word, kind)| Some((text.strip_prefix(*word)?, *kind)));
        let Some((rest, kind)) = found else { return Ok(false) };
        match kind {
            b'i' => head.is_indexed = is_whole_index(rest),
            b'o' => head.old_mode = Some(self.mode(rest)?),
            b'm' => head.mode = Some(self.mode(rest)?),
            b'n' => (head.mode, head.is_new) = (Some(self.mode(rest)?), true),
            b'd' => (head.old_mode, head.is_gone) = (Some(self.mode(rest)?), true),
            b'f' => head.from = whole(rest)?,
            b'F' => (head.from, head.is_copy) = (whole(rest)?, true),
            b't' => head.to = whole(rest)?,
            b's' => {}
            _ => return Err(self.unreadable("it is written as git did in its first weeks")),
        }
        head.is_change |= matches!(kind, b'm' | b'n' | b'd' | b't');
        Ok(true)
    }

    /// The name behind `--- ` or `+++ `; none for `/dev/null`.
    fn side(&self, rest: &[u8]) -> Result<Option<RepoPath>, Refused> {
        let odd = || self.unreadable("a path is missing, or its quotes are odd");
        let name = names::name(rest).ok_or_else(odd)?;
        if name == b"/dev/null" {
            return Ok(None);
        }
        if name.starts_with(b"/") || name.get(1..3).is_some_and(|part| part == b":\\" || part == b":/") {
            return Err(Refused::Absolute { line: self.line, path: RepoPath::new(name) });
        }
        if name.starts_with(b"../") {
            return Err(Refused::Parent { line: self.line, path: RepoPath::new(name) });
        }
        let without = || self.unreadable("a path doesn't begin with `a/` or `b/`");
        names::checked(self.line, names::stripped(&name).ok_or_else(without)?).map(Some)
    }

    fn mode(&self, rest: &[u8]) -> Result<Mode, Refused> {
        Mode::of_digits(rest.trim_ascii_end()).ok_or_else(|| self.unreadable("git has no such mode"))
    }

    /// The data of a binary: `literal SIZE` or `delta SIZE`, lines, and an empty one; once or twice. Gives the sizes
    /// together.
    fn binary(&mut self, head: &Head) -> Result<u64, Refused> {
        let no_data = Refused::NoData { line: self.line };
        if !head.is_indexed {
            return Err(self.unreadable("a binary needs a line `index` with both objects' whole names"));
        }
        self.next();
        let (mut parts, mut sizes) = (0, 0_u64);
        let size = |line: &[u8]| {
            let rest = line.strip_prefix(b"literal ").or_else(|| line.strip_prefix(b"delta "))?;
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit());
            Some(digits.fold(0_u64, |size, digit| size.saturating_mul(10).saturating_add(u64::from(digit - b'0'))))
        };
        while let Some(size) = self.peek().and_then(size) {
            sizes = sizes.saturating_add(size);
            self.next();
            let mut lines = 0;
            while self.peek().is_some_and(|line| !line.trim_ascii().is_empty()) {
                self.next();
                lines += 1;
            }
            if lines == 0 {
                return Err(no_data);
            }
            parts += 1;
            if self.peek().is_some() {
                self.next();
            } else {
                let end: &[u8] = if self.diff.ends_with(b"\n") { b"\n" } else { b"\n\n" };
                self.corrections.push((self.at..self.at, end.to_vec()));
            }
        }
        if parts == 0 { Err(no_data) } else { Ok(sizes) }
    }
}

/// The file's path, and another that the header has.
fn named(head: &Head, line: usize, by_git: bool) -> Result<(RepoPath, Option<RepoPath>), Refused> {
    let unreadable = |why| Err(Refused::Unreadable { line, why });
    if head.from.is_some() != head.to.is_some() {
        return unreadable("a rename or a copy has one path only");
    }
    if let (Some(from), Some(to)) = (&head.from, &head.to) {
        let fits = |side: &Option<RepoPath>, path| side.as_ref().is_none_or(|side| side == path);
        if !fits(&head.old, from) || !fits(&head.new, to) {
            return unreadable("a rename's paths differ from line to line");
        }
        return Ok((to.clone(), None));
    }
    match (&head.old, &head.new) {
        (Some(old), Some(new)) if old == new => Ok((new.clone(), None)),
        (Some(_), Some(_)) if by_git => unreadable("a file has two paths, and isn't said to be renamed"),
        // A file that was kept beside, as `f.orig`: git takes the shorter name.
        (Some(old), Some(new)) if new.as_bytes().starts_with(old.as_bytes()) => Ok((old.clone(), Some(new.clone()))),
        (Some(old), Some(new)) => Ok((new.clone(), Some(old.clone()))),
        (Some(one), None) | (None, Some(one)) => Ok((one.clone(), None)),
        (None, None) => match &head.both {
            Some(both) => Ok((both.clone(), None)),
            None => unreadable("a file has no path, or its paths differ"),
        },
    }
}

fn says_binary(line: &[u8]) -> bool {
    (line.starts_with(b"Binary files ") || line.starts_with(b"Files ")) && line.trim_ascii_end().ends_with(b" differ")
}

/// `OID..OID` with all their digits, and perhaps a mode.
fn is_whole_index(rest: &[u8]) -> bool {
    let oids = rest.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    let mut lengths = oids.split(|byte| *byte == b'.').filter(|oid| !oid.is_empty()).map(<[u8]>::len);
    matches!((lengths.next(), lengths.next(), lengths.next()), (Some(40), Some(40), None) | (Some(64), Some(64), None))
}
